//! Tests of hash joins: conditions that allow one, their split, and the paths that they read.

use super::fixture::{Fixture, show};
use crate::expr::{Conjuncts, Expr, JoinKind, Key, Scope, Value};

#[test]
fn joins() {
    let fixture = Fixture::new();
    // Slot 0 is `pod`.
    let rows = [
        ("pod.metadata.name == other.spec.name", Some(("pod.metadata.name", "other.spec.name", JoinKind::Equal))),
        ("other.spec.name == pod.metadata.name", Some(("pod.metadata.name", "other.spec.name", JoinKind::Equal))),
        ("self.spec.x == other.y", Some(("self.spec.x", "other.y", JoinKind::Equal))),
        ("'mcc-' + other.a == pod.b", Some(("pod.b", "'mcc-' + other.a", JoinKind::Equal))),
        ("(pod.a + 'x') == (other.b + hits.c)", Some(("pod.a + 'x'", "other.b + hits.c", JoinKind::Equal))),
        ("pod.a in other.list", Some(("pod.a", "other.list", JoinKind::OwnInOther))),
        ("other.a in pod.list", Some(("pod.list", "other.a", JoinKind::OtherInOwn))),
        ("pod.a in pods.map(p, p.b)", Some(("pod.a", "pods.map(p, p.b)", JoinKind::OwnInOther))),
        ("pods.exists(p, p.uid == pod.uid)", Some(("pod.uid", "pods.map(p.uid)", JoinKind::OwnInOther))),
        ("pods.exists(p, pod.uid == p)", Some(("pod.uid", "pods.map(p)", JoinKind::OwnInOther))),
        ("pod.refs.exists(r, r.uid == other.uid)", Some(("pod.refs.map(r.uid)", "other.uid", JoinKind::OtherInOwn))),
        ("pod.m.exists(k, v, other.uid == v.uid)", Some(("pod.m.map(v.uid)", "other.uid", JoinKind::OtherInOwn))),
        ("pod.a == 'x'", None),
        ("pod.a == pod.b", None),
        ("other.a == hits.b", None),
        ("pod.a != other.b", None),
        ("pod.a == other.b + pod.c", None),
        ("pod.a == other.b || true", None),
        ("!(pod.a == other.b)", None),
        ("pods.exists(p, p.uid == pod.uid && p.x)", None),
        ("pods.exists(p, p.uid + pod.x == pod.uid)", None),
        ("pods.all(p, p.uid == pod.uid)", None),
    ];
    for (text, wanted) in rows {
        let found = fixture.expr(text).join_on(0);
        let found = found.as_ref().map(|key| (key.own.text(), key.other.text(), key.kind));
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn parts_of_a_join_have_values() {
    let fixture = Fixture::new();
    let values = fixture.values();
    let key = fixture.expr("pods.exists(p, p.metadata.name == pod.metadata.name)").join_on(0);
    let key = key.unwrap_or_else(|| panic!("no join"));
    assert_eq!(show(&key.own.eval(&fixture.world, &values)), "'web-0'");
    assert_eq!(show(&key.other.eval(&fixture.world, &values)), "['foreign', 'orphan', 'web-0']");
    assert_eq!((key.own.slots(), key.other.slots()), (&[0][..], &[8][..]));
}

#[test]
fn a_join_passes_over_wrong_elements_as_its_condition_does() {
    let fixture = Fixture::new();
    let values = fixture.values();
    let condition = fixture.expr("[hits.code, {'name': 'web-0'}].exists(e, e.name == pod.metadata.name)");
    let key = condition.join_on(0).unwrap_or_else(|| panic!("no join"));
    assert_eq!(condition.test(&fixture.world, &values), crate::expr::Truth::True);
    assert_eq!(show(&key.other.eval(&fixture.world, &values)), "['web-0']");
}

#[test]
fn a_conjunct_of_a_conjunct_still_joins() {
    let fixture = Fixture::new();
    let conjuncts = Conjuncts::of(fixture.expr("pod.a == 1 && (pod.b == other.c && pod.d)"));
    let texts: Vec<&str> = conjuncts.iter().map(|c| c.text()).collect();
    assert_eq!(texts, ["pod.a == 1", "pod.b == other.c", "pod.d"]);
    let key = conjuncts[1].join_on(1).unwrap_or_else(|| panic!("no join"));
    assert_eq!((key.own.text(), key.other.text()), ("other.c", "pod.b"));
}

/// Parsing waits until a term is asked for, and gives what parsing at once gives.
#[test]
fn conditions_of_tested_rules_are_read_later() {
    let names: std::sync::Arc<[String]> = ["pod", "other", "hidden"].map(str::to_owned).into();
    let text = "self.a == 1 && (pod.b == other.c && pod.d.exists(x, x > 2))";
    let (later, whole) = (Conjuncts::tested(text, &names, 2, Some(0)), Expr::tested(text, &names, 2, Some(0)));
    let scope = Scope { names: &names[..2], this: Some(0), tested: true };
    let at_once = Conjuncts::of(Expr::compile(text, scope).unwrap());
    let shown = |terms: &Conjuncts| -> Vec<(String, Vec<usize>)> {
        terms.iter().map(|term| (term.text().to_owned(), term.slots().to_vec())).collect()
    };
    assert_eq!(shown(&later), shown(&at_once));
    assert_eq!(shown(&Conjuncts::of(whole.clone())), shown(&at_once), "the tree is shared with its copy");
    assert_eq!((whole.text(), whole.slots(), at_once.len()), (text, &[0, 1][..], 3));
    assert!(Conjuncts::default().is_empty());
}

#[test]
fn conjuncts_keep_their_text() {
    let fixture = Fixture::new();
    let rows = [
        ("pod.a", vec!["pod.a"]),
        ("pod.a && pod.b || pod.c", vec!["pod.a && pod.b || pod.c"]),
        ("!(pod.a) && !pod.b", vec!["!(pod.a)", "!pod.b"]),
        ("(pod.a || pod.b) && size(pod.c) > 0", vec!["pod.a || pod.b", "size(pod.c) > 0"]),
        ("[] == pod.a && pod.b == []", vec!["[] == pod.a", "pod.b == []"]),
        ("pod.a[0].b && pod.x.exists(y, y.z)", vec!["pod.a[0].b", "pod.x.exists(y, y.z)"]),
        ("f == 1 && -pod.a == 3 // why\n && has(pod.b)", vec!["-pod.a == 3", "has(pod.b)"]),
        ("pod.x.filter(a, a.b)[0].c == 1 && now > pod.t", vec!["pod.x.filter(a, a.b)[0].c == 1", "now > pod.t"]),
    ];
    for (text, wanted) in rows {
        let text = text.replace("f == 1 && ", "");
        let found: Vec<String> = Conjuncts::of(fixture.expr(&text)).iter().map(|c| c.text().to_owned()).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn slots_and_paths() {
    let fixture = Fixture::new();
    let rows = [
        ("pod.status.phase == other.spec.x", vec![(0, "status.phase"), (1, "spec.x")]),
        ("pod.spec.containers.exists(c, c.image == 'x')", vec![(0, "spec.containers"), (0, "spec.containers[].image")]),
        ("pod.spec.containers[0].name == 'x'", vec![(0, "spec.containers[].name")]),
        ("pod.metadata.labels['a.b/c'] != null", vec![(0, "metadata.labels.a.b/c")]),
        ("pod.m[other.k].z == 1", vec![(0, "m.*.z"), (1, "k")]),
        ("condition(pod, 'Ready').status == 'True'", vec![(0, "status.conditions[].status")]),
        ("pod.m.exists(k, v, v.state == 'x')", vec![(0, "m"), (0, "m[].state")]),
        ("pod.l.filter(x, x.a)[0].b == 1", vec![(0, "l"), (0, "l[].a"), (0, "l[].b")]),
        ("has(self.a.b)", vec![(0, "a.b")]),
        ("now > hits.last", vec![(2, "last")]),
    ];
    for (text, wanted) in rows {
        let found = fixture.expr(text).field_paths();
        let found: Vec<(usize, &str)> = found.iter().map(|(slot, path)| (*slot, path.as_str())).collect();
        assert_eq!(found, wanted, "{text}");
    }
    assert_eq!(fixture.expr("get('pods', 'x', other.name) == pod || get('services', 'x', 'y').a").types().len(), 2);
    assert_eq!(fixture.expr("other.a == pod.b && other.c").slots(), [0, 1]);
}

#[test]
fn keys_agree_with_equality() {
    let fixture = Fixture::new();
    let texts = [
        "1",
        "1.0",
        "1.5",
        "'1'",
        "true",
        "null",
        "pod.nope",
        "[1, 2]",
        "[1.0, 2]",
        "[null]",
        "{'a': 1}",
        "{'a': 1.0}",
        "pod",
        "other",
        "pod.spec.when",
        "timestamp('2024-03-01T11:30:00Z')",
        "duration('1h')",
        "duration('60m')",
        "pod.spec.containers[0].ports",
        "[80, 443]",
        "0.0 / 0.0",
        "hits",
        "-0.0",
        "0",
    ];
    let values = fixture.values();
    for a in texts {
        for b in texts {
            let (x, y) = (fixture.expr(a), fixture.expr(b));
            let (x, y) = (x.eval(&fixture.world, &values), y.eval(&fixture.world, &values));
            let (of_x, of_y) = (x.key().unwrap(), y.key().unwrap());
            assert_eq!(x.equals(&y), Ok(of_x.is_some() && of_x == of_y), "{a} == {b}");
        }
    }
    assert_eq!(Value::Undecided("x".into()).key(), Err("x".into()));
    let members = fixture.expr("pod.spec.engines").eval(&fixture.world, &values).member_keys();
    assert_eq!(members.unwrap(), [Key::Text("e-1".into()), Key::Text("e-2".into())]);
}

#[test]
fn presence_for_unless_and_elements_for_each() {
    let fixture = Fixture::new();
    let values = fixture.values();
    let rows = [
        ("null", false),
        ("false", false),
        ("[]", false),
        ("{}", false),
        ("pod.spec.emptyList", false),
        ("pod.spec.emptyMap", false),
        ("unknown", false),
        ("0", true),
        ("true", true),
        ("[1]", true),
        ("'x'", true),
        ("pod", true),
        ("hits", true),
    ];
    for (text, wanted) in rows {
        assert_eq!(fixture.expr(text).eval(&fixture.world, &values).is_present(), wanted, "{text}");
    }
    let elements =
        |text: &str| fixture.expr(text).eval(&fixture.world, &values).elements().iter().map(show).collect::<Vec<_>>();
    assert_eq!(elements("pod.spec.mixed"), ["1", "'two'", "3"]);
    assert_eq!(
        elements("pod.spec.engines.filter(k, v, k == 'e-1')"),
        ["{key: 'e-1', value: {\"state\": \"running\", \"size\": 10}}"]
    );
    assert_eq!(elements("pod.spec.engines")[1], "{key: 'e-2', value: {\"state\": \"error\", \"size\": 30}}");
    assert_eq!(elements("pod.nope"), [] as [&str; 0]);
    assert_eq!(elements("'text'"), [] as [&str; 0]);
}
