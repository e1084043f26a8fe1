//! The functions of the rule language, one table for expressions and texts.
//!
//! A [`Function`] takes its arguments as values; a method's receiver is the first. Undecided
//! arguments never reach it. Each family has a file, which declares its functions.

mod addresses;
mod arguments;
mod certs;
pub mod columns;
mod decode;
mod drift;
pub(in crate::expr) mod function;
mod health;
mod kstatus;
mod lists;
mod metrics;
mod numbers;
mod object_view;
mod objects;
mod owners;
mod table;
mod texts;
mod times;

use std::collections::HashMap;
use std::sync::LazyLock;

use function::Function;

/// Functions of each file.
const FAMILIES: [&[Function]; 15] = [
    objects::FUNCTIONS,
    owners::FUNCTIONS,
    health::FUNCTIONS,
    kstatus::FUNCTIONS,
    columns::FUNCTIONS,
    numbers::FUNCTIONS,
    times::FUNCTIONS,
    texts::FUNCTIONS,
    lists::FUNCTIONS,
    decode::FUNCTIONS,
    certs::FUNCTIONS,
    table::FUNCTIONS,
    metrics::FUNCTIONS,
    drift::FUNCTIONS,
    addresses::FUNCTIONS,
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> = LazyLock::new(|| named().collect());

/// Returns every function under each of its names, in the order of the families.
pub(super) fn named() -> impl Iterator<Item = (&'static str, &'static Function)> {
    let functions = FAMILIES.iter().flat_map(|family| family.iter());
    functions.flat_map(|f| std::iter::once(f.name).chain(f.options.aliases.iter().copied()).map(move |name| (name, f)))
}

/// Returns the function of that name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    BY_NAME.get(name).copied()
}
