//! Which fields objects have: collected from rule tests and from the synthetic bundles.

use gleaner_fixtures::{Layout, MemorySink, Options, Scenario, generate};
use serde_json::Value;

use super::case::TestSource;
use crate::rule::{Knowledge, Source};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Kind, Node};

/// Fields that the API defines and that clusters as small as the samples do not show.
const API: &str = include_str!("known.yaml");

/// Small, but with an object of every kind that the generator knows.
const SAMPLE: Options =
    Options { layout: Layout::Harvester, nodes: 1, objects: 0, log_bytes: 0, seed: 1, scenario: Scenario::Healthy };

/// What the API defines, and what the objects of rule tests and of the synthetic bundles have; tests that cannot be read show nothing.
pub fn knowledge(tests: &[Source]) -> Knowledge {
    let mut known = Knowledge::default();
    let (api, _) = yaml::parse(API.as_bytes().to_vec());
    api.roots().flat_map(Node::items).for_each(|object| known.learn(&json(object), false));
    for (_, scenario) in Scenario::ALL {
        sample(&mut known, Options { scenario, ..SAMPLE });
    }
    for case in tests.iter().filter_map(|test| TestSource::parse(test).ok()?.cases().ok()).flatten() {
        case.objects.iter().for_each(|object| known.learn(object, false));
    }
    known
}

fn sample(known: &mut Knowledge, options: Options) {
    let mut sink = MemorySink::default();
    // Memory takes everything; the generator's own tests show that these options can be met.
    let _ = generate(&options, &mut sink);
    for (_, text) in sink.files.into_iter().filter(|(path, _)| path.starts_with("yamls/")) {
        let (mut document, _) = yaml::parse(text);
        normalise(&mut document, Dialect::Kit);
        for object in document.roots().filter_map(|root| root.get("items")).flat_map(Node::items) {
            known.learn(&json(object), true);
        }
    }
}

/// A node as a value. Recursion ends: documents nest at most [`yaml::tape::MAX_DEPTH`] deep.
pub fn json(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => node.as_bool().into(),
        Kind::Number => node.as_i64().map_or_else(|| node.as_f64().into(), Value::from),
        Kind::String => node.text().into(),
        Kind::Sequence => node.items().map(json).collect(),
        Kind::Mapping => node.entries().map(|(key, value)| (key.into_owned(), json(value))).collect(),
    }
}
