//! Order of findings: causes by rank with their symptoms folded under them, and the findings of one rule as one
//! [`Group`].

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use crate::model::{Evidence, Finding, FindingClass, Severity};

/// Maximum length of a chain of explanations; longer chains are cycles, whose findings are shown separately.
const MAX_CHAIN: usize = 32;

/// Finding that no other finding explains, with those that it explains.
#[derive(Clone, Debug)]
pub struct Cause<'a> {
    pub finding: &'a Finding,
    /// Sorted by rank.
    pub symptoms: Vec<&'a Finding>,
}

/// All causes (or all symptoms of one cause) from the same rule.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// First cause by rank.
    pub lead: Cause<'a>,
    /// Other causes, by rank.
    pub more: Vec<Cause<'a>>,
}

impl Cause<'_> {
    /// Returns the class and severity by which the cause is listed: its own, or those of its most urgent symptom. So no consequence
    /// stands above its cause for being louder.
    pub fn urgency(&self) -> (FindingClass, Reverse<Severity>) {
        let all = std::iter::once(self.finding).chain(self.symptoms.iter().copied());
        all.map(|finding| (finding.class, Reverse(finding.severity)))
            .min()
            .unwrap_or((FindingClass::Info, Reverse(Severity::Info)))
    }

    /// Of causes that explain as much, the one that began first comes first, those without a time last.
    fn began(&self) -> Option<(bool, Option<Timestamp>)> {
        let first = self.finding.first_seen;
        (!self.symptoms.is_empty()).then_some((first.is_none(), first))
    }
}

impl<'a> Group<'a> {
    /// Returns the lead, then the others.
    pub fn causes(&self) -> impl Iterator<Item = &Cause<'a>> {
        std::iter::once(&self.lead).chain(&self.more)
    }

    /// Returns the number of findings that the causes of this group explain.
    pub fn explained(&self) -> usize {
        self.causes().map(|c| c.symptoms.len()).sum()
    }

    fn latest(&self) -> Option<LastSeen> {
        self.causes().map(|c| last_seen(c.finding)).max()
    }
}

/// Time when a finding was last seen; the latest is greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LastSeen {
    At(Timestamp),
    /// A state in the dumps has no time: it still held when the bundle was collected.
    Collection,
}

fn last_seen(finding: &Finding) -> LastSeen {
    finding.last_seen.map_or(LastSeen::Collection, LastSeen::At)
}

/// Groups the causes, best ranked group first. Every finding is included exactly once, even if `explained_by` forms a
/// cycle.
pub fn groups(findings: &[Finding]) -> Vec<Group<'_>> {
    by_rule(causes(findings))
}

/// Groups the symptoms by rule, best ranked first.
pub fn symptom_groups<'a>(symptoms: &[&'a Finding]) -> Vec<Group<'a>> {
    by_rule(symptoms.iter().map(|finding| Cause { finding, symptoms: Vec::new() }).collect())
}

/// Returns all findings in the order of flat formats: causes by rank, then symptoms by rank.
pub fn flat(findings: &[Finding]) -> Vec<&Finding> {
    let mut causes = causes(findings);
    causes.sort_by(cause_order);
    let mut symptoms: Vec<&Finding> = causes.iter().flat_map(|c| c.symptoms.iter().copied()).collect();
    symptoms.sort_by(|a, b| finding_order(a, b));
    causes.iter().map(|c| c.finding).chain(symptoms).collect()
}

/// Number of findings: faults by severity, the others by class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Most severe first, without zeros.
    pub faults: Vec<(Severity, usize)>,
    /// Most urgent first, without zeros.
    pub others: Vec<(FindingClass, usize)>,
}

impl Tally {
    /// Counts findings.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let (mut faults, mut others) = (BTreeMap::new(), BTreeMap::new());
        for finding in findings {
            match finding.class {
                FindingClass::Fault => *faults.entry(Reverse(finding.severity)).or_default() += 1,
                class => *others.entry(class).or_default() += 1,
            }
        }
        Self {
            faults: faults.into_iter().map(|(severity, count)| (severity.0, count)).collect(),
            others: others.into_iter().collect(),
        }
    }

    /// Returns the word for the most urgent of them.
    pub fn worst(&self) -> Option<&'static str> {
        let fault = self.faults.first().map(|(severity, _)| severity.as_str());
        fault.or_else(|| self.others.first().map(|(class, _)| class.as_str()))
    }
}

/// Returns the rank of a piece of evidence, strongest first: 0 shows the problem (states, log lines, absences), 1 shows
/// the desired state, 2 only names the object.
pub fn telling(evidence: &Evidence) -> u8 {
    let Some(field) = evidence.field.as_deref() else { return 0 };
    let name = field.rsplit('.').next().unwrap_or_default();
    let names = matches!(name, "name" | "namespace" | "kind" | "apiVersion" | "uid");
    match field.split(['.', '[']).next().unwrap_or_default() {
        _ if names => 2,
        "metadata" if name != "deletionTimestamp" => 1,
        "spec" => 1,
        _ => 0,
    }
}

fn causes(findings: &[Finding]) -> Vec<Cause<'_>> {
    let mut by_fingerprint: HashMap<&str, usize> = HashMap::with_capacity(findings.len());
    for (index, finding) in findings.iter().enumerate() {
        by_fingerprint.entry(&finding.fingerprint).or_insert(index);
    }
    let mut symptoms: BTreeMap<usize, Vec<&Finding>> = BTreeMap::new();
    let mut tops = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        match top_cause(index, findings, &by_fingerprint) {
            top if top == index => tops.push((index, finding)),
            top => symptoms.entry(top).or_default().push(finding),
        }
    }
    let mut folded = |index| {
        let mut list = symptoms.remove(&index).unwrap_or_default();
        list.sort_by(|a, b| finding_order(a, b));
        list
    };
    tops.into_iter().map(|(index, finding)| Cause { finding, symptoms: folded(index) }).collect()
}

/// Follows `explained_by` to the last finding that exists.
fn top_cause(start: usize, findings: &[Finding], by_fingerprint: &HashMap<&str, usize>) -> usize {
    let mut at = start;
    for _ in 0..MAX_CHAIN {
        let above = findings.get(at).and_then(|f| f.explained_by.as_deref());
        match above.and_then(|fingerprint| by_fingerprint.get(fingerprint)) {
            Some(&next) if next != at => at = next,
            _ => return at,
        }
    }
    start
}

fn by_rule(causes: Vec<Cause<'_>>) -> Vec<Group<'_>> {
    let mut rules: BTreeMap<&str, Vec<Cause<'_>>> = BTreeMap::new();
    for cause in causes {
        rules.entry(&cause.finding.rule).or_default().push(cause);
    }
    let mut groups: Vec<Group<'_>> = rules.into_values().filter_map(group).collect();
    groups.sort_by(group_order);
    groups
}

fn group(mut causes: Vec<Cause<'_>>) -> Option<Group<'_>> {
    causes.sort_by(cause_order);
    let mut causes = causes.into_iter();
    Some(Group { lead: causes.next()?, more: causes.collect() })
}

fn group_order(a: &Group<'_>, b: &Group<'_>) -> Ordering {
    causality(&a.lead, a.explained(), &b.lead, b.explained())
        .then_with(|| b.latest().cmp(&a.latest()))
        .then_with(|| identity(a.lead.finding, b.lead.finding))
}

fn cause_order(a: &Cause<'_>, b: &Cause<'_>) -> Ordering {
    causality(a, a.symptoms.len(), b, b.symptoms.len())
        .then_with(|| last_seen(b.finding).cmp(&last_seen(a.finding)))
        .then_with(|| identity(a.finding, b.finding))
}

/// Urgency with all consequences first, then what explains most and began first, then the finding itself.
fn causality(a: &Cause<'_>, of_a: usize, b: &Cause<'_>, of_b: usize) -> Ordering {
    (a.urgency().cmp(&b.urgency()))
        .then_with(|| of_b.cmp(&of_a))
        .then_with(|| a.began().cmp(&b.began()))
        .then_with(|| weight(a.finding, b.finding))
}

fn finding_order(a: &Finding, b: &Finding) -> Ordering {
    weight(a, b).then_with(|| last_seen(b).cmp(&last_seen(a))).then_with(|| identity(a, b))
}

fn weight(a: &Finding, b: &Finding) -> Ordering {
    a.rank().cmp(&b.rank())
}

fn identity(a: &Finding, b: &Finding) -> Ordering {
    (&a.rule, &a.fingerprint).cmp(&(&b.rule, &b.fingerprint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;

    fn finding(fingerprint: &str, rule: &str, severity: Severity, explained_by: Option<&str>) -> Finding {
        Finding {
            fingerprint: fingerprint.into(),
            rule: rule.into(),
            severity,
            explained_by: explained_by.map(Into::into),
            ..specimen::finding()
        }
    }

    fn shape(findings: &[Finding]) -> Vec<Vec<(String, usize)>> {
        let one = |c: &Cause<'_>| (c.finding.fingerprint.clone(), c.symptoms.len());
        groups(findings).iter().map(|g| g.causes().map(one).collect()).collect()
    }

    #[test]
    fn causes_come_by_weight_and_by_what_they_explain() {
        let findings = [
            finding("low", "r-low", Severity::Low, None),
            finding("one", "r-one", Severity::High, None),
            finding("two", "r-two", Severity::High, None),
            finding("s", "r-s", Severity::Critical, Some("two")),
        ];
        let expected = [[("two".to_owned(), 1)], [("one".to_owned(), 0)], [("low".to_owned(), 0)]];
        assert_eq!(shape(&findings), expected.map(Vec::from));
        let order: Vec<_> = flat(&findings).iter().map(|f| f.fingerprint.as_str()).collect();
        assert_eq!(order, ["two", "one", "low", "s"]);
    }

    #[test]
    fn findings_that_held_at_the_collection_rank_before_earlier_ones() {
        let seen = |fingerprint, at: Option<&str>| Finding {
            last_seen: at.map(|at| at.parse().unwrap()),
            ..finding(fingerprint, &format!("r-{fingerprint}"), Severity::High, None)
        };
        let findings = [
            seen("a-early", Some("2025-03-18T09:00:00Z")),
            seen("b-late", Some("2025-03-18T10:00:00Z")),
            seen("c", None),
        ];
        let order: Vec<_> = flat(&findings).iter().map(|f| f.fingerprint.as_str()).collect();
        assert_eq!(order, ["c", "b-late", "a-early"]);
        assert_eq!(groups(&findings).iter().map(|g| g.lead.finding.fingerprint.as_str()).collect::<Vec<_>>(), order);
    }

    #[test]
    fn findings_of_one_rule_form_one_group() {
        let findings = [
            finding("b", "r", Severity::Low, None),
            finding("x", "other", Severity::Medium, None),
            finding("a", "r", Severity::High, None),
        ];
        let expected = vec![vec![("a".to_owned(), 0), ("b".to_owned(), 0)], vec![("x".to_owned(), 0)]];
        assert_eq!(shape(&findings), expected);
    }

    #[test]
    fn chains_fold_under_the_top() {
        let findings = [
            finding("a", "ra", Severity::High, None),
            finding("b", "rb", Severity::High, Some("a")),
            finding("c", "rc", Severity::High, Some("b")),
        ];
        assert_eq!(shape(&findings), [vec![("a".to_owned(), 2)]]);
    }

    #[test]
    fn no_finding_is_lost_in_cycles_or_under_missing_causes() {
        let findings = [
            finding("a", "ra", Severity::High, Some("b")),
            finding("b", "rb", Severity::High, Some("a")),
            finding("c", "rc", Severity::High, Some("gone")),
            finding("d", "rd", Severity::High, Some("d")),
        ];
        assert_eq!(flat(&findings).len(), 4);
        assert_eq!(groups(&findings).len(), 4);
    }

    #[test]
    fn the_order_of_input_does_not_matter() {
        let mut findings = vec![
            finding("a", "r", Severity::High, None),
            finding("b", "r", Severity::High, None),
            finding("c", "q", Severity::High, Some("b")),
        ];
        let before = shape(&findings);
        findings.reverse();
        assert_eq!(shape(&findings), before);
    }
}
