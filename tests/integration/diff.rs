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
    for part in ["doubts", "versions", "nodes", "health", "objects", "restarts", "not_comparable"] {
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
    let refused = run(&["-o", "change.html"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("the name must end in .json, .md or .txt"), "{}", refused.stderr);
    assert_eq!(gleaner_in(folder.path(), ["diff", "old", "nothing"]).code, 3);
}
