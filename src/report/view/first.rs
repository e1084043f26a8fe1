//! What to do first: one row for each of the most urgent causes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::finding::{anchor, fixed};
use super::verdict::severities;
use crate::model::inventory::Volume;
use crate::model::{Finding, FindingClass};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank::{self, Cause, Group};
use crate::report::shortened;
use crate::report::words;

/// Maximum number of rows, and of rows with causes of one rule: twenty degraded volumes leave room for what else there is.
const ROWS: usize = 7;
const ROWS_OF_ONE_RULE: usize = 3;
/// Maximum length of a name and of a step, in characters.
const NAME_SHOWN: usize = 120;
const STEP_SHOWN: usize = 200;
const MACHINE: &str = "VirtualMachine";
const CLAIM: &str = "PersistentVolumeClaim";

/// The list.
#[derive(Serialize)]
pub struct First<'a> {
    /// False if nothing is broken: then the rows are obstacles, risks and notes.
    faults: bool,
    rows: Vec<Row<'a>>,
    /// `and 3 more causes: 1 low, 2 obstacles`.
    left_out: Option<String>,
}

#[derive(Serialize)]
struct Row<'a> {
    anchor: String,
    /// Severity of a fault, else the class.
    label: &'static str,
    name: Cow<'a, str>,
    object: Option<Known<'a>>,
    since: Option<String>,
    /// Release with the fix, and the one that runs.
    fixed: Option<String>,
    step: Option<Cow<'a, str>>,
}

/// Object by the name that people know.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Known<'a> {
    pub kind: &'a str,
    pub namespace: Option<&'a str>,
    pub name: &'a str,
}

impl<'a> First<'a> {
    /// Lists faults; without any, the other causes.
    pub fn of(groups: &[Group<'a>], volumes: &'a [Volume], versions: &BTreeMap<String, String>, t: Lexicon) -> Self {
        let all: Vec<&Cause<'a>> = groups.iter().flat_map(Group::causes).collect();
        let faults = all.iter().any(|cause| is_fault(cause));
        let mut rows: Vec<&Cause<'a>> = groups.iter().flat_map(|group| group.causes().take(ROWS_OF_ONE_RULE)).collect();
        rows.retain(|cause| !faults || is_fault(cause));
        // Stable: causes of one urgency stay in the order of the cards.
        rows.sort_by_key(|cause| cause.urgency());
        rows.truncate(ROWS);
        let listed = |cause: &Finding| rows.iter().any(|row| std::ptr::eq(row.finding, cause));
        let rest: Vec<&Finding> = all.iter().map(|cause| cause.finding).filter(|finding| !listed(finding)).collect();
        let row = |cause: &&Cause<'a>| Row::of(cause.finding, volumes, versions, t);
        Self { faults, left_out: left_out(&rest, t), rows: rows.iter().map(row).collect() }
    }
}

fn is_fault(cause: &Cause<'_>) -> bool {
    cause.urgency().0 == FindingClass::Fault
}

fn left_out(rest: &[&Finding], t: Lexicon) -> Option<String> {
    let counts = severities(&rank::Tally::of(rest.iter().copied()), t);
    (!rest.is_empty()).then(|| t.fill(phrase::AndMoreCauses { n: rest.len() as u64, counts: &counts }))
}

impl<'a> Row<'a> {
    fn of(finding: &'a Finding, volumes: &'a [Volume], versions: &BTreeMap<String, String>, t: Lexicon) -> Self {
        let since = finding.first_seen.map(words::minute);
        Self {
            anchor: anchor(&finding.fingerprint),
            label: finding.label(),
            name: short_title(finding),
            object: known(finding, volumes),
            since: since.map(|time| t.fill(phrase::SinceTime { time: &time })),
            fixed: fixed(finding, versions, t),
            step: finding.remedy.first().map(|step| words::sentence(&step.action, STEP_SHOWN)),
        }
    }
}

/// Returns the short title of the rule; a finding of an older store has none.
pub fn short_title(finding: &Finding) -> Cow<'_, str> {
    match finding.name.as_str() {
        "" => words::sentence(&finding.title, NAME_SHOWN),
        name => words::clipped(name, NAME_SHOWN),
    }
}

/// Returns the object by which people know a finding: the machine or claim behind a volume that is named by an id, else its subject.
pub fn known<'a>(finding: &'a Finding, volumes: &'a [Volume]) -> Option<Known<'a>> {
    let subject = finding.objects.first()?;
    let itself = Known { kind: &subject.kind, namespace: subject.namespace.as_deref(), name: &subject.name };
    if shortened::uuid_at(&subject.name).is_none() {
        return Some(itself);
    }
    let of_kind = |kind: &str| finding.objects.iter().find(|object| object.kind == kind);
    let named = [MACHINE, "VirtualMachineInstance", CLAIM].into_iter().find_map(of_kind);
    let named =
        named.map(|object| Known { kind: &object.kind, namespace: object.namespace.as_deref(), name: &object.name });
    named.or_else(|| user(volumes.iter().find(|volume| volume.name == subject.name)?)).or(Some(itself))
}

/// Returns the machine or claim that uses a volume.
fn user(volume: &Volume) -> Option<Known<'_>> {
    let machine = volume.machines.first().map(|name| (MACHINE, name));
    let (kind, name) = machine.or(volume.claim.as_ref().map(|name| (CLAIM, name)))?;
    let (namespace, name) = name.split_once('/')?;
    Some(Known { kind, namespace: Some(namespace), name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ObjectRef, Severity};
    use crate::report::specimen;

    fn first(findings: &[Finding]) -> First<'_> {
        First::of(&rank::groups(findings), &[], &BTreeMap::new(), Lexicon::ENGLISH)
    }

    fn finding(rule: &str, number: usize, severity: Severity) -> Finding {
        let fingerprint = format!("{rule}-{number:02}");
        Finding { rule: rule.into(), fingerprint, severity, ..specimen::finding() }
    }

    fn shown<'f>(first: &'f First<'_>) -> Vec<&'f str> {
        first.rows.iter().map(|row| row.anchor.as_str()).collect()
    }

    #[test]
    fn the_most_urgent_faults_come_first_and_no_rule_takes_all_rows() {
        let mut findings: Vec<_> = (0..20).map(|n| finding("many", n, Severity::High)).collect();
        findings.extend([finding("worst", 0, Severity::Critical), finding("least", 0, Severity::Low)]);
        findings.push(Finding { class: FindingClass::Obstacle, ..finding("obstacle", 0, Severity::High) });
        let first = first(&findings);
        assert_eq!(shown(&first), ["f-worst-00", "f-many-00", "f-many-01", "f-many-02", "f-least-00"]);
        assert_eq!(first.left_out.as_deref(), Some("and 18 more causes: 17 high, 1 obstacle"));
    }

    #[test]
    fn without_faults_the_others_are_listed() {
        let risk = Finding { class: FindingClass::Risk, ..finding("risk", 0, Severity::High) };
        let findings = [risk];
        let first = first(&findings);
        assert_eq!((shown(&first), first.faults, first.left_out.is_none()), (vec!["f-risk-00"], false, true));
    }

    #[test]
    fn people_know_claims_not_ids() {
        let volume = ObjectRef::new("", "PersistentVolume", None, "pvc-ce3fa571-6642-4018-b7fd-9eb2c1e56191");
        let claim = ObjectRef::new("", "PersistentVolumeClaim", Some("shop"), "data");
        let machine = ObjectRef::new("kubevirt.io", "VirtualMachine", Some("shop"), "till");
        let used = Volume { name: volume.name.clone(), claim: Some("shop/cart".into()), ..Volume::default() };
        let told = |objects: &[&ObjectRef], volumes: &[Volume]| {
            let objects = objects.iter().map(|object| (*object).clone()).collect();
            let finding = Finding { objects, ..specimen::finding() };
            known(&finding, volumes).map(|known| format!("{} {:?} {}", known.kind, known.namespace, known.name))
        };
        let none: &[Volume] = &[];
        assert_eq!(told(&[&volume, &claim, &machine], none).unwrap(), "VirtualMachine Some(\"shop\") till");
        assert_eq!(told(&[&volume, &claim], none).unwrap(), "PersistentVolumeClaim Some(\"shop\") data");
        assert_eq!(told(&[&volume], &[used]).unwrap(), "PersistentVolumeClaim Some(\"shop\") cart");
        assert_eq!(told(&[&volume], none).unwrap(), format!("PersistentVolume None {}", volume.name));
        let node = ObjectRef::new("", "Node", None, "node1");
        assert_eq!(told(&[&node, &claim], none).unwrap(), "Node None node1", "a name that people gave is the subject");
        assert_eq!(told(&[], none), None);
    }
}
