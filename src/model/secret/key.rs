//! Keys whose values are secrets, judged by how they end; `-`, `_`, `.` and case are ignored, and so is a tail such as `_1`, `.bak`,
//! `Hash`.

use super::value::{is_plain, looks_generated};

/// What a key says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The value is a secret unless it is a boolean or null.
    Always,
    /// The value is a secret unless it is a number, a path or a word of state.
    UnlessPlain,
    /// The value is a secret if it looks like one; keys such as `auth` also have modes and names as values.
    IfGenerated,
}

impl Claim {
    pub(super) fn holds(self, value: &str) -> bool {
        match self {
            Self::Always => !matches!(value, "true" | "false" | "null" | "nil"),
            Self::UnlessPlain => !is_plain(value),
            Self::IfGenerated => looks_generated(value),
        }
    }
}

/// Where an ending may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Anywhere: `rootPassword`, `vip_token`.
    Anywhere,
    /// Where a word begins: `smtpPass` and `DB_PASS`, not `bypass`.
    Word,
    /// After `_`, in capitals: `STORAGE_KEY`, not `topologyKey`.
    Variable,
    /// After `-` or `.`: `webhook.github.secret`, not `imagePullSecret`.
    Joint,
    /// The ending is the whole key, or comes after `_`: `secret`, `app_secret`, not `imagePullSecret`, which is a name.
    Whole,
}

struct Ending {
    word: &'static str,
    start: Start,
    claim: Claim,
}

const fn ending(word: &'static str, start: Start, claim: Claim) -> Ending {
    Ending { word, start, claim }
}

/// Endings by their last two letters.
const ENDINGS: &[(&[u8; 2], &[Ending])] = &[
    (b"64", &[ending("userdatabase64", Start::Anywhere, Claim::Always)]),
    (
        b"al",
        &[
            ending("credential", Start::Word, Claim::IfGenerated),
            // kubectl create secret --from-literal=name=value
            ending("fromliteral", Start::Anywhere, Claim::Always),
        ],
    ),
    (b"ds", &[ending("passwords", Start::Word, Claim::UnlessPlain), ending("creds", Start::Word, Claim::IfGenerated)]),
    (b"en", &[ending("token", Start::Anywhere, Claim::Always)]),
    (b"er", &[ending("bearer", Start::Word, Claim::IfGenerated)]),
    (
        b"et",
        &[
            ending("clientsecret", Start::Anywhere, Claim::Always),
            ending("accesskeysecret", Start::Anywhere, Claim::Always),
            ending("secret", Start::Whole, Claim::Always),
            ending("secret", Start::Joint, Claim::IfGenerated),
        ],
    ),
    (
        b"ey",
        &[
            ending("privatekey", Start::Anywhere, Claim::Always),
            ending("secretkey", Start::Anywhere, Claim::Always),
            ending("secretaccesskey", Start::Anywhere, Claim::Always),
            ending("apikey", Start::Anywhere, Claim::Always),
            ending("tlskey", Start::Anywhere, Claim::Always),
            ending("presharedkey", Start::Anywhere, Claim::Always),
            ending("accesskey", Start::Word, Claim::IfGenerated),
            // Ceph CSI
            ending("adminkey", Start::Word, Claim::IfGenerated),
            ending("userkey", Start::Word, Claim::IfGenerated),
            ending("customerkey", Start::Word, Claim::IfGenerated),
            ending("activationkey", Start::Word, Claim::IfGenerated),
            ending("accountkey", Start::Word, Claim::IfGenerated),
            ending("authkey", Start::Word, Claim::IfGenerated),
            ending("clientkey", Start::Word, Claim::IfGenerated),
            ending("encryptionkey", Start::Word, Claim::IfGenerated),
            ending("hmackey", Start::Word, Claim::IfGenerated),
            ending("licensekey", Start::Word, Claim::IfGenerated),
            ending("masterkey", Start::Word, Claim::IfGenerated),
            ending("serverkey", Start::Word, Claim::IfGenerated),
            ending("servicekey", Start::Word, Claim::IfGenerated),
            ending("sessionkey", Start::Word, Claim::IfGenerated),
            ending("sharedkey", Start::Word, Claim::IfGenerated),
            ending("signingkey", Start::Word, Claim::IfGenerated),
            ending("storagekey", Start::Word, Claim::IfGenerated),
            ending("key", Start::Variable, Claim::IfGenerated),
        ],
    ),
    (b"fg", &[ending("dockercfg", Start::Anywhere, Claim::Always)]),
    // The registration code of SUSE's products.
    (b"de", &[ending("passcode", Start::Anywhere, Claim::Always), ending("regcode", Start::Anywhere, Claim::Always)]),
    (b"ie", &[ending("cookie", Start::Word, Claim::IfGenerated)]),
    (b"ig", &[ending("sig", Start::Whole, Claim::IfGenerated)]),
    // CHAP in both directions: node.session.auth.password_in
    (b"in", &[ending("passwordin", Start::Anywhere, Claim::Always)]),
    (b"ls", &[ending("credentials", Start::Word, Claim::IfGenerated)]),
    (b"ng", &[ending("connectionstring", Start::Word, Claim::IfGenerated)]),
    (b"ns", &[ending("tokens", Start::Word, Claim::IfGenerated)]),
    (
        b"on",
        &[
            ending("dockerconfigjson", Start::Anywhere, Claim::Always),
            ending("authorization", Start::Word, Claim::IfGenerated),
        ],
    ),
    (
        b"pw",
        &[
            ending("pw", Start::Word, Claim::UnlessPlain),
            ending("rootpw", Start::Word, Claim::UnlessPlain),
            ending("adminpw", Start::Word, Claim::UnlessPlain),
            ending("dbpw", Start::Word, Claim::UnlessPlain),
        ],
    ),
    (b"rd", &[ending("password", Start::Anywhere, Claim::Always)]),
    (b"re", &[ending("signature", Start::Word, Claim::IfGenerated)]),
    // The second one is French.
    (
        b"se",
        &[
            ending("secretkeybase", Start::Anywhere, Claim::Always),
            ending("passphrase", Start::Anywhere, Claim::Always),
            ending("motdepasse", Start::Anywhere, Claim::Always),
        ],
    ),
    // The German word.
    (b"rt", &[ending("passwort", Start::Anywhere, Claim::Always), ending("kennwort", Start::Anywhere, Claim::Always)]),
    (b"sk", &[ending("psk", Start::Word, Claim::UnlessPlain)]),
    (
        b"ss",
        &[
            // the session cookie of Rancher
            ending("rsess", Start::Anywhere, Claim::Always),
            ending("pass", Start::Word, Claim::UnlessPlain),
            ending("adminpass", Start::Word, Claim::UnlessPlain),
            ending("dbpass", Start::Word, Claim::UnlessPlain),
            ending("rootpass", Start::Word, Claim::UnlessPlain),
            ending("userpass", Start::Word, Claim::UnlessPlain),
            // options of keytool: -storepass, -srcstorepass, -deststorepass, -keypass
            ending("storepass", Start::Anywhere, Claim::Always),
            ending("keypass", Start::Word, Claim::Always),
        ],
    ),
    (b"sw", &[ending("passw", Start::Word, Claim::UnlessPlain)]),
    (
        b"ta",
        &[
            ending("clientkeydata", Start::Anywhere, Claim::Always),
            // cloud-init of virtual machines: passwords and keys in free text
            ending("userdata", Start::Anywhere, Claim::Always),
        ],
    ),
    (b"th", &[ending("auth", Start::Word, Claim::IfGenerated)]),
    (b"tp", &[ending("otp", Start::Word, Claim::IfGenerated)]),
    (b"ys", &[ending("unsealkeys", Start::Anywhere, Claim::UnlessPlain)]),
    (
        b"wd",
        &[
            ending("pswd", Start::Word, Claim::UnlessPlain),
            ending("passwd", Start::Anywhere, Claim::Always),
            ending("pwd", Start::Word, Claim::UnlessPlain),
        ],
    ),
];

/// Keys that end like one of the table and hold no secret: the option of sudo.
const EXCEPTIONS: [&str; 1] = ["nopasswd"];

/// Words behind a secret key that say which one it is, or in which form.
const TAILS: [&str; 18] = [
    "b64",
    "bak",
    "base64",
    "dev",
    "enc",
    "hash",
    "hashed",
    "new",
    "old",
    "plain",
    "plaintext",
    "prod",
    "production",
    "staging",
    "test",
    "text",
    "txt",
    "value",
];

/// Most digits at the end of a key.
const MOST_DIGITS: usize = 3;

/// Keys of secrets in other languages, which have no ASCII ending.
const FOREIGN: [&str; 8] = ["密码", "口令", "密钥", "令牌", "пароль", "Пароль", "contraseña", "Contraseña"];

/// Bytes at the end of each of them, one of which is no ASCII.
const FOREIGN_END: usize = 3;

/// Returns the key of a secret in another language with which a text ends.
pub(super) fn foreign(text: &str) -> Option<&str> {
    // Nearly all texts are English.
    if text.bytes().rev().take(FOREIGN_END).all(|byte| byte.is_ascii()) {
        return None;
    }
    let length = FOREIGN.iter().find(|word| text.ends_with(**word))?.len();
    text.get(text.len() - length..)
}

/// Returns true if every value of the key is a secret: `rootPassword`, not `auth`.
pub fn names_secret(key: &str) -> bool {
    claim(key) == Some(Claim::Always)
}

/// Returns true if the value of the key is a secret.
pub fn is_secret(key: &str, value: &str) -> bool {
    claim(key).is_some_and(|claim| claim.holds(value))
}

/// Returns true if a value in a mapping under a key that names a secret is that secret: `password: {value: x}`.
pub fn is_secret_below(key: &str, value: &str) -> bool {
    const HELD: [&str; 8] = ["content", "current", "data", "default", "plain", "plaintext", "raw", "value"];
    let is_held = HELD.iter().any(|held| key.eq_ignore_ascii_case(held));
    is_held && !is_plain(value) || looks_generated(value)
}

/// Returns what a key says about its value; none if it says nothing.
pub(super) fn claim(key: &str) -> Option<Claim> {
    // Fast path: almost every key of a dump ends here.
    let tail = last_letters(key.as_bytes())?;
    let of_ending = ENDINGS.iter().find(|(letters, _)| **letters == tail);
    let found = of_ending.and_then(|(_, endings)| endings.iter().find(|ending| ending.fits(key)));
    let Some(found) = found else { return claim(without_tail(key)?) };
    let is_exception = EXCEPTIONS.iter().any(|word| start_of(key, word).is_some());
    (!is_exception).then_some(found.claim)
}

/// Returns a key without its tail: `DB_PASSWORD_1`, `password.txt`, `passwordHash`; none if it has none.
fn without_tail(key: &str) -> Option<&str> {
    let bare = key.trim_end_matches(['-', '_', '.']);
    let is_begin = |(at, byte): &(usize, u8)| {
        let before = bare.as_bytes().get(at.wrapping_sub(1)).copied().unwrap_or_default();
        is_joint(before) || (before.is_ascii_lowercase() && byte.is_ascii_uppercase())
    };
    let begin = bare.bytes().enumerate().rev().find(is_begin).map_or(0, |(at, _)| at);
    let (head, last) = (bare.get(..begin)?, bare.get(begin..)?);
    if TAILS.iter().any(|tail| last.eq_ignore_ascii_case(tail)) {
        return Some(head);
    }
    let word = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    (1..=MOST_DIGITS).contains(&(bare.len() - word.len())).then_some(word)
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'.')
}

impl Ending {
    fn fits(&self, key: &str) -> bool {
        start_of(key, self.word).is_some_and(|at| self.may_start(key, at))
    }

    fn may_start(&self, key: &str, at: usize) -> bool {
        let bytes = key.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
        let first = bytes.get(at).copied().unwrap_or_default();
        match (self.start, before) {
            (Start::Anywhere, _) | (Start::Whole | Start::Word, None | Some(b'_')) => true,
            (Start::Word, Some(byte)) => {
                !byte.is_ascii_alphanumeric() || (byte.is_ascii_lowercase() && first.is_ascii_uppercase())
            }
            (Start::Joint, byte) => matches!(byte, Some(b'-' | b'.')),
            (Start::Whole, Some(_)) => false,
            (Start::Variable, _) => {
                before == Some(b'_') && first.is_ascii_uppercase() && !key.to_ascii_uppercase().contains("PUBLIC")
            }
        }
    }
}

/// Returns where a word at the end of a key begins, if the key ends with it.
fn start_of(key: &str, word: &str) -> Option<usize> {
    let mut letters = key.bytes().enumerate().rev().filter(|(_, byte)| !is_joint(*byte));
    let mut start = key.len();
    for wanted in word.bytes().rev() {
        let (at, found) = letters.next()?;
        if found.to_ascii_lowercase() != wanted {
            return None;
        }
        start = at;
    }
    Some(start)
}

/// Returns the last two letters of the key at the end of a text, if a key of the table or `value` may end with them.
pub(super) fn last_letters(text: &[u8]) -> Option<[u8; 2]> {
    let no_part = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\' | b'-' | b'_' | b'.') || !byte.is_ascii_graphic();
    let is_last = |byte: u8| {
        matches!(
            byte,
            b'a' | b'c'
                | b'd'
                | b'e'
                | b'g'
                | b'h'
                | b'k'
                | b'l'
                | b'n'
                | b'p'
                | b'r'
                | b's'
                | b't'
                | b'v'
                | b'w'
                | b'y'
        )
    };
    if text.ends_with(b"64") {
        return Some(*b"64");
    }
    let digits = text.iter().rev().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let mut letters = text.iter().rev().skip(digits).filter(|byte| !no_part(**byte)).map(u8::to_ascii_lowercase);
    let last = letters.next().filter(|byte| is_last(*byte))?;
    let before = letters.next()?;
    let may_end = matches!(
        (before, last),
        (b't', b'a')
            | (b'n', b'c')
            | (b'e' | b'l' | b'o' | b'r' | b'w', b'd')
            | (b'd' | b'i' | b'r' | b's' | b'u', b'e')
            | (b'f' | b'i' | b'n', b'g')
            | (b's' | b't', b'h')
            | (b'a' | b's', b'k')
            | (b'a', b'l')
            | (b'e' | b'i' | b'o', b'n')
            | (b'e', b'r')
            | (b'd' | b'l' | b'n' | b's' | b'y', b's')
            | (b't', b'p')
            | (b'e' | b'r' | b's' | b'x', b't')
            | (b'e', b'v' | b'y')
            | (b'e' | b'p' | b's', b'w')
    );
    may_end.then_some([before, last])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "x7Kq2mZp9Ltv";

    #[test]
    fn keys_that_hold_secrets() {
        for key in [
            "password",
            "rootPassword",
            "PASSWD",
            "db-passwd",
            "secret",
            "client_secret",
            "APP_SECRET",
            "token",
            "agent-token",
            "registrationToken",
            "VIP_TOKEN",
            "client-key-data",
            "privateKey",
            "ssh_private_key",
            "AWS_SECRET_ACCESS_KEY",
            "tls.key",
            "userData",
            "userDataBase64",
            "apiKey",
            "passphrase",
            "password_",
            ".dockerconfigjson",
            "R_SESS",
            "discovery.sendtargets.auth.password_in",
            "DB_PASSWORD_1",
            "password2",
            "DB_PASSWORD_PROD",
            "db.password.enc",
            "password.txt",
            "passwordHash",
            "clientSecretValue",
            "tls.key.bak",
            "passcode",
            "Passwort",
            "SECRET_KEY_BASE",
        ] {
            assert!(names_secret(key), "{key}");
        }
    }

    #[test]
    fn keys_that_only_mention_them() {
        for key in [
            "secretName",
            "secretRef",
            "imagePullSecret",
            "existingSecret",
            "secrets",
            "tokenExpirationSeconds",
            "passwordPolicy",
            "key",
            "name",
            "data",
            "publicKey",
            "SSH_PUBLIC_KEY",
            "topologyKey",
            "cacheKey",
            "bypass",
            "compass",
            "oauth",
            "NOPASSWD",
            "checksum/secret",
            "tokenTTL",
            "passwordLength",
            "passwordAge",
            "maxPasswordAge",
            "keyword",
            "sha256",
            "ipv4",
            "12",
            "",
            "_",
            "path",
        ] {
            assert!(!is_secret(key, RANDOM), "{key}");
        }
    }

    #[test]
    fn keys_of_accounts_hold_secrets_that_look_like_one() {
        for key in [
            "auth",
            "REDIS_AUTH",
            "AZURE_STORAGE_KEY",
            "accountKey",
            "credential",
            "db.credentials",
            "SMTP_PASS",
            "smtpPass",
            "pass",
            "ADMIN_PWD",
            "MYSQL_ROOT_PW",
            "DB_PASS_PROD",
            "wifi-psk",
            "sharedKey",
            "X-Amz-Signature",
            "webhook.github.secret",
            "application-credential-secret",
            "adminKey",
            "userKey",
            "sse_customer_key",
            "dbpass",
            "rootpw",
            "adminpass",
            "passw",
            "pswd",
            "otp",
            "unseal_keys_b64",
        ] {
            assert!(is_secret(key, RANDOM), "{key}");
            for plain in ["true", "/etc/ssl/server.key", "30"] {
                assert!(!is_secret(key, plain), "{key}: {plain}");
            }
        }
        for name in ["basic", "backup-credentials", "cattle-system", "minio"] {
            assert!(!is_secret("backup-target-credential-secret", name));
            assert!(!is_secret("auth", name) && !is_secret("credentials", name), "{name}");
        }
    }

    #[test]
    fn every_ending_passes_the_look_at_two_letters() {
        for (tail, ending) in
            ENDINGS.iter().flat_map(|(tail, endings)| endings.iter().map(move |ending| (*tail, ending)))
        {
            assert_eq!(last_letters(ending.word.as_bytes()), Some(*tail), "{}", ending.word);
        }
        for tail in TAILS {
            assert!(last_letters(tail.as_bytes()).is_some() && claim(&format!("password_{tail}")).is_some(), "{tail}");
        }
    }
}
