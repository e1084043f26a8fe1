//! Checks of rules that could run: fields that do not exist and values that cannot be compared ([`type_check`]), and rules
//! that most probably do not mean what they say ([`lint`]), remedies and texts ([`remedy`]), and what a rule of a library
//! needs ([`sources`]).

mod always_set;
mod crds;
pub mod fact_fields;
mod field_versions;
pub mod knowledge;
pub mod lint;
pub mod remedy;
pub mod sources;
pub mod type_check;
