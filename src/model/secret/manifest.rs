//! Manifests of Secrets within texts: in annotations, Fleet bundles, values of charts.

use std::ops::Range;

use super::lines;

/// The kind by which a manifest is found.
pub(super) const MARK: &str = "Secret";

/// Keys whose content is secret.
const KEYS: [&str; 2] = ["data", "stringData"];

/// Returns the contents of the Secrets whose kinds stand at these positions.
pub(super) fn find(text: &str, positions: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut kinds: Vec<usize> = positions.filter(|at| is_kind(text, *at)).collect();
    kinds.sort_unstable();
    let borders = if kinds.is_empty() { Vec::new() } else { borders(text) };
    let (mut found, mut searched) = (Vec::new(), 0);
    for kind in kinds {
        if kind >= searched {
            let behind = borders.partition_point(|border| *border <= kind);
            let start = behind.checked_sub(1).and_then(|before| borders.get(before)).copied().unwrap_or(0);
            let document = start..borders.get(behind).copied().unwrap_or(text.len());
            searched = document.end;
            found.extend(contents(text, document));
        }
    }
    found
}

/// Returns true if `Secret` or `SecretList` is the whole kind.
fn is_kind(text: &str, position: usize) -> bool {
    let (before, rest) = text.split_at_checked(position).unwrap_or_default();
    let behind = rest.strip_prefix(MARK).map(|behind| behind.strip_prefix("List").unwrap_or(behind));
    let is_word = behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric()));
    is_word && before.trim_end_matches([' ', '"', '\'', '\\', ':']).ends_with("kind")
}

/// Returns where documents begin: after `---` at the beginning of a line.
fn borders(text: &str) -> Vec<usize> {
    let begins_line = |at: &usize| text.get(..*at).is_some_and(|lead| lead.ends_with('\n') || lead.ends_with("\\n"));
    memchr::memmem::find_iter(text.as_bytes(), "---").filter(begins_line).collect()
}

fn contents(text: &str, document: Range<usize>) -> Vec<Range<usize>> {
    let part = text.get(document.clone()).unwrap_or_default();
    let of_key = |key: &'static str| part.match_indices(key).map(move |(at, _)| (at, at + key.len()));
    let mut found: Vec<Range<usize>> = Vec::new();
    for key in KEYS {
        let mut searched = 0;
        for (start, end) in of_key(key).map(|(start, end)| (document.start + start, document.start + end)) {
            if let Some(content) = (start >= searched).then(|| content(text, start, end, document.end)).flatten() {
                searched = content.end;
                found.push(content);
            }
        }
    }
    found
}

/// Returns where the braces close with which a text begins. Those within quotes do not count; quotes may be escaped, and those of a text within a
/// text more than that.
fn closing(text: &str) -> usize {
    let (mut depth, mut quoted, mut slashes) = (0_usize, None, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if quoted.is_none() => quoted = Some(slashes),
            b'"' if quoted.is_some_and(|opening| slashes <= opening) => quoted = None,
            b'{' if quoted.is_none() => depth += 1,
            b'}' if quoted.is_none() => depth -= 1,
            _ => {}
        }
        slashes = if byte == b'\\' { slashes + 1 } else { 0 };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns what is below a key: the inside of braces, or the lines that are indented further.
fn content(text: &str, start: usize, key_end: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(key_end..end)?;
    let behind = rest.trim_start_matches(['"', '\\']).strip_prefix(':')?.trim_start_matches(' ');
    let from = end - behind.len();
    if behind.starts_with('{') {
        let close = closing(behind);
        return (close > 1).then_some(from + 1..from + close);
    }
    let is_key_of_line = !text.get(..start)?.ends_with(|c: char| c.is_ascii_alphabetic() && c != 'n');
    let indent = lines::column(text.get(..start)?);
    let below = lines::below(text, from).take_while(|line| line.indent().is_none_or(|column| column > indent));
    lines::span(below.filter(|_| is_key_of_line)).filter(|content| content.end <= end)
}

#[cfg(test)]
mod tests {
    use crate::model::secret::redact;

    #[test]
    fn contents_of_secrets_are_masked() {
        let json = r#"{"kind":"Secret","stringData":{"a":"x}y\"z","b":"horse"},"type":"Opaque"}"#;
        let inner = serde_escaped(json);
        for (text, shown) in [
            (json.to_owned(), r#"{"kind":"Secret","stringData":{***},"type":"Opaque"}"#.to_owned()),
            (
                format!("note: \"{inner}\""),
                format!("note: \"{}\"", serde_escaped(r#"{"kind":"Secret","stringData":{***},"type":"Opaque"}"#)),
            ),
            (
                r#"{"data":{"a":"{}","b":"horse"},"kind":"Secret"}"#.to_owned(),
                r#"{"data":{***},"kind":"Secret"}"#.to_owned(),
            ),
            (
                "kind: SecretList\nitems:\n- data:\n    a: horse\n".to_owned(),
                "kind: SecretList\nitems:\n- data:\n    ***\n".to_owned(),
            ),
            (
                r#"kubectl patch secret x -p '{"data":{"a":"horse"}}'"#.to_owned(),
                r#"kubectl patch secret x -p '{"data":{***}}'"#.to_owned(),
            ),
        ] {
            assert_eq!(redact(&text), shown);
        }
        for text in [
            "kind: SecretListing\ndata:\n  a: b",
            r#"{"kind":"ConfigMap","data":{"a":"b}"}}"#,
            r#"kubectl patch secret x -p '{"metadata":{"a":"b"}}'"#,
        ] {
            assert_eq!(redact(text), text);
        }
    }

    /// Escapes a text as JSON does.
    fn serde_escaped(text: &str) -> String {
        text.replace('\\', r"\\").replace('"', r#"\""#)
    }
}
