//! Secrets beside their keys: `password=x`, `"token": "x"`, `token := x`, `map[password:x]`, blocks of YAML, and values
//! of variables whose name stands before them.

use std::ops::Range;

use super::hash;
use super::key::{self, Claim};
use super::lines::{self, Line};
use super::value::{JUDGED, is_mixed, is_plain, looks_generated};

/// Schemes after which an `Authorization` header has its credentials.
const SCHEMES: [&str; 7] = ["Bearer", "Basic", "Digest", "Negotiate", "Token", "AWS4-HMAC-SHA256", "ApiKey"];

/// The colon of Chinese texts, `：`.
const WIDE_COLON: &str = "\u{ff1a}";

/// What stands around a key in quotes.
const QUOTES: [char; 4] = [' ', '"', '\'', '\\'];

/// What may stand between a key and its separator, and is not seen.
const BLANKS: [char; 8] = [' ', '\t', '\u{a0}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// Bytes of the longest list in one line.
const LONGEST_LIST: usize = 4096;

/// Bytes in which the first line of a text in quotes ends.
const LINE: usize = 512;

/// Keys before the value of a variable or setting: `name: DB_PASSWORD`, `value: x`.
const NAMES: [&str; 2] = ["name", "key"];

/// Letters of the shortest token of Rancher.
const RANCHER_TOKEN: usize = 30;

/// Returns a token of Rancher (`token-x7k2p:...`, `kubeconfig-user-x7k2p:...`), or the password of a token of K3s and RKE2
/// (`K10...::server:...`).
fn token(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes.get(at + 1) == Some(&b':') {
        return token_of_k3s(text, at + 2);
    }
    let length = bytes.get(at + 1..)?.iter().take_while(|b| is_token_letter(Some(b))).count();
    if length < RANCHER_TOKEN {
        return None;
    }
    let before = text.get(at.saturating_sub(LONGEST_NAME)..at)?;
    let name = before.get(word_start(before)..)?;
    let is_token = name.contains("token-") || name.contains("kubeconfig-");
    is_token.then_some(at + 1..at + 1 + length)
}

fn is_token_letter(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Bytes of the longest name before a token.
const LONGEST_NAME: usize = 256;

fn token_of_k3s(text: &str, user: usize) -> Option<Range<usize>> {
    let rest = text.get(user..text.floor_char_boundary(text.len().min(user + LONGEST_NAME)))?;
    let word = rest.get(..word_end(rest.as_bytes()))?;
    let before = text.as_bytes().get(..user.checked_sub(2)?)?;
    let hash = before.iter().rev().take(LONGEST_NAME).take_while(|b| b.is_ascii_hexdigit()).count();
    let is_hashed = hash >= 16 && before.get(..before.len() - hash).is_some_and(|lead| lead.ends_with(b"K"));
    let (name, password) = word.split_once(':').unwrap_or(("", word));
    let is_known = matches!(name, "server" | "node" | "agent") && looks_generated(password);
    let start = user + word.len() - password.len();
    (password.len() >= 6 && (is_hashed || is_known)).then_some(start..user + word.len())
}

/// Returns the values of secret keys, sorted, and true if the text contains `://`.
pub(super) fn find(text: &str) -> (Vec<Range<usize>>, bool) {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut holds_address = false;
    for at in memchr::memchr3_iter(b':', b'=', WIDE_COLON.as_bytes()[0], bytes) {
        let behind = bytes.get(at + 1).copied().unwrap_or_default();
        holds_address |= behind == b'/' && bytes.get(at + 2) == Some(&b'/');
        let before = bytes.get(..at).unwrap_or_default();
        let is_foreign = before.iter().rev().take(3).any(|byte| !byte.is_ascii());
        let may_be_key = is_foreign || key::last_letters(before).is_some();
        let may_be_token =
            behind == b':' || is_token_letter(bytes.get(at + RANCHER_TOKEN)) && is_token_letter(Some(&behind));
        let may_be_hash = hash::may_be_at(bytes, at);
        if !(may_be_key || may_be_token || may_be_hash) || found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let value = if may_be_key { Pair::at(text, at).and_then(|pair| pair.secret()) } else { None };
        let hash = || if may_be_hash { hash::at(text, at) } else { None };
        found.extend(value.or_else(|| token(text, at)).or_else(hash));
    }
    (found, holds_address)
}

/// How a key and its value are written, which decides how far the value reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `key=value`, `key := value`, `key => value`, `"key": value`, `{key: value}`, `map[key:value]`.
    Code,
    /// `key: value` at the beginning of a line; the value has the rest of the line.
    Line,
    /// `key: value` within a sentence, where most values are words.
    Prose,
}

struct Pair<'t> {
    text: &'t str,
    key: &'t str,
    /// Position of the key.
    start: usize,
    form: Form,
    /// Position after the separator.
    behind: usize,
}

impl<'t> Pair<'t> {
    /// Returns the pair with a separator at this position; none if there is no key before it.
    fn at(text: &'t str, separator: usize) -> Option<Self> {
        let before = text.get(..separator)?.trim_end_matches(BLANKS);
        let bare = before.trim_end_matches(['"', '\'', '\\']);
        let is_quoted = bare.len() < before.len();
        let start = key::foreign(bare).map_or_else(|| word_start(bare), |word| bare.len() - word.len());
        let start = start + escaped_letters(text, start);
        let key = bare.get(start..).filter(|key| !key.is_empty())?;
        let rest = text.get(separator..)?;
        let length = ["=>", ":=", ":", "=", WIDE_COLON].iter().find(|mark| rest.starts_with(**mark))?.len();
        let behind = separator + length;
        let is_assigned = rest.starts_with('=') || length > 1;
        let is_comparison = rest.starts_with("==") || rest.starts_with("=~");
        let form = if is_assigned || is_quoted { Form::Code } else { colon_form(text, start, separator)? };
        let names_object = is_assigned && length == 1 && !is_quoted && key.eq_ignore_ascii_case("secret");
        // `MountVolume.SetUp failed for volume "istio-token" : failed to fetch token`: what failed, no value.
        let names_volume = is_quoted
            && before.len() < separator
            && text.get(..start).is_some_and(|lead| lead.trim_end_matches(QUOTES).ends_with("volume"));
        (!is_comparison && !names_object && !names_volume).then_some(Self { text, key, start, form, behind })
    }

    fn secret(&self) -> Option<Range<usize>> {
        let claim = self.claim()?;
        let value = self.value()?;
        let judged = self.text.get(value.start..self.text.floor_char_boundary(value.end.min(value.start + JUDGED)))?;
        let holds = match self.form {
            Form::Prose => reads_like_secret(claim, judged),
            Form::Code | Form::Line => claim.holds(judged),
        };
        (holds && !is_reference(judged)).then(|| self.widened(value))
    }

    fn claim(&self) -> Option<Claim> {
        if !self.key.is_ascii() {
            return Some(Claim::UnlessPlain);
        }
        if !self.key.eq_ignore_ascii_case("value") {
            return key::claim(self.key);
        }
        let before = variable_before(self.text, self.start).or_else(|| enclosing_key(self.text, self.start));
        let after = || variable_after(self.text.get(self.value()?.end..)?);
        before.and_then(key::claim).or_else(|| key::claim(after()?))
    }

    /// Returns the value as far as its quotes or its word reach; none if it is empty or a collection.
    fn value(&self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let start = self.behind + lead(bytes.get(self.behind..)?);
        let opening = bytes.get(self.behind..start).unwrap_or_default();
        if let Some(quote) = opening.iter().rev().find(|b| matches!(b, b'"' | b'\'' | b'`'))
            && opening.last() == Some(quote)
        {
            let depth = opening.iter().rev().skip(1).take_while(|b| **b == b'\\').count();
            let rest = bytes.get(start..)?;
            let end = closing(rest, *quote, depth);
            let within = after_scheme(self.text, start, start + end).filter(|value| !value.is_empty());
            let ends_line = end == 0 && is_line_end(rest);
            return within.or_else(|| in_next_line(self.text, start).filter(|_| ends_line));
        }
        match bytes.get(start)? {
            b'|' | b'>' if self.form == Form::Line => block(self.text, self.start, start),
            // `map[Authorization:[Bearer x]]`, as Go prints headers, and `[x, y]`
            b'[' => {
                let list = bytes.iter().skip(start).take(LONGEST_LIST);
                let length = list.into_iter().position(|b| matches!(b, b']' | b'{' | b'\n'))?;
                let is_list = bytes.get(start + length) == Some(&b']');
                after_scheme(self.text, start + 1, start + length).filter(|value| is_list && !value.is_empty())
            }
            b'\n' | b'\r' | b'\\' if self.form == Form::Line && is_line_end(bytes.get(start..)?) => {
                items_below(self.text, self.start, lines::end(self.text, start))
                    .or_else(|| in_next_line(self.text, start))
            }
            b'\n' | b'\r' | b'\\' if is_line_end(bytes.get(start..)?) => in_next_line(self.text, start),
            b'{' | b'|' | b'>' | b'\n' | b'\r' => None,
            _ => Some(self.bare_value(start)).filter(|value| !value.is_empty()),
        }
    }

    /// Returns a value without quotes; after a scheme all of the credentials.
    fn bare_value(&self, start: usize) -> Range<usize> {
        let end = start + word_end(judged(self.text.as_bytes(), start));
        let is_scheme = |scheme: &&str| self.text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(scheme));
        if SCHEMES.iter().any(is_scheme) {
            let blanks = self.text.as_bytes().iter().skip(end).take_while(|b| **b == b' ').count();
            let first = end + blanks;
            return first..first + word_end(judged(self.text.as_bytes(), first));
        }
        start..end
    }

    /// Adds what a list has after a comma, and further words of a value that has the rest of the line.
    fn widened(&self, value: Range<usize>) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let mut end = value.end;
        let rest = |end: usize| bytes.get(end..).unwrap_or_default();
        let is_quoted = matches!(bytes.get(value.start.wrapping_sub(1)), Some(b'"' | b'\'' | b'`'));
        if self.form == Form::Line && !is_quoted {
            end += line_word_end(rest(end));
            while let Some(next) = next_word(rest(end)) {
                end += next;
            }
        } else if value.len() == JUDGED {
            end += word_end(rest(end));
        }
        while let Some(next) = next_item(rest(end)) {
            end += next;
        }
        value.start..end
    }
}

/// Returns the part of a text by which a value is judged.
fn judged(bytes: &[u8], start: usize) -> &[u8] {
    bytes.get(start..bytes.len().min(start + JUDGED)).unwrap_or_default()
}

/// Returns the length of the blanks and quotes before a value.
fn lead(bytes: &[u8]) -> usize {
    let is_lead = |at: usize, byte: &u8| match byte {
        b'\\' => !is_line_end(bytes.get(at..).unwrap_or_default()),
        byte => matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`'),
    };
    bytes.iter().enumerate().take_while(|(at, byte)| is_lead(*at, byte)).count()
}

/// Returns true if a text begins with the end of a line, which may be escaped.
fn is_line_end(bytes: &[u8]) -> bool {
    [b"\n".as_slice(), b"\r", b"\\n", b"\\r"].iter().any(|end| bytes.starts_with(end))
}

/// Returns where the key or name with which a text ends begins.
fn word_start(text: &str) -> usize {
    text.char_indices().rev().find(|(_, c)| !is_key_char(*c)).map_or(0, |(at, c)| at + c.len_utf8())
}

fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

/// Returns 1 if the first letter of a key belongs to an escape: `\npassword: x`.
fn escaped_letters(text: &str, start: usize) -> usize {
    let is_escape = text.as_bytes().get(start.wrapping_sub(1)) == Some(&b'\\');
    usize::from(is_escape && matches!(text.as_bytes().get(start), Some(b'n' | b'r' | b't')))
}

/// Returns the form of a key before a colon; none for parts of addresses, images and paths.
fn colon_form(text: &str, start: usize, separator: usize) -> Option<Form> {
    let lead = text.get(..start)?;
    if ends_line(lead.trim_end_matches([' ', '\t', '-', '"', '\'', '#', ';', '*'])) {
        return Some(Form::Line);
    }
    // The password that Rancher's log shows at the first start, as somebody chose it.
    let is_bootstrap = lead.ends_with("ootstrap ");
    if is_bootstrap || (lead.ends_with(['"', '\'', '`']) && begins_lines(text.get(separator..)?)) {
        return Some(Form::Line);
    }
    let behind = text.as_bytes().get(separator + 1);
    if behind.is_none_or(u8::is_ascii_whitespace) {
        let in_mapping = lead.trim_end_matches([' ', '"', '\'', '\\']).ends_with(['{', ',', '[', '(']);
        return Some(if in_mapping { Form::Code } else { Form::Prose });
    }
    let is_path = behind == Some(&b'/') || lead.ends_with('@') || text.get(start..separator)?.contains('/');
    (!is_path).then_some(Form::Code)
}

/// Returns true if the rest of a text in quotes has several lines, so that it is a document.
fn begins_lines(rest: &str) -> bool {
    let line = rest.get(..rest.floor_char_boundary(LINE)).unwrap_or_default();
    line.find("\\n").is_some_and(|end| line.get(..end).is_some_and(|line| !line.contains(['"', '\'', '`'])))
}

/// Returns true if nothing of a line stands before this point; the end of a line may be escaped.
fn ends_line(lead: &str) -> bool {
    lead.is_empty() || lead.ends_with('\n') || lead.ends_with("\\n") || lead.ends_with("\\r") || lead.ends_with("\\t")
}

/// Returns the end of the text in quotes. `depth` is the number of backslashes before the opening quote; the closing
/// one has no more; `''` in single quotes stands for one. Without a closing quote in the line the value ends with the line.
fn closing(rest: &[u8], quote: u8, depth: usize) -> usize {
    let mut doubled = None;
    for at in memchr::memchr2_iter(quote, b'\n', rest) {
        if doubled == Some(at) {
            continue;
        }
        if quote == b'\'' && at > 0 && rest.get(at..at + 2) == Some(b"''") {
            doubled = Some(at + 1);
            continue;
        }
        let slashes = rest.get(..at).unwrap_or_default().iter().rev().take_while(|b| **b == b'\\').count();
        if rest.get(at) == Some(&b'\n') {
            return at;
        }
        if slashes <= depth {
            return at - slashes;
        }
    }
    rest.len()
}

/// Returns the end of a word that is a value without quotes.
fn word_end(rest: &[u8]) -> usize {
    let is_end = |(at, byte): (usize, &u8)| match byte {
        b'\\' => matches!(rest.get(at + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'')),
        byte => {
            let is_escaped = *byte == b' ' && at > 0 && rest.get(at - 1) == Some(&b'\\');
            let is_blank = byte.is_ascii_whitespace() && !is_escaped;
            is_blank || matches!(byte, b',' | b'&' | b';' | b'}' | b']' | b'"' | b'\'' | b'`' | b'<')
        }
    };
    // `<set to the key ...>` of kubectl is a reference, a later `<` the end of an element, and `&` can be the first
    // character of a password.
    let first = usize::from(matches!(rest.first(), Some(b'<' | b'&')));
    rest.iter().enumerate().skip(first).find(|found| is_end(*found)).map_or(rest.len(), |(at, _)| at)
}

/// Cuts the scheme off an `Authorization` header.
fn after_scheme(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let value = text.get(start..end)?;
    let scheme = value.split_once(' ').filter(|(word, _)| SCHEMES.iter().any(|s| s.eq_ignore_ascii_case(word)));
    Some(scheme.map_or(start..end, |(word, _)| start + word.len() + 1..end))
}

/// Returns true if a word after a key in a sentence is a secret: `Bootstrap Password: x7k2`, not `token: x509: expired`.
fn reads_like_secret(claim: Claim, word: &str) -> bool {
    let is_short = claim == Claim::Always && word.len() >= 5 && is_mixed(word) && !is_plain(word);
    !word.ends_with([':', '.', ')']) && (is_short || looks_generated(word))
}

/// Returns true if a value only says where the secret is.
fn is_reference(value: &str) -> bool {
    ["<set", "<unset", "<none", "<nil"].iter().any(|start| value.starts_with(start))
}

/// Returns the end of a word in a line of its own, where quotes and brackets are parts of it.
fn line_word_end(rest: &[u8]) -> usize {
    let is_end = |(at, byte): (usize, &u8)| {
        byte.is_ascii_whitespace() || (*byte == b'\\' && is_line_end(rest.get(at..).unwrap_or_default()))
    };
    let end = rest.iter().enumerate().position(is_end).unwrap_or(rest.len());
    end - usize::from(end > 0 && rest.get(end - 1) == Some(&b','))
}

/// Returns the length of the next word of a value that has the rest of the line. What is a key or a comment is no part.
fn next_word(rest: &[u8]) -> Option<usize> {
    let behind = rest.strip_prefix(b" ")?;
    let length = line_word_end(behind);
    let word =
        behind.get(..length).filter(|word| !word.is_empty() && !word.starts_with(b"#") && !word.starts_with(b"-"))?;
    (!word.iter().any(|b| matches!(b, b'=' | b':'))).then_some(1 + length)
}

/// Returns the length of the next item of a list: `,b` of `a,b`. What is a key is no part.
fn next_item(rest: &[u8]) -> Option<usize> {
    let behind = rest.strip_prefix(b",")?;
    let length = word_end(behind);
    let word = behind.get(..length).filter(|word| !word.is_empty())?;
    let names_value = word.iter().any(|b| matches!(b, b'=' | b':'));
    (!names_value || looks_generated(&String::from_utf8_lossy(word))).then_some(1 + length)
}

/// Returns the lines of a block scalar (`key: |`) whose key is at a position: those that are indented further.
fn block(text: &str, key: usize, mark: usize) -> Option<Range<usize>> {
    let end = lines::end(text, mark);
    let head = text.get(mark..end)?.trim_end();
    let is_head = head.bytes().all(|b| matches!(b, b'|' | b'>' | b'-' | b'+' | b'0'..=b'9'));
    let indent = lines::column(text.get(..key)?);
    let inside = lines::below(text, end).take_while(|line| line.indent().is_none_or(|column| column > indent));
    lines::span(inside.filter(|_| is_head))
}

/// Returns the value or the items that stand in the lines below their key: `- x`.
fn items_below(text: &str, key: usize, line_end: usize) -> Option<Range<usize>> {
    let indent = lines::column(text.get(..key)?);
    let is_word = |word: &str| !word.is_empty() && !word.contains([' ', ':', '=', '{', '[']) && !word.starts_with('#');
    let is_value = |line: &Line<'_>| {
        let item = line.text.trim_start().strip_prefix("- ");
        let is_below = item.is_some() || line.indent().is_some_and(|column| column > indent);
        is_below && is_word(item.unwrap_or(line.text).trim())
    };
    lines::span(lines::below(text, line_end).take_while(is_value))
}

/// Returns a value that stands alone in the line below its key, as logs print objects and messages: a text in quotes, or a word that reads
/// like a secret.
fn in_next_line(text: &str, from: usize) -> Option<Range<usize>> {
    let line = lines::below(text, lines::end(text, from)).next()?;
    let place = line.trimmed();
    let opening = line.text.trim().bytes().take_while(|b| matches!(b, b'"' | b'\'' | b'\\')).count();
    let inner = text.get(place.start + opening..place.end)?;
    let start = place.start + opening;
    if let Some(quote) = line.text.trim().as_bytes().get(opening.wrapping_sub(1)) {
        let end = closing(inner.as_bytes(), *quote, opening - 1);
        let is_all = inner.get(end..)?.bytes().all(|b| matches!(b, b'"' | b'\'' | b'\\' | b',' | b'}' | b']' | b' '));
        return (is_all && end > 0).then_some(start..start + end);
    }
    let word = inner.trim_end_matches(['"', '\'', ',', ')', '}', ']']);
    let is_word = !word.contains([' ', '\t', ':', '=', '{', '[', '(']);
    (is_word && reads_like_secret(Claim::Always, word)).then_some(start..start + word.len())
}

/// Returns the name that stands before a key `value`: `name: DB_PASSWORD`, `"name":"DB_PASSWORD"`, also with a field or comment between.
fn variable_before(text: &str, value: usize) -> Option<&str> {
    variable_beside(text, value).or_else(|| variable_above(text, value))
}

/// Returns the name that begins the item or the braces in which a key stands.
fn variable_above(text: &str, value: usize) -> Option<&str> {
    let first = text.ceil_char_boundary(value.saturating_sub(LONGEST_NAME));
    let before = text.get(first..value)?;
    if before.trim_end_matches(QUOTES).ends_with(',') {
        let inside = before.get(before.rfind(['{', '}'])?..)?.strip_prefix('{')?;
        return variable_after(inside);
    }
    let indent = lines::column(before);
    let mut above = before.rsplit('\n').skip(1);
    let item = above.find(|line| {
        let begins = line.len() - line.trim_start().len();
        begins < indent && !line.trim_start().starts_with('#')
    })?;
    let inside = item.trim_start().strip_prefix("- ")?;
    (item.len() - inside.trim_start().len() == indent).then(|| variable_after(inside)).flatten()
}

fn variable_beside(text: &str, value: usize) -> Option<&str> {
    let before = without_joint(text.get(..value)?);
    let start = word_start(before);
    let name = before.get(start..)?;
    let lead = before.get(..start)?.trim_end_matches(QUOTES);
    let lead = lead.strip_suffix([':', '='])?.trim_end_matches(QUOTES);
    NAMES.iter().any(|key| ends_with_key(lead, key)).then_some(name)
}

/// Returns the key whose mapping begins before this point: `"password":{"value":`, or `password:` in the line above.
fn enclosing_key(text: &str, key: usize) -> Option<&str> {
    let lead = text.get(..key)?;
    let bare = lead.trim_end_matches(QUOTES);
    let opened = match bare.strip_suffix('\n') {
        Some(above) => above.trim_end().strip_suffix(':').filter(|_| is_indented_further(lead))?,
        None => bare
            .strip_suffix('{')
            .or_else(|| bare.strip_suffix("map["))?
            .trim_end_matches(QUOTES)
            .strip_suffix([':', '='])?,
    };
    let opened = opened.trim_end_matches(QUOTES);
    opened.get(word_start(opened)..)
}

/// Returns true if the last line of a text begins further to the right than the one above it.
fn is_indented_further(text: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let mut lines = text.rsplit('\n');
    let (last, above) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    indent(last) > indent(above)
}

/// Returns the name that follows a value: `,"name":"DB_PASSWORD"`.
fn variable_after(text: &str) -> Option<&str> {
    const JOINTS: [char; 8] = [' ', '\t', '\n', '\r', ',', '"', '\'', '\\'];
    let rest = text.get(..text.floor_char_boundary(LONGEST_NAME)).unwrap_or(text);
    let rest = rest.trim_start_matches(JOINTS);
    let key = rest.get(..rest.find(|c| !is_key_char(c))?)?;
    let behind = rest.get(key.len()..)?.trim_start_matches(QUOTES).strip_prefix([':', '='])?;
    let name = behind.trim_start_matches(QUOTES);
    let name = name.get(..name.find(|c| !is_key_char(c)).unwrap_or(name.len()))?;
    NAMES.iter().any(|known| key.eq_ignore_ascii_case(known)).then_some(name)
}

/// Removes what stands between two entries of a mapping: quotes, commas, blanks and line ends, also escaped ones.
fn without_joint(text: &str) -> &str {
    let trimmed = |text: &str| text.trim_end_matches([' ', '\t', '\n', '\r', ',', '"', '\'', '\\', '-']).len();
    let mut rest = text.get(..trimmed(text)).unwrap_or_default();
    while let Some(before) = ["\\n", "\\r", "\\t"].iter().find_map(|escape| rest.strip_suffix(escape)) {
        rest = before.get(..trimmed(before)).unwrap_or_default();
    }
    rest
}

fn ends_with_key(lead: &str, key: &str) -> bool {
    let is_end = |rest: &str| rest.ends_with("\\n") || !rest.ends_with(is_key_char);
    lead.len() >= key.len()
        && lead.get(lead.len() - key.len()..).is_some_and(|tail| tail.eq_ignore_ascii_case(key))
        && lead.get(..lead.len() - key.len()).is_some_and(is_end)
}
