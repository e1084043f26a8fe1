//! The pages of a set of rules: one for each rule, the catalogue, and the faults of single releases.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::listing::short_title;
use super::page::{FOOT, Page, PageInputs, cell, others, page, path};
use crate::model::product::PRODUCTS;
use crate::rule::compiled::{Rule, RuleSet};
use crate::rule::source::key_table::AREAS;

/// The file of the catalogue, and of the faults of single releases.
const CATALOGUE: &str = "README.md";
const RELEASES: &str = "releases.md";

/// The catalogue, the faults of single releases, and a page for each of these rules of a set, `AREA/ID.md`.
pub fn pages(set: &RuleSet, shown: &[&Rule], inputs: &PageInputs) -> Vec<Page> {
    let indexes = [(CATALOGUE, catalogue(shown)), (RELEASES, releases(shown))];
    let indexes = indexes.into_iter().map(|(path, text)| Page { path: path.to_owned(), text });
    indexes.chain(shown.iter().map(|rule| page(set, rule, inputs))).collect()
}

/// Rules by area, the gravest first.
fn catalogue(shown: &[&Rule]) -> String {
    let of = |area: &str| -> Vec<&Rule> {
        let mut rules: Vec<&Rule> = shown.iter().copied().filter(|rule| rule.area == area).collect();
        rules.sort_by_key(|rule| (Reverse(rule.severity), &rule.id));
        rules
    };
    let areas: Vec<(&str, Vec<&Rule>)> =
        AREAS.into_iter().map(|area| (area, of(area))).filter(|(_, rules)| !rules.is_empty()).collect();
    let contents: Vec<String> =
        areas.iter().map(|(area, rules)| format!("[{area}](#{area}) {}", rules.len())).collect();
    let mut out = format!(
        "# The rules\n\ngleaner has {} built-in rules. Each looks for one failure; its page describes what is wrong, how it looks in a bundle, \
         what to do, and what the finding does not mean.\n\n{}\n\nA severity with a star can differ in some \
         cases.\n{FOOT}",
        shown.len(),
        contents.join(" · ")
    );
    for (area, rules) in areas {
        // Writing to a String cannot fail.
        let _ = write!(out, "\n## {area}\n\n| severity | finding | rule |\n|---|---|---|\n");
        for rule in rules {
            let (title, severity) = (cell(&short_title(rule.texts.own())), rule.severity.as_str());
            let star = if others(rule).is_empty() { "" } else { "\\*" };
            let _ = writeln!(out, "| {severity}{star} | {title} | [{}]({}) |", rule.id, path(rule));
        }
    }
    out
}

/// Faults of single releases by product.
fn releases(shown: &[&Rule]) -> String {
    let mut out = format!(
        "# Known faults by release\n\nRules that are about some releases of a product only. `gleaner rules list --version harvester=1.4.1` lists those of one \
         release. Where no fix is named, the fault is not known in other releases.\n{FOOT}"
    );
    for product in PRODUCTS {
        let mut rows: Vec<(&str, &str, &Rule)> = shown.iter().filter_map(|rule| of_release(rule, product)).collect();
        rows.sort_by_key(|(range, _, rule)| (*range, &rule.id));
        if rows.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = write!(out, "\n## {product}\n\n| releases | fixed in | finding | rule |\n|---|---|---|---|\n");
        for (range, fixed, rule) in rows {
            let title = cell(&short_title(rule.texts.own()));
            let _ = writeln!(out, "| {} | {} | {title} | [{}]({}) |", cell(range), cell(fixed), rule.id, path(rule));
        }
    }
    out
}

/// Returns the releases of a product that a rule is about, those with the fix, and the rule; none if it is about all.
fn of_release<'r>(rule: &'r Rule, product: &str) -> Option<(&'r str, &'r str, &'r Rule)> {
    let affects = rule.affects.iter().find(|affects| affects.product == product && !affects.range.is_everything())?;
    let fixed = rule.fixed_in.iter().find(|(fixed, _)| fixed == product).map_or("", |(_, versions)| versions);
    Some((affects.range.text(), fixed, rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::compile::rule_set::compile;
    use crate::rule::error::Source;
    use crate::rule::streams::Streams;

    fn rule(id: &str, severity: &str, more: &str) -> Source {
        let text = format!(
            "id: {id}\ntitle: \"{id} {{{{ p.metadata.name }}}}\"\nseverity: {severity}\nconfidence: certain\narea: node\n{more}find: {{p: \
             {{resource: pods, where: p.a == 1}}}}\nmessage: m\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
        );
        Source { file: format!("rules/{id}.yaml"), text }
    }

    fn written(sources: Vec<Source>, index: fn(&[&Rule]) -> String) -> String {
        let set = compile(sources, &Streams::default());
        set.map(|set| index(&set.rules.iter().collect::<Vec<_>>())).unwrap_or_default()
    }

    #[test]
    fn the_catalogue_begins_with_the_gravest() {
        let sources = vec![rule("a-low", "low", ""), rule("b-critical", "critical", ""), rule("c-low", "low", "")];
        let text = written(sources, catalogue);
        let found: Vec<Option<usize>> =
            ["[node](#node) 3", "[b-critical]", "[a-low]", "[c-low]"].map(|part| text.find(part)).into();
        assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?} in {text}");
    }

    #[test]
    fn faults_of_single_releases_are_listed_by_product() {
        let affects = |range: &str, more: &str| format!("affects: {{harvester: \"{range}\"}}\n{more}");
        let text = written(
            vec![
                rule("every", "low", &affects("*", "")),
                rule("none", "low", ""),
                rule("some", "low", &affects("<1.4.2", "fixed_in: {harvester: 1.4.2}\n")),
            ],
            releases,
        );
        assert!(text.contains("## harvester"), "{text}");
        assert!(text.contains("| \\<1.4.2 | 1.4.2 | some \\<p.metadata.name> | [some](node/some.md) |"), "{text}");
        assert!(!text.contains("[every]") && !text.contains("[none]") && !text.contains("## longhorn"), "{text}");
    }
}
