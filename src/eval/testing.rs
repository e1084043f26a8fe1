//! Small worlds and rules for the tests of this module.

use std::sync::Arc;

use crate::eval::input::Input;
use crate::expr::World;
use crate::model::{Confidence, Finding, FindingClass, Histogram, Severity, TimedText};
use crate::resource::dump::read_objects;
use crate::resource::{IndexBuilder, TypeName};
use crate::rule::{RuleSet, Source, Streams, compile};
use crate::yaml;

/// A bundle with these objects, one YAML document each, in which everything but `missing` was collected.
pub fn input(objects: &[String], missing: &[&str]) -> Input {
    let mut builder = IndexBuilder::default();
    let (document, problems) = yaml::parse(objects.join("\n---\n").into_bytes());
    assert_eq!(problems, []);
    builder.add(read_objects("objects.yaml".into(), None, &Arc::new(document)));
    builder.assume_all_collected(true);
    missing.iter().for_each(|name| builder.assume_missing(TypeName::parse(name), None));
    let (resources, issues) = builder.finish();
    assert_eq!(issues, []);
    let world = World::new(Arc::new(resources), None, Default::default());
    Input { world: Arc::new(world), logs: Arc::default(), files: Arc::default(), file_gaps: Arc::default() }
}

/// An object of the core group in namespace `a`, with more fields in flow style.
pub fn object(kind: &str, name: &str, more: &str) -> String {
    format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, namespace: a}}, {more}}}")
}

/// Rules by id, with their bodies without texts.
pub fn rules(list: &[(&str, &str)]) -> RuleSet {
    let sources = list.iter().map(|(id, body)| Source {
        file: format!("rules/{id}.yaml"),
        text: format!(
            "id: {id}\ntitle: t\nseverity: high\nconfidence: likely\narea: bundle\n{body}\nmessage: m\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
        ),
    });
    let compiled = compile(sources.collect(), &Streams::default());
    compiled.unwrap_or_else(|errors| panic!("{}", errors.iter().map(ToString::to_string).collect::<String>()))
}

/// A finding of a rule, with this fingerprint and nothing else.
pub fn finding(rule: &str, print: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        name: String::new(),
        class: FindingClass::Fault,
        severity: Severity::Low,
        confidence: Confidence::Likely,
        area: String::new(),
        title: TimedText::default(),
        message: TimedText::default(),
        impact: TimedText::default(),
        cause: TimedText::default(),
        affects: Vec::new(),
        fixed_in: Vec::new(),
        objects: Vec::new(),
        remedy: Vec::new(),
        verify: None,
        links: Vec::new(),
        evidence: Vec::new(),
        count: 1,
        seen: Histogram::default(),
        first_seen: None,
        last_seen: None,
        fingerprint: print.to_owned(),
        explained_by: None,
        causes: Vec::new(),
        checked: Vec::new(),
        before: crate::model::Before::default(),
        novelty: None,
    }
}
