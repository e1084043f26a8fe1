//! Redacts findings.

use crate::model::{
    Before, Change, ChangeKind, CheckedComponent, DirectCause, Evidence, EvidenceValue, ExcerptLine, Finding, PathStep,
    RemedyStep,
};

use super::key::Key;
use super::texts::Texts;
use super::unexplained;

/// Replaces names with pseudonyms, and keys fingerprints.
pub fn redact_finding(finding: &mut Finding, texts: &Texts<'_>, key: &Key) {
    let Finding {
        rule: _,
        name,
        class: _,
        severity: _,
        confidence: _,
        area: _,
        title,
        message,
        impact,
        cause,
        affects: _,
        fixed_in: _,
        objects,
        remedy,
        verify,
        links,
        evidence,
        count: _,
        seen: _,
        first_seen: _,
        last_seen: _,
        fingerprint,
        explained_by,
        causes,
        checked,
        before: Before { errors, changes },
        novelty: _,
    } = finding;
    *fingerprint = key.fingerprint(fingerprint);
    explained_by.iter_mut().for_each(|cause| *cause = key.fingerprint(cause));
    for DirectCause { finding, path } in causes {
        *finding = key.fingerprint(finding);
        path.iter_mut().for_each(|PathStep { component, by: _ }| texts.replace_in(component));
    }
    for CheckedComponent { component, clean: _, unproven: _, reason } in checked {
        texts.replace_in(component);
        reason.iter_mut().for_each(|reason| texts.replace_in(reason));
    }
    errors.iter_mut().for_each(|error| unexplained::template(error, texts));
    for Change { at: _, object, origin, kind } in changes {
        texts.replace_in(object);
        texts.replace_entry(origin);
        if let ChangeKind::Changed { by } = kind {
            texts.replace_all([by]);
        }
    }
    let rendered = [title, message, impact, cause].into_iter().chain(verify);
    rendered.for_each(|text| texts.replace_between_times(text));
    texts.replace_all([name].into_iter().chain(links));
    objects.iter_mut().for_each(|object| texts.replace_in(object));
    for RemedyStep { position: _, action, run, caution } in remedy {
        [action].into_iter().chain(caution).for_each(|text| texts.replace_between_times(text));
        texts.replace_all(run);
    }
    evidence.iter_mut().for_each(|piece| redact_evidence(piece, texts));
}

fn redact_evidence(evidence: &mut Evidence, texts: &Texts<'_>) {
    let Evidence { fact: _, entry, line: _, field, value, matched, excerpt } = evidence;
    texts.replace_all([entry].into_iter().chain(field).chain(matched.as_mut()));
    match value {
        Some(EvidenceValue::Text(text)) => texts.replace(text),
        Some(EvidenceValue::NotInEntry) | None => {}
    }
    for ExcerptLine { line: _, text, hit: _ } in &mut *excerpt {
        texts.replace(text);
    }
    // Part of a name is not recognised as a name, so a match that the line does not show would leak it.
    matched.take_if(|matched| !excerpt.iter().any(|line| line.hit && line.text.contains(&**matched)));
}
