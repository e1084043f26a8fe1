//! Virtual machines that are not well: the cause stands on top, and the story of the machine says what broke first.

use std::collections::BTreeMap;

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::pipeline::{self, Options as Run};
use gleaner::internals::rule::{Streams, compile, load};
use gleaner::model::inventory::Machine;
use gleaner_fixtures::{Broken, MemorySink, Options, Scenario, generate};
use serde_json::Value;

use crate::fixtures::BUSY;
use crate::harness::{analysis, summary, zip};

pub fn files(broken: Broken) -> Vec<(String, Vec<u8>)> {
    let mut sink = MemorySink::default();
    generate(&Options { seed: 7, scenario: Scenario::Machine(broken), ..BUSY }, &mut sink).unwrap();
    let files: BTreeMap<String, Vec<u8>> = sink.files;
    files.into_iter().collect()
}

fn found(broken: Broken) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle.zip");
    zip(&bundle, "bundle", &files(broken));
    analysis(&bundle, &[])
}

fn machine(broken: Broken) -> Machine {
    let rules = load::embedded();
    let streams = Streams::parse(rules.streams).unwrap();
    let rules = compile(rules.sources, &streams).unwrap();
    let bundle = Bundle::from_memory("bundle", files(broken), Limits::default());
    let found = pipeline::analyze(&bundle, &rules, Run { inventory: true, ..Run::default() }, &());
    let machines = found.inventory.unwrap().machines.items;
    machines.into_iter().find(|machine| machine.name == "ledger-db").unwrap()
}

/// Cause of each story, and the kind of what broke first.
const STORIES: [(Broken, &str, &str); 5] = [
    (Broken::Disk, "longhorn-disk-no-disk-info", "Disk"),
    (Broken::Node, "precheck-node-not-ready", "Node"),
    (Broken::Memory, "harvester-vm-oom-killed-cgroup", "Pod"),
    (Broken::Target, "harvester-vm-migration-failed", ""),
    (Broken::Image, "longhorn-backing-image-failed", "BackingImage"),
];

#[test]
fn the_cause_of_a_machine_that_is_not_well_explains_the_rest() {
    for (broken, cause, _) in STORIES {
        let found = found(broken);
        let faults = found["findings"].as_array().unwrap().iter().filter(|finding| finding["class"] == "fault");
        assert!(faults.clone().count() > 0, "{broken:?}");
        let story = summary(&found);
        assert!(story[0].starts_with(&format!("{cause} ")), "{broken:?}: {story:#?}");
        let open = faults.filter(|finding| finding["explained_by"].is_null() && finding["rule"] != cause);
        assert_eq!(open.count(), 0, "{broken:?}: {story:#?}");
        let unhealthy = found["unhealthy"]["objects"].as_array().unwrap();
        assert!(unhealthy.is_empty(), "{broken:?}: the finding is about these, too: {unhealthy:#?}");
    }
}

#[test]
fn the_story_of_a_machine_says_what_broke_first() {
    for (broken, _, first) in STORIES {
        let machine = machine(broken);
        let links: Vec<_> = machine.story.iter().map(|link| (link.kind(), link.broken, link.since)).collect();
        let kind = machine.broke_first().map_or("", |at| machine.story[at].kind());
        assert_eq!(kind, first, "{broken:?}: {links:#?}");
    }
    let chain = [
        "VirtualMachine",
        "VirtualMachineInstance",
        "Pod",
        "PersistentVolumeClaim",
        "Volume",
        "Engine",
        "Replica",
        "Disk",
        "Node",
    ];
    let machine = machine(Broken::Disk);
    let kinds: Vec<_> = machine.story.iter().map(|link| link.kind()).collect();
    assert_eq!(kinds, chain, "from the machine to its disk and node");
}
