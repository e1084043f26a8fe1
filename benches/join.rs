//! A five-hop join over generated bundles of growing size: from pods over their claims, volumes and replicas to nodes.
//!
//! `cargo bench --bench join`. `hashed/N` is the rule as an author writes it, over a bundle of N objects; a time that
//! grows as N does is what is wanted, and elements per second that stay the same show it. `nested/N` is the same rule
//! with conditions that no hash can answer (`!(a != b)` for `a == b`): it grows with the square of N, and from
//! some thousand objects on evaluation gives it up.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench without its fixture cannot run")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::eval::{self, Input};
use gleaner::internals::pipeline::{self, Options};
use gleaner::internals::rule::{RuleSet, Source, Streams, compile};
use gleaner::model::Lang;
use gleaner_fixtures::{Layout, MemorySink, Scenario};

/// From the pod to the node of each replica behind it. Nothing is reported, so that joining is what is measured.
const RULE: &str = r#"
id: five-hops
title: "{{ pod }} has a replica on {{ node }}"
severity: info
confidence: hint
area: storage
find:
  pod: {resource: pods}
  claim:
    resource: persistentvolumeclaims
    where: >-
      claim.metadata.namespace == pod.metadata.namespace
      && pod.spec.volumes.exists(v, v.persistentVolumeClaim.claimName == claim.metadata.name)
  pv: {resource: persistentvolumes, where: pv.metadata.name == claim.spec.volumeName}
  volume: {resource: volumes.longhorn.io, where: volume.metadata.name == pv.spec.csi.volumeHandle}
  replica: {resource: replicas.longhorn.io, where: replica.spec.volumeName == volume.metadata.name}
  node: {resource: nodes, where: node.metadata.name == replica.spec.nodeID}
when: node.spec.providerID == 'nowhere'
message: m
impact: i
cause: c
remedy: [{do: d}]
"#;

/// True if the rule's joins are found by hash.
#[derive(Clone, Copy)]
enum Joins {
    Hashed,
    Nested,
}

fn rule(joins: Joins) -> RuleSet {
    let text = match joins {
        Joins::Hashed => RULE.to_owned(),
        Joins::Nested => unhashed(RULE),
    };
    let source = Source { file: "rules/storage/five-hops.yaml".to_owned(), text };
    let streams = Streams::default();
    compile(vec![source], &streams).expect("the rule compiles")
}

/// The rule with each `a == b` of its joins as `!(a != b)`, in double quotes where YAML needs them.
fn unhashed(rule: &str) -> String {
    let join = |line: &str| {
        let (head, condition) = line.split_once("where: ").unwrap_or(("", line));
        let closing = if condition.ends_with('}') && !head.is_empty() { "}" } else { "" };
        let turned = format!("!({})", condition.trim_end_matches('}').replace(" == ", " != "));
        if head.is_empty() { turned } else { format!("{head}where: \"{turned}\"{closing}") }
    };
    let lines = rule.lines().map(|line| match line {
        line if line.contains("where: ") && line.contains(" == ") => join(line),
        "      claim.metadata.namespace == pod.metadata.namespace" => format!("      {}", join(line.trim())),
        line if line.contains("exists(") => line.replacen("pod.spec", "!!pod.spec", 1),
        line => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn input(objects: u64, set: &RuleSet) -> Input {
    let options = gleaner_fixtures::Options {
        layout: Layout::Harvester,
        nodes: 10,
        objects,
        log_bytes: 0,
        seed: 1,
        scenario: Scenario::Healthy,
    };
    let mut sink = MemorySink::default();
    gleaner_fixtures::generate(&options, &mut sink).expect("a bundle");
    let bundle = Bundle::from_memory("join", sink.files.into_iter().collect(), Limits::default());
    pipeline::prepare(&bundle, set, Options::default(), &())
}

fn join(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("join");
    group.sample_size(10);
    for (name, joins, sizes) in
        [("hashed", Joins::Hashed, &[12_500, 25_000, 50_000, 100_000][..]), ("nested", Joins::Nested, &[1_000, 2_000])]
    {
        let set = rule(joins);
        for &objects in sizes {
            group.throughput(Throughput::Elements(objects));
            group.bench_function(format!("{name}/{objects}"), |b| {
                let input = input(objects, &set);
                let rules = eval::evaluate(&set, &input, Lang::En).rules;
                assert_eq!(rules.clean, ["five-hops"], "{objects}: {:?}", rules.not_evaluated);
                b.iter(|| eval::evaluate(&set, &input, Lang::En).rules.clean.len());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, join);
criterion_main!(benches);
