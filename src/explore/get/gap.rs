//! What an answer does not show, and why.

use std::fmt::{self, Display};

use crate::model::message::Reason;
use crate::resource::TypeName;

/// What is not shown, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Objects of the type are not known.
    NotCollected { type_: TypeName, name: Option<String>, namespace: Option<String>, why: Reason },
    /// Some objects are shown, but there may be others.
    MayBeMore { type_: TypeName, why: Reason },
    /// All objects of the type were collected, and this one is not among them.
    Absent { type_: TypeName, name: String, namespace: Option<String> },
    /// Objects that are known from tables of kubectl or descriptions: fields that these do not have are missing.
    Partial { type_: TypeName, count: usize, entry: String },
    /// Objects that a selector cannot judge, because their labels or fields are not known.
    Unjudged { type_: TypeName, count: usize },
}

impl Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCollected { type_, name: Some(name), why, .. } => {
                write!(f, "{type_} `{name}` is not in the bundle: {why}")
            }
            Self::NotCollected { name: None, why, .. } => why.fmt(f),
            Self::MayBeMore { type_, why } => write!(f, "there may be more {type_}: {why}"),
            Self::Absent { type_, name, namespace } => {
                write!(f, "{type_} `{name}` does not exist")?;
                namespace.iter().try_for_each(|namespace| write!(f, " in namespace {namespace}"))?;
                write!(f, "; all {type_} were collected")
            }
            Self::Partial { type_, count, entry } => write!(
                f,
                "{type_}: {count} known from tables or descriptions such as {entry} only; other fields were not collected"
            ),
            Self::Unjudged { type_, count } => {
                write!(f, "{count} {type_} are left out, because their labels were not collected")
            }
        }
    }
}
