//! Requests of clients and what they are answered.

use std::ops::ControlFlow;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use crate::bundle::{Bundle, Limits};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/// A bundle of support-bundle-kit, which writes absent values as `"null"` and whole numbers as floats.
fn files() -> Vec<(String, Vec<u8>)> {
    [
        ("metadata.yaml", "bundlename: bundle-a\nbundlecreatedat: \"2024-03-10T12:00:00Z\"\nkubernetesversion: v1.29.9+rke2r1\n"),
        (
            "yamls/cluster/v1/nodes.yaml",
            "apiVersion: v1\nkind: NodeList\nitems:\n- metadata:\n    name: n1\n    creationTimestamp: \"2024-03-10T10:00:00Z\"\n    deletionTimestamp: \"null\"\n    resourceVersion: \"42\"\n    labels:\n      node-role.kubernetes.io/master: \"null\"\n  status:\n    images:\n    - sizeBytes: 1.194914199e+09\n    volumesAttached:\n    - name: v\n      devicePath: \"null\"\n",
        ),
        (
            "yamls/cluster/v1/namespaces.yaml",
            "apiVersion: v1\nkind: NamespaceList\nitems:\n- metadata:\n    name: demo\n",
        ),
        (
            "yamls/namespaced/demo/v1/pods.yaml",
            "apiVersion: v1\nkind: PodList\nitems:\n- metadata:\n    name: a\n    namespace: demo\n    creationTimestamp: \"2024-03-10T10:00:00Z\"\n    labels:\n      app: web\n  spec:\n    nodeName: n1\n    containers:\n    - name: x\n- metadata:\n    name: b\n    namespace: demo\n    creationTimestamp: \"2024-03-10T11:00:00Z\"\n  spec:\n    nodeName: n2\n    containers:\n    - name: x\n",
        ),
        (
            "yamls/namespaced/demo/v1/secrets.yaml",
            "apiVersion: v1\nkind: SecretList\nitems:\n- metadata:\n    name: s\n    namespace: demo\n  data:\n    password: aHVudGVyMg==\n",
        ),
        ("yamls/namespaced/demo/events.k8s.io/v1/events.yaml", "apiVersion: events.k8s.io/v1\nkind: EventList\nitems:\n- metadata:\n    name: e\n    namespace: demo\n  regarding:\n    kind: Pod\n    name: a\n    namespace: demo\n  note: it failed\n  reason: Failed\n  type: Warning\n"),
        (
            "yamls/cluster/apiextensions.k8s.io/v1/customresourcedefinitions.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems:\n- metadata:\n    name: things.example.org\n  spec:\n    group: example.org\n    scope: Namespaced\n    names: {plural: things, kind: Thing, singular: thing, shortNames: [tg], categories: [all]}\n    versions:\n    - name: v1alpha1\n      storage: true\n      schema:\n        openAPIV3Schema:\n          type: object\n          properties: {spec: {type: object, description: what it is}}\n",
        ),
        (
            "yamls/namespaced/demo/example.org/v1alpha1/things.yaml",
            "apiVersion: example.org/v1alpha1\nkind: ThingList\nitems:\n- metadata:\n    name: t\n    namespace: demo\n  spec:\n    note: \"\"\n",
        ),
        (
            "logs/demo/a/x.log",
            "2024-03-10T11:58:00Z one\n2024-03-10T11:59:30Z two \u{1b}[31mred\n2024-03-10T11:59:50Z password=hunter2\n",
        ),
    ]
    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
    .to_vec()
}

fn asked(method: &str, target: &str, accept: &str) -> (u16, Value) {
    let bundle = Bundle::from_memory("demo", files(), Limits::default());
    let api = Api::read(&bundle, None);
    let request = Request::parse(method, target, accept, Vec::new()).unwrap();
    let response = api.answer(&request);
    let body = match response.body {
        Body::Whole(body) => serde_json::from_slice(&body).unwrap(),
        Body::Watch { events, hold } => {
            let lines = String::from_utf8(events).unwrap();
            let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            json!({"events": events, "hold": hold.map(|hold| hold.as_secs())})
        }
        Body::Log(log) => {
            let text = Mutex::new(Vec::new());
            api.write_log(&log, &|bytes| {
                text.lock().unwrap().extend(bytes);
                ControlFlow::Continue(())
            });
            String::from_utf8(text.into_inner().unwrap()).unwrap().into()
        }
    };
    (response.status, body)
}

fn get(target: &str) -> Value {
    let (status, body) = asked("GET", target, "");
    assert_eq!(status, 200, "{target}: {body}");
    body
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

#[test]
fn objects_are_listed_selected_and_paged() {
    for (query, wanted) in [
        ("", vec!["a", "b"]),
        ("?labelSelector=app%3Dweb", vec!["a"]),
        ("?labelSelector=!app", vec!["b"]),
        ("?fieldSelector=spec.nodeName%3Dn2", vec!["b"]),
        ("?fieldSelector=metadata.name%3Da,spec.nodeName!%3Dn2", vec!["a"]),
        ("?limit=1", vec!["a"]),
        ("?limit=1&continue=1", vec!["b"]),
        ("?limit=1&continue=99", vec![]),
    ] {
        assert_eq!(names(&get(&format!("/api/v1/pods{query}"))), wanted, "{query}");
    }
    let page = get("/api/v1/namespaces/demo/pods?limit=1");
    assert_eq!((&page["metadata"]["continue"], &page["metadata"]["remainingItemCount"]), (&json!("1"), &json!(1)));
    assert_eq!((&page["kind"], &page["items"][0]["kind"]), (&json!("PodList"), &json!("Pod")));
    assert_eq!(page["metadata"]["resourceVersion"], "42");
    assert_eq!(asked("GET", "/api/v1/pods?labelSelector=a%20b", "").0, 400);
    assert_eq!(get("/api/v1/namespaces/demo/pods/b")["spec"]["nodeName"], "n2");
}

#[test]
fn what_is_missing_says_why() {
    for (target, status, message) in [
        ("/api/v1/namespaces/demo/pods/c", 404, "pods \"c\" not found"),
        ("/api/v1/namespaces/other/pods", 404, "pods of namespace other were not collected"),
        ("/apis/apps/v9/deployments", 404, "could not find the requested resource"),
        ("/api/v1/pods/a", 404, "could not find the requested resource"),
        ("/api/v1/namespaces/demo/nodes/n1", 404, "could not find the requested resource"),
        ("/api/v1/namespaces/demo/pods/a/exec?command=sh", 405, "can only be read"),
        ("/nonsense", 404, "could not find the requested resource"),
    ] {
        let (found, body) = asked("GET", target, "");
        assert_eq!((found, &body["kind"]), (status, &json!("Status")), "{target}");
        assert!(body["message"].as_str().unwrap().contains(message), "{target}: {body}");
    }
    for method in ["POST", "PUT", "PATCH", "DELETE", "CONNECT"] {
        let (status, body) = asked(method, "/api/v1/namespaces/demo/pods/a", "");
        assert_eq!((status, &body["reason"]), (405, &json!("MethodNotAllowed")), "{method}");
    }
}

#[test]
fn typed_clients_can_read_every_value() {
    let node = &get("/api/v1/nodes/n1");
    assert_eq!(node["status"]["images"][0]["sizeBytes"], json!(1_194_914_199));
    assert!(node["metadata"].get("deletionTimestamp").is_none());
    assert_eq!(node["status"]["volumesAttached"][0]["devicePath"], "", "the Python client requires it");
    assert_eq!(node["metadata"]["labels"]["node-role.kubernetes.io/master"], "", "an empty label is one");
    // Base64 of the mask.
    assert_eq!(get("/api/v1/namespaces/demo/secrets/s")["data"]["password"], "Kioq");
    let event = &get("/api/v1/events?fieldSelector=involvedObject.name%3Da")["items"][0];
    assert_eq!((&event["apiVersion"], &event["message"]), (&json!("v1"), &json!("it failed")));
    assert_eq!(
        get("/apis/example.org/v1alpha1/namespaces/demo/things/t")["spec"]["note"],
        "",
        "no typed client reads it"
    );
}

#[test]
fn tables_have_the_columns_of_get() {
    let (_, table) = asked("GET", "/api/v1/namespaces/demo/pods?limit=1", TABLE);
    let columns = table["columnDefinitions"].as_array().unwrap();
    let of = |key: &str| columns.iter().map(|column| column[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("name")[..5], ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    assert_eq!(of("priority")[4..6], [0, 1]);
    assert_eq!(of("format")[..2], ["name", ""]);
    let row = &table["rows"][0];
    assert_eq!((&row["cells"][0], &row["cells"][4]), (&json!("a"), &json!("120m")), "ages are those of the collection");
    assert_eq!((&row["object"]["kind"], row["object"].get("spec")), (&json!("PartialObjectMetadata"), None));
    assert_eq!(table["metadata"]["continue"], "1");
    let (_, whole) = asked("GET", "/api/v1/namespaces/demo/pods/a?includeObject=Object", TABLE);
    assert_eq!(whole["rows"][0]["object"]["spec"]["nodeName"], "n1");
}

#[test]
fn watches_send_what_a_list_did_not() {
    let kinds = |target: &str| -> Vec<String> {
        let watch = get(target);
        let events = watch["events"].as_array().unwrap().iter();
        events
            .map(|event| format!("{} {}", event["type"].as_str().unwrap(), event["object"]["kind"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(kinds("/api/v1/pods?watch=true"), ["ADDED Pod", "ADDED Pod"]);
    assert_eq!(kinds("/api/v1/pods?watch=true&resourceVersion=42"), Vec::<String>::new());
    let all = "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    assert_eq!(kinds(all), ["ADDED Pod", "ADDED Pod", "BOOKMARK Pod"]);
    let watch = get(&format!("{all}&timeoutSeconds=7"));
    assert_eq!(watch["events"][2]["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    assert_eq!((&watch["hold"], &get(all)["hold"]), (&json!(7), &Value::Null));
    let (_, tables) = asked("GET", "/api/v1/pods?watch=true", TABLE);
    assert_eq!(tables["events"][1]["object"]["rows"][0]["cells"][0], "b");
}

#[test]
fn discovery_has_both_forms() {
    let resources = get("/apis/example.org/v1alpha1");
    let thing = json!({
        "name": "things", "singularName": "thing", "namespaced": true, "kind": "Thing", "verbs": ["get", "list", "watch"],
        "shortNames": ["tg", "thing"], "categories": ["all"],
    });
    assert_eq!(resources["resources"], json!([thing]));
    let groups = get("/apis");
    let names: Vec<&str> = groups["groups"].as_array().unwrap().iter().map(|g| g["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"example.org") && names.contains(&"apps") && !names.contains(&"kubevirt.io"), "{names:?}");
    for version in ["v2", "v2beta1"] {
        let accept =
            format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList,application/json");
        let (_, found) = asked("GET", "/apis", &accept);
        assert_eq!(found["apiVersion"], format!("apidiscovery.k8s.io/{version}"));
        let group = found["items"].as_array().unwrap().iter().find(|item| item["metadata"]["name"] == "example.org");
        let thing = &group.unwrap()["versions"][0]["resources"][0];
        assert_eq!((&thing["resource"], &thing["scope"]), (&json!("things"), &json!("Namespaced")));
        assert_eq!(thing["responseKind"], json!({"group": "example.org", "version": "v1alpha1", "kind": "Thing"}));
    }
    assert!(get("/api/v1")["resources"].as_array().unwrap().iter().any(|resource| resource["name"] == "pods/log"));
}

#[test]
fn logs_take_the_parameters_of_kubectl() {
    let log = |query: &str| get(&format!("/api/v1/namespaces/demo/pods/a/log?{query}")).as_str().unwrap().to_owned();
    assert_eq!(log("").lines().count(), 3);
    assert!(!log("").contains("hunter2") && !log("").contains('\u{1b}'), "{}", log(""));
    assert_eq!(log("container=x&tailLines=1").lines().count(), 1);
    assert!(log("sinceSeconds=60").starts_with("2024-03-10T11:59:30Z two"), "{}", log("sinceSeconds=60"));
    assert_eq!(log("sinceTime=2024-03-10T11:59:00Z").lines().count(), 2);
    assert_eq!(log("limitBytes=7&follow=true"), "2024-03");
    assert!(log("timestamps=true").starts_with("2024-03-10T11:58:00Z 2024-03-10T11:58:00Z one\n"));
    for (query, status) in [("previous=true", 404), ("container=y", 404), ("container=*", 404), ("sinceTime=x", 400)] {
        assert_eq!(asked("GET", &format!("/api/v1/namespaces/demo/pods/a/log?{query}"), "").0, status, "{query}");
    }
    assert_eq!(asked("GET", "/api/v1/namespaces/demo/pods/*/log", "").0, 404);
}

#[test]
fn definitions_explain_their_types() {
    let paths = get("/openapi/v3");
    assert_eq!(
        paths["paths"],
        json!({"apis/example.org/v1alpha1": {"serverRelativeURL": "/openapi/v3/apis/example.org/v1alpha1"}})
    );
    let document = get("/openapi/v3/apis/example.org/v1alpha1");
    let schema = &document["components"]["schemas"]["example.org.v1alpha1.Thing"];
    assert_eq!(schema["properties"]["spec"]["description"], "what it is");
    assert_eq!(schema["x-kubernetes-group-version-kind"][0]["kind"], "Thing");
    assert!(document["paths"].get("/apis/example.org/v1alpha1/namespaces/{namespace}/things").is_some());
    assert_eq!(asked("GET", "/openapi/v3/apis/apps/v1", "").0, 404);
}

#[test]
fn rows_of_tables_say_that_they_are_partial() {
    let pods =
        "NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE\ndemo        a      1/1     Running   0          3d\n";
    let files = [("rke2/kubectl/pods", pods), ("systeminfo/hostname", "n1\n"), ("collector-output.log", "x\n")];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).to_vec();
    let bundle = Bundle::from_memory("demo", files, Limits::default());
    let api = Api::read(&bundle, None);
    let answer = |accept: &str| {
        let response = api.answer(&Request::parse("GET", "/api/v1/pods", accept, Vec::new()).unwrap());
        let Body::Whole(body) = response.body else { panic!("no whole body") };
        (serde_json::from_slice::<Value>(&body).unwrap(), response.warnings)
    };
    let (list, warnings) = answer("");
    let pod = &list["items"][0];
    assert_eq!((&pod["apiVersion"], &pod["kind"]), (&json!("v1"), &json!("Pod")), "{list}");
    assert_eq!((&pod["metadata"]["name"], &pod["metadata"]["namespace"]), (&json!("a"), &json!("demo")));
    let note = pod["metadata"]["annotations"]["gleaner/partial"].as_str().unwrap();
    assert!(note.contains("rke2/kubectl/pods only"), "{note}");
    assert!(warnings.iter().any(|warning| warning.contains("rke2/kubectl/pods")), "{warnings:?}");
    assert_eq!(answer(TABLE).0["rows"][0]["cells"], json!(["a", "1/1", "Running", "0", "3d"]));
}
