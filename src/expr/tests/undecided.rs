//! Tests of the third value: its sources, and the operators that absorb it.

use super::fixture::Fixture;
use crate::expr::Truth;

#[test]
fn it_is_absorbed_as_cel_absorbs_errors() {
    let fixture = Fixture::new();
    let rows = [
        ("unknown", None),
        ("!unknown", None),
        ("unknown == null", None),
        ("has(unknown)", None),
        ("unknown.field == 'x'", None),
        ("unknown == 1", None),
        ("1 < unknown.count", None),
        ("unknown + 1 == 2", None),
        ("unknown in [1]", None),
        ("1 in unknown", None),
        ("unknown && true", None),
        ("true && unknown", None),
        ("unknown && false", Some(false)),
        ("false && unknown", Some(false)),
        ("unknown || true", Some(true)),
        ("true || unknown", Some(true)),
        ("unknown || false", None),
        ("unknown || unknown", None),
        ("unknown && (unknown || true)", None),
        ("unknown ? true : true", None),
        ("false ? unknown : true", Some(true)),
        ("true ? unknown : true", None),
        ("[1, 2].exists(x, x == 2 || unknown)", Some(true)),
        ("[1, 2].exists(x, x == 2 && unknown)", None),
        ("[1, 2].exists(x, x == 3 && unknown)", Some(false)),
        ("[1, 2].all(x, x == 1 || unknown)", None),
        ("[1, 2].all(x, x == 1 && unknown)", Some(false)),
        ("[1, 2].filter(x, unknown).size() == 0", None),
        ("[1, 2].map(x, unknown).size() == 2", None),
        ("[].exists(x, unknown)", Some(false)),
        ("unknown.exists(x, true)", None),
        ("size(unknown) == 0", None),
        ("string(unknown) == 'x'", None),
        ("[unknown].size() == 1", None),
        ("{'a': unknown}.b == null", None),
        // Undecided takes precedence over wrong data.
        ("pod.spec.size < 3 || unknown", None),
    ];
    for (text, wanted) in rows {
        let wanted = match wanted {
            Some(true) => Truth::True,
            Some(false) => Truth::False,
            None => Truth::Undecided("nobody knows".into()),
        };
        assert_eq!(fixture.test(text), wanted, "{text}");
    }
}

/// A list or map differs only where a known part differs.
#[test]
fn a_hidden_part_leaves_equality_open() {
    let fixture = Fixture::new();
    let rows = [
        ("[1, pod.spec.hidden.text] == [1, 'a']", None),
        ("pod.spec.hidden.list == [1, 'a']", None),
        ("pod.spec.hidden.list == [2, 'a']", Some(false)),
        ("pod.spec.hidden.list == [1]", Some(false)),
        ("pod.spec.hidden.list == [1, 'a', 2]", Some(false)),
        ("pod.spec.hidden.list == {'1': 1}", Some(false)),
        ("pod.spec.hidden.list == 1", Some(false)),
        ("pod.spec.hidden.list == null", Some(false)),
        ("pod.spec.hidden.list == pod.spec.hidden.list", None),
        ("pod.spec.hidden.list != [1, 'a']", None),
        ("pod.spec.hidden.list != [2, 'a']", Some(true)),
        ("pod.spec.hidden.list == [1, hits]", Some(false)),
        ("pod.spec.hidden.list == [1, null]", Some(false)),
        ("pod.spec.hidden.map == {'a': 1, 'b': {'c': 'x'}}", None),
        ("pod.spec.hidden.map == {'a': 1, 'b': {'d': 'x'}}", Some(false)),
        ("pod.spec.hidden.map == {'a': 2, 'b': {'c': 'x'}}", Some(false)),
        ("pod.spec.hidden.map == {'a': 1}", Some(false)),
        ("pod.spec.hidden.list in [[1, 'a']]", None),
        ("[1, 'a'] in [pod.spec.hidden.list]", None),
        ("[1, 'a'] in [pod.spec.hidden.list, [1, 'a']]", Some(true)),
        ("[2, 'a'] in [pod.spec.hidden.list]", Some(false)),
        ("[2, 'a'] in [1].map(x, [x, 'a'])", Some(false)),
        ("[pod.spec.hidden.list, pod.spec.hidden.list].distinct().size() == 1", None),
        ("[pod.spec.hidden.list, pod.spec.hidden.list].duplicates().size() == 1", None),
    ];
    for (text, wanted) in rows {
        let found = match fixture.test(text) {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Undecided(_) => None,
        };
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn it_arises_from_what_was_not_collected() {
    let fixture = Fixture::new();
    let undecided = [
        "get('secrets', 'demo', 'x') == null",
        "get({'kind': 'Secret', 'apiVersion': 'v1', 'name': 'x'}, 'demo') == null",
        "owner(pods[0]) == null",
        "setting('rancher', 'x', 1) == 1",
        "version('harvester', '<1.3')",
        "version('rancher') == 'x'",
        "version('rke2', '>1')",
        "undated.last < now",
        "ago(undated.first) < duration('1h')",
    ];
    for text in undecided {
        assert!(matches!(fixture.test(text), Truth::Undecided(_)), "{text}: {:?}", fixture.test(text));
    }
    assert_eq!(fixture.test("version('harvester') == 'master-head'"), Truth::True);
    assert_eq!(fixture.test("undated.count == 12"), Truth::True);
    assert_eq!(fixture.test("owner(pods[1]) == null"), Truth::True);
}

#[test]
fn partial_objects_do_not_have_what_they_cannot_have() {
    let fixture = Fixture::new();
    let app = "get('helmreleases', 'demo', 'shop-app')";
    assert_eq!(fixture.show(&format!("{app}.status")), "'deployed'");
    assert_eq!(fixture.show(&format!("{app}.partial")), "true");
    for text in [".manifest == null", ".hooks.exists(h, true)", ".labels.x != 'y'"] {
        let text = format!("{app}{text}");
        assert!(matches!(fixture.test(&text), Truth::Undecided(_)), "{text}: {:?}", fixture.test(&text));
    }
}

#[test]
fn without_time_of_collection_now_is_unknown() {
    let fixture = Fixture::new().without_time();
    for text in ["now > pod.spec.when", "ago(pod.spec.when) > duration('1s')"] {
        assert!(matches!(fixture.test(text), Truth::Undecided(_)), "{text}");
    }
    assert_eq!(fixture.test("ago(pod.nope) == null"), Truth::True);
}
