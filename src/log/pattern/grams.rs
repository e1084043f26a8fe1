//! Finds many literals by sampling: hundreds of literals cost little more than fifty.
//!
//! A window of `width` bytes of a literal holds a sample if every `width - 3`rd position of the text
//! is one, so four bytes are looked up there and the bytes between are skipped. A bitmap answers most
//! look-ups; a literal that passes is compared in full. An Aho-Corasick table of 500 literals reads every
//! byte instead and ran at 0.65 GB/s where this ran at 2 to 3.

/// Bytes of the shortest literals that are sampled. The shortest literal decides the distance of all samples. A class of its own for
/// literals of 5 to 7 bytes, so that longer ones take larger steps, cost a pass, which is more than it saved.
pub(in crate::log) const SHORTEST: usize = 5;
/// Wider windows put more four-byte pieces into the bitmap than they save.
const MAX_WIDTH: usize = 16;
/// Bits of the bitmap's index: 16 KiB, half of a small first-level cache.
const BITMAP_BITS: u32 = 17;
/// Bits of the index of buckets.
const BUCKET_BITS: u32 = 12;
/// Bits of the index of frequencies.
const FREQUENCY_BITS: u32 = 14;
const PIECE: usize = 4;
/// Distance of samples if one of the literals is as short as they can be, as nearly always.
const LEAST_STRIDE: usize = SHORTEST - PIECE + 1;

/// A literal to find.
pub(in crate::log) trait GramLiteral {
    fn bytes(&self) -> &[u8];
    /// True if ASCII letters match in either case.
    fn ignore_case(&self) -> bool;
    /// Start of the window of [`LEAST_STRIDE`] pieces that are the rarest in all literals there are ([`rarest_windows`]).
    fn rarest(&self) -> usize;
}

/// The pieces of all literals.
#[derive(Debug)]
pub(in crate::log) struct Grams {
    stride: usize,
    bitmap: Vec<u64>,
    /// Position in `entries` at which each bucket begins, and the end of the last one.
    buckets: Vec<u32>,
    entries: Vec<Entry>,
}

/// A piece of a literal.
#[derive(Clone, Copy, Debug)]
struct Entry {
    piece: u32,
    /// Last bytes of the literal: many literals begin alike, so these bytes distinguish most of them
    /// without reading the literal itself.
    tail: u32,
    literal: usize,
    /// Position of the piece in the literal.
    offset: usize,
    /// Bytes of the literal.
    length: usize,
}

impl Grams {
    /// Samples the literals that are long enough; `None` without such literals.
    pub fn new<T: GramLiteral>(literals: &[T]) -> Option<Self> {
        let chosen = || literals.iter().enumerate().filter(|(_, text)| text.bytes().len() >= SHORTEST);
        let width = chosen().map(|(_, text)| text.bytes().len()).min()?.min(MAX_WIDTH);
        let stride = width - PIECE + 1;
        let frequency = (stride != LEAST_STRIDE).then(|| Frequencies::of(chosen().map(|(_, text)| text.bytes())));
        let mut entries = Vec::new();
        for (literal, text) in chosen() {
            let bytes = text.bytes();
            let start = frequency.as_ref().map_or_else(|| text.rarest(), |of| of.rarest_window(bytes, stride));
            let window = pieces(bytes).enumerate().skip(start).take(stride);
            let (tail, length) = (pieces(bytes).next_back().unwrap_or_default(), bytes.len());
            entries.extend(window.map(|(offset, piece)| Entry { piece, tail, literal, offset, length }));
        }
        Some(Self::index(stride, &entries))
    }

    /// Sorts entries by their buckets; those of one bucket stay in their order.
    fn index(stride: usize, entries: &[Entry]) -> Self {
        let mut bitmap = vec![0u64; 1 << (BITMAP_BITS - 6)];
        for entry in entries {
            let (word, bit) = bit(entry.piece);
            if let Some(word) = bitmap.get_mut(word) {
                *word |= bit;
            }
        }
        let mut buckets = vec![0u32; (1 << BUCKET_BITS) + 1];
        for entry in entries {
            if let Some(next) = buckets.get_mut(bucket(entry.piece) + 1) {
                *next += 1;
            }
        }
        let mut sum = 0;
        for begin in &mut buckets {
            sum += *begin;
            *begin = sum;
        }
        let mut free = buckets.clone();
        let mut sorted = entries.to_vec();
        for entry in entries {
            let Some(at) = free.get_mut(bucket(entry.piece)) else { continue };
            if let Some(place) = sorted.get_mut(*at as usize) {
                *place = *entry;
            }
            *at += 1;
        }
        Self { stride, bitmap, buckets, entries: sorted }
    }

    /// Returns the start of a literal at or after `from`; no literal lies on an earlier line.
    pub fn find<T: GramLiteral>(&self, literals: &[T], text: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.next_sample(text, at)?;
            let found = self.matches(literals, text, at).map(|(_, start)| start).find(|start| *start >= from);
            if found.is_some() {
                return found;
            }
            at += self.stride;
        }
    }

    /// Calls `each` with every literal in a text, possibly several times.
    pub fn each<T: GramLiteral>(&self, literals: &[T], text: &[u8], mut tell: impl FnMut(usize)) {
        let mut at = 0;
        while let Some(sample) = self.next_sample(text, at) {
            self.matches(literals, text, sample).for_each(|(literal, _)| tell(literal));
            at = sample + self.stride;
        }
    }

    /// Returns the next sample at or after `at` that the bitmap lets pass.
    fn next_sample(&self, text: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let piece = piece(text.get(at..)?)?;
            let (word, bit) = bit(piece);
            if self.bitmap.get(word).is_some_and(|word| word & bit != 0) {
                return Some(at);
            }
            at += self.stride;
        }
    }

    /// Returns the literals around a sample, with their starts.
    fn matches<'t, T: GramLiteral>(
        &'t self,
        literals: &'t [T],
        text: &'t [u8],
        at: usize,
    ) -> impl Iterator<Item = (usize, usize)> + 't {
        let sample = text.get(at..).and_then(piece).unwrap_or_default();
        let begin = |of: usize| self.buckets.get(of).map_or(0, |begin| *begin as usize);
        let bucket = bucket(sample);
        let entries = self.entries.get(begin(bucket)..begin(bucket + 1)).unwrap_or_default();
        entries.iter().filter(move |entry| entry.piece == sample).filter_map(move |entry| {
            let start = at.checked_sub(entry.offset)?;
            let there = text.get(start..start + entry.length)?;
            there.get(entry.length - PIECE..).and_then(piece).filter(|tail| *tail == entry.tail)?;
            let literal = literals.get(entry.literal)?;
            let same = if literal.ignore_case() {
                there.eq_ignore_ascii_case(literal.bytes())
            } else {
                there == literal.bytes()
            };
            same.then_some((entry.literal, start))
        })
    }
}

/// Returns for each text the start of the window of [`LEAST_STRIDE`] pieces that are the rarest in all of them. Of all literals at once, it
/// costs less than half of what the plans of a small bundle took that looked for it in their own.
pub(in crate::log) fn rarest_windows<'t>(texts: impl Iterator<Item = &'t [u8]> + Clone) -> Vec<usize> {
    let frequency = Frequencies::of(texts.clone());
    texts.map(|bytes| frequency.rarest_window(bytes, LEAST_STRIDE)).collect()
}

/// How many pieces of all literals have the same hash: near enough to how often each occurs, and a map of pieces took a third of the time
/// that a plan takes.
struct Frequencies(Vec<u32>);

impl Frequencies {
    fn of<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut counts = vec![0; 1 << FREQUENCY_BITS];
        for piece in texts.flat_map(pieces) {
            if let Some(count) = counts.get_mut(prefix(piece, FREQUENCY_BITS)) {
                *count += 1;
            }
        }
        Self(counts)
    }

    /// Returns the start of the window of `stride` pieces with the rarest ones: logs are full of pieces that many literals share.
    fn rarest_window(&self, bytes: &[u8], stride: usize) -> usize {
        let count = |piece: u32| self.0.get(prefix(piece, FREQUENCY_BITS)).copied().unwrap_or_default();
        let mut weight: u32 = pieces(bytes).take(stride).map(count).sum();
        let mut rarest = (weight, 0);
        for (start, (left, entered)) in (1..).zip(pieces(bytes).zip(pieces(bytes).skip(stride))) {
            weight = weight - count(left) + count(entered);
            if weight < rarest.0 {
                rarest = (weight, start);
            }
        }
        rarest.1
    }
}

fn pieces(bytes: &[u8]) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
    bytes.array_windows::<PIECE>().map(|bytes| folded(*bytes))
}

/// Returns four bytes as a number that is the same for both cases of a letter.
fn piece(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|bytes| folded(*bytes))
}

fn folded(bytes: [u8; PIECE]) -> u32 {
    u32::from_le_bytes(bytes) | 0x2020_2020
}

fn hash(piece: u32) -> u32 {
    piece.wrapping_mul(0x9E37_79B1)
}

/// Returns word and bit of a piece in the bitmap.
fn bit(piece: u32) -> (usize, u64) {
    let index = prefix(piece, BITMAP_BITS);
    (index >> 6, 1 << (index & 63))
}

fn bucket(piece: u32) -> usize {
    prefix(piece, BUCKET_BITS)
}

/// Returns the first bits of the hash of a piece.
fn prefix(piece: u32, bits: u32) -> usize {
    (hash(piece) >> (32 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use memchr::memmem;
    use proptest::prelude::*;

    use super::*;

    struct Plain(Vec<u8>, bool);

    impl GramLiteral for Plain {
        fn bytes(&self) -> &[u8] {
            &self.0
        }

        fn ignore_case(&self) -> bool {
            self.1
        }

        fn rarest(&self) -> usize {
            rarest_windows(std::iter::once(self.bytes())).first().copied().unwrap_or_default()
        }
    }

    #[test]
    fn short_literals_are_not_sampled() {
        assert!(Grams::new(&[Plain(b"1234".to_vec(), false)]).is_none());
        let literals = [Plain(b"tiny".to_vec(), false), Plain(b"long enough".to_vec(), false)];
        let grams = Grams::new(&literals).unwrap();
        assert_eq!(grams.find(&literals, b"tiny and long enough", 0), Some(9));
        assert_eq!(grams.find(&literals, b"tiny and long enough", 10), None);
        assert_eq!(grams.find(&literals, b"", 0), None);
    }

    fn word() -> impl Strategy<Value = String> {
        prop_oneof!["[abAB ]{5,7}", "[abAB ]{8,20}"]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn finds_what_a_plain_search_finds(
            words in prop::collection::vec((word(), any::<bool>()), 1..30),
            noise in prop::collection::vec("[abAB ]{0,30}", 30),
            planted in prop::collection::vec(any::<prop::sample::Index>(), 30),
        ) {
            let fold = |word: &str, yes: bool| if yes { word.to_ascii_lowercase() } else { word.to_owned() };
            let literals: Vec<Plain> = words.iter().map(|(w, yes)| Plain(fold(w, *yes).into_bytes(), *yes)).collect();
            let text: String = noise.iter().zip(&planted).map(|(n, at)| format!("{n}{}", at.get(&words).0)).collect();
            let grams = Grams::new(&literals).unwrap();
            let mut found = Vec::new();
            grams.each(&literals, text.as_bytes(), |literal| found.push(literal));
            found.sort_unstable();
            found.dedup();
            let starts: Vec<Option<usize>> = literals.iter()
                .map(|l| memmem::find(fold(&text, l.1).as_bytes(), &l.0)).collect();
            let expected: Vec<usize> = (0..literals.len()).filter(|l| starts.get(*l).is_some_and(Option::is_some)).collect();
            prop_assert_eq!(found, expected);
            let first = starts.into_iter().flatten().min();
            prop_assert_eq!(grams.find(&literals, text.as_bytes(), 0).is_some(), first.is_some());
        }
    }
}
