//! Tests of filters: their verdicts, the texts that they need, and errors.

use proptest::prelude::*;

use super::filter::{Filter, FilterVerdict};
use crate::log::pattern::expression::Expression;

fn filter(text: &str) -> Filter {
    Filter::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn judge(text: &str, line: &str) -> FilterVerdict {
    filter(text).judge(line.as_bytes())
}

fn refused(text: &str) -> (String, String) {
    let error = Filter::compile(text).err().unwrap_or_else(|| panic!("{text} compiles"));
    (error.message, text.get(error.range).unwrap_or_default().to_owned())
}

const LINE: &str = r#"{"level":"ERROR","code":503,"neg":-2.5,"ok":false,"none":null,"tags":["disk","full"],"at":{"node":"n1","tries":[1,2,3]},"msg":"I/O error on \"sda\": lost 3 blocks","empty":[]}"#;

/// As jq 1.6 says of the same.
#[test]
fn a_line_counts_if_an_output_is_neither_null_nor_false() {
    for (text, expected) in [
        (".", true),
        (".level", true),
        (".ok", false),
        (".none", false),
        (".absent", false),
        (".absent.deeper", false),
        (".level.deeper", false),
        ("(.level.deeper)?, .code", true),
        (".code, .level.deeper", true),
        (".level.deeper, .code", false),
        (".level == \"ERROR\"", true),
        (".level != \"ERROR\"", false),
        (".[\"level\"] == \"ERROR\"", true),
        (".code >= 500 and .code < 600", true),
        (".code == 503.0", true),
        (".neg < -2", true),
        (".ok == false", true),
        (".none == null and .absent == null", true),
        (".ok or .level", true),
        (".ok | not", true),
        (".absent // .none // .level", true),
        (".absent // false", false),
        (".at.tries[0] == 1 and .at.tries[-1] == 3 and .at.tries[7] == null", true),
        (".tags[] == \"full\"", true),
        (".tags[] == \"none\"", false),
        (".empty[]", false),
        ("select(.code > 500) | .level", true),
        ("select(.code > 503) | .level", false),
        ("select(.level == (\"WARN\", \"ERROR\"))", true),
        (".. | .node? == \"n1\"", true),
        ("[\"disk\", \"full\"] == .tags", true),
        (".at == {\"tries\": [1, 2, 3], node: \"n1\"}", true),
        (".msg | test(\"lost [0-9]+ blocks\")", true),
        (".msg | test(\"LOST [0-9]+ blocks\")", false),
        (".msg | test(\"LOST [0-9]+ blocks\"; \"i\")", true),
        (".msg | contains(\"on \\\"sda\\\"\")", true),
        (".msg | startswith(\"I/O\") and endswith(\"blocks\")", true),
        (".code | test(\"503\")", false),
        (".code | tostring | test(\"503\")", true),
        (".tags | contains([\"dis\"])", true),
        (".at | contains({tries: [2], node: \"n\"})", true),
        (".tags | contains(\"disk\")", false),
        ("has(\"none\") and (has(\"absent\") | not) and (.tags | has(1)) and (.tags | has(2) | not)", true),
        ("any(.tags[]; . == \"full\") and (all(.tags[]; . == \"full\") | not)", true),
        (".at.tries | all(. > 0) and any(. == 3)", true),
        (".empty | all and (any | not)", true),
        (".level | ascii_downcase == \"error\"", true),
        ("\"3\" | tonumber == 3", true),
        (".msg | tonumber", false),
        ("(.tags | length == 2) and (.msg | length == 33) and (.neg | length == 2.5)", true),
        (".tags | type == \"array\"", true),
        (".at | tostring == \"{\\\"node\\\":\\\"n1\\\",\\\"tries\\\":[1,2,3]}\"", true),
        ("(null, false, true, 0, \"\", [], {}) < .at", true),
        (".tags < {} and .tags > .msg and .none < .ok", true),
    ] {
        let verdict = if expected { FilterVerdict::True } else { FilterVerdict::False };
        assert_eq!(judge(text, LINE), verdict, "{text}");
    }
}

#[test]
fn json_begins_at_the_first_brace() {
    assert_eq!(judge(".a == 1", "n1 app[12]: {\"a\": 1}"), FilterVerdict::True);
    assert_eq!(judge(".a == 1", "{\"a\": 1} and more"), FilterVerdict::False);
    assert_eq!(judge(".a == 1", "a: 1"), FilterVerdict::False);
    assert_eq!(filter(".a == 1").judge(b"{\"a\": 1, \"b\": \"\xff\"}"), FilterVerdict::True);
}

#[test]
fn functions_that_may_not_end_are_refused_by_name() {
    for (text, says, place) in [
        ("halt", "\"halt\"", "halt"),
        ("range(1000000000)", "\"range/1\"", "range"),
        (".a | repeat(.)", "\"repeat/1\"", "repeat"),
        ("recurse(.a)", "\"recurse/1\"", "recurse"),
        ("input", "\"input\"", "input"),
        ("env.HOME", "\"env\"", "env"),
        ("$ENV.HOME", "\"$ENV\"", "$ENV"),
        ("select(.a; .b)", "\"select/2\"", "select"),
        ("reduce .[] as $x (0; . + $x)", "\"reduce\"", "reduce"),
        ("foreach .[] as $x (0; .)", "\"foreach\"", "foreach"),
        (".a as $x | $x", "variable", ""),
        ("def f: f; f", "\"def\"", ""),
        ("label $out | .a", "\"label\"", "$out"),
        ("if .a then .b else .c end", "\"if\"", ""),
        ("try .a catch .b", "\"catch\"", ""),
        (".a * 1000000", "arithmetic (*)", ""),
        (".a + \"x\"", "arithmetic (+)", ""),
        ("-(.a)", "arithmetic (-)", ""),
        (".a = 1", "assignment", ""),
        (".a |= 1", "assignment", ""),
        ("[.a]", "array constructor", ""),
        ("{a: .b}", "object constructor", ""),
        ("\"\\(.a)\"", "\\(...)", ""),
        ("@base64 \"a\"", "\"@base64\"", "@base64"),
        (".a[1:3]", "slice", ""),
        (".[.b]", "computed key", ""),
        ("test(.a)", "not fixed", "test"),
        ("test(1)", "not a text", "test"),
        ("test(\"a\"; \"n\")", "flag \"n\"", "test"),
        ("test(\"(a\")", "invalid regular expression: unclosed group", "test"),
    ] {
        let (message, at) = refused(text);
        assert!(message.contains(says), "{text}: {message}");
        assert_eq!(at, if place.is_empty() { text } else { place }, "{text}");
    }
}

#[test]
fn errors_of_filters_have_a_position() {
    for (text, says, at) in [
        (".a == ", "expected term", ""),
        ("(.a", "expected", ""),
        (".a b", "expected nothing", "b"),
        ("\"open", "expected", ""),
        ("", "expected term", ""),
    ] {
        let (message, place) = refused(text);
        assert!(message.starts_with("this is not a jq filter") && message.contains(says), "{text}: {message}");
        assert_eq!(place, at, "{text}");
    }
    assert!(refused(&".a,".repeat(400)).0.contains("at most 1000 bytes"));
}

#[test]
fn a_filter_needs_a_text_of_its_lines() {
    for (text, pattern) in [
        (".level == \"error\"", "error"),
        (".msg | test(\"lost (lease|leader)\")", "lost lease|lost leader"),
        (".msg | contains(\"a \\\"quoted\\\" word here\")", " word here"),
        (".msg | startswith(\"I/O error\")", "O error"),
        (".error", "error"),
        (".failure.code >= 500", "failure"),
        (".failure == true", "failure"),
        ("has(\"stack_trace\")", "stack_trace"),
        ("select(.a == \"alpha\") | .b", "alpha"),
        ("select(.msg | test(\"(?i)Lost\"))", "(?i)lost"),
        (".level | ascii_downcase == \"error\"", "(?i)error"),
        (".a == \"alpha\" or .b == \"beta\"", "alpha|beta"),
        (".. | select(. == \"alpha\")", "alpha"),
        ("any(.tags[]; . == \"disk full\")", "disk full"),
        (".tags | contains([\"a\", \"disk\"])", "disk"),
        ("\"alpha\" == .a", "alpha"),
    ] {
        let found = filter(text).pattern();
        assert_eq!(found, pattern, "{text}");
    }
    // A text that the filter makes itself, or that need not be there.
    for text in [
        ".",
        ".a != \"alpha\"",
        ".level == null",
        "all(.tags[]; . == \"alpha\")",
        "type == \"object\"",
        ".a | type == \"string\"",
        "\"alpha\" | test(\"alpha\")",
        ".a // \"alpha\"",
        "(.a // \"alpha\") == \"alpha\"",
        "{alpha: 1} | .alpha",
        ".msg | test(\"[0-9]+\")",
        ".a | tostring == \"alpha\"",
        ".a == \"alpha\" | not",
        ".a < 5",
    ] {
        let found = filter(text).pattern();
        assert!(!found.contains("alpha"), "{text}: {found}");
    }
}

#[test]
fn a_line_is_judged_within_its_steps() {
    let list = format!("{{\"a\": [{}1]}}", "1,".repeat(5000));
    assert_eq!(judge(".a[] == 2", &list), FilterVerdict::False);
    assert_eq!(judge(".a[] == (.a[] | select(. == 2))", &list), FilterVerdict::False);
    assert_eq!(judge("any(.. ; .. == 2)", &list), FilterVerdict::False);
    assert_eq!(
        judge("select(.a[] == (.., .., ..)) | ..", &format!("{{\"a\": [{list}, {list}]}}")),
        FilterVerdict::Undecided
    );
    assert_eq!(
        judge(".. | .. | .. | .. == 2", &format!("{}1{}", "{\"a\":".repeat(90), "}".repeat(90))),
        FilterVerdict::Undecided
    );
    let doubling = format!("1{}", "|(.,.)".repeat(160));
    assert_eq!(judge(&format!("{doubling} == 2"), "{}"), FilterVerdict::Undecided);
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(judge(".a", &deep), FilterVerdict::Undecided);
}

#[test]
fn nested_filters_fit_into_a_small_stack() {
    let run = || {
        for (open, middle, close) in [
            ("(", ".", ")"),
            ("[", "1", "]"),
            ("..|", ".", ""),
            (".,", ".", ""),
            ("-", "1", ""),
            ("{a:", "1", "}"),
            ("not|", ".", ""),
            (".a", "", ""),
            ("any(", ".", ")"),
            ("1//", ".", ""),
            ("\"\\(", ".", ")\""),
            ("try ", ".", ""),
            (".==(", ".", ")"),
            (".[", "1", "]"),
            ("if ", ".", ""),
            ("def f:", ".", ";"),
            (".[]", "", ""),
        ] {
            let count = (1000 - middle.len()) / (open.len() + close.len());
            let text = format!("{}{middle}{}", open.repeat(count), close.repeat(count));
            if let Ok(filter) = Filter::compile(&text) {
                filter.pattern();
                filter.judge(LINE.as_bytes());
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

/// Filters of all kinds of parts.
fn any_filter() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("."),
        Just(".."),
        Just(".a"),
        Just(".b.a"),
        Just(".a[]"),
        Just(".[]?"),
        Just("\"ab\""),
        Just("1"),
        Just("null"),
        Just("true"),
        Just("not"),
        Just("length"),
        Just("type"),
        Just("tostring"),
        Just("ascii_downcase"),
        Just("test(\"a+b\")"),
        Just("test(\"AB\"; \"i\")"),
        Just("contains(\"ab\")"),
        Just("contains([\"a\"])"),
        Just("startswith(\"a\")"),
        Just("has(\"b\")"),
        Just("has(0)"),
        Just("any"),
        Just("all"),
    ]
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 2, |inner| {
        let operators = prop_oneof![
            Just("|"),
            Just(","),
            Just("//"),
            Just(" and "),
            Just(" or "),
            Just("=="),
            Just("!="),
            Just(">="),
            Just("<")
        ];
        prop_oneof![
            (inner.clone(), operators, inner.clone()).prop_map(|(a, operator, b)| format!("({a}){operator}({b})")),
            inner.clone().prop_map(|a| format!("select({a})")),
            inner.clone().prop_map(|a| format!("({a})?")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("any({a}; {b})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("all({a}; {b})")),
        ]
    })
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null"),
        Just("true"),
        Just("false"),
        Just("1"),
        Just("-1.5"),
        Just("\"ab\""),
        Just("\"AAB\""),
        Just("\"xaab\""),
        Just("\"\""),
    ]
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(","))),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{{\"a\":{a},\"b\":{b}}}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// The text that a filter is said to need may be too lax, never too strict.
    #[test]
    fn no_line_of_a_filter_is_overlooked(text in any_filter(), a in any_json(), b in any_json()) {
        let filter = filter(&text);
        let line = format!("{{\"a\":{a},\"b\":{b}}}");
        if filter.judge(line.as_bytes()) == FilterVerdict::True {
            let pattern = filter.pattern();
            prop_assert!(Expression::new(&pattern).unwrap().is_match(line.as_bytes()), "{} needs {} of {}", text, pattern, line);
        }
    }

    #[test]
    fn any_text_is_a_filter_or_refused(text in "[.a-c\\[\\](){}|,;:?/\"\\\\$@0-9 =<>+*-]{0,40}") {
        if let Ok(filter) = Filter::compile(&text) {
            filter.judge(LINE.as_bytes());
        }
    }
}
