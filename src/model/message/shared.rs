//! Reason shared by many values.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::Reason;

/// [`Reason`] that is cheap to clone. Its English is formatted once, because joins look for the smallest among
/// thousands.
#[derive(Clone, Debug)]
pub struct SharedReason(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    reason: Reason,
    english: OnceLock<String>,
}

impl SharedReason {
    fn english(&self) -> &str {
        self.0.english.get_or_init(|| self.0.reason.to_string())
    }
}

impl From<Reason> for SharedReason {
    fn from(reason: Reason) -> Self {
        Self(Arc::new(Inner { reason, english: OnceLock::new() }))
    }
}

impl Deref for SharedReason {
    type Target = Reason;

    fn deref(&self) -> &Reason {
        &self.0.reason
    }
}

impl Display for SharedReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.english())
    }
}

impl PartialEq for SharedReason {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.reason == other.0.reason
    }
}

impl Eq for SharedReason {}

impl Ord for SharedReason {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        self.english().cmp(other.english()).then_with(|| self.0.reason.cmp(&other.0.reason))
    }
}

impl PartialOrd for SharedReason {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
