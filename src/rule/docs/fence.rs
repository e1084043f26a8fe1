//! Code in Markdown.

/// Returns code in a line as it is; backticks in it are fenced by more of them.
pub(super) fn fenced(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
