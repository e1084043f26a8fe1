//! Checks a template before it is ever rendered: syntax, names, functions, filters, tests.

use std::collections::BTreeSet;

use minijinja::machinery::{Span, Token, tokenize};

use super::error::{TextError, describe};
use super::read::{FAMILIES, Unreadable, read};
use super::{filters, infer, kinds};
use crate::expr::{self, ErrorKind as Kind, nearest};

/// Names that every text knows.
const GLOBALS: [&str; 3] = ["now", "nodes", "rows"];
/// Names of the template engine that texts may use.
const BUILTIN: [&str; 1] = ["loop"];

/// The names of facts that a text mentions, or everything that is wrong with it.
pub(super) fn check(text: &str, names: &[String]) -> Result<Vec<String>, Vec<TextError>> {
    let undeclared = infer::free_names(text);
    let refused = match read(text) {
        Ok(_) => None,
        Err(Unreadable::Syntax(error)) => return Err(vec![syntax(text, &error)]),
        Err(refused) => Some(refused),
    };
    let tokens: Vec<(Token<'_>, Span)> = tokenize(text, false, Default::default()).filter_map(Result::ok).collect();
    let checker = Checker { names, undeclared: &undeclared, tokens: &tokens };
    let mut errors = checker.errors();
    if let (true, Some(error)) = (errors.is_empty(), &refused) {
        let offset = if let Unreadable::Refused(range, _) = error { Some(range.start) } else { None };
        errors.push(TextError { offset, kind: Kind::Wrong, message: describe(error), hint: None });
    }
    if errors.is_empty() { Ok(checker.mentions()) } else { Err(errors) }
}

fn syntax(text: &str, error: &minijinja::Error) -> TextError {
    let line_start = |line: usize| text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    TextError {
        offset: error.range().map(|range| range.start).or_else(|| error.line().map(line_start)),
        kind: Kind::Wrong,
        message: error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
        hint: None,
    }
}

/// An error about one identifier.
struct WrongWord {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

impl WrongWord {
    fn new(message: String, hint: Option<String>) -> Self {
        Self { kind: Kind::Wrong, message, hint }
    }
}

struct Checker<'c> {
    names: &'c [String],
    undeclared: &'c BTreeSet<String>,
    tokens: &'c [(Token<'c>, Span)],
}

impl Checker<'_> {
    fn token(&self, at: Option<usize>) -> Option<&Token<'_>> {
        self.tokens.get(at?).map(|(token, _)| token)
    }

    fn word(&self, at: Option<usize>) -> Option<&str> {
        match self.token(at) {
            Some(Token::Ident(name)) => Some(name),
            _ => None,
        }
    }

    /// In the order of the text, each name once.
    fn errors(&self) -> Vec<TextError> {
        let mut errors: Vec<TextError> = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, (token, span)) in self.tokens.iter().enumerate() {
            let Token::Ident(name) = token else { continue };
            if let Some(WrongWord { kind, message, hint }) = self.wrong(at, name)
                && seen.insert(message.clone())
            {
                errors.push(TextError { offset: Some(span.start_offset as usize), kind, message, hint });
            }
        }
        errors
    }

    /// Returns the error about an identifier at its position.
    fn wrong(&self, at: usize, name: &str) -> Option<WrongWord> {
        let called = matches!(self.token(Some(at + 1)), Some(Token::ParenOpen));
        let before = at.checked_sub(1);
        match self.token(before) {
            Some(Token::Dot) if called => self.wrong_method(at, name),
            Some(Token::Dot) => None,
            Some(Token::Pipe) if name == "plural" => self.wrong_plural(at + 1),
            Some(Token::Pipe) => self.wrong_filter(at, name),
            Some(Token::BlockStart) => None,
            _ if self.is_test(before) => wrong_test(name),
            _ if called && self.is_function(name) => self.wrong_count(at + 1, name, 0),
            _ if self.is_keyword_argument(at) || !self.undeclared.contains(name) || self.knows(name) => None,
            _ if called => Some(unknown_function(name)),
            _ => Some(self.unknown_name(name)),
        }
    }

    fn is_test(&self, before: Option<usize>) -> bool {
        match self.word(before) {
            Some("is") => true,
            Some("not") => self.word(before.and_then(|at| at.checked_sub(1))) == Some("is"),
            _ => false,
        }
    }

    fn is_keyword_argument(&self, at: usize) -> bool {
        matches!(self.token(Some(at + 1)), Some(Token::Assign))
    }

    fn knows(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
            || GLOBALS.contains(&name)
            || BUILTIN.contains(&name)
            || FAMILIES.contains(&name)
            || expr::function_names().any(|known| known == name)
    }

    fn wrong_method(&self, at: usize, name: &str) -> Option<WrongWord> {
        let family = self.word(at.checked_sub(2)).filter(|word| FAMILIES.contains(word));
        let full = family.map_or_else(|| name.to_owned(), |family| format!("{family}.{name}"));
        let known = expr::function_names().any(|known| known == full);
        if !known {
            return Some(unknown_function(&full));
        }
        // A method's receiver is its first argument.
        self.wrong_count(at + 1, &full, usize::from(family.is_none()))
    }

    /// A CEL function that no fact of the same name hides.
    fn is_function(&self, name: &str) -> bool {
        self.undeclared.contains(name)
            && !self.names.iter().any(|known| known == name)
            && expr::function_names().any(|known| known == name)
    }

    /// Too few or too many arguments between the brackets that open at a token.
    fn wrong_count(&self, open: usize, name: &str, receiver: usize) -> Option<WrongWord> {
        let (message, hint) = expr::check_arguments(name, receiver + self.arguments(open)?).err()?;
        Some(WrongWord::new(message, Some(hint)))
    }

    /// Checks name and arguments of a filter.
    fn wrong_filter(&self, at: usize, name: &str) -> Option<WrongWord> {
        let Some(filter) = filters::find(name) else {
            let hint = nearest(name, filters::names()).map(|near| format!("did you mean `{near}`?"));
            return Some(WrongWord::new(format!("there is no filter `{name}`"), hint));
        };
        let called = matches!(self.token(Some(at + 1)), Some(Token::ParenOpen));
        let count = if called { self.arguments(at + 1)? } else { 0 };
        let (fewest, most) = filter.takes;
        let wrong = count < fewest || count > most + filter.named.len();
        wrong.then(|| {
            let takes = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
            WrongWord::new(format!("{name} takes {takes} arguments, not {count}"), None)
        })
    }

    /// Checks the arguments of `plural`: both forms, in quotes.
    fn wrong_plural(&self, open: usize) -> Option<WrongWord> {
        let called = matches!(self.token(Some(open)), Some(Token::ParenOpen));
        let count = if called { self.arguments(open)? } else { 0 };
        let is_text = |at: usize| matches!(self.token(Some(at)), Some(Token::Str(_) | Token::String(_)));
        let hint = Some("write {{ n | plural('object', 'objects') }}".to_owned());
        match count {
            2 if is_text(open + 1) && is_text(open + 3) => None,
            2 => Some(WrongWord::new(
                "plural takes two texts in quotes: the form for one, and that for all other numbers".to_owned(),
                hint,
            )),
            _ => Some(WrongWord::new(format!("plural takes 2 arguments, not {count}"), hint)),
        }
    }

    /// Counts the values between brackets; none if they do not close.
    fn arguments(&self, open: usize) -> Option<usize> {
        let (mut depth, mut commas, mut is_empty) = (0_usize, 0, true);
        for (token, _) in self.tokens.iter().skip(open) {
            match token {
                Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => {
                    is_empty &= depth == 0;
                    depth += 1;
                }
                Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(if is_empty { 0 } else { commas + 1 });
                    }
                }
                Token::Comma if depth == 1 => commas += 1,
                _ => is_empty = false,
            }
        }
        None
    }

    fn unknown_name(&self, name: &str) -> WrongWord {
        let known: Vec<&str> = self.names.iter().map(String::as_str).chain(GLOBALS).collect();
        let hint = nearest(name, known.iter().copied())
            .map_or_else(|| format!("names here: {}", known.join(", ")), |near| format!("did you mean `{near}`?"));
        WrongWord { kind: Kind::Unbound(name.to_owned()), message: format!("unknown name `{name}`"), hint: Some(hint) }
    }

    /// Facts that are used, also as fields of a row.
    fn mentions(&self) -> Vec<String> {
        let by_rows = self.undeclared.contains("rows");
        let as_field = |name: &str| by_rows && (1..self.tokens.len()).any(|at| self.field(at) == Some(name));
        self.names.iter().filter(|name| self.undeclared.contains(*name) || as_field(name)).cloned().collect()
    }

    /// `name` of `row.name`, or of `attribute='name.of.more'` of a filter.
    fn field(&self, at: usize) -> Option<&str> {
        match (self.token(at.checked_sub(1))?, self.token(Some(at))?) {
            (Token::Dot, Token::Ident(name)) => Some(name),
            (Token::Assign, Token::Str(path)) if self.is_keyword_argument(at.checked_sub(2)?) => path.split('.').next(),
            _ => None,
        }
    }
}

fn unknown_function(name: &str) -> WrongWord {
    let hint = nearest(name, expr::function_names()).map(|near| format!("did you mean `{near}`?"));
    WrongWord::new(format!("there is no function `{name}`"), hint)
}

fn wrong_test(name: &str) -> Option<WrongWord> {
    let unknown = name != "not" && kinds::find(name).is_none();
    unknown.then(|| WrongWord::new(format!("there is no test `{name}`"), None))
}
