//! Tests of the import of CRE rules.

use proptest::prelude::*;

use super::{Import, import};
use crate::rule::{RuleSet, Source, Streams, compile, load};

fn file(text: &str) -> Source {
    Source { file: "cre.yaml".to_owned(), text: text.to_owned() }
}

/// A rule with this body under `rule:`.
fn with(body: &str) -> String {
    format!("rules:\n  - cre: {{id: CRE-2030-0001, severity: 1, title: A fault}}\n    rule:\n      {body}\n")
}

fn imported(body: &str) -> Import {
    import(&[file(&with(body))])
}

/// The text that a body becomes, which must compile.
fn text(body: &str) -> String {
    let import = imported(body);
    assert_eq!(import.invalid, [], "{body}");
    compiled(&import);
    import.rules[0].text.clone()
}

fn compiled(import: &Import) -> RuleSet {
    let of = |rule: &super::Imported| Source { file: format!("rules/{}.yaml", rule.id), text: rule.text.clone() };
    let streams = Streams::parse(load::embedded().streams).unwrap();
    compile(import.rules.iter().map(of).collect(), &streams)
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(ToString::to_string).collect::<String>()))
}

/// Returns why a body is rejected.
fn refused(body: &str) -> String {
    let import = imported(body);
    assert!(import.rules.is_empty(), "{body}");
    import.invalid.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

const EVENT: &str = "event: {source: cre.log.rabbitmq}";

#[test]
fn a_set_of_one_term_is_a_log_fact() {
    let text = text(&format!("set: {{{EVENT}, match: [{{value: 'disk [a] is (nearly) full'}}]}}"));
    assert!(text.contains(r"match: 'disk \[a\] is \(nearly\) full'"), "{text}");
    assert!(text.contains("id: cre-2030-0001\naliases: ['CRE-2030-0001']\n"), "{text}");
    assert!(text.contains("severity: high\nconfidence: likely\narea: workload\n"), "{text}");
    assert!(text.contains(r#"log: [{container: "*rabbitmq*"}, {pod: "*rabbitmq*"}]"#), "{text}");
    assert!(!text.contains("sequence:"), "{text}");
}

#[test]
fn a_set_of_several_terms_is_a_sequence_in_any_order() {
    let text = text(&format!(
        "set: {{{EVENT}, window: 1m30s, match: ['first text', {{value: 'other text', count: 2}}, 'first text']}}"
    ));
    assert!(text.contains("within: '1m 30s'\n      order: any\n"), "{text}");
    assert_eq!(text.matches("at_least: 2").count(), 2, "equal terms are one: {text}");
    assert!(text.contains("by: [source]"), "{text}");
}

#[test]
fn a_sequence_keeps_its_order_and_its_negates() {
    let text = text(&format!(
        "sequence: {{{EVENT}, window: 30s, order: [alpha text, beta text, beta text, alpha text], \
         negate: [gamma text, {{value: delta text, anchor: 1, window: 15s, slide: -2s}}]}}"
    ));
    assert!(!text.contains("order: any"), "{text}");
    assert_eq!(text.matches("match: 'alpha text'").count(), 2, "only neighbours are one: {text}");
    assert_eq!(text.matches("at_least: 2").count(), 1, "{text}");
    assert!(text.contains("anchor: 1\n          slide: '-2s'\n          within: '15s'\n"), "{text}");
    assert_eq!(text.matches("absent: true").count(), 2, "{text}");
}

#[test]
fn a_rule_with_a_set_and_a_sequence_is_a_sequence() {
    let set = format!("set: {{{EVENT}, match: [of the set]}}");
    let text = text(&format!("{set}\n      sequence: {{{EVENT}, window: 5s, order: [one text, two texts]}}"));
    assert!(text.contains("one text") && !text.contains("of the set"), "{text}");
}

#[test]
fn a_bare_text_that_names_a_term_stands_for_it() {
    let body = with(&format!("set: {{{EVENT}, match: [full]}}")) + "terms:\n  full: {regex: 'queue \\w+ is full'}\n";
    let import = import(&[file(&body)]);
    assert_eq!(import.invalid, []);
    assert!(import.rules[0].text.contains(r"queue \w+ is full"), "{}", import.rules[0].text);
}

#[test]
fn patterns_that_may_cross_lines_see_whole_entries() {
    let crossing = text(&format!("set: {{{EVENT}, match: [{{regex: 'panic: .*goroutine'}}]}}"));
    assert!(crossing.contains("match: '(?s)panic: .*goroutine'\n    multiline: true\n"), "{crossing}");
    let inside = text(&format!("set: {{{EVENT}, match: [{{regex: 'panic: a\\.b'}}]}}"));
    assert!(!inside.contains("multiline"), "{inside}");
}

#[test]
fn filters_of_jq_stay_filters() {
    let text = text(&format!(
        "sequence: {{{EVENT}, window: 5s, order: [{{jq: '.msg == \"queue ''a'' is full\"'}}, {{jq: '.error_code > 3', count: 2}}]}}"
    ));
    assert!(text.contains("          jq: '.msg == \"queue ''a'' is full\"'\n"), "{text}");
    assert!(text.contains("          jq: '.error_code > 3'\n          at_least: 2\n"), "{text}");
    assert!(!text.contains("match:"), "{text}");
}

#[test]
fn texts_are_printed_as_they_are() {
    let cre = "rules:\n  - cre:\n      id: X-1\n      title: \"it's {{ here }} {% if %} {# x #} { }\"\n      description: |\n        one\n\n          two\\n: x\n        \tthree\n      references: [\"https://a.b/c\", \"no link\"]\n    rule: {set: {event: {source: cre.log.nats}, match: [some text of it]}}\n";
    let import = import(&[file(cre)]);
    let set = compiled(&import);
    assert_eq!(set.rules[0].links, ["https://a.b/c"]);
    let world = crate::expr::World::new(Default::default(), None, Default::default());
    let renderer = crate::rule::text::Renderer::new(&world, crate::model::Lang::En);
    let shown = renderer.render(&set.rules[0].texts.own().title, &[], &[], &[]).unwrap();
    assert_eq!(shown, "it's {{ here }} {% if %} {# x #} { }");
}

#[test]
fn invalid_cre_rules_are_rejected_with_their_line() {
    for (body, why) in [
        ("sequence: {EVENT, window: 5s, order: [one]}", "at least two terms"),
        ("sequence: {EVENT, order: [one, two]}", "a sequence needs a window"),
        ("set: {EVENT, match: [one, two]}", "a set of several terms needs a window"),
        ("set: {EVENT, window: 5s, match: [one]}", "a set of one term has no window"),
        ("set: {EVENT, window: 5s, match: [{value: one, count: 65}]}", "at most 64 terms"),
        ("set: {EVENT, match: []}", "needs at least one term that is not negated"),
        ("set: {EVENT, match: [{value: one, regex: two}]}", "one of value, regex and jq"),
        ("set: {EVENT, match: [{jq: '.level =='}]}", "jq: this is not a jq filter: expected term"),
        ("set: {EVENT, match: [{jq: 'range(9)'}]}", "jq: the function \"range/1\" cannot be used"),
        ("set: {EVENT, match: [{count: 2}]}", "one of value, regex and jq"),
        ("set: {EVENT, match: [{value: one, count: 0}]}", "count must be"),
        ("set: {EVENT, match: [{regex: '(one'}]}", "invalid regular expression"),
        ("set: {EVENT, match: [{set: {}}]}", "\"set\" is not supported here"),
        ("set: {EVENT, match: [one], negate: [{value: two, count: 2}]}", "negate has no count"),
        ("set: {EVENT, match: [one], negate: [{value: two, anchor: 1}]}", "anchor 1 is not a term"),
        ("set: {EVENT, match: [one], negate: [{value: two, absolute: true}]}", "absolute is not supported"),
        ("set: {EVENT, match: [one], extract: []}", "\"extract\" is not supported here"),
        ("set: {EVENT, window: 5 parsecs, match: [one, two]}", "is not a duration"),
        ("set: {match: [one]}", "event.source must name"),
        ("promql: {expr: up}", "needs a \"set\" or a \"sequence\""),
    ] {
        let told = refused(&body.replace("EVENT", EVENT));
        assert!(told.starts_with("cre.yaml:4: ") && told.contains(why), "{body}: {told}");
    }
    let twice = import(&[
        file(&with(&format!("set: {{{EVENT}, match: [one]}}"))),
        file(&with(&format!("set: {{{EVENT}, match: [two]}}"))),
    ]);
    assert_eq!(twice.rules.len(), 1);
    assert_eq!(twice.invalid[0].to_string(), "cre.yaml:2: CRE-2030-0001 is already a rule of cre.yaml");
    assert_eq!(import(&[file("a: [")]).invalid.len(), 1);
    assert!(import(&[file("x: 1")]).invalid[0].message.contains("needs a list under the key \"rules\""));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a file says, it becomes rules that compile, or it is refused.
    #[test]
    fn any_file_is_imported_or_refused(
        title in ".{0,30}",
        description in "(?s).{0,80}",
        pattern in "[a-z]{5}[\\[\\](){}*+?.^$\\\\a-zA-Z0-9<&'\" -]{0,12}",
        value in "(?s)[a-z]{4}.{0,12}",
        window in "[0-9]{1,3}(ms|s|m|h)",
    ) {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let text = format!(
            "rules:\n  - cre: {{id: CRE-1-1, severity: 2, title: {}, description: {}}}\n    rule: {{set: {{event: {{source: cre.log.x}}, window: {window}, match: [{{regex: {}}}, {{value: {}}}]}}}}\n",
            json(&title), json(&description), json(&pattern), json(&value),
        );
        let import = import(&[file(&text)]);
        prop_assert_eq!(import.rules.len() + import.invalid.len(), 1);
        let streams = Streams::default();
        let of = |rule: &super::Imported| Source { file: format!("rules/{}.yaml", rule.id), text: rule.text.clone() };
        let errors = compile(import.rules.iter().map(of).collect(), &streams).err().unwrap_or_default();
        prop_assert!(errors.is_empty(), "{}{}", errors.iter().map(ToString::to_string).collect::<String>(), text);
    }
}
