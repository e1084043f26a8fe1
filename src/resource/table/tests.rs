//! Tests of whole tables: their objects, the fields of these, and the messages for lines that are not rows.

use jiff::Timestamp;

use super::*;
use crate::model::message::Answer;
use crate::model::message::Reason;
use crate::resource::index::testing::Bundle;
use crate::resource::{Collected, ResourceIndex};

const PODS: &str = "\
NAMESPACE   NAME    READY   STATUS             RESTARTS      AGE    IP          NODE     NOMINATED NODE   READINESS GATES
demo        web-0   1/1     Running            0             7d3h   10.42.0.7   n1       <none>           <none>
demo        web-1   0/1     CrashLoopBackOff   12 (5m ago)   2h     <none>      <none>   <none>           <none>
";

fn now() -> Timestamp {
    "2024-03-08T12:00:00Z".parse().unwrap()
}

fn read(word: &str, text: &str) -> DumpObjects {
    read_table(format!("rke2/kubectl/{word}").into(), word, text.as_bytes().to_vec(), Some(now()), u64::MAX)
}

fn index(tables: &[(&str, &str)]) -> ResourceIndex {
    let mut builder = crate::resource::IndexBuilder::default();
    builder.empties(crate::resource::Empties::Kept);
    tables.iter().for_each(|(word, text)| builder.add(read(word, text)));
    let (index, issues) = builder.finish();
    assert_eq!(issues, []);
    index
}

/// Returns the object of the only row as text.
fn body(word: &str, text: &str) -> String {
    let objects = read(word, text);
    assert_eq!((objects.len(), &objects.issues), (1, &vec![]), "{word}");
    format!("{:?}", objects.found[0].resource.body())
}

#[test]
fn a_row_is_an_object_with_what_it_states() {
    let index = index(&[("pods", PODS)]);
    let pod = |name| index.resource(index.get(&TypeName::parse("pods"), Some("demo"), name).unwrap());
    let running = pod("web-0");
    assert!(running.partial);
    assert_eq!(running.object().to_string(), "Pod/demo/web-0");
    assert_eq!(
        format!("{:?}", running.body()),
        "{\"metadata\": {\"deletionTimestamp\": null, \
         \"name\": \"web-0\", \"namespace\": \"demo\"}, \"spec\": {\"nodeName\": \"n1\"}, \
         \"status\": {\"nominatedNodeName\": null, \"phase\": \"Running\", \"podIP\": \"10.42.0.7\"}}"
    );
    let looping = pod("web-1").body();
    assert!(looping.path(&["status", "phase"]).is_none(), "STATUS is not the phase");
    assert!(looping.path(&["spec", "nodeName"]).unwrap().is_null(), "it has none for sure");
}

#[test]
fn cells_are_kept_as_printed_and_in_order() {
    let objects = read("pods", PODS);
    let pod = &objects.found[1].resource;
    let cells: Vec<_> = pod.cells().unwrap().entries().map(|(name, cell)| format!("{name}={}", cell.text())).collect();
    assert_eq!(cells[2..6], ["READY=0/1", "STATUS=CrashLoopBackOff", "RESTARTS=12 (5m ago)", "AGE=2h"]);
    let cell = pod.cells().unwrap().get("STATUS").unwrap();
    assert_eq!(pod.document.excerpt(cell, 0)[0].line, 3);
    assert_eq!(pod.root_of(cell).index(), pod.cells().unwrap().index());
    assert_eq!(pod.root_of(pod.body().get("status").unwrap()).index(), pod.node);
}

#[test]
fn fields_of_other_types() {
    let service = "NAMESPACE   NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   SELECTOR\n\
                   demo        web    ClusterIP   10.43.0.1    <none>        80/TCP    3d    app=web,tier=front\n";
    let shown = body("services", service);
    assert!(shown.contains("\"selector\": {\"app\": \"web\", \"tier\": \"front\"}"), "{shown}");
    let deployment = "NAMESPACE   NAME   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES        SELECTOR\n\
                      demo        web    0/2     2            0           3d    a,b          r.io/a:1,b    app in (x)\n";
    let shown = body("deployments", deployment);
    assert!(shown.contains("\"replicas\": 2") && shown.contains("\"readyReplicas\": null"), "{shown}");
    assert!(shown.contains("{\"image\": \"r.io/a:1\", \"name\": \"a\"}"), "{shown}");
    assert!(!shown.contains("matchLabels"), "{shown}");
    let cron = "NAMESPACE   NAME   SCHEDULE    SUSPEND   CONTAINERS   IMAGES\n\
                demo        tick   0 * * * *   False     a            r.io/a:1\n";
    let shown = body("cronjobs", cron);
    assert!(
        shown.contains("\"jobTemplate\": {\"spec\": {\"template\": {\"spec\": {\"containers\": [{\"image\""),
        "{shown}"
    );
    let definition = "NAME                  CREATED AT\nvolumes.longhorn.io   2024-01-01T00:00:00Z\n";
    let shown = body("crds", definition);
    assert!(shown.contains("\"group\": \"longhorn.io\", \"names\": {\"plural\": \"volumes\"}"), "{shown}");
    let claim = "NAMESPACE   NAME   STATUS        VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE   VOLUMEMODE\n\
                 demo        data   Terminating   pvc-1    1Gi        RWO            longhorn       3d    Filesystem\n";
    let shown = body("pvc", claim);
    assert!(!shown.contains("phase") && shown.contains("\"volumeName\": \"pvc-1\""), "{shown}");
}

#[test]
fn events_are_those_of_their_objects() {
    let text = "NAMESPACE   LAST SEEN          TYPE      REASON    OBJECT      SUBOBJECT   SOURCE        MESSAGE             FIRST SEEN   COUNT   NAME\n\
                demo        12m (x5 over 1h)   Warning   BackOff   pod/web-0               kubelet, n1   Back-off  restart   1h           5       web-0.17a\n";
    let index = index(&[("events", text)]);
    let event = &index.events()[0];
    assert_eq!(event.object.to_string(), "Pod/demo/web-0");
    assert_eq!((event.message.as_str(), event.count), ("Back-off  restart", 5));
    assert_eq!(event.last.unwrap().to_string(), "2024-03-08T11:48:00Z");
    assert_eq!(event.host.as_deref(), Some("n1"));
}

#[test]
fn events_that_kubectl_does_not_name_get_a_name() {
    let head = "NAMESPACE   LAST SEEN         TYPE      REASON        OBJECT      MESSAGE\n";
    let row = "demo        5m (x9 over 2h)   Warning   FailedMount   pod/web-0   timed out\n";
    let other = "demo        3m                Normal    Pulled        Pod/web-0   done\n";
    let objects = read("events", &format!("{head}{row}{other}{row}"));
    let names: Vec<&str> = objects.found.iter().map(|found| &*found.resource.name).collect();
    let [first, second, again] = names.as_slice() else { panic!("{names:?}") };
    assert!(first.starts_with("web-0.") && second.starts_with("web-0.") && first != second, "{names:?}");
    assert_eq!(*again, format!("{first}.2"));
    assert!(objects.issues.is_empty(), "{:?}", objects.issues);
    let index = index(&[("events", &format!("{head}{row}")), ("events", &format!("{head}{other}{row}"))]);
    let events: Vec<_> = index.events().iter().map(|event| (event.object.to_string(), event.count)).collect();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events.contains(&("Pod/demo/web-0".to_owned(), 9)), "{events:?}");
    let mounts = index.events().iter().find(|event| event.count == 9).unwrap();
    assert_eq!(mounts.first.unwrap().to_string(), "2024-03-08T10:00:00Z");
}

#[test]
fn several_tables_and_words_around_them() {
    let text = "Warning: v1 ComponentStatus is deprecated in v1.19+\n\x1b[2J\x1b[HNAMESPACE   NAME   AGE\ndemo        a      3d\n\
                NAMESPACE     NAME   AGE\nlonger-name   b      3d\nI0806 22:51:41.2  7 request.go:668] Waited for 1.1s\n";
    let objects = read("configmaps", text);
    let names: Vec<_> = objects.found.iter().map(|f| f.resource.object().to_string()).collect();
    assert_eq!(names, ["ConfigMap/demo/a", "ConfigMap/longer-name/b"]);
    assert_eq!((objects.incomplete, objects.issues), (false, vec![]));
}

#[test]
fn types_that_kubectl_answered_are_collected() {
    let answer = "error: the server doesn't have a resource type \"helmcharts\"\n";
    let cut = format!("{PODS}Error from server (Timeout): the server was unable to return a response\n");
    let index = index(&[("pods", PODS), ("pvc", "No resources found\n"), ("helmcharts", answer)]);
    let asked = |name: &str, namespace| index.collected(&TypeName::parse(name), namespace);
    assert_eq!(asked("pods", None), Collected::Yes);
    assert_eq!(asked("pods", Some("shop")), Collected::Yes);
    assert_eq!(asked("persistentvolumeclaims", Some("demo")), Collected::Empty);
    let why = |answer| match answer {
        Collected::No(why) => why.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(why(asked("services", Some("demo"))), "services of namespace demo were not collected");
    assert_eq!(why(asked("persistentvolumes", None)), "persistentvolumes were not collected");
    assert_eq!(why(asked("secrets", None)), "secrets were not collected");
    let charts = why(asked("helmcharts.helm.cattle.io", None));
    assert!(charts.contains("(rke2/kubectl/helmcharts: error: the server doesn't have"), "{charts}");
    assert_eq!(
        read("pods", &cut).answer,
        Some(Answer::beginning("Error from server (Timeout): the server was unable to return a response"))
    );
    assert_eq!(read("pods", &cut).len(), 2);
}

#[test]
fn releases_are_not_in_tables() {
    let maps = "NAMESPACE     NAME   DATA   AGE\nkube-system   a.v1   1      3d\n";
    let apps = "NAMESPACE   NAME   CHART\ndemo        a      a-1.0\n";
    let index = index(&[("configmaps", maps), ("apps", apps)]);
    let answer = index.collected(&types::helm_releases(), None);
    assert_eq!(answer, Collected::No(Reason::HelmRecordsNotInTables { types: "configmaps".to_owned() }));
    assert!(index.of_type(&types::helm_releases()).is_empty());
}

#[test]
fn a_dump_is_better_than_a_row() {
    let mut builder = crate::resource::IndexBuilder::default();
    builder.add(read("nodes", "NAME   STATUS   ROLES    AGE\nn1     Ready    <none>   3d\n"));
    let dumped = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {a: b}}\n";
    let (document, _) = yaml::parse(dumped.as_bytes().to_vec());
    builder.add_document("nodes.json".into(), &Arc::new(document));
    let (index, _) = builder.finish();
    let nodes = index.of_type(&TypeName::parse("nodes"));
    assert_eq!(nodes.len(), 1);
    assert!(!index.resource(nodes[0]).partial);
}

#[test]
fn lines_that_are_no_rows_are_reported() {
    let told = |text: &str| {
        let objects = read("pods", text);
        let lines: Vec<_> =
            objects.issues.iter().map(|i| (i.origin.as_ref().unwrap().line, i.message.to_string())).collect();
        assert!(objects.incomplete, "{text}");
        lines
    };
    assert_eq!(told(""), [(None, "holds no table of kubectl".to_owned())]);
    let strange = "some words\nNAMESPACE   NAME   AGE\nand more words\ndemo               3d\n            web    3d\n";
    let lines: Vec<_> = told(strange).into_iter().map(|(line, why)| (line.unwrap_or(0), why)).collect();
    assert_eq!(
        lines,
        [
            (1, "a line in front of the table that is no message of kubectl".to_owned()),
            (3, "a line that does not fit the columns of the table".to_owned()),
            (4, "a row without a name".to_owned()),
            (5, "a row without a namespace".to_owned()),
        ]
    );
    let many = format!("NAMESPACE   NAME   AGE\n{}", "x\n".repeat(10_000));
    assert_eq!(read("pods", &many).issues.len(), MAX_ISSUES);
}

#[test]
fn cells_with_blanks_are_no_names() {
    let table = "NAME       AGE\nn1         3d\nlost (n2   3d\nn\t3        3d\n           3d\n";
    assert_eq!(names(table).collect::<Vec<_>>(), [(None, "n1")]);
    let objects = read("nodes", table);
    let found: Vec<&str> = objects.found.iter().map(|found| &*found.resource.name).collect();
    assert_eq!((found, objects.issues.len()), (vec!["n1"], 3));
}

#[test]
fn without_a_time_of_collection_events_have_none() {
    let text = "NAMESPACE   LAST SEEN   OBJECT      NAME\ndemo        12m         pod/web-0   web-0.17a\n";
    let last = |now| {
        let objects = read_table("t".into(), "events", text.as_bytes().to_vec(), now, u64::MAX);
        objects.found[0].resource.body().get("lastTimestamp").map(|time| time.text().to_owned())
    };
    assert_eq!(last(None), None);
    assert_eq!(last(Some(now())).as_deref(), Some("2024-03-08T11:48:00Z"));
}

#[test]
fn served_types_are_defined_by_their_list() {
    let text = "NAME      SHORTNAMES   APIVERSION            NAMESPACED   KIND\n\
                volumes   lhv          longhorn.io/v1beta2   true         Volume\n\
                nodes     no           v1                    false        Node\n";
    let index = index(&[("api-resources", text)]);
    assert!(index.has_group("longhorn.io") && !index.has_group("harvesterhci.io"));
    assert!(Bundle::default().index().types().is_empty());
}
