//! Command, rules and limits of the analysis, so that a colleague can reproduce the report.

use serde::Serialize;

use crate::model::{Analysis, IssueKind, RuleOutcomes, Timing};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Footer of a page.
#[derive(Serialize)]
pub struct Reproduction<'a> {
    /// `gleaner analyze bundle.zip --rules own`; none if the report was not made from the command line.
    command: Option<String>,
    /// `190 rules, and those in own`.
    rules: String,
    /// Name and version of each collection of rules that has one.
    collections: Vec<String>,
    /// Flag and value of each limit.
    limits: &'a [(String, String)],
    /// `None was reached`, `Reached 3 times`.
    limits_hit: String,
    /// Stages with their duration; empty unless measured.
    measured: Vec<String>,
    path: &'a str,
    sha256: Option<&'a str>,
    content_id: &'a str,
    cluster_uid: Option<&'a str>,
    /// Entries by which the collector was recognised.
    collector_why: Option<String>,
}

impl<'a> Reproduction<'a> {
    /// Describes the run.
    pub fn of(analysis: &'a Analysis, t: Lexicon) -> Self {
        let (run, facts) = (&analysis.run, &analysis.bundle);
        Self {
            command: (!run.arguments.is_empty()).then(|| command(&run.arguments)),
            rules: rules(&analysis.rules, &run.rule_folders, t),
            collections: analysis.collections.iter().map(|of| format!("{} {}", of.name, of.version)).collect(),
            limits: &run.limits,
            limits_hit: limits_hit(analysis, t),
            measured: measured(analysis),
            path: &facts.path,
            sha256: facts.sha256.as_deref(),
            content_id: &facts.content_id,
            cluster_uid: facts.cluster_uid.as_deref(),
            collector_why: facts
                .collector
                .as_ref()
                .map(|collector| t.message(&collector.why))
                .filter(|why| !why.is_empty()),
        }
    }
}

/// Returns each stage with its duration and, if it processes bytes, their number and the speed; then the peak memory.
pub fn measured(analysis: &Analysis) -> Vec<String> {
    let stage = |timing: &Timing| {
        let time = seconds(timing.time.as_secs_f64());
        let pace =
            timing.megabytes_per_second().map(|pace| format!(" ({}, {pace:.0} MB/s)", words::bytes(timing.bytes)));
        format!("{} {time}{}", timing.stage, pace.unwrap_or_default())
    };
    let peak = analysis.run.peak_memory.map(|bytes| format!("peak memory {}", words::bytes(bytes)));
    analysis.timings.iter().map(stage).chain(peak).collect()
}

/// Returns the command as typed into a shell.
fn command(arguments: &[String]) -> String {
    let words: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
    format!("gleaner {}", words.join(" "))
}

/// Adds single quotes if a shell would interpret the argument.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

fn rules(rules: &RuleOutcomes, folders: &[String], t: Lexicon) -> String {
    let count = rules.count();
    match folders.is_empty() {
        true => t.fill(phrase::Rules { n: count as u64 }),
        false => t.fill(phrase::RulesIncluding { n: count as u64, folders: &t.list(folders) }),
    }
}

fn limits_hit(analysis: &Analysis, t: Lexicon) -> String {
    match analysis.issues.iter().filter(|issue| issue.kind == IssueKind::Limit).count() {
        0 => t.say(phrase::NONE_REACHED).to_owned(),
        n => t.fill(phrase::LimitsReached { n: n as u64 }),
    }
}

fn seconds(value: f64) -> String {
    format!("{value:.3} s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Issue, Run};
    use crate::report::specimen;

    #[test]
    fn commands_can_be_typed_again() {
        let arguments = ["analyze", "my bundle.zip", "--only", "it's", "--rules", "own/rules", ""].map(str::to_owned);
        assert_eq!(command(&arguments), r"gleaner analyze 'my bundle.zip' --only 'it'\''s' --rules own/rules ''");
    }

    #[test]
    fn own_rules_and_limits_are_shown() {
        let mut analysis = specimen::small();
        analysis.run = Run { rule_folders: vec!["own".into()], ..Run::default() };
        analysis.issues.push(Issue::general(IssueKind::Limit, "too many entries"));
        let made = Reproduction::of(&analysis, Lexicon::ENGLISH);
        assert_eq!(made.rules, "9 rules, including those in own");
        assert_eq!(made.limits_hit, "reached 1 time; skipped content is listed under the issues");
        assert_eq!(
            (made.command, Reproduction::of(&specimen::empty(), Lexicon::ENGLISH).limits_hit.as_str()),
            (None, "none reached")
        );
    }
}
