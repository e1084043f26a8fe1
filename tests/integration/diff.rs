//! `gleaner diff`: changes between two bundles of one cluster, and data that cannot be compared.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{gleaner_in, sample};

/// Fires on a volume that is not healthy, on a setting, and on a service account.
const RULES: [(&str, &str, &str); 3] = [
    ("own-volume", "volumes.longhorn.io", "it.status.robustness != 'healthy'"),
    ("own-setting", "configmaps", "it.metadata.name == 'inventory-export' && it.data['settings.ini'].contains('5000')"),
    ("own-account", "serviceaccounts", "it.metadata.namespace == 'default' && it.metadata.name == 'default'"),
];

fn write_rules(folder: &Path) {
    for (id, resource, condition) in RULES {
        let text = format!(
            "id: {id}\ntitle: \"{id} {{{{ it.metadata.name }}}}\"\nseverity: high\nconfidence: certain\narea: storage\n\
             find:\n  it:\n    resource: {resource}\n    where: \"{condition}\"\nabout: [it]\nmessage: m\nimpact: i\ncause: c\n\
             remedy:\n  - do: look\n"
        );
        let path = folder.join(format!("own/rules/storage/{id}.yaml"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let goal = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &goal);
        } else {
            fs::copy(entry.path(), goal).unwrap();
        }
    }
}

/// Replaces the first place of a text in a file.
fn edit(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}: {from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// The healthy cluster, and the same a day later in trouble.
fn bundles(folder: &Path) {
    write_rules(folder);
    copy(&sample("healthy"), &folder.join("old"));
    copy(&sample("healthy"), &folder.join("new"));
    let new = folder.join("new");
    let pods = "yamls/namespaced/harvester-system/v1/pods.yaml";
    for (file, from, to) in [
        ("metadata.yaml", "2025-03-18T09:30:00Z", "2025-03-19T09:30:00Z"),
        (
            "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml",
            "robustness: healthy",
            "robustness: degraded",
        ),
        ("yamls/namespaced/default/v1/configmaps.yaml", "chunk = 5000", "chunk = 100"),
        ("yamls/cluster/v1/nodes.yaml", "      bootID: b418a277", "      bootID: 00000000"),
        (pods, "      restartCount: 0", "      restartCount: 4"),
        (pods, "    uid: 8070a61d-4dac-41a6-bcb5-38e709ebb94c", "    uid: 00000000-4dac-41a6-bcb5-38e709ebb94c"),
    ] {
        edit(&new, file, from, to);
    }
    fs::remove_file(new.join("yamls/namespaced/default/v1/serviceaccounts.yaml")).unwrap();
    let refused =
        "Failed to get /api/v1/namespaces/default/serviceaccounts: the server was unable to return a response\n";
    fs::write(new.join("bundleGenerationError.log"), refused).unwrap();
}

fn difference(folder: &Path, old: &str, new: &str) -> Value {
    let args = ["diff", old, new, "-o", "-", "--rules", "own", "--no-default-rules", "--quiet"];
    let answer = gleaner_in(folder, args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn rules(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

#[test]
fn changes_are_compared_by_meaning() {
    let folder = tempfile::tempdir().unwrap();
    bundles(folder.path());
    let found = difference(folder.path(), "old", "new");
    assert_eq!((&found["schema"], &found["doubts"]), (&json!("gleaner.diff/v1"), &json!([])));
    assert_eq!(rules(&found["findings"]["new"]), ["own-volume"]);
    assert_eq!(rules(&found["findings"]["gone"]), ["own-setting"]);
    assert_eq!(rules(&found["findings"]["both"]), [""; 0]);
    let [untold] = &found["findings"]["not_comparable"].as_array().unwrap()[..] else { panic!("{found:#}") };
    assert_eq!((&untold["in"], &untold["finding"]["rule"]), (&json!("old"), &json!("own-account")));
    let changed = &found["configuration"];
    assert_eq!(changed.as_array().unwrap().len(), 1, "{changed:#}");
    assert_eq!((&changed[0]["object"]["kind"], &changed[0]["left_out"]), (&json!("ConfigMap"), &json!(0)));
    assert_eq!(
        changed[0]["fields"],
        json!([{"name": "data.settings.ini", "old": "chunk = 5000", "new": "chunk = 100"}]),
        "the line that differs"
    );
    let [volume] = &found["health"].as_array().unwrap()[..] else { panic!("{:#}", found["health"]) };
    assert_eq!((&volume["turn"], &volume["object"]["kind"]), (&json!("worse"), &json!("Volume")));
    assert_eq!(volume["old"], json!({"state": "attached, healthy", "troubles": []}));
    assert_eq!(volume["new"], json!({"state": "attached, degraded", "troubles": ["degraded"]}));
    assert_eq!(found["restarts"].as_array().unwrap().len(), 1);
    assert_eq!((&found["restarts"][0]["times"], &found["restarts"][0]["last"]), (&json!(4), &Value::Null));
    let [node] = &found["nodes"].as_array().unwrap()[..] else { panic!("{:#}", found["nodes"]) };
    assert_eq!(node["name"], "hv-node-1");
    assert!(node["new"].as_str().unwrap().ends_with("started again"));
    assert_eq!(found["objects"], json!([]), "that accounts were not collected does not make them gone");
    assert_eq!(found["not_comparable"][0]["what"], "serviceaccounts");
}

#[test]
fn the_reverse_difference_is_opposite_and_doubts_the_order() {
    let folder = tempfile::tempdir().unwrap();
    bundles(folder.path());
    let found = difference(folder.path(), "new", "old");
    assert_eq!(rules(&found["findings"]["new"]), ["own-setting"]);
    assert_eq!(rules(&found["findings"]["gone"]), ["own-volume"]);
    assert_eq!(found["health"][0]["turn"], "better");
    assert_eq!(found["restarts"], json!([]), "a count that fell is of another container");
    assert!(found["doubts"][0].as_str().unwrap().starts_with("The first was collected after the second"));
}

#[test]
fn a_bundle_does_not_differ_from_itself() {
    let folder = tempfile::tempdir().unwrap();
    bundles(folder.path());
    let found = difference(folder.path(), "new", "new");
    for part in ["doubts", "versions", "configuration", "nodes", "health", "objects", "restarts", "not_comparable"] {
        assert_eq!(found[part], json!([]), "{part}");
    }
    assert_eq!(rules(&found["findings"]["both"]), ["own-volume"]);
}

#[test]
fn terminal_and_ticket_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    bundles(folder.path());
    let run = |more: &[&str]| {
        let args = ["diff", "old", "new", "--rules", "own", "--no-default-rules", "--quiet"];
        gleaner_in(folder.path(), args.iter().chain(more))
    };
    let terminal = run(&[]);
    assert_eq!((terminal.code, terminal.stderr.as_str()), (0, ""));
    assert_eq!(run(&["-o", "change.md"]).code, 0);
    let ticket = fs::read_to_string(folder.path().join("change.md")).unwrap();
    for said in ["Findings: 1 new, 1 gone, 0 in both, 1 not comparable", "Worse (1)", "own-volume", "4 times"] {
        assert!(terminal.stdout.contains(said), "{said}: {}", terminal.stdout);
        assert!(ticket.contains(said), "{said}: {ticket}");
    }
    assert_eq!(run(&["-o", "change.html"]).code, 0);
    let page = fs::read_to_string(folder.path().join("change.html")).unwrap();
    assert!(
        page.contains("Worse (1)")
            && page.contains("data.settings.ini: chunk = 5000 → chunk = 100")
            && !page.contains("<script"),
        "{page}"
    );
    let refused = run(&["-o", "change.xml"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("the name must end in .html, .json, .md or .txt"), "{}", refused.stderr);
    assert_eq!(gleaner_in(folder.path(), ["diff", "old", "nothing"]).code, 3);
}

/// The objects of a bundle that changes its image, replicas, a setting and the version of a chart, and whose pod and volume are made anew.
fn cluster(number: u32) -> Vec<(&'static str, String)> {
    let [pod, volume] = [["web-7d4b9c8f6d-x2x7k", "pvc-1111"], ["web-6c5d8f9b7c-q9w8z", "pvc-2222"]][number as usize];
    let list = |items: &str| format!("apiVersion: v1\nkind: List\nitems:\n{items}");
    let setting = |value: &str| {
        format!(
            "- {{apiVersion: longhorn.io/v1beta2, kind: Setting, metadata: {{name: replica-count, namespace: longhorn-system}}, value: \"{value}\"}}\n"
        )
    };
    vec![
        (
            "metadata.yaml",
            format!(
                "bundlename: x\nkubernetesversion: v1.30.1\nbundlecreatedat: \"2026-03-0{}T07:08:09Z\"\n",
                number + 1
            ),
        ),
        (
            "yamls/cluster/v1/namespaces.yaml",
            list("- {apiVersion: v1, kind: Namespace, metadata: {name: kube-system, uid: c-1}}\n"),
        ),
        (
            "yamls/namespaced/default/v1/pods.yaml",
            list(&format!(
                "- {{apiVersion: v1, kind: Pod, metadata: {{name: {pod}, namespace: default}}, status: {{phase: Failed}}}}\n"
            )),
        ),
        (
            "yamls/namespaced/default/apps/v1/deployments.yaml",
            list(&format!(
                "- {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web, namespace: default, generation: {number}}}, spec: {{replicas: {}, \
                 template: {{spec: {{containers: [{{name: web, image: \"web:{number}\"}}]}}}}}}}}\n",
                number + 2
            )),
        ),
        (
            "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml",
            list(&format!(
                "- {{apiVersion: longhorn.io/v1beta2, kind: Volume, metadata: {{name: {volume}, namespace: longhorn-system}}, spec: {{numberOfReplicas: 3}}, \
                 status: {{robustness: faulted, kubernetesStatus: {{namespace: default, pvcName: data}}}}}}\n"
            )),
        ),
        (
            "yamls/namespaced/longhorn-system/longhorn.io/v1beta2/settings.yaml",
            list(&setting(["3", "2"][number as usize])),
        ),
        (
            "yamls/namespaced/fleet-local/catalog.cattle.io/v1/apps.yaml",
            list(&format!(
                "- {{apiVersion: catalog.cattle.io/v1, kind: App, metadata: {{name: logging, namespace: fleet-local}}, \
                 spec: {{chart: {{metadata: {{name: logging, version: 1.0.{number}}}}}}}}}\n"
            )),
        ),
    ]
}

/// Rules about its pod and its volume, whose titles hold the name.
fn remade(folder: &Path) {
    for (number, name) in [(0, "old"), (1, "new")] {
        for (file, text) in cluster(number) {
            let path = folder.join(name).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    write_rules(folder);
    let rule = fs::read_to_string(folder.join("own/rules/storage/own-volume.yaml")).unwrap();
    let rule = rule.replace("own-volume", "own-pod").replace("volumes.longhorn.io", "pods");
    fs::write(
        folder.join("own/rules/storage/own-pod.yaml"),
        rule.replace("it.status.robustness != 'healthy'", "it.status.phase == 'Failed'"),
    )
    .unwrap();
}

#[test]
fn findings_about_objects_made_anew_are_in_both() {
    let folder = tempfile::tempdir().unwrap();
    remade(folder.path());
    let found = difference(folder.path(), "old", "new");
    let findings = &found["findings"];
    assert_eq!((rules(&findings["new"]), rules(&findings["gone"])), (vec![], vec![]), "{findings:#}");
    assert_eq!(rules(&findings["both"]), ["own-pod", "own-volume"]);
    let names = |key: &str| [0, 1].map(|at| findings["both"][at][key].clone());
    assert_eq!(names("was").map(|was| was["name"].clone()), ["web-7d4b9c8f6d-x2x7k", "pvc-1111"]);
    assert_eq!(names("objects").map(|objects| objects[0]["name"].clone()), ["web-6c5d8f9b7c-q9w8z", "pvc-2222"]);
}

#[test]
fn changed_settings_charts_images_and_replicas_are_told() {
    let folder = tempfile::tempdir().unwrap();
    remade(folder.path());
    let found = difference(folder.path(), "old", "new");
    let told: Vec<String> = found["configuration"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let field = |field: &Value| format!("{} {} {}", field["name"], field["old"], field["new"]).replace('"', "");
            let fields: Vec<String> = change["fields"].as_array().unwrap().iter().map(field).collect();
            format!("{} {}", change["object"]["name"].as_str().unwrap(), fields.join(", "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "replica-count value 3 2",
            "logging chart.version 1.0.0 1.0.1",
            "web spec.replicas 2 3, spec.template.spec.containers[web].image web:0 web:1",
        ]
    );
}

#[test]
fn names_are_replaced_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    bundles(folder.path());
    for file in ["change.html", "change.json", "change.md", "change.txt"] {
        let args = ["diff", "old", "new", "--rules", "own", "--no-default-rules", "--quiet", "--redact", "-o", file];
        let answer = gleaner_in(folder.path(), args);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(!text.contains("hv-node-1") && text.contains("host-"), "{file}: {text}");
    }
}

#[test]
fn findings_that_an_older_bundle_does_not_have_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    bundles(folder.path());
    let analyze = |more: &[&str]| {
        let args = ["analyze", "new", "--since", "old", "--rules", "own", "--no-default-rules"];
        gleaner_in(folder.path(), args.iter().chain(more))
    };
    let answer = analyze(&["-o", "r.json", "-o", "r.md", "-o", "r.html"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let found: Value = serde_json::from_str(&read("r.json")).unwrap();
    let counts = ["new", "gone", "not_comparable"].map(|key| found["since"][key].clone());
    assert_eq!(counts, [1, 1, 1], "{:#}", found["since"]);
    assert_eq!(
        (&found["findings"][0]["rule"], &found["findings"][0]["novelty"]),
        (&json!("own-volume"), &json!("new"))
    );
    let note = "Compared with old: 1 new, 1 gone, 1 not comparable";
    for (text, marked) in [
        (read("r.md"), "### high (new): own-volume"),
        (read("r.html"), "<span class=\"new\">new</span>"),
        (answer.stdout.clone(), "new: own-volume"),
    ] {
        assert!(text.contains(note) && text.contains(marked), "{marked}: {text}");
    }
    let same = gleaner_in(folder.path(), ["analyze", "new", "--since", "./new"]);
    assert!(same.code == 2 && same.stderr.contains("--since `./new` is the bundle itself"), "{}", same.stderr);
}
