//! Hashes of passwords as crypt(3), htpasswd and Argon2 write them: `root:$y$j9T$...`, `$argon2id$v=19$...`.

use std::ops::Range;

/// Names of methods, from crypt(5), Apache's htpasswd, passlib and the Argon2 reference.
const METHODS: [&str; 18] = [
    "1",
    "2a",
    "2b",
    "2x",
    "2y",
    "5",
    "6",
    "7",
    "apr1",
    "argon2d",
    "argon2i",
    "argon2id",
    "gy",
    "md5",
    "pbkdf2",
    "pbkdf2-sha256",
    "scrypt",
    "y",
];

/// Bytes of the shortest hash with its method and salt.
const SHORTEST: usize = 20;

/// Bytes of the longest name of a method with its marks, and `v`.
const LONGEST_METHOD: usize = 18;

/// Returns true if the text behind or around a separator may be a hash; quick.
pub(super) fn may_be_at(bytes: &[u8], separator: usize) -> bool {
    bytes.get(separator + 1) == Some(&b'$') || bytes.get(..separator).is_some_and(|before| before.ends_with(b"$v"))
}

/// Returns the hash behind a separator, or the one of Argon2 that the separator belongs to.
pub(super) fn at(text: &str, separator: usize) -> Option<Range<usize>> {
    let start = if text.as_bytes().get(separator + 1) == Some(&b'$') {
        separator + 1
    } else {
        let from = text.floor_char_boundary(separator.saturating_sub(LONGEST_METHOD));
        from + text.get(from..separator)?.rfind("$argon2")?
    };
    let rest = text.get(start..)?;
    let (method, _) = rest.strip_prefix('$')?.split_once('$')?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"$./=,+_-".contains(byte);
    let length = rest.bytes().take_while(is_part).count();
    (METHODS.contains(&method) && length >= SHORTEST).then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use crate::model::secret::redact;

    #[test]
    fn hashes_of_passwords_are_masked() {
        let salt = "q3LmZp9Ltvx7K2ab".repeat(2);
        for method in super::METHODS {
            let text = format!("root:${method}$salt${salt}:19000:0");
            assert_eq!(redact(&text), "root:***:19000:0", "{method}");
        }
        let text = format!("stored $argon2id$v=19$m=65536,t=3,p=4$c2FsdA${salt} for bob");
        assert_eq!(redact(&text), "stored *** for bob");
        for text in ["echo a:$1$2", "PATH=$HOME$x", "cost:$5$", "price:$1$ and more", "a$v=1"] {
            assert_eq!(redact(text), text);
        }
    }
}
