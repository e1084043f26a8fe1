//! What a part of a line that varies is, by its form and by the word before it.

use std::sync::LazyLock;

use regex::Regex;

/// Form of a value: its name as a capture, how it is recognised, the pattern that takes any value of this form, and whether it
/// names something, so that lines with another value are about something else.
struct Shape {
    name: &'static str,
    form: &'static str,
    pattern: &'static str,
    names: bool,
}

/// The first that fits counts.
const SHAPES: [Shape; 15] = [
    shape("time", r"^\d{1,2}:\d{2}:\d{2}([.,]\d+)?$", "[0-9:.,]+", false),
    shape("time", r"^\d{4}[-/]\d{2}[-/]\d{2}([T_].*)?$", "[0-9TZ:./_+-]+", false),
    shape("address", r"^\d{1,3}(\.\d{1,3}){3}(:\d+)?$", "[0-9.:]+", true),
    shape("address", r"^[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*$", "[0-9a-fA-F:.]+", true),
    shape("duration", r"^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$", "[0-9.nuµmsh]+", false),
    shape("percent", r"^\d+(\.\d+)?%$", "[0-9.]+%", false),
    shape("size", r"^\d+(\.\d+)?([KMGTkmgt]i?B?|B)$", "[0-9.]+[A-Za-z]+", false),
    shape("number", r"^\d+$", "[0-9]+", false),
    shape("number", r"^[-+]?\d+\.\d+(e[-+]?\d+)?$", "[-+0-9.e]+", false),
    shape("uid", r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "[0-9a-fA-F-]{36}", false),
    shape("id", r"^(0x)?[0-9a-f]{8,}$", "[0-9a-fx]+", false),
    shape("url", r"^[a-z]+://", r"[a-z]+://[^\s\x22\\]+", true),
    shape("path", r"^/", r"/[^\s\x22\\]+", true),
    shape("name", r"^[A-Za-z0-9._-]+$", "[A-Za-z0-9._-]+", true),
    shape("value", "", r"[^\s\x22\\]+", true),
];

const fn shape(name: &'static str, form: &'static str, pattern: &'static str, names: bool) -> Shape {
    Shape { name, form, pattern, names }
}

static FORMS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| SHAPES.iter().map(|shape| Regex::new(shape.form).ok()).collect());

/// Words after which the name of such a thing stands.
const NOUNS: [&str; 46] = [
    "address",
    "backup",
    "bundle",
    "chart",
    "claim",
    "cluster",
    "configmap",
    "container",
    "controller",
    "daemonset",
    "deployment",
    "dev",
    "device",
    "disk",
    "endpoint",
    "engine",
    "file",
    "host",
    "image",
    "interface",
    "job",
    "key",
    "lease",
    "machine",
    "member",
    "mount",
    "namespace",
    "node",
    "object",
    "peer",
    "pid",
    "pod",
    "port",
    "process",
    "release",
    "replica",
    "repository",
    "resource",
    "secret",
    "sector",
    "server",
    "service",
    "snapshot",
    "user",
    "vm",
    "volume",
];

/// Names that groups of hits and events have already, and words that no capture can have.
const TAKEN: [&str; 18] = [
    "all", "as", "count", "first", "if", "in", "is", "last", "lines", "message", "node", "not", "object", "or", "pod",
    "reason", "source", "type",
];

/// A value that varies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// Name as a capture.
    pub name: String,
    pub pattern: &'static str,
    /// True if lines with another value are about something else.
    pub names: bool,
}

impl Varying {
    /// Returns what a value is; `before` is the text in front of it.
    pub fn of(value: &str, before: &str) -> Self {
        let fits =
            |at: &usize| FORMS.get(*at).is_some_and(|form| form.as_ref().is_some_and(|form| form.is_match(value)));
        let found = (0..SHAPES.len()).find(fits).and_then(|at| SHAPES.get(at));
        let (name, pattern, names) =
            found.map_or(("value", r"\S+", true), |shape| (shape.name, shape.pattern, shape.names));
        Self { name: free(&named_before(before).unwrap_or_else(|| name.to_owned())), pattern, names }
    }

    /// Returns what a text in quotes with blanks is.
    pub fn quoted(before: &str) -> Self {
        let name = named_before(before).unwrap_or_else(|| "text".to_owned());
        Self { name: free(&name), pattern: r"[^\x22\\]+", names: false }
    }
}

/// Returns the key of a value (`volume="`), or the noun before a name (`volume `).
fn named_before(before: &str) -> Option<String> {
    let open = before.trim_end_matches(['"', '\\', '\'', '[', '(', ' ']);
    let keyed = open.strip_suffix(['=', ':']);
    let word = keyed.unwrap_or(open).trim_end_matches(['"', '\\']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = word.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
    let is_key = open.ends_with('=') && word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.len() <= 20;
    let lower = word.to_ascii_lowercase();
    (is_key || NOUNS.contains(&lower.as_str())).then_some(lower)
}

fn free(name: &str) -> String {
    if TAKEN.contains(&name) { format!("{name}_name") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_by_what_they_are() {
        for (before, value, name) in [
            ("dial tcp ", "10.43.0.1:443", "address"),
            ("dial tcp ", "fd00::1", "address"),
            ("at ", "07:13:30.12", "time"),
            ("took ", "1.5ms", "duration"),
            ("took=", "1.5ms", "took"),
            ("pod=\"", "kube-system/dns-1", "pod_name"),
            ("mount of ", "/var/lib/kubelet", "path"),
            ("get ", "https://x.example.com/a?b", "url"),
            ("Volume ", "pvc-1", "volume"),
            ("sector ", "12", "sector"),
            ("uid ", "00000000-0000-4000-8000-000000000001", "uid"),
            ("lost ", "web-1", "name"),
            ("lost ", "web-1|2", "value"),
            ("after ", "12", "number"),
        ] {
            assert_eq!(Varying::of(value, before).name, name, "{before}{value}");
        }
    }

    #[test]
    fn every_form_is_a_valid_pattern_that_takes_its_value() {
        for (at, shape) in SHAPES.iter().enumerate() {
            assert!(FORMS[at].is_some() && Regex::new(shape.pattern).is_ok(), "{}", shape.name);
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(NOUNS.is_sorted() && TAKEN.is_sorted());
    }
}
