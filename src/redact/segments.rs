//! Parts of a text between escaped line ends, and texts without terminal sequences.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Control sequences of ECMA-48, as in colored words; readers of descriptions have `_` for the control character.
static SEQUENCES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|_\[[\d;]{0,9}m").ok());

/// Returns the text without terminal sequences, which may stand within a name.
pub fn without_sequences(text: &str) -> Cow<'_, str> {
    SEQUENCES.as_ref().map_or(Cow::Borrowed(text), |sequences| sequences.replace_all(text, ""))
}

/// Splits a text at escaped line ends and tabs (`\nalpha`), whose letter would be taken for a part of a name. Each part
/// comes with the separator before it.
pub fn segments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut starts: Vec<usize> = text.match_indices('\\').map(|(at, _)| at).filter(|at| is_escape(text, *at)).collect();
    starts.push(text.len());
    let mut from = 0;
    starts.into_iter().map(move |end| {
        let part = text.get(from..end).unwrap_or_default();
        let separator = if from == 0 && !is_escape(text, 0) { 0 } else { 2.min(part.len()) };
        from = end;
        part.split_at(separator)
    })
}

fn is_escape(text: &str, at: usize) -> bool {
    matches!(text.as_bytes().get(at..at + 2), Some([b'\\', b'n' | b'r' | b't']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_are_removed() {
        assert_eq!(without_sequences("\x1b[1;31msrv-\x1b[0malpha [1m \x1b["), "srv-alpha [1m \x1b[");
    }

    #[test]
    fn parts_and_separators_are_the_whole_text() {
        for text in ["", "a", r"\na", r"a\nb\tc\r", r"\n\n", r"C:\temp\x", r"a\"] {
            let again: String = segments(text).flat_map(|(separator, part)| [separator, part]).collect();
            assert_eq!(again, text);
        }
        assert_eq!(segments(r"a\nb").collect::<Vec<_>>(), [("", "a"), (r"\n", "b")]);
    }
}
