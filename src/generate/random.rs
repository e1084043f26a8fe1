//! Deterministic randomness: a small generator for streams, a hash for names and uids.

/// SplitMix64 (Steele, Lea, Flood 2014): fast, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The bias of a remainder does not matter for invented data.
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// One of the items; the default for none.
    pub fn pick<T: Copy + Default>(&mut self, items: &[T]) -> T {
        items.get(self.below(items.len() as u64) as usize).copied().unwrap_or_default()
    }
}

fn mix(value: u64) -> u64 {
    let z = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Names of things of one bundle: what they are called decides, not when they are made.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub seed: u64,
}

impl Names {
    /// A hash of what a thing is called (FNV-1a, mixed).
    pub fn hash(self, parts: &[&str]) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325 ^ mix(self.seed);
        for part in parts {
            for byte in part.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        mix(hash)
    }

    /// A stream of numbers for one thing.
    pub fn random(self, parts: &[&str]) -> Random {
        Random::new(self.hash(parts))
    }

    /// A version 4 UUID.
    pub fn uuid(self, parts: &[&str]) -> String {
        let mut random = self.random(parts);
        let (high, low) = (random.next(), random.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | (low >> 48) & 0x3fff,
            low & 0xffff_ffff_ffff
        )
    }

    /// Lower-case hexadecimal digits.
    pub fn hex(self, parts: &[&str], length: usize) -> String {
        let mut random = self.random(parts);
        (0..length).map(|_| char::from(b"0123456789abcdef"[(random.next() & 15) as usize])).collect()
    }

    /// Letters and digits as Kubernetes appends them to generated names.
    pub fn suffix(self, parts: &[&str], length: usize) -> String {
        const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut random = self.random(parts);
        (0..length).map(|_| char::from(ALPHABET[(random.next() % 27) as usize])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_paper() {
        let mut random = Random::new(1_234_567);
        assert_eq!((random.next(), random.next()), (6_457_827_717_110_365_317, 3_203_168_211_198_807_973));
    }

    #[test]
    fn names_depend_on_seed_and_parts_only() {
        let names = Names { seed: 7 };
        assert_eq!(names.uuid(&["a", "b"]), names.uuid(&["a", "b"]));
        assert_ne!(names.uuid(&["a", "b"]), names.uuid(&["ab", ""]));
        assert_ne!(names.uuid(&["a"]), Names { seed: 8 }.uuid(&["a"]));
        let uuid = names.uuid(&["x"]);
        assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'));
    }
}
