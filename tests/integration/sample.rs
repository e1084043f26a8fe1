//! `gleaner sample`: the rule fires on its output, its test passes, and it is small and does not identify the cluster.

use std::fs;
use std::path::Path;

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::rule::{Streams, compile, load};
use gleaner::internals::sample::{self, Bounds, Request};
use serde_json::Value;

use crate::harness::{Answer, analysis, corpus, files_below, gleaner_in, sample as sample_of};

fn run(bundle: &Path, rule: &str, out: &Path, more: &[&str]) -> Answer {
    let args = ["sample", bundle.to_str().unwrap(), "--rule", rule, "-o", out.to_str().unwrap()];
    gleaner_in(Path::new("."), args.iter().chain(more).copied())
}

/// The severity of the first finding of a rule.
fn severity(found: &Value, rule: &str) -> String {
    let findings = found["findings"].as_array().unwrap();
    let first = findings.iter().find(|finding| finding["rule"] == rule);
    first.map(|finding| finding["severity"].as_str().unwrap().to_owned()).unwrap_or_default()
}

/// Checks what every sample must meet; returns all its files as one text.
fn check(bundle: &Path, rule: &str, out: &Path, more: &[&str]) -> String {
    let answer = run(bundle, rule, out, more);
    assert_eq!(answer.code, 0, "{rule}: {}", answer.stderr);
    let (whole, part) = (analysis(bundle, &rules_of(more)), analysis(&out.join("bundle"), &rules_of(more)));
    assert_eq!(part["bundle"]["kind"], whole["bundle"]["kind"], "{rule}");
    assert_eq!(severity(&part, rule), severity(&whole, rule), "{rule}");
    assert_eq!(part["issues"].as_array().unwrap().len(), 0, "{rule}: {}", part["issues"]);
    let tested = gleaner_in(out, ["rules", "test", "."]);
    assert_eq!((tested.stdout.as_str(), tested.code), ("1 passed, 0 failed\n", 0), "{rule}: {}", tested.stderr);
    let files = files_below(out);
    let of_bundle = files.iter().filter(|(path, _)| path.starts_with("bundle/"));
    let (count, bytes) = of_bundle.fold((0, 0), |(count, sum), (_, bytes)| (count + 1, sum + bytes.len()));
    assert!(count <= 10 && bytes <= 4_000, "{rule}: {count} files, {bytes} bytes");
    let is_ours = |path: &str| path.starts_with("rules/");
    let texts = files.into_iter().filter(|(path, _)| !is_ours(path));
    texts.map(|(path, bytes)| format!("{path}\n{}\n", String::from_utf8(bytes).unwrap())).collect()
}

fn rules_of<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let at = more.iter().position(|arg| *arg == "--rules");
    at.map(|at| more[at..at + 2].to_vec()).unwrap_or_default()
}

/// Samples of objects, events, logs, absence and releases: a bundle, a rule that fires on it, and names in it.
const OURS: [(&str, &str, &[&str]); 4] = [
    ("stale-managed-chart", "k8s-pod-oomkilled", &["hv-node", "inventory-export"]),
    ("hook-deleted-configmap", "pod-failedmount-configmap-not-found", &["hv-node", "shop-"]),
    ("orphans-behind-webhook", "orphan-replicaset", &["shop-web"]),
    ("tiller-failed-upgrade", "helm2-no-resource-with-the-name-found", &["hv-node"]),
];

#[test]
fn samples_of_our_bundles_fire_and_pass_their_tests() {
    for (bundle, rule, names) in OURS {
        let folder = tempfile::tempdir().unwrap();
        let text = check(&sample_of(bundle), rule, &folder.path().join("out"), &[]);
        for name in names.iter().chain(&["stale-managed-chart/", "/samples/", "192.168."]) {
            assert!(!text.contains(name), "{rule}: {name} in {text}");
        }
        assert!(text.contains(&format!("`gleaner sample --rule {rule}`")));
    }
}

#[test]
fn the_same_bundle_gives_the_same_sample() {
    let folder = tempfile::tempdir().unwrap();
    let written = ["a", "b"].map(|name| {
        let out = folder.path().join(name);
        assert_eq!(run(&sample_of("tiller-failed-upgrade"), "helm-tiller-present", &out, &["--quiet"]).stdout, "");
        files_below(&out)
    });
    assert_eq!(written[0], written[1]);
}

#[test]
fn a_rule_that_does_not_fire_says_its_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let healthy = sample_of("healthy");
    for (rule, says) in [
        ("longhorn-volume-degraded", "is clean on this bundle"),
        ("longhorn-volume-degradet", "did you mean"),
        ("rancher-agent-cannot-resolve-server", ""),
    ] {
        let out = folder.path().join("out");
        let answer = run(&healthy, rule, &out, &[]);
        assert_eq!(answer.code, 2, "{rule}: {}", answer.stdout);
        assert!(answer.stderr.starts_with("error: ") && answer.stderr.contains(says), "{}", answer.stderr);
        assert!(!out.exists());
    }
    fs::write(folder.path().join("there"), "x").unwrap();
    let answer = run(&sample_of("tiller-failed-upgrade"), "helm-tiller-present", folder.path(), &[]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("exists and is not an empty folder"), "{}", answer.stderr);
}

#[test]
fn a_finding_is_selected_by_its_fingerprint() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("in");
    let pod = |name: &str| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a}}, status: {{phase: Failed, reason: R{name}}}}}\n"
        )
    };
    write(
        &bundle,
        "yamls/namespaced/a/v1/pods.yaml",
        &format!("apiVersion: v1\nkind: List\nitems:\n{}{}", pod("one"), pod("two")),
    );
    let rules = rule(folder.path(), "pod.status.phase == 'Failed' && pod.status.reason != null");
    let found = analysis(&bundle, &["--rules", &rules]);
    let of_two = found["findings"].as_array().unwrap().iter().find(|f| f["objects"][0]["name"] == "two").unwrap();
    let print = &of_two["fingerprint"].as_str().unwrap()[..12];
    let out = folder.path().join("out");
    let text = check(&bundle, "own-rule", &out, &["--rules", &rules, "--finding", print]);
    assert!(text.contains("Rtwo") && !text.contains("Rone"), "{text}");
    let answer = run(&bundle, "own-rule", &folder.path().join("no"), &["--rules", &rules, "--finding", "zz"]);
    assert!(answer.code == 2 && answer.stderr.contains(print), "{}", answer.stderr);
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Makes a folder with a rule about pods for which a condition is true.
fn rule(folder: &Path, holds: &str) -> String {
    let text = format!(
        "id: own-rule\ntitle: \"{{{{ pod }}}} is bad\"\nseverity: high\nconfidence: certain\narea: workload\n\
         find: {{pod: {{resource: pods, where: \"{holds}\"}}}}\nmessage: m\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
    );
    write(folder, "mine/rules/workload/own-rule.yaml", &text);
    folder.join("mine").to_str().unwrap().to_owned()
}

/// A bundle of a customer whose names stand everywhere.
const CUSTOMER: &str = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: zork-pay-0\n    \
    namespace: zork-prod\n    annotations: {owner: jo.doe@zork.de, note: 'call Jo'}\n  spec:\n    nodeName: rack7.zork.de\n    containers:\n    \
    - {name: zork-pay, image: registry.zork.de/pay:1, env: [{name: DB_PASSWORD, value: hunter22}]}\n  status:\n    phase: Failed\n    \
    hostIP: 10.17.3.9\n    message: zork-pay-0 on rack7 cannot reach 10.17.3.9 of jo.doe@zork.de, ask https://wiki.zork.de/x\n";

#[test]
fn private_names_are_replaced_and_never_kept_silently() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("zork-ticket-4711");
    write(&bundle, "yamls/namespaced/zork-prod/v1/pods.yaml", CUSTOMER);
    let rules = rule(
        folder.path(),
        "pod.status.message.contains('cannot reach') && pod.spec.nodeName != null && pod.spec.containers.exists(c, c.image != null)",
    );
    let text = check(&bundle, "own-rule", &folder.path().join("out"), &["--rules", &rules]);
    for name in ["zork", "rack7", "10.17.", "doe", "hunter22", "call Jo", "4711"] {
        assert!(!text.to_lowercase().contains(&name.to_lowercase()), "{name} in {text}");
    }
    assert!(text.contains("192.0.2.2 of user-1@example.com"), "{text}");

    let rules = rule(folder.path(), "pod.status.hostIP == '10.17.3.9'");
    let out = folder.path().join("needs");
    let answer = run(&bundle, "own-rule", &out, &["--rules", &rules]);
    assert!(answer.code == 2 && answer.stderr.contains("--keep 10.17.3.9"), "{}", answer.stderr);
    assert!(!out.exists());
    let text = check(&bundle, "own-rule", &out, &["--rules", &rules, "--keep", "10.17.3.9"]);
    assert!(text.contains("hostIP: 10.17.3.9") && text.contains("because of `--keep`: `10.17.3.9`"), "{text}");

    let rules = rule(folder.path(), "pod.metadata.namespace == 'zork-prod'");
    let out = folder.path().join("named");
    let text = check(&bundle, "own-rule", &out, &["--rules", &rules]);
    assert!(text.contains("does not fire without them: `zork-prod`"), "{text}");
}

#[test]
fn rows_of_tables_are_sampled() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("rack7-2025-03-06_10_15_30");
    let table = "NAMESPACE   NAME         READY   STATUS             RESTARTS   AGE   IP           NODE    NOMINATED NODE   READINESS GATES\n\
                 zork-prod   zork-pay-0   0/1     CrashLoopBackOff   12         5d    10.42.0.17   rack7   <none>           <none>\n\
                 zork-prod   zork-web-0   1/1     Running            0          5d    10.42.0.18   rack7   <none>           <none>\n";
    write(&bundle, "rke2/kubectl/pods", table);
    write(
        &bundle,
        "rke2/kubectl/nodes",
        "NAME    STATUS   ROLES                       AGE   VERSION\nrack7   Ready    control-plane,etcd,master   5d    v1.31.1+rke2r1\n",
    );
    write(&bundle, "systeminfo/hostname", "rack7\n");
    write(&bundle, "collector-output.log", "");
    let rules = rule(folder.path(), "columns(pod).STATUS == 'CrashLoopBackOff'");
    let text = check(&bundle, "own-rule", &folder.path().join("out"), &["--rules", &rules]);
    assert!(!text.contains("zork") && !text.contains("rack7") && !text.contains("Running"), "{text}");
    assert!(text.contains("layout: rancher"), "{text}");
}

#[test]
fn limits_stop_the_work_and_are_reported() {
    let bundle = Bundle::open(&sample_of("stale-managed-chart"), Limits::default()).unwrap();
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams).unwrap();
    let rules = compile(loaded.sources, &streams).unwrap().subset(&["longhorn-volume-degraded".to_owned()]).unwrap();
    let request = |bounds| Request { rule: &rules, streams: &streams, finding: None, keep: &[], published: "", bounds };
    let few = sample::make(&bundle, request(Bounds { runs: 40, ..Bounds::default() }), &());
    assert!(few.is_err() || few.is_ok_and(|sample| sample.notes.cut_short && sample.notes.runs <= 40));
    let held = sample::make(&bundle, request(Bounds { held: 1_000, ..Bounds::default() }), &()).unwrap_err();
    assert!(held.to_string().contains("entries were left out"), "{held}");
}

#[test]
fn rules_that_fire_on_a_real_bundle_give_samples() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    let whole = analysis(&bundle, &[]);
    // Packed objects and their drift, absence with logs, a large log.
    for rule in ["fleet-modified-drift", "longhorn-volume-pv-without-volume-cr", "node-kernel-ext4-error"] {
        let folder = tempfile::tempdir().unwrap();
        let text = check(&bundle, rule, &folder.path().join("out"), &[]);
        let of_uids = whole["findings"].as_array().unwrap().iter().flat_map(|f| f["objects"].as_array().unwrap());
        let of_uids = of_uids.filter_map(|object| object["name"].as_str()?.strip_prefix("pvc-"));
        let nodes = whole["bundle"]["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str());
        for name in of_uids.chain(nodes).chain(["172.16.", "10.52."]) {
            assert!(!text.contains(name), "{rule}: {name} in {text}");
        }
    }
}
