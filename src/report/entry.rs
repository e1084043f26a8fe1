//! Page with lines of an entry, to which evidence leads.

use std::io::Write;

use minijinja::context;
use minijinja::value::Value;

use super::lexicon::Lexicon;
use super::{RenderError, template};
use crate::model::Lang;

const TEMPLATES: [template::Source; 1] = [("entry.html", include_str!("../../templates/entry.html"))];
const STYLE: &str = include_str!("../../templates/entry.css");

/// Lines of an entry.
pub struct EntryPage<'e> {
    pub entry: &'e str,
    /// The line that the page is about.
    pub line: u64,
    /// Number and text of each line.
    pub lines: &'e [(u64, String)],
    /// True if there are others behind them.
    pub is_cut: bool,
}

/// Writes the page.
///
/// # Errors
/// Errors of the writer, or a fault in the template.
pub fn write(page: &EntryPage<'_>, out: &mut dyn Write) -> Result<(), RenderError> {
    let environment = template::environment(Lexicon::of(Lang::En), &TEMPLATES)?;
    let first = page.lines.first().map_or(0, |(number, _)| *number);
    let last = page.lines.last().map_or(0, |(number, _)| *number);
    let lines = page.lines.iter().map(|(number, text)| context! { number, text, hit => *number == page.line });
    let content = context! {
        entry => page.entry,
        lines => lines.collect::<Vec<Value>>(),
        before => if first > 1 { Some(first - 1) } else { None },
        after => if page.is_cut { Some(last + 1) } else { None },
        policy => template::policy(STYLE, None),
        style => Value::from_safe_string(STYLE.to_owned()),
    };
    template::render(&environment, "entry.html", content, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_escaped() {
        let lines = [(7, "<b>a\u{202e}".to_owned()), (8, "hit".to_owned())];
        let mut out = Vec::new();
        write(&EntryPage { entry: "a<i>.log", line: 8, lines: &lines, is_cut: true }, &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains("a&lt;i&gt;.log") && page.contains("&lt;b&gt;a&lt;U+202E&gt;"), "{page}");
        assert!(page.contains("<mark id=\"L8\">") && page.contains("<span id=\"L7\">"), "{page}");
        assert!(page.contains("?line=6#L6") && page.contains("?line=9#L9"), "{page}");
    }
}
