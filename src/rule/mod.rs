//! Rules: from the YAML that an author writes to something that can run.
//!
//! | room | what it holds |
//! |---|---|
//! | [`source`] | rule files as written: the table of keys, the reader, values with their places |
//! | [`compile`] | from what is written to a [`RuleSet`], or everything that is wrong with it |
//! | [`check`] | warnings and type errors: fields that do not exist, facts that take everything |
//! | [`text`] | templates of texts, checked and rendered |
//! | [`known_lines`] | lines whose meaning is data |
//! | [`docs`] | rules for readers: descriptions, lists, pages, the schema for editors |
//!
//! Files next to them: [`compiled`] and [`fact`] are rules that can run, [`plan`] and [`order`] say how a rule is
//! evaluated, [`load`] and [`select`] choose rules, [`streams`] names logs, [`upgrades`] is the table of
//! Harvester's upgrades, [`collection`] names rules that travel together, [`changes`] compares two such collections,
//! [`skeleton`] begins a rule, [`error`] shows what is wrong. The engine cannot meet an invalid [`Rule`], so it has no error paths for one.

pub mod changes;
mod check;
pub mod collection;
pub mod compile;
pub mod compiled;
pub mod docs;
pub mod end_of_life;
pub mod error;
pub mod fact;
pub mod known_lines;
pub mod load;
pub mod order;
pub mod plan;
pub mod select;
pub mod skeleton;
pub mod source;
pub mod streams;
#[cfg(test)]
mod tests;
pub mod text;
pub mod upgrades;

pub use check::knowledge::Knowledge;
pub use compile::rule_set::{check, check_strictly, compile, compile_each};
pub use compiled::{Adjust, Explains, RemedyTemplates, Rule, RuleSet, StatedComponent, Texts};
pub use docs::{describe, listing, page, pages, schema};
pub use error::{RuleError, Source};
pub use fact::{
    Alternative, EventQuery, Fact, FactKind, FileQuery, FileShape, LabelRequirement, ResourceQuery, SequenceFact,
    SequenceStep, Silence,
};
pub use known_lines::check_whole as check_known_lines;
pub use source::key_table::{AREAS, TABLES};
pub use source::keys::{Fit, Key, KeyTable};
pub use streams::Streams;
pub use upgrades::UpgradeTable;
