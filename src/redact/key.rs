//! Key of pseudonyms, and the computation of a pseudonym.

use sha2::{Digest, Sha256};

use super::text::Pseudonyms;

/// Block size of SHA-256 in bytes.
const BLOCK: usize = 64;
/// Digits of a pseudonym: among a million names, the chance that two share one is one half.
const DIGITS: usize = 10;
/// Minimum bytes of a key; shorter ones can be guessed.
const LEAST: usize = 16;

/// Key of pseudonyms: with the same key, a name always has the same pseudonym.
#[derive(Clone)]
pub struct Key {
    bytes: [u8; 32],
}

/// Reason why a secret cannot be a key.
#[derive(Debug, thiserror::Error)]
#[error("the key has {0} bytes, which can be guessed; give at least {LEAST} random ones, as of `openssl rand -hex 32`")]
pub struct KeyError(usize);

impl Key {
    /// Creates a key from a secret of the user, without blanks and line ends around it. Pseudonyms are equal in all
    /// bundles.
    ///
    /// # Errors
    ///
    /// Returns an error if it is too short.
    pub fn of_secret(secret: &[u8]) -> Result<Self, KeyError> {
        let secret = secret.trim_ascii();
        if secret.len() < LEAST { Err(KeyError(secret.len())) } else { Ok(Self::derived(b"secret", secret)) }
    }

    /// Creates a key from the content of a bundle: readers of the report cannot know it, and owners of the bundle know
    /// all names anyway.
    pub fn of_bundle(content_id: &str) -> Self {
        Self::derived(b"bundle", content_id.as_bytes())
    }

    fn derived(purpose: &[u8], from: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [b"gleaner redact v1", purpose, from] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self { bytes: hash.finalize().into() }
    }

    /// Returns a pseudonym such as `host-0f3a91c2d4`.
    pub fn pseudonym(&self, kind: &str, name: &str) -> String {
        format!("{kind}-{}", self.hex(kind, name, DIGITS))
    }

    /// Returns a keyed fingerprint of the same length, so that it confirms no guess.
    pub fn fingerprint(&self, fingerprint: &str) -> String {
        self.hex("fingerprint", fingerprint, fingerprint.len())
    }

    /// Returns at most 64 digits of the keyed hash of a value of a kind.
    pub fn hex(&self, kind: &str, value: &str, digits: usize) -> String {
        let mut text: String = self.mac([kind, "\0", value]).iter().map(|byte| format!("{byte:02x}")).collect();
        text.truncate(digits);
        text
    }

    /// Computes HMAC-SHA-256 (RFC 2104).
    fn mac(&self, parts: [&str; 3]) -> [u8; 32] {
        let pad = |with: u8| {
            let mut block = [with; BLOCK];
            block.iter_mut().zip(self.bytes).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let inner = parts.iter().fold(Sha256::new_with_prefix(pad(0x36)), Sha256::chain_update);
        Sha256::new().chain_update(pad(0x5c)).chain_update(inner.finalize()).finalize().into()
    }
}

impl Pseudonyms for Key {
    fn of(&self, kind: &str, name: &str) -> Option<String> {
        Some(self.pseudonym(kind, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        // Test case 2; a key shorter than a block is padded with zeros.
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(b"Jefe");
        let mac = Key { bytes }.mac(["what do ya want ", "for ", "nothing?"]);
        let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn keys_make_the_difference() {
        let (one, other) = (Key::of_bundle("a"), Key::of_bundle("b"));
        assert_eq!(one.pseudonym("host", "alpha"), one.pseudonym("host", "alpha"));
        assert_ne!(one.pseudonym("host", "alpha"), other.pseudonym("host", "alpha"));
        assert_ne!(one.pseudonym("host", "alpha")[5..], one.pseudonym("mail", "alpha")[5..]);
        let secret = Key::of_secret(b" 0123456789abcdef\n").unwrap();
        assert_eq!(secret.fingerprint("00ff"), Key::of_secret(b"0123456789abcdef").unwrap().fingerprint("00ff"));
        assert!(Key::of_secret(b"short          \n").is_err());
    }
}
