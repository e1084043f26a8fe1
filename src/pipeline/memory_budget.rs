//! Memory for a bundle's content: the texts of dumps, their objects, and files that rules ask for.
//!
//! Entries are admitted before anything is read, by the size that their archive states, smallest first. Admitted
//! entries share the memory by size, so the same entries are refused with any number of threads. The real size of a
//! dump is known only while it is read: a small dump with many values takes no more than its [`MemoryBudget::room`].
//! Memory that is left goes, in another round, to entries that were refused or had too little.

use std::collections::HashMap;

use crate::bundle::Bundle;
use crate::model::message::DocumentProblem;

/// A kubectl dump takes 2.2 times its bytes: its text, 12 bytes for each key and value, and the data kept of each
/// object. Memory is admitted in halves of its bytes.
const HALVES: u64 = 5;
/// Cost of an entry in the list of entries.
const LISTED: u64 = 512;
/// Cost of an entry that is read, independent of its content.
const ENTRY: u64 = 2 << 10;

/// The admitted entries and their memory.
#[derive(Debug, Default)]
pub struct MemoryBudget {
    /// Bytes of memory for all admitted entries.
    memory: u64,
    /// Bytes admitted.
    admitted: u64,
}

impl MemoryBudget {
    /// Returns the memory left for the content of a bundle of which `read` entries are read: all of it except its list
    /// of entries, the data kept of each entry that is read, and the open archives.
    pub fn memory_of(bundle: &Bundle, read: usize) -> u64 {
        let listed = bundle.entries().len() as u64 * LISTED + read as u64 * ENTRY;
        bundle.limits().max_memory.saturating_sub(listed).saturating_sub(bundle.open_bytes())
    }

    /// Admits entries by path and bytes; also returns the refused ones.
    pub fn admit<'p>(memory: u64, demands: &HashMap<&'p str, u64>) -> (Self, Vec<&'p str>) {
        let mut ordered: Vec<(u64, &str)> = demands.iter().map(|(path, bytes)| (charge(*bytes), *path)).collect();
        ordered.sort_unstable();
        let mut admitted = 0u64;
        let mut not_admitted = Vec::new();
        for (bytes, path) in ordered {
            let sum = admitted.saturating_add(bytes);
            if needed(sum) <= memory {
                admitted = sum;
            } else {
                not_admitted.push(path);
            }
        }
        (Self { memory, admitted }, not_admitted)
    }

    /// Returns the memory that an admitted dump, or a part of one, may take.
    pub fn room(&self, bytes: u64) -> u64 {
        let share = u128::from(charge(bytes)) * u128::from(self.memory) / u128::from(self.admitted.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    /// Returns true if all entries would be admitted.
    pub fn fits(memory: u64, demands: &HashMap<&str, u64>) -> bool {
        let sum = demands.values().map(|bytes| charge(*bytes)).fold(0, u64::saturating_add);
        needed(sum) <= memory
    }

    /// Returns the reason why an entry is refused.
    pub fn refusal(bundle: &Bundle) -> DocumentProblem {
        DocumentProblem::NoMemory { mebibytes: bundle.limits().max_memory.div_ceil(1 << 20) }
    }
}

/// Returns the memory for dumps of that size.
fn needed(bytes: u64) -> u64 {
    bytes.saturating_mul(HALVES) / 2
}

fn charge(bytes: u64) -> u64 {
    bytes.saturating_add(ENTRY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demands(sizes: &[(&'static str, u64)]) -> HashMap<&'static str, u64> {
        sizes.iter().copied().collect()
    }

    #[test]
    fn the_smallest_come_first_whatever_the_order() {
        let demands = demands(&[("large", 100 << 20), ("b", 50 << 20), ("a", 50 << 20), ("small", 1 << 20)]);
        let (budget, not_admitted) = MemoryBudget::admit(310 << 20, &demands);
        assert_eq!(not_admitted, ["large"]);
        assert!(!MemoryBudget::fits(310 << 20, &demands));
        let rooms: u64 = [1 << 20, 50 << 20, 50 << 20].into_iter().map(|bytes| budget.room(bytes)).sum();
        assert!((309 << 20..=310 << 20).contains(&rooms), "{rooms}");
        let (_, not_admitted) = MemoryBudget::admit(160 << 20, &demands);
        assert_eq!(not_admitted, ["b", "large"]);
    }

    #[test]
    fn a_tiny_dump_has_room_for_its_values() {
        let (budget, not_admitted) = MemoryBudget::admit(100 << 20, &demands(&[("a", 10), ("b", 33 << 20)]));
        assert!(not_admitted.is_empty());
        assert!(budget.room(10) >= 3 << 10, "{}", budget.room(10));
    }
}
