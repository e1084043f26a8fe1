//! Remembers what lines were found to be: logs repeat themselves, often ten thousand times.
//!
//! A [`LineCache`] has a fixed number of places; a newer line takes the place of an older one. Texts are
//! compared in full, so a wrong answer is not possible.

/// Places; a power of two.
const PLACES: usize = 512;
/// Longer texts rarely repeat and cost more to compare.
const MAX_TEXT: usize = 1024;

/// Verdicts `V` by text.
#[derive(Debug)]
pub(in crate::log) struct LineCache<V> {
    places: Vec<CacheSlot<V>>,
}

#[derive(Debug, Default)]
struct CacheSlot<V> {
    text: Vec<u8>,
    verdict: Option<V>,
}

impl<V: Default> LineCache<V> {
    pub fn new() -> Self {
        Self { places: Vec::new() }
    }

    /// Takes out the verdict about a text; [`LineCache::give_back`] it afterwards. `place` is [`slot_of`] the text.
    pub fn take(&mut self, place: usize, text: &[u8]) -> Option<V> {
        let place = self.places.get_mut(place)?;
        if place.text == text { place.verdict.take() } else { None }
    }

    /// Gives back what was taken out last.
    pub fn give_back(&mut self, place: usize, verdict: V) {
        if let Some(place) = self.places.get_mut(place) {
            place.verdict = Some(verdict);
        }
    }

    /// Remembers the verdict about a text that was not known.
    pub fn put(&mut self, place: usize, text: &[u8], verdict: V) {
        if text.len() > MAX_TEXT {
            return;
        }
        if self.places.is_empty() {
            self.places.resize_with(PLACES, CacheSlot::default);
        }
        let Some(place) = self.places.get_mut(place) else { return };
        place.text.clear();
        place.text.extend_from_slice(text);
        place.verdict = Some(verdict);
    }
}

/// Where the verdict about a text is kept: a multiplicative hash, eight bytes at a time: only speed depends on its quality.
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
    (hash.wrapping_mul(FACTOR) >> 40) as usize % PLACES
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
        assert!((200..=PLACES).contains(&found.len()), "{}", found.len());
        assert!((0..5000).all(|n| memo.take(slot_of(&text(n)), &text(n)).is_none()));
    }

    #[test]
    fn long_texts_are_not_kept() {
        let mut memo: LineCache<u32> = LineCache::new();
        memo.put(3, &[b'x'; MAX_TEXT + 1], 1);
        assert_eq!(memo.take(3, &[b'x'; MAX_TEXT + 1]), None);
    }
}
