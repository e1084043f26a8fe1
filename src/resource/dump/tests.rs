//! Tests of lists in every shape, and of messages in their place.

use super::reader::answer;
use std::sync::Arc;

use super::objects::FoundObject;
use super::objects::MAX_ISSUES;
use super::*;
use crate::model::message::Answer;
use crate::resource::index::testing::place;
use crate::yaml;

fn read(path: &str, text: &str) -> DumpObjects {
    let (document, problems) = yaml::parse(text.as_bytes().to_vec());
    read_objects(path.into(), place(path).as_ref(), &Arc::new(document)).with_problems(&problems)
}

fn shown(objects: &DumpObjects) -> Vec<String> {
    let line = |f: &FoundObject| format!("{} {} {}", f.resource.version, f.resource.plural, f.resource.object());
    objects.found.iter().map(line).collect()
}

fn messages(objects: &DumpObjects) -> Vec<String> {
    objects.issues.iter().map(|i| i.message.to_string()).collect()
}

const PODS: &str = "yamls/namespaced/demo/v1/pods.yaml";

#[test]
fn every_shape_of_a_list_gives_the_same_objects() {
    let own = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: demo}}";
    let bare = "{metadata: {name: a}}";
    let shapes = [
        format!("apiVersion: v1\nitems:\n- {own}\nkind: List\n"),
        format!("apiVersion: v1\nkind: PodList\nitems:\n- {bare}\n"),
        format!("metadata: {{}}\nitems:\n- {bare}\n"),
        format!("- {own}\n"),
        own.to_owned(),
        format!("# nothing\n---\n---\n{own}\n---\n"),
        format!("kind: List\nitems:\n- kind: PodList\n  apiVersion: v1\n  items: [{bare}]\n"),
    ];
    for text in shapes {
        let objects = read(PODS, &text);
        assert_eq!(shown(&objects), ["v1 pods Pod/demo/a"], "{text}");
        assert_eq!((objects.issues.len(), objects.incomplete), (0, false), "{text}");
    }
}

/// What looks whole and is not: of none it is known which objects it lacks.
#[test]
fn a_list_that_lacks_a_part_is_incomplete() {
    let own = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: demo}}";
    let rows = [
        (format!("apiVersion: v1\nitems:\n- {own}\n"), "further objects may be missing"),
        (
            format!("apiVersion: v1\nitems:\n- {own}\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    na"),
            "the last object, which may be cut, is left out",
        ),
        (
            format!("items:\n- {own}\n- {{apiVersion: v1, kind: Pod, metadata: {{labels: {{}}}}}}\nkind: List\n"),
            "without metadata.name",
        ),
        (format!("items:\n- {own}\n- {{metadata: {{labels: {{}}}}}}\nkind: List\n"), "without metadata.name"),
        (format!("items:\n- {own}\n-\nkind: List\n"), "text in place of an object: "),
        (
            format!("items:\n- {own}\nkind: List\nerror: unable to retrieve the complete list of server APIs\n"),
            "error: unable",
        ),
        (format!("items:\n- {own}\nkind: List\nError from server (Timeout): the list is cut\n"), "Error from server"),
        (format!("items:\n- {own}\nkind: List\nitems: []\n"), "given twice"),
        (format!("Items:\n- {own}\nkind: PodList\n"), "a list without `items`"),
        (format!("items:\n- {own}\nkind: List\nmetadata: {{continue: abc}}\n"), "goes on elsewhere"),
        (format!("items:\n- {own}\nkind: List\nmetadata: {{remainingItemCount: 5}}\n"), "goes on elsewhere"),
        (own.replace("namespace: demo}", "namespace: demo}, status: {phase: Failed}, status: {}"), "given twice"),
    ];
    for (text, part) in rows {
        let objects = read(PODS, &text);
        let told = messages(&objects);
        assert!(objects.incomplete && told.iter().any(|message| message.contains(part)), "{text}\n{told:?}");
    }
}

#[test]
fn lists_without_items_are_empty_not_broken() {
    for text in ["kind: List\nitems: []\n", "kind: PodList\nitems: null\n", "kind: List\n"] {
        let objects = read(PODS, text);
        assert!(objects.is_empty() && objects.listed && !objects.incomplete, "{text}");
    }
}

#[test]
fn paths_and_tables_supply_what_objects_do_not_say() {
    let metrics = read("yamls/cluster/metrics.k8s.io/v1beta1/nodes.yaml", "items: [{metadata: {name: n}}]");
    assert_eq!(shown(&metrics), ["v1beta1 nodes NodeMetrics.metrics.k8s.io/n"]);
    let widgets =
        read("yamls/namespaced/x/example.org/v1/mice.yaml", "kind: MouseList\nitems: [{metadata: {name: m}}]");
    assert_eq!(shown(&widgets), ["v1 mice Mouse.example.org/x/m"]);
    let nowhere = read("free.yaml", "kind: deployment\nmetadata: {name: d, namespace: x}\n");
    assert_eq!(shown(&nowhere), [" deployments Deployment.apps/x/d"]);
    let cluster = read("free.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n, namespace: default}\n");
    assert_eq!(shown(&cluster), ["v1 nodes Node/n"]);
}

#[test]
fn an_error_in_place_of_a_list_is_an_issue() {
    let cases = [
        (
            "kind: Table\ncolumnDefinitions: []\nrows: []\n",
            "a table whose type neither its path nor its columns tell; not read",
        ),
        ("No resources found\n", "text in place of an object: No resources found"),
        ("kind: List\nitems: 5\n", "items of a list are no sequence"),
        ("", "holds no document"),
    ];
    for (text, message) in cases {
        let objects = read(PODS, text);
        assert_eq!(messages(&objects), [message]);
        assert!(objects.incomplete, "{text}");
    }
}

#[test]
fn answers_of_the_api_server_are_the_reason() {
    let failure = "kind: Status\nstatus: Failure\nmessage: etcd is down\n";
    for (more, wanted) in [("", "etcd is down"), ("reason: Timeout\ncode: 504\n", "etcd is down (Timeout, 504)")] {
        let objects = read(PODS, &format!("{failure}{more}"));
        let answer = Answer::Error { error: wanted.to_owned() };
        assert_eq!((objects.answer.as_ref(), objects.incomplete), (Some(&answer), true));
        assert_eq!(objects.issues, []);
        let wanted = format!("the API server answered with an error: {wanted}");
        assert_eq!(messages(&read("free.yaml", &format!("{failure}{more}"))), [wanted]);
    }
    let done = "kind: Status\nstatus: Success\n";
    assert!(read(PODS, done).incomplete && !read("free.yaml", done).incomplete);
    assert_eq!(answer(yaml::parse(b"kind: Status".to_vec()).0.roots().next().unwrap()), "no reason given");
}

#[test]
fn objects_without_identity_are_left_out() {
    let objects = read("free.yaml", "- {metadata: {name: a}}\n- {kind: Pod}\n- {kind: Pod, metadata: {name: ''}}\n");
    let expected = [
        "an object without kind, left out",
        "a Pod without metadata.name, left out",
        "a Pod without metadata.name, left out",
    ];
    assert_eq!(messages(&objects), expected);
    assert_eq!(objects.issues[1].origin.as_ref().and_then(|o| o.line), Some(2));
}

#[test]
fn issues_and_nesting_are_bounded() {
    let many = read(PODS, &"- 1\n".repeat(500));
    assert_eq!(many.issues.len(), MAX_ISSUES + 1);
    assert_eq!(messages(&many)[MAX_ISSUES], "480 more of its objects could not be understood");
    let deep = read(PODS, &format!("{}{}", "[".repeat(20), "]".repeat(20)));
    assert_eq!(messages(&deep), ["lists within lists deeper than 4 are not read"]);
}

#[test]
fn damage_keeps_what_was_read_and_says_so() {
    let objects = read(PODS, "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: [\n");
    assert_eq!(shown(&objects), ["v1 pods Pod/demo/a"]);
    assert_eq!((objects.issues.len(), objects.incomplete), (1, true));
}
