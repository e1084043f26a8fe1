//! What of a bundle is held in memory at once: the texts of dumps, their objects, and files that rules ask for.
//!
//! Entries are admitted before anything is read, by the size that their archive states and the smallest first, and what is
//! admitted shares the memory by size; so the same entries are refused whatever the threads. What a dump really takes is known
//! while it is read: one of few bytes and many values takes no more than its [`Holdings::room`], and what the others left of
//! theirs is for those that were refused or had too little, in another round.

use std::collections::HashMap;

use crate::bundle::Bundle;

/// A dump of kubectl takes 2.2 times its bytes: its text, 12 bytes for each key and value, and what is kept of each object.
/// Room for it is admitted in halves of its bytes.
const HALVES: u64 = 5;
/// What an entry costs in the list of them.
const LISTED: u64 = 512;
/// What an entry costs that is read, whatever is in it.
const ENTRY: u64 = 2 << 10;

/// What is admitted, and the memory for it.
#[derive(Debug, Default)]
pub struct MemoryBudget {
    /// Bytes of memory for everything that is admitted.
    memory: u64,
    /// Bytes that are admitted.
    admitted: u64,
}

impl MemoryBudget {
    /// The memory that a bundle leaves for what is in it, of which so many entries are read: all of it but for its list of
    /// entries, what is known of each that is read, and the archives that lie open.
    pub fn memory_of(bundle: &Bundle, read: usize) -> u64 {
        let listed = bundle.entries().len() as u64 * LISTED + read as u64 * ENTRY;
        bundle.limits().max_memory.saturating_sub(listed).saturating_sub(bundle.open_bytes())
    }

    /// Admits entries by path and bytes; with those that are refused.
    pub fn admit<'p>(memory: u64, demands: &HashMap<&'p str, u64>) -> (Self, Vec<&'p str>) {
        let mut ordered: Vec<(u64, &str)> = demands.iter().map(|(path, bytes)| (charge(*bytes), *path)).collect();
        ordered.sort_unstable();
        let mut admitted = 0u64;
        let mut refused = Vec::new();
        for (bytes, path) in ordered {
            let sum = admitted.saturating_add(bytes);
            if needed(sum) <= memory {
                admitted = sum;
            } else {
                refused.push(path);
            }
        }
        (Self { memory, admitted }, refused)
    }

    /// Memory that an admitted dump, or a part of one, may take.
    pub fn room(&self, bytes: u64) -> u64 {
        let share = u128::from(charge(bytes)) * u128::from(self.memory) / u128::from(self.admitted.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    /// Whether so much would be admitted as a whole.
    pub fn fits(memory: u64, demands: &HashMap<&str, u64>) -> bool {
        let sum = demands.values().map(|bytes| charge(*bytes)).fold(0, u64::saturating_add);
        needed(sum) <= memory
    }

    /// Why an entry is refused.
    pub fn refusal(bundle: &Bundle) -> String {
        let mib = bundle.limits().max_memory.div_ceil(1 << 20);
        format!(
            "not read: dumps and the files that rules ask for may take {mib} MiB of memory together (--max-memory), and the \
             smaller ones were read first; allow more, or analyse this file by itself, too"
        )
    }
}

/// Memory for so many bytes of dumps.
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
        let (holdings, refused) = MemoryBudget::admit(310 << 20, &demands);
        assert_eq!(refused, ["large"]);
        assert!(!MemoryBudget::fits(310 << 20, &demands));
        let rooms: u64 = [1 << 20, 50 << 20, 50 << 20].into_iter().map(|bytes| holdings.room(bytes)).sum();
        assert!((309 << 20..=310 << 20).contains(&rooms), "{rooms}");
        let (_, refused) = MemoryBudget::admit(160 << 20, &demands);
        assert_eq!(refused, ["b", "large"]);
    }

    #[test]
    fn a_tiny_dump_has_room_for_its_values() {
        let (holdings, refused) = MemoryBudget::admit(100 << 20, &demands(&[("a", 10), ("b", 33 << 20)]));
        assert!(refused.is_empty());
        assert!(holdings.room(10) >= 3 << 10, "{}", holdings.room(10));
    }
}
