//! Globs and label selectors of facts.

use crate::rule::fact::LabelRequirement;

/// Signs with a meaning in globs.
const WILD: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Returns whether a glob can match more than one name.
pub fn is_glob(text: &str) -> bool {
    text.contains(WILD)
}

/// Reads a label selector as kubectl takes it: `app=x,tier!=db,env in (a,b),!old`.
///
/// # Errors
/// The requirement that cannot be understood, and how one looks.
pub fn labels(text: &str) -> Result<Vec<LabelRequirement>, String> {
    requirements(text).into_iter().map(requirement).collect()
}

/// Splits at commas outside brackets.
fn requirements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_i32);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

fn requirement(text: &str) -> Result<LabelRequirement, String> {
    let wrong =
        || format!("\"{text}\" is not a label requirement; write one such as app=x, app!=x, app in (x,y), app or !app");
    let found = if let Some((key, value)) = text.split_once("!=") {
        LabelRequirement::NotEquals(key.trim().to_owned(), value.trim().to_owned())
    } else if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        LabelRequirement::Equals(key.trim().to_owned(), value.trim().to_owned())
    } else if let Some((key, list)) = text.split_once(" notin ") {
        LabelRequirement::NotIn(key.trim().to_owned(), values(list).ok_or_else(wrong)?)
    } else if let Some((key, list)) = text.split_once(" in ") {
        LabelRequirement::In(key.trim().to_owned(), values(list).ok_or_else(wrong)?)
    } else if let Some(key) = text.strip_prefix('!') {
        LabelRequirement::Missing(key.trim().to_owned())
    } else {
        LabelRequirement::Exists(text.to_owned())
    };
    if is_label(key(&found)) { Ok(found) } else { Err(wrong()) }
}

fn key(requirement: &LabelRequirement) -> &str {
    match requirement {
        LabelRequirement::Equals(key, _)
        | LabelRequirement::NotEquals(key, _)
        | LabelRequirement::In(key, _)
        | LabelRequirement::NotIn(key, _)
        | LabelRequirement::Exists(key)
        | LabelRequirement::Missing(key) => key,
    }
}

fn is_label(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'))
}

/// The values of `(a, b)`.
fn values(list: &str) -> Option<Vec<String>> {
    let inside = list.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some(inside.split(',').map(|value| value.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_read_as_kubectl_reads_them() {
        let text = "app=x, tier != db,a.b/c==1,env in (a, b),zone notin (z),here,!gone";
        let owned = |s: &str| s.to_owned();
        let expected = vec![
            LabelRequirement::Equals(owned("app"), owned("x")),
            LabelRequirement::NotEquals(owned("tier"), owned("db")),
            LabelRequirement::Equals(owned("a.b/c"), owned("1")),
            LabelRequirement::In(owned("env"), vec![owned("a"), owned("b")]),
            LabelRequirement::NotIn(owned("zone"), vec![owned("z")]),
            LabelRequirement::Exists(owned("here")),
            LabelRequirement::Missing(owned("gone")),
        ];
        assert_eq!(labels(text), Ok(expected));
    }

    #[test]
    fn wrong_selectors_are_named() {
        for text in ["", "a,,b", "=x", "a in b", "a b", "a in (x", "{{ pod }}=x"] {
            assert!(labels(text).unwrap_err().contains("is not a label requirement"), "{text}");
        }
    }

    #[test]
    fn a_glob_has_signs() {
        assert!(is_glob("kube-*") && !is_glob("kube-system"));
    }
}
