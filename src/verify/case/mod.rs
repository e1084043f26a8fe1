//! Cases of rule tests (docs/rule-language.md 5).

mod expectation;
mod layout;
mod merge_patch;
mod object_name;
mod release;
mod resolved;
mod source;

pub use expectation::{Expect, Expected};
pub use layout::{Distribution, Layout};
pub use object_name::{object_name, same_object};
pub use release::{Hook, Origin, Release};
pub use resolved::Case;
pub use source::{CaseError, TestSource};
