//! All templates of a bundle that report trouble, with the rules that know them: what a store keeps of many bundles.
//!
//! Templates are equal or not: they are not merged, because what is alike depends on the other templates of a bundle. Which ones are
//! kept does not depend on rules, so that rules that run later find the same ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::cluster::is_of_collector;
use crate::known_lines::KnownHere;
use crate::log::{MinedSource, QueryId};
use crate::model::unexplained::{Level, TroubleTemplate};

/// Returns the `most` telling templates, by level, number of logs and text; harmless ones are last of their level. `rules` has the
/// rules that fired by their queries.
pub fn census(
    mined: &[MinedSource],
    rules: &BTreeMap<QueryId, BTreeSet<&str>>,
    lines: KnownHere<'_>,
    most: usize,
) -> Vec<TroubleTemplate> {
    let mut found: BTreeMap<(Level, &str), (u64, usize, BTreeSet<&str>)> = BTreeMap::new();
    for source in mined {
        for template in source.templates.iter().filter(|template| !is_of_collector(source, template)) {
            let (count, sources, known) = found.entry((template.level, &template.text)).or_default();
            *count += template.lines;
            *sources += 1;
            let queries = template.matched.keys().flatten();
            known.extend(queries.filter_map(|query| rules.get(query)).flatten());
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_cached_key(|((level, text), (_, sources, _))| {
        (Reverse(*level), lines.is_benign(text), Reverse(*sources), (*text).to_owned())
    });
    found.truncate(most);
    let template = |((level, text), (lines, _, rules)): ((Level, &str), (u64, usize, BTreeSet<&str>))| {
        TroubleTemplate { level, text: text.to_owned(), lines, rules: rules.into_iter().map(str::to_owned).collect() }
    };
    found.into_iter().map(template).collect()
}
