//! Writes YAML as the collector of Harvester bundles prints it (formats of Go's yaml.v2, with the
//! collector's own oddities): sorted keys, lists not indented, empty strings as `"null"`, integers
//! of a million and more in exponent form, `null` behind a final quote, long plain text folded.

use std::fmt::Write;

use serde_json::{Map, Number, Value};

/// Plain text is broken at the first blank behind this column.
const WIDTH: usize = 80;

/// Writes a mapping as one item of a list: `- a: 1` and the rest below it.
pub fn item(object: &Value) -> String {
    let mut writer = Writer { out: String::new(), line: 0 };
    writer.sequence_item(object, 0);
    writer.out
}

struct Writer {
    out: String,
    /// Where the current line begins.
    line: usize,
}

impl Writer {
    fn newline(&mut self) {
        self.out.push('\n');
        self.line = self.out.len();
    }

    fn indent(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }

    fn mapping(&mut self, map: &Map<String, Value>, indent: usize) {
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        for (position, (key, value)) in entries.into_iter().enumerate() {
            if position > 0 {
                self.indent(indent);
            }
            self.key(key);
            self.value(value, indent);
        }
    }

    fn key(&mut self, key: &str) {
        let corrupted = corrupt(key);
        match style(&corrupted) {
            Style::Plain => self.out.push_str(&corrupted),
            _ if corrupted.bytes().all(|b| (0x20..0x7f).contains(&b)) && !resolves(&corrupted) => {
                self.single(&corrupted)
            }
            _ => self.double(&corrupted),
        }
        self.out.push(':');
    }

    /// What follows a key at `indent`.
    fn value(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.newline();
                self.indent(indent + 2);
                self.mapping(map, indent + 2);
            }
            Value::Array(items) if !items.is_empty() => {
                self.newline();
                for item in items {
                    self.indent(indent);
                    self.sequence_item(item, indent);
                }
            }
            other => {
                self.out.push(' ');
                self.inline(other, indent);
                self.newline();
            }
        }
    }

    fn sequence_item(&mut self, item: &Value, indent: usize) {
        self.out.push_str("- ");
        match item {
            Value::Object(map) if !map.is_empty() => self.mapping(map, indent + 2),
            Value::Array(items) if !items.is_empty() => {
                for (position, inner) in items.iter().enumerate() {
                    if position > 0 {
                        self.indent(indent + 2);
                    }
                    self.sequence_item(inner, indent + 2);
                }
            }
            other => {
                self.inline(other, indent);
                self.newline();
            }
        }
    }

    fn inline(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Number(value) => self.out.push_str(&number(value)),
            Value::String(text) => self.string(&corrupt(text), indent),
            Value::Array(_) => self.out.push_str("[]"),
            Value::Object(_) => self.out.push_str("{}"),
        }
    }

    fn string(&mut self, text: &str, indent: usize) {
        match style(text) {
            Style::Plain => self.folded(text, indent),
            Style::Single => self.single(text),
            Style::Double => self.double(text),
            Style::Literal => self.literal(text, indent),
        }
    }

    /// Plain text, broken at blanks behind column 80.
    fn folded(&mut self, text: &str, indent: usize) {
        for (position, word) in text.split(' ').enumerate() {
            if position > 0 {
                if self.out.len() - self.line > WIDTH && !word.is_empty() {
                    self.newline();
                    self.indent(indent + 2);
                } else {
                    self.out.push(' ');
                }
            }
            self.out.push_str(word);
        }
    }

    fn single(&mut self, text: &str) {
        self.out.push('\'');
        self.out.push_str(&text.replace('\'', "''"));
        self.out.push('\'');
    }

    fn double(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                '\u{1b}' => self.out.push_str("\\e"),
                c if c.is_control() => self.escape(c),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, c: char) {
        // Writing into a string cannot fail.
        let _ = write!(self.out, "\\u{:04X}", u32::from(c));
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.out.push('|');
        if text.starts_with(' ') {
            self.out.push('2');
        }
        let body = text.strip_suffix('\n');
        match body {
            None => self.out.push('-'),
            Some(rest) if rest.ends_with('\n') => self.out.push('+'),
            Some(_) => {}
        }
        for line in body.unwrap_or(text).split('\n') {
            self.newline();
            if !line.is_empty() {
                self.indent(indent + 2);
                self.out.push_str(line);
            }
        }
    }
}

/// What the collector's replacement of `""` by `"null"` in the JSON text does to a string.
fn corrupt(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_empty() {
        "null".into()
    } else if text.ends_with('"') {
        format!("{text}null").into()
    } else {
        text.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

fn style(text: &str) -> Style {
    let blank_end = text.ends_with(' ') || text.starts_with(' ') && !text.contains('\n');
    if text.chars().any(|c| c.is_control() && c != '\n') || text == "\n" {
        Style::Double
    } else if text.contains('\n') {
        if text.starts_with('\n') || text.lines().any(|line| line.ends_with(' ')) {
            Style::Double
        } else {
            Style::Literal
        }
    } else if resolves(text) {
        Style::Double
    } else if blank_end || !plain_allowed(text) {
        Style::Single
    } else {
        Style::Plain
    }
}

/// Whether a YAML 1.1 reader would take the plain text for something else.
fn resolves(text: &str) -> bool {
    const WORDS: &[&str] = &["~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="];
    let lower = text.to_ascii_lowercase();
    let first = text.as_bytes().first().copied().unwrap_or(b'~');
    let number = (first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.'))
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-' | b'_' | b':'))
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().filter(|b| *b == b'.').count() < 2;
    let hex = lower.strip_prefix("0x").is_some_and(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
    let date = text.len() >= 10
        && text.is_ascii()
        && text[..4].bytes().all(|b| b.is_ascii_digit())
        && text[4..].starts_with('-');
    WORDS.contains(&lower.as_str()) || number || hex || date
}

fn plain_allowed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let indicator = match bytes.first() {
        Some(b'-' | b'?' | b':') => bytes.get(1).is_none_or(|b| *b == b' ') || text.starts_with("---"),
        Some(
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@'
            | b'`',
        ) => true,
        Some(_) => false,
        None => true,
    };
    !(indicator || text.contains(": ") || text.contains(" #") || text.ends_with(':') || text.starts_with("..."))
}

/// Go prints float64 with the shortest digits, in exponent form from a million on.
fn number(value: &Number) -> String {
    match value.as_i64() {
        Some(integer) if integer.unsigned_abs() >= 1_000_000 => exponent(integer),
        _ => value.to_string(),
    }
}

fn exponent(integer: i64) -> String {
    // The collector's numbers went through float64.
    let digits = format!("{:.0}", (integer as f64).abs());
    let mantissa = digits.trim_end_matches('0');
    let sign = if integer < 0 { "-" } else { "" };
    let (first, rest) = mantissa.split_at(1.min(mantissa.len()));
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e+{:02}", digits.len() - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::yaml::normalise::{Dialect, normalise};
    use crate::yaml::{self, Kind, Node};

    #[test]
    fn the_habits_of_the_collector() {
        let object = json!({
            "kind": "X", "apiVersion": "v1", "z": [], "m": {}, "n": null, "e": "", "i": 999_999, "big": 1_194_914_199_i64,
            "million": 1_000_000, "neg": -2_500_000, "b": true, "t": "2025-03-18T09:30:00Z", "yes": "yes", "l": ["a", "", 1],
            "msg": "Pulling image \"a:b\"", "text": "a\nb\n", "nonl": "a\nb", "ind": "  a\nb\n", "s": "*x", "c": "a: b",
            "fold": "Successfully assigned harvester-system/harvester-abcdefghij to the node hv-node-1 of the cluster",
            "nest": [[1, 2], {"b": 1, "a": [{"x": "y"}]}], "v:\"q\"": {},
        });
        insta::assert_snapshot!(item(&object), @r#"
        - apiVersion: v1
          b: true
          big: 1.194914199e+09
          c: 'a: b'
          e: "null"
          fold: Successfully assigned harvester-system/harvester-abcdefghij to the node hv-node-1
            of the cluster
          i: 999999
          ind: |2
              a
            b
          kind: X
          l:
          - a
          - "null"
          - 1
          m: {}
          million: 1e+06
          msg: Pulling image "a:b"null
          "n": null
          neg: -2.5e+06
          nest:
          - - 1
            - 2
          - a:
            - x: "y"
            b: 1
          nonl: |-
            a
            b
          s: '*x'
          t: "2025-03-18T09:30:00Z"
          text: |
            a
            b
          v:"q"null: {}
          "yes": "yes"
          z: []
        "#);
    }

    fn back(node: Node<'_>) -> Value {
        match node.kind() {
            Kind::Null => Value::Null,
            Kind::Bool => json!(node.as_bool()),
            Kind::Number => json!(node.as_i64()),
            Kind::String => json!(node.text()),
            Kind::Sequence => node.items().map(back).collect(),
            Kind::Mapping => node.entries().map(|(key, node)| (key.into_owned(), back(node))).collect(),
        }
    }

    fn absent_is_null(value: Value, in_list: bool) -> Value {
        match value {
            Value::String(text) if text.is_empty() && !in_list => Value::Null,
            Value::Array(items) => items.into_iter().map(|v| absent_is_null(v, true)).collect(),
            Value::Object(map) => map.into_iter().map(|(k, v)| (k, absent_is_null(v, false))).collect(),
            other => other,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_reads_back(texts in prop::collection::vec("[ -~\n]{0,100}", 0..6), numbers in prop::collection::vec(-9_007_199_254_740_992_i64..9_007_199_254_740_992, 0..6)) {
            let texts: Vec<_> = texts.into_iter().filter(|t| t != "null" && !t.ends_with("\"null")).collect();
            let map: Map<String, Value> = texts.iter().enumerate().map(|(i, t)| (format!("k{i}"), json!(t))).collect();
            let value = json!({"list": texts, "map": map, "numbers": numbers});
            let (mut document, problems) = yaml::parse(item(&value).into_bytes());
            prop_assert_eq!(problems, []);
            normalise(&mut document, Dialect::Kit);
            prop_assert_eq!(back(document.roots().next().unwrap().at(0).unwrap()), absent_is_null(value, false));
        }
    }
}
