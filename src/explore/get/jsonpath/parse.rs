//! Reads templates. The grammar is that of `parser.go` of client-go, with its peculiarities: a key in brackets is in single quotes and
//! its dots are escaped, and a filter has one comparison.

use serde_json::Number;

use super::syntax::{Comparison, Filter, Part, Slice, Step};

/// Most paths inside of each other: filters, unions and ranges.
const MAX_DEPTH: usize = 32;

/// Character before which a fault is, and what is wrong.
type Fault = (usize, String);

fn fault<T>(at: usize, what: impl Into<String>) -> Result<T, Fault> {
    Err((at, what.into()))
}

/// Reads a whole template.
pub(super) fn template(text: &str) -> Result<Vec<Part>, Fault> {
    let text: Vec<char> = text.chars().collect();
    let mut open: Vec<Open> = vec![Open::default()];
    let mut at = 0;
    while at < text.len() {
        let Some(brace) = position(&text, at, '{') else {
            push(&mut open, literal(&text, at, text.len()));
            break;
        };
        if brace > at {
            push(&mut open, literal(&text, at, brace));
        }
        let end = end_of_action(&text, brace + 1)?;
        match action(&text, brace + 1, end)? {
            Action::Path(steps) => push(&mut open, Part::Path(steps, brace + 1)),
            Action::Range(of) if open.len() > MAX_DEPTH => {
                return fault(brace + 1, format!("more than {MAX_DEPTH} ranges inside of each other: {}", of.len()));
            }
            Action::Range(of) => open.push(Open { of, at: brace + 1, body: Vec::new() }),
            Action::End => match (open.pop(), open.last_mut()) {
                (Some(Open { of, at, body }), Some(outer)) => outer.body.push(Part::Range { of, at, body }),
                _ => return fault(brace + 1, "`end` without `range`"),
            },
        }
        at = end + 1;
    }
    match open.pop() {
        Some(Open { body, .. }) if open.is_empty() => Ok(body),
        Some(Open { at, .. }) => fault(at, "`range` without `{end}`"),
        None => Ok(Vec::new()),
    }
}

/// A range that has not ended.
#[derive(Default)]
struct Open {
    of: Vec<Step>,
    at: usize,
    body: Vec<Part>,
}

fn push(open: &mut [Open], part: Part) {
    if let Some(innermost) = open.last_mut() {
        innermost.body.push(part);
    }
}

fn literal(text: &[char], from: usize, to: usize) -> Part {
    Part::Path(vec![Step::Text(slice(text, from, to))], from)
}

fn slice(text: &[char], from: usize, to: usize) -> String {
    text.get(from..to).unwrap_or_default().iter().collect()
}

fn position(text: &[char], from: usize, sought: char) -> Option<usize> {
    text.iter().skip(from).position(|c| *c == sought).map(|at| from + at)
}

/// Returns the place of the brace that ends an action; braces in quotes do not.
fn end_of_action(text: &[char], start: usize) -> Result<usize, Fault> {
    let mut quote = None;
    let mut at = start;
    while let Some(c) = text.get(at) {
        match (quote, c) {
            (Some(_), '\\') => at += 1,
            (Some(open), c) if open == *c => quote = None,
            (None, '"' | '\'') => quote = Some(*c),
            (None, '}') => return Ok(at),
            _ => {}
        }
        at += 1;
    }
    fault(
        start.saturating_sub(1),
        if quote.is_some() { "text without its second quote" } else { "a brace that is not closed" },
    )
}

enum Action {
    Path(Vec<Step>),
    Range(Vec<Step>),
    End,
}

fn action(text: &[char], from: usize, to: usize) -> Result<Action, Fault> {
    let inner = slice(text, from, to);
    let trimmed = inner.trim();
    let lead = inner.chars().take_while(|c| c.is_whitespace()).count();
    match trimmed.strip_prefix("range") {
        Some(rest) if rest.starts_with(|c: char| !c.is_alphanumeric()) => {
            let skipped = from + lead + "range".len();
            Ok(Action::Range(steps(text, skipped, to, 0)?))
        }
        _ if trimmed == "end" => Ok(Action::End),
        _ => Ok(Action::Path(steps(text, from, to, 0)?)),
    }
}

/// Reads the steps of a path.
fn steps(text: &[char], from: usize, to: usize, depth: usize) -> Result<Vec<Step>, Fault> {
    if depth > MAX_DEPTH {
        return fault(from, format!("more than {MAX_DEPTH} paths inside of each other"));
    }
    let mut reader = Reader { text, at: from, to, depth };
    let mut found = Vec::new();
    while let Some(c) = reader.peek() {
        reader.step(c, &mut found)?;
    }
    Ok(found)
}

struct Reader<'t> {
    text: &'t [char],
    at: usize,
    to: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied().filter(|_| self.at < self.to)
    }

    fn next_is(&self, ahead: usize, wanted: char) -> bool {
        self.at + ahead < self.to && self.text.get(self.at + ahead) == Some(&wanted)
    }

    fn step(&mut self, c: char, found: &mut Vec<Step>) -> Result<(), Fault> {
        let start = self.at;
        match c {
            c if c.is_whitespace() => self.at += 1,
            // The current object.
            '@' | '$' => self.at += 1,
            '.' if self.next_is(1, '.') => {
                if found.last() == Some(&Step::Below) {
                    return fault(start, "two recursive descents after each other");
                }
                self.at += 2;
                found.push(Step::Below);
                if self.peek().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '*')) {
                    found.push(self.field());
                }
            }
            '.' => {
                self.at += 1;
                // As in kubectl, `{.}` is a field without name; the object is `{@}`.
                found.push(self.field());
            }
            '[' => {
                let step = self.brackets()?;
                found.extend(step);
            }
            '"' | '\'' => found.push(Step::Text(self.quoted(c)?)),
            '+' | '-' | '0'..='9' => found.push(self.number()?),
            c if c.is_alphanumeric() || c == '_' => match self.word().as_str() {
                "true" => found.push(Step::Bool(true)),
                "false" => found.push(Step::Bool(false)),
                word => return fault(start, format!("the unknown word `{word}`")),
            },
            c => return fault(start, format!("the unexpected character `{c}`")),
        }
        Ok(())
    }

    /// Reads the name of a field; a backslash escapes the next character.
    fn field(&mut self) -> Step {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            match c {
                '\\' => {
                    self.at += 1;
                    name.extend(self.peek());
                }
                c if is_end_of_name(c) => break,
                c => name.push(c),
            }
            self.at += 1;
        }
        if name == "*" { Step::All } else { Step::Field(name) }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| !is_end_of_name(c)) {
            self.at += 1;
        }
        slice(self.text, start, self.at)
    }

    fn number(&mut self) -> Result<Step, Fault> {
        let start = self.at;
        while self.peek().is_some_and(|c| matches!(c, '+' | '-' | '.') || c.is_ascii_digit()) {
            self.at += 1;
        }
        let text = slice(self.text, start, self.at);
        let number = text.parse::<i64>().map(Number::from).ok();
        let number = number.or_else(|| Number::from_f64(text.parse().ok()?));
        number.map(Step::Number).map_or_else(|| fault(start, format!("`{text}`, which is no number")), Ok)
    }

    /// Reads a quoted text with the escapes of Go.
    fn quoted(&mut self, quote: char) -> Result<String, Fault> {
        let start = self.at;
        let mut out = String::new();
        self.at += 1;
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                c if c == quote => return Ok(out),
                '\\' => out.push(self.escaped()?),
                c => out.push(c),
            }
        }
        fault(start, "text without its second quote")
    }

    fn escaped(&mut self) -> Result<char, Fault> {
        let start = self.at - 1;
        let c = self.peek().unwrap_or_default();
        self.at += 1;
        Ok(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' => c,
            'x' | 'u' | 'U' => {
                let digits = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code = slice(self.text, self.at, (self.at + digits).min(self.to));
                self.at += digits;
                let read =
                    u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).filter(|_| code.len() == digits);
                return read.map_or_else(|| fault(start, format!("`\\{c}{code}`, which is no character")), Ok);
            }
            c => return fault(start, format!("the unknown escape `\\{c}`")),
        })
    }

    /// Reads what is in brackets: an index, a slice, a key, a union or a filter.
    fn brackets(&mut self) -> Result<Vec<Step>, Fault> {
        let start = self.at;
        if self.next_is(1, '?') && self.next_is(2, '(') {
            return Ok(vec![Step::Filter(self.filter()?)]);
        }
        let Some(end) = position(self.text, start, ']').filter(|end| *end < self.to) else {
            return fault(start, "a bracket that is not closed");
        };
        self.at = end + 1;
        let parts = split(self.text, start + 1, end);
        match parts.as_slice() {
            [(from, to)] => bracket(self.text, *from, *to, self.depth),
            parts => {
                let each = parts.iter().map(|(from, to)| bracket(self.text, *from, *to, self.depth));
                Ok(vec![Step::Union(each.collect::<Result<_, _>>()?)])
            }
        }
    }

    /// Reads `[?(LEFT)]` or `[?(LEFT==RIGHT)]`.
    fn filter(&mut self) -> Result<Filter, Fault> {
        let start = self.at + 3;
        let mut quote = None;
        let mut end = start;
        loop {
            match (quote, self.text.get(end).filter(|_| end < self.to)) {
                (_, None) => return fault(self.at, "a filter that is not closed"),
                (Some(_), Some('\\')) => end += 1,
                (Some(open), Some(c)) if open == *c => quote = None,
                (None, Some(c @ ('"' | '\''))) => quote = Some(*c),
                (None, Some(')')) => break,
                _ => {}
            }
            end += 1;
        }
        if self.text.get(end + 1) != Some(&']') {
            return fault(end + 1, "no `]` after a filter");
        }
        self.at = end + 2;
        let is_sign = |c: &char| matches!(c, '!' | '<' | '>' | '=');
        let Some(sign) = (start..end).find(|at| self.text.get(*at).is_some_and(is_sign)) else {
            return Ok(Filter { left: steps(self.text, start, end, self.depth + 1)?, compared: None });
        };
        let behind = (sign..end).find(|at| !self.text.get(*at).is_some_and(is_sign)).unwrap_or(end);
        let operator = slice(self.text, sign, behind);
        let comparison = match operator.as_str() {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            other => return fault(sign, format!("the unknown comparison `{other}`")),
        };
        let left = steps(self.text, start, sign, self.depth + 1)?;
        let right = steps(self.text, behind, end, self.depth + 1)?;
        Ok(Filter { left, compared: Some((comparison, right)) })
    }
}

fn is_end_of_name(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

/// Splits at commas.
fn split(text: &[char], from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut start = from;
    while let Some(comma) = position(text, start, ',').filter(|comma| *comma < to) {
        parts.push((start, comma));
        start = comma + 1;
    }
    parts.push((start, to));
    parts
}

/// Reads one part between brackets.
fn bracket(text: &[char], from: usize, to: usize, depth: usize) -> Result<Vec<Step>, Fault> {
    let inner = slice(text, from, to);
    let trimmed = inner.trim();
    if trimmed == "*" {
        return Ok(vec![Step::Slice(Slice { from: 0, to: None, by: 1, is_index: false })]);
    }
    if let Some(key) = trimmed.strip_prefix('\'').and_then(|key| key.strip_suffix('\'')) {
        let path: Vec<char> = format!(".{key}").chars().collect();
        // A fault is told at the place of the key.
        return steps(&path, 0, path.len(), depth + 1).map_err(|(_, what)| (from, what));
    }
    let wrong = || fault(from, format!("`{trimmed}`, which is neither an index, nor a key in single quotes"));
    let numbers: Vec<&str> = trimmed.split(':').collect();
    let number = |at: usize, default: i64| match numbers.get(at).copied().unwrap_or_default() {
        "" => Some(default),
        digits => digits.parse::<i64>().ok(),
    };
    let known = trimmed.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':'));
    let (Some(start), Some(end), Some(by)) = (number(0, 0), number(1, i64::MAX), number(2, 1)) else { return wrong() };
    if !known || trimmed.is_empty() || numbers.len() > 3 {
        return wrong();
    }
    if by < 1 {
        return fault(from, "a step that is not above 0");
    }
    let is_index = numbers.len() == 1;
    let end =
        if is_index { start.checked_add(1).filter(|end| *end != 0) } else { Some(end).filter(|end| *end != i64::MAX) };
    Ok(vec![Step::Slice(Slice { from: start, to: end, by, is_index })])
}
