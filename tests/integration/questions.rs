//! `get`, `describe` and `top` on whole bundles, as their users call them.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Answer, corpus, gleaner_in, sample};

/// Asks about a bundle; the first word is the command.
fn ask(bundle: &Path, question: &str) -> Answer {
    let mut words = question.split_whitespace();
    let command = words.next().unwrap();
    gleaner_in(Path::new("."), [command, bundle.to_str().unwrap()].into_iter().chain(words))
}

fn json(bundle: &Path, question: &str) -> Value {
    let answer = ask(bundle, question);
    assert_eq!(answer.code, 0, "{question}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Kind, namespace and name of the objects in a list.
fn identities(list: &Value) -> Vec<[String; 3]> {
    let items = list["items"].as_array().unwrap().iter();
    let text = |item: &Value, path: &str| item.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    items.map(|item| ["/kind", "/metadata/namespace", "/metadata/name"].map(|path| text(item, path))).collect()
}

#[test]
fn every_output_lists_the_same_objects() {
    let bundle = sample("healthy");
    let question = "get pods -n longhorn-system";
    let table = ask(&bundle, question);
    assert_eq!((table.code, table.stderr.as_str()), (0, ""));
    let names: Vec<&str> = table.stdout.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 5, "{}", table.stdout);
    assert!(
        table.stdout.starts_with("NAME ") && table.stdout.contains("READY   STATUS    RESTARTS"),
        "{}",
        table.stdout
    );

    let list = json(&bundle, &format!("{question} -o json"));
    assert_eq!(list["kind"], "List");
    let listed: Vec<String> = identities(&list).into_iter().map(|[_, _, name]| name).collect();
    assert_eq!(listed, names);

    let yaml: Value = serde_yaml::from_str(&ask(&bundle, &format!("{question} -o yaml")).stdout).unwrap();
    assert_eq!(yaml, list);
    let named = ask(&bundle, &format!("{question} -o name")).stdout;
    assert_eq!(named.lines().map(|line| line.strip_prefix("pod/").unwrap()).collect::<Vec<_>>(), names);
    let path = ask(&bundle, &format!("{question} -o jsonpath={{.items[*].metadata.name}}")).stdout;
    assert_eq!(path.split(' ').collect::<Vec<_>>(), names);
    let columns = ask(&bundle, &format!("{question} -o custom-columns=N:.metadata.name,X:.nope")).stdout;
    let first: Vec<&str> = columns.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(first, names);
    assert!(columns.lines().skip(1).all(|line| line.ends_with("<none>")), "{columns}");
}

#[test]
fn one_object_is_no_list() {
    let bundle = sample("healthy");
    let node = json(&bundle, "get node hv-node-1 -o json");
    assert_eq!((&node["kind"], &node["metadata"]["name"]), (&Value::from("Node"), &Value::from("hv-node-1")));
    let same = json(&bundle, "get nodes/hv-node-1 -o json");
    assert_eq!(same, node);
    let two = json(&bundle, "get no hv-node-1 hv-node-2 -o json");
    assert_eq!(identities(&two).len(), 2);
}

#[test]
fn selectors_and_order_choose_objects() {
    let bundle = sample("healthy");
    let names = |question: &str| -> Vec<String> {
        let answer = ask(&bundle, &format!("{question} -o name"));
        answer.stdout.lines().map(str::to_owned).collect()
    };
    let all = names("get pods -A");
    let on_one = names("get pods --field-selector spec.nodeName=hv-node-1");
    let elsewhere = names("get pods --field-selector spec.nodeName!=hv-node-1");
    assert!(!on_one.is_empty() && !elsewhere.is_empty());
    assert_eq!(on_one.len() + elsewhere.len(), all.len());
    let labelled = json(&bundle, "get pods -l app.kubernetes.io/name=longhorn-manager -o json");
    let labels: Vec<&Value> = labelled["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pod| &pod["metadata"]["labels"]["app.kubernetes.io/name"])
        .collect();
    assert!(labels.len() == 3 && labels.iter().all(|label| **label == "longhorn-manager"), "{labels:?}");
    assert_eq!(names("get pods -l app.kubernetes.io/name!=longhorn-manager").len(), all.len() - 3);
    assert_eq!(names("get nodes --sort-by .metadata.name"), names("get nodes"));
    let restarts = json(&bundle, "get pods --sort-by .status.containerStatuses[0].restartCount -o json");
    let counts: Vec<i64> = restarts["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|pod| pod.pointer("/status/containerStatuses/0/restartCount")?.as_i64())
        .collect();
    assert!(counts.is_sorted() && counts.len() > 5, "{counts:?}");
    let answer = ask(&bundle, "get nodes --sort-by .nope");
    assert_eq!((answer.code, answer.stderr.as_str()), (2, "error: cannot sort: no object has the field `.nope`\n"));
}

#[test]
fn several_types_are_tables_of_their_own() {
    let answer = ask(&sample("healthy"), "get deploy,ds -n harvester-system --show-labels");
    let tables: Vec<&str> = answer.stdout.split("\n\n").collect();
    assert_eq!(tables.len(), 2, "{}", answer.stdout);
    assert!(tables[0].contains("deployment.apps/") && tables[1].contains("daemonset.apps/"), "{}", answer.stdout);
    assert!(tables.iter().all(|table| table.lines().next().unwrap().ends_with("LABELS")));
    let bare = ask(&sample("healthy"), "get ds -n harvester-system --no-headers").stdout;
    assert!(!bare.contains("NAME"), "{bare}");
    let all = ask(&sample("healthy"), "get all -n harvester-system").stdout;
    for kind in ["pod/", "service/", "deployment.apps/", "kubevirt.kubevirt.io/"] {
        assert!(all.contains(kind), "{kind}: {all}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let bundle = sample("healthy");
    for (question, code, said) in [
        ("get pdos", 2, "error: no type `pdos` is known, and no object of it is in the bundle; did you mean `pods`?\n"),
        ("get node nope", 1, "error: nodes `nope` does not exist; all nodes were collected\n"),
        ("get node nope --ignore-not-found", 0, ""),
        (
            "get pods -o tabel",
            2,
            "error: unknown output `tabel`; write wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...\n",
        ),
        ("get pods -o jsonpath={.a", 2, "error: a brace that is not closed at character 1 of the JSONPath `{.a`\n"),
        (
            "get pods -l a=b,=c",
            2,
            "error: `=c` is no condition on a label; write key=value, key!=value, key in (a,b), key notin (a,b), key or !key\n",
        ),
        ("get pods a -l a=b", 2, "error: names cannot be given with -l or --field-selector; leave out one of both\n"),
        ("get pod/a b", 2, "error: `b` is no TYPE/NAME; either all objects are named so, or none\n"),
    ] {
        let answer = ask(&bundle, question);
        assert_eq!((answer.code, answer.stderr.as_str(), answer.stdout.as_str()), (code, said, ""), "{question}");
    }
    let secrets = ask(&bundle, "get secrets");
    assert_eq!(secrets.code, 3);
    assert!(secrets.stderr.contains("were not collected"), "{}", secrets.stderr);
    assert!(secrets.stdout.is_empty());
}

#[test]
fn a_description_has_what_surrounds_an_object() {
    let bundle = sample("healthy");
    let pod = ask(&bundle, "get pods -n longhorn-system -l app.kubernetes.io/name=longhorn-manager -o name").stdout;
    let pod = pod.lines().next().unwrap();
    let answer = ask(&bundle, &format!("describe {pod} -n longhorn-system"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for part in [
        "Name:             longhorn-manager",
        "Namespace:        longhorn-system",
        "Controlled By:    DaemonSet/longhorn-manager",
        "Conditions:",
        "Containers:",
        "Related:",
        "Last lines of logs/longhorn-system/",
    ] {
        assert!(answer.stdout.contains(part), "{part}\n{}", answer.stdout);
    }
    let begun = ask(&bundle, "describe node hv-node-");
    assert_eq!(begun.stdout.matches("Kind:             Node").count(), 3, "{}", begun.stderr);
    assert_eq!(ask(&bundle, "describe node nope").code, 1);
}

#[test]
fn a_description_has_the_findings_about_its_object() {
    let answer = ask(&sample("hook-deleted-configmap"), "describe managedchart harvester -n fleet-local");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("Findings:\n  ["), "{}", answer.stdout);
    assert!(answer.stdout.contains("History:"), "{}", answer.stdout);
}

#[test]
fn usage_is_read_from_metrics() {
    let bundle = sample("healthy");
    let nodes = ask(&bundle, "top nodes");
    assert_eq!(nodes.code, 0, "{}", nodes.stderr);
    let rows: Vec<Vec<&str>> = nodes.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]);
    assert_eq!(rows.len(), 4);
    assert!(
        rows[1..].iter().all(|row| row[1].ends_with('m') && row[2].ends_with('%') && row[3].ends_with("Mi")),
        "{rows:?}"
    );
    let pods = ask(&bundle, "top pods -n longhorn-system --sort-by memory").stdout;
    let memory: Vec<u64> = pods
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().last().unwrap().trim_end_matches("Mi").parse().unwrap())
        .collect();
    assert!(memory.len() > 2 && memory.is_sorted_by(|a, b| a >= b), "{pods}");
}

#[test]
fn names_are_those_of_redacted_reports() {
    let bundle = sample("healthy");
    let key = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(key.path(), "0123456789abcdef0123456789abcdef").unwrap();
    let options = format!("--redact --redact-key {}", key.path().display());
    let plain = ask(&bundle, "get nodes -o name").stdout;
    let hidden = ask(&bundle, &format!("get nodes -o name {options}")).stdout;
    assert_eq!(hidden.lines().count(), plain.lines().count());
    assert!(hidden.lines().all(|line| line.starts_with("node/host-")), "{hidden}");
    let report = gleaner_in(
        Path::new("."),
        [
            "analyze",
            bundle.to_str().unwrap(),
            "-o",
            "-",
            "--format",
            "json",
            "--quiet",
            "--redact",
            "--redact-key",
            key.path().to_str().unwrap(),
        ],
    );
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let nodes: Vec<String> = report["bundle"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| format!("node/{}", node["name"].as_str().unwrap()))
        .collect();
    assert_eq!(hidden.lines().collect::<Vec<_>>(), nodes);
    for question in [
        "get nodes -o wide",
        "get nodes -o yaml",
        "get pods -A -o wide",
        "describe node hv-node-1",
        "top nodes",
        "get pods -A -o jsonpath={..nodeName}",
    ] {
        let answer = ask(&bundle, &format!("{question} {options}"));
        let shown = answer.stdout.replace("sample", "") + &answer.stderr;
        assert!(!answer.stdout.is_empty() && !shown.contains("hv-node-"), "{question}: {shown}");
    }
}

#[test]
fn a_collection_of_harvester_is_listed_whole() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    let count = |question: &str| ask(&bundle, &format!("{question} -o name")).stdout.lines().count();
    let pods = count("get pods");
    assert_eq!(json(&bundle, "get pods -o json")["items"].as_array().unwrap().len(), pods);
    assert_eq!(count("get po -n longhorn-system"), 20);
    assert_eq!(count("get nodes"), 1);
    // The bundle has no definitions: columns are those that the products ship.
    let bundles = ask(&bundle, "get bundles -n fleet-local").stdout;
    assert!(bundles.starts_with("NAME ") && bundles.contains("BUNDLEDEPLOYMENTS-READY   STATUS"), "{bundles}");
    assert!(bundles.contains("Modified(1)"), "{bundles}");
    let settings = ask(&bundle, "get settings");
    assert_eq!(settings.code, 2);
    assert!(settings.stderr.contains("settings.harvesterhci.io, settings.longhorn.io"), "{}", settings.stderr);
    let definitions = ask(&bundle, "get crds");
    assert_eq!((definitions.code, definitions.stdout.as_str()), (3, ""));
    let volumes = ask(&bundle, "get lhv");
    assert_eq!(
        (volumes.code, volumes.stderr.as_str()),
        (0, "note: no volumes.longhorn.io found; all were collected\n")
    );
    let top = ask(&bundle, "top nodes");
    assert!(top.code == 0 && top.stdout.lines().nth(1).unwrap().starts_with("node1 "), "{}{}", top.stdout, top.stderr);
    let chart = ask(&bundle, "describe managedchart harvester");
    assert!(chart.stdout.contains("Findings:") && chart.stdout.contains("longhorn-storageclass"), "{}", chart.stdout);
}

#[test]
fn every_object_of_every_type_is_the_same_in_yaml_and_json() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    let types = [
        "configmaps",
        "pods",
        "nodes",
        "bundles.fleet.cattle.io",
        "settings.management.cattle.io",
        "events",
        "apps.catalog.cattle.io",
    ];
    for type_ in types {
        let list = json(&bundle, &format!("get {type_} -o json"));
        let yaml = ask(&bundle, &format!("get {type_} -o yaml")).stdout;
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), list, "{type_}");
    }
}

#[test]
fn rows_of_a_collection_of_rancher_keep_their_tables() {
    let Some(bundle) = corpus("rancher-rke2-server-2025-11-27.tar.gz") else { return };
    let pods = ask(&bundle, "get pods -n kube-system");
    assert_eq!(pods.code, 0);
    assert!(pods.stderr.contains("known from tables or descriptions such as "), "{}", pods.stderr);
    let headers: Vec<&str> = pods.stdout.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(headers, ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    let wide = ask(&bundle, "get pods -n kube-system -o wide").stdout;
    assert!(wide.lines().next().unwrap().contains("READINESS GATES"), "{wide}");
    assert_eq!(wide.lines().count(), pods.stdout.lines().count());
    let left_out = ask(&bundle, "get pods -l app=x");
    assert!(left_out.stderr.contains("are left out, because their labels were not collected"), "{}", left_out.stderr);
}

#[test]
fn a_troubleshoot_bundle_is_asked_as_well() {
    let Some(bundle) = corpus("troubleshoot-k3s-2022.tar.gz") else { return };
    let pods = json(&bundle, "get pods -o json");
    assert!(!pods["items"].as_array().unwrap().is_empty());
    let top = ask(&bundle, "top pods");
    assert_eq!((top.code, top.stdout.as_str()), (3, ""), "{}", top.stderr);
}
