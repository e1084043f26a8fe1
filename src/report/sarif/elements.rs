//! Elements that all parts of a log share: texts, levels, and the places of rules.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::model::clean;
use crate::model::{FindingClass, Severity};
use crate::report::words;
/// Name of the bundle's root; addresses of entries are relative to it.
pub(super) const ROOT: &str = "BUNDLE";
/// Maximum length of a text, in characters.
const TEXT: usize = 10_000;

/// Index of each rule among the descriptors, by id.
pub(super) type Places<'a> = HashMap<&'a str, usize>;

/// Returns the text with invisible characters shown.
pub(super) fn visible(text: &str) -> String {
    clean::visible(&words::clipped(text, TEXT)).into_owned()
}

/// Returns a message in which brackets form no link.
pub(super) fn text(text: &str) -> Value {
    let text = visible(text);
    let text =
        if text.contains("](") { text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]") } else { text };
    json!({"text": text})
}

/// Returns the SARIF level of a severity; what is not broken is no error.
pub(super) fn level(class: FindingClass, severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High | Severity::Medium if class == FindingClass::Obstacle => "warning",
        _ if class != FindingClass::Fault => "note",
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}
