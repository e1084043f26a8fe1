//! Causes in the summary, as detailed as the screen allows, the first ones in full.

use anstyle::{AnsiColor, Color, Style};

use crate::model::clean;
use crate::model::{Finding, Novelty, Severity};
use crate::report::rank::{self, Cause, Group};
use crate::report::view;
use crate::report::words;

use super::lines::{INDENT, Lines, QUIET, T, TEXT_SHOWN};

/// Maximum number of causes shown, and minimum on any screen; the report has all of them.
pub const MOST: usize = 10;
const LEAST: usize = 1;
/// Maximum number of kinds of symptoms named under a cause.
const SYMPTOMS_SHOWN: usize = 4;

/// Level of detail of a cause; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Title on one line.
    Title,
    /// Location of the evidence.
    Place,
    /// First step.
    Step,
    /// Symptoms that it explains.
    Whole,
}

/// Returns the causes in at most `rows`; without `rows`, [`MOST`] causes in full.
pub fn cause_lines(groups: &[Group<'_>], columns: usize, rows: Option<usize>) -> Lines {
    let Some(rows) = rows else {
        return lines(groups, &vec![Detail::Whole; groups.len().min(MOST)], columns);
    };
    let mut details = vec![Detail::Title; groups.len().min(MOST)];
    while details.len() > LEAST && lines(groups, &details, columns).rows() > rows {
        details.pop();
    }
    for at in 0..details.len() {
        for detail in [Detail::Whole, Detail::Step, Detail::Place] {
            let before = details.clone();
            details.iter_mut().skip(at).take(1).for_each(|one| *one = detail);
            if lines(groups, &details, columns).rows() <= rows {
                break;
            }
            details = before;
        }
    }
    lines(groups, &details, columns)
}

/// Returns how many rows the causes need if the first ones have their evidence and first step.
pub fn rows(groups: &[Group<'_>], columns: usize, causes: usize) -> usize {
    let detail = |at: usize| if at < causes { Detail::Step } else { Detail::Title };
    lines(groups, &(0..groups.len().min(MOST)).map(detail).collect::<Vec<_>>(), columns).rows()
}

fn lines(groups: &[Group<'_>], details: &[Detail], columns: usize) -> Lines {
    let mut page = Lines::new(columns);
    let mut before = Detail::Whole;
    for (group, detail) in groups.iter().zip(details) {
        // No blank line between titles.
        if *detail != Detail::Title || before != Detail::Title {
            page.blank();
        }
        cause(&mut page, group, *detail);
        before = *detail;
    }
    left_out(&mut page, groups.get(details.len()..).unwrap_or_default());
    page
}

fn cause(page: &mut Lines, group: &Group<'_>, detail: Detail) {
    let finding = group.lead.finding;
    let title = words::sentence(&finding.title, TEXT_SHOWN);
    let title = if finding.novelty == Some(Novelty::New) { format!("new: {title}").into() } else { title };
    let label = finding.label();
    if detail == Detail::Title {
        let more = match group.more.len() {
            0 => String::new(),
            n => format!(" (and {} like it)", words::number(n as u64)),
        };
        return page.labelled_short(label, &title, &more, colour(finding.severity));
    }
    page.labelled(label, &title, colour(finding.severity));
    proof(page, finding);
    if let Some(others) = view::likewise(group, T) {
        page.line(INDENT, &others, QUIET);
    }
    if detail == Detail::Place {
        return;
    }
    if detail == Detail::Whole {
        symptoms(page, group);
    }
    if let Some(step) = finding.remedy.first() {
        page.line(INDENT, &format!("do: {}", words::sentence(&step.action, TEXT_SHOWN)), Style::new());
        if let Some(command) = &step.run {
            page.command(command);
        }
    }
}

/// Writes the location to look at first with a quote: on the same line if it fits, else on the next.
fn proof(page: &mut Lines, finding: &Finding) {
    let Some((place, quote)) = view::place(finding) else { return };
    let together = quote.as_ref().map(|quote| format!("{place}: {quote}"));
    match together.filter(|text| text.chars().count() <= page.columns.saturating_sub(INDENT)) {
        Some(text) => page.line(INDENT, &text, QUIET),
        None => {
            page.line(INDENT, &place, QUIET);
            quote.iter().for_each(|quote| page.line(INDENT + 2, quote, QUIET));
        }
    }
}

/// Writes what all causes of the group explain, since customers report symptoms.
fn symptoms(page: &mut Lines, group: &Group<'_>) {
    let all: Vec<&Finding> = group.causes().flat_map(|c: &Cause<'_>| c.symptoms.iter().copied()).collect();
    let Some(explains) = view::group_explains(group, T) else { return };
    page.line(INDENT, &explains.replacen("Explains", "explains", 1), QUIET);
    let groups = rank::symptom_groups(&all);
    for symptom in groups.iter().take(SYMPTOMS_SHOWN) {
        let more = match symptom.more.len() {
            0 => String::new(),
            n => format!(" (and {} like it)", words::number(n as u64)),
        };
        let room = page.columns.saturating_sub(INDENT + 4 + more.len() + 1);
        let title = clean::one_line(&words::sentence(&symptom.lead.finding.title, TEXT_SHOWN));
        page.line(INDENT + 2, &format!("- {}{more}", words::clipped(&title, room)), QUIET);
    }
    let rest: usize = groups.iter().skip(SYMPTOMS_SHOWN).map(|g| g.more.len() + 1).sum();
    if rest > 0 {
        page.line(INDENT + 2, &format!("- and {} more in the report", words::number(rest as u64)), QUIET);
    }
}

fn left_out(page: &mut Lines, groups: &[Group<'_>]) {
    if groups.is_empty() {
        return;
    }
    let causes: Vec<&Finding> = groups.iter().flat_map(|g| g.causes().map(|c| c.finding)).collect();
    let counts = view::severities(&rank::Tally::of(causes.iter().copied()), T);
    let more = words::counted(causes.len(), "more cause");
    page.blank();
    page.line(0, &format!("and {more} in the report: {counts}"), QUIET);
}

fn colour(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Critical | Severity::High => AnsiColor::Red,
        Severity::Medium => AnsiColor::Yellow,
        Severity::Low => AnsiColor::Blue,
        Severity::Info => AnsiColor::BrightBlack,
    };
    let style = Style::new().fg_color(Some(Color::Ansi(colour)));
    if severity == Severity::Critical { style.bold() } else { style }
}
