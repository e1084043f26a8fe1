//! Dumps of `kubectl cluster-info dump`, built in code: in a folder as JSON and YAML, and as printed to a terminal.

use serde_json::{Value, json};

use super::{analysed, reason};

fn node() -> Value {
    json!({"metadata": {"name": "n1", "labels": {"node-role.kubernetes.io/control-plane": "true"}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.30.4", "kernelVersion": "6.1.0", "osImage": "Some Linux"}}})
}

fn pod() -> Value {
    json!({"metadata": {"name": "web-0", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {"nodeName": "n1", "containers": [{"name": "web"}, {"name": "late"}]},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "web", "ready": true, "state": {"running": {}}},
            {"name": "late", "ready": false, "state": {"waiting": {"reason": "CreateContainerError"}}}]}})
}

/// Items have no kind of their own, as older versions of kubectl print them.
fn list(kind: &str, version: &str, items: &[Value]) -> Value {
    json!({"kind": kind, "apiVersion": version, "metadata": {"resourceVersion": "7"}, "items": items})
}

/// The lists of a namespace in the order of the command, by file name.
fn lists(pods: &[Value]) -> Vec<(&'static str, Value)> {
    vec![
        ("events", list("EventList", "v1", &[])),
        ("replication-controllers", list("ReplicationControllerList", "v1", &[])),
        ("services", list("ServiceList", "v1", &[])),
        ("daemonsets", list("DaemonSetList", "apps/v1", &[])),
        ("deployments", list("DeploymentList", "apps/v1", &[])),
        ("replicasets", list("ReplicaSetList", "apps/v1", &[])),
        ("pods", list("PodList", "v1", pods)),
    ]
}

fn section(container: &str, log: &str) -> String {
    let pod = "shop/web-0";
    format!(
        "==== START logs for container {container} of pod {pod} ====\n{log}==== END logs for container {container} of pod {pod} ====\n"
    )
}

fn logs() -> String {
    [
        section("setup", "prepared\n"),
        section("web", "first\npanic: boom"),
        section("late", "Request log error: container \"late\" in pod \"web-0\" is waiting to start\n"),
    ]
    .concat()
}

/// The files of a dump into a folder, in a format.
fn folder(ending: &str, print: fn(&Value) -> String) -> Vec<(String, String)> {
    let mut files = vec![(format!("nodes.{ending}"), print(&list("NodeList", "v1", &[node()])))];
    for (namespace, pods) in [("kube-system", vec![]), ("shop", vec![pod()])] {
        files.extend(lists(&pods).iter().map(|(stem, list)| (format!("{namespace}/{stem}.{ending}"), print(list))));
    }
    files.push(("shop/web-0/logs.txt".to_owned(), logs()));
    files
}

/// The files of a dump into a folder, as JSON.
pub(super) fn json_folder() -> Vec<(String, String)> {
    folder("json", json_text)
}

/// Returns the same as printed to a terminal.
fn stream(print: fn(&Value) -> String) -> String {
    let mut text = "$ kubectl cluster-info dump -A\n".to_owned();
    text += &print(&list("NodeList", "v1", &[node()]));
    for pods in [vec![], vec![pod()]] {
        lists(&pods).iter().for_each(|(_, list)| text += &print(list));
    }
    text + &logs()
}

fn json_text(value: &Value) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    serde::Serialize::serialize(value, &mut serde_json::Serializer::with_formatter(&mut out, formatter)).unwrap();
    String::from_utf8(out).unwrap() + "\n"
}

/// Keys in YAML are sorted.
fn yaml_text(value: &Value) -> String {
    let sorted: std::collections::BTreeMap<String, Value> = serde_json::from_value(value.clone()).unwrap();
    serde_yaml::to_string(&sorted).unwrap()
}

const RULES: [(&str, &str); 6] = [
    ("t-pod", "  pod: {resource: pods, labels: app=web, where: pod.status.phase == 'Running'}\n"),
    ("t-log", "  said: {log: {namespace: shop, pod: 'web-*', container: web}, match: 'panic: boom'}\n"),
    ("t-init", "  said: {log: {namespace: shop, container: setup}, match: 'panic: boom'}\n"),
    ("t-late", "  said: {log: {namespace: shop, container: late}, match: 'waiting to start'}\n"),
    ("t-none", "  deployment: {resource: deployments, namespace: shop}\n"),
    ("t-claim", "  claim: {resource: persistentvolumeclaims}\n"),
];

fn fired(found: &Value) -> Vec<&str> {
    let all = found["rules"]["fired"].as_array().unwrap().iter().map(|id| id.as_str().unwrap());
    all.filter(|id| id.starts_with("t-")).collect()
}

fn line_of<'a>(found: &'a Value, rule: &str) -> (&'a str, u64) {
    let finding = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == rule).unwrap();
    let evidence = &finding["evidence"][0];
    (evidence["entry"].as_str().unwrap(), evidence["line"].as_u64().unwrap())
}

fn analyse(files: &[(String, String)]) -> Value {
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    analysed("dump", &files, &RULES)
}

#[test]
fn a_folder_of_either_format_is_read() {
    for (ending, print) in [("json", json_text as fn(&Value) -> String), ("yaml", yaml_text)] {
        let found = analyse(&folder(ending, print));
        let bundle = &found["bundle"];
        assert_eq!(
            (&bundle["kind"], &bundle["collector"]["name"]),
            (&json!("cluster-info"), &json!("kubectl cluster-info dump"))
        );
        assert_eq!(bundle["versions"], json!({"kubernetes": "v1.30.4", "kernel": "6.1.0", "os": "Some Linux"}));
        assert_eq!(
            bundle["nodes"],
            json!([{"name": "n1", "ready": true, "roles": ["control-plane"], "collected": false}])
        );
        assert_eq!(found["issues"], json!([]));
        assert_eq!(fired(&found), ["t-log", "t-pod"]);
        assert_eq!(line_of(&found, "t-log"), ("shop/web-0/logs.txt", 6));
        assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-init")));
        assert!(found["rules"]["clean"].as_array().unwrap().contains(&json!("t-none")), "the list is there and empty");
        assert_eq!(reason(&found, "t-late"), "the bundle has no log of shop/*/late");
        assert!(reason(&found, "t-claim").contains("were not collected"), "{}", reason(&found, "t-claim"));
        let gaps = bundle["not_collected"].to_string();
        assert!(gaps.contains("log of pod shop/web-0, container late") && gaps.contains("waiting to start"), "{gaps}");
    }
}

#[test]
fn the_newest_line_tells_when_the_dump_was_made_if_nothing_else_does() {
    let timed = section("web", "2024/03/06 10:00:00 [INFO] up\n2024/03/06 10:15:30 [ERROR] lost peer\n");
    let mut files = json_folder();
    files.last_mut().unwrap().1 = timed;
    let bundle = &analyse(&files)["bundle"];
    assert_eq!(bundle["collected_at"], "2024-03-06T10:15:30Z", "{}", bundle["not_collected"]);
}

#[test]
fn terminal_output_is_read() {
    let yaml = |value: &Value| format!("---\n{}", yaml_text(value));
    let pasted = |value: &Value| json_text(value).lines().map(|line| line.trim_start().to_owned() + "\r\n").collect();
    for (name, print) in [
        ("cluster-info_dump", json_text as fn(&Value) -> String),
        ("cluster-info.dump.log", yaml),
        ("cluster-info-dump.txt", yaml_text),
        ("kube.dump.log", pasted),
    ] {
        let text = stream(print);
        let lines = text.lines().position(|line| line.starts_with("panic: boom")).unwrap() as u64 + 1;
        let found = analyse(&[(name.to_owned(), text)]);
        assert_eq!(found["bundle"]["kind"], "cluster-info", "{name}");
        assert_eq!(found["issues"], json!([]), "{name}");
        assert_eq!(fired(&found), ["t-log", "t-pod"], "{name}");
        assert_eq!(line_of(&found, "t-log"), (name, lines));
        assert_eq!(found["bundle"]["nodes"][0]["ready"], true);
        assert_eq!(reason(&found, "t-late"), "the bundle has no log of shop/*/late");
    }
}

#[test]
fn a_dump_that_ended_early_proves_nothing() {
    let text = stream(json_text);
    let cut = text.find("\"PodList\"").unwrap();
    let refused =
        format!("{}\nError from server (Forbidden): pods is forbidden\n", &text[..text[..cut].rfind('{').unwrap()]);
    let found = analyse(&[("cluster-info_dump".to_owned(), refused)]);
    assert_ne!(reason(&found, "t-pod"), "");
    let found = analyse(&[("cluster-info_dump".to_owned(), text[..text.len() / 2].to_owned())]);
    assert!(found["issues"][0]["message"].as_str().unwrap().contains("JSON"), "{}", found["issues"]);
}

#[test]
fn hostile_dumps_are_bounded() {
    let start = "==== START logs for container a of pod n/p ====\n";
    for text in [start.repeat(2_000), "{\n".repeat(100_000), "==== ".repeat(500_000), "---\n".repeat(100_000)] {
        let found = analyse(&[("cluster-info_dump".to_owned(), text)]);
        assert_eq!(found["bundle"]["kind"], "cluster-info");
        assert!(found["issues"].as_array().unwrap().len() < 50);
    }
}

/// Two clusters, or one at two times, in one folder: merged, they would contradict each other.
#[test]
fn of_dumps_that_do_not_belong_together_the_newest_is_analysed() {
    let dump = |node: &str, uid: &str, beat: &str, pod: &str| {
        let condition = json!({"type": "Ready", "status": "True", "lastHeartbeatTime": beat});
        let node = json!({"metadata": {"name": node, "uid": uid}, "status": {"conditions": [condition]}});
        let pod = json!({"metadata": {"name": pod, "namespace": "shop", "uid": pod}, "status": {"phase": "Failed"}});
        let lists = [list("NodeList", "v1", &[node]), list("PodList", "v1", &[pod])];
        lists.iter().map(|list| json_text(list) + "\n").collect::<String>()
    };
    let rules = [("t-old", "  pod: {resource: pods, name: old}\n"), ("t-new", "  pod: {resource: pods, name: new}\n")];
    let new = dump("n1", "u1", "2024-03-06T10:00:00Z", "new");
    for (older, together) in [
        (dump("n1", "u2", "2024-03-06T09:50:00Z", "old"), false),
        (dump("n1", "u1", "2024-03-05T09:50:00Z", "old"), false),
        (dump("n1", "u1", "2024-03-06T09:50:00Z", "old"), true),
    ] {
        for names in [["cluster-info-dump.json", "cluster-info-dump-2.json"], ["a.txt", "b.txt"]] {
            let files = [(names[0], older.clone()), (names[1], new.clone())];
            let found = analysed("case", &files, &rules);
            let wanted = if together { vec!["t-new", "t-old"] } else { vec!["t-new"] };
            assert_eq!(fired(&found), wanted, "{}", found["issues"]);
            assert_eq!(found["issues"].to_string().contains("of another cluster or another time"), !together);
        }
    }
}
