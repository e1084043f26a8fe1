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
mod bundle;
mod difference;
mod dotted;
mod encoded;
mod finding;
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

use crate::model::difference::Difference;
use crate::model::{Analysis, Issue, OlderBundle, RuleFacts, RuleOutcomes, RuleReason, Run};

pub use key::Key;
pub use names::{DNS, HOST, Names, SERIAL};
pub use text::{Pseudonyms, Redactor};
use texts::Texts;

use bundle::{facts, file_name};
use finding::redact_finding;

/// Replaces names with pseudonyms. Hashes of the bundle's content are keyed, too: they could confirm a guess, and the
/// key of a bundle is derived from them.
pub fn apply(analysis: &mut Analysis, key: &Key) {
    let names = learned(analysis, key);
    let redactor = Redactor::new(key, &names);
    rewrite(analysis, &Texts::new(&|text| redactor.redacted(text)), key);
}

/// Replaces names in the comparison of two bundles, which knows the names of both.
pub fn apply_to_difference(difference: &mut Difference, analyses: [&Analysis; 2], key: &Key) {
    let [mut names, others] = analyses.map(|analysis| learned(analysis, key));
    names.extend(others);
    let names = heard(names, |texts| difference::redact(&mut difference.clone(), texts, key));
    let redactor = Redactor::new(key, &names);
    difference::redact(difference, &Texts::new(&|text| redactor.redacted(text)), key);
}

/// Collects the names of machines, and what all texts of an analysis say by themselves.
pub fn learned(analysis: &Analysis, key: &Key) -> Names {
    heard(Names::of(analysis), |texts| rewrite(&mut analysis.clone(), texts, key))
}

/// Adds what texts say to names, as they are read.
fn heard(names: Names, read: impl FnOnce(&Texts<'_>)) -> Names {
    let names = RefCell::new(names);
    let listen = |text: &str| {
        names.borrow_mut().learn(text);
        text.to_owned()
    };
    read(&Texts::new(&listen));
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
        collections,
        classes: _,
        redacted,
        accepted: _,
        older,
        issues,
        unhealthy,
        upgrade,
        unexplained,
        inventory,
        timings: _,
        run,
    } = analysis;
    facts(bundle, texts, key);
    if let Some(OlderBundle { path, collected_at: _, doubts, new: _, gone: _, unknown: _ }) = older {
        *path = texts.of(file_name(path));
        doubts.iter_mut().for_each(|doubt| texts.replace_in(doubt));
    }
    findings.iter_mut().for_each(|finding| redact_finding(finding, texts, key));
    outcomes(rules, texts);
    catalogue.iter_mut().for_each(|rule| rule_facts(rule, texts));
    issues.iter_mut().for_each(|issue| redact_issue(issue, texts));
    unhealthy.iter_mut().for_each(|unhealthy| unhealthy::redact(unhealthy, texts));
    upgrade.iter_mut().for_each(|upgrade| upgrade::redact(upgrade, texts, key));
    unexplained.iter_mut().for_each(|unexplained| unexplained::redact(unexplained, texts));
    inventory.iter_mut().for_each(|inventory| inventory::redact(inventory, texts));
    let Run { arguments, rule_folders, limits: _, peak_memory: _ } = run;
    // Own rules may be named after the customer.
    let own = collections.iter_mut().filter(|collection| collection.name != env!("CARGO_PKG_NAME"));
    own.for_each(|collection| collection.name = rules_of(&collection.name, key));
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
