//! Tests of eight bytes at once in a register, for texts so short that a vector search costs more than it saves.

/// One in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = EACH << 7;

/// Returns the eight bytes at an offset; `None` if there are fewer.
#[inline]
pub(super) fn at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))
}

/// Marks the bytes equal to one by their highest bit; marks behind the first one may be wrong.
#[inline]
pub(super) fn equal(eight: u64, byte: u8) -> u64 {
    let zeroed = eight ^ (EACH * u64::from(byte));
    zeroed.wrapping_sub(EACH) & !zeroed & HIGHEST
}

/// Marks the bytes below a limit of at most 128, like [`equal`].
#[inline]
pub(super) fn below(eight: u64, limit: u8) -> u64 {
    eight.wrapping_sub(EACH * u64::from(limit)) & !eight & HIGHEST
}

/// Returns the position of the first mark; 8 if there is none.
#[inline]
pub(super) fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Returns the offset of the first byte at or after one that is not a blank.
#[inline]
pub(super) fn behind_blanks(bytes: &[u8], mut from: usize) -> usize {
    while let Some(eight) = at(bytes, from) {
        let others = eight ^ (EACH * u64::from(b' '));
        if others != 0 {
            return from + first(others);
        }
        from += 8;
    }
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| **byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn first_marks_are_those_of_a_plain_search(bytes in prop::collection::vec(prop_oneof![any::<u8>(), 30u8..36], 8)) {
            let eight = at(&bytes, 0).unwrap();
            let plain = |test: &dyn Fn(u8) -> bool| bytes.iter().position(|byte| test(*byte)).unwrap_or(8);
            prop_assert_eq!(first(equal(eight, b'"')), plain(&|byte| byte == b'"'));
            prop_assert_eq!(first(below(eight, b' ')), plain(&|byte| byte < b' '));
            prop_assert_eq!(
                first(equal(eight, b'!') | below(eight, b' ')),
                plain(&|byte| byte == b'!' || byte < b' ')
            );
        }

        #[test]
        fn blanks_are_skipped(text in " {0,20}[a ]{0,3}", from in 0usize..5) {
            let from = from.min(text.len());
            prop_assert_eq!(behind_blanks(text.as_bytes(), from), text.len() - text[from..].trim_start().len());
        }
    }
}
