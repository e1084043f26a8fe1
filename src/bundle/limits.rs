//! What a bundle may cost: [`Limits`] are the numbers, [`Budget`] is what is left of them.
//!
//! Entries are charged once, while the bundle is listed, by the size their archive states, the smallest first; so the
//! same entries are refused whatever the number of threads. Reading later never gives more than the size admitted.

/// Upper bounds for one bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all entries, expanded, nested archives included.
    pub max_bytes: u64,
    /// Entries, nested ones included.
    pub max_entries: u64,
    /// Archives inside each other; the outermost counts as the first, and as many may be wrapped around it.
    pub max_depth: u32,
    /// Expanded bytes for each stored byte of one archive; looked at once more than 16 MiB are expanded.
    pub max_ratio: u64,
    /// Bytes of one dump.
    pub max_document: u64,
    /// Memory in bytes for dumps, their objects and files that rules ask for, together with nested archives that lie open.
    pub max_memory: u64,
    /// Bytes of one line of a log.
    pub max_line: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 30,
            max_entries: 200_000,
            max_depth: 4,
            max_ratio: 200,
            max_document: 256 << 20,
            max_memory: 704 << 20,
            max_line: 1 << 20,
        }
    }
}

impl Limits {
    /// Bytes that an archive of `stored` bytes may expand to.
    pub(crate) fn expanded(&self, stored: u64) -> u64 {
        stored.saturating_mul(self.max_ratio).max(RATIO_FREE)
    }

    /// Bytes that a zip inside another archive may have: reading it needs it whole, and what is in it needs memory, too.
    pub(crate) fn max_nested_zip(&self) -> u64 {
        self.max_memory / 4 * 3
    }
}

/// Small archives may expand as they like: a few kilobytes of spaces reach 1000:1 without harm.
const RATIO_FREE: u64 = 16 << 20;

/// What one archive has expanded to so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expansion {
    allowed: u64,
    expanded: u64,
}

impl Expansion {
    /// Of an archive that takes `stored` bytes; none means that nothing is compressed (a folder).
    pub fn new(stored: Option<u64>, limits: &Limits) -> Self {
        Self { allowed: stored.map_or(u64::MAX, |stored| limits.expanded(stored)), expanded: 0 }
    }

    /// Takes `bytes` more unless the ratio would be exceeded.
    pub fn take(&mut self, bytes: u64) -> bool {
        let after = self.expanded.saturating_add(bytes);
        if after > self.allowed {
            return false;
        }
        self.expanded = after;
        true
    }
}

/// Why an entry was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Entries,
    Bytes,
    Ratio,
}

impl Refusal {
    /// The sentence for an Issue.
    pub fn message(self, limits: &Limits) -> String {
        match self {
            Self::Entries => {
                format!("not read: the bundle has more than {} entries (--max-entries)", limits.max_entries)
            }
            Self::Bytes => {
                format!("not read: the bundle expands to more than {} bytes (--max-bytes)", limits.max_bytes)
            }
            Self::Ratio => {
                format!("not read: its archive expands to more than {} times its size (--max-ratio)", limits.max_ratio)
            }
        }
    }
}

/// What is left of the limits; shared by all archives of a bundle.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    entries: u64,
    bytes: u64,
}

impl Budget {
    pub fn new(limits: &Limits) -> Self {
        Self { entries: limits.max_entries, bytes: limits.max_bytes }
    }

    /// Entries that may still come.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Bytes that may still come.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Admits one entry of `bytes` or says which limit stands against it.
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
        assert!(Refusal::Entries.message(&limits).contains("more than 1 entries"));
    }
}
