//! Resource limits of a bundle: [`Limits`] are the numbers, [`Budget`] is the remainder.
//!
//! Entries are charged once, while the bundle is listed, by the size that their archive states, smallest first. The
//! same entries are therefore rejected for any number of threads. Reading never returns more than the admitted size.

use serde::{Deserialize, Serialize};

use crate::model::message::ArchiveProblem;

/// Defines [`Limits`], its defaults and [`Limits::TABLE`] from one row per limit: help text, field, type, default, unit,
/// flag. Command line, JSON report, worker messages and the store derive the rest.
macro_rules! limits {
    ($($(#[doc = $help:literal])+ $field:ident: $kind:ty = $default:expr, $unit:ident, $flag:literal;)+) => {
        /// Upper bounds for one bundle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Limits {
            $($(#[doc = $help])+ pub $field: $kind,)+
        }

        impl Limits {
            /// Limits that apply unless a flag sets others.
            pub const DEFAULT: Self = Self { $($field: $default,)+ };

            /// All limits, in the order in which help texts and reports show them.
            pub const TABLE: &'static [Limit] = &[$(Limit {
                flag: $flag,
                help: concat!($($help),+),
                unit: Unit::$unit,
                get: |limits| limits.$field as u64,
                set: |limits, value| limits.$field = <$kind>::try_from(value).unwrap_or(<$kind>::MAX),
            },)+];
        }
    };
}

limits! {
    /// Bytes unpacked from one bundle, including nested archives
    max_bytes: u64 = 64 << 30, Bytes, "--max-bytes";
    /// Entries of one bundle, including those of nested archives
    max_entries: u64 = 200_000, Count, "--max-entries";
    /// Levels of nested archives; the bundle itself is the first
    max_depth: u32 = 4, Count, "--max-depth";
    /// Unpacked bytes per packed byte of an archive, checked above 16 MiB
    max_ratio: u64 = 200, Count, "--max-ratio";
    /// Length of one log line
    max_line: usize = 1 << 20, Bytes, "--max-line";
    /// Memory budget for dumps, files read by rules and open archives; a dump takes 2.2 times its size
    max_memory: u64 = 704 << 20, Bytes, "--max-memory";
    /// Size of one dump
    max_dump: u64 = 256 << 20, Bytes, "--max-dump";
}

/// Description of one field of [`Limits`].
#[derive(Debug)]
pub struct Limit {
    /// Flag of the command line, with its dashes.
    pub flag: &'static str,
    help: &'static str,
    pub unit: Unit,
    get: fn(&Limits) -> u64,
    set: fn(&mut Limits, u64),
}

/// Unit of a limit; decides how its value is written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Count,
}

impl Limit {
    /// Help text of the flag, without a period.
    pub fn help(&self) -> &'static str {
        self.help.trim_start()
    }

    /// Value of the limit.
    pub fn get(&self, limits: &Limits) -> u64 {
        (self.get)(limits)
    }

    /// Sets the limit; a value too large for the field becomes the largest that fits.
    pub fn set(&self, limits: &mut Limits, value: u64) {
        (self.set)(limits, value);
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Limits {
    /// Returns the bytes that an archive of `stored` bytes may expand to.
    pub(crate) fn expanded(&self, stored: u64) -> u64 {
        stored.saturating_mul(self.max_ratio).max(RATIO_FREE)
    }

    /// Returns the maximum size of a zip inside another archive: it is read as a whole, and its content also needs
    /// memory.
    pub(crate) fn max_nested_zip(&self) -> u64 {
        self.max_memory / 4 * 3
    }
}

/// Size below which the ratio is not checked: a few kilobytes of spaces reach 1000:1 without harm.
const RATIO_FREE: u64 = 16 << 20;

/// Bytes that one archive has expanded to so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expansion {
    allowed: u64,
    expanded: u64,
}

impl Expansion {
    /// Creates the counter of an archive of `stored` bytes; none means not compressed (a folder).
    pub fn new(stored: Option<u64>, limits: &Limits) -> Self {
        Self { allowed: stored.map_or(u64::MAX, |stored| limits.expanded(stored)), expanded: 0 }
    }

    /// Adds `bytes` unless the ratio would be exceeded.
    pub fn take(&mut self, bytes: u64) -> bool {
        let after = self.expanded.saturating_add(bytes);
        if after > self.allowed {
            return false;
        }
        self.expanded = after;
        true
    }
}

/// Reason why an entry was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Entries,
    Bytes,
    Ratio,
}

impl Refusal {
    /// Returns the message for an Issue.
    pub fn message(self, limits: &Limits) -> ArchiveProblem {
        match self {
            Self::Entries => ArchiveProblem::TooManyEntries { most: limits.max_entries },
            Self::Bytes => ArchiveProblem::TooManyBytes { most: limits.max_bytes },
            Self::Ratio => ArchiveProblem::TooDense { most: limits.max_ratio },
        }
    }
}

/// Remainder of the limits, shared by all archives of a bundle.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    entries: u64,
    bytes: u64,
}

impl Budget {
    pub fn new(limits: &Limits) -> Self {
        Self { entries: limits.max_entries, bytes: limits.max_bytes }
    }

    /// Returns the number of entries that may still be admitted.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the number of bytes that may still be admitted.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Admits one entry of `bytes` or returns the limit that it exceeds.
    pub fn admit(&mut self, bytes: u64, archive: &mut Expansion) -> Result<(), Refusal> {
        if self.entries == 0 {
            return Err(Refusal::Entries);
        }
        if bytes > self.bytes {
            return Err(Refusal::Bytes);
        }
        if !archive.take(bytes) {
            return Err(Refusal::Ratio);
        }
        self.entries -= 1;
        self.bytes -= bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_entry_is_refused_and_a_small_one_after_it_admitted() {
        let limits = Limits { max_bytes: 100, ..Limits::default() };
        let mut budget = Budget::new(&limits);
        let mut folder = Expansion::new(None, &limits);
        assert_eq!(budget.admit(101, &mut folder), Err(Refusal::Bytes));
        assert_eq!(budget.admit(60, &mut folder), Ok(()));
        assert_eq!(budget.admit(60, &mut folder), Err(Refusal::Bytes));
        assert_eq!((budget.entries(), budget.bytes()), (199_999, 40));
    }

    #[test]
    fn the_ratio_counts_only_past_the_free_part() {
        let limits = Limits { max_ratio: 10, ..Limits::default() };
        let mut archive = Expansion::new(Some(1), &limits);
        assert!(archive.take(16 << 20));
        assert!(!archive.take(1));
        let mut archive = Expansion::new(Some(4 << 20), &limits);
        assert!(archive.take(40 << 20));
        assert!(!archive.take(1));
    }

    #[test]
    fn entries_are_counted() {
        let limits = Limits { max_entries: 1, ..Limits::default() };
        let mut budget = Budget::new(&limits);
        let mut folder = Expansion::new(None, &limits);
        assert_eq!(budget.admit(0, &mut folder), Ok(()));
        assert_eq!(budget.admit(0, &mut folder), Err(Refusal::Entries));
        assert_eq!(Refusal::Entries.message(&limits), ArchiveProblem::TooManyEntries { most: 1 });
    }
}
