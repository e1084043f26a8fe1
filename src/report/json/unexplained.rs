//! The value of `unexplained` in `gleaner.analysis/v1`.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::inventory::Shown;
use crate::model::unexplained::{Incident, LogTemplate, Unexplained};
use crate::model::{Histogram, Origin};

use super::known::KnownOut;
use super::place::Place;

#[derive(Serialize)]
pub(super) struct UnexplainedOut<'a> {
    entries: Vec<Entry<'a>>,
    entries_left_out: usize,
    lines: u64,
    interval_seconds: i64,
    histogram: Vec<Interval>,
    templates_left_out: LeftOutOut,
    logs_shortened: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<u64>,
}

#[derive(Serialize)]
struct LeftOutOut {
    matched: usize,
    named: usize,
    together: usize,
    benign: usize,
    faint: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    usual: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    common: Option<usize>,
}

impl<'a> UnexplainedOut<'a> {
    pub(super) fn of(unexplained: &'a Unexplained) -> Self {
        let left = unexplained.left;
        Self {
            entries: unexplained.incidents.items.iter().map(Entry::of).collect(),
            entries_left_out: unexplained.incidents.left_out,
            lines: unexplained.lines,
            interval_seconds: unexplained.times.width(),
            histogram: intervals(&unexplained.times),
            templates_left_out: LeftOutOut {
                matched: left.matched,
                named: left.named,
                together: left.together,
                benign: left.benign,
                faint: left.faint,
                usual: left.usual,
                common: left.common,
            },
            logs_shortened: unexplained.shortened,
            clusters: unexplained.clusters,
        }
    }
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    lead: Template<'a>,
    why: Vec<&'static str>,
    together: Vec<Template<'a>>,
    together_left_out: usize,
}

impl<'a> Entry<'a> {
    fn of(incident: &'a Incident) -> Self {
        let Shown { items, left_out, not_collected: _ } = &incident.together;
        Self {
            lead: Template::of(&incident.lead),
            why: incident.why.iter().map(|why| why.as_str()).collect(),
            together: items.iter().map(Template::of).collect(),
            together_left_out: *left_out,
        }
    }
}

#[derive(Serialize)]
struct Template<'a> {
    template: &'a str,
    level: &'static str,
    lines: u64,
    sources: &'a [String],
    sources_left_out: usize,
    first: Seen<'a>,
    last: Seen<'a>,
    sample: &'a str,
    interval_seconds: i64,
    histogram: Vec<Interval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<KnownOut<'a>>,
}

#[derive(Serialize)]
struct Interval {
    from: Timestamp,
    lines: u64,
}

fn intervals(times: &Histogram) -> Vec<Interval> {
    times.stretches().map(|(from, lines)| Interval { from, lines }).collect()
}

impl<'a> Template<'a> {
    fn of(template: &'a LogTemplate) -> Self {
        Self {
            template: &template.text,
            level: template.level.as_str(),
            lines: template.lines,
            sources: &template.sources.items,
            sources_left_out: template.sources.left_out,
            first: Seen::of(template.first, &template.first_at),
            last: Seen::of(template.last, &template.last_at),
            sample: &template.sample,
            interval_seconds: template.times.width(),
            histogram: intervals(&template.times),
            clusters: template.clusters,
            known: template.known.as_ref().map(KnownOut::of),
        }
    }
}

#[derive(Serialize)]
struct Seen<'a> {
    time: Option<Timestamp>,
    #[serde(flatten)]
    place: Place<'a>,
}

impl<'a> Seen<'a> {
    fn of(time: Option<Timestamp>, at: &'a Origin) -> Self {
        Self { time, place: Place::of(at) }
    }
}
