//! Property: hiding values in a bundle may turn *fired* and *clean* into *not evaluated*, and nothing else.
//!
//! [`cases`] hides values in the bundles of rule tests, [`bundles`] in those of the generator.

mod bundles;
mod cases;
mod table;

/// Values that troubleshoot.sh writes in place of others.
const MASKS: [&str; 2] = ["***HIDDEN***", "***TOKEN_PASSWORD_0A1B2C***"];

/// Small deterministic generator (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    /// Each file has a sequence of its own, so that a new file changes nothing for the others: FNV-1a of its name.
    fn of(name: &str) -> Self {
        Self(
            name.bytes()
                .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)),
        )
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn mask(&mut self) -> &'static str {
        MASKS[self.below(2) as usize]
    }
}

/// Returns whether hiding values may turn an answer into another one: what was not collected may matter only where a hidden value leaves
/// it open.
fn is_open(before: &str, after: &str) -> bool {
    // Where the version is hidden, a rule that does not apply looks, too.
    let (looks, finds_nothing) = (before == "not applicable", after == "clean" || after == "clean where collected");
    before == after || after == "not evaluated" || finds_nothing && (looks || before == "clean")
}
