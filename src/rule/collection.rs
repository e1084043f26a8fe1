//! `version.yaml`: what a collection of rules is called, and which version of the rule language it needs.

use serde::Deserialize;
use serde_yaml::Value;

use crate::model::RuleCollection;
use crate::rule::error::Source;

/// Version of the rule language that this program reads. It grows when an older program would misread rules: with a new key, fact or
/// function.
pub const LANGUAGE: u64 = 1;

/// Most characters of a name or version, which stand on one line of a page.
const MAX_TEXT: usize = 80;

/// Error in a file that names a collection.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectionError {
    #[error(
        "{file}: these rules need version {needed} of the rule language, and this gleaner reads version {LANGUAGE}; install a newer gleaner, or take an older release of the rules"
    )]
    Newer { file: String, needed: u64 },
    #[error("{file}: {what}; it has a `name`, a `version` (both text), and a `language` (a number, 1 if left out)")]
    Invalid { file: String, what: String },
}

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    version: String,
    #[serde(default = "first")]
    language: u64,
}

fn first() -> u64 {
    1
}

/// Reads the file of a collection with so many rules.
///
/// # Errors
/// If the rules need a newer program, whatever else the file says; or if the file is not as described.
pub fn read(source: &Source, rules: usize) -> Result<RuleCollection, CollectionError> {
    let file = || source.file.clone();
    let invalid = |what: String| CollectionError::Invalid { file: file(), what };
    let value: Value = serde_yaml::from_str(&source.text).map_err(|error| invalid(error.to_string()))?;
    if let Some(needed) = value.get("language").and_then(Value::as_u64).filter(|needed| *needed > LANGUAGE) {
        return Err(CollectionError::Newer { file: file(), needed });
    }
    let Written { name, version, language } =
        serde_yaml::from_value(value).map_err(|error| invalid(error.to_string()))?;
    let fits = |text: &str| (1..=MAX_TEXT).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if !(fits(&name) && fits(&version) && language > 0) {
        return Err(invalid(format!(
            "each text has 1 to {MAX_TEXT} characters on one line, and languages begin with 1"
        )));
    }
    Ok(RuleCollection { name, version, rules })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::load::BUILT_IN;

    fn of(text: &str) -> Result<RuleCollection, String> {
        read(&Source { file: "own/version.yaml".into(), text: text.into() }, 3).map_err(|error| error.to_string())
    }

    #[test]
    fn a_collection_has_name_and_version() {
        let expected = RuleCollection { name: "acme".into(), version: "2026-11-26".into(), rules: 3 };
        assert_eq!(of("name: acme\nversion: 2026-11-26\n"), Ok(expected.clone()));
        assert_eq!(of("name: acme\nversion: '2026-11-26'\nlanguage: 1\n"), Ok(expected));
        assert!(u64::from(BUILT_IN.language) <= LANGUAGE);
    }

    #[test]
    fn a_newer_language_is_named_before_other_faults() {
        let error = of("name: acme\nversion: 1.0\nlanguage: 2\nsigned: yes\n").unwrap_err();
        assert!(error.starts_with("own/version.yaml: these rules need version 2 of the rule language"), "{error}");
        assert!(error.contains("reads version 1; install a newer gleaner"), "{error}");
    }

    #[test]
    fn faults_are_named() {
        for (text, part) in [
            ("name: acme\n", "missing field `version`"),
            ("name: acme\nversion: a\nlang: 1\n", "unknown field `lang`"),
            ("name: acme\nversion: 1.5\n", "expected a string"),
            ("name: ''\nversion: a\n", "1 to 80 characters"),
            ("name: \"a\\tb\"\nversion: a\n", "on one line"),
            ("name: a\nversion: a\nlanguage: 0\n", "begin with 1"),
            ("name: [\n", "line 2"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(part) && error.contains("own/version.yaml"), "{text}: {error}");
        }
    }
}
