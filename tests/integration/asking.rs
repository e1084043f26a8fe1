//! `gleaner logs` and `gleaner grep`: the lines that a bundle has, in order, without secrets and, if asked, without names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Answer, corpus, gleaner_in, sample, zip};

/// Runs a command on a bundle.
fn ask(command: &str, bundle: &Path, args: &[&str]) -> Answer {
    gleaner_in(Path::new("."), [command, bundle.to_str().unwrap()].iter().chain(args))
}

/// Runs a command that must answer.
fn told(command: &str, bundle: &Path, args: &[&str]) -> String {
    let answer = ask(command, bundle, args);
    assert_eq!(answer.code, 0, "{command} {args:?}: {}", answer.stderr);
    answer.stdout
}

fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Lines of container `app`, of its sidecar, and of the instance before.
fn app() -> String {
    let line = |n: u32| {
        let level = if n % 10 == 3 { "error" } else { "info" };
        format!(
            "2024-03-06T10:{:02}:{:02}.5Z time=\"2024-03-06T10:00:00Z\" level={level} msg=\"step {n}\"\n",
            n / 60,
            n % 60
        )
    };
    let trace = "2024-03-06T10:02:00Z time=\"2024-03-06T10:02:00Z\" level=error msg=\"password=hunter2secret refused\"\n\
                 2024-03-06T10:02:00Z \tmain.go:12\n2024-03-06T10:02:00Z \u{1b}[31mred\u{1b}[0m \u{202e}back on alpha-7.acme.de\n";
    (0..120).map(line).collect::<String>() + trace
}

fn sidecar() -> String {
    (0..30).map(|n| format!("2024-03-06T10:{:02}:00.25Z sidecar beat {n} from alpha-7\n", n)).collect()
}

/// A bundle of the kit with two pods, a node with rotated files, and a journal without years that crosses the turn of one.
fn bundle(folder: &TempDir) -> PathBuf {
    let node: Vec<(String, Vec<u8>)> = vec![
        ("node/logs/syslog".to_owned(), b"2024-03-06T09:02:00Z alpha-7 x: third\n2024-03-06T09:03:00Z alpha-7 x: fourth\n".to_vec()),
        ("node/logs/syslog.1".to_owned(), b"2024-03-06T09:01:00Z alpha-7 x: second\n".to_vec()),
        ("node/logs/syslog.2.gz".to_owned(), gzip(b"2024-03-06T09:00:00Z alpha-7 x: first\n")),
        ("node/logs/kernel.log".to_owned(), b"Dec 30 10:00:00 alpha-7 kernel: old\nJan 02 10:00:00 alpha-7 kernel: new\nMar 05 10:00:00 alpha-7 kernel: newer\n".to_vec()),
    ];
    let inner = folder.path().join("alpha-7.zip");
    let node: Vec<(String, Vec<u8>)> =
        node.into_iter().map(|(name, bytes)| (name.replacen("node/", "", 1), bytes)).collect();
    zip(&inner, "alpha-7", &node);
    let nodes = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: alpha-7\n";
    let secret = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: login\n  data:\n    user: Z3JhY2VmdWxob3JzZQ==\n";
    let files: Vec<(&str, Vec<u8>)> = vec![
        (
            "metadata.yaml",
            b"bundleversion: 0.1.0\nkubernetesversion: v1.27.1+rke2r1\nbundlecreatedat: \"2024-03-06T12:00:00Z\"\n"
                .to_vec(),
        ),
        ("bundleGenerationError.log", Vec::new()),
        ("logs/demo/web-0/app.log", app().into_bytes()),
        ("logs/demo/web-0/app.log.1", b"2024-03-06T08:00:00Z went down\n".to_vec()),
        ("logs/demo/web-0/sidecar.log", sidecar().into_bytes()),
        (
            "logs/demo/api-0/api.log",
            b"2024-03-06T10:00:10.7Z served\nwithout a stamp\n2024-03-06T10:00:20Z served\n".to_vec(),
        ),
        ("logs/other/api-0/api.log", b"2024-03-06T10:00:10.7Z other\n".to_vec()),
        ("yamls/cluster/v1/nodes.yaml", nodes.as_bytes().to_vec()),
        ("yamls/namespaced/demo/v1/secrets.yaml", secret.as_bytes().to_vec()),
        ("nodes/alpha-7.zip", fs::read(&inner).unwrap()),
    ];
    let files: Vec<(String, Vec<u8>)> = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    let path = folder.path().join("bundle.zip");
    zip(&path, "supportbundle_x_2024-03-06T12-00-00Z", &files);
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

#[test]
fn a_log_is_shown_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    let shown = told("logs", &bundle, &["web-0", "-c", "app"]);
    let wanted = app()
        .replace("hunter2secret", "***")
        .replace("\u{1b}[31m", "")
        .replace("\u{1b}[0m", "")
        .replace('\u{202e}', "<U+202E>");
    assert_eq!(shown, wanted);
    for target in ["demo/web-0/app", "logs/demo/web-0/app.log"] {
        assert_eq!(told("logs", &bundle, &[target]), wanted, "{target}");
    }
    assert_eq!(told("logs", &bundle, &["pod/web-0", "-n", "demo", "-p"]), "2024-03-06T08:00:00Z went down\n");
    assert_eq!(told("logs", &bundle, &["demo/web-0/app:previous"]), "2024-03-06T08:00:00Z went down\n");
    let tail: Vec<&str> = wanted.lines().rev().take(5).collect();
    let shown = told("logs", &bundle, &["web-0", "-c", "app", "--tail", "5"]);
    assert_eq!(shown.lines().rev().collect::<Vec<_>>(), tail);
}

#[test]
fn several_logs_are_merged_by_time() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    let merged = json(&told("logs", &bundle, &["web-0", "--all-containers", "-o", "json"]));
    assert_eq!(merged.len(), 123 + 30);
    let times: Vec<&str> = merged.iter().map(|line| line["time"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by_key(|time| time.parse::<jiff::Timestamp>().unwrap()), "{times:?}");
    let sources: BTreeSet<&str> = merged.iter().map(|line| line["source"].as_str().unwrap()).collect();
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), ["demo/web-0/app", "demo/web-0/sidecar"]);
    let text = told("logs", &bundle, &["web-0", "--all-containers", "--tail", "2", "--timestamps"]);
    assert_eq!(
        text,
        "2024-03-06T10:28:00.250Z  sidecar  2024-03-06T10:28:00.25Z sidecar beat 28 from alpha-7\n\
         2024-03-06T10:29:00.250Z  sidecar  2024-03-06T10:29:00.25Z sidecar beat 29 from alpha-7\n"
    );
    // A line without a stamp stays behind the one above it.
    let api = told("logs", &bundle, &["api-*", "--timestamps"]);
    let texts: Vec<&str> = api.lines().map(|line| line.rsplit("  ").next().unwrap()).collect();
    assert_eq!(texts[..2], ["2024-03-06T10:00:10.7Z served", "without a stamp"]);
    assert_eq!(texts[2..], ["2024-03-06T10:00:10.7Z other", "2024-03-06T10:00:20Z served"]);
}

#[test]
fn rotated_and_yearless_logs_of_a_node_are_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    let words = |text: &str| text.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(words(&told("logs", &bundle, &["node/alpha-7/syslog"])), ["first", "second", "third", "fourth"]);
    let all = told("logs", &bundle, &["node/alpha-7", "--timestamps"]);
    assert_eq!(words(&all), ["old", "new", "newer", "first", "second", "third", "fourth"]);
    for args in
        [&["node/alpha-7", "-c", "kernel", "--timestamps"][..], &["node/alpha-7", "--tail", "7", "--timestamps"]]
    {
        let text = told("logs", &bundle, args);
        assert!(text.starts_with("2023-12-30T10:00:00.000Z"), "{text}");
    }
    let old = told("grep", &bundle, &["old|new", "--by", "day"]);
    assert_eq!(old, "DAY          COUNT\n2023-12-30   1\n2024-01-02   1\n2024-03-05   1\n");
}

#[test]
fn lines_are_chosen_by_time_and_level() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    let count = |args: &[&str]| told("logs", &bundle, args).lines().count();
    for (args, lines) in [
        (&["--since", "2024-03-06T10:01:30"][..], 33),
        (&["--since", "1h59m", "--until", "2024-03-06T10:01:09.5Z"], 10),
        (&["--around", "2024-03-06T10:01:00.5Z", "--within", "2s"], 5),
        (&["--around", "2024-03-06T10:01", "--tail", "4"], 4),
        (&["--level", "error"], 12 + 3),
        (&["--level", "fatal"], 0),
    ] {
        assert_eq!(count(&[&["demo/web-0/app"], args].concat()), lines, "{args:?}");
    }
    let answer = ask("logs", &bundle, &["web-0", "-c", "app", "--since", "soon"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("such as 90s, 2h or 3d4h, or a time in UTC"), "{}", answer.stderr);
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    for (args, code, said) in [
        (&["web"][..], 3, "no log of pod web; logs of pods with such a name: demo/web-0"),
        (&["wbe-0"], 3, "no log of pod wbe-0; logs of pods with such a name: demo/web-0"),
        (
            &["web-0", "-c", "apq"],
            3,
            "no log of container apq of pod web-0; it has: app, app (previous instance: -p), sidecar",
        ),
        (
            &["web-0", "-c", "sidecar", "-p"],
            3,
            "no log of the previous instance of container sidecar of pod web-0; it has: app",
        ),
        (&["web-0", "-n", "other"], 3, "no log of pod web-0 in namespace other"),
        (&["node/beta"], 3, "no log of node beta; nodes with logs: alpha-7"),
        (&["node/alpha-7/kubelet"], 3, "no log kubelet of node alpha-7; it has: kernel, syslog"),
        (&["logs/demo/web.log"], 3, "no entry logs/demo/web.log"),
        (&["web-0"], 2, "choose one with -c, or all of them with --all-containers: app, sidecar"),
        (&["api-0"], 2, "choose one with -n: demo, other"),
    ] {
        let answer = ask("logs", &bundle, args);
        assert!(answer.code == code && answer.stderr.contains(said), "{args:?}: {} {}", answer.code, answer.stderr);
        assert_eq!(answer.stdout, "", "{args:?}");
    }
}

#[test]
fn grep_finds_counts_and_shows_context() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    assert_eq!(told("grep", &bundle, &["step 1", "--count"]), "31\n");
    assert_eq!(told("grep", &bundle, &["STEP 11[0-9]", "-i", "--count"]), "10\n");
    assert_eq!(told("grep", &bundle, &["served", "-l"]), "logs/demo/api-0/api.log\n");
    assert_eq!(
        told("grep", &bundle, &["beat|step", "--by", "source"]),
        "SOURCE               COUNT\ndemo/web-0/app       120\ndemo/web-0/sidecar   30\n"
    );
    let by = json(&told(
        "grep",
        &bundle,
        &["beat|step", "--by", "minute,source", "--until", "2024-03-06T10:01:59", "-o", "json"],
    ));
    let by: Vec<String> =
        by.iter().map(|row| format!("{} {} {}", row["minute"], row["source"], row["count"])).collect();
    assert_eq!(
        by,
        [
            "\"2024-03-06T10:00\" \"demo/web-0/app\" 60",
            "\"2024-03-06T10:00\" \"demo/web-0/sidecar\" 1",
            "\"2024-03-06T10:01\" \"demo/web-0/app\" 59",
            "\"2024-03-06T10:01\" \"demo/web-0/sidecar\" 1",
        ]
    );
    assert_eq!(
        told("grep", &bundle, &["-F", "\"step 7\"", "-C", "1", "-H"])
            .lines()
            .map(|line| line.replacen("2024-03-06T", "", 2))
            .collect::<Vec<_>>(),
        [
            "10:00:06.500Z  logs/demo/web-0/app.log:7 -  10:00:06.5Z time=\"2024-03-06T10:00:00Z\" level=info msg=\"step 6\"",
            "10:00:07.500Z  logs/demo/web-0/app.log:8  10:00:07.5Z time=\"2024-03-06T10:00:00Z\" level=info msg=\"step 7\"",
            "10:00:08.500Z  logs/demo/web-0/app.log:9 -  10:00:08.5Z time=\"2024-03-06T10:00:00Z\" level=info msg=\"step 8\"",
        ]
    );
    // Contexts that touch are one block; others are apart.
    let blocks = told("grep", &bundle, &["step (3|5|9)\"", "-A", "1", "-B", "1"]);
    let steps: Vec<&str> =
        blocks.lines().map(|line| line.rsplit("step ").next().unwrap().trim_end_matches('"')).collect();
    assert_eq!(steps, ["2", "3", "4", "5", "6", "--", "8", "9", "10"]);
    let first = ask("grep", &bundle, &["step", "--max", "2"]);
    assert_eq!((first.stdout.lines().count(), first.stderr.as_str()), (2, "note: the first 2 of 120 matches\n"));
    let none = ask("grep", &bundle, &["nowhere"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    let bad = ask("grep", &bundle, &["a("]);
    assert!(bad.code == 2 && bad.stderr.contains("-F takes it as plain text"), "{}", bad.stderr);
    let one = told("grep", &bundle, &["served|other", "--source", "demo/*/*", "--count"]);
    assert_eq!(one, "2\n");
}

#[test]
fn secrets_are_masked_in_every_text() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    let shown = told("grep", &bundle, &["hunter2|user:", "--in", "all", "-H"]);
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.contains("password=*** refused") && !shown.contains("Z3Jh"), "{shown}");
    assert_eq!(ask("grep", &bundle, &["kind: Secret"]).code, 1);
    assert_eq!(
        told("grep", &bundle, &["kind: Secret", "--in", "dumps", "-l"]),
        "yamls/namespaced/demo/v1/secrets.yaml\n"
    );
    let shown = told("logs", &bundle, &["yamls/namespaced/demo/v1/secrets.yaml"]);
    assert!(shown.contains("name: login") && shown.contains("***") && !shown.contains("Z3Jh"), "{shown}");
}

#[test]
fn redaction_leaves_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(&folder);
    for (command, args) in [
        ("logs", &["web-0", "--all-containers", "--redact"][..]),
        ("logs", &["node/alpha-7", "--redact", "-o", "json"]),
        ("grep", &["alpha", "--in", "all", "--redact", "-H"]),
        ("grep", &["alpha", "--by", "source,entry", "--redact"]),
        ("grep", &["alpha", "-l", "--redact"]),
    ] {
        let shown = told(command, &bundle, args);
        assert!(
            !shown.is_empty() && !shown.contains("alpha") && !shown.contains("acme"),
            "{command} {args:?}: {shown}"
        );
    }
    // The pseudonym of a report.
    let report = crate::harness::analysis(&bundle, &["--redact"]);
    let name = report["bundle"]["nodes"][0]["name"].as_str().unwrap();
    assert!(
        told("logs", &bundle, &["node/alpha-7/kernel", "--redact"]).contains(&format!(" {name} kernel: old")),
        "{name}"
    );
}

#[test]
fn threads_make_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let own = bundle(&folder);
    let bundles =
        [Some(own), corpus("harvester-v1.0-single-node.zip"), corpus("rancher-rke2-server-2025-11-27.tar.gz")];
    for bundle in bundles.iter().flatten() {
        for args in [
            &["error|beat", "-H", "--max", "300"][..],
            &["failed|step", "-C", "2", "--max", "100"],
            &["e", "--by", "hour,source"],
        ] {
            let [one, eight] =
                ["1", "8"].map(|threads| told("grep", bundle, &[args, &["--threads", threads]].concat()));
            assert!(one == eight, "{} {args:?}", bundle.display());
        }
    }
}

fn find(line: &[u8], text: &[u8]) -> Option<usize> {
    line.windows(text.len()).position(|part| part == text)
}

/// The lines of each entry of a zip, nested zips included, that a test accepts, by path of the entry.
fn counted(
    archive: &mut zip::ZipArchive<std::io::Cursor<Vec<u8>>>,
    below: &str,
    accepts: &dyn Fn(&[u8]) -> bool,
    found: &mut BTreeMap<String, u64>,
) {
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        if file.is_dir() {
            continue;
        }
        let name = file.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        if name.ends_with(".zip") {
            let mut inner = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
            counted(&mut inner, &format!("{below}{name}!/"), accepts, found);
        } else {
            let lines = bytes.split(|b| *b == b'\n').filter(|line| accepts(line)).count() as u64;
            found.insert(format!("{below}{name}"), lines);
        }
    }
}

#[test]
fn grep_counts_as_unzip_and_grep_do() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    for (pattern, is_match) in [
        ("EXT4-fs error", &(|line: &[u8]| find(line, b"EXT4-fs error").is_some()) as &dyn Fn(&[u8]) -> bool),
        ("127.0.0.1:2399", &|line: &[u8]| find(line, b"127.0.0.1:2399").is_some()),
        ("^E[0-9]", &|line: &[u8]| line.first() == Some(&b'E') && line.get(1).is_some_and(u8::is_ascii_digit)),
        ("DeadlineExceeded", &|line: &[u8]| find(line, b"DeadlineExceeded").is_some()),
    ] {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(fs::read(&bundle).unwrap())).unwrap();
        let mut wanted = BTreeMap::new();
        counted(&mut archive, "", is_match, &mut wanted);
        let top = wanted.keys().next().unwrap().split_once('/').unwrap().0.to_owned() + "/";
        let is_log = |path: &str| path.starts_with("logs/") || path.contains(".zip!/") && path.contains("/logs/");
        let wanted: BTreeMap<String, u64> = wanted
            .into_iter()
            .map(|(path, count)| (path.replacen(&top, "", 1), count))
            .filter(|(path, count)| is_log(path) && *count > 0)
            .collect();
        let pattern = pattern.replace('.', "\\.");
        let answer = ask("grep", &bundle, &[&pattern, "--by", "entry", "-o", "json"]);
        let found: BTreeMap<String, u64> = json(&answer.stdout)
            .iter()
            .map(|row| (row["entry"].as_str().unwrap().to_owned(), row["count"].as_u64().unwrap()))
            .collect();
        assert_eq!(found, wanted, "{pattern}");
        let all: u64 = wanted.values().sum();
        assert_eq!(ask("grep", &bundle, &[&pattern, "--count"]).stdout, format!("{all}\n"));
        // To show all of them takes long without optimisation.
        if all < 20_000 {
            assert_eq!(ask("grep", &bundle, &[&pattern, "-o", "json"]).stdout.lines().count() as u64, all);
        }
    }
}

#[test]
fn logs_of_real_pods_are_their_entries() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(fs::read(&bundle).unwrap())).unwrap();
    let names: Vec<String> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .filter(|name| name.contains("/logs/") && name.ends_with(".log"))
        .collect();
    assert!(names.len() > 20);
    for name in names {
        let mut text = String::new();
        archive.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
        let path = name.split_once('/').unwrap().1;
        let parts: Vec<&str> = path.split('/').collect();
        let target = format!("{}/{}/{}", parts[1], parts[2], parts[3].trim_end_matches(".log"));
        let shown = told("logs", &bundle, &[&target]);
        // Secrets are masked; nothing else differs.
        for (shown, written) in shown.lines().zip(text.lines()) {
            if shown != written {
                let mut rest = written;
                for part in shown.split("***") {
                    let at = rest.find(part).unwrap_or_else(|| panic!("{target}\n{shown}\n{written}"));
                    rest = &rest[at + part.len()..];
                }
            }
        }
        assert_eq!(shown.lines().count(), text.lines().count(), "{target}");
    }
}

#[test]
fn logs_of_every_kind_of_bundle_have_names() {
    for (file, target, label) in [
        ("rancher-rke2-server-2025-11-27.tar.gz", "calico-system/calico-typha-b74b9cb47-l5kcf", "calico-typha"),
        ("troubleshoot-k3s-2022.tar.gz", "coredns-b96499967-tncf4", "coredns"),
    ] {
        let Some(bundle) = corpus(file) else { return };
        let lines = json(&told("logs", &bundle, &[target, "-o", "json"]));
        assert!(
            !lines.is_empty() && lines.iter().all(|line| line["source"].as_str().unwrap().contains(label)),
            "{file}"
        );
    }
}

#[test]
fn a_sample_can_be_asked() {
    let answer = ask("grep", &sample("healthy"), &[".", "--count"]);
    assert!(answer.code == 0 && answer.stdout.trim().parse::<u64>().unwrap() > 100, "{}", answer.stdout);
}

/// A kit bundle with events of both groups, a pod that restarted, and a warning with a secret.
fn eventful(folder: &TempDir) -> PathBuf {
    let event = |name: &str, type_: &str, reason: &str, object: &str, message: &str, last: &str, count: u32| {
        format!(
            "- apiVersion: v1\n  kind: Event\n  metadata:\n    name: {name}\n    namespace: demo\n  involvedObject:\n    apiVersion: v1\n    \
             kind: Pod\n    name: {object}\n    namespace: demo\n  type: {type_}\n  reason: {reason}\n  message: \"{message}\"\n  \
             count: {count}\n  firstTimestamp: \"2024-03-06T08:00:00Z\"\n  lastTimestamp: \"{last}\"\n  source:\n    host: alpha-7\n"
        )
    };
    let events = [
        event(
            "a",
            "Warning",
            "BackOff",
            "web-0",
            "restarting on alpha-7, password=hunter2secret",
            "2024-03-06T11:59:00Z",
            7,
        ),
        event("b", "Normal", "Pulled", "web-0", "pulled", "2024-03-06T09:00:00Z", 1),
        event("c", "Warning", "Unhealthy", "api-0", "probe failed", "2024-03-06T10:00:00Z", 2),
    ];
    let events = format!("apiVersion: v1\nkind: List\nitems:\n{}", events.concat());
    let pod = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-0\n    namespace: demo\n    \
               creationTimestamp: \"2024-03-06T07:00:00Z\"\n  spec:\n    nodeName: alpha-7\n  status:\n    conditions:\n    - type: Ready\n      \
               status: \"False\"\n      reason: ContainersNotReady\n      lastTransitionTime: \"2024-03-06T11:00:00Z\"\n";
    let nodes = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: alpha-7\n";
    let metadata =
        "bundleversion: 0.1.0\nkubernetesversion: v1.27.1+rke2r1\nbundlecreatedat: \"2024-03-06T12:00:00Z\"\n";
    let files = [
        ("metadata.yaml", metadata),
        ("bundleGenerationError.log", ""),
        ("yamls/cluster/v1/nodes.yaml", nodes),
        ("yamls/namespaced/demo/v1/events.yaml", &events),
        ("yamls/namespaced/demo/v1/pods.yaml", pod),
    ];
    let files: Vec<(String, Vec<u8>)> =
        files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into_iter().collect();
    let path = folder.path().join("events.zip");
    zip(&path, "supportbundle_x_2024-03-06T12-00-00Z", &files);
    path
}

#[test]
fn events_have_the_columns_of_kubectl() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = eventful(&folder);
    assert_eq!(
        told("events", &bundle, &[]),
        "NAMESPACE   LAST SEEN   TYPE      REASON      OBJECT      COUNT   MESSAGE\n\
         demo        3h          Normal    Pulled      pod/web-0   1       pulled\n\
         demo        120m        Warning   Unhealthy   pod/api-0   2       probe failed\n\
         demo        60s         Warning   BackOff     pod/web-0   7       restarting on alpha-7, password=***\n"
    );
    let reasons = |args: &[&str]| {
        let rows = json(&told("events", &bundle, &[args, &["-o", "json"]].concat()));
        rows.iter().map(|row| row["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (args, wanted) in [
        (&["-n", "demo", "--for", "pods/web-0"][..], &["Pulled", "BackOff"][..]),
        (&["--for", "pod/demo/api-0"], &["Unhealthy"]),
        (&["--types", "Warning"], &["Unhealthy", "BackOff"]),
        (&["--since", "1h"], &["BackOff"]),
        (&["--until", "2024-03-06T07:59"], &[]),
        (&["-A", "--around", "2024-03-06T09:30", "--within", "10m"], &["Unhealthy", "BackOff"]),
        (&["-n", "other"], &[]),
    ] {
        assert_eq!(reasons(args), wanted, "{args:?}");
    }
    let hidden = told("events", &bundle, &["--redact"]);
    assert!(hidden.contains("restarting on host-") && !hidden.contains("alpha"), "{hidden}");
    let bad = ask("events", &bundle, &["--for", "web-0"]);
    assert!(bad.code == 2 && bad.stderr.contains("write TYPE/NAME"), "{}", bad.stderr);
}

#[test]
fn events_that_were_not_collected_are_no_silence() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("rancher.log");
    fs::write(&log, "2024-03-06T08:00:00Z went down\n").unwrap();
    let answer = ask("events", &log, &[]);
    assert!(
        answer.code == 3 && answer.stderr.contains("the bundle has no events: "),
        "{} {}",
        answer.code,
        answer.stderr
    );
}

#[test]
fn a_timeline_tells_what_happened_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = eventful(&folder);
    let rows = json(&told("timeline", &bundle, &["--for", "pod/web-0", "-o", "json"]));
    let times: Vec<&str> = rows.iter().map(|row| row["from"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let told_of = |kind: &str, text: &str| {
        rows.iter().any(|row| row["kind"] == kind && row["text"].as_str().unwrap().contains(text))
    };
    assert!(
        told_of("object", "reated") && told_of("condition", "Ready is False") && told_of("warning", "BackOff"),
        "{rows:#?}"
    );
    assert!(
        rows.iter().all(|row| row["entry"].is_string() && row["line"].is_u64() && row["kind"] != "log"),
        "{rows:#?}"
    );
    let cluster = told("timeline", &bundle, &["--since", "2024-03-06T10:30"]);
    assert!(cluster.contains("BackOff") && !cluster.contains("Unhealthy") && !cluster.contains("hunter2"), "{cluster}");
    let hidden = told("timeline", &bundle, &["--redact"]);
    assert!(hidden.contains("BackOff") && !hidden.contains("alpha"), "{hidden}");
    for (args, code, said) in
        [(&["--for", "pod/none"][..], 3, "the bundle has no such object"), (&["--since", "never"], 2, "not a time")]
    {
        let answer = ask("timeline", &bundle, args);
        assert!(answer.code == code && answer.stderr.contains(said), "{args:?}: {}", answer.stderr);
    }
}

#[test]
fn the_events_of_real_bundles_are_those_of_their_dumps() {
    let Some(bundle) = corpus("harvester-v1.0-single-node.zip") else { return };
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(fs::read(&bundle).unwrap())).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    // Events of both API groups are the same ones; those of the core group have this field once each.
    let mut count = 0;
    for name in names.iter().filter(|name| name.ends_with("/v1/events.yaml") && !name.contains("/events.k8s.io/")) {
        let mut text = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        count += text
            .lines()
            .filter(|line| line.trim_start().trim_start_matches("- ").starts_with("involvedObject:"))
            .count();
    }
    let rows = json(&told("events", &bundle, &["-o", "json"]));
    assert!(count > 5 && rows.len() == count, "{count} {}", rows.len());
    let last: Vec<Option<jiff::Timestamp>> =
        rows.iter().map(|row| row["last"].as_str().map(|time| time.parse().unwrap())).collect();
    assert!(last.is_sorted());
    let timeline = json(&told("timeline", &bundle, &["-o", "json"]));
    let kinds: BTreeSet<&str> = timeline.iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert!(["finding", "boot"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    let hidden = told("timeline", &bundle, &["--redact"]);
    assert!(!hidden.contains("node1") && !hidden.contains("node2"));
}
