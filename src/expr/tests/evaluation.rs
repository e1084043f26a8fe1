//! Expression and value, sentence by sentence of the semantics.

use super::fixture::Fixture;
use crate::expr::{Expr, Scope, Truth};

fn check(rows: &[(&str, &str)]) {
    let fixture = Fixture::new();
    for (text, wanted) in rows {
        assert_eq!(fixture.show(text), *wanted, "{text}");
    }
}

#[test]
fn fields_are_read() {
    check(&[
        ("pod.status.phase", "'Pending'"),
        ("self.status.phase", "'Pending'"),
        ("pod['status']['phase']", "'Pending'"),
        ("pod.kind", "'Pod'"),
        ("pod.apiVersion", "'v1'"),
        ("other.apiVersion", "'apps/v1'"),
        ("pod.metadata.labels['app.example.io/part']", "'front'"),
        ("pod.metadata.labels.`app.example.io/part`", "'front'"),
        ("pod.spec.containers[1].name", "'side'"),
        ("pod.spec.replicas", "3"),
        ("pod.spec.half", "0.5"),
        ("pod.spec.big", "150000000000"),
        ("pod.spec.paused", "true"),
        ("pod.spec.numeric", "'200'"),
        ("pod.spec.containers[0].ports", "[80, 443]"),
        ("{'a': 1, 'b': [2]}.b[0]", "2"),
        ("[1, 2, 3][2]", "3"),
        ("pod.spec.containers[pod.spec.replicas - 2].name", "'side'"),
        ("pod.spec.engines['e-' + '1'].state", "'running'"),
    ]);
}

#[test]
fn absent_fields_are_null() {
    check(&[
        ("pod.status.nope", "null"),
        ("pod.nope.deeper.still", "null"),
        ("pod.spec.empty", "null"),
        ("pod.spec.nothing", "null"),
        ("pod.spec.nothing.field", "null"),
        ("pod.metadata.labels.tier", "null"),
        ("pod.spec.containers[9]", "null"),
        ("pod.spec.containers[-1]", "null"),
        ("pod.spec.containers[9].name", "null"),
        ("pod.spec.containers[pod.nope]", "null"),
        ("pod.spec.engines['nope'].state", "null"),
        ("[1][5]", "null"),
        ("{'a': 1}.b", "null"),
        ("missing", "null"),
        ("missing.count", "null"),
        ("missing.object.name", "null"),
        ("null", "null"),
        ("pod.spec.emptyList", "[]"),
        ("pod.spec.emptyMap", "{}"),
    ]);
}

#[test]
fn absent_lists_are_empty() {
    check(&[
        ("size(pod.nope)", "0"),
        ("pod.nope.size()", "0"),
        ("pod.nope.exists(x, x == 1)", "false"),
        ("pod.nope.all(x, x == 1)", "true"),
        ("pod.nope.exists_one(x, x == 1)", "false"),
        ("pod.nope.filter(x, x == 1)", "[]"),
        ("pod.nope.map(x, x.name)", "[]"),
        ("pod.nope.exists(k, v, v == 1)", "false"),
        ("'a' in pod.nope", "false"),
        ("pod.nope in ['a']", "false"),
        ("pod.nope in pod.nada", "false"),
        ("pod.spec.initContainers + pod.spec.containers.map(c, c.name)", "['main', 'side']"),
        ("[1] + pod.nope", "[1]"),
        ("pod.nope + pod.nada", "null"),
        ("pod.nope.flatten()", "[]"),
        ("pod.nope.sort()", "[]"),
        ("sum(pod.nope)", "0"),
        ("max(pod.nope)", "null"),
    ]);
}

#[test]
fn presence() {
    check(&[
        ("has(pod.status.phase)", "true"),
        ("has(pod.status.nope)", "false"),
        ("has(pod.nope.deeper)", "false"),
        ("has(pod.spec.empty)", "false"),
        ("has(pod.metadata.labels['app'])", "true"),
        ("has(missing)", "false"),
        ("has(pod)", "true"),
        ("!has(pod.nope)", "true"),
        ("pod.nope == null", "true"),
        ("null == pod.nope", "true"),
        ("pod.nope != null", "false"),
        ("pod.status.phase != null", "true"),
        ("pod.spec.emptyList == null", "false"),
        ("null == null", "true"),
        ("missing == null", "true"),
    ]);
}

#[test]
fn conditions_and_null() {
    check(&[
        ("!pod.nope", "true"),
        ("!pod.spec.paused", "false"),
        ("!!pod.spec.paused", "true"),
        ("pod.nope && true", "false"),
        ("pod.nope || true", "true"),
        ("pod.spec.paused && pod.spec.paused", "true"),
        ("pod.nope ? 1 : 2", "2"),
        ("pod.spec.paused ? 1 : 2", "1"),
        ("false ? 1 : true ? 2 : 3", "2"),
        ("true || false && false", "true"),
        ("(true || false) && false", "false"),
    ]);
    let fixture = Fixture::new();
    assert_eq!(fixture.test("pod.nope"), Truth::False);
    assert_eq!(fixture.test("null"), Truth::False);
    assert_eq!(fixture.test("pod.spec.paused"), Truth::True);
}

#[test]
fn equality() {
    check(&[
        ("pod.nope == pod.nada", "false"),
        ("pod.nope != pod.nada", "true"),
        ("pod.nope == 'a'", "false"),
        ("pod.nope != 'a'", "true"),
        ("!(pod.nope == 'a')", "true"),
        ("pod.status.phase == 'Pending'", "true"),
        ("pod.status.phase != 'Pending'", "false"),
        ("1 == 1.0", "true"),
        ("pod.spec.replicas == 3.0", "true"),
        ("pod.spec.numeric == 200", "false"),
        ("pod.spec.numeric != 200", "true"),
        ("true == 'true'", "false"),
        ("[1, 2] == [1.0, 2]", "true"),
        ("[1, 2] == [2, 1]", "false"),
        ("[pod.nope] == [pod.nope]", "false"),
        ("{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "true"),
        ("pod.spec.containers[0].ports == [80, 443]", "true"),
        ("pod == pods[2]", "true"),
        ("pod == pods[0]", "false"),
        ("pod == pod.metadata.name", "false"),
        ("9007199254740993 == 9007199254740992.0", "false"),
        ("timestamp('2024-03-01T11:30:00Z') == pod.spec.when", "true"),
        ("timestamp('2024-03-01T12:30:00+01:00') == pod.spec.when", "true"),
        ("'main' in pod.spec.containers.map(c, c.name)", "true"),
        ("80.0 in pod.spec.containers[0].ports", "true"),
        ("'e-1' in pod.spec.engines", "true"),
        ("'nope' in pod.spec.engines", "false"),
        ("'a' in {'a': 1}", "true"),
    ]);
}

#[test]
fn order() {
    check(&[
        ("pod.nope < 1", "false"),
        ("pod.nope >= 1", "false"),
        ("1 < pod.nope", "false"),
        ("null < 1", "false"),
        ("!(pod.nope < 1)", "true"),
        ("1 < 2.5", "true"),
        ("2.5 < 3", "true"),
        ("3 <= 3.0", "true"),
        ("-1 > -1.5", "true"),
        ("9007199254740993 > 9007199254740992.0", "true"),
        ("'a' < 'b'", "true"),
        ("'10' < '9'", "true"),
        ("int(hits.code) > 7", "true"),
        ("hits.count >= 12", "true"),
        ("pod.spec.when < now", "true"),
        ("now > pod.metadata.creationTimestamp", "true"),
        ("hits.last < now", "true"),
        ("pod.spec.never < now", "false"),
        ("duration('90s') < duration('2m')", "true"),
        ("ago(pod.spec.when) < duration('1h')", "true"),
        ("false < true", "true"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("1 + 2", "3"),
        ("1 + 2.5", "3.5"),
        ("0.5 + 0.5", "1"),
        ("7 / 2", "3.5"),
        ("6 / 2", "3"),
        ("1500.5 / 1000", "1.5005"),
        ("7 % 3", "1"),
        ("-7 % 3", "-1"),
        ("7 / 0", "null"),
        ("7 % 0", "null"),
        ("0.0 / 0.0", "null"),
        ("2 * 3 + 1", "7"),
        ("2 * (3 + 1)", "8"),
        ("-pod.spec.replicas", "-3"),
        ("-(-3)", "3"),
        ("pod.nope + 1", "null"),
        ("1 - pod.nope", "null"),
        ("-pod.nope", "null"),
        ("pod.spec.replicas * 0.5", "1.5"),
        ("9223372036854775807 + 1", "9.223372036854776e18"),
        ("'mcc-' + pod.metadata.name", "'mcc-web-0'"),
        ("'a' + pod.nope", "null"),
        ("[1] + [2.5]", "[1, 2.5]"),
        ("now - timestamp(pod.spec.when)", "30m"),
        ("now - pod.spec.when", "30m"),
        ("pod.spec.when + duration('1h')", "2024-03-01T12:30:00Z"),
        ("now - duration('1d')", "2024-02-29T12:00:00Z"),
        ("duration('1h') + duration('30m')", "1h30m"),
        ("duration('1h') * 2", "2h"),
        ("duration('1h') / duration('30m')", "2"),
        ("now - pod.spec.never", "null"),
    ]);
}

#[test]
fn loops() {
    check(&[
        ("pod.spec.containers.exists(c, c.restartCount > 3)", "true"),
        ("pod.spec.containers.all(c, c.image.startsWith('registry.'))", "true"),
        ("pod.spec.containers.exists_one(c, c.name == 'side')", "true"),
        ("pod.spec.containers.exists_one(c, c.image != null)", "false"),
        ("pod.spec.containers.filter(c, c.restartCount == 5).map(c, c.name)", "['side']"),
        ("pod.spec.containers.map(c, c.restartCount)", "[null, 5]"),
        ("pod.spec.containers.map(c, c.restartCount == 5, c.name)", "['side']"),
        ("pod.spec.engines.exists(e, e == 'e-2')", "true"),
        ("pod.spec.engines.exists(k, v, k == 'e-2' && v.state == 'error')", "true"),
        ("pod.spec.engines.all(k, v, v.size >= 10)", "true"),
        ("pod.spec.engines.map(k, v, k + '=' + v.state)", "['e-1=running', 'e-2=error']"),
        ("pod.spec.engines.map(k, v, v.size > 10, k)", "['e-2']"),
        ("pod.spec.engines.filter(k, v, v.state == 'error')", "{e-2: {\"state\": \"error\", \"size\": 30}}"),
        ("pod.spec.containers.map(i, c, i)", "[0, 1]"),
        ("[3, 1, 2].sortBy(x, -x)", "[3, 2, 1]"),
        ("pod.spec.containers.sortBy(c, c.restartCount).map(c, c.name)", "['side', 'main']"),
        ("[[1, 2], [3]].map(l, l.map(x, x * 10))", "[[10, 20], [30]]"),
        ("[1, 2].map(a, [10, 20].map(b, a + b))", "[[11, 21], [12, 22]]"),
        ("[1, 2].exists(a, [2, 3].exists(b, a == b))", "true"),
        ("pods.map(p, p.metadata.name)", "['foreign', 'orphan', 'web-0']"),
        ("nodes.map(n, n.metadata.name)", "['alpha']"),
        ("claim.exists(k, v, v.state == 'error')", "true"),
        ("claim['e-1'].state", "'running'"),
    ]);
}

#[test]
fn facts_that_are_no_objects() {
    check(&[
        ("hits.count", "12"),
        ("hits.first", "2024-03-01T11:40:00Z"),
        ("hits.node", "'alpha'"),
        ("hits.pod", "null"),
        ("hits.source", "'logs/a.log'"),
        ("hits.lines", "['first line', 'last line']"),
        ("hits.volume", "'pvc-1'"),
        ("hits.all.code", "['41', '42']"),
        ("hits.nope", "null"),
        ("event.reason", "'FailedMount'"),
        ("event.type", "'Warning'"),
        ("event.count", "4"),
        ("event.first", "null"),
        ("event.last", "2024-03-01T11:00:00Z"),
        ("event.object.kind", "'Pod'"),
        ("event.object.group", "null"),
        ("event.object.namespace", "'demo'"),
        ("event.what", "'x'"),
        ("file.path", "'nodes/alpha/x.yaml'"),
        ("file.node", "'alpha'"),
        ("file.data.a.b", "1"),
        ("file.text", "'a: {b: 1}'"),
    ]);
}

#[test]
fn wrong_types_are_false_and_noted_once() {
    let fixture = Fixture::new();
    let rows = [
        (
            "pod.spec.size < 3",
            "text has no order against a number in `pod.spec.size < 3`; the condition counts as false",
        ),
        (
            "!(pod.spec.size < 3)",
            "text has no order against a number in `!(pod.spec.size < 3)`; the condition counts as false",
        ),
        ("hits.code > 7", "text has no order against a number in `hits.code > 7`; the condition counts as false"),
        (
            "int(pod.spec.size) > 3",
            "'12Gi' is no whole number in `int(pod.spec.size) > 3`; the condition counts as false",
        ),
        (
            "pod.spec.size + 1 == 3",
            "text + a number has no meaning in `pod.spec.size + 1 == 3`; the condition counts as false",
        ),
        (
            "pod.spec.containers.image == 'x'",
            "a list has no field image in `pod.spec.containers.image == 'x'`; the condition counts as false",
        ),
        (
            "pod.status.phase",
            "text is where true or false is expected in `pod.status.phase`; the condition counts as false",
        ),
        (
            "pod.status.phase.exists(x, x == 1)",
            "text is neither a list nor a map in `pod.status.phase.exists(x, x == 1)`; the condition counts as false",
        ),
        (
            "json(pod.spec.prose).a == 1",
            "a text is no JSON: expected value at line 1 column 1 in `json(pod.spec.prose).a == 1`; the condition counts as false",
        ),
    ];
    for (text, message) in rows {
        for _ in 0..3 {
            assert_eq!(fixture.test(text), Truth::False, "{text}");
        }
        let noted: Vec<String> =
            fixture.world.take_problems().into_iter().map(|issue| issue.message.to_string()).collect();
        assert_eq!(noted, [message], "{text}");
    }
    assert_eq!(fixture.world.take_problems(), []);
}

#[test]
fn wrong_data_is_reported_where_it_stands() {
    let fixture = Fixture::new();
    assert_eq!(fixture.test("pod.spec.maybe.exists(m, m.n > 100)"), Truth::False);
    let noted = fixture.world.take_problems();
    let origin = noted.first().and_then(|issue| issue.origin.clone());
    let line = super::fixture::OBJECTS.lines().position(|line| line.contains("n: many")).map(|at| at as u64 + 1);
    assert_eq!(origin.map(|o| (o.entry.to_string(), o.line)), Some(("yamls/all.yaml".to_owned(), line)));
}

#[test]
fn one_bad_element_does_not_silence_a_list() {
    check(&[
        ("pod.spec.maybe.exists(m, m.n > 5)", "true"),
        ("pod.spec.maybe.filter(m, m.n > 5).size()", "1"),
        ("pod.spec.maybe.exists_one(m, m.n > 5)", "true"),
        ("pod.spec.maybe.map(m, m.n > 5, m.n)", "[7]"),
        ("pod.spec.size < 3 || pod.spec.paused", "true"),
        ("pod.spec.size < 3 && false", "false"),
        ("pod.spec.mixed.exists(m, m == 'two')", "true"),
    ]);
}

/// A loop that reads nothing of the combination runs once, and `in` finds its items without another walk.
#[test]
fn loops_over_all_nodes_run_once_for_a_rule() {
    let objects: Vec<String> =
        (0..500).map(|n| format!("{{apiVersion: v1, kind: Node, metadata: {{name: n{n}}}}}")).collect();
    let world = super::fixture::world(&objects.join("\n---\n"));
    let rows = [
        ("'n7' in nodes.map(n, n.metadata.name)", "true"),
        ("'x' in nodes.map(n, n.metadata.name)", "false"),
        ("nodes.exists(n, n.metadata.name == 'n499')", "true"),
        ("size(nodes.filter(n, n.metadata.name.startsWith('n1')))", "111"),
        ("nodes.map(n, n.metadata)[3].name", "n100"),
    ];
    for (text, wanted) in rows {
        let expr = Expr::compile(text, Scope { names: &[], this: None, tested: false }).unwrap();
        let shown = |expr: &Expr| crate::expr::display(&expr.eval(&world, &[]));
        assert_eq!(shown(&expr).as_deref(), Some(wanted), "{text}");
        let before = world.steps();
        assert_eq!(shown(&expr.clone()).as_deref(), Some(wanted), "{text}");
        // Parts of documents are only borrowed, and looped over again.
        assert!(world.steps() - before < 50 || text.contains("metadata)"), "{text}: {}", world.steps() - before);
    }
}
