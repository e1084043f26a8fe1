//! Prints the literals that lines of logs are looked for by, of all shipped rules, one a line; `compare.sh` gives them to others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench without its input cannot run"
)]

use std::collections::BTreeSet;

use gleaner::internals::log::required_literal;
use gleaner::internals::rule::{Streams, compile, load};

fn main() {
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams).expect("streams");
    let rules = compile(loaded.sources, &streams).expect("rules");
    let patterns = rules.queries.iter().flat_map(|query| &query.patterns);
    let literals = patterns.filter_map(|pattern| required_literal(pattern)).flat_map(|found| found.alternatives);
    let literals: BTreeSet<String> = literals
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .filter(|text| !text.contains('\n'))
        .collect();
    literals.iter().for_each(|text| println!("{text}"));
}
