//! Label and field selectors as kubectl takes them.

use std::borrow::Cow;

use crate::resource::scalar_at;
use crate::yaml::Node;

/// Conditions that all must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(Vec<String>),
    /// An absent label passes, too.
    NotIn(Vec<String>),
}

/// A selector that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    #[error(
        "`{term}` is no condition on a label; write key=value, key!=value, key in (a,b), key notin (a,b), key or !key"
    )]
    Label { term: String },
    #[error("`{term}` is no condition on a field; write path=value or path!=value, such as spec.nodeName=node1")]
    Field { term: String },
}

impl LabelSelector {
    /// Reads `a=b,c in (d,e),!f`.
    ///
    /// # Errors
    /// Names the part that is no condition.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        terms(text).into_iter().map(requirement).collect::<Result<_, _>>().map(Self)
    }

    /// Returns true if all conditions are met, given the value of each label; none for one that is absent.
    pub fn holds<'v>(&self, label: impl Fn(&str) -> Option<Cow<'v, str>>) -> bool {
        self.0.iter().all(|Requirement { key, test }| {
            let value = label(key);
            let is_one = |values: &[String]| value.as_ref().is_some_and(|value| values.iter().any(|one| one == value));
            match test {
                Test::Exists => value.is_some(),
                Test::Absent => value.is_none(),
                Test::In(values) => is_one(values),
                Test::NotIn(values) => !is_one(values),
            }
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Splits at commas that are not in parentheses.
fn terms(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text.get(start..).unwrap_or_default());
    if text.trim().is_empty() { Vec::new() } else { found }
}

fn requirement(term: &str) -> Result<Requirement, SelectorError> {
    let wrong = || SelectorError::Label { term: term.trim().to_owned() };
    let made = |key: &str, test| match key.trim() {
        key if key.is_empty() || key.contains(|c: char| c.is_whitespace() || "(),=!".contains(c)) => Err(wrong()),
        key => Ok(Requirement { key: key.to_owned(), test }),
    };
    if let Some((before, values)) = term.trim().strip_suffix(')').and_then(|term| term.split_once('(')) {
        let values = values.split(',').map(|value| value.trim().to_owned()).collect();
        let mut words = before.split_whitespace();
        return match (words.next(), words.next(), words.next()) {
            (Some(key), Some("in"), None) => made(key, Test::In(values)),
            (Some(key), Some("notin"), None) => made(key, Test::NotIn(values)),
            _ => Err(wrong()),
        };
    }
    let value = |value: &str| vec![value.trim().to_owned()];
    if let Some((key, wanted)) = term.split_once("!=") {
        return made(key, Test::NotIn(value(wanted)));
    }
    if let Some((key, wanted)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return made(key, Test::In(value(wanted)));
    }
    match term.trim().strip_prefix('!') {
        Some(key) => made(key, Test::Absent),
        None => made(term, Test::Exists),
    }
}

/// Values that fields must have or not have; any field can be named, unlike at an API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector(Vec<FieldTest>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldTest {
    path: Vec<String>,
    value: String,
    is_equal: bool,
}

impl FieldSelector {
    /// Reads `status.phase!=Running,spec.nodeName=node1`.
    ///
    /// # Errors
    /// Names the part that is no condition.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        terms(text).into_iter().map(field_test).collect::<Result<_, _>>().map(Self)
    }

    /// Returns true if all fields of an object have the values; an absent field is the empty text.
    pub fn matches(&self, body: Node<'_>) -> bool {
        self.holds(|path| scalar_at(body, path).map(Cow::Borrowed))
    }

    /// Returns true if all fields have the values, given the text at a path.
    pub fn holds<'v>(&self, field: impl Fn(&[&str]) -> Option<Cow<'v, str>>) -> bool {
        self.0.iter().all(|test| {
            let path: Vec<&str> = test.path.iter().map(String::as_str).collect();
            (field(&path).unwrap_or_default() == test.value) == test.is_equal
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn field_test(term: &str) -> Result<FieldTest, SelectorError> {
    let unequal = term.split_once("!=").map(|parts| (parts, false));
    let equal = || term.split_once("==").or_else(|| term.split_once('=')).map(|parts| (parts, true));
    let Some(((path, value), is_equal)) = unequal.or_else(equal) else {
        return Err(SelectorError::Field { term: term.trim().to_owned() });
    };
    let path: Vec<String> = path.trim().trim_start_matches('.').split('.').map(str::to_owned).collect();
    if path.iter().any(String::is_empty) {
        return Err(SelectorError::Field { term: term.trim().to_owned() });
    }
    Ok(FieldTest { path, value: value.trim().to_owned(), is_equal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn labels_are_selected_as_in_kubectl() {
        let (document, _) = yaml::parse(b"{app: web, tier: '', n: 5}".to_vec());
        let labels = document.roots().next();
        for (text, wanted) in [
            ("", true),
            ("app", true),
            ("app=web", true),
            ("app==web,tier", true),
            ("app = web , tier=", true),
            ("app!=web", false),
            ("other!=web", true),
            ("!app", false),
            ("!other", true),
            ("app in (db, web)", true),
            ("app notin (db,web),tier", false),
            ("other notin (a)", true),
            ("n=5", true),
        ] {
            let value = |key: &str| labels?.get(key).map(|value| Cow::Borrowed(value.text()));
            assert_eq!(LabelSelector::parse(text).unwrap().holds(value), wanted, "{text}");
        }
        assert!(LabelSelector::parse("!app").unwrap().holds(|_| None));
    }

    #[test]
    fn wrong_selectors_name_the_part() {
        for (text, part) in [("app=web,=x", "=x"), ("a b", "a b"), ("app within (a)", "app within (a)"), ("a,,b", "")] {
            assert_eq!(LabelSelector::parse(text), Err(SelectorError::Label { term: part.to_owned() }), "{text}");
        }
        for text in ["status.phase", "a..b=c", "=x"] {
            assert_eq!(FieldSelector::parse(text), Err(SelectorError::Field { term: text.to_owned() }), "{text}");
        }
    }

    #[test]
    fn any_field_can_be_selected() {
        let (document, _) = yaml::parse(b"{metadata: {name: a}, spec: {replicas: 2, on: true}}".to_vec());
        let body = document.roots().next().unwrap();
        for (text, wanted) in [
            ("metadata.name=a", true),
            ("metadata.name!=a", false),
            ("spec.replicas=2,spec.on=true", true),
            ("spec.nodeName=", true),
            ("spec.nodeName!=x", true),
            (".metadata.name==b", false),
        ] {
            assert_eq!(FieldSelector::parse(text).unwrap().matches(body), wanted, "{text}");
        }
    }
}
