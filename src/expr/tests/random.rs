//! Random expressions never panic.

use proptest::prelude::*;

use super::fixture::Fixture;
use crate::expr::Conjuncts;

const TOKENS: [&str; 62] = [
    "pod",
    "other",
    "hits",
    "undated",
    "event",
    "file",
    "missing",
    "unknown",
    "pods",
    "self",
    "now",
    "nodes",
    "x",
    "y",
    ".",
    ".",
    ".spec",
    ".status",
    ".containers",
    ".engines",
    ".mixed",
    ".name",
    ".count",
    ".last",
    ".first()",
    ".size()",
    ".exists(x, ",
    ".map(x, ",
    ".filter(k, v, ",
    ".all(x, ",
    ".sortBy(x, ",
    ".sort()",
    ".distinct()",
    ".flatten()",
    "size(",
    "has(",
    "int(",
    "duration('1h')",
    "quantity(",
    "json(",
    "get(",
    "condition(",
    "owner(",
    "(",
    ")",
    ")",
    "[",
    "]",
    "0]",
    "{",
    "}",
    ",",
    " + ",
    " - ",
    " * ",
    " / ",
    " == ",
    " < ",
    " && ",
    " || ",
    "!",
    "?",
];
const SCALARS: [&str; 12] =
    ["1", "-1", "0.5", "'a'", "'e-1'", "null", "true", "9223372036854775807", "r'a.'", " in ", " : ", "\"ü\""];

fn token() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => proptest::sample::select(TOKENS.to_vec()), 1 => proptest::sample::select(SCALARS.to_vec())]
}

/// Expressions that are mostly well formed, so that evaluation is reached.
fn well_formed() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        proptest::sample::select(vec![
            "pod",
            "other",
            "hits",
            "undated",
            "event",
            "file",
            "missing",
            "unknown",
            "pods",
            "claim",
            "text",
            "now",
            "nodes",
            "1",
            "0",
            "-7",
            "0.5",
            "'a'",
            "null",
            "true",
            "false",
            "[]",
            "{}",
            "[1, 'a', null]",
            "9223372036854775807",
            "duration('1h')",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let field = proptest::sample::select(vec![
            "spec",
            "containers",
            "engines",
            "name",
            "count",
            "last",
            "mixed",
            "metadata",
            "all",
            "text",
        ]);
        let operator = proptest::sample::select(vec!["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in"]);
        let method = proptest::sample::select(vec![
            "size()",
            "sort()",
            "distinct()",
            "flatten()",
            "first()",
            "last()",
            "reverse()",
            "sum()",
            "max()",
            "trim()",
            "split(',')",
            "join(',')",
            "substring(1, 3)",
            "slice(1)",
            "charAt(2)",
            "matches(r'a+')",
            "replace('a', 'bb')",
            "condition('Ready')",
        ]);
        let function = proptest::sample::select(vec![
            "size",
            "int",
            "double",
            "string",
            "bool",
            "quantity",
            "ago",
            "timestamp",
            "json",
            "base64",
            "owner",
            "abs",
            "math.ceil",
            "lists.range",
            "has",
        ]);
        let looped = proptest::sample::select(vec!["exists", "all", "exists_one", "filter", "map", "sortBy"]);
        prop_oneof![
            (inner.clone(), field).prop_map(|(a, f)| format!("({a}).{f}")),
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a}) {o} ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), method).prop_map(|(a, m)| format!("({a}).{m}")),
            (function, inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (inner.clone(), looped.clone(), inner.clone()).prop_map(|(a, m, b)| format!("({a}).{m}(v1, v1 == ({b}))")),
            (inner.clone(), looped, inner.clone()).prop_map(|(a, m, b)| format!("({a}).{m}(v2, ({b}))")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("(({a}) ? ({b}) : ({c}))")),
            inner.prop_map(|a| format!("!({a})")),
        ]
    })
}

fn run(fixture: &Fixture, text: &str) -> bool {
    let Ok(expr) = fixture.compile(text) else { return false };
    let values = fixture.values();
    let mut reads = Vec::new();
    let value = expr.eval(&fixture.world, &values);
    let _ = (value.key(), value.is_present(), value.elements(), value.member_keys());
    assert_eq!(expr.test(&fixture.world, &values), expr.trace(&fixture.world, &values, &mut reads));
    expr.reads(&fixture.world, &values, &mut reads);
    for slot in 0..values.len() {
        let _ = expr.join_on(slot);
    }
    let _ = (expr.field_paths(), expr.types());
    for part in &Conjuncts::of(expr) {
        assert!(fixture.compile(part.text()).is_ok(), "{text}: {}", part.text());
    }
    true
}

/// The deepest trees that compile are evaluated on the stack of a test's thread, which is a worker's.
#[test]
fn the_deepest_expressions() {
    let fixture = Fixture::new();
    let nested = |count: usize, open: &str, inner: &str| format!("{}{inner}{}", open.repeat(count), ")".repeat(count));
    let loops: String = (0..40).map(|level| format!("[1].exists(v{level}, ")).collect();
    let rows = [
        format!("1{} > 2", "+1".repeat(90)),
        format!("pod{} == null", ".spec".repeat(90)),
        nested(60, "-(", "pod.spec.replicas") + " == 3",
        nested(60, "size(", "pod.spec.containers") + " == 1",
        format!("{loops}pod.spec.paused{}", ")".repeat(40)),
        format!("{}true", "pod.spec.paused ? false : ".repeat(60)),
    ];
    for text in rows {
        assert!(run(&fixture, &text), "{text}: {:?}", fixture.compile(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tokens(tokens in proptest::collection::vec(token(), 1..24)) {
        run(&Fixture::new(), &tokens.concat());
    }

    #[test]
    fn any_text(text in "\\PC{0,60}") {
        run(&Fixture::new(), &text);
    }

    #[test]
    fn well_formed_expressions(text in well_formed()) {
        run(&Fixture::new(), &text);
    }
}
