//! Hides values in bundles of the generator, in each form that a reader of its own reads: any leaf of a dump, and any cell of a table.
//!
//! The kinds of objects and the API versions of lists and of their items stay: a redactor of texts cannot know them apart from the words
//! of a program, and without them the items are no objects.

use std::collections::BTreeMap;

use gleaner_fixtures::{MemorySink, Options, Scenario, generate, list_item};
use rayon::prelude::*;
use serde_json::Value;

use super::table::Table;
use super::{Random, is_open};
use crate::bundle::{Bundle, Limits};
use crate::model::Analysis;
use crate::pipeline::{self, Assumed};
use crate::rule::{RuleSet, Streams, load};
use crate::verify::case::{Case, Distribution, Expect, Layout};
use crate::verify::layout;
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Kind, Node};

/// Runs by which the values of a failure become fewer.
const RUNS: usize = 60;
/// Tries of each bundle, and the environment variable for longer runs.
const TRIES: u64 = 3;
const MORE: &str = "MASKING_TRIES";

/// How the dumps of a bundle are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As Go's writers print, for the reader of lines.
    Block,
    /// Items in braces, for the event parser.
    Flow,
    Json,
}

/// A file in which values can be hidden.
#[derive(Clone)]
enum Part {
    /// A list of objects.
    Dump(Value),
    Table(Table),
    Other(Vec<u8>),
}

/// A bundle that can be written again with other values.
#[derive(Clone)]
struct Masked {
    name: String,
    parts: BTreeMap<String, Part>,
    /// What a rule test states about a bundle of its layout.
    assumed: Option<Assumed>,
}

/// A value that can be hidden: its file, and its path or its row and column.
#[derive(Clone)]
struct Leaf {
    file: String,
    place: String,
}

impl Leaf {
    /// Name of the field or number of the column.
    fn field(&self) -> &str {
        self.place.rsplit(['/', ' ']).next().unwrap_or_default()
    }
}

impl Masked {
    fn generated(scenario: Scenario, nodes: u32, seed: u64) -> Self {
        let layout = gleaner_fixtures::Layout::Harvester;
        let options = Options { layout, nodes, objects: 0, log_bytes: 20_000, seed, scenario };
        let mut sink = MemorySink::default();
        generate(&options, &mut sink).unwrap();
        let part = |(path, bytes): (String, Vec<u8>)| {
            let is_dump = path.starts_with("yamls/") && path.ends_with(".yaml");
            (path, if is_dump { Part::Dump(dump(bytes)) } else { Part::Other(bytes) })
        };
        Self { name: format!("{scenario:?}"), parts: sink.files.into_iter().map(part).collect(), assumed: None }
    }

    /// The objects of the bundle as the tables of Rancher's collector on a node of RKE2.
    fn as_tables(&self, streams: &Streams) -> Self {
        let mut case = Case {
            name: format!("{} as tables", self.name),
            layout: Layout::Rancher(Distribution::Rke2),
            now: Some("2025-03-18T09:30:00Z".parse().unwrap()),
            versions: BTreeMap::new(),
            objects: Vec::new(),
            files: BTreeMap::new(),
            releases: Vec::new(),
            missing: vec![Case::LEFT_OUT.to_owned()],
            expect: Expect::NotEvaluated,
        };
        let lists = self.parts.values().filter_map(|part| match part {
            Part::Dump(list) => list["items"].as_array(),
            _ => None,
        });
        // Of some types it is not known how kubectl prints them.
        let is_printed = |object: &&Value| {
            layout::files(&Case { objects: vec![(*object).clone()], ..case.clone() }, streams).is_ok()
        };
        case.objects = lists.flatten().filter(is_printed).cloned().collect();
        let (_, files) = layout::files(&case, streams).unwrap();
        let part = |(path, bytes): (String, Vec<u8>)| {
            let is_table = path.contains("/kubectl/") && !path.contains("/rancher-prov/");
            let text = || String::from_utf8(bytes.clone()).unwrap();
            (path, if is_table { Part::Table(Table::parse(&text())) } else { Part::Other(bytes) })
        };
        let missing = layout::missing_types(&case, streams).unwrap();
        let assumed = Assumed { now: case.now, missing, ..Assumed::default() };
        Self { name: case.name, parts: files.into_iter().map(part).collect(), assumed: Some(assumed) }
    }

    fn leaves(&self) -> Vec<Leaf> {
        let mut found = Vec::new();
        for (file, part) in &self.parts {
            let mut places = Vec::new();
            match part {
                Part::Dump(list) => leaves(&list["items"], "/items", &mut places),
                Part::Table(table) => table.cells().for_each(|(row, column)| places.push(format!("{row} {column}"))),
                Part::Other(_) => {}
            }
            found.extend(places.into_iter().map(|place| Leaf { file: file.clone(), place }));
        }
        found
    }

    fn hide(&mut self, leaf: &Leaf, mask: &str) {
        match self.parts.get_mut(&leaf.file) {
            Some(Part::Dump(list)) => *list.pointer_mut(&leaf.place).unwrap() = Value::from(mask),
            Some(Part::Table(table)) => {
                let (row, column) = leaf.place.split_once(' ').unwrap();
                table.set(row.parse().unwrap(), column.parse().unwrap(), mask);
            }
            _ => {}
        }
    }

    fn analyze(&self, set: &RuleSet, form: Form) -> Analysis {
        let write = |(path, part): (&String, &Part)| {
            let text = match part {
                Part::Dump(list) => print(list, form).into_bytes(),
                Part::Table(table) => table.print().into_bytes(),
                Part::Other(bytes) => bytes.clone(),
            };
            (path.clone(), text)
        };
        let bundle = Bundle::from_memory("masked", self.parts.iter().map(write).collect(), Limits::default());
        let options = pipeline::Options { assumed: self.assumed.as_ref(), ..pipeline::Options::default() };
        pipeline::analyze(&bundle, set, options, &())
    }
}

/// Reads a dump of the generator as the program does.
fn dump(bytes: Vec<u8>) -> Value {
    let (mut document, problems) = yaml::parse(bytes);
    assert_eq!(problems, []);
    normalise(&mut document, Dialect::Kit);
    json_of(document.roots().next().unwrap())
}

fn json_of(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => node.as_bool().into(),
        Kind::Number => node.as_i64().map_or_else(|| node.as_f64().into(), Value::from),
        Kind::String => node.text().into(),
        Kind::Sequence => node.items().map(json_of).collect(),
        Kind::Mapping => node.entries().map(|(key, node)| (key.into_owned(), json_of(node))).collect(),
    }
}

fn print(list: &Value, form: Form) -> String {
    let (version, kind) = (list["apiVersion"].as_str().unwrap(), list["kind"].as_str().unwrap());
    let items = list["items"].as_array().unwrap().iter();
    match form {
        Form::Json => list.to_string(),
        Form::Block => {
            let items: String = items.map(list_item).collect();
            format!("apiVersion: {version}\nitems:\n{items}kind: {kind}\n")
        }
        Form::Flow => {
            let items: String = items.map(|item| format!("- {item}\n")).collect();
            format!("apiVersion: {version}\nitems:\n{items}kind: {kind}\n")
        }
    }
}

/// Paths of all values without parts.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let is_kind = |key: &str| (key == "kind" || key == "apiVersion") && path.matches('/').count() == 2;
            for (key, field) in fields.iter().filter(|(key, _)| !is_kind(key)) {
                leaves(field, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| leaves(item, &format!("{path}/{at}"), found));
        }
        Value::Null => {}
        _ => found.push(path.to_owned()),
    }
}

/// Chooses values to hide: one, some, many, or all of one field.
fn choose(leaves: &[Leaf], random: &mut Random) -> Vec<Leaf> {
    const COUNTS: [u64; 5] = [1, 4, 30, 300, 1500];
    let one = &leaves[random.below(leaves.len() as u64) as usize];
    let way = random.below(COUNTS.len() as u64 + 1) as usize;
    match COUNTS.get(way) {
        Some(&count) => (0..count).map(|_| leaves[random.below(leaves.len() as u64) as usize].clone()).collect(),
        None => leaves.iter().filter(|leaf| leaf.field() == one.field()).cloned().collect(),
    }
}

/// Answer of each rule, with its reason.
fn answers(analysis: &Analysis) -> BTreeMap<&str, (&'static str, String)> {
    let rules = &analysis.rules;
    let all = [
        ("clean where collected", &rules.clean_partly),
        ("not evaluated", &rules.not_evaluated),
        ("not applicable", &rules.not_applicable),
    ];
    let plain = [("fired", &rules.fired), ("clean", &rules.clean)];
    let decided = plain.iter().flat_map(|(answer, ids)| ids.iter().map(|id| (id.as_str(), (*answer, String::new()))));
    let open = all
        .iter()
        .flat_map(|(answer, reasons)| reasons.iter().map(|of| (of.rule.as_str(), (*answer, of.reason.to_string()))));
    decided.chain(open).collect()
}

/// A rule that answers otherwise than hidden values allow.
struct Wrong {
    rule: String,
    /// Both answers.
    answers: String,
    reasons: [String; 2],
}

fn wrong(before: &Analysis, after: &Analysis) -> Vec<Wrong> {
    let after = answers(after);
    let changed = answers(before).into_iter().filter_map(|(rule, (before, why))| {
        let (after, why_after) = after.get(rule).cloned().unwrap_or(("missing", String::new()));
        let changed =
            || Wrong { rule: rule.to_owned(), answers: format!("{before} -> {after}"), reasons: [why, why_after] };
        (!is_open(before, after)).then(changed)
    });
    changed.collect()
}

/// Returns fewer values that are wrong in the same way, by leaving out halves, quarters and so on while that works.
fn fewest(mut hidden: Vec<Leaf>, is_wrong: impl Fn(&[Leaf]) -> bool) -> Vec<Leaf> {
    let (mut size, mut runs) = (hidden.len().div_ceil(2), 0);
    while hidden.len() > 1 {
        let parts = (0..hidden.len()).step_by(size);
        let without = parts.map(|at| {
            let mut rest = hidden.clone();
            rest.drain(at..(at + size).min(hidden.len()));
            rest
        });
        let mut fewer = without.into_iter().filter(|rest| !rest.is_empty());
        let wrong = fewer.find(|rest| {
            runs += 1;
            runs <= RUNS && is_wrong(rest)
        });
        if runs > RUNS {
            break;
        }
        match wrong {
            Some(rest) => {
                hidden = rest;
                size = size.min(hidden.len().div_ceil(2));
            }
            None if size == 1 => break,
            None => size = size.div_ceil(2),
        }
    }
    hidden
}

/// What hiding values in a bundle does wrong, with the fewest values for the first rule.
fn try_bundle(bundle: &Masked, set: &RuleSet, form: Form, tries: u64) -> Vec<String> {
    let before = bundle.analyze(set, form);
    let leaves = bundle.leaves();
    let mut random = Random::of(&format!("{} {form:?}", bundle.name));
    let mut found = Vec::new();
    for _ in 0..tries {
        let (hidden, mask) = (choose(&leaves, &mut random), random.mask());
        let after = |hidden: &[Leaf]| {
            let mut masked = bundle.clone();
            hidden.iter().for_each(|leaf| masked.hide(leaf, mask));
            wrong(&before, &masked.analyze(set, form))
        };
        let all = after(&hidden);
        let Some(first) = all.first() else { continue };
        let is_same = |other: &Wrong| (&other.rule, &other.answers) == (&first.rule, &first.answers);
        let hidden = fewest(hidden, |hidden| after(hidden).iter().any(is_same));
        let places: Vec<String> = hidden.iter().map(|leaf| format!("{} {}", leaf.file, leaf.place)).collect();
        let (Wrong { rule, answers, reasons }, others) = (first, all.len() - 1);
        let what = format!("{rule}: {answers} {reasons:?} and {others} others");
        found.push(format!("{} {form:?}: {what}, by {mask} at {places:?}", bundle.name));
        break;
    }
    found
}

#[test]
fn hidden_values_of_a_generated_bundle_only_leave_questions_open() {
    let rules = load::embedded();
    let streams = Streams::parse(rules.streams).unwrap();
    let set = crate::rule::compile(rules.sources, &streams).unwrap();
    let tries = std::env::var(MORE).ok().and_then(|tries| tries.parse().ok()).unwrap_or(TRIES);
    let busy = Masked::generated(Scenario::BusyHealthy, 3, 6);
    let bundles = [
        (busy.as_tables(&streams), Form::Block),
        (busy, Form::Block),
        (Masked::generated(Scenario::Healthy, 1, 1), Form::Flow),
        (Masked::generated(Scenario::OrphansBehindWebhook, 1, 5), Form::Json),
        (Masked::generated(Scenario::HookDeletedConfigMap, 1, 4), Form::Flow),
        (Masked::generated(Scenario::StaleManagedChart, 1, 2), Form::Block),
    ];
    let wrong: Vec<String> =
        bundles.par_iter().flat_map_iter(|(bundle, form)| try_bundle(bundle, &set, *form, tries)).collect();
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
