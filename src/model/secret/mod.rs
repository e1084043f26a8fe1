//! Finds secrets: by the key of a value ([`key`], [`pair`], [`argument`]), by forms that need no key ([`form_table`]), in
//! addresses, private keys and lists of logins.
//!
//! Masking too much costs a reader a look into the bundle; masking too little leaks a password. Therefore every key
//! that *ends* with a listed word counts (`rootPassword`, `VIP_TOKEN`, `registration-token`), while keys that only
//! begin with one (`secretName`, `tokenExpirationSeconds`) name something else. Keys that have other values as often
//! (`auth`, `credential`, `STORAGE_KEY`) count if the value looks generated.

mod address;
mod argument;
mod encoded;
mod form;
mod form_table;
mod hash;
mod key;
mod lines;
mod login_list;
mod manifest;
mod packed;
mod pair;
mod private_key;
mod search;
mod value;

use std::borrow::Cow;
use std::ops::Range;

pub use argument::is_argument;
pub use key::{is_secret, is_secret_below, names_secret};
pub use private_key::{key_line, opens_key};
pub use search::{holds_packed_secret, merged, ranges};

/// Replacement of secrets in outputs.
pub const MASK: &str = "***";

/// Returns true if a collector replaced the value or its beginning to hide it, so that the value is not known:
/// `***HIDDEN***`, `***HIDDEN***:10000` and `***TOKEN_PASSWORD_1A2B3C***` of troubleshoot.sh, `*REMOVED BY SUPPORTCONFIG*`, and what people
/// and other tools write over a value. A sentence that begins with a hidden word is known text.
pub fn is_withheld(text: &str) -> bool {
    let hidden = text.strip_prefix("***").and_then(|text| text.split_once("***"));
    hidden.is_some_and(|(inner, behind)| {
        (inner == "HIDDEN" || (inner.starts_with("TOKEN_") && !inner.contains(' '))) && !behind.contains(' ')
    }) || is_written_over(text)
}

/// Returns true if a collector replaced a part of the text: `tcp://***HIDDEN***:10000` of troubleshoot.sh. Such keys of one mapping
/// were different keys.
pub fn hides_part(text: &str) -> bool {
    text.contains("***HIDDEN***") || text.contains("***TOKEN_")
}

/// Recognises `[REDACTED]`, `<redacted>`, `(masked)`, `*****` as a whole value.
fn is_written_over(text: &str) -> bool {
    const WORDS: [&str; 4] = ["HIDDEN", "MASKED", "REDACTED", "REMOVED BY SUPPORTCONFIG"];
    const LONGEST: usize = 40;
    if text.len() > LONGEST || !text.starts_with(['*', '[', '<', '(', 'R']) {
        return false;
    }
    match text.trim_matches(['*', '[', ']', '<', '>', '(', ')']) {
        // Three are the mask of our own reports, whose values were secrets.
        "" => text.len() > MASK.len() && text.bytes().all(|byte| byte == b'*'),
        "REDACTED" => true,
        word => word.len() < text.len() && WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)),
    }
}

/// Replaces the secrets of a text with [`MASK`].
pub fn redact(text: &str) -> Cow<'_, str> {
    redact_from(text, &form::beginnings(text.as_bytes(), usize::MAX - 1))
}

/// Positions in a long text at which a secret may begin, so that its parts need no search of their own.
#[derive(Debug)]
pub struct Beginnings(Option<Vec<u32>>);

impl Beginnings {
    /// Most positions that are kept (4 MiB); with more, each part is searched.
    const MOST: usize = 1 << 20;

    pub fn of(text: &str) -> Self {
        let found = form::beginnings(text.as_bytes(), Self::MOST);
        let is_all = found.len() <= Self::MOST;
        Self(found.into_iter().map(|at| u32::try_from(at).ok().filter(|_| is_all)).collect())
    }

    /// Like [`redact`], for a part of the text.
    pub fn redact<'t>(&self, text: &'t str, part: Range<usize>) -> Cow<'t, str> {
        let shown = text.get(part.clone()).unwrap_or_default();
        let Some(all) = &self.0 else { return redact(shown) };
        if all.is_empty() {
            return redact_from(shown, &[]);
        }
        let from = all.partition_point(|at| (*at as usize) < part.start);
        let inside = all.iter().skip(from).map(|at| *at as usize).take_while(|at| *at < part.end);
        redact_from(shown, &inside.map(|at| at - part.start).collect::<Vec<_>>())
    }
}

fn redact_from<'t>(text: &'t str, beginnings: &[usize]) -> Cow<'t, str> {
    let masks = search::find(text, beginnings);
    if masks.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(masked(text, &masks)) }
}

fn masked(text: &str, masks: &[Range<usize>]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for mask in masks {
        shown.push_str(text.get(at..mask.start).unwrap_or_default());
        shown.push_str(MASK);
        at = mask.end;
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    shown
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn masks_of_collectors_are_recognised() {
        for text in [
            "***HIDDEN***",
            "***TOKEN_PASSWORD_0A1B2C***",
            "***HIDDEN***:10000",
            "*REMOVED BY SUPPORTCONFIG*",
            "***REDACTED***",
            "[REDACTED]",
            "<redacted>",
            "REDACTED",
            "(masked)",
            "******",
        ] {
            assert!(is_withheld(text), "{text}");
        }
        for text in [
            "***",
            "[]",
            "redacted",
            "[redacted] by",
            "HIDDEN",
            "https://***HIDDEN***/x",
            "***TOKEN_A*** and ***TOKEN_B***",
        ] {
            assert!(!is_withheld(text), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn a_part_of_a_text_is_masked_like_a_text(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "pass", "word", "Passwd", "TOKEN", "pwd", "secret", "user", "data", "base64", "key", "api", "phrase", "tls", ":", "=",
                    "://", "@", "-", "_", ".", "\"", "'", "\\", " ", "\n", "a:b@", "ä", "/", "Bearer ", "eyJhbGciOiJIUzI1NiJ9",
                    "--", "auth", "kind: Secret", "chpasswd", "%3D", "[", "|", "name: ", "value: ", "a7Kq2mZp9Ltv", "\\n", "}",
                ]),
                0..9,
            ),
        ) {
            let text = parts.concat();
            let masked = redact(&text);
            prop_assert_eq!(masked.matches(MASK).count(), text.matches(MASK).count() + ranges(&text).len());
            let long = format!("{}{text}", "x: y\n".repeat(40));
            let part = long.len() - text.len()..long.len();
            prop_assert_eq!(Beginnings::of(&long).redact(&long, part), masked, "as a part of a text: {}", text);
        }
    }

    #[test]
    fn values_in_a_line() {
        for (line, masked) in [
            (r#"{"user":"a","password":"b c","n":1}"#, r#"{"user":"a","password":"#.to_owned() + r#""***","n":1}"#),
            (r#"x: "{\"token\":\"abc\",\"b\":2}""#, r#"x: "{\"token\":\"***\",\"b\":2}""#.to_owned()),
            ("exec --token=abc --port=80", "exec --token=*** --port=80".to_owned()),
            ("    password: hunter", "    password: ***".to_owned()),
            ("- token: 'x y' # z", "- token: '***' # z".to_owned()),
            ("failed to get token: connection refused", "failed to get token: connection refused".to_owned()),
            ("secret=ns/name", "secret=ns/name".to_owned()),
            (r#""secret":{"secretName":"x"}"#, r#""secret":{"secretName":"x"}"#.to_owned()),
            ("token:", "token:".to_owned()),
            ("größe password=ü", "größe password=***".to_owned()),
            ("get https://bob:s3cret@host:80/x?a=1", "get https://bob:***@host:80/x?a=1".to_owned()),
            ("https://host:80/a@b", "https://host:80/a@b".to_owned()),
            (
                "post https://hooks.slack.com/services/T01/B01/x7Kq2mZp9Ltv failed",
                "post https://hooks.slack.com/services/*** failed".to_owned(),
            ),
            (
                r#"url: "https://acme.webhook.office.com/webhookb2/1@2/x""#,
                r#"url: "https://acme.webhook.office.com/***""#.to_owned(),
            ),
            ("https://api.telegram.org/bot1:x7Kq/sendMessage", "https://api.telegram.org/bot***".to_owned()),
            (
                "k -----BEGIN EC PRIVATE KEY-----\\nMII\\n-----END EC",
                "k -----BEGIN EC PRIVATE KEY-----***-----END EC".to_owned(),
            ),
        ] {
            let mut shown = line.to_owned();
            for range in ranges(line).into_iter().rev() {
                shown.replace_range(range, "***");
            }
            assert_eq!(shown, masked);
        }
    }

    #[test]
    fn names_ids_and_sentences_stay() {
        let digest = "9f86d081884c7d659a2feaa0c55ad015".repeat(2);
        for line in [
            "failed to get token: x509: certificate signed by unknown authority",
            "automountServiceAccountToken: false",
            "error syncing 'cattle-system/token-abcde': handler tokens: not found",
            "secret \"default-token-x7k2p\" not found",
            "image: registry.example.org/library/token:v1.2.3",
            "content: bm8gcGFzc3dvcmQgaXMgc2V0IGhlcmU= and",
            "--kubelet-client-key string   Path to a client key",
            "--token is required",
            "MountVolume.SetUp failed for volume \"istio-token\" : failed to fetch token: not found",
            r#"err="MountVolume.SetUp failed for volume \"default-token\" : secret not found""#,
            "sudo: ALL=(ALL) NOPASSWD:ALL",
            "secretName: shop-tls",
            "tokenExpirationSeconds: 3607",
            "credential: backup-credentials",
            "auth: basic",
            "PWD=/root",
            "uid: 0a1b2c3d-1111-2222-3333-444455556666",
            "resourceVersion: \"123456789\"",
            "key: value",
            "topologyKey: kubernetes.io/hostname",
            "reason: TokenExpired",
            "tests: pass=12 fail=0",
            "https://host:6443/api?timeout=32s",
            "failed to read token:\nconnection refused",
            "invalid password:\nretrying",
            "\"token\":\n  \"name\": \"x\"",
            "- name: DB_PASSWORD\n  x: y\n- name: MODE\n  value: open",
            r#"[{"name":"DB_PASSWORD","type":"x"},{"type":"x","value":"open"}]"#,
            "missing flag --token\nUsage of agent",
            "DB_PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false",
            &format!("checksum/secret: {digest}"),
            &format!("image: rancher/rke2@sha256:{digest}"),
            &format!("commit {digest}, cache key: {digest}"),
        ] {
            assert_eq!(redact(line), line);
        }
    }

    #[test]
    fn base64_that_is_wrapped_is_masked_in_every_line() {
        let document = "#cloud-config\nusers:\n- name: bob\n  shell: /bin/bash\n  password: x7Kq2mZp9Ltv\n".repeat(3);
        let packed = STANDARD.encode(document);
        for (columns, join) in [(60, "\n"), (64, "\n  "), (76, "\r\n"), (76, "\\n")] {
            let lines: Vec<&str> = packed.as_bytes().chunks(columns).flat_map(std::str::from_utf8).collect();
            let shown = redact(&format!("content: |{join}{}{join}mode: open", lines.join(join))).into_owned();
            assert_eq!(shown, format!("content: |{join}{}{join}mode: open", vec![MASK; lines.len()].join(join)));
        }
    }

    #[test]
    fn secrets_at_the_borders_of_their_form() {
        for (text, masked) in [
            (r#"{"password":"a\\b","n":1}"#, r#"{"password":"***","n":1}"#),
            (r#"{"password":"a\"b","n":1}"#, r#"{"password":"***","n":1}"#),
            (r#""{\"password\":\"a\\\"b\"}""#, r#""{\"password\":\"***\"}""#),
            ("passwords:\n- a\n- b\nmode: c", "passwords:\n***\nmode: c"),
            ("password:\n- a\n- b\nmode: c", "password:\n***\nmode: c"),
            ("password: |\n  a b\n\n  c\nmode: d", "password: |\n  ***\nmode: d"),
            (r#""x: 1\npassword: |\n  a\nmode: d""#, r#""x: 1\npassword: |\n  ***\nmode: d""#),
            ("password: correct horse battery # note", "password: *** # note"),
            ("password: &abc", "password: ***"),
            ("password: it's \"a;b}\"\nmode: c", "password: ***\nmode: c"),
            ("token: abc, user: bob", "token: ***, user: bob"),
            ("--token abc --port 80", "--token *** --port 80"),
            ("- --token\n- abc\n- x", "- --token\n- ***\n- x"),
            ("[\"--token\",\"abc\"]", "[\"--token\",\"***\"]"),
            ("- name: DB_PASSWORD\n  value: abc\n", "- name: DB_PASSWORD\n  value: ***\n"),
            ("kind: Secret\ndata:\n  a: b\nx: 1", "kind: Secret\ndata:\n  ***\nx: 1"),
            (
                "chpasswd:\n  list: |\n    root:abc\n  expire: false\nx: y:z",
                "chpasswd:\n  list: |\n    root:***\n  expire: false\nx: y:z",
            ),
            (
                "chpasswd:\n  a:b1\nx: y\nrun: echo root:b2 | chpasswd",
                "chpasswd:\n  a:***\nx: y\nrun: echo root:*** | chpasswd",
            ),
            ("mc cp --creds bob:x7Kq2 now", "mc cp --creds *** now"),
            (
                "- name: DB_PASSWORD\n  # set by hand\n  optional: true\n  value: abc\n",
                "- name: DB_PASSWORD\n  # set by hand\n  optional: true\n  value: ***\n",
            ),
            (r#"{"Key":"DB_PASSWORD","Type":"x","Value":"abc"}"#, r#"{"Key":"DB_PASSWORD","Type":"x","Value":"***"}"#),
            ("password%3Dabc%26user%3Dbob", "password%3D***%26user%3Dbob"),
            ("cGFzc3dvcmQ6IGh1bnRlcjIK", "***"),
            ("content: cGFzc3dvcmQ6IGh1bnRlcjIK and", "content: *** and"),
            ("keytool -list -storepass x7Kq2 -v", "keytool -list -storepass *** -v"),
            ("run --credential x7Kq2mZp9Ltv now", "run --credential *** now"),
            ("keytool -genkey -keypass changeit -alias a", "keytool -genkey -keypass *** -alias a"),
            ("{\"run\":\"a\\ncGFzc3dvcmQ6IGh1bnRlcjIK\"}", "{\"run\":\"a\\n***\"}"),
            ("wrote /etc/x/eyJ0b2tlbiI6IjR4N203Z1EyeDUifQ== now", "wrote /etc/x/*** now"),
            ("a: c2VjcmV0S2V5OiA3Z1EyeDVabTlSa1Y=\nb: 1", "a: ***\nb: 1"),
            ("\"password\":\n    \"a b\",\n  \"n\": 1", "\"password\":\n    \"***\",\n  \"n\": 1"),
            ("msg=\"no login: password:\nx7Kq2mZp9Ltv\"", "msg=\"no login: password:\n***\""),
            ("msg=\"no login: password:\"\nx7Kq2mZp9Ltv", "msg=\"no login: password:\"\n***"),
            ("run --token\nx7Kq2mZp9Ltv\nend", "run --token\n***\nend"),
            ("password='it''s x' mode='c'", "password='***' mode='c'"),
            (r"password=a\ b mode=c", "password=*** mode=c"),
            ("contraseña: abc", "contraseña: ***"),
        ] {
            assert_eq!(redact(text), masked);
            assert_eq!(redact(masked), masked, "masking twice");
        }
    }

    #[test]
    fn tokens_of_rancher_and_of_clusters() {
        let (rancher, hash) = ("4x7m2q9p0k3v".repeat(4), "4f0a91c7".repeat(8));
        for (text, secret) in [
            (format!("Cookie: R_SESS=token-x7k2p:{rancher}; Path=/"), &rancher),
            (format!("as kubeconfig-user-x7k2p:{rancher}, not found"), &rancher),
            (format!("K10{hash}::server:{hash}"), &hash),
            (format!("K10{hash}::x7k2p1.{hash}"), &hash),
            (format!("…::agent:{hash} refused"), &hash),
            (format!("[INFO] Bootstrap Password: {rancher}"), &rancher),
            ("Bootstrap Password: admin".to_owned(), &"admin".to_owned()),
            (format!("sv=2022&sig={hash}&se=1"), &hash),
            (format!("create secret generic x --from-literal=color={rancher}"), &rancher),
        ] {
            let shown = redact(&text);
            assert!(!shown.contains(&format!(":{secret}")) && !shown.ends_with(secret.as_str()), "{shown}");
            assert!(shown.contains(MASK) && shown.starts_with(&text[..3]), "{shown}");
        }
        for text in
            ["cattle-system/token-x7k2p: not found", "std::server::listen", "image@sha256:4f0a", "fe80::1", "sig=11"]
        {
            assert_eq!(redact(text), text);
        }
        assert_eq!(redact(&format!("image@sha256:{hash}")), format!("image@sha256:{hash}"));
    }

    #[test]
    fn keys_in_a_text_are_masked_line_by_line() {
        let key =
            "a = 1\n-----BEGIN RSA PRIVATE KEY-----\n  MIIE\r\nabc=\n-----END RSA PRIVATE KEY-----\nb = 2\n token: x\n";
        let shown =
            "a = 1\n-----BEGIN RSA PRIVATE KEY-----\n  ***\r\n***\n-----END RSA PRIVATE KEY-----\nb = 2\n token: ***\n";
        assert_eq!(redact(key), shown);
        assert_eq!(redact(shown), shown);
        assert!(matches!(redact("-----BEGIN CERTIFICATE-----\nMIIE\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_of_keys_are_recognised() {
        let line = "ab1/".repeat(15) + "CD+=";
        assert_eq!(key_line(&format!("n1 x: {line}"), false), Some(6..70));
        for other in ["n1 x: done".to_owned(), "a".repeat(64), "/".to_owned() + &line, line[..40].to_owned()] {
            assert_eq!(key_line(&other, false), None, "{other}");
        }
        assert_eq!(key_line("n1 x: QUI=", true), Some(6..10));
        assert_eq!(key_line("n1 x: leader lost of sdc", true), None);
    }
}
