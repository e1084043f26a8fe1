//! Delta debugging: finds a minimal subset with which a test still holds.

/// Removes the items that are not needed. Halves, then quarters and so on are removed from the front, so the items most
/// likely needed should come last; it ends when no single item can be removed. The test must hold for all items.
pub fn some<T: Clone>(things: Vec<T>, holds: impl Fn(&[T]) -> bool) -> Vec<T> {
    if things.is_empty() || holds(&[]) {
        return Vec::new();
    }
    let mut things = things;
    let mut size = things.len().div_ceil(2);
    loop {
        let before = things.len();
        let mut at = 0;
        while at < things.len() && things.len() > 1 {
            let end = (at + size).min(things.len());
            let rest: Vec<T> = things.iter().take(at).chain(things.iter().skip(end)).cloned().collect();
            if holds(&rest) { things = rest } else { at = end }
        }
        size = match size {
            1 if things.len() == before => return things,
            1 => 1,
            larger => larger.div_ceil(2),
        };
    }
}

/// Does the same as [`some`] for the numbers below `count`; the result is sorted.
pub fn numbers(count: usize, holds: impl Fn(&[usize]) -> bool) -> Vec<usize> {
    some((0..count).collect(), holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    proptest! {
        #[test]
        fn exactly_what_is_needed_stays(count in 0_usize..200, needed in prop::collection::btree_set(0_usize..200, 0..6)) {
            let needed: Vec<usize> = needed.into_iter().filter(|n| *n < count).collect();
            let found = numbers(count, |kept| needed.iter().all(|n| kept.contains(n)));
            prop_assert_eq!(found, needed);
        }

        #[test]
        fn no_single_one_of_the_rest_can_go(least in 1_usize..20, count in 20_usize..60) {
            let found = numbers(count, |kept| kept.len() >= least);
            prop_assert_eq!(found.len(), least);
        }
    }

    #[test]
    fn one_among_many_is_found_in_few_runs() {
        let runs = Cell::new(0);
        let found = numbers(100_000, |kept| {
            runs.set(runs.get() + 1);
            kept.contains(&77_777)
        });
        assert_eq!(found, [77_777]);
        assert!(runs.get() < 60, "{}", runs.get());
    }

    #[test]
    fn a_test_that_never_holds_again_takes_nothing() {
        assert_eq!(numbers(5, |_| false), [0, 1, 2, 3, 4]);
    }
}
