//! Bundles that exceed their memory limit.

use super::*;
use crate::bundle::Limits;
use crate::model::IssueKind;
use crate::model::message::Reason;
use crate::resource::{Collected, TypeName};

fn index(limits: Limits) -> (crate::resource::ResourceIndex, Vec<Issue>) {
    let dump = |kind: &str, name: &str| {
        let item = format!("- {{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}}}");
        format!("apiVersion: v1\nkind: List\nitems:\n{item}\n")
    };
    let files = vec![
        ("yamls/cluster/v1/nodes.yaml".to_owned(), dump("Node", "n1").into_bytes()),
        ("yamls/cluster/v1/persistentvolumes.yaml".to_owned(), dump("PersistentVolume", &"x".repeat(300)).into_bytes()),
    ];
    read_all(files, limits)
}

fn read_all(files: Vec<(String, Vec<u8>)>, limits: Limits) -> (crate::resource::ResourceIndex, Vec<Issue>) {
    let bundle = Bundle::from_memory("demo", files, limits);
    let pass = ingest(
        &bundle,
        &RuleSet::default(),
        (&PatternSet::default(), Clock::default()),
        &PodNames::default(),
        &Sections::default(),
        &(),
    );
    let (index, more) = pass.harvest.builder.finish();
    (index, [pass.issues, more].concat())
}

fn unreadable() -> Collected {
    Collected::No(Reason::EntryUnreadable { entry: "yamls/cluster/v1/persistentvolumes.yaml".to_owned() })
}

fn told(limits: Limits) -> (Collected, Collected, Vec<(IssueKind, String)>) {
    let (index, issues) = index(limits);
    let collected = |name: &str| index.collected(&TypeName::parse(name), None);
    let issues = issues.into_iter().map(|issue| (issue.kind, issue.message.to_string())).collect();
    (collected("nodes"), collected("persistentvolumes"), issues)
}

#[test]
fn a_dump_that_is_too_large_is_not_read_and_counts_as_not_collected() {
    assert_eq!(told(Limits::default()), (Collected::Yes, Collected::Yes, Vec::new()));
    let (nodes, volumes, issues) = told(Limits { max_dump: 200, ..Limits::default() });
    assert_eq!(nodes, Collected::Yes);
    assert_eq!(volumes, unreadable());
    let message =
        "larger than 200 bytes, which is more than a dump may have (--max-dump); not read, so allow more or collect \
                   it by namespace"
            .to_owned();
    assert_eq!(issues, [(IssueKind::Limit, message)]);
}

#[test]
fn dumps_share_the_memory_and_the_largest_is_left_out() {
    let (nodes, volumes, issues) = told(Limits { max_memory: 12 << 10, ..Limits::default() });
    assert_eq!(nodes, Collected::Yes);
    assert_eq!(volumes, unreadable());
    assert_eq!(issues.len(), 1, "{issues:?}");
    assert_eq!(issues[0].0, IssueKind::Limit);
    assert!(issues[0].1.starts_with("not read: dumps and the files that rules ask for may take"), "{issues:?}");
}

#[test]
fn memory_that_others_leave_goes_to_dense_dumps() {
    let sparse = format!("items:\n- kind: Node\n  metadata: {{name: a, note: {}}}\n", "x".repeat(60 << 10));
    let dense: String = (0..40).map(|n| format!("- {{kind: PersistentVolume, metadata: {{name: a{n}}}}}\n")).collect();
    let files = |sparse: &str| {
        let dense = ("yamls/cluster/v1/persistentvolumes.yaml".to_owned(), dense.clone().into_bytes());
        let sparse = ("yamls/cluster/v1/nodes.yaml".to_owned(), sparse.as_bytes().to_vec());
        vec![dense, sparse]
    };
    let limits = |memory| Limits { max_memory: memory, ..Limits::default() };
    let (index, issues) = read_all(files(&sparse), limits(180 << 10));
    assert_eq!((index.len(), issues), (41, Vec::new()));
    // Without the other dump, the memory is as small as its first share.
    let (index, issues) = read_all(vec![files(&sparse).swap_remove(0)], limits(13 << 10));
    assert!(index.len() < 40 && issues.len() == 1, "{issues:?}");
}

#[test]
fn a_dump_of_more_objects_than_its_share_is_incomplete() {
    let item = |n: usize| format!("- {{kind: PersistentVolume, metadata: {{name: a{n}}}}}\n");
    let items: String = (0..100).map(item).collect();
    let files = vec![("yamls/cluster/v1/persistentvolumes.yaml".to_owned(), items.into_bytes())];
    let (index, issues) = read_all(files, Limits { max_memory: 24 << 10, ..Limits::default() });
    let volumes = index.collected(&TypeName::parse("persistentvolumes"), None);
    assert!(matches!(&volumes, Collected::No(_)), "{volumes:?}");
    assert!(
        issues.len() == 1 && issues[0].message.to_string().contains("more objects than there is memory"),
        "{issues:?}"
    );
}

#[test]
fn a_dump_beyond_the_budget_counts_as_not_collected() {
    let (nodes, volumes, _) = told(Limits { max_bytes: 200, ..Limits::default() });
    assert_eq!(nodes, Collected::Yes);
    assert_eq!(volumes, unreadable());
}
