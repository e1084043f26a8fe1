//! Describes facts in words for plans and pages.

use crate::model::Glob;

use crate::log::sequence::StepPresence;
use crate::log::{AtLeast, Counting, GroupKey, LogQuery, Undated, required_literal};
use crate::model::message::LogNames;
use crate::rule::compiled::RuleSet;
use crate::rule::docs::fence::fenced;
use crate::rule::fact::LabelRequirement;
use crate::rule::fact::{EventQuery, Fact, FactKind, FileQuery, FileShape, LogFact, ResourceQuery, SequenceFact};

/// Describes what the fact looks for, e.g. `objects of type volumes.longhorn.io in namespace longhorn-system`.
pub fn looks_for(set: &RuleSet, fact: &Fact) -> String {
    fact.kinds().map(|kind| sought(set, kind)).collect::<Vec<_>>().join(", or ")
}

/// Describes what one alternative looks for.
pub fn sought(set: &RuleSet, kind: &FactKind) -> String {
    match kind {
        FactKind::Resource(query) => resource(query),
        FactKind::Event(query) => event(query),
        FactKind::Log(log) => log_lines(set, log),
        FactKind::Sequence(sequence) => steps(set, sequence),
        FactKind::File(query) => file(query),
        FactKind::Each(expr) => format!("each element of `{}`", expr.text()),
        FactKind::Value(expr) => format!("the value of `{}`", expr.text()),
    }
}

/// Describes the modifiers of the fact; none for a fact that must be found.
pub fn modifiers(fact: &Fact) -> Option<&'static str> {
    match (fact.collect, fact.optional) {
        (true, true) => Some("all of them; undecided if none is found"),
        (true, false) => Some("all of them, even none"),
        (false, true) => Some("may be missing"),
        (false, false) => None,
    }
}

/// The texts by which lines are found that a pattern of the log fact may match; a pattern without any is not listed.
pub fn literals(query: &LogQuery) -> Vec<(&str, Vec<String>)> {
    let of = |pattern: &str| -> Option<Vec<String>> {
        let found = required_literal(pattern)?;
        Some(found.alternatives.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect())
    };
    query.patterns.iter().filter_map(|pattern| Some((pattern.as_str(), of(pattern)?))).collect()
}

fn resource(query: &ResourceQuery) -> String {
    let types: Vec<String> = query.types.iter().map(|name| format!("`{name}`")).collect();
    let mut text = format!("objects of type {}", types.join(" or "));
    if let Some(namespace) = glob(&query.namespace) {
        text.push_str(&format!(" in namespace `{namespace}`"));
    }
    if let Some(name) = glob(&query.name) {
        text.push_str(&format!(" named `{name}`"));
    }
    if !query.labels.is_empty() {
        let labels: Vec<String> = query.labels.iter().map(label).collect();
        text.push_str(&format!(" with labels `{}`", labels.join(",")));
    }
    text
}

/// Writes a requirement in the syntax of kubectl's `-l`.
fn label(requirement: &LabelRequirement) -> String {
    match requirement {
        LabelRequirement::Equals(key, value) => format!("{key}={value}"),
        LabelRequirement::NotEquals(key, value) => format!("{key}!={value}"),
        LabelRequirement::In(key, values) => format!("{key} in ({})", values.join(",")),
        LabelRequirement::NotIn(key, values) => format!("{key} notin ({})", values.join(",")),
        LabelRequirement::Exists(key) => key.clone(),
        LabelRequirement::Missing(key) => format!("!{key}"),
    }
}

fn event(query: &EventQuery) -> String {
    let mut text = query.type_.as_ref().map_or_else(|| "events".to_owned(), |kind| format!("{kind} events"));
    if !query.reasons.is_empty() {
        let reasons: Vec<String> = query.reasons.iter().map(|reason| format!("`{}`", reason.text())).collect();
        text.push_str(&format!(" with reason {}", reasons.join(" or ")));
    }
    let object = [&query.object.kind, &query.object.namespace, &query.object.name];
    if object.iter().any(|part| part.is_some()) {
        let parts = object.map(|part| glob(part).unwrap_or("*"));
        text.push_str(&format!(" about `{}`", parts.join("/")));
    }
    let patterns: Vec<&str> = query.patterns.iter().map(|pattern| pattern.text()).collect();
    let except: Vec<&str> = query.except.iter().map(|pattern| pattern.text()).collect();
    text.push_str(&matching("whose message matches", &patterns));
    text.push_str(&matching("but not", &except));
    if let Some(since) = query.since {
        text.push_str(&format!(", not older than {since:#}"));
    }
    text.push_str(&groups(query.by.as_deref().unwrap_or_default(), &query.counting));
    text
}

fn log_lines(set: &RuleSet, log: &LogFact) -> String {
    match set.queries.get(log.query) {
        Some(query) => lines(query, &log.wanted),
        None => format!("lines of {}", log.wanted),
    }
}

fn steps(set: &RuleSet, sequence: &SequenceFact) -> String {
    let order = if sequence.order.ordered { "in this order" } else { "in any order" };
    let mut text = format!("lines {order}");
    if sequence.order.within.is_positive() {
        text.push_str(&format!(" within {:#}", sequence.order.within));
    }
    let steps = sequence.steps.iter().zip(&sequence.order.steps).map(|(step, order)| {
        let lines = log_lines(set, &step.log);
        match order {
            StepPresence::Present(1) => format!("`{}`, {lines}", step.name),
            StepPresence::Present(count) => format!("`{}`, {count} {lines}", step.name),
            StepPresence::Absent(_) => format!("`{}`, no {lines}", step.name),
        }
    });
    text.push_str(&format!(": {}", steps.collect::<Vec<_>>().join("; ")));
    text.push_str(&groups(sequence.by.as_deref().unwrap_or_default(), &Counting::default()));
    if let Some(count) = sequence.at_least {
        text.push_str(&format!(", at least {count} times"));
    }
    text
}

fn lines(query: &LogQuery, wanted: &LogNames) -> String {
    let mut text = format!("lines of the log `{wanted}`");
    text.push_str(&matching("that match", &query.patterns));
    text.push_str(&matching("but not", &query.except));
    if let Some(filter) = &query.jq {
        text.push_str(&format!(", whose JSON meets `{filter}`"));
    }
    if let Some(since) = query.since {
        text.push_str(&format!(", not older than {since:#}"));
    }
    match query.undated {
        Undated::InDoubt => {}
        Undated::Counts => text.push_str(", or without a time"),
        Undated::Skipped => text.push_str(", only those with a time"),
    }
    if query.boot_current {
        text.push_str(", since the last boot");
    }
    if let Some(after) = query.after_boot {
        text.push_str(&format!(", not in the first {after:#} after a boot"));
    }
    text.push_str(&groups(&query.by, &query.counting));
    text
}

fn matching(how: &str, patterns: &[impl AsRef<str>]) -> String {
    if patterns.is_empty() {
        return String::new();
    }
    let patterns: Vec<String> = patterns.iter().map(|pattern| fenced(pattern.as_ref())).collect();
    format!(" {how} {}", patterns.join(" or "))
}

fn groups(by: &[GroupKey], counting: &Counting) -> String {
    let keys: Vec<String> = by.iter().map(key).collect();
    let mut text = if keys.is_empty() { String::new() } else { format!(", grouped by {}", keys.join(" and ")) };
    match &counting.at_least {
        Some(AtLeast::Hits(count)) => text.push_str(&format!(", at least {count}")),
        Some(AtLeast::Distinct(capture, count)) => text.push_str(&format!(", at least {count} distinct `{capture}`")),
        None => {}
    }
    if let Some(within) = counting.within {
        text.push_str(&format!(" within {within:#}"));
    }
    if let Some(capture) = &counting.distinct {
        text.push_str(&format!(", counting distinct `{capture}`"));
    }
    if let Some(capture) = &counting.max {
        text.push_str(&format!(", represented by the largest `{capture}`"));
    }
    text
}

fn key(key: &GroupKey) -> String {
    match key {
        GroupKey::Capture(name) => format!("`{name}`"),
        GroupKey::Node => "node".to_owned(),
        GroupKey::Pod => "pod".to_owned(),
        GroupKey::Source => "file".to_owned(),
    }
}

fn file(query: &FileQuery) -> String {
    let shape = match query.shape {
        FileShape::Text => "",
        FileShape::Yaml => ", read as YAML",
        FileShape::Json => ", read as JSON",
        FileShape::Ini => ", read as sections of keys",
        FileShape::Keys => ", read as keys",
        FileShape::Table => ", read as a table",
    };
    let node = glob(&query.node).map(|node| format!(" of node `{node}`")).unwrap_or_default();
    format!("files `{}`{node}{shape}", query.path.text())
}

fn glob(glob: &Option<Glob>) -> Option<&str> {
    glob.as_ref().map(|glob| glob.text())
}
