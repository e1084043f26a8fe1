//! The list of rules that `rules list` prints.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::version::Range;
use crate::rule::compiled::{RuleSet, Texts};

/// One rule in a list; field names are those of the JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedRule {
    pub id: String,
    pub aliases: Vec<String>,
    /// Short title.
    pub name: String,
    pub class: &'static str,
    pub severity: &'static str,
    pub area: String,
    /// With `<name>` where the template has `{{ name }}`.
    pub title: String,
    /// Range by product.
    pub affects: BTreeMap<String, String>,
    /// Versions that fix it, by product, as written.
    pub fixed_in: BTreeMap<String, String>,
    pub tests: TestCount,
}

/// Numbers of test cases of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TestCount {
    /// Cases in which it must fire.
    pub firing: usize,
    /// Cases in which it must not.
    pub silent: usize,
}

/// All rules of a set, sorted by id; `tests` by id.
pub fn listing(set: &RuleSet, tests: &BTreeMap<String, TestCount>) -> Vec<ListedRule> {
    let listed = set.rules.iter().map(|rule| ListedRule {
        id: rule.id.clone(),
        aliases: rule.aliases.clone(),
        name: short_title(rule.texts.own()),
        class: rule.class.as_str(),
        severity: rule.severity.as_str(),
        area: rule.area.clone(),
        title: plain(rule.texts.own().title.text()),
        affects: rule.affects.iter().map(|a| (a.product.clone(), a.range.text().to_owned())).collect(),
        fixed_in: rule.fixed_in.iter().cloned().collect(),
        tests: tests.get(&rule.id).copied().unwrap_or_default(),
    });
    listed.collect()
}

impl ListedRule {
    /// True if its range of the product covers the version, and is a range: `*` says nothing of one release.
    pub fn is_about(&self, product: &str, version: &str) -> bool {
        let range = self.affects.get(product).and_then(|range| Range::parse(range).ok());
        range.is_some_and(|range| !range.is_everything() && range.contains(version) == Some(true))
    }
}

/// The short title of a rule; of a rule without name its title without values.
pub fn short_title(texts: &Texts) -> String {
    texts.name.clone().unwrap_or_else(|| plain(texts.title.text()))
}

/// A template for people: `{{ pv.metadata.name | upper }}` reads `<pv.metadata.name>`, and `{% %}` is left out.
pub fn plain(template: &str) -> String {
    let mut shown = String::new();
    let mut rest = template;
    while let Some(at) = next_block(rest) {
        let (before, block) = rest.split_at(at);
        let value = block.starts_with("{{");
        shown.push_str(before);
        let Some((inside, after)) = block[2..].split_once(if value { "}}" } else { "%}" }) else {
            rest = block;
            break;
        };
        if value {
            let name = inside.trim_matches('-').split('|').next().unwrap_or_default().trim();
            shown.extend(["<", name, ">"]);
        }
        rest = after;
    }
    shown + rest
}

/// Returns where the next `{{` or `{%` is.
fn next_block(template: &str) -> Option<usize> {
    let opens = |at: &usize| matches!(template.as_bytes().get(at + 1), Some(b'{' | b'%'));
    memchr::memchr_iter(b'{', template.as_bytes()).find(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_read_as_text() {
        for (template, shown) in [
            ("{{ pv }} is bound", "<pv> is bound"),
            ("a {{- pv.metadata.name | upper -}} b", "a <pv.metadata.name> b"),
            ("{% if x %}y{% endif %} z", "y z"),
            ("open {{ pv", "open {{ pv"),
            ("no template", "no template"),
        ] {
            assert_eq!(plain(template), shown);
        }
    }
}
