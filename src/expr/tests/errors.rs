//! Error messages for authors: the text, the marked part, message and hint.

use super::fixture::Fixture;

fn check(rows: &[(&str, &str, &str, &str)]) {
    let fixture = Fixture::new();
    for (text, marked, message, hint) in rows {
        let errors = fixture.compile(text).err().unwrap_or_default();
        let found: Vec<(&str, &str, &str)> = errors
            .iter()
            .map(|e| {
                (text.get(e.range.clone()).unwrap_or("?"), e.message.as_str(), e.hint.as_deref().unwrap_or_default())
            })
            .collect();
        assert_eq!(found, [(*marked, *message, *hint)], "{text}");
    }
}

#[test]
fn syntax() {
    check(&[
        ("pod.a ==", "", "a value is expected, not the end", "write a name, a text in quotes, a number or a call"),
        ("pod.a == )", ")", "a value is expected, not `)`", "write a name, a text in quotes, a number or a call"),
        ("(pod.a", "", "`)` is expected, not the end", "check brackets, commas and quotes"),
        (
            "pod.a)",
            ")",
            "`)` is not expected here",
            "an operator is missing before it, or a bracket is closed too often",
        ),
        (
            "pod.a pod.b",
            "pod",
            "`pod` is not expected here",
            "an operator is missing before it, or a bracket is closed too often",
        ),
        ("pod.a and pod.b", "and", "`and` is no operator", "write &&"),
        ("pod.a or pod.b", "or", "`or` is no operator", "write ||"),
        ("pod.a & pod.b", "&", "unexpected single `&`, expected `&&`", "`and` is written &&"),
        ("pod.a = 'x'", "=", "`=` is no operator", "write == to compare"),
        ("pod.a == 'x", "'x", "unterminated string literal", "close the text with the same quote"),
        ("pod.a == “x”", "“", "unexpected character", "texts stand in quotes"),
        (
            "pod.?a",
            ".",
            "optional fields are not part of the rule language",
            "write `a.b`: what is absent reads as null",
        ),
        (
            "pod?.a",
            "?",
            "optional fields are not part of the rule language",
            "write `a.b`: what is absent reads as null",
        ),
        (
            "pod.l[?0]",
            "[",
            "optional fields are not part of the rule language",
            "write `a.b`: what is absent reads as null",
        ),
        ("pod.a == b'x'", "b'x'", "bytes literals are not part of the rule language", "write a text without the b"),
        (
            "Pod{a: 1}",
            "Pod",
            "messages such as Name{...} are not part of the rule language",
            "write a map: {'key': value}",
        ),
        (
            "pod.a.matches('\\d')",
            "'\\d'",
            "`'\\d'` has an escape that CEL does not know",
            "write patterns as r'...', in which \\ is nothing special",
        ),
        ("loop == 1", "loop", "`loop` is a reserved word of CEL", "choose another name for the fact"),
        ("true ? 1", "", "`:` in conditional expression is expected, not the end", "check brackets, commas and quotes"),
        ("", "", "a value is expected, not the end", "write a name, a text in quotes, a number or a call"),
    ]);
}

#[test]
fn names() {
    check(&[
        ("podd.a == 1", "podd", "unknown name `podd`", "did you mean `pod`?"),
        (
            "pod.a == volume.b",
            "volume",
            "unknown name `volume`",
            "names here: pod, other, hits, undated, event, file, missing, unknown, pods, claim, text, now, nodes",
        ),
        ("rows.size() == 1", "rows", "`rows` is known only in texts", ""),
        (
            "pod.l.exists(x, y.a)",
            "y",
            "unknown name `y`",
            "names here: x, pod, other, hits, undated, event, file, missing, unknown, pods, claim, text, now, nodes",
        ),
        (
            "pod.l.exists(pod, pod.a)",
            "pod",
            "`pod` already means something here",
            "choose another name for the element",
        ),
        (
            "pod.l.exists(x, x.m.exists(x, x.b))",
            "x",
            "`x` already means something here",
            "choose another name for the element",
        ),
        (
            "pod.l.exists(x.y, true)",
            "exists",
            "exists takes a list, a name and an expression",
            "write list.exists(x, ...)",
        ),
        ("pod.l.exists(x)", "exists", "exists takes a list, a name and an expression", "write list.exists(x, ...)"),
        (
            "exists(pod.l, x, x.a)",
            "exists",
            "exists takes a list, a name and an expression",
            "write list.exists(x, ...)",
        ),
        ("has(pod.a, pod.b)", "has", "has takes one value", "write has(x.field), or x.field != null"),
    ]);
    let fixture = Fixture::new();
    let names = ["pod".to_owned()];
    let scope = crate::expr::Scope { names: &names, this: None, tested: false };
    let error = crate::expr::Expr::compile("self.a == 1", scope).err().unwrap_or_default();
    assert_eq!(error[0].message, "`self` is known only in the `where` of a fact");
    assert!(fixture.compile("self.a == 1").is_ok());
}

#[test]
fn durations_without_their_function() {
    check(&[
        ("ago(pod.t) > 30m", "30m", "30m is no value", "write duration('30m')"),
        ("ago(pod.t) > 1d12h && pod.a", "1d12h", "1d12h is no value", "write duration('1d12h')"),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("siz(pod.a) == 1", "siz", "there is no function `siz`", "did you mean `size`?"),
        ("pod.a.startswith('x')", "startswith", "there is no function `startswith`", "did you mean `startsWith`?"),
        ("pod.a.frobnicate()", "frobnicate", "there is no function `frobnicate`", ""),
        ("math.maximum(1)", "maximum", "there is no function `math.maximum`", ""),
        (
            "cidr_contains('10.0.0', pod.b)",
            "'10.0.0'",
            "'10.0.0' is no range of addresses",
            "write a range such as 10.0.0.0/24 or 10.0.0.5-10.0.0.9",
        ),
        ("table(pod.a, 'dff')", "'dff'", "there is no table of 'dff'", "did you mean 'df'?"),
        ("condition(pod)", "condition", "condition takes 2 arguments, not 1", "write condition(obj, 'Ready')"),
        (
            "version()",
            "version",
            "version takes 1 to 2 arguments, not 0",
            "write version('longhorn') or version('longhorn', '<1.12')",
        ),
        ("size(pod.a, 1)", "size", "size takes 1 argument, not 2", "write size(list)"),
        ("version('longhron')", "'longhron'", "there is no product 'longhron'", "did you mean 'longhorn'?"),
        ("quantity('12Gx')", "'12Gx'", "'12Gx' is no quantity", "write a number with a unit such as 500m, 10Gi, 1.5G"),
        ("duration('5 minutes')", "'5 minutes'", "'5 minutes' is no duration such as 3d4h, 90s or 1.5h", ""),
        ("timestamp('yesterday')", "'yesterday'", "'yesterday' is no time in RFC 3339", ""),
        (
            "setting('lh', 'x')",
            "'lh'",
            "there is no group of settings 'lh'",
            "one of harvester, longhorn, rancher, harvesterhci.io, longhorn.io, management.cattle.io",
        ),
        (
            "get('Pods', 'a', 'b')",
            "'Pods'",
            "'Pods' is no type",
            "write the plural as kubectl does: pods, volumes.longhorn.io",
        ),
        (
            "pod.a.matches(r'(')",
            "r'('",
            "the pattern is not valid: unclosed group",
            "patterns are regular expressions in r'...'",
        ),
        ("pod.a.matches(pod.b)", "pod.b", "the pattern of matches must be a text", "write r'...'"),
    ]);
}

#[test]
fn the_empty_text() {
    let hint = "an empty string reads as null: compare with null; 'key' in its mapping tells it from an absent key";
    check(&[
        ("pod.a == ''", "''", "nothing equals the empty text", hint),
        ("\"\" != pod.a", "\"\"", "nothing equals the empty text", hint),
        ("pod.a in ['x', '']", "''", "nothing equals the empty text", hint),
    ]);
}

#[test]
fn all_errors_come_at_once() {
    let fixture = Fixture::new();
    let errors = fixture.compile("podd.a == '' && siz(othr.b) > 1").err().unwrap_or_default();
    let messages: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        ["unknown name `podd`", "nothing equals the empty text", "unknown name `othr`", "there is no function `siz`"]
    );
}

#[test]
fn limits() {
    let fixture = Fixture::new();
    let refused = |text: &str| fixture.compile(text).err().unwrap_or_default()[0].message.clone();
    assert_eq!(refused(&format!("'{}' == pod.a", "x".repeat(5000))), "the expression is longer than 4096 bytes");
    assert_eq!(refused(&format!("{}pod.a{}", "(".repeat(70), ")".repeat(70))), "the expression nests too deeply");
    assert_eq!(refused(&"true ? 1 : ".repeat(70)), "the expression nests too deeply");
    assert_eq!(refused(&format!("1{} == 2", "+1".repeat(300))), "the expression nests deeper than 96 levels");
    assert_eq!(refused(&format!("pod{}", ".a".repeat(300))), "the expression nests deeper than 96 levels");
    assert_eq!(refused(&format!("{}pod.a", "!-".repeat(1000))), "the expression nests deeper than 96 levels");
    assert!(fixture.compile(&format!("true{}", " && pod.a".repeat(400))).is_ok());
    assert!(fixture.compile(&format!("{}pod.a{}", "(".repeat(60), ")".repeat(60))).is_ok());
}
