//! Templates of lines that differ only in digits, remembered without reading their words.
//!
//! A word with a digit varies whatever the digit is, and no header depends on one, but for the status of an answer. So the
//! template of a line follows from its bytes with all digits alike, which are hashed eight at a time, faster than the header and
//! the words are read.

/// Number of texts that are remembered, 24 bytes each; a power of two.
const SLOTS: usize = 1024;
/// Longer texts are read: of their words only the first count.
const MAX_TEXT: usize = 512;

/// The template of a text: its place, none if the text reports no trouble.
pub(super) type Verdict = Option<usize>;

/// Hash of a text whose digits are all alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Likeness(u64);

impl Likeness {
    /// Returns the likeness of a text, none of a long one; texts of which one is `marked` have different ones.
    pub fn of(text: &[u8], marked: bool) -> Option<Self> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let (chunks, rest) = text.as_chunks::<8>();
        let mut hash = mix(FACTOR, (text.len() as u64) << 1 | u64::from(marked));
        for chunk in chunks {
            hash = mix(hash, without_digits(u64::from_le_bytes(*chunk)));
        }
        if !rest.is_empty() {
            // The last eight bytes are read at once, though some have been read before: one by one they cost more than a chunk.
            let last = text.last_chunk().map_or_else(|| packed(rest), |last| u64::from_le_bytes(*last));
            hash = mix(hash, without_digits(last));
        }
        Some(Self(hash))
    }

    fn slot(self) -> usize {
        (self.0 >> 40) as usize % SLOTS
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns fewer than eight bytes as a number.
fn packed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte))
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

/// Replaces each byte that is a digit with `0`.
fn without_digits(bytes: u64) -> u64 {
    // A digit is now a byte up to 9, and its highest bit stays clear when 118 is added.
    let less = bytes ^ (0x30 * ONES);
    let others = ((less & (0x7F * ONES)) + 0x76 * ONES) | less;
    let digits = (!others & (0x80 * ONES)) >> 7;
    bytes & !(digits * 0x0F)
}

/// Verdicts about the last texts.
#[derive(Default)]
pub(super) struct Likenesses(Vec<(Likeness, Option<Verdict>)>);

impl Likenesses {
    pub fn get(&self, likeness: Likeness) -> Option<Verdict> {
        let (known, verdict) = self.0.get(likeness.slot())?;
        if *known == likeness { *verdict } else { None }
    }

    pub fn put(&mut self, likeness: Likeness, verdict: Verdict) {
        if self.0.is_empty() {
            self.0.resize(SLOTS, <(Likeness, Option<Verdict>)>::default());
        }
        if let Some(slot) = self.0.get_mut(likeness.slot()) {
            *slot = (likeness, Some(verdict));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_are_alike() {
        for byte in 0..=u8::MAX {
            let place = u64::from_le_bytes([b'a', byte, 0xFF, byte, b'9', 0, byte, b':']);
            let alike = if byte.is_ascii_digit() { b'0' } else { byte };
            let want = u64::from_le_bytes([b'a', alike, 0xFF, alike, b'0', 0, alike, b':']);
            assert_eq!(without_digits(place), want, "{byte}");
        }
    }

    #[test]
    fn texts_are_told_apart() {
        let of = |text: &str| Likeness::of(text.as_bytes(), false);
        assert_eq!(of("inode 1234 of disk 7, block 99"), of("inode 5678 of disk 1, block 42"));
        for other in
            ["inode 123 of disk 7, block 99", "inode 1234 of disk x, block 99", "inode 1234 of disk 7, block 99 "]
        {
            assert_ne!(of("inode 1234 of disk 7, block 99"), of(other), "{other}");
        }
        assert_ne!(of("a1"), Likeness::of(b"a1", true));
        assert_ne!(of("\0"), of(""));
        assert_eq!(of(&"x".repeat(MAX_TEXT + 1)), None);
    }

    #[test]
    fn a_later_text_may_replace_an_earlier_one() {
        let of = |n: usize| Likeness::of(&b"x".repeat(n), false).unwrap();
        let mut known = Likenesses::default();
        assert_eq!(known.get(of(1)), None);
        (0..MAX_TEXT).for_each(|n| known.put(of(n), (n % 2 == 0).then_some(n)));
        let found: Vec<usize> = (0..MAX_TEXT).filter(|n| known.get(of(*n)).is_some()).collect();
        assert!(found.len() > MAX_TEXT / 2);
        assert!(found.iter().all(|n| known.get(of(*n)) == Some((n % 2 == 0).then_some(*n))));
    }
}
