//! Remembers verdicts about lines: logs repeat lines, often ten thousand times.
//!
//! A [`LineCache`] has a fixed number of slots; a newer line replaces an older one. Texts are
//! compared in full, so a wrong answer is not possible.

/// Number of slots; a power of two.
const SLOTS: usize = 512;
/// Longer texts rarely repeat and cost more to compare.
const MAX_TEXT: usize = 1024;

/// Verdicts `V` by text.
#[derive(Debug)]
pub(in crate::log) struct LineCache<V> {
    slots: Vec<CacheSlot<V>>,
}

#[derive(Debug, Default)]
struct CacheSlot<V> {
    text: Vec<u8>,
    verdict: Option<V>,
}

impl<V: Default> LineCache<V> {
    pub fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// Takes out the verdict about a text; [`LineCache::give_back`] returns it afterwards. `slot` is [`slot_of`] the text.
    pub fn take(&mut self, slot: usize, text: &[u8]) -> Option<V> {
        let slot = self.slots.get_mut(slot)?;
        if slot.text == text { slot.verdict.take() } else { None }
    }

    /// Gives back what was taken out last.
    pub fn give_back(&mut self, slot: usize, verdict: V) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.verdict = Some(verdict);
        }
    }

    /// Remembers the verdict about a text that was not known.
    pub fn put(&mut self, slot: usize, text: &[u8], verdict: V) {
        if text.len() > MAX_TEXT {
            return;
        }
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, CacheSlot::default);
        }
        let Some(slot) = self.slots.get_mut(slot) else { return };
        slot.text.clear();
        slot.text.extend_from_slice(text);
        slot.verdict = Some(verdict);
    }
}

/// Returns the slot of a text: a multiplicative hash, eight bytes at a time. Only speed depends on its quality.
pub(in crate::log) fn slot_of(text: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, tail) = text.as_chunks::<8>();
    let mut hash = text.len() as u64;
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR).rotate_left(29);
    }
    for byte in tail {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(FACTOR).rotate_left(29);
    }
    (hash.wrapping_mul(FACTOR) >> 40) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_only_for_the_same_text() {
        let mut memo: LineCache<u32> = LineCache::new();
        assert_eq!(memo.take(0, b"a"), None);
        let text = |n: u32| format!("text number {n}").into_bytes();
        for n in 0..5000 {
            memo.put(slot_of(&text(n)), &text(n), n);
        }
        let found: Vec<u32> = (0..5000).filter(|n| memo.take(slot_of(&text(*n)), &text(*n)) == Some(*n)).collect();
        assert!((200..=SLOTS).contains(&found.len()), "{}", found.len());
        assert!((0..5000).all(|n| memo.take(slot_of(&text(n)), &text(n)).is_none()));
    }

    #[test]
    fn long_texts_are_not_kept() {
        let mut memo: LineCache<u32> = LineCache::new();
        memo.put(3, &[b'x'; MAX_TEXT + 1], 1);
        assert_eq!(memo.take(3, &[b'x'; MAX_TEXT + 1]), None);
    }
}
