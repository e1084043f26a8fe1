//! Functions, one row a sentence.

use super::fixture::Fixture;

fn check(rows: &[(&str, &str)]) {
    let fixture = Fixture::new();
    for (text, wanted) in rows {
        assert_eq!(fixture.show(text), *wanted, "{text}");
        assert_eq!(fixture.world.take_problems(), [], "{text}");
    }
}

#[test]
fn objects() {
    check(&[
        ("condition(pod, 'Ready').status", "'False'"),
        ("condition(pod, 'Ready').status == 'False'", "true"),
        ("condition(pod, 'Nope')", "null"),
        ("condition(pod, 'Nope').status != 'True'", "true"),
        ("condition({'conditions': [{'type': 'Ready', 'status': 'True'}]}, 'Ready').status", "'True'"),
        ("condition(pod.spec, 'Ready')", "null"),
        ("condition(missing, 'Ready')", "null"),
        ("condition(other, 'Ready')", "null"),
        ("pod.condition('Ready').reason", "'ContainersNotReady'"),
        ("get('configmaps', 'demo', 'settings').data.url", "'https://example.org'"),
        ("get('statefulsets', 'demo', 'web').kind", "'StatefulSet'"),
        ("get('statefulsets.apps', pod.metadata.namespace, 'web') == other", "true"),
        ("get('configmaps', 'demo', 'nope')", "null"),
        ("get('configmaps', 'demo', pod.nope)", "null"),
        ("get('configmaps', pod.nope, 'settings')", "null"),
        ("get('nodes', null, pod.spec.nodeName).metadata.name", "'alpha'"),
        ("get('nodes', 'demo', 'alpha').metadata.name", "'alpha'"),
        ("get(pod.spec.claim, 'other').data.url", "'https://example.org'"),
        ("get({'kind': 'ConfigMap', 'name': 'settings'}, 'demo').data.url", "'https://example.org'"),
        ("get({'kind': 'ConfigMap', 'name': 'settings', 'uid': 'another'}, 'demo')", "null"),
        ("get(event.object, null) == pod", "true"),
        ("get({'kind': 'ConfigMap', 'metadata': {'name': 'settings'}}, 'demo').data.url", "'https://example.org'"),
        ("get(pod.nope, 'demo')", "null"),
        ("get(pod, null) == pod", "true"),
        ("owner(pod) == other", "true"),
        ("owner(pods[1])", "null"),
        ("owner(other)", "null"),
        ("owner(missing)", "null"),
        ("not_collected('configmaps', 'demo')", "false"),
        ("not_collected('secrets')", "true"),
        ("not_collected('secrets', 'demo') || get('secrets', 'demo', 'x') == null", "true"),
        ("not_collected('configmaps', 'demo') || get('configmaps', 'demo', 'nope') == null", "true"),
        ("selects(other.spec.selector, pod)", "true"),
        ("selects(get('services', 'demo', 'web').spec.selector, pod)", "true"),
        ("selects({'app': 'other'}, pod)", "false"),
        ("selects({'tier': 'x'}, pod)", "false"),
        ("selects({'matchLabels': {'app': 'web'}}, pod)", "true"),
        ("selects({'matchExpressions': [{'key': 'tier', 'operator': 'Exists'}]}, pod)", "true"),
        ("selects({'matchExpressions': [{'key': 'app', 'operator': 'NotIn', 'values': ['web']}]}, pod)", "false"),
        ("selects(pod.nope, pod)", "null"),
        ("setting('longhorn', 'over-provisioning', 100)", "150"),
        ("setting('longhorn.io', 'over-provisioning')", "'150'"),
        ("setting('longhorn', 'auto-salvage', true)", "false"),
        ("setting('longhorn', 'nope', 3)", "3"),
        ("setting('harvester', 'log-level', 'debug')", "'info'"),
        ("version('longhorn')", "'v1.5.3'"),
        ("version('longhorn', '<1.6')", "true"),
        ("version('longhorn', '>=1.6')", "false"),
    ]);
}

#[test]
fn numbers_and_times() {
    check(&[
        ("quantity('10Gi')", "10737418240"),
        ("quantity(pod.spec.size)", "12884901888"),
        ("quantity('500m')", "0.5"),
        ("quantity('100m') * 3 == 0.3", "false"),
        ("quantity('1.5G')", "1500000000"),
        ("quantity('1e3')", "1000"),
        ("quantity('12E')", "1.2e19"),
        ("quantity('3n')", "3e-9"),
        ("quantity(7)", "7"),
        ("quantity(pod.nope)", "null"),
        ("percent(1, 4)", "25"),
        ("percent(1, 3) > 33.3", "true"),
        ("percent(1, 0)", "null"),
        ("int('42')", "42"),
        ("int(2.9)", "2"),
        ("int(pod.nope)", "null"),
        ("int(timestamp('1970-01-01T00:01:00Z'))", "60"),
        ("double('2.5')", "2.5"),
        ("double(2)", "2.0"),
        ("sum([1, 2.5, pod.nope])", "3.5"),
        ("[1, 2].sum()", "3"),
        ("pod.spec.engines.map(k, v, v.size).sum()", "40"),
        ("[duration('1h'), duration('1h')].sum()", "2h"),
        ("min([3, 1, 2])", "1"),
        ("max([3, 1.5, 9])", "9"),
        ("max('a', 'b')", "'b'"),
        ("[1, pod.nope, 3].max()", "3"),
        ("math.greatest(1, 2, 3)", "3"),
        ("math.least([4, 2])", "2"),
        ("math.ceil(1.2)", "2"),
        ("math.floor(-1.2)", "-2"),
        ("math.round(2.5)", "3"),
        ("math.abs(-4)", "4"),
        ("abs(-0.5)", "0.5"),
        ("ago(pod.spec.when)", "30m"),
        ("ago(hits.last)", "10m"),
        ("ago(pod.nope)", "null"),
        ("ago(pod.spec.never)", "null"),
        ("timestamp('2024-03-01T00:00:00.5Z')", "2024-03-01T00:00:00Z"),
        ("duration('3d4h') == duration('76h')", "true"),
        ("duration('1.5h')", "1h30m"),
        ("duration('-90s')", "-1m30s"),
        ("duration('250ms')", "250ms"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("string(3)", "'3'"),
        ("string(now)", "'2024-03-01T12:00:00Z'"),
        ("string(pod)", "'Pod/demo/web-0'"),
        ("bool('true')", "true"),
        ("pod.spec.prose.contains('World')", "true"),
        ("pod.nope.contains('x')", "null"),
        ("pod.spec.prose.startsWith('Hello')", "true"),
        ("pod.spec.prose.endsWith('x')", "false"),
        ("pod.spec.prose.matches(r'^H.*d$')", "true"),
        ("matches(pod.spec.prose, '[xyz]')", "false"),
        ("pod.nope.matches('x') == null", "true"),
        ("pod.spec.prose.lowerAscii()", "'hello world'"),
        ("pod.spec.prose.upperAscii()", "'HELLO WORLD'"),
        ("'  x '.trim()", "'x'"),
        ("'   '.trim()", "null"),
        ("'a,b,,c'.split(',')", "['a', 'b', null, 'c']"),
        ("'a,b,c'.split(',', 2)", "['a', 'b,c']"),
        ("'abc'.split('')", "['a', 'b', 'c']"),
        ("['a', pod.nope, 3].join('-')", "'a-3'"),
        ("['a', 'b'].join()", "'ab'"),
        ("'a.b.c'.replace('.', '/')", "'a/b/c'"),
        ("'a.b.c'.replace('.', '/', 1)", "'a/b.c'"),
        ("'hello'.substring(1, 3)", "'el'"),
        ("'hello'.substring(3)", "'lo'"),
        ("'grün'.substring(2, 4)", "'ün'"),
        ("'grün'.indexOf('n')", "3"),
        ("'a-b-c'.lastIndexOf('-')", "3"),
        ("'abc'.indexOf('x')", "-1"),
        ("'abc'.charAt(1)", "'b'"),
        ("'abc'.charAt(9)", "null"),
        ("size('grün')", "4"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("size(pod.spec.containers)", "2"),
        ("pod.spec.engines.size()", "2"),
        ("[[1, 2], [3, [4]]].flatten()", "[1, 2, 3, [4]]"),
        ("[[1, [2, [3]]]].flatten(5)", "[1, 2, 3]"),
        ("pod.spec.containers.map(c, c.ports).flatten()", "[80, 443]"),
        ("[1, 2, 1.0, 'a', 'a'].distinct()", "[1, 2, 'a']"),
        ("[3, 1, 2].sort()", "[1, 2, 3]"),
        ("['b', 'a'].sort()", "['a', 'b']"),
        ("[1, 2, 3].reverse()", "[3, 2, 1]"),
        ("[1, 2, 3, 4].slice(1, 3)", "[2, 3]"),
        ("[1, 2, 3].slice(1)", "[2, 3]"),
        ("[1, 2].slice(5, 9)", "[]"),
        ("[1, 2].first()", "1"),
        ("pod.spec.containers.last().name", "'side'"),
        ("pod.nope.first()", "null"),
        ("lists.range(3)", "[0, 1, 2]"),
        ("lists.range(0)", "[]"),
    ]);
}

#[test]
fn decoding() {
    check(&[
        ("find_all('v1.2 and v3.4', r'v(?<major>\\d)\\.(?<minor>\\d)').map(f, f.major)", "['1', '3']"),
        ("find_all('v1.2 and v3.4', r'v(?<major>\\d)')[1]", "{major: '3'}"),
        ("find_all('a1b2', r'\\d')", "['1', '2']"),
        ("find_all('a1b2', r'[a-z](\\d)')", "['1', '2']"),
        ("find_all('a1b2', r'([a-z])(\\d)')[0]", "['a', '1']"),
        ("find_all(['x1', 'x2'], r'\\d')", "['1', '2']"),
        ("find_all(pod.nope, r'\\d')", "[]"),
        ("json(pod.spec.config).a.b[1]", "2"),
        ("json(pod.spec.config).text", "'x'"),
        ("json(pod.spec.config).a.b.exists(x, x == 2)", "true"),
        ("json(pod.nope).a", "null"),
        ("json('[1, \"\", null]')", "[1, \"\", null]"),
        ("base64(pod.spec.encoded)", "'hello world'"),
        ("base64('aGVsbG8gd29ybGQ')", "'hello world'"),
        ("base64(pod.nope)", "null"),
    ]);
}

#[test]
fn made_values_are_bounded() {
    let fixture = Fixture::new();
    let rows = [
        ("lists.range(1000000)", "a list grows beyond 100000 items"),
        ("lists.range(90000).map(x, 'aaaaaaaaaaaaaaaa').join(',')", "a text grows beyond 1048576 bytes"),
        ("lists.range(70000) + lists.range(70000)", "a list grows beyond 100000 items"),
        (
            "lists.range(60000).map(x, 'aaaaaaaaaa').join('').replace('a', 'bbbbbbbb')",
            "a text grows beyond 1048576 bytes",
        ),
    ];
    for (text, reason) in rows {
        let shown = fixture.show(text);
        assert!(shown.starts_with(&format!("?{reason}")), "{text}: {shown}");
    }
    assert_eq!(fixture.show("find_all(lists.range(60000).map(x, 'a').join(''), 'a').size()"), "10000");
}
