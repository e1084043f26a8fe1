//! Replaces names that identify a customer's cluster with pseudonyms: addresses, machine names, DNS names and e-mail
//! addresses. Redaction covers the whole [`Analysis`] before any format is written, so that one name has one pseudonym
//! everywhere.
//!
//! A pseudonym is an HMAC under a [`Key`]: names cannot be tried out without the key. To redact other texts, pass
//! another implementation of [`Pseudonyms`] to a [`Redactor`].

mod inventory;
mod key;
mod names;
mod public;
mod text;

use crate::model::{Analysis, BundleFacts, Collector, Finding, NotCollected};

pub use key::Key;
pub use names::{HOST, Names};
pub use text::{Pseudonyms, Redactor};

/// Replaces names with pseudonyms. Hashes of the bundle's content are keyed, too: they could confirm a guess, and the
/// key of a bundle is derived from them.
pub fn apply(analysis: &mut Analysis, key: &Key) {
    let names = Names::of(analysis);
    let redactor = Redactor::new(key, &names);
    facts(&mut analysis.bundle, &redactor, key);
    for finding in &mut analysis.findings {
        redact_finding(finding, &redactor, key);
    }
    for rule in &mut analysis.catalogue {
        let texts = [&mut rule.title, &mut rule.impact, &mut rule.cause].into_iter().chain(&mut rule.links);
        texts.for_each(|text| redactor.replace(text));
    }
    let rules = &mut analysis.rules;
    for reason in rules.not_evaluated.iter_mut().chain(&mut rules.not_applicable) {
        redactor.replace_in(&mut reason.reason);
    }
    for issue in &mut analysis.issues {
        redactor.replace_in(&mut issue.message);
        issue.origin.iter_mut().for_each(|origin| redactor.replace_entry(origin));
    }
    if let Some(inventory) = &mut analysis.inventory {
        inventory::redact(inventory, &redactor);
    }
    let run = &mut analysis.run;
    run.arguments.iter_mut().chain(&mut run.rule_folders).for_each(|text| *text = redactor.redacted(file_name(text)));
    analysis.redacted = true;
    // Pseudonyms sort differently from names.
    analysis.issues.sort();
    analysis.bundle.nodes.sort_by(|a, b| a.name.cmp(&b.name));
}

fn facts(facts: &mut BundleFacts, redactor: &Redactor<'_>, key: &Key) {
    facts.path = redactor.redacted(file_name(&facts.path));
    facts.sha256 = None;
    facts.content_id = key.hex("content", &facts.content_id, 64);
    facts.cluster_name.iter_mut().filter(|name| !public::is_generic(name)).for_each(|name| {
        *name = key.pseudonym("cluster", name);
    });
    facts.unread.iter_mut().for_each(|why| redactor.replace_in(why));
    if let Some(Collector { name: _, version: _, why }) = &mut facts.collector {
        redactor.replace_in(why);
    }
    for NotCollected { what, why } in &mut facts.not_collected {
        redactor.replace_in(what);
        redactor.replace_in(why);
    }
    let nodes = facts.nodes.iter_mut().map(|node| &mut node.name);
    for text in nodes.chain(facts.versions.values_mut()) {
        redactor.replace(text);
    }
}

/// Folder names are left out because they can contain ticket or customer names.
fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

fn redact_finding(finding: &mut Finding, redactor: &Redactor<'_>, key: &Key) {
    finding.fingerprint = key.fingerprint(&finding.fingerprint);
    finding.explained_by.iter_mut().for_each(|cause| *cause = key.fingerprint(cause));
    let Finding { title, message, impact, cause, verify, links, objects, remedy, evidence, .. } = finding;
    [title, message, impact, cause].into_iter().chain(verify).chain(links).for_each(|text| redactor.replace(text));
    for object in objects {
        let parts = [&mut object.name, &mut object.group].into_iter().chain(&mut object.namespace);
        parts.for_each(|part| redactor.replace(part));
    }
    for step in remedy {
        let parts = step.run.iter_mut().chain(&mut step.caution).chain([&mut step.action]);
        parts.for_each(|part| redactor.replace(part));
    }
    for piece in evidence {
        redactor.replace(&mut piece.entry);
        let texts = [&mut piece.field, &mut piece.value, &mut piece.matched].into_iter().flatten();
        texts.chain(piece.excerpt.iter_mut().map(|line| &mut line.text)).for_each(|text| redactor.replace(text));
        // Part of a name is not recognised as a name, so a match that the line does not show would leak it.
        piece.matched.take_if(|matched| !piece.excerpt.iter().any(|line| line.hit && line.text.contains(&**matched)));
    }
}

#[cfg(test)]
mod tests;
