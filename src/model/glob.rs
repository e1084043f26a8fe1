//! Globs on names and paths.

use std::sync::{Arc, OnceLock};

use globset::{GlobBuilder, GlobMatcher};
use memchr::memmem;

use super::text_order::are_equal;

/// Most texts into which the choices of a glob are written out.
const MOST_CHOICES: usize = 64;

/// Glob; `*` does not cross folders of a path. Nearly all globs are choices of names with at most one star, which are compared as
/// text. A matcher is built only for another one whose fixed beginning and end match a name: building one takes 30 µs.
#[derive(Clone, Debug)]
pub struct Glob {
    text: Arc<str>,
    choices: Arc<[Choice]>,
    /// First bytes of the names that the choices may match: they rule most names out, and there are hundreds of thousands of pairs.
    first: FirstBytes,
    matcher: Arc<OnceLock<Option<GlobMatcher>>>,
}

/// One choice of a glob: the fixed texts at its beginning and end, and what is between them.
#[derive(Clone, Debug)]
struct Choice {
    begin: Box<str>,
    end: Box<str>,
    between: Between,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    /// One star.
    Star,
    /// Several stars in a name without folders, with these texts between them.
    Stars(Box<[Box<str>]>),
    /// Anything else, which the matcher of the whole glob decides.
    Pattern,
}

/// A set of bytes: all of them if a choice may begin with any, or match the empty name.
#[derive(Clone, Copy, Debug)]
struct FirstBytes([u64; 4]);

impl Glob {
    /// Parses a glob.
    ///
    /// # Errors
    ///
    /// Returns a description of the error.
    pub fn new(text: &str) -> Result<Self, String> {
        let choices = choices(text);
        if choices.iter().any(|choice| choice.between == Between::Pattern) {
            parse(text).map_err(|error| error.kind().to_string())?;
        }
        let first = FirstBytes::of(&choices);
        Ok(Self { text: text.into(), choices: choices.into(), first, matcher: Arc::default() })
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the only name that it matches.
    pub fn plain(&self) -> Option<&str> {
        match &*self.choices {
            [Choice { begin, between: Between::Nothing, .. }] if **begin == *self.text => Some(begin),
            _ => None,
        }
    }

    /// Returns true if the glob matches this name or path.
    pub fn is_match(&self, name: &str) -> bool {
        if !self.first.allow(name) {
            return false;
        }
        let mut may = false;
        for choice in &*self.choices {
            match choice.answer(name) {
                Some(true) => return true,
                Some(false) => {}
                None => may = true,
            }
        }
        may && self.matcher().is_some_and(|matcher| matcher.is_match(name))
    }

    fn matcher(&self) -> Option<&GlobMatcher> {
        self.matcher.get_or_init(|| parse(&self.text).ok().map(|glob| glob.compile_matcher())).as_ref()
    }
}

impl Choice {
    /// Returns whether the choice matches a name; none if the matcher decides.
    fn answer<'n>(&self, name: &'n str) -> Option<bool> {
        // Most choices begin or end with a star, and comparing with an empty text takes long (see `text_order`).
        let begins = || self.begin.is_empty() || name.starts_with(&*self.begin);
        let ends = || self.end.is_empty() || name.ends_with(&*self.end);
        let inner = || name.get(self.begin.len()..name.len().checked_sub(self.end.len())?);
        let starred = || inner().filter(|_| begins() && ends());
        match &self.between {
            Between::Nothing => Some(are_equal(name, &self.begin)),
            Between::Star => Some(starred().is_some_and(|starred| !starred.contains('/'))),
            Between::Stars(texts) => {
                let rest = starred().filter(|_| !name.contains('/'));
                // Rust's own search prepares itself for long texts, which takes longer than finding a word in a name.
                let behind = |rest: &'n [u8], text: &str| rest.get(memmem::find(rest, text.as_bytes())? + text.len()..);
                let fits =
                    rest.and_then(|rest| texts.iter().try_fold(rest.as_bytes(), |rest, text| behind(rest, text)));
                Some(fits.is_some())
            }
            Between::Pattern => (!(begins() && ends())).then_some(false),
        }
    }

    /// Makes the choice of a text without braces.
    fn of(text: &str) -> Self {
        let (begin, end) = fixed(text);
        let is_of_stars = !text.contains(['?', '[', ']', '{', '}', '\\']);
        let stars = text.matches('*').count();
        let between = match stars {
            0 if begin == text.len() => Between::Nothing,
            1 if is_of_stars => Between::Star,
            2.. if is_of_stars && !text.contains('/') && !text.contains("**") => {
                let texts = text.split('*').skip(1).take(stars - 1);
                Between::Stars(texts.map(Into::into).collect())
            }
            _ => Between::Pattern,
        };
        // A star leaves out nothing, not even a slash behind it.
        let end = if matches!(between, Between::Star) { begin + 1 } else { end };
        let part = |range: Option<&str>| range.unwrap_or_default().into();
        Self { begin: part(text.get(..begin)), end: part(text.get(end..)), between }
    }
}

impl FirstBytes {
    fn of(choices: &[Choice]) -> Self {
        let mut bytes = [0; 4];
        for choice in choices {
            match choice.begin.bytes().next() {
                Some(first) => bytes[usize::from(first / 64)] |= 1 << (first % 64),
                None => bytes = [u64::MAX; 4],
            }
        }
        Self(bytes)
    }

    fn allow(self, name: &str) -> bool {
        match name.bytes().next() {
            Some(first) => self.0[usize::from(first / 64)] & (1 << (first % 64)) != 0,
            None => self.0 == [u64::MAX; 4],
        }
    }
}

/// Writes the choices of a glob out; a glob with other signs than stars and braces, or with too many choices, is one.
fn choices(text: &str) -> Vec<Choice> {
    let mut texts = Vec::new();
    let is_plain = !text.contains(['[', ']', '\\']) && text.matches('{').count() <= MOST_CHOICES;
    let is_written_out = is_plain && write_out(text, &mut texts).is_some();
    if !is_written_out {
        return vec![Choice::of(text)];
    }
    texts.iter().map(|text| Choice::of(text)).collect()
}

/// Adds the texts that a text with braces stands for; none if braces do not match, a choice is empty, or there are too many.
fn write_out(text: &str, texts: &mut Vec<String>) -> Option<()> {
    let Some((before, rest)) = text.split_once('{') else {
        texts.push(text.to_owned());
        return (!text.contains('}') && texts.len() <= MOST_CHOICES).then_some(());
    };
    let (choices, behind) = split_group(rest)?;
    for choice in choices {
        if choice.is_empty() || before.contains('}') {
            return None;
        }
        write_out(&[before, choice, behind].concat(), texts)?;
    }
    Some(())
}

/// Splits the text behind a brace into its choices and what is behind its end.
fn split_group(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut begin, mut choices) = (0, 0, Vec::new());
    for (at, sign) in text.match_indices(['{', ',', '}']) {
        match (sign, depth) {
            ("{", _) => depth += 1,
            ("}", 0) => {
                choices.push(text.get(begin..at)?);
                return Some((choices, text.get(at + 1..)?));
            }
            ("}", _) => depth -= 1,
            (_, 0) => {
                choices.push(text.get(begin..at)?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    None
}

fn parse(text: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).build()
}

/// Returns the end of the fixed beginning and the start of the fixed end of a text; both are its length if it has no signs.
fn fixed(text: &str) -> (usize, usize) {
    const SIGNS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];
    let (Some(first), Some(last)) = (text.find(SIGNS), text.rfind(SIGNS)) else { return (text.len(), text.len()) };
    // `**/x` also matches `x`.
    let end = last + 1;
    (first, if text.get(end..).is_some_and(|rest| rest.starts_with('/')) { end + 1 } else { end })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn choices_decide_as_the_matcher(text in "([ab/*?{,}\\\\\\[\\]]{0,8}|[ab*{,}]{0,10})", name in "[ab/]{0,5}") {
            if let Ok(glob) = Glob::new(&text) {
                prop_assert_eq!(glob.is_match(&name), parse(&text).unwrap().compile_matcher().is_match(&name), "{} {}", text, name);
            }
        }
    }

    #[test]
    fn names_and_paths() {
        for (glob, name, matches) in [
            ("a.b", "a.b", true),
            ("a.b", "axb", false),
            ("a-*", "a-b", true),
            ("logs/*.log", "logs/x/y.log", false),
            ("logs/**/*.log", "logs/x/y.log", true),
            ("nodes/*/logs/**", "nodes/n1/logs/a/b.log", true),
            ("{a,b}", "b", true),
            ("a\\*", "a*", true),
            ("a\\bc", "abc", true),
            ("**/x", "x", true),
            ("**/x", "a/b/x", true),
            ("a/**/x", "a/x", true),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("{a/b,c}/x", "c/x", true),
            ("{a,b}x", "bx", true),
            ("[ab]c-?", "bc-d", true),
            ("*", "", true),
            ("ab*ba", "aba", false),
            ("n/{a,b/{c,d*}}", "n/b/dx", true),
            ("n/{a,b/{c,d*}}", "n/d", false),
            ("{**/a,b}", "x/a", true),
            ("{**/a,b}", "x/b", false),
        ] {
            assert_eq!(Glob::new(glob).unwrap().is_match(name), matches, "{glob} {name}");
        }
        assert!(Glob::new("{a,b}-[").is_err());
    }
}
