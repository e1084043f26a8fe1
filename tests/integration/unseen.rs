//! What no rule knows is in the report all the same: objects in trouble and errors of logs.

use std::fs;

use gleaner_fixtures::{Broken, Scenario};
use serde_json::Value;

use crate::harness::{analysis, corpus, files_below, gleaner_in, sample, zip};
use crate::machines;

const WITHOUT_RULES: &str = "--no-default-rules";

/// Returns the texts of a list: those at `path` of each element.
fn texts(list: &Value, path: &str) -> Vec<String> {
    let text = |item: &Value| item.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    list.as_array().unwrap().iter().map(text).collect()
}

/// Returns the templates of errors that no rule explains; those that moved together are one text.
fn errors(found: &Value) -> Vec<String> {
    let entries = found["unexplained"]["entries"].as_array().unwrap().iter();
    let text = |entry: &Value| {
        [texts(&entry["together"], "/template"), vec![entry["template"].to_string()]].concat().join("; ")
    };
    entries.map(text).collect()
}

/// Returns object and troubles of the first object of each group.
fn troubles(found: &Value) -> Vec<String> {
    let text = |group: &Value| {
        let member = &group["members"][0];
        format!("{} {}: {}", member["object"]["kind"], member["object"]["name"], member["troubles"])
    };
    found["unhealthy"]["objects"].as_array().unwrap().iter().map(text).collect()
}

/// Returns object and troubles of all listed objects.
fn all_troubles(found: &Value) -> Vec<String> {
    let groups = found["unhealthy"]["objects"].as_array().unwrap().iter();
    let members = groups.flat_map(|group| group["members"].as_array().unwrap());
    let text =
        |member: &Value| format!("{} {}: {}", member["object"]["kind"], member["object"]["name"], member["troubles"]);
    members.map(text).collect()
}

fn assert_one_has(texts: &[String], words: &str) {
    assert!(texts.iter().any(|text| text.contains(words)), "{words}: {texts:#?}");
}

#[test]
fn a_healthy_cluster_shows_next_to_nothing() {
    let found = analysis(&sample("healthy"), &[]);
    assert_eq!(troubles(&found), Vec::<String>::new());
    assert!(errors(&found).len() <= 3, "{:#?}", errors(&found));
}

/// What must be seen of the fault of a scenario: words of objects in trouble, words of errors of logs.
fn fault(scenario: Scenario) -> (&'static [&'static str], &'static [&'static str]) {
    match scenario {
        Scenario::Healthy | Scenario::BusyHealthy => (&[], &[]),
        Scenario::StaleManagedChart => (&["\"ManagedChart\" \"harvester\"", "degraded", "CrashLoopBackOff"], &[]),
        Scenario::TillerFailedUpgrade => (&[], &["no ConfigMap with the name <*> found"]),
        Scenario::HookDeletedConfigMap => {
            (&["ContainerCreating"], &["Couldn t get configMap <*> configmap <*> not found"])
        }
        Scenario::OrphansBehindWebhook => {
            (&["ContentDeletionFailed"], &["timed out waiting for dependency graph builder sync"])
        }
        Scenario::Machine(Broken::Disk) => (
            &[
                "\"Node\" \"hv-node-1\": [\"diskStatus.default-disk-",
                "Ready is False (NoDiskInfo)",
                "faulted",
                "PausedIOError",
            ],
            &[],
        ),
        Scenario::Machine(Broken::Image) => (
            &[
                "attachError: rpc error: code = DeadlineExceeded",
                "ContainerCreating",
                "\"VirtualMachineInstance\" \"ledger-db\"",
            ],
            &[],
        ),
        Scenario::Machine(Broken::Memory) => {
            (&["OOMKilled, 0/1 ready", "\"VirtualMachine\" \"ledger-db\": [\"CrashLoopBackOff\""], &[])
        }
        Scenario::Machine(Broken::Node) => (&["\"Node\" \"hv-node-1\"", "Ready is Unknown (NodeStatusUnknown)"], &[]),
        Scenario::Machine(Broken::Target) => {
            (&["\"VirtualMachineInstanceMigration\" \"kubevirt-evacuation-wmj6r\": [\"Failed\"]"], &[])
        }
    }
}

/// The fault of each scenario is found without the rule that knows it.
#[test]
fn faults_of_samples_are_seen_without_rules() {
    for (name, scenario) in Scenario::ALL {
        let found = match scenario {
            Scenario::Machine(broken) => {
                let folder = tempfile::tempdir().unwrap();
                let bundle = folder.path().join("bundle.zip");
                zip(&bundle, "bundle", &machines::files(broken));
                analysis(&bundle, &[WITHOUT_RULES])
            }
            _ => analysis(&sample(name), &[WITHOUT_RULES]),
        };
        let (objects, logs) = fault(scenario);
        objects.iter().for_each(|words| assert_one_has(&all_troubles(&found), words));
        logs.iter().for_each(|words| assert_one_has(&errors(&found), words));
        if (objects, logs) == (&[], &[]) {
            // Maintenance restarts nodes, and so all their containers.
            let severities = texts(&found["unhealthy"]["objects"], "/severity");
            assert!(severities.iter().all(|severity| severity == "low"), "{name}: {:#?}", troubles(&found));
        }
    }
}

/// A folder may hold known lines only.
#[test]
fn known_lines_of_a_folder_say_what_errors_mean() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known-lines/own.yaml");
    let entry = "- line: 'E0301 10:00:00.000000 1 a.go:1] no ConfigMap with the name \"web\" found'\n  component: tiller\n  product: helm\n  \
                 means: The release has no record.\n  look: Look for its ConfigMap.\n  link: https://example.com/record\n";
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("known_lines:\n{entry}")).unwrap();
    let path = folder.path().to_str().unwrap();
    let found = analysis(&sample("tiller-failed-upgrade"), &[WITHOUT_RULES, "--rules", path]);
    let known =
        |entry: &&Value| entry["template"].as_str().is_some_and(|text| text.contains("no ConfigMap with the name"));
    let known = found["unexplained"]["entries"].as_array().unwrap().iter().find(known).unwrap();
    assert_eq!(known["known"]["means"], "The release has no record.");
    assert!(texts(&known["why"], "").contains(&"known".to_owned()), "{known}");
    let check = || gleaner_in(folder.path(), ["rules", "check", "."]);
    assert_eq!((check().code, check().stdout.as_str()), (0, "0 rules and 1 known line checked, 0 warnings\n"));
    fs::write(&file, format!("known_lines:\n{entry}{}", entry.replace(" found", " found: gone"))).unwrap();
    assert_eq!(check().code, 0, "the longer one claims only its own lines");
    fs::write(&file, format!("known_lines:\n{entry}{entry}")).unwrap();
    let twice = check();
    assert!(
        twice.code == 4 && twice.stderr.contains("own.yaml:2:9: known-lines/own.yaml:8 claims"),
        "{}",
        twice.stderr
    );
}

#[test]
fn the_rancher_collection_shows_its_troubles_without_rules() {
    let Some(bundle) = corpus("rancher-rke2-server-2025-11-27.tar.gz") else { return };
    let found = analysis(&bundle, &[WITHOUT_RULES]);
    let errors = errors(&found);
    assert_one_has(&errors[..5], "timeout or abort while handling method <*> URI <*>");
    assert_one_has(&errors, "rejected connection on peer endpoint");
    assert_one_has(&errors, "no endpoints available for service <*>");
    assert_eq!(texts(&found["unhealthy"]["warnings"], "/reason"), ["DNSConfigForming"]);
    let found = analysis(&bundle, &[]);
    assert_eq!(texts(&found["unhealthy"]["warnings"], "/reason"), Vec::<String>::new(), "a finding is made of them");
}

/// What findings are about is not listed a second time.
#[test]
fn the_harvester_bundle_shows_what_its_findings_do_not() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    let found = analysis(&bundle, &[]);
    let errors = errors(&found);
    assert_one_has(&errors, "failed to attach rpc error code DeadlineExceeded");
    let samples = texts(&found["unexplained"]["entries"], "/sample").join("\n");
    for known in ["EXT4", "fsck", "longhorn-storageclass", "pvc-ce3fa571", "pvc-232180f3"] {
        assert!(!samples.contains(known), "{known}: {samples}");
    }
}

#[test]
fn containers_that_ended_together_are_listed_once_and_with_their_last_lines() {
    let Some(bundle) = corpus("troubleshoot-k3s-2022.tar.gz") else { return };
    assert_eq!(troubles(&analysis(&bundle, &[])), Vec::<String>::new(), "a finding says so");
    let alone = analysis(&bundle, &[WITHOUT_RULES]);
    assert_one_has(&troubles(&alone), "ended at the same second as containers of 3 other pods");
    let log = &alone["unhealthy"]["objects"][0]["members"][0]["log_end"];
    assert!(log["entry"].as_str().unwrap().ends_with("-previous.log"), "{log}");
    assert_eq!((log["lines"].as_array().unwrap().len(), &log["line"]), (10, &Value::from(260)), "{log}");
}

#[test]
fn what_a_healthy_cluster_says_is_counted_and_the_news_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let (before, now) = (folder.path().join("before.zip"), folder.path().join("now.zip"));
    let mut files = files_below(&sample("tiller-failed-upgrade"));
    zip(&before, "bundle", &files);
    let (_, log) =
        files.iter_mut().find(|(name, _)| name.contains("logs/kube-system/") && name.ends_with(".log")).unwrap();
    log.extend(b"2026-03-01T09:00:00Z level=warning msg=\"the moon is full\"\n");
    zip(&now, "bundle", &files);
    let before = before.to_str().unwrap();
    let found = analysis(&now, &["--baseline-bundle", before, WITHOUT_RULES]);
    assert_eq!(found["unexplained"]["entries"][0]["template"], "msg the moon is full");
    assert_eq!(found["unexplained"]["entries"][0]["why"][0], "not in the baseline");
    assert!(found["unexplained"]["templates_left_out"]["usual"].as_u64() > Some(0), "{}", found["unexplained"]);
    let alone = analysis(&now, &[WITHOUT_RULES]);
    assert_eq!(alone["unexplained"]["templates_left_out"].get("usual"), None);
    let refused = |more: [&str; 3]| {
        let args = ["analyze", now.to_str().unwrap(), "--quiet", "-o", "r.json"];
        gleaner_in(folder.path(), args.into_iter().chain(more)).code
    };
    assert_eq!(refused(["--baseline-bundle", "./now.zip", "--timings"]), 2);
    assert_eq!(refused(["--baseline-bundle", before, "--unexplained=0"]), 2);
    assert_eq!(refused(["--baseline-bundle", "none.zip", "--timings"]), 3);
    assert!(!folder.path().join("r.json").exists());
}

/// A rule that would fire on the data is not clean where the data cannot be read, and the report says why.
#[test]
fn data_that_cannot_be_read_is_not_clean() {
    const NODE: &str = "find: {f: {file: {path: 'nodes/*/configs/a.yaml', as: yaml}, where: f.data.mode == 'bad'}}";
    const JOURNAL: &str = "find: {f: {log: kubelet, match: 'boom happened here'}}";
    const MAP: &str = "find: {f: {resource: configmaps, where: f.data.mode == 'bad'}}";
    let map = |data: &str| {
        format!(
            "apiVersion: v1\nitems:\n- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: demo}}, data: {data}}}\nkind: List\n"
        )
    };
    let map_path = "yamls/namespaced/demo/v1/configmaps.yaml";
    let rows = [
        (NODE, "nodes/n1/configs/a.yaml", "mode: [bad\n".to_owned(), "may be missing: invalid YAML"),
        (NODE, "nodes/n1/configs/a.yaml", "\n".to_owned(), "holds no document"),
        (NODE, "nodes/n1/configs/a.yaml", "mode: good\n---\nmode: bad\n".to_owned(), "several documents"),
        (NODE, "nodes/n1/configs/a.yaml", "mode: bad\nmode: good\n".to_owned(), "given twice"),
        (NODE, "nodes/n1/configs/a.yaml", "mode: '***HIDDEN***'\n".to_owned(), "withheld"),
        (NODE, "nodes/n1/configs/a.yaml", "'***HIDDEN***'\n".to_owned(), "withheld"),
        (
            JOURNAL,
            "nodes/n1/logs/kubelet.log",
            "Failed to open journal: Permission denied\n".to_owned(),
            "no log of kubelet",
        ),
        (MAP, map_path, map("{mode: '[REDACTED]'}"), "withheld"),
        (MAP, map_path, map("'mode: bad'"), "text has no field mode"),
        (MAP, map_path, map("{mode: bad}, data: {}"), "could not be read"),
    ];
    for (rule, path, text, reason) in rows {
        let folder = tempfile::tempdir().unwrap();
        let rule = format!(
            "id: asked\ntitle: t\nseverity: high\nconfidence: certain\narea: node\n{rule}\nabout: [f]\nmessage: m\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
        );
        fs::write(folder.path().join("asked.yaml"), rule).unwrap();
        let files = [
            ("metadata.yaml", "bundleCreatedAt: \"2024-05-06T07:08:09Z\"\n"),
            (
                "yamls/cluster/v1/nodes.yaml",
                "apiVersion: v1\nitems: [{apiVersion: v1, kind: Node, metadata: {name: n1}}]\nkind: List\n",
            ),
            (path, &text),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let bundle = folder.path().join("b.zip");
        zip(&bundle, "sb", &files);
        let found = analysis(&bundle, &["--rules", folder.path().to_str().unwrap(), WITHOUT_RULES]);
        let open = [&found["rules"]["not_evaluated"], &found["rules"]["clean_partly"]];
        let told: Vec<String> = open.into_iter().flat_map(|list| texts(list, "/reason")).collect();
        assert!(told.len() == 1 && told[0].contains(reason), "{path}: {text}\n{}", found["rules"]);
    }
}

/// What ended the container before is over where the one that replaced it has run for long.
#[test]
fn the_end_of_a_container_that_was_replaced_comes_after_what_goes_on() {
    let log = |hour: u8| {
        let line = |minute: u8, text: &str| format!("2025-03-06T{hour:02}:{minute:02}:00.000000000Z {text}\n");
        [
            line(0, "starting"),
            line(30, "E0306 00:00:00.000000       1 x.go:9] cannot reach the store"),
            line(59, "done"),
        ]
        .concat()
    };
    let ended = "2025-03-06T07:58:00.000000000Z starting\n2025-03-06T07:59:00.000000000Z F0306 07:59:00.000000       1 x.go:9] leaderelection lost\n";
    let files = [
        ("metadata.yaml", "bundleCreatedAt: \"2025-03-06T10:00:00Z\"\n".to_owned()),
        ("yamls/cluster/v1/nodes.yaml", "apiVersion: v1\nitems: []\nkind: List\n".to_owned()),
        ("logs/shop/web-0/app.log.1", ended.to_owned()),
        ("logs/shop/web-0/app.log", log(8) + &log(9)),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.into_bytes()));
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("b.zip");
    zip(&bundle, "sb", &files);
    let found = errors(&analysis(&bundle, &[WITHOUT_RULES]));
    assert!(found[0].contains("cannot reach the store") && found[1].contains("leaderelection lost"), "{found:#?}");
}
