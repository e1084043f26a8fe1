//! YAML as kubectl writes it: block style, lists not indented, texts quoted where a reader of YAML 1.1 or 1.2 would see another type.

use serde_json::Value;

/// Writes a value as a document.
pub fn document(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => write(&mut out, value, 0),
        Value::Array(items) if !items.is_empty() => write(&mut out, value, 0),
        scalar => {
            out.push_str(&scalar_text(scalar, 0));
            out.push('\n');
        }
    }
    out
}

/// Writes a collection that is not empty, each line indented.
fn write(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) => {
            for (position, (key, value)) in map.iter().enumerate() {
                // The first key of an item follows its dash.
                if position > 0 || !out.ends_with("- ") {
                    pad(out, indent);
                }
                out.push_str(&text(key, None));
                out.push(':');
                entry(out, value, indent);
            }
        }
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                if position > 0 || !out.ends_with("- ") {
                    pad(out, indent);
                }
                out.push_str("- ");
                if is_filled(item) {
                    write(out, item, indent + 2);
                } else {
                    out.push_str(&scalar_text(item, indent + 2));
                    out.push('\n');
                }
            }
        }
        _ => {}
    }
}

/// Writes the value of a key: a list stands below it without indentation.
fn entry(out: &mut String, value: &Value, indent: usize) {
    match value {
        value if !is_filled(value) => {
            out.push(' ');
            out.push_str(&scalar_text(value, indent + 2));
            out.push('\n');
        }
        Value::Array(_) => {
            out.push('\n');
            write(out, value, indent);
        }
        _ => {
            out.push('\n');
            write(out, value, indent + 2);
        }
    }
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => false,
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn scalar_text(value: &Value, indent: usize) -> String {
    match value {
        Value::String(string) => text(string, Some(indent)),
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
        value => value.to_string(),
    }
}

/// Returns a text plain, as a block below `indent`, or in quotes. Keys have no block.
fn text(string: &str, block: Option<usize>) -> String {
    match block {
        // A block that is a whole document would have to be indented.
        Some(indent) if indent > 0 && is_block(string) => literal(string, indent),
        _ if is_plain(string) => string.to_owned(),
        _ => quoted(string),
    }
}

/// Returns true if a text of several lines can stand as it is.
fn is_block(string: &str) -> bool {
    string.contains('\n')
        && !string.starts_with([' ', '\n', '\t'])
        && string.chars().all(|c| c == '\n' || c == '\t' || is_printable(c))
}

fn literal(string: &str, indent: usize) -> String {
    let ends = string.len() - string.trim_end_matches('\n').len();
    let mut out = match ends {
        0 => "|-",
        1 => "|",
        _ => "|+",
    }
    .to_owned();
    for line in string.strip_suffix('\n').unwrap_or(string).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(&mut out, indent);
            out.push_str(line);
        }
    }
    out
}

/// Returns true for characters that no terminal takes for more than a sign.
fn is_printable(c: char) -> bool {
    c == '\n' || !crate::model::clean::is_hidden(c)
}

/// Returns true if both versions of YAML read the text back as this text without quotes.
fn is_plain(string: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '_' | '(' | '$' | '+' | '^' | ';');
    let first = string.chars().next();
    let is_begun = first.is_some_and(|c| begins(c) || c.is_ascii_digit() || c.is_alphabetic());
    let is_safe = |c: char| is_printable(c) && c != '\n' && c != '\t';
    is_begun
        && string.chars().all(is_safe)
        && !string.contains(": ")
        && !string.contains(" #")
        && !string.ends_with([':', ' '])
        && !is_word(string)
        && !is_number(string)
}

/// Returns true for words that are booleans or null in YAML 1.1 or 1.2.
fn is_word(string: &str) -> bool {
    let lower = string.to_ascii_lowercase();
    matches!(lower.as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null")
}

/// Returns true for what may be a number or a time: digits with signs, points, exponents, colons, and other bases.
fn is_number(string: &str) -> bool {
    let rest = string.strip_prefix(['+', '-']).unwrap_or(string);
    let begins = rest.starts_with(|c: char| c.is_ascii_digit());
    let is_of_digits =
        |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':' | '_' | '+' | '-' | 'x' | 'o' | 'T' | 'Z' | ' ');
    begins && rest.chars().all(is_of_digits)
}

/// Quotes as JSON does, with everything escaped that is not printed.
fn quoted(string: &str) -> String {
    let mut out = String::from("\"");
    for c in string.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xffff => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn documents_look_as_in_kubectl() {
        // What kubectl 1.32 prints for this object.
        let value = json!({
            "a": {"b": "x", "time": "2022-03-06T22:46:51Z", "flag": "true", "on": true},
            "empty": {"list": [], "map": {}, "text": "", "nothing": null},
            "list": [{"a": 1, "b": ["x", "y"]}, "1", [1, [2]]],
            "text": "one\n  two\n",
        });
        assert_eq!(
            document(&value),
            "a:\n  b: x\n  time: \"2022-03-06T22:46:51Z\"\n  flag: \"true\"\n  \"on\": true\nempty:\n  list: []\n  map: {}\n  text: \"\"\n  nothing: null\n\
             list:\n- a: 1\n  b:\n  - x\n  - \"y\"\n- \"1\"\n- - 1\n  - - 2\ntext: |\n  one\n    two\n"
        );
    }

    #[test]
    fn texts_that_look_like_something_else_are_quoted() {
        for text in [
            "1e3",
            "0x1F",
            "1_000",
            "12:30",
            "~",
            "- a",
            "a: b",
            "a #b",
            "[a]",
            "*a",
            "yes",
            "=",
            ".5",
            "a:",
            " a",
            "\u{202e}a",
        ] {
            assert!(document(&json!(text)).starts_with('"'), "{text}");
        }
        for text in ["a:b", "10.0.0.1/24", "v1.2.3", "node-1", "größe", "a, b", "8Gi", "/var/lib"] {
            assert_eq!(document(&json!(text)), format!("{text}\n"));
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ -~\n\t\u{e9}\u{85}]{0,12}".prop_map(Value::from),
            "(true|1e3|~|0o7|2024-01-02|a: b|\\|| x|x\n\n|\n)".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[ -~]{0,6}", inner), 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn documents_read_back_as_they_were(value in values()) {
            let read: Value = serde_yaml::from_str(&document(&value)).map_err(|e| TestCaseError::fail(format!("{e}\n{}", document(&value))))?;
            prop_assert_eq!(read, value);
        }
    }
}
