//! Globs on names and paths.

use std::sync::{Arc, OnceLock};

use globset::{GlobBuilder, GlobMatcher};

/// Glob; `*` does not cross folders of a path. Nearly all globs are names with a star and one choice at most, which are compared as
/// text. A matcher is built only for another one whose fixed beginning and end match a name: building one takes 30 µs.
#[derive(Clone, Debug)]
pub struct Glob {
    text: Arc<str>,
    /// None if the glob is not so simple.
    simple: Option<Arc<[Choice]>>,
    /// End of the fixed beginning and start of the fixed end in the text; nothing lies between them in a plain name.
    fixed: (usize, usize),
    matcher: Arc<OnceLock<Option<GlobMatcher>>>,
}

/// One choice of a simple glob: a whole name, or the texts before and behind a star.
type Choice = (String, Option<String>);

impl Glob {
    /// Parses a glob.
    ///
    /// # Errors
    ///
    /// Returns a description of the error.
    pub fn new(text: &str) -> Result<Self, String> {
        let (fixed, simple) = (fixed(text), simple(text));
        if simple.is_none() {
            parse(text).map_err(|error| error.kind().to_string())?;
        }
        Ok(Self { text: text.into(), simple: simple.map(Into::into), fixed, matcher: Arc::default() })
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the only name that it matches.
    pub fn plain(&self) -> Option<&str> {
        (self.fixed.0 == self.text.len()).then_some(&*self.text)
    }

    /// Returns true if the glob matches this name or path.
    pub fn is_match(&self, name: &str) -> bool {
        if let Some(choices) = &self.simple {
            return choices.iter().any(|(begin, end)| match end {
                None => name == begin,
                Some(end) => {
                    let starred = name.strip_prefix(begin.as_str()).and_then(|rest| rest.strip_suffix(end.as_str()));
                    starred.is_some_and(|starred| !starred.contains('/'))
                }
            });
        }
        let (text, (begin, end)) = (self.text(), self.fixed);
        name.starts_with(text.get(..begin).unwrap_or_default())
            && name.ends_with(text.get(end..).unwrap_or_default())
            && self.matcher().is_some_and(|matcher| matcher.is_match(name))
    }

    fn matcher(&self) -> Option<&GlobMatcher> {
        self.matcher.get_or_init(|| parse(&self.text).ok().map(|glob| glob.compile_matcher())).as_ref()
    }
}

/// Computes [`Glob::simple`].
fn simple(text: &str) -> Option<Vec<Choice>> {
    if text.contains(['?', '[', ']', '\\']) {
        return None;
    }
    let choices = match (text.split_once('{'), text.contains('}')) {
        (None, false) => vec![text.to_owned()],
        (Some((before, rest)), true) => {
            let (choices, behind) = rest.split_once('}')?;
            // An empty choice is none.
            let is_simple = ![before, choices, behind].concat().contains(['{', '}']);
            let one = |choice: &str| (!choice.is_empty()).then(|| [before, choice, behind].concat());
            choices.split(',').map(one).collect::<Option<Vec<_>>>().filter(|_| is_simple)?
        }
        _ => return None,
    };
    let starred = |choice: String| match choice.split_once('*') {
        Some((begin, end)) => (!end.contains('*')).then(|| (begin.to_owned(), Some(end.to_owned()))),
        None => Some((choice, None)),
    };
    choices.into_iter().map(starred).collect()
}

fn parse(text: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).build()
}

/// Computes [`Glob::fixed`].
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
        fn beginning_and_end_decide_nothing_else(text in "[ab/*?{,}\\\\\\[\\]]{0,8}", name in "[ab/]{0,5}") {
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
        ] {
            assert_eq!(Glob::new(glob).unwrap().is_match(name), matches, "{glob} {name}");
        }
        assert!(Glob::new("{a,b}-[").is_err());
    }
}
