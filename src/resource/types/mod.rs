//! Types of resources: how kubectl names them, and what is known about them without a cluster.
//!
//! A [`TypeName`] is a type as a rule names it; a [`KnownType`] is a row of the table `known_types.csv`.

mod api_group;
mod known;
mod short_names;
mod type_name;

pub use api_group::{built_in, canonical_group, split_api_version};
pub use known::{KnownType, Resolved, guess_plural, kind_anywhere, known, known_kind, known_types, resolve};
pub use short_names::{of_short_name, short_names};
pub use type_name::{TypeName, definitions, events, helm_releases};
