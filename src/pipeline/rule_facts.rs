//! Facts about the rules that ran, for reports.

use crate::model::{Lang, RuleFacts};
use crate::rule::listing::{plain, short_title};
use crate::rule::{Rule, RuleSet};

/// Returns all rules of the set, sorted by id like the set.
pub fn rule_facts(set: &RuleSet, lang: Lang) -> Vec<RuleFacts> {
    set.rules.iter().map(|rule| facts(rule, lang)).collect()
}

fn facts(rule: &Rule, lang: Lang) -> RuleFacts {
    let texts = rule.texts_in(lang);
    RuleFacts {
        id: rule.id.clone(),
        name: short_title(texts),
        class: rule.class,
        severity: rule.severity,
        confidence: rule.confidence,
        area: rule.area.clone(),
        title: plain(texts.title.text()),
        impact: plain(texts.impact.text()),
        cause: plain(texts.cause.text()),
        links: rule.links.clone(),
    }
}
