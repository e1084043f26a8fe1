//! Values that a collector hid, in YAML text.
//!
//! A redactor that works on lines writes `podIP: ***HIDDEN***` without quotes, which YAML reads as an alias to an anchor
//! that does not exist, so the whole document would be unreadable. The parser gets a copy in which the asterisks are
//! another character of the same length; all offsets stay, and values get their asterisks back.

use std::borrow::Cow;

/// Beginning of a hidden value.
const MASK: &str = "***";

/// What stands for [`MASK`] in the copy: the first that the text does not have. Plain scalars may begin with each of them.
const SUBSTITUTES: [&str; 4] = ["^^^", "$$$", "+++", ";;;"];

/// Text of a YAML document for the parser.
pub(super) struct Masks<'t> {
    text: Cow<'t, str>,
    substitute: Option<&'static str>,
}

impl<'t> Masks<'t> {
    /// Finds the plain scalars that begin with a mask.
    pub fn in_text(text: &'t str) -> Self {
        let places: Vec<usize> =
            memchr::memmem::find_iter(text.as_bytes(), MASK).filter(|&at| begins_scalar(text, at)).collect();
        let unused = SUBSTITUTES.into_iter().find(|substitute| !text.contains(substitute));
        match unused.filter(|_| !places.is_empty()) {
            Some(substitute) => {
                Self { text: Cow::Owned(replaced(text, &places, substitute)), substitute: Some(substitute) }
            }
            None => Self { text: Cow::Borrowed(text), substitute: None },
        }
    }

    /// Returns the text without asterisks that a parser would read as aliases.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a value of [`Self::text`] with its asterisks.
    pub fn restored<'v>(&self, value: Cow<'v, str>) -> Cow<'v, str> {
        match self.substitute {
            Some(substitute) if value.contains(substitute) => Cow::Owned(value.replace(substitute, MASK)),
            _ => value,
        }
    }
}

/// Returns true if a scalar may begin at an offset: at the start of a line, of an item, a value or a part of a flow collection.
fn begins_scalar(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let begun = before.trim_end_matches(' ');
    let is_apart = begun.len() < before.len();
    match begun.chars().next_back() {
        None | Some('\n' | '[' | '{' | ',') => true,
        Some(':' | '-' | '?') => is_apart,
        Some(_) => false,
    }
}

fn replaced(text: &str, places: &[usize], substitute: &str) -> String {
    let mut copy = String::with_capacity(text.len());
    let mut from = 0;
    for &at in places {
        copy.push_str(text.get(from..at).unwrap_or_default());
        copy.push_str(substitute);
        from = at + MASK.len();
    }
    copy.push_str(text.get(from..).unwrap_or_default());
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_a_scalar_is_replaced() {
        for (text, wanted) in [
            ("podIP: ***HIDDEN***", "podIP: ^^^HIDDEN***"),
            ("- ***HIDDEN***:10000", "- ^^^HIDDEN***:10000"),
            ("***HIDDEN***: x", "^^^HIDDEN***: x"),
            ("[***A***, {a: ***B***}]", "[^^^A***, {a: ^^^B***}]"),
            ("a: x ***HIDDEN***", "a: x ***HIDDEN***"),
            ("a: \"***HIDDEN***\"", "a: \"***HIDDEN***\""),
            ("a:***HIDDEN***", "a:***HIDDEN***"),
            ("a: *b", "a: *b"),
            ("a: ***X***\nb: ^^^", "a: $$$X***\nb: ^^^"),
        ] {
            let masks = Masks::in_text(text);
            assert_eq!(masks.text(), wanted);
            assert_eq!(masks.restored(Cow::Borrowed(wanted)), text);
        }
    }
}
