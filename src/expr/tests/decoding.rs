//! Functions that decode or compare, one row a sentence.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::fixture::Fixture;
use crate::expr::Truth;

fn check(rows: &[(&str, &str)]) {
    let fixture = Fixture::new();
    for (text, wanted) in rows {
        assert_eq!(fixture.show(text), *wanted, "{text}");
        assert_eq!(fixture.world.take_problems(), [], "{text}");
    }
}

#[test]
fn documents_in_texts() {
    check(&[
        (r"yaml('a: {b: [1, x]}').a.b[1]", "'x'"),
        (r"yaml('a: 1\n---\na: 2\n').map(d, d.a)", "[1, 2]"),
        (r"yaml('plain words')", "'plain words'"),
        (r"yaml('a:').a", "null"),
        ("yaml(pod.spec.config).a.b", "[1, 2]"),
        ("yaml(pod.nope)", "null"),
        ("json(pod.nope)", "null"),
        ("json(pod.nope).a.b", "null"),
        ("base64(pod.nope)", "null"),
    ]);
}

#[test]
fn secrets_in_texts_stay_masked() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n";
    let encoded = STANDARD.encode(format!("password: hunter2\n{key}"));
    let secret = "'kind: Secret\\ndata: {a: eHl6}\\nstringData: {b: open}'";
    let fixture = Fixture::new();
    for (text, wanted) in [
        (
            format!("base64('{encoded}')"),
            "'password: ***\n-----BEGIN RSA PRIVATE KEY-----\n***\n-----END RSA PRIVATE KEY-----\n'",
        ),
        (format!("yaml({secret}).data.a"), "'***'"),
        (format!("yaml({secret}).stringData.b"), "'***'"),
        (r#"json('{"password": "x", "user": "u"}')"#.to_owned(), r#"{"password": ***, "user": "u"}"#),
        (r#"json('{"password": "x"}').password"#.to_owned(), "'***'"),
    ] {
        assert_eq!(fixture.show(&text), wanted, "{text}");
    }
}

#[test]
fn gzip_in_base64_is_unpacked_within_bounds() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let encoded = STANDARD.encode(gzip(b"{\"a\": 1}"));
    check(&[(&format!("json(base64('{encoded}')).a"), "1")]);
    let bomb = STANDARD.encode(gzip(&vec![b' '; 9 << 20]));
    let fixture = Fixture::new();
    let call = |text: &str| fixture.world.call("base64", &[crate::expr::Value::text(text)]).unwrap_err();
    assert_eq!(call(&bomb), "a text expands to more than 8 MiB");
    assert!(call(&encoded[..24]).starts_with("a text is no gzip"), "{}", call(&encoded[..24]));
}

#[test]
fn addresses() {
    check(&[
        ("cidr_contains('10.0.0.0/8', '10.200.3.4')", "true"),
        ("cidr_contains('10.0.0.0/8', '11.0.0.1')", "false"),
        ("cidr_contains('10.0.0.0/8', '10.1.0.0/16')", "true"),
        ("cidr_contains('10.1.0.0/16', '10.0.0.0/8')", "false"),
        ("cidr_contains('10.0.0.5-10.0.0.9', '10.0.0.9')", "true"),
        ("cidr_contains('fd00::/8', 'fd12::1')", "true"),
        ("cidr_contains('::/0', '10.0.0.1')", "false"),
        ("cidr_contains(pod.nope, '10.0.0.1')", "null"),
        ("cidr_contains('10.0.0.0/8', pod.nope)", "null"),
        ("cidr_free('10.0.0.0/24', [], [])", "254"),
        ("cidr_free('10.0.0.0/24', null, null)", "254"),
        ("cidr_free('10.0.0.0/24', ['10.0.0.0/28', '10.0.0.8/29'], ['10.0.0.20', '10.0.0.3'])", "238"),
        ("cidr_free('10.0.0.0/30', null, 5)", "0"),
        ("cidr_free('10.0.0.0/28', null, {'1': {}, '2': {}, '10.0.0.2': {}})", "12"),
        ("cidr_free('10.0.0.5-10.0.0.9', null, 1)", "4"),
        ("cidr_free('10.0.0.0/31', null, null)", "2"),
        ("cidr_free('fd00::/120', '2001:db8::/32', ['fd00::5'])", "253"),
        ("cidr_free('fd00::/64', null, 1) > 1000000000", "true"),
        ("cidr_free(pod.nope, null, null)", "null"),
    ]);
}

#[test]
fn differences_between_wanted_and_live() {
    let map =
        "{'spec': {'size': '12288Mi', 'paused': true, 'nothing': null, 'emptyMap': {}, 'absent': false, 'other': 0}}";
    check(&[
        (&format!("drift({map}, pod)"), "[]"),
        ("drift({'spec': {'replicas': 2}}, pod)", "[{path: 'spec.replicas', want: 2, live: 3}]"),
        ("drift({'spec': {'numeric': 200}}, pod)", "[]"),
        (
            "drift({'metadata': {'labels': {'app': 'api'}}}, pod)",
            "[{path: 'metadata.labels.app', want: 'api', live: 'web'}]",
        ),
        (
            "drift({'metadata': {'labels': {'app.example.io/part': 'back'}}}, pod)[0].path",
            "'metadata.labels[\"app.example.io/part\"]'",
        ),
        (
            "drift({'spec': {'containers': [{'name': 'side', 'image': 'x', 'restartCount': 5}]}}, pod)",
            "[{path: 'spec.containers[side].image', want: 'x', live: 'registry.example/side:7'}]",
        ),
        (
            "drift({'spec': {'containers': [{'name': 'gone'}]}}, pod).map(d, [d.path, d.live])",
            "[['spec.containers[gone]', null]]",
        ),
        (
            "drift({'spec': {'containers': [{'name': 'main', 'ports': [80]}]}}, pod).map(d, d.path)",
            "['spec.containers[main].ports']",
        ),
        ("drift({'spec': {'mixed': [1, 'two', 3]}}, pod)", "[]"),
        ("drift({'a': [{'x': 1}, {'x': 2}]}, {'a': [{'x': 1}]}).map(d, d.path)", "['a[1]']"),
        ("drift({'a': [{'x': 1}]}, {'a': [{'x': 1}, {'x': 1}]}).map(d, d.path)", "['a[1]']"),
        ("drift({'timeout': '1h'}, {'timeout': '1h0m0s'})", "[]"),
        ("drift({'cpu': 0.5}, {'cpu': '500m'})", "[]"),
        ("drift({'args': ['1.0']}, {'args': ['1']}).size()", "1"),
        ("drift({'data': {'a': '1.0'}}, {'data': {'a': '1'}}).size()", "1"),
        ("drift({'annotations': {'a': '1'}}, {'annotations': {'a': 1}})", "[]"),
        ("drift({'apiVersion': 'v0', 'status': {'x': 1}}, pod)", "[]"),
        ("drift({'password': 'a'}, {'password': '***'})", "[]"),
        ("drift(missing, pod)", "null"),
        ("drift(pod, missing)", "null"),
    ]);
}

#[test]
fn tables_and_metrics() {
    let df = r"'Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 10G 9G 1G 90% /\n'";
    let metrics =
        r#"'# TYPE x histogram\nx_bucket{le="1"} 1\nx_bucket{le="+Inf"} 2\nx_sum 9\nx_count 2\nup{job="a"} 1\n'"#;
    check(&[
        (&format!("table({df}, 'df').filter(m, m.percent >= 80).map(m, m.mount)"), "['/']"),
        (&format!("table({df}, 'df')[0].size == quantity('10Gi')"), "true"),
        ("table(pod.nope, 'df')", "null"),
        ("table('nothing', 'df')", "[]"),
        (&format!("prometheus({metrics})['up']"), "[{labels: {job: 'a'}, value: 1}]"),
        (&format!("prometheus({metrics}).x"), "[{labels: {}, count: 2, sum: 9, p50: 1, p90: 1, p99: 1}]"),
        (&format!("prometheus({metrics}).nope"), "null"),
        ("prometheus(pod.nope).up", "null"),
    ]);
}

#[test]
fn wrong_data_is_false_and_noted() {
    let fixture = Fixture::new();
    for (text, message) in [
        ("yaml('a: [') == 1", "a text is no YAML"),
        ("yaml(pod.spec.replicas) == 1", "a number is where text is expected"),
        ("cidr_contains(pod.spec.prose, '10.0.0.1')", "'Hello World' is no address or range such as 10.0.0.0/24"),
        ("cidr_free('10.0.0.0/24', [1], null) > 3", "a number is no address"),
        ("drift([1], pod).size() == 0", "a list is where an object is expected"),
        ("table(pod.spec.replicas, 'df').size() == 0", "a number is where text is expected"),
        ("prometheus(pod.spec.engines).size() == 0", "a map is where text is expected"),
    ] {
        assert_eq!(fixture.test(text), Truth::False, "{text}");
        let noted = fixture.world.take_problems();
        assert!(noted.len() == 1 && noted[0].message.to_string().starts_with(message), "{text}: {noted:?}");
    }
}

#[test]
fn undecided_values_stay_undecided() {
    let fixture = Fixture::new();
    for text in [
        "yaml(unknown)",
        "table(unknown, 'df')",
        "prometheus(unknown)",
        "drift(unknown, pod)",
        "drift(pod, unknown)",
        "cidr_contains('10.0.0.0/8', unknown)",
        "cidr_free('10.0.0.0/8', unknown, null)",
    ] {
        assert!(matches!(fixture.test(text), Truth::Undecided(_)), "{text}");
    }
}

#[test]
fn evidence_is_where_the_live_object_differs() {
    let fixture = Fixture::new();
    let rows: [(&str, &[&str]); 4] = [
        ("size(drift({'spec': {'replicas': 2, 'paused': true}}, pod)) > 0", &["pod:spec.replicas"]),
        (
            "drift({'spec': {'containers': [{'name': 'side', 'image': 'x'}]}}, pod).exists(d, d.path.endsWith('.image'))",
            &["pod:spec.containers.1.image"],
        ),
        ("size(drift({'spec': {'nope': 2}}, pod)) > 0", &["pod:spec"]),
        ("yaml(pod.spec.config).a.b[0] == 1", &["pod:spec.config"]),
    ];
    for (text, wanted) in rows {
        assert_eq!(fixture.reads(text), wanted, "{text}");
    }
}
