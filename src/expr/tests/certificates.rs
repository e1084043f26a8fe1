//! Tests of certificates: read from every source, never with a key.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::fixture::{show, world};
use crate::expr::{Expr, Scope, TracedField, Value, World};

/// Made for these tests: an authority and a server that it signed.
const CA: &str = "-----BEGIN CERTIFICATE-----\n\
MIIBnjCCAUOgAwIBAgIUZ5uYJnAGs5q04XsKnqZ3qehXeAkwCgYIKoZIzj0EAwIw\n\
JDEQMA4GA1UECgwHRXhhbXBsZTEQMA4GA1UEAwwHZGVtby1jYTAeFw0yNjExMjEx\n\
MDE1NTNaFw0zNjExMTgxMDE1NTNaMCQxEDAOBgNVBAoMB0V4YW1wbGUxEDAOBgNV\n\
BAMMB2RlbW8tY2EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARHVAvD3HZWaDfX\n\
tXBqCcVa/LK09qgLPzVt2ftfCYxTHH1Dt1K5eT5ntEAf1Ab0f1az7kgt+w1s83on\n\
Vpodjx2Oo1MwUTAdBgNVHQ4EFgQUMtDwUWm2teOmpsPztkGM+OPWDZIwHwYDVR0j\n\
BBgwFoAUMtDwUWm2teOmpsPztkGM+OPWDZIwDwYDVR0TAQH/BAUwAwEB/zAKBggq\n\
hkjOPQQDAgNJADBGAiEA3Xn0fyihPF/3oYoFgunYMCl8QPLdaxO6NDvxlDBGsnMC\n\
IQDASV3X8SpZve91xEachHolXsGFonB3Q3jSusCJ1Pn9GQ==\n\
-----END CERTIFICATE-----\n\
";
const SERVER: &str = "-----BEGIN CERTIFICATE-----\n\
MIIBpzCCAU2gAwIBAgICEjQwCgYIKoZIzj0EAwIwJDEQMA4GA1UECgwHRXhhbXBs\n\
ZTEQMA4GA1UEAwwHZGVtby1jYTAeFw0yNjExMjExMDE1NTNaFw0yNzExMjExMDE1\n\
NTNaMCAxEDAOBgNVBAoMB0V4YW1wbGUxDDAKBgNVBAMMA3dlYjBZMBMGByqGSM49\n\
AgEGCCqGSM49AwEHA0IABEXZbJp57UAf8jWfaPzmq07yQuNnctW5MeiOUy8t/vqV\n\
LfZ9ltJxuPenB86PXmi8n8WietTlX0LWmmVncFGSZPajczBxMC8GA1UdEQQoMCaC\n\
DHdlYi5zaG9wLnN2Y4cECgAAAYcQ/QAAAAAAAAAAAAAAAAAAATAdBgNVHQ4EFgQU\n\
Q1oKV9pttglYCx+X3zCeL0dN6FYwHwYDVR0jBBgwFoAUMtDwUWm2teOmpsPztkGM\n\
+OPWDZIwCgYIKoZIzj0EAwIDSAAwRQIhALb7rprn+/V7pvl4hGsh3/PNzwDpm/q2\n\
qQb7jhuR9FlTAiAhmL1L5ac8iF1PQmV4FkIX0pBmGRia9JcgzMersd6KXw==\n\
-----END CERTIFICATE-----\n\
";
const KEY: &str = "-----BEGIN EC PRIVATE KEY-----\n\
VE9QU0VDUkVU\n\
-----END EC PRIVATE KEY-----\n\
";

fn objects() -> String {
    let encode = |text: &str| STANDARD.encode(text);
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: a}}\ntype: kubernetes.io/tls\ndata:\n  tls.crt: {}\n  tls.key: {}\n  ca.crt: {}\n  both: {}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: a}}\ndata:\n  ca: |\n{}\n  bundle: {}\n",
        encode(SERVER),
        encode(KEY),
        encode(CA),
        encode(&format!("{KEY}{SERVER}")),
        indented(&format!("{CA}{SERVER}")),
        encode(CA),
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

fn shown(world: &World, text: &str) -> String {
    let expr = Expr::compile(text, Scope { names: &[], this: None, tested: false });
    show(&expr.unwrap_or_else(|errors| panic!("{text}: {errors:?}")).eval(world, &[]))
}

#[test]
fn certificates_say_what_they_are() {
    let world = world(&objects());
    let server = "subject: 'O=Example, CN=web', issuer: 'O=Example, CN=demo-ca', notBefore: 2026-11-21T10:15:53Z, notAfter: 2027-11-21T10:15:53Z, names: ['web.shop.svc', '10.0.0.1', 'fd00::1'], isCA: false, serial: '1234'";
    let secret = "get('secrets', 'a', 's')";
    let config = "get('configmaps', 'a', 'c').data";
    for (text, wanted) in [
        (format!("certs({secret}).filter(c, c.key == 'tls.crt')"), format!("[{{{server}, key: 'tls.crt'}}]")),
        (format!("certs({secret}).map(c, c.key)"), "['tls.crt', 'ca.crt', 'both']".to_owned()),
        (format!("certs({secret})[1].isCA"), "true".to_owned()),
        (format!("certs({config}.ca).map(c, c.subject)"), "['O=Example, CN=demo-ca', 'O=Example, CN=web']".to_owned()),
        (format!("certs({config}.ca)[1]"), format!("{{{server}}}")),
        (format!("certs({config}.bundle)[0].serial"), "'679b98267006b39ab4e17b0a9ea677a9e8577809'".to_owned()),
        (format!("certs({config}.bundle)[0].notAfter > now"), "true".to_owned()),
        (format!("certs({config}.nope)"), "null".to_owned()),
        ("certs('no certificate')".to_owned(), "[]".to_owned()),
        (
            r"certs('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')[0].subject".to_owned(),
            "null".to_owned(),
        ),
        (
            r"certs('-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----')[0].error".to_owned(),
            "'the certificate is no base64'".to_owned(),
        ),
    ] {
        assert_eq!(shown(&world, &text), wanted, "{text}");
    }
    assert_eq!(world.take_problems(), []);
}

#[test]
fn no_key_leaves_a_secret() {
    let world = world(&objects());
    let id = world.resources.get(&crate::resource::TypeName::parse("secrets"), Some("a"), "s").unwrap();
    let names = ["s".to_owned()];
    let bindings = [Value::Resource(id)];
    for text in [
        "s",
        "s.data",
        "s.data['tls.crt']",
        "s.data['tls.key']",
        "s.data.both",
        "base64(s.data.both)",
        "certs(s)",
        "certs(s).map(c, [c.subject, c.issuer, c.names, c.serial, c.error])",
        "drift(s, get('configmaps', 'a', 'c'))",
        "get('configmaps', 'a', 'c').data.ca",
    ] {
        let expr = Expr::compile(text, Scope { names: &names, this: None, tested: false }).unwrap();
        let value = expr.eval(&world, &bindings);
        let shown = format!("{} {:?}", show(&value), value.as_node());
        for secret in ["VE9QU0VDUkVU", "TOPSECRET", &STANDARD.encode(KEY), &STANDARD.encode(SERVER)] {
            assert!(!shown.contains(secret), "{text} shows {secret}");
        }
    }
    let noted = shown(&world, "certs(get('secrets', 'a', 's').data['tls.crt'])");
    let problems = world.take_problems();
    assert!(
        noted == "null" && problems.iter().any(|p| p.message.to_string().contains("give certs the Secret itself")),
        "{problems:?}"
    );
}

#[test]
fn the_entries_of_a_secret_are_the_evidence() {
    let world = world(&objects());
    let id = world.resources.get(&crate::resource::TypeName::parse("secrets"), Some("a"), "s").unwrap();
    let names = ["s".to_owned()];
    let expr = Expr::compile("certs(s).exists(c, c.isCA)", Scope { names: &names, this: None, tested: false }).unwrap();
    let mut reads = Vec::new();
    expr.trace(&world, &[Value::Resource(id)], &mut reads);
    let data = world.resources.resource(id).body().get("data").unwrap();
    let entry = |name: &str| TracedField { slot: Some(0), resource: id, node: data.get(name).unwrap().index() };
    assert_eq!(reads, [entry("tls.crt"), entry("ca.crt"), entry("both")]);
    assert!(reads.iter().all(|read| world.resources.resource(id).document.node(read.node).is_secret()));
}
