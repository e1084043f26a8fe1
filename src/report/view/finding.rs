//! Findings as a page shows them: a [`Card`] holds all causes of one rule, and repeated texts are shown once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::message::Reason;
use crate::model::{
    ChangeKind, CheckedComponent, DirectCause, Finding, Novelty, ObjectRef, PathStep, RemedyStep, RuleOutcomes,
    TimedText,
};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank::{self, Cause, Group};
use crate::report::words;

use super::bundle::version_name;
use super::filters::Filters;
use super::histogram::Bars;
use super::meaning;
use super::period::Period;
use super::product_name;
use super::proof::{Proofs, Room};
use super::verdict::severities;

/// Number of findings above which each shows less of its evidence: 10,000 findings stay below 25 MB.
const MANY_FINDINGS: usize = 1_000;
/// Maximum number of entries whose evidence is folded: of the first finding of a card, and of the others.
const FOLDED_OF_LEAD: usize = 12;
const FOLDED_OF_OTHERS: usize = 2;
/// Maximum number of other findings of a rule named at once.
const OTHERS_NAMED: usize = 3;
/// Maximum number of objects named.
const OBJECTS_SHOWN: usize = 12;
/// Maximum length of a text, a title and a name, in characters.
const TEXT_SHOWN: usize = 20_000;
const TITLE_SHOWN: usize = 2_000;
const NAME_SHOWN: usize = 100;
/// Maximum length of a line around the beginning of a finding, in characters.
const EARLIER_SHOWN: usize = 300;

/// Context of a finding on the page.
#[derive(Clone, Copy)]
pub struct Setting<'s> {
    /// All findings by fingerprint.
    pub findings: &'s BTreeMap<&'s str, &'s Finding>,
    /// Number of findings on the page.
    pub total: usize,
    /// Version in the bundle, by product.
    pub versions: &'s BTreeMap<String, String>,
    pub filters: &'s Filters<'s>,
    pub rules: &'s RuleOutcomes,
    pub t: Lexicon,
}

/// All causes of one rule, or all symptoms of one rule under a cause.
#[derive(Serialize)]
pub struct Card<'a> {
    lead: Detail<'a>,
    more: Vec<Detail<'a>>,
    /// `2 causes explain 10 findings: 4 critical, 6 high`; none if they explain nothing or the group is shown under a cause.
    explains: Option<String>,
    /// `2 more causes of the same rule: Pod a/b, Pod a/c`; none when there are none.
    more_title: Option<String>,
    /// True if the lists of the card stay text until they are opened: a page with very many findings is usable sooner.
    packed: bool,
}

impl<'a> Card<'a> {
    /// Puts the group into words; `under` is the cause that it is shown under.
    pub fn of(group: &Group<'a>, under: Option<&Finding>, setting: Setting<'_>) -> Self {
        let lead = group.lead.finding;
        Self {
            lead: Detail::of(&group.lead, None, under, setting),
            more: group.more.iter().map(|cause| Detail::of(cause, Some(lead), under, setting)).collect(),
            explains: if under.is_none() { group_explains(group, setting.t) } else { None },
            more_title: if under.is_none() { likewise(group, setting.t) } else { other_symptoms(group, setting.t) },
            // A folded card is in a list that is packed already.
            packed: under.is_none() && setting.total > MANY_FINDINGS,
        }
    }
}

/// One finding.
#[derive(Serialize)]
struct Detail<'a> {
    anchor: String,
    /// Tokens for the filters.
    tokens: String,
    /// True for the first finding of its card, which has the texts that all of them share.
    leads: bool,
    /// True if there are too many findings to show all parts of this one.
    brief: bool,
    rule: &'a str,
    area: &'a str,
    class: &'static str,
    severity: &'static str,
    confidence: &'static str,
    /// True if an older bundle does not have it.
    new: bool,
    title: Cow<'a, str>,
    message: Cow<'a, str>,
    /// What was not collected and may hold more of it.
    uncovered: Option<String>,
    impact: Option<Cow<'a, str>>,
    cause: Option<Cow<'a, str>>,
    remedy: Vec<Step<'a>>,
    /// Steps as plain text, for brief findings.
    plain_remedy: Option<String>,
    verify: Option<Cow<'a, str>>,
    links: Vec<Link<'a>>,
    /// `Longhorn: affects <1.4.0, fixed in 1.4.0, this bundle: v1.3.2`, one per product.
    versions: Vec<String>,
    /// `seen 1,204 times, 2026-03-01 10:00:02 to 11:00:00 UTC`.
    seen: Option<String>,
    at: Option<Period>,
    /// Times of its log lines.
    histogram: Option<Bars>,
    objects: Vec<Object<'a>>,
    objects_left_out: usize,
    evidence: Proofs<'a>,
    /// Findings that explain this one directly.
    because: Vec<Because>,
    /// `disk of node n1: 8 checks found nothing; 2 could not be run: logs of n1 were not collected`
    checked: Vec<String>,
    /// Errors around its beginning: text, and `12 lines, 2026-03-01 10:00 to 11:00, logs/shop/web/app.log:17`.
    errors_before: Vec<Earlier>,
    /// `Deployment shop/web was changed by kubectl-edit at ...`, and the place that says so.
    changed_before: Vec<Earlier>,
    symptoms: Vec<Card<'a>>,
    /// `Explains 14 findings: 3 high, 11 medium`.
    symptoms_title: Option<String>,
}

/// Cause of a finding.
#[derive(Serialize)]
struct Because {
    anchor: String,
    title: String,
    /// `Pod shop/cart-0 → spec.nodeName → kubelet of node n1`; none if a rule states it.
    path: Option<String>,
}

#[derive(Serialize)]
struct Earlier {
    text: String,
    note: String,
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
    /// None if it is not a plain web address: it is shown as text then.
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
    /// Puts a cause into words, without the texts that equal those of `lead`, shown just above.
    fn of(cause: &Cause<'a>, lead: Option<&Finding>, under: Option<&Finding>, setting: Setting<'_>) -> Self {
        let (finding, t) = (cause.finding, setting.t);
        let differs = |text: fn(&Finding) -> &str| lead.is_none_or(|l| text(l) != text(finding));
        let brief = lead.is_some() && setting.total > MANY_FINDINGS;
        let new_steps = lead.is_none_or(|l| l.remedy != finding.remedy);
        let remedy: Vec<_> = finding.remedy.iter().filter(|_| new_steps).map(Step::of).collect();
        let new_check = lead.is_none_or(|l| l.verify != finding.verify);
        Self {
            anchor: anchor(&finding.fingerprint),
            tokens: setting.filters.tokens(finding, under),
            leads: lead.is_none(),
            brief,
            rule: &finding.rule,
            area: &finding.area,
            class: finding.class.as_str(),
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            new: finding.novelty == Some(Novelty::New),
            title: words::sentence(&finding.title, TITLE_SHOWN),
            message: words::sentence(&finding.message, TEXT_SHOWN),
            uncovered: setting.rules.uncovered(&finding.rule).filter(|_| lead.is_none()).map(|why| uncovered(why, t)),
            impact: text(&finding.impact).filter(|_| differs(|f| &f.impact)),
            cause: text(&finding.cause).filter(|_| differs(|f| &f.cause)),
            plain_remedy: (brief && !remedy.is_empty()).then(|| plain_steps(&remedy, t)),
            remedy: if brief { Vec::new() } else { remedy },
            verify: finding.verify.as_ref().and_then(text).filter(|_| new_check),
            links: if lead.is_none() { finding.links.iter().map(|l| Link::of(l)).collect() } else { Vec::new() },
            versions: if lead.is_none() { versions(finding, setting.versions, t) } else { Vec::new() },
            seen: seen(finding, t),
            at: Period::seen(finding.first_seen, finding.last_seen),
            histogram: Bars::of(&finding.seen, t),
            objects: finding.objects.iter().take(OBJECTS_SHOWN).map(Object::of).collect(),
            objects_left_out: finding.objects.len().saturating_sub(OBJECTS_SHOWN),
            evidence: Proofs::of(&finding.evidence, evidence_room(lead.is_none(), setting.total), t),
            because: finding.causes.iter().filter_map(|cause| Because::of(cause, setting)).collect(),
            checked: finding.checked.iter().map(|one| checked(one, t)).collect(),
            errors_before: errors_before(finding, t).map(|(text, note)| Earlier { text, note }).collect(),
            changed_before: changed_before(finding, t).map(|(text, note)| Earlier { text, note }).collect(),
            symptoms: rank::symptom_groups(&cause.symptoms)
                .iter()
                .map(|group| Card::of(group, Some(finding), setting))
                .collect(),
            symptoms_title: explains(&cause.symptoms, t),
        }
    }
}

impl Because {
    /// None if the cause is not in the report.
    fn of(cause: &DirectCause, setting: Setting<'_>) -> Option<Self> {
        let finding = setting.findings.get(cause.finding.as_str())?;
        Some(Self {
            anchor: anchor(&finding.fingerprint),
            title: words::sentence(&finding.title, TITLE_SHOWN).into_owned(),
            path: path(cause, setting.t),
        })
    }
}

/// Returns what is known of a component behind a finding without a cause.
pub fn checked(one: &CheckedComponent, t: Lexicon) -> String {
    let CheckedComponent { component, clean, unproven, reason } = one;
    let mut text = t.message(component) + t.say(phrase::COLON);
    text += &t.fill(phrase::ChecksFoundNothing { n: *clean as u64 });
    if let Some(reason) = reason {
        text += t.say(phrase::SEMICOLON);
        text += &t.fill(phrase::ChecksNotMade { n: unproven, why: &t.message(reason) });
    }
    text
}

/// Returns the errors around the beginning of a finding without a cause: a line, and how many there are, when and where.
pub fn errors_before(finding: &Finding, t: Lexicon) -> impl Iterator<Item = (String, String)> {
    finding.before.errors.iter().map(move |error| {
        let mut notes = vec![t.fill(phrase::LogLines { n: error.lines })];
        notes.extend(error.first.zip(error.last).map(|(first, last)| t.span(first, last)));
        notes.push(error.last_at.to_string());
        let mut note = t.list(notes);
        if let Some(known) = &error.known {
            note += t.say(phrase::COLON);
            note += &meaning::sentences(known, t);
        }
        (words::clipped(&error.sample, EARLIER_SHOWN).into_owned(), note)
    })
}

/// Returns the changes shortly before a finding without a cause, and where the bundle says so.
pub fn changed_before(finding: &Finding, t: Lexicon) -> impl Iterator<Item = (String, String)> {
    finding.before.changes.iter().map(move |change| {
        let (object, time) = (&change.object, &t.instant(change.at));
        let text = match &change.kind {
            ChangeKind::Changed { by: client } => t.fill(phrase::ChangedBy { object, client, time }),
            ChangeKind::Created => t.fill(phrase::CreatedAt { object, time }),
            ChangeKind::Started => t.fill(phrase::StartedAt { object, time }),
        };
        (text, change.origin.to_string())
    })
}

/// Returns how a finding depends on what its cause breaks; none if a rule states it.
pub fn path(cause: &DirectCause, t: Lexicon) -> Option<String> {
    let step = |step: &PathStep| match step.by {
        Some(by) => format!(" → {by} → {}", t.message(&step.component)),
        None => t.message(&step.component),
    };
    let steps: String = cause.path.iter().map(step).collect();
    (!steps.is_empty()).then_some(steps)
}

impl<'a> Step<'a> {
    fn of(step: &'a RemedyStep) -> Self {
        let text = |text: &'a TimedText| words::sentence(text, TEXT_SHOWN);
        Self { action: text(&step.action), run: step.run.as_deref(), caution: step.caution.as_ref().map(text) }
    }
}

impl<'a> Link<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, href: words::is_web_address(text).then_some(text) }
    }
}

impl<'a> Object<'a> {
    fn of(object: &'a ObjectRef) -> Self {
        Self { kind: &object.kind, group: &object.group, namespace: object.namespace.as_deref(), name: &object.name }
    }
}

/// `There may be more: logs of node n2 are not in the bundle`
pub fn uncovered(why: &Reason, t: Lexicon) -> String {
    t.fill(phrase::ThereMayBeMore { why: &t.message(why) })
}

/// Returns the anchor of a finding within a page; it is part of links that people keep, so it must not change.
pub fn anchor(fingerprint: &str) -> String {
    format!("f-{fingerprint}")
}

/// `Explains 14 findings: 3 high, 11 medium`.
pub fn explains(symptoms: &[&Finding], t: Lexicon) -> Option<String> {
    let counts = severities(&rank::Tally::of(symptoms.iter().copied()), t);
    (!symptoms.is_empty()).then(|| t.fill(phrase::Explains { n: symptoms.len() as u64, counts: &counts }))
}

/// `Explains 14 findings: 3 high, 11 medium`, of several causes `2 causes explain 14 findings: 3 high, 11 medium`.
pub fn group_explains(group: &Group<'_>, t: Lexicon) -> Option<String> {
    let all: Vec<&Finding> = group.causes().flat_map(|cause| cause.symptoms.iter().copied()).collect();
    if group.more.is_empty() || all.is_empty() {
        return explains(&all, t);
    }
    let counts = severities(&rank::Tally::of(all.iter().copied()), t);
    let causes = group.more.len() + 1;
    Some(t.fill(phrase::CausesExplain { causes: &causes, n: all.len() as u64, counts: &counts }))
}

/// `2 more causes of the same rule: Pod a/b, Pod a/c`.
pub fn likewise(group: &Group<'_>, t: Lexicon) -> Option<String> {
    let n = group.more.len() as u64;
    (n > 0).then(|| t.fill(phrase::MoreCausesOfTheRuleNamed { n, names: &names_of_others(group, t) }))
}

/// `2 more findings of the same rule: Pod a/b, Pod a/c`, of findings that a cause explains.
fn other_symptoms(group: &Group<'_>, t: Lexicon) -> Option<String> {
    let n = group.more.len() as u64;
    (n > 0).then(|| t.fill(phrase::MoreOfTheRuleNamed { n, names: &names_of_others(group, t) }))
}

/// `Pod a/b, Pod a/c`; findings about the same object as the lead are named by their title.
fn names_of_others(group: &Group<'_>, t: Lexicon) -> String {
    let lead = group.lead.finding.objects.first();
    let name = |cause: &Cause<'_>| match cause.finding.objects.first() {
        Some(object) if Some(object) != lead => words::clipped(&object_name(object), NAME_SHOWN).into_owned(),
        _ => words::sentence(&cause.finding.title, NAME_SHOWN).into_owned(),
    };
    t.some(group.more.iter().take(OTHERS_NAMED).map(name), group.more.len().saturating_sub(OTHERS_NAMED))
}

/// `Pod shop/cart-0`.
fn object_name(object: &ObjectRef) -> String {
    match &object.namespace {
        Some(namespace) => format!("{} {namespace}/{}", object.kind, object.name),
        None => format!("{} {}", object.kind, object.name),
    }
}

/// Returns how much evidence a finding shows.
fn evidence_room(leads: bool, total: usize) -> Room {
    match (leads, total > MANY_FINDINGS) {
        (true, false) => Room { plain: false, brief: true, folded: FOLDED_OF_LEAD },
        (false, false) => Room { plain: false, brief: false, folded: FOLDED_OF_OTHERS },
        (leads, true) => Room { plain: !leads, brief: leads, folded: 0 },
    }
}

/// Returns one step per line, with `$` before commands.
fn plain_steps(steps: &[Step<'_>], t: Lexicon) -> String {
    let mut lines = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        lines.push(format!("{}. {}", number + 1, step.action));
        lines.extend(step.caution.iter().map(|caution| format!("   {} {caution}", t.say(phrase::CAUTION))));
        lines.extend(step.run.iter().map(|run| format!("   $ {run}")));
    }
    lines.join("\n")
}

fn text(text: &TimedText) -> Option<Cow<'_, str>> {
    (!text.trim().is_empty()).then(|| words::sentence(text, TEXT_SHOWN))
}

/// `Longhorn: affects <1.4.0, fixed in 1.4.0, this bundle: v1.3.2`: the versions of the rule for each product, and the
/// version in the bundle.
fn versions(finding: &Finding, here: &BTreeMap<String, String>, t: Lexicon) -> Vec<String> {
    let mut products: Vec<&str> = Vec::new();
    let affected = finding.affects.iter().map(|(product, _)| product);
    for product in affected.chain(finding.fixed_in.iter().map(|(product, _)| product)) {
        if !products.contains(&product.as_str()) {
            products.push(product);
        }
    }
    let line = |product: &str| {
        let affects = finding.affects.iter().find(|(of, _)| of == product);
        let affects = affects.map(|(_, range)| match range.is_everything() {
            true => t.say(phrase::AFFECTS_ALL_VERSIONS).to_owned(),
            false => t.fill(phrase::Affects { range: &range.text() }),
        });
        let fixed = finding.fixed_in.iter().find(|(of, _)| of == product);
        let fixed = fixed.map(|(_, version)| t.fill(phrase::FixedIn { version }));
        let here = here.get(product).map(|version| version_name(product, version, t));
        let here = here.map(|version| t.fill(phrase::ThisBundle { version: &version }));
        let parts = t.list([affects, fixed, here].into_iter().flatten());
        format!("{}: {parts}", product_name(product))
    };
    products.into_iter().map(line).collect()
}

/// `fixed in Longhorn 1.4.0, you run v1.3.2`; none if no version has the fix, or that of the bundle is not known.
pub fn fixed(finding: &Finding, here: &BTreeMap<String, String>, t: Lexicon) -> Option<String> {
    finding.fixed_in.iter().find_map(|(product, version)| {
        let here = version_name(product, here.get(product)?, t);
        Some(t.fill(phrase::FixedYouRun { product: &product_name(product), version, here: &here }))
    })
}

/// `seen 1,204 times, 2026-03-01 10:00:02 to 11:00:00 UTC`.
pub fn seen(finding: &Finding, t: Lexicon) -> Option<String> {
    let when = match (finding.first_seen, finding.last_seen) {
        (Some(first), Some(last)) => Some(t.span(first, last)),
        (Some(one), None) | (None, Some(one)) => Some(t.instant(one)),
        (None, None) => None,
    };
    let count = if states_count(finding) { 1 } else { finding.count };
    match (count, when) {
        (0 | 1, when) => when.map(|when| t.fill(phrase::SeenWhen { when: &when })),
        (n, Some(when)) => Some(t.fill(phrase::SeenTimesWhen { n: &words::number(n), when: &when })),
        (n, None) => Some(t.fill(phrase::SeenTimes { n: &words::number(n) })),
    }
}

/// Returns true if the title or the message contains the count, so that the card need not repeat it. Small numbers are
/// ignored: they are often something else, such as a number of replicas.
fn states_count(finding: &Finding) -> bool {
    const LEAST: u64 = 10;
    let forms = [finding.count.to_string(), words::number(finding.count)];
    let mut words = [&finding.title, &finding.message].into_iter().flat_map(|text| text.split_whitespace());
    finding.count >= LEAST && words.any(|word| forms.iter().any(|form| word.trim_matches(is_punctuation) == form))
}

fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::version::Range;
    use crate::report::specimen;

    const T: Lexicon = Lexicon::ENGLISH;

    fn detail<'a>(finding: &'a Finding, lead: Option<&Finding>, total: usize) -> Detail<'a> {
        let filters = Filters::of(&[], &[], T);
        let (versions, rules) = (BTreeMap::new(), RuleOutcomes::default());
        let findings = BTreeMap::new();
        let setting =
            Setting { findings: &findings, total, versions: &versions, filters: &filters, rules: &rules, t: T };
        Detail::of(&Cause { finding, symptoms: vec![] }, lead, None, setting)
    }

    #[test]
    fn texts_equal_to_those_of_the_lead_stand_once() {
        let lead = specimen::finding();
        let mut other = Finding { title: "another".into(), ..specimen::finding() };
        other.impact = "different".into();
        let detail = detail(&other, Some(&lead), 2);
        assert_eq!(detail.title, "another");
        assert_eq!(detail.impact.as_deref(), Some("different"));
        assert!(detail.cause.is_none() && detail.remedy.is_empty() && detail.links.is_empty());
    }

    #[test]
    fn many_findings_show_less_of_their_evidence() {
        let finding = specimen::finding();
        let lines = |lead, total| detail(&finding, lead, total).evidence.lines();
        assert_eq!(lines(None, MANY_FINDINGS), 2);
        assert_eq!(lines(None, MANY_FINDINGS + 1), 2);
        assert_eq!(lines(Some(&finding), MANY_FINDINGS + 1), 1, "without its neighbour");
    }

    #[test]
    fn many_findings_tell_their_steps_as_text() {
        let lead = Finding { remedy: vec![], ..specimen::finding() };
        let finding = specimen::finding();
        let brief = detail(&finding, Some(&lead), MANY_FINDINGS + 1);
        assert_eq!(
            brief.plain_remedy.as_deref(),
            Some(
                "1. Look for a backup\n   $ kubectl -n longhorn-system get backups\n2. Delete the claim\n   \
                 Caution: what is not backed up is gone"
            )
        );
        assert!(brief.brief && brief.remedy.is_empty());
        assert!(detail(&finding, Some(&lead), MANY_FINDINGS).plain_remedy.is_none());
    }

    #[test]
    fn versions_stand_beside_that_of_the_bundle() {
        let mut finding = specimen::finding();
        finding.affects.push(("rancher".into(), Range::parse("*").unwrap()));
        let here = [("longhorn".to_owned(), "v1.3.2".to_owned()), ("rancher".to_owned(), "0.0.0-dev".to_owned())];
        assert_eq!(
            versions(&finding, &here.into(), T),
            [
                "Longhorn: affects >=1.2.0 <1.4.0, fixed in 1.4.0, this bundle: v1.3.2",
                "Rancher: affects all versions, this bundle: 0.0.0-dev (development build)"
            ]
        );
        assert_eq!(
            versions(&specimen::finding(), &BTreeMap::new(), T),
            ["Longhorn: affects >=1.2.0 <1.4.0, fixed in 1.4.0"]
        );
    }

    #[test]
    fn the_release_with_the_fix_is_told_beside_the_running_one() {
        let here = [("longhorn".to_owned(), "v1.3.2".to_owned())].into();
        assert_eq!(fixed(&specimen::finding(), &here, T).unwrap(), "fixed in Longhorn 1.4.0, you run v1.3.2");
        assert_eq!(fixed(&specimen::finding(), &BTreeMap::new(), T), None);
    }

    #[test]
    fn others_of_a_rule_are_named() {
        let lead = specimen::finding();
        let other = |name: &str| {
            let mut finding = Finding { title: format!("trouble with {name}").into(), ..specimen::finding() };
            finding.objects[0].name = name.to_owned();
            finding
        };
        let same = Finding { title: "another trouble".into(), ..specimen::finding() };
        let others = [other("b"), same, other("c"), other("d"), other("e")];
        let cause = |finding| Cause { finding, symptoms: vec![] };
        let mut group = Group { lead: cause(&lead), more: others.iter().map(cause).collect() };
        let names = "PersistentVolumeClaim shop/b, another trouble, PersistentVolumeClaim shop/c and 2 more";
        assert_eq!(likewise(&group, T), Some(format!("5 more causes of the same rule: {names}")));
        assert_eq!(other_symptoms(&group, T), Some(format!("5 more findings of the same rule: {names}")));
        group.more.clear();
        assert_eq!(likewise(&group, T), None);
    }

    #[test]
    fn counts_and_times_are_put_together() {
        let mut finding = specimen::finding();
        finding.count = 1204;
        finding.first_seen = "2026-03-01T10:00:02Z".parse().ok();
        finding.last_seen = "2026-03-01T11:00:00Z".parse().ok();
        assert_eq!(seen(&finding, T).as_deref(), Some("seen 1,204 times, 2026-03-01 10:00:02 to 11:00:00 UTC"));
        finding.title = "1204 ext4 errors on node alpha".into();
        assert_eq!(seen(&finding, T).as_deref(), Some("seen 2026-03-01 10:00:02 to 11:00:00 UTC"));
        finding.title = "ext4 errors on sda1204".into();
        finding.message = "The kernel reports ext4 errors (1,204).".into();
        assert_eq!(seen(&finding, T).as_deref(), Some("seen 2026-03-01 10:00:02 to 11:00:00 UTC"));
        (finding.count, finding.first_seen, finding.last_seen) = (1, None, None);
        assert_eq!(seen(&finding, T), None);
    }
}
