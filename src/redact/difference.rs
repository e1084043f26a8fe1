//! Redacts the comparison of two bundles.

use crate::model::ReportedState;
use crate::model::difference::{
    Changed, ConfigurationChange, Difference, Findings, Health, HealthChange, Incomparable, KindChange, NotComparable,
    Restart, Still,
};

use super::bundle::facts;
use super::finding::redact_finding;
use super::key::Key;
use super::texts::Texts;

/// Replaces names with pseudonyms.
pub fn redact(difference: &mut Difference, texts: &Texts<'_>, key: &Key) {
    // Each field of the model is named here, so that a new one is not forgotten.
    let Difference {
        old,
        new,
        doubts,
        versions,
        nodes,
        findings,
        configuration,
        configuration_left_out: _,
        health,
        kinds,
        restarts,
        incomparable,
    } = difference;
    facts(old, texts, key);
    facts(new, texts, key);
    doubts.iter_mut().for_each(|doubt| texts.replace_in(doubt));
    versions.iter_mut().chain(nodes).for_each(|change| changed(change, texts));
    all_findings(findings, texts, key);
    for ConfigurationChange { object, fields, left_out: _, place } in configuration {
        texts.replace_in(object);
        fields.iter_mut().for_each(|field| changed(field, texts));
        texts.replace_entry(place);
    }
    for HealthChange { object, turn: _, old, new, recreated: _, place } in health {
        texts.replace_in(object);
        old.iter_mut().chain([new]).for_each(|health| state(health, texts));
        texts.replace_entry(place);
    }
    for KindChange { kind: _, gone, new } in kinds {
        gone.iter_mut().chain(new).for_each(|object| texts.replace_in(object));
    }
    for Restart { pod, container: _, times: _, last, place } in restarts {
        texts.replace_in(pod);
        texts.replace_all(last);
        texts.replace_entry(place);
    }
    for Incomparable { what: _, side: _, reason } in incomparable {
        texts.replace_in(reason);
    }
}

fn changed(changed: &mut Changed, texts: &Texts<'_>) {
    let Changed { name, old, new } = changed;
    texts.replace_all([name].into_iter().chain(old).chain(new));
}

fn state(health: &mut Health, texts: &Texts<'_>) {
    let Health { state, troubles } = health;
    match state {
        Some(ReportedState::Words(words)) => texts.replace_all(words),
        Some(ReportedState::Ready { ready: _, wanted: _ }) | None => {}
    }
    texts.replace_all(troubles);
}

fn all_findings(findings: &mut Findings, texts: &Texts<'_>, key: &Key) {
    let Findings { new, gone, still, not_comparable } = findings;
    new.iter_mut().chain(gone).for_each(|finding| redact_finding(finding, texts, key));
    for Still { finding, was } in still {
        redact_finding(finding, texts, key);
        was.iter_mut().for_each(|object| texts.replace_in(object));
    }
    for NotComparable { finding, side: _, reason } in not_comparable {
        redact_finding(finding, texts, key);
        texts.replace_in(reason);
    }
}
