//! Parts of pages in Markdown: sentences, labels, steps of a remedy.

use std::fmt::Write as _;

use super::escape::{block, text};
use crate::model::{RemedyStep, TimedText};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Maximum length of a title, a sentence and a command, in characters.
pub const TITLE: usize = 300;
pub const SENTENCES: usize = 2_000;
pub const COMMAND: usize = 2_000;

/// Returns a sentence of at most `limit` characters.
pub fn sentence(part: &TimedText, limit: usize) -> String {
    text(&words::sentence(part, limit), limit)
}

/// Adds a paragraph that begins with a label; nothing for no text.
pub fn labelled(out: &mut String, label: &str, part: Option<&TimedText>) {
    let part = part.map(|part| sentence(part, SENTENCES)).unwrap_or_default();
    if !part.is_empty() {
        push(out, format_args!("\n**{label}** {part}\n"));
    }
}

/// Lists the steps with cautions and commands.
pub fn remedy(steps: &[RemedyStep], t: Lexicon) -> String {
    let mut out = String::new();
    for (number, step) in steps.iter().enumerate() {
        let label = format!("{}. ", number + 1);
        let indent = label.len();
        let begin = if number == 0 { format!("\n**{}**\n\n", t.say(phrase::WHAT_TO_DO)) } else { String::new() };
        push(&mut out, format_args!("{begin}{label}{}\n", sentence(&step.action, SENTENCES)));
        if let Some(caution) = &step.caution {
            push(
                &mut out,
                format_args!("\n{:indent$}**{}** {}\n", "", t.say(phrase::CAUTION), sentence(caution, SENTENCES)),
            );
        }
        if let Some(command) = &step.run {
            push(&mut out, format_args!("\n{}", block(&words::clipped(command, COMMAND), "sh", indent)));
        }
    }
    out
}

/// Returns the item that ends a list from which `left_out` items are left out.
pub fn more(left_out: usize, t: Lexicon) -> String {
    match left_out {
        0 => String::new(),
        n => format!("- {}\n", t.fill(phrase::AndMoreInTheReport { n: &words::number(n as u64) })),
    }
}

/// Adds formatted text.
pub fn push(out: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(part);
}
