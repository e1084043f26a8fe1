//! A finding as a page shows it: a [`Card`] holds all causes of one rule, texts that repeat stand once.

use std::borrow::Cow;

use serde::Serialize;

use crate::model::{Finding, ObjectRef, RemedyStep};
use crate::report::rank::{self, Cause, Group};
use crate::report::words;

use super::histogram::Bars;
use super::product_name;
use super::proof::{Proof, blocks};
use super::verdict::severities;

/// Entries with evidence shown openly, and how many more are kept folded for the lead of a card.
const EVIDENCE_SHOWN: usize = 4;
const EVIDENCE_FOLDED: usize = 12;
/// With more findings than that, those that share a card show this many entries: 10,000 findings stay near 25 MB.
const MANY_FINDINGS: usize = 1_000;
const EVIDENCE_OF_MANY: usize = 1;
/// Most other findings of a rule named at once.
const OTHERS_NAMED: usize = 3;
/// Most objects named.
const OBJECTS_SHOWN: usize = 12;
/// Most characters of one text and of a title.
const TEXT_SHOWN: usize = 20_000;
const TITLE_SHOWN: usize = 2_000;
const NAME_SHOWN: usize = 100;

/// All causes of one rule, or all symptoms of one rule under a cause.
#[derive(Serialize)]
pub struct Card<'a> {
    lead: Detail<'a>,
    more: Vec<Detail<'a>>,
    /// `2 more findings of the same rule: Pod a/b, Pod a/c`; none when there are none.
    more_title: Option<String>,
}

impl<'a> Card<'a> {
    /// The group in words; `total` is the number of findings on the page.
    pub fn of(group: &Group<'a>, total: usize) -> Self {
        let lead = group.lead.finding;
        Self {
            lead: Detail::of(&group.lead, None, total),
            more: group.more.iter().map(|cause| Detail::of(cause, Some(lead), total)).collect(),
            more_title: likewise(group),
        }
    }
}

/// One finding.
#[derive(Serialize)]
struct Detail<'a> {
    anchor: String,
    rule: &'a str,
    area: &'a str,
    severity: &'static str,
    confidence: &'static str,
    title: Cow<'a, str>,
    message: Cow<'a, str>,
    impact: Option<Cow<'a, str>>,
    cause: Option<Cow<'a, str>>,
    remedy: Vec<Step<'a>>,
    verify: Option<Cow<'a, str>>,
    links: Vec<Link<'a>>,
    affects: Option<String>,
    fixed_in: Option<String>,
    /// `seen 1,204 times, 2026-03-01 10:00:02 to 11:00:00 UTC`.
    seen: Option<String>,
    /// When its lines were written.
    histogram: Option<Bars>,
    objects: Vec<Object<'a>>,
    objects_left_out: usize,
    evidence: Vec<Proof<'a>>,
    evidence_folded: Vec<Proof<'a>>,
    /// Pieces that only the JSON output has.
    evidence_left_out: usize,
    symptoms: Vec<Card<'a>>,
    /// `Explains 14 findings: 3 high, 11 medium`.
    symptoms_title: Option<String>,
}

#[derive(Serialize)]
struct Step<'a> {
    action: Cow<'a, str>,
    run: Option<&'a str>,
    caution: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
struct Link<'a> {
    text: &'a str,
    /// None when it is not a plain web address: then it is text only.
    href: Option<&'a str>,
}

#[derive(Serialize)]
struct Object<'a> {
    kind: &'a str,
    group: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
}

impl<'a> Detail<'a> {
    /// A cause; texts that equal those of `lead`, shown just above, are left out.
    fn of(cause: &Cause<'a>, lead: Option<&Finding>, total: usize) -> Self {
        let finding = cause.finding;
        let differs = |text: fn(&Finding) -> &str| lead.is_none_or(|l| text(l) != text(finding));
        let (shown, folded) = evidence_room(lead.is_none(), total);
        let blocks = blocks(&finding.evidence);
        let new_steps = lead.is_none_or(|l| l.remedy != finding.remedy);
        Self {
            anchor: anchor(&finding.fingerprint),
            rule: &finding.rule,
            area: &finding.area,
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            title: words::sentence(&finding.title, TITLE_SHOWN),
            message: words::sentence(&finding.message, TEXT_SHOWN),
            impact: text(&finding.impact).filter(|_| differs(|f| &f.impact)),
            cause: text(&finding.cause).filter(|_| differs(|f| &f.cause)),
            remedy: if new_steps { finding.remedy.iter().map(Step::of).collect() } else { Vec::new() },
            verify: finding
                .verify
                .as_deref()
                .and_then(text)
                .filter(|_| lead.is_none_or(|l| l.verify != finding.verify)),
            links: if lead.is_none() { finding.links.iter().map(|l| Link::of(l)).collect() } else { Vec::new() },
            affects: products(&finding.affects).filter(|_| lead.is_none()),
            fixed_in: products(&finding.fixed_in).filter(|_| lead.is_none()),
            seen: seen(finding),
            histogram: Bars::of(&finding.seen),
            objects: finding.objects.iter().take(OBJECTS_SHOWN).map(Object::of).collect(),
            objects_left_out: finding.objects.len().saturating_sub(OBJECTS_SHOWN),
            evidence: blocks.iter().take(shown).map(Proof::of).collect(),
            evidence_folded: blocks.iter().skip(shown).take(folded).map(Proof::of).collect(),
            evidence_left_out: blocks.iter().skip(shown + folded).map(|block| block.pieces.len()).sum(),
            symptoms: rank::symptom_groups(&cause.symptoms).iter().map(|g| Card::of(g, total)).collect(),
            symptoms_title: explains(&cause.symptoms),
        }
    }
}

impl<'a> Step<'a> {
    fn of(step: &'a RemedyStep) -> Self {
        let text = |text: &'a str| words::sentence(text, TEXT_SHOWN);
        Self { action: text(&step.action), run: step.run.as_deref(), caution: step.caution.as_deref().map(text) }
    }
}

impl<'a> Link<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, href: is_web_address(text).then_some(text) }
    }
}

impl<'a> Object<'a> {
    fn of(object: &'a ObjectRef) -> Self {
        Self { kind: &object.kind, group: &object.group, namespace: object.namespace.as_deref(), name: &object.name }
    }
}

/// The name of a finding within a page; part of links that people keep.
pub fn anchor(fingerprint: &str) -> String {
    format!("f-{fingerprint}")
}

/// `Explains 14 findings: 3 high, 11 medium`.
pub fn explains(symptoms: &[&Finding]) -> Option<String> {
    let counts = severities(&rank::severities(symptoms.iter().copied()));
    (!symptoms.is_empty()).then(|| format!("Explains {}: {counts}", words::counted(symptoms.len(), "finding")))
}

/// `2 more findings of the same rule: Pod a/b, Pod a/c`; those about the object of the lead are told by their title.
pub fn likewise(group: &Group<'_>) -> Option<String> {
    let lead = group.lead.finding.objects.first();
    let name = |cause: &Cause<'_>| match cause.finding.objects.first() {
        Some(object) if Some(object) != lead => words::clipped(&object_name(object), NAME_SHOWN).into_owned(),
        _ => words::sentence(&cause.finding.title, NAME_SHOWN).into_owned(),
    };
    let named: Vec<String> = group.more.iter().take(OTHERS_NAMED).map(name).collect();
    let more = match group.more.len().saturating_sub(OTHERS_NAMED) {
        0 => String::new(),
        n => format!(" and {} more", words::number(n as u64)),
    };
    let count = words::counted(group.more.len(), "more finding");
    (!named.is_empty()).then(|| format!("{count} of the same rule: {}{more}", named.join(", ")))
}

/// `Pod shop/cart-0`.
fn object_name(object: &ObjectRef) -> String {
    match &object.namespace {
        Some(namespace) => format!("{} {namespace}/{}", object.kind, object.name),
        None => format!("{} {}", object.kind, object.name),
    }
}

/// How many entries of evidence are shown openly and how many folded.
fn evidence_room(leads: bool, total: usize) -> (usize, usize) {
    match (leads, total > MANY_FINDINGS) {
        (true, false) => (EVIDENCE_SHOWN, EVIDENCE_FOLDED),
        (true, true) | (false, false) => (EVIDENCE_SHOWN, 0),
        (false, true) => (EVIDENCE_OF_MANY, 0),
    }
}

fn text(text: &str) -> Option<Cow<'_, str>> {
    (!text.trim().is_empty()).then(|| words::sentence(text, TEXT_SHOWN))
}

/// `Longhorn 1.12.1, 1.13.1; RKE2 1.30.2`.
pub fn products(versions: &[(String, String)]) -> Option<String> {
    let parts: Vec<_> = versions.iter().map(|(product, v)| format!("{} {v}", product_name(product))).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `seen 1,204 times, 2026-03-01 10:00:02 to 11:00:00 UTC`.
pub fn seen(finding: &Finding) -> Option<String> {
    let when = match (&finding.first_seen, &finding.last_seen) {
        (Some(first), Some(last)) => Some(words::span(first, last)),
        (Some(one), None) | (None, Some(one)) => Some(words::instant(one)),
        (None, None) => None,
    };
    match (finding.count, when) {
        (0 | 1, when) => when.map(|w| format!("seen {w}")),
        (n, Some(when)) => Some(format!("seen {} times, {when}", words::number(n))),
        (n, None) => Some(format!("seen {} times", words::number(n))),
    }
}

/// Only http and https, and nothing that could end the address or hide its target.
pub fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|r| {
        !r.is_empty() && r.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '\\'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;

    #[test]
    fn only_web_addresses_become_links() {
        assert!(is_web_address("https://example.org/a?b=c#d"));
        for text in
            ["javascript:alert(1)", "data:text/html,x", "https://", "https://a b", "https://a\"onclick=", "/etc"]
        {
            assert!(!is_web_address(text), "{text}");
        }
    }

    #[test]
    fn texts_equal_to_those_of_the_lead_stand_once() {
        let lead = specimen::finding();
        let mut other = Finding { title: "another".into(), ..specimen::finding() };
        other.impact = "different".into();
        let detail = Detail::of(&Cause { finding: &other, symptoms: vec![] }, Some(&lead), 2);
        assert_eq!(detail.title, "another");
        assert_eq!(detail.impact.as_deref(), Some("different"));
        assert!(detail.cause.is_none() && detail.remedy.is_empty() && detail.links.is_empty());
    }

    #[test]
    fn evidence_is_cut_and_counted() {
        let mut finding = specimen::finding();
        let piece = finding.evidence[0].clone();
        let entry = |n: usize| crate::model::Evidence { entry: format!("{n:02}.yaml"), ..piece.clone() };
        finding.evidence = (0..EVIDENCE_SHOWN + EVIDENCE_FOLDED + 2).map(entry).collect();
        let cause = Cause { finding: &finding, symptoms: vec![] };
        let detail = Detail::of(&cause, None, 1);
        assert_eq!(detail.evidence.len(), EVIDENCE_SHOWN);
        assert_eq!(detail.evidence_folded.len(), EVIDENCE_FOLDED);
        assert_eq!(detail.evidence_left_out, 2);
        let detail = Detail::of(&cause, Some(&specimen::finding()), MANY_FINDINGS + 1);
        assert_eq!((detail.evidence.len(), detail.evidence_folded.len()), (EVIDENCE_OF_MANY, 0));
    }

    #[test]
    fn others_of_a_rule_are_named() {
        let lead = specimen::finding();
        let other = |name: &str| {
            let mut finding = Finding { title: format!("trouble with {name}"), ..specimen::finding() };
            finding.objects[0].name = name.to_owned();
            finding
        };
        let same = Finding { title: "another trouble".into(), ..specimen::finding() };
        let others = [other("b"), same, other("c"), other("d"), other("e")];
        let cause = |finding| Cause { finding, symptoms: vec![] };
        let mut group = Group { lead: cause(&lead), more: others.iter().map(cause).collect() };
        assert_eq!(
            likewise(&group).as_deref(),
            Some(
                "5 more findings of the same rule: PersistentVolumeClaim shop/b, another trouble, \
                 PersistentVolumeClaim shop/c and 2 more"
            )
        );
        group.more.clear();
        assert_eq!(likewise(&group), None);
    }

    #[test]
    fn counts_and_times_are_put_together() {
        let mut finding = specimen::finding();
        finding.count = 1204;
        finding.first_seen = Some("2026-03-01T10:00:02Z".into());
        finding.last_seen = Some("2026-03-01T11:00:00Z".into());
        assert_eq!(seen(&finding).as_deref(), Some("seen 1,204 times, 2026-03-01 10:00:02 to 11:00:00 UTC"));
        (finding.count, finding.first_seen, finding.last_seen) = (1, None, None);
        assert_eq!(seen(&finding), None);
    }
}
