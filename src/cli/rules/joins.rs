//! Entries of `explains` by which no rule test joins two findings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::loading::TestFolder;
use crate::rule::error::Code;
use crate::rule::{RuleError, RuleSet, Source, Streams};
use crate::verify;

/// Warns about those of the rules that are checked.
pub fn warnings(subject: &TestFolder, set: &RuleSet, streams: &Streams) -> Vec<RuleError> {
    let own = subject.loaded.sources.iter().filter(|source| subject.files.contains(&source.file));
    let sources: BTreeMap<&str, &Source> = own.map(|source| (source.stem(), source)).collect();
    let checked = set.rules.iter().filter_map(|rule| Some((rule, *sources.get(rule.id.as_str())?)));
    let links: Vec<_> = checked
        .flat_map(|(rule, source)| rule.explains.iter().map(move |to| (source, rule.id.as_str(), to.rule.as_str())))
        .collect();
    let joined = if links.is_empty() { BTreeSet::new() } else { verify::joined(set, streams, &subject.tests) };
    let open = links.into_iter().filter(|(_, cause, symptom)| !joined.contains(&((*cause).into(), (*symptom).into())));
    open.map(|(source, _, symptom)| warning(source, symptom)).collect()
}

fn warning(source: &Source, symptom: &str) -> RuleError {
    let key = source.text.find("\nexplains:").map_or(0, |at| at + 1);
    let entry = source.text.get(key..).and_then(|rest| rest.find(symptom)).map_or(key, |at| key + at);
    let message = format!("no rule test joins a finding of \"{symptom}\" to one of this rule");
    let hint =
        format!("add a case with both, in which {symptom} has `explained_by: {}`, or remove the entry", source.stem());
    RuleError {
        hint: Some(hint),
        ..RuleError::new(Code::NoJoin, Arc::new(source.clone()), entry..entry + symptom.len(), message)
    }
}
