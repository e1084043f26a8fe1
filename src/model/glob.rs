//! Globs on names and paths.

use std::sync::{Arc, OnceLock};

use globset::{GlobBuilder, GlobMatcher};

/// Glob; `*` does not cross folders of a path. Plain names are compared as text. A matcher is built only for a glob
/// whose fixed beginning and end match a name: building one takes 30 µs, and most rules never need it.
#[derive(Clone, Debug)]
pub struct Glob {
    glob: globset::Glob,
    /// End of the fixed beginning and start of the fixed end in the text; nothing lies between them in a plain name.
    fixed: (usize, usize),
    matcher: Arc<OnceLock<GlobMatcher>>,
}

impl Glob {
    /// Parses a glob.
    ///
    /// # Errors
    ///
    /// Returns a description of the error.
    pub fn new(text: &str) -> Result<Self, String> {
        let built = GlobBuilder::new(text).literal_separator(true).build();
        let glob = built.map_err(|error| error.kind().to_string())?;
        Ok(Self { glob, fixed: fixed(text), matcher: Arc::default() })
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        self.glob.glob()
    }

    /// Returns true if the glob matches this name or path.
    pub fn is_match(&self, name: &str) -> bool {
        let (text, (begin, end)) = (self.text(), self.fixed);
        if begin == text.len() {
            return text == name;
        }
        name.starts_with(text.get(..begin).unwrap_or_default())
            && name.ends_with(text.get(end..).unwrap_or_default())
            && self.matcher.get_or_init(|| self.glob.compile_matcher()).is_match(name)
    }
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
                prop_assert_eq!(glob.is_match(&name), glob.glob.compile_matcher().is_match(&name), "{} {}", text, name);
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
