//! Headline of the report: the number of causes, or how much an empty result is worth.

use serde::Serialize;

use crate::model::message::Reason;
use crate::model::{Analysis, BundleKind, Finding, FindingClass, Issue, IssueKind, RuleOutcomes};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank::{self, Group};
use crate::report::words;

/// Result, and how far it can be trusted.
#[derive(Serialize)]
pub struct Verdict {
    /// `critical` to `info` for the worst cause; `none` if no rule fired, `unread` if no rule could be evaluated.
    level: &'static str,
    /// `3 causes found: 1 critical, 2 high`.
    pub headline: String,
    /// `3 causes found`, where the page has the counts beside it.
    short: String,
    /// Notes needed to read the headline correctly.
    pub notes: Vec<String>,
    /// What the result does not cover.
    pub limits: Vec<String>,
}

impl Verdict {
    /// Returns all notes, those about limits last.
    pub fn all_notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(&self.limits)
    }

    /// Returns true if the bundle was not analysed at all.
    pub fn is_unread(&self) -> bool {
        self.level == "unread"
    }

    /// Builds the verdict on an analysis with these groups of causes.
    pub fn of(analysis: &Analysis, groups: &[Group<'_>], t: Lexicon) -> Self {
        let causes: Vec<&Finding> = groups.iter().flat_map(|g| g.causes().map(|c| c.finding)).collect();
        let counts = rank::Tally::of(causes.iter().copied());
        let headline = match causes.len() {
            0 if analysis.accepted.is_some_and(|accepted| accepted.hidden > 0) => {
                t.say(phrase::NOTHING_NEW_FOUND).to_owned()
            }
            0 => nothing_found(&analysis.rules, t),
            n => t.fill(phrase::CausesFound { n: n as u64, counts: &severities(&counts, t) }),
        };
        let short = match causes.len() {
            0 => headline.clone(),
            n => t.fill(phrase::CausesFoundShort { n: n as u64 }),
        };
        let level = counts.worst().unwrap_or("none");
        let mut notes: Vec<String> =
            folded(groups, t).into_iter().chain(unhealthy(analysis, t)).chain(hidden(analysis, t)).collect();
        notes.extend(since(analysis, t));
        notes.extend(redacted(analysis, t));
        match &analysis.bundle.unread {
            Some(why) if causes.is_empty() => not_analysed(why, &analysis.issues, t),
            Some(why) => {
                notes.push(t.fill(phrase::NotRead { why: &t.message(why) }));
                Self { level, headline, short, notes, limits: Vec::new() }
            }
            None => {
                let mut limits = limits(&analysis.rules, causes.is_empty(), t);
                limits.extend(unread(analysis.issues.len(), t));
                Self { level, headline, short, notes, limits }
            }
        }
    }
}

/// Says that nothing was read: no findings is no result then.
fn not_analysed(why: &Reason, issues: &[Issue], t: Lexicon) -> Verdict {
    let others = issues.iter().filter(|issue| issue.kind != IssueKind::Layout).count();
    let kinds = BundleKind::of_collectors().map(|kind| t.term(kind.title()));
    let headline = t.fill(phrase::NotAnalysed { why: &t.message(why) });
    Verdict {
        level: "unread",
        short: headline.clone(),
        headline,
        notes: [t.say(phrase::NOTHING_READ).to_owned(), t.fill(phrase::ThisVersionReads { kinds: &t.list(kinds) })]
            .into_iter()
            .chain(unread(others, t))
            .collect(),
        limits: Vec::new(),
    }
}

/// `1 critical, 2 high, 3 obstacles`.
pub fn severities(counts: &rank::Tally, t: Lexicon) -> String {
    let faults = counts.faults.iter().map(|(severity, n)| amount(*n as u64, t.term(severity.as_str()), t));
    let others = counts.others.iter().map(|(class, n)| class_count(*class, *n as u64, t));
    t.list(faults.chain(others))
}

/// `2 obstacles`.
fn class_count(class: FindingClass, n: u64, t: Lexicon) -> String {
    match class {
        FindingClass::Fault => t.fill(phrase::FaultCount { n }),
        FindingClass::Obstacle => t.fill(phrase::ObstacleCount { n }),
        FindingClass::Risk => t.fill(phrase::RiskCount { n }),
        FindingClass::Info => t.fill(phrase::InfoCount { n }),
    }
}

/// `1,204 high`.
pub fn amount(n: u64, what: &str, t: Lexicon) -> String {
    t.fill(phrase::Amount { n: &words::number(n), what: &what })
}

fn folded(groups: &[Group<'_>], t: Lexicon) -> Option<String> {
    let count: usize = groups.iter().map(Group::explained).sum();
    (count > 0).then(|| t.fill(phrase::ExplainedByThem { n: count as u64 }))
}

/// Counts objects in trouble that no finding is about: without findings the cluster may still be broken.
fn unhealthy(analysis: &Analysis, t: Lexicon) -> Option<String> {
    let groups = &analysis.unhealthy.as_ref()?.objects;
    let listed: usize = groups.items.iter().map(|group| group.members.items.len() + group.members.left_out).sum();
    (listed > 0).then(|| t.fill(phrase::NotHealthyUnexplained { n: listed as u64 }))
}

/// Reports the findings hidden by a baseline; without this the bundle would look clean.
fn hidden(analysis: &Analysis, t: Lexicon) -> Option<String> {
    analysis.accepted.map(|accepted| t.fill(phrase::HiddenByBaseline { n: accepted.hidden as u64 }))
}

/// Counts what changed since the older bundle, with what makes the comparison doubtful.
fn since(analysis: &Analysis, t: Lexicon) -> Vec<String> {
    let Some(older) = &analysis.older else { return Vec::new() };
    let [new, gone, unknown] = [older.new, older.gone, older.unknown].map(words::number);
    let bundle = older.path.as_str();
    let counts = t.fill(phrase::SinceOlder { bundle: &bundle, new: &new, gone: &gone, unknown: &unknown });
    std::iter::once(counts).chain(older.doubts.iter().map(|doubt| t.message(doubt))).collect()
}

fn redacted(analysis: &Analysis, t: Lexicon) -> Option<String> {
    analysis.redacted.then(|| t.say(phrase::REDACTED).to_owned())
}

/// Describes an empty result, without claiming that the bundle is healthy.
fn nothing_found(rules: &RuleOutcomes, t: Lexicon) -> String {
    match (rules.clean.len() + rules.clean_partly.len(), rules.not_evaluated.len() + rules.not_applicable.len()) {
        (0, 0) => t.say(phrase::NO_RULE_RUN).to_owned(),
        (0, _) => t.say(phrase::NO_RULE_CHECKED).to_owned(),
        (n, _) => t.fill(phrase::NoneFired { n: n as u64 }),
    }
}

fn limits(rules: &RuleOutcomes, empty: bool, t: Lexicon) -> Vec<String> {
    let mut notes = Vec::new();
    if !rules.not_evaluated.is_empty() {
        notes.push(t.fill(phrase::RulesNotEvaluated { n: rules.not_evaluated.len() as u64 }));
    }
    if !rules.clean_partly.is_empty() {
        notes.push(t.fill(phrase::RulesCleanPartly { n: rules.clean_partly.len() as u64 }));
    }
    if empty && !rules.not_applicable.is_empty() {
        let count = rules.not_applicable.len() as u64;
        notes.push(t.fill(phrase::RulesNotApplicable { n: count }));
    }
    if empty {
        notes.push(t.say(phrase::ONLY_KNOWN_FAILURES).to_owned());
    }
    notes
}

fn unread(issues: usize, t: Lexicon) -> Option<String> {
    (issues > 0).then(|| t.fill(phrase::IssuesNote { n: issues as u64 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;

    fn verdict(analysis: &Analysis) -> Verdict {
        Verdict::of(analysis, &rank::groups(&analysis.findings), Lexicon::ENGLISH)
    }

    #[test]
    fn causes_are_counted_by_severity() {
        let verdict = verdict(&specimen::small());
        assert_eq!(verdict.level, "critical");
        assert_eq!(verdict.headline, "2 causes found: 1 critical, 1 low");
        assert_eq!(verdict.notes[0], "1 more finding is explained by them");
    }

    #[test]
    fn an_empty_result_says_what_it_does_not_cover() {
        let analysis = specimen::empty();
        let verdict = verdict(&analysis);
        assert_eq!(verdict.level, "none");
        assert_eq!(verdict.headline, "None of the 3 rules that could be checked fired");
        assert_eq!(
            verdict.limits,
            [
                "2 rules could not be evaluated: their input is not in the bundle",
                "1 rule found nothing in the collected data, but some data is missing",
                "1 rule does not apply here",
                "Only failures covered by a rule are detected",
                "1 issue while reading: parts of the bundle may not have been read",
            ]
        );
    }

    #[test]
    fn a_layout_that_is_not_read_is_no_result() {
        let mut analysis = specimen::empty();
        analysis.bundle.unread = Some(Reason::NothingToRead);
        let silent = verdict(&analysis);
        assert!(silent.notes[2].starts_with("1 issue while reading"), "a damaged archive may be the reason");
        assert_eq!(silent.level, "unread");
        assert_eq!(silent.headline, "Not analysed: the bundle holds no dump of objects and no log");
        assert!(silent.notes[0].contains("any state"));
        analysis.findings = specimen::small().findings;
        let found = verdict(&analysis);
        assert_eq!((found.level, &*found.headline), ("critical", "2 causes found: 1 critical, 1 low"));
        assert!(found.notes[1].contains("were not read"), "{:?}", found.notes);
    }

    #[test]
    fn hidden_findings_are_counted() {
        let mut analysis = specimen::empty();
        analysis.accepted = Some(crate::model::Accepted { hidden: 2 });
        let none = verdict(&analysis);
        assert_eq!(
            (&*none.headline, &*none.notes[0]),
            ("Nothing new found", "2 findings are hidden because they are in the baseline")
        );
        analysis.findings = specimen::small().findings;
        analysis.accepted = Some(crate::model::Accepted { hidden: 1 });
        assert_eq!(verdict(&analysis).notes[1], "1 finding is hidden because it is in the baseline");
    }

    #[test]
    fn nothing_checked_is_not_nothing_wrong() {
        let mut analysis = specimen::empty();
        analysis.rules.clean.clear();
        analysis.rules.clean_partly.clear();
        assert_eq!(verdict(&analysis).headline, "No rule could be checked on this bundle");
    }
}
