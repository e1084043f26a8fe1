//! What is missing in an answer, and what the program then ends with.

use std::io::Write;

use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::explore::View;
use crate::explore::get::{Answer, Gap, Request};
use crate::model::Issue;

/// A remark about an answer; one that is no success is an error.
pub type Note = (ExitCode, String);

/// Prints remarks on standard error and returns the code that they lead to.
pub fn print_notes(err: &mut dyn Write, notes: Vec<Note>) -> ExitCode {
    let codes = notes.into_iter().map(|(code, note)| {
        let kind = if code == ExitCode::Success { "note" } else { "error" };
        // Standard error may be closed; there is no other place to report to.
        let _ = print_line(err, format_args!("{kind}: {note}"));
        code
    });
    codes.fold(ExitCode::Success, ExitCode::worst)
}

/// Prints what could not be read.
pub fn print_issues(err: &mut dyn Write, issues: &[Issue]) {
    for issue in issues {
        let place = issue.origin.as_ref().map(|origin| format!("{}: ", origin.entry)).unwrap_or_default();
        // Standard error may be closed; there is no other place to report to.
        let _ = print_line(err, format_args!("note: {place}{}", issue.message));
    }
}

/// Prints a remark about an answer.
pub fn note(err: &mut dyn Write, text: &str) {
    let _ = print_line(err, format_args!("note: {text}"));
}

/// Returns the remarks about an answer.
pub fn of(request: &Request, answer: &Answer, ignore_not_found: bool, view: &View<'_>) -> Vec<Note> {
    let gaps = answer.gaps.iter().filter(|gap| !(ignore_not_found && matches!(gap, Gap::Absent { .. })));
    let mut notes: Vec<Note> = gaps.map(of_gap).collect();
    let is_of_all = request.asked.iter().all(|asked| asked.names.is_empty());
    if answer.listings.is_empty() && answer.gaps.is_empty() && is_of_all {
        let note = match request.asked.as_slice() {
            [asked] => {
                format!("no {} found{}; all were collected", asked.type_, place(request.filter.namespace.as_deref()))
            }
            _ => format!("none of these found{}", place(request.filter.namespace.as_deref())),
        };
        notes.push((ExitCode::Success, note));
    }
    notes.into_iter().map(|(code, note)| (code, view.text(&note))).collect()
}

fn place(namespace: Option<&str>) -> String {
    namespace.map_or_else(String::new, |namespace| format!(" in namespace {namespace}"))
}

fn of_gap(gap: &Gap) -> Note {
    let code = match gap {
        Gap::NotCollected { .. } => ExitCode::Bundle,
        Gap::Absent { .. } => ExitCode::Findings,
        Gap::MayBeMore { .. } | Gap::Partial { .. } | Gap::Unjudged { .. } => ExitCode::Success,
    };
    (code, gap.to_string())
}
