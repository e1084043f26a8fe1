//! Strict checks of a library of rules: every rule has a name, and every wording and threshold has a source in `basis`.

use std::sync::LazyLock;

use regex::Regex;

use crate::rule::compile::scan::expression_code;
use crate::rule::error::{Code, Diagnostics};
use crate::rule::source::fact::{FactSource, GroupSource, KindSource};
use crate::rule::source::reader::Written;
use crate::rule::source::rule::RuleSource;

/// Comparison with a number other than 0 and 1, and functions with a threshold or a default as an argument; in code whose
/// quoted texts are blank.
static THRESHOLD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[<>]=?\s*(?:[2-9]|\d*\.\d|\d{2,})|\bduration\(|\bsetting\([^()]*,[^()]*,|\bquantity\(\x22").ok()
});

/// Warns of a rule without name, and of wordings and thresholds without basis.
pub fn check(diagnostics: &mut Diagnostics, source: &RuleSource) {
    let Some(id) = &source.id else { return };
    if source.name.is_none() {
        let hint = "add name: the failure in at most 60 characters, without placeholders";
        diagnostics.report(Code::NoName, id.range.clone(), "the rule has no name").hint(hint);
    }
    for fact in source.find.iter().chain(&source.unless) {
        if let Some(what) = unsupported(fact) {
            demand(diagnostics, source, &fact.name, &fact.range, what);
        }
    }
    let when = source.when.iter().map(|when| ("when", when));
    let adjust = source.adjust.iter().map(|adjust| ("adjust", &adjust.condition));
    let explains = source.explains.iter().filter_map(|entry| Some(("explains", entry.condition.as_ref()?)));
    let thresholds: Vec<_> = when.chain(adjust).chain(explains).filter(|(_, written)| has_threshold(written)).collect();
    for (key, written) in thresholds {
        demand(diagnostics, source, key, &written.range, "a threshold or default");
    }
}

fn demand(diagnostics: &mut Diagnostics, source: &RuleSource, name: &str, range: &std::ops::Range<usize>, what: &str) {
    let supported = source.basis.iter().flat_map(|basis| &basis.supports).any(|supported| supported.text == name);
    if supported {
        return;
    }
    let message = format!("\"{name}\" has {what}, and no basis");
    let hint = format!("add an entry to basis with for: {name}, and where this comes from");
    diagnostics.report(Code::NoBasis, range.clone(), message).hint(hint);
}

/// Returns what of a fact needs a source.
fn unsupported(fact: &FactSource) -> Option<&'static str> {
    let parts = || std::iter::once(fact).chain(fact.alternatives()).chain(steps(fact));
    if parts().any(has_wording) {
        return Some("wordings");
    }
    let expressions = |part: &FactSource| match &part.kind {
        Some(KindSource::Each(written) | KindSource::Value(written)) => has_threshold(written),
        _ => false,
    };
    let condition = |part: &FactSource| part.condition.as_ref().is_some_and(has_threshold);
    parts()
        .any(|part| condition(part) || expressions(part) || has_limits(&part.groups))
        .then_some("a threshold or default")
}

fn steps(fact: &FactSource) -> impl Iterator<Item = &FactSource> {
    let sequence = match &fact.kind {
        Some(KindSource::Sequence(sequence)) => Some(sequence),
        _ => None,
    };
    sequence.into_iter().flat_map(|sequence| sequence.steps.iter().map(|step| &step.fact))
}

fn has_wording(fact: &FactSource) -> bool {
    let of_event = matches!(&fact.kind, Some(KindSource::Event(event)) if !event.reasons.is_empty());
    of_event || !fact.groups.patterns.is_empty() || fact.groups.jq.is_some()
}

fn has_limits(groups: &GroupSource) -> bool {
    groups.since.is_some() || groups.within.is_some() || groups.at_least.is_some()
}

fn has_threshold(written: &Written) -> bool {
    is_threshold(&written.text)
}

fn is_threshold(expression: &str) -> bool {
    THRESHOLD.as_ref().is_some_and(|pattern| pattern.is_match(&expression_code(expression)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_and_defaults_are_recognised() {
        for text in ["x.count > 12", "x <= 0.5", "x >= 2", "ago(x) > duration('5m')", "setting('a', 'b', 8) == y"] {
            assert!(is_threshold(text), "{text}");
        }
        for text in ["x.count > 0", "size(x) >= 1", "x.name == '> 12'", "setting('a', 'b') == 'c'", "x == 12"] {
            assert!(!is_threshold(text), "{text}");
        }
    }
}
