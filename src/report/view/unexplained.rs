//! Errors that no rule explains.

use serde::Serialize;

use super::histogram::Bars;
use super::meaning::Meaning;
use super::period::Period;
use crate::model::inventory::Shown;
use crate::model::known_line::Known;
use crate::model::unexplained::{Incident, LogTemplate, Telling, Unexplained};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Longest template or line, in characters.
const TEXT: usize = 300;
/// Templates that are named beside the one that they are folded under, and the longest of them.
const WITH: usize = 3;
const WITH_TEXT: usize = 100;
/// Most reasons on one line; they stand in the order of their weight.
const REASONS: usize = 3;

/// The section of a page.
#[derive(Serialize)]
pub struct Section {
    entries: Vec<Entry>,
    left_out: usize,
    /// Number of templates that are not listed because they are explained, harmless or faint.
    not_listed: usize,
    /// How many templates are usual in the cluster or common in others.
    usual: Vec<String>,
}

#[derive(Serialize)]
struct Entry {
    lead: Template,
    why: String,
    together: Vec<Template>,
    together_left_out: usize,
}

#[derive(Serialize)]
struct Template {
    level: &'static str,
    text: String,
    sample: String,
    /// `1,204 lines`.
    lines: String,
    source: String,
    other_sources: usize,
    seen: Option<String>,
    at: Option<Period>,
    first_at: String,
    last_at: String,
    histogram: Option<Bars>,
    known: Option<Meaning>,
}

impl Section {
    /// Returns the section; none if it has no entry and nothing is usual.
    pub fn of(unexplained: &Unexplained, t: Lexicon) -> Option<Self> {
        let (incidents, left) = (&unexplained.incidents, unexplained.left);
        let entries: Vec<Entry> =
            incidents.items.iter().map(|incident| Entry::of(incident, unexplained.clusters, t)).collect();
        let not_listed = left.matched + left.named + left.together + left.benign + left.faint;
        let usual = usual(unexplained, t);
        (!entries.is_empty() || !usual.is_empty()).then_some(Self {
            entries,
            left_out: incidents.left_out,
            not_listed,
            usual,
        })
    }
}

impl Entry {
    fn of(incident: &Incident, clusters: Option<u64>, t: Lexicon) -> Self {
        let together = &incident.together;
        Self {
            lead: Template::of(&incident.lead, t),
            why: t.list(notes(incident, clusters, t)),
            together: together.items.iter().map(|template| Template::of(template, t)).collect(),
            together_left_out: together.left_out,
        }
    }
}

impl Template {
    fn of(template: &LogTemplate, t: Lexicon) -> Self {
        let sources = &template.sources;
        let seen = template.first.zip(template.last).map(|(first, last)| t.span(first, last));
        Self {
            level: template.level.as_str(),
            text: words::clipped(wording(template), TEXT).into_owned(),
            sample: words::clipped(&template.sample, TEXT).into_owned(),
            lines: t.fill(phrase::LogLines { n: template.lines }),
            source: sources.items.first().cloned().unwrap_or_default(),
            other_sources: sources.items.len().saturating_sub(1) + sources.left_out,
            seen,
            at: Period::seen(template.first, template.last),
            first_at: template.first_at.to_string(),
            last_at: template.last_at.to_string(),
            histogram: Bars::of(&template.times, t),
            known: template.known.as_ref().map(|known| Meaning::of(known, t)),
        }
    }
}

/// Returns a template without the key that loggers put before the message.
fn wording(template: &LogTemplate) -> &str {
    template.text.strip_prefix("msg ").unwrap_or(&template.text)
}

/// Returns why an entry stands where it stands, without its level, which is shown beside it.
fn reasons(incident: &Incident) -> impl Iterator<Item = &'static str> {
    incident.why.iter().filter(|why| **why != Telling::Fatal).map(|why| why.as_str())
}

/// Returns in how many of the clusters of a store the first template is, and why the entry stands where it stands.
fn notes(incident: &Incident, clusters: Option<u64>, t: Lexicon) -> impl Iterator<Item = String> {
    let found = incident.lead.clusters.zip(clusters);
    let spread = found.map(|(n, all)| t.fill(phrase::InClusters { n: &words::number(n), all: &words::number(all) }));
    spread.into_iter().chain(reasons(incident).map(move |why| t.term(why).to_owned()))
}

/// Returns how many templates are not listed because the cluster says them while it is healthy, and because most clusters do; nothing if
/// that is not known.
pub fn usual(unexplained: &Unexplained, t: Lexicon) -> Vec<String> {
    let left = unexplained.left;
    let usual = left.usual.map(|n| t.fill(phrase::AsUsual { n: n as u64 }));
    usual.into_iter().chain(left.common.map(|n| t.fill(phrase::CommonInStore { n: n as u64 }))).collect()
}

/// Entry on one line, for reports without sections.
pub struct Line<'a> {
    /// `error: template (2,636 lines, fatal)`.
    pub text: String,
    /// Place of its last line.
    pub place: String,
    pub known: Option<&'a Known>,
    /// `with it: error: template; warning: template; and 3 more`: what is folded under it.
    pub with: Option<String>,
}

/// Names what is folded under an entry.
fn with(together: &Shown<LogTemplate>, t: Lexicon) -> Option<String> {
    let told = together.items.iter().take(WITH).map(|other| {
        let begin = format!("{}{}", t.term(other.level.as_str()), t.say(phrase::COLON));
        format!("{begin}{}", words::clipped(wording(other), WITH_TEXT))
    });
    let list = told.collect::<Vec<_>>().join(t.say(phrase::SEMICOLON));
    let list = match together.items.len().saturating_sub(WITH) + together.left_out {
        0 => list,
        n => t.fill(phrase::ClausesAndMore { list: &list, n: &n }),
    };
    (!together.items.is_empty()).then(|| t.fill(phrase::WithIt { list: &list }))
}

/// Returns each entry on one line of at most so many characters; what is too long is cut in the template.
pub fn lines(unexplained: &Unexplained, most: usize, t: Lexicon) -> impl Iterator<Item = Line<'_>> {
    unexplained.incidents.items.iter().map(move |incident| {
        let lead = &incident.lead;
        let mut notes = vec![t.fill(phrase::LogLines { n: lead.lines })];
        notes.extend(self::notes(incident, unexplained.clusters, t).take(REASONS));
        let (begin, end) =
            (format!("{}{}", t.term(lead.level.as_str()), t.say(phrase::COLON)), format!(" ({})", t.list(notes)));
        // The dots of a text that was cut count, too.
        let room = most.saturating_sub(begin.chars().count() + end.chars().count() + 1).min(TEXT);
        Line {
            text: format!("{begin}{}{end}", words::clipped(wording(lead), room)),
            place: lead.last_at.to_string(),
            known: lead.known.as_ref(),
            with: with(&incident.together, t),
        }
    })
}
