//! Replaces names that identify a customer's cluster with pseudonyms: addresses, machine names, DNS names, e-mail
//! addresses and serial numbers. Redaction covers the whole [`Analysis`] before any format is written, so that one name
//! has one pseudonym everywhere.
//!
//! All texts are read twice: first the names in them are learned ([`Names::learn`]), then they are replaced
//! ([`Redactor`]), so that a name is known in a text that comes before the one that says what it is.
//!
//! A pseudonym is an HMAC under a [`Key`]: names cannot be tried out without the key. To redact other texts, pass
//! another implementation of [`Pseudonyms`] to a [`Redactor`].

mod address;
mod dotted;
mod encoded;
mod inventory;
mod key;
mod names;
mod position;
mod public;
mod segments;
mod text;
mod texts;
mod unexplained;
mod unhealthy;
mod upgrade;

use std::cell::RefCell;

use crate::model::{
    Analysis, Before, BundleFacts, Change, ChangeKind, CheckedComponent, Collector, DirectCause, Evidence,
    EvidenceValue, ExcerptLine, Finding, Issue, LogSpan, NodeFacts, NotCollected, PathStep, RemedyStep, Reported,
    RuleFacts, RuleOutcomes, RuleReason, Run,
};

pub use key::Key;
pub use names::{DNS, HOST, Names, SERIAL};
pub use text::{Pseudonyms, Redactor};
use texts::Texts;

/// Replaces names with pseudonyms. Hashes of the bundle's content are keyed, too: they could confirm a guess, and the
/// key of a bundle is derived from them.
pub fn apply(analysis: &mut Analysis, key: &Key) {
    let names = learned(analysis, key);
    let redactor = Redactor::new(key, &names);
    rewrite(analysis, &Texts::new(&|text| redactor.redacted(text)), key);
}

/// Collects the names of machines, and what all texts say by themselves.
fn learned(analysis: &Analysis, key: &Key) -> Names {
    let names = RefCell::new(Names::of(analysis));
    let listen = |text: &str| {
        names.borrow_mut().learn(text);
        text.to_owned()
    };
    rewrite(&mut analysis.clone(), &Texts::new(&listen), key);
    names.into_inner()
}

/// Rewrites all texts, and keys all hashes.
fn rewrite(analysis: &mut Analysis, texts: &Texts<'_>, key: &Key) {
    // Each field of the model is named here, so that a new one is not forgotten.
    let Analysis {
        bundle,
        lang: _,
        findings,
        rules,
        catalogue,
        classes: _,
        redacted,
        accepted: _,
        issues,
        unhealthy,
        upgrade,
        unexplained,
        inventory,
        timings: _,
        run,
    } = analysis;
    facts(bundle, texts, key);
    findings.iter_mut().for_each(|finding| redact_finding(finding, texts, key));
    outcomes(rules, texts);
    catalogue.iter_mut().for_each(|rule| rule_facts(rule, texts));
    issues.iter_mut().for_each(|issue| redact_issue(issue, texts));
    unhealthy.iter_mut().for_each(|unhealthy| unhealthy::redact(unhealthy, texts));
    upgrade.iter_mut().for_each(|upgrade| upgrade::redact(upgrade, texts, key));
    unexplained.iter_mut().for_each(|unexplained| unexplained::redact(unexplained, texts));
    inventory.iter_mut().for_each(|inventory| inventory::redact(inventory, texts));
    let Run { arguments, rule_folders, limits: _, peak_memory: _ } = run;
    // A folder of one's own rules may be named after the customer.
    arguments
        .iter_mut()
        .filter(|argument| rule_folders.contains(argument))
        .for_each(|folder| *folder = rules_of(folder, key));
    rule_folders.iter_mut().for_each(|folder| *folder = rules_of(folder, key));
    arguments.iter_mut().for_each(|text| *text = texts.of(file_name(text)));
    *redacted = true;
    // Pseudonyms sort differently from names.
    issues.sort();
    bundle.nodes.sort_by(|a, b| a.name.cmp(&b.name));
}

fn rules_of(folder: &str, key: &Key) -> String {
    match file_name(folder) {
        "rules" => "rules".to_owned(),
        name => key.pseudonym("rules", name),
    }
}

fn facts(facts: &mut BundleFacts, texts: &Texts<'_>, key: &Key) {
    let BundleFacts {
        path,
        kind: _,
        sha256,
        content_id,
        collector,
        collected_at: _,
        reported: Reported { description, url },
        cluster_uid: _,
        cluster_name,
        versions,
        nodes,
        logs: LogSpan { from: _, to: _ },
        not_collected,
        unread,
        entries: _,
        bytes: _,
    } = facts;
    *path = texts.of(file_name(path));
    *sha256 = None;
    *content_id = key.hex("content", content_id, 64);
    cluster_name.iter_mut().filter(|name| !public::is_generic(name)).for_each(|name| {
        *name = key.pseudonym("cluster", name);
    });
    texts.replace_all(description.iter_mut().chain(url));
    unread.iter_mut().for_each(|why| texts.replace_in(why));
    if let Some(Collector { name: _, version: _, why }) = collector {
        texts.replace_in(why);
    }
    for NotCollected { what, why } in not_collected {
        texts.replace_in(what);
        texts.replace_in(why);
    }
    for NodeFacts { name, ready: _, roles: _, collected: _ } in nodes {
        texts.replace(name);
    }
    texts.replace_all(versions.values_mut());
}

/// Folder names are left out because they can contain ticket or customer names.
fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

fn redact_finding(finding: &mut Finding, texts: &Texts<'_>, key: &Key) {
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

fn outcomes(outcomes: &mut RuleOutcomes, texts: &Texts<'_>) {
    let RuleOutcomes { fired: _, fired_partly, clean: _, clean_partly, not_evaluated, not_applicable } = outcomes;
    for RuleReason { rule: _, reason } in
        not_evaluated.iter_mut().chain(clean_partly).chain(fired_partly).chain(not_applicable)
    {
        texts.replace_in(reason);
    }
}

fn rule_facts(rule: &mut RuleFacts, texts: &Texts<'_>) {
    let RuleFacts { id: _, name, class: _, severity: _, confidence: _, area: _, title, impact, cause, links } = rule;
    texts.replace_all([name, title, impact, cause].into_iter().chain(links));
}

fn redact_issue(issue: &mut Issue, texts: &Texts<'_>) {
    let Issue { origin, kind: _, message } = issue;
    texts.replace_in(message);
    origin.iter_mut().for_each(|origin| texts.replace_entry(origin));
}

#[cfg(test)]
mod tests;
