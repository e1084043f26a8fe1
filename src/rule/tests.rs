//! Whole rules, compiled.

use proptest::prelude::*;

use super::load::embedded;
use super::*;
use crate::log::{AtLeast, GroupKey, LogQuery, known_literal};
use crate::model::{Lang, Severity};
use crate::rule::text::Template;

/// Uses most of the language.
const EXAMPLE: &str = r#"
id: claim-without-disk
aliases: [volume-lost]
title: "{{ pv }} is bound to {{ pv.spec.csi.volumeHandle }}, which is gone"
severity: critical
confidence: certain
area: storage
affects: {longhorn: ">=1.2.0 <1.12.1 || 1.13.0", kubernetes: 1.30}
fixed_in: {longhorn: "1.12.1, 1.13.1"}
find:
  pv:
    resource: persistentvolumes
    where: pv.spec.csi.driver == 'driver.longhorn.io' && pv.status.phase == 'Bound'
  attachments:
    resource: volumeattachments.storage.k8s.io
    where: self.spec.source.persistentVolumeName == pv.metadata.name
    collect: true
  complaint:
    log: longhorn-csi
    match: ['volume (?<volume>pvc-[0-9a-f-]+) .*not found', 'cannot find volume (?<volume>pvc-\S+)']
    except: 'snapshot'
    since: 3d
    at_least: {volume: 2}
    where: complaint.volume == pv.spec.csi.volumeHandle
    optional: true
  broken:
    value: size(attachments)
unless:
  volume:
    resource: volumes.longhorn.io
    namespace: longhorn-system
    where: volume.metadata.name == pv.spec.csi.volumeHandle
relate:
  - get('persistentvolumeclaims', pv.spec.claimRef.namespace, pv.spec.claimRef.name)
adjust:
  - {if: broken == 0, severity: high}
explains: [{rule: mount-failed, on: node}]
message: "{{ complaint.count }} calls failed."
impact: "The data cannot be read."
cause: "The volume was deleted."
remedy:
  - do: "Find out whether it was deleted on purpose"
    run: kubectl -n longhorn-system get volumes.longhorn.io {{ pv.spec.csi.volumeHandle }}
    caution: "Keep the replicas."
    if: broken > 0
verify: "The claim mounts."
links: ["https://example.org/volumes"]
"#;

const SYMPTOM: &str = r#"
id: pod-without-volume
aliases: [mount-failed]
title: "{{ pod }}"
severity: low
confidence: hint
area: workload
find:
  pod:
    resource: pods
    where: self.status.phase == 'Pending'
  line:
    log: [kubelet, {namespace: kube-system, pod: "csi-*", container: csi}]
    match: 'mount of volume failed'
message: "{{ line.count }}"
impact: "x"
cause: "x"
remedy: [{do: "x"}]
"#;

fn source(text: &str) -> Source {
    let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap_or("x");
    Source { file: format!("rules/{id}.yaml"), text: text.to_owned() }
}

fn streams() -> Streams {
    Streams::parse(embedded().streams).unwrap()
}

fn set(texts: &[&str]) -> RuleSet {
    let compiled = compile(texts.iter().map(|text| source(text)).collect(), &streams());
    compiled.unwrap_or_else(|errors| panic!("{}", errors.iter().map(ToString::to_string).collect::<String>()))
}

/// A rule with these facts and nothing wrong in it.
fn with_facts(facts: &str) -> String {
    let head = "id: r\ntitle: t\nseverity: low\nconfidence: hint\narea: vm\nmessage: m\nimpact: i\ncause: c\nremedy: [{do: x}]\n";
    format!("{head}{facts}")
}

fn log_query(set: &RuleSet) -> &LogQuery {
    &set.queries[0]
}

fn resource(fact: &Fact) -> &ResourceQuery {
    match &fact.alternatives[0].kind {
        FactKind::Resource(query) => query,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_full_rule_compiles() {
    let set = set(&[EXAMPLE, SYMPTOM]);
    let rule = set.find("volume-lost").unwrap();
    assert_eq!(*rule.names, ["pv", "attachments", "complaint", "broken", "volume"]);
    assert_eq!((rule.find, rule.about.as_slice(), rule.unless.as_slice()), (4, &[0][..], &[vec![4]][..]));
    assert_eq!(rule.facts[0].conditions.len(), 2);
    assert!(rule.facts[1].collect && rule.facts[2].optional);
    let [Explains { rule: symptom, on_node: true, within: None, condition: None }] = rule.explains.as_slice() else {
        panic!("{:?}", rule.explains)
    };
    assert_eq!(symptom, "pod-without-volume");
    assert_eq!(rule.affects[1].range.contains("v1.30.4+rke2r1"), Some(true));
    assert_eq!(rule.fixed_in, [("longhorn".to_owned(), "1.12.1, 1.13.1".to_owned())]);
    assert_eq!(rule.adjust[0].severity, Some(Severity::High));
    assert_eq!(rule.texts.own().remedy[0].caution.as_ref().map(Template::text), Some("Keep the replicas."));
    assert_eq!(resource(&rule.facts[4]).exact_namespace.as_deref(), Some("longhorn-system"));
    assert!(set.warnings.is_empty());
}

#[test]
fn untranslated_texts_are_english() {
    let text = with_facts(
        "find:\n  n: {resource: nodes}\n  used: {value: n.spec.x}\nverify: v\ni18n: {zh: {title: 't {{ used }}', verify: w}}\n",
    );
    let set = set(&[&text]);
    let rule = &set.rules[0];
    let (english, chinese) = (rule.texts_in(Lang::En), rule.texts_in(Lang::Zh));
    assert_eq!((english.title.text(), chinese.title.text()), ("t", "t {{ used }}"));
    assert_eq!((chinese.message.text(), chinese.remedy[0].action.text()), ("m", "x"));
    assert_eq!([english, chinese].map(|texts| texts.verify.as_ref().map(Template::text)), [Some("v"), Some("w")]);
    let plain = self::set(&[SYMPTOM]);
    assert_eq!(plain.rules[0].texts_in(Lang::Zh).title.text(), "{{ pod }}");
}

#[test]
fn log_facts_become_queries() {
    let set = set(&[EXAMPLE, SYMPTOM]);
    let query = log_query(&set);
    assert_eq!(query.patterns.len(), 2);
    assert_eq!(query.except, ["snapshot"]);
    assert_eq!(query.since, Some(jiff::SignedDuration::from_hours(72)));
    assert_eq!(query.by, [GroupKey::Capture("volume".to_owned())]);
    assert_eq!(query.counting.at_least, Some(AtLeast::Distinct("volume".to_owned(), 2)));
    assert_eq!(query.selector.any[0].container.as_deref(), Some("longhorn-csi-plugin"));
    let FactKind::Log(line) = &set.find("pod-without-volume").unwrap().facts[1].alternatives[0].kind else { panic!() };
    assert_eq!((line.query, line.wanted.to_string().as_str()), (1, "kubelet or kube-system/csi-*/csi"));
    assert_eq!(set.queries[1].by, [GroupKey::Source]);
}

#[test]
fn the_order_of_files_does_not_matter() {
    let (one, two) = (set(&[EXAMPLE, SYMPTOM]), set(&[SYMPTOM, EXAMPLE]));
    assert_eq!(one.queries, two.queries);
    assert_eq!(format!("{:?}", one.rules), format!("{:?}", two.rules));
}

#[test]
fn selection_keeps_what_is_needed() {
    let only = set(&[EXAMPLE, SYMPTOM]).select(&["mount-failed".to_owned()], &[]).unwrap();
    assert_eq!(only.rules.len(), 1);
    let FactKind::Log(line) = &only.rules[0].facts[1].alternatives[0].kind else { panic!() };
    assert_eq!((line.query, only.queries.len()), (0, 1));
    assert_eq!(only.queries[0].patterns, ["mount of volume failed"]);
    let skipped = set(&[EXAMPLE, SYMPTOM]).select(&[], &["pod-without-volume".to_owned()]).unwrap();
    assert_eq!((skipped.rules.len(), skipped.queries.len()), (1, 1));
    assert!(skipped.rules[0].explains.is_empty());
    let by_alias = set(&[EXAMPLE, SYMPTOM]).select(&[], &["volume-lost".to_owned()]).unwrap();
    assert_eq!(by_alias.rules.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>(), ["pod-without-volume"]);
    let unknown = set(&[EXAMPLE, SYMPTOM]).select(&["volume-lots".to_owned()], &[]).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no rule \"volume-lots\"; did you mean \"volume-lost\"?");
}

#[test]
fn conditions_give_the_exact_namespace() {
    let exact = |facts: &str| {
        let set = set(&[&with_facts(facts)]);
        let query = resource(set.rules[0].facts.last().unwrap());
        (query.exact_namespace.clone(), query.namespace_expr.as_ref().map(|expr| expr.slots().to_vec()))
    };
    assert_eq!(exact("find: {p: {resource: pods, namespace: kube-system}}"), (Some("kube-system".to_owned()), None));
    assert_eq!(exact("find: {p: {resource: pods, namespace: 'kube-*'}}"), (None, None));
    let where_is = |condition: &str| {
        exact(&format!("find:\n  n: {{resource: nodes}}\n  p: {{resource: pods, where: \"{condition}\"}}"))
    };
    assert_eq!(where_is("self.spec.x == 1 && 'a' == p.metadata.namespace"), (Some("a".to_owned()), None));
    assert_eq!(where_is("self.metadata.namespace == n.metadata.name"), (None, Some(vec![0])));
    assert_eq!(where_is("self.metadata.namespace == self.metadata.name"), (None, None));
    assert_eq!(where_is("self.metadata.namespace == 'a' || self.x == 1"), (None, None));
}

#[test]
fn facts_of_unless_form_groups() {
    let text = with_facts(
        "find: {n: {resource: nodes}}\nunless:\n  a: {resource: pods, where: self.x == b.x}\n  c: {resource: pods, where: self.x == n.x}\n  b: {resource: pods}\n",
    );
    assert_eq!(set(&[&text]).rules[0].unless, [vec![1, 3], vec![2]]);
}

#[test]
fn events_are_alone_unless_grouped() {
    let by = |more: &str| {
        let set = set(&[&with_facts(&format!(
            "find: {{e: {{event: {{reason: [Failed*, BackOff], type: Warning}}{more}}}}}"
        ))]);
        match &set.rules[0].facts[0].alternatives[0].kind {
            FactKind::Event(query) => query.by.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(by(""), None);
    assert_eq!(by(", match: 'image (?<image>x)'"), Some(vec![GroupKey::Capture("image".to_owned())]));
    assert_eq!(by(", by: []"), Some(Vec::new()));
    assert_eq!(by(", by: [node]"), Some(vec![GroupKey::Node]));
}

#[test]
fn a_stream_is_narrowed_by_what_it_leaves_open() {
    let set = set(&[&with_facts("find: {l: {log: {stream: kernel, node: 'n*'}, match: 'hung task'}}")]);
    assert!(log_query(&set).selector.any.iter().all(|glob| glob.node.as_deref() == Some("n*") && glob.unit.is_some()));
}

#[test]
fn embedded_rules_compile() {
    let rules = embedded();
    let compiled = compile(rules.sources, &streams());
    let errors = compiled.as_ref().err().into_iter().flatten().map(ToString::to_string).collect::<String>();
    assert!(compiled.is_ok(), "{errors}");
}

#[test]
fn literals_of_patterns_are_found_when_the_program_is_built() {
    let rules = compile(embedded().sources, &streams()).unwrap();
    let written = rules.queries.iter().filter(|query| query.jq.is_none());
    let patterns: Vec<&String> = written.flat_map(|query| query.patterns.iter().chain(&query.except)).collect();
    let unknown: Vec<&&String> = patterns.iter().filter(|pattern| known_literal(pattern).is_none()).collect();
    assert!(patterns.len() > 1000 && unknown.len() < 10, "{} of {}: {unknown:#?}", unknown.len(), patterns.len());
}

#[test]
fn skipped_checks_do_not_change_embedded_rules() {
    let asked = |set: &RuleSet| {
        let kinds = set.rules.iter().flat_map(|rule| &rule.facts).flat_map(Fact::kinds);
        let events = kinds.filter_map(|kind| match kind {
            FactKind::Event(event) => Some((event.by.clone(), event.counting.clone())),
            _ => None,
        });
        (set.queries.clone(), events.collect::<Vec<_>>())
    };
    let quick = compile(embedded().sources, &streams()).unwrap();
    let checked = check(embedded().sources, &streams(), &Knowledge::default()).unwrap();
    assert!(asked(&quick).0.len() > 100 && !asked(&quick).1.is_empty());
    assert_eq!(asked(&quick), asked(&checked));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_compiler_panic(at in 0..EXAMPLE.len(), cut in 0..30_usize, put in "[ -~\n\tä]{0,12}") {
        let start = EXAMPLE.floor_char_boundary(at);
        let end = EXAMPLE.floor_char_boundary((at + cut).min(EXAMPLE.len()));
        let text = format!("{}{put}{}", &EXAMPLE[..start], &EXAMPLE[end..]);
        if let Err(errors) = compile(vec![source(&text)], &streams()) {
            for error in errors {
                prop_assert!(error.to_string().contains(error.code.as_str()));
            }
        }
    }
}
