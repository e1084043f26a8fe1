//! Malicious bundles: nothing escapes, nothing panics, everything is reported.

mod monsters;
mod rules;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{analysis, gleaner_in};
use monsters::Monster;

const NODES: &str = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\nkind: List\n";

fn written(files: &[(&str, Vec<u8>)]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    (folder, path)
}

fn issues(files: &[(&str, Vec<u8>)]) -> Vec<String> {
    let (_folder, path) = written(files);
    let found = analysis(&path, &[]);
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1", "the rest must still be read: {found:#}");
    found["issues"].as_array().unwrap().iter().map(|i| format!("{} {}", i["entry"], i["message"])).collect()
}

fn with_nodes<'a>(more: &[(&'a str, Vec<u8>)]) -> Vec<(&'a str, Vec<u8>)> {
    let mut files = vec![("b/metadata.yaml", b"bundlecreatedat: \"2024-05-06T07:08:09Z\"\n".to_vec())];
    files.push(("b/yamls/cluster/v1/nodes.yaml", NODES.as_bytes().to_vec()));
    files.extend(more.iter().cloned());
    files
}

/// Resident bytes that no bundle of the size of a test may take.
const MOST_MEMORY: u64 = 500 << 20;

/// Result of a run.
struct Outcome {
    code: Option<i32>,
    stderr: String,
    /// Peak resident bytes, if the system reports them.
    memory: u64,
}

/// Runs `analyze` into `r.json` and `r.html`, and watches its memory.
fn watched(folder: &Path, bundle: &str) -> Outcome {
    watched_with(folder, bundle, &[])
}

#[expect(clippy::disallowed_methods, reason = "the peak of another process can only be looked at now and then")]
fn watched_with(folder: &Path, bundle: &str, more: &[&str]) -> Outcome {
    let errors = fs::File::create(folder.join("stderr")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .args(["analyze", bundle, "-o", "r.json", "-o", "r.html", "--quiet", "--threads", "2"])
        .args(more)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    let code = loop {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let peak = told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        memory = memory.max(peak.and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or(0) << 10);
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => std::thread::sleep(std::time::Duration::from_millis(3)),
        }
    };
    Outcome { code, stderr: fs::read_to_string(folder.join("stderr")).unwrap(), memory }
}

/// Returns the differences between the expected and the real result of a monster.
fn faults(monster: &Monster) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("monster.bin"), (monster.make)(false)).unwrap();
    let outcome = watched(folder.path(), "monster.bin");
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(format!("{} ({}): {what}", monster.name, monster.what));
    if outcome.code != Some(monster.code) {
        fault(format!("ended with {:?}: {}", outcome.code, outcome.stderr));
    }
    if outcome.memory > MOST_MEMORY {
        fault(format!("took {} MiB", outcome.memory >> 20));
    }
    let mut told = outcome.stderr;
    if let Ok(text) = fs::read_to_string(folder.path().join("r.json")) {
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        if found["bundle"]["nodes"][0]["name"] != "n1" {
            fault("the rest was not read".to_owned());
        }
        for issue in found["issues"].as_array().unwrap() {
            let entry = issue["entry"].as_str().map(|entry| format!("{entry}: ")).unwrap_or_default();
            told += &format!("{entry}{}\n", issue["message"].as_str().unwrap());
        }
        let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
        if page.contains("<script>alert") || page.contains('\u{1b}') || text.contains('\u{1b}') {
            fault("markup or escapes of the bundle in a report".to_owned());
        }
    }
    for sentence in monster.told {
        if !told.contains(sentence) {
            fault(format!("`{sentence}` is not told, but\n{told}"));
        }
    }
    faults
}

#[test]
fn monsters_do_no_harm() {
    let faults: Vec<String> = monsters::ALL.iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[cfg(unix)]
#[test]
fn a_folder_of_link_loops_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir_all(root.join("yamls/cluster/v1")).unwrap();
    fs::write(root.join("yamls/cluster/v1/nodes.yaml"), NODES).unwrap();
    for (name, target) in [("loop", "."), ("a", "b"), ("b", "a"), ("out", "/etc")] {
        std::os::unix::fs::symlink(target, root.join(name)).unwrap();
    }
    let found = analysis(&root, &[]);
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1");
    assert_eq!(found["issues"].as_array().unwrap().iter().filter(|i| i["kind"] == "path").count(), 4);
}

/// Outcome of a rule on a bundle: its group in the report, with the reason.
fn outcome(bundle: &Path, rules: &Path, rule: &str, more: &[&str]) -> String {
    let found = analysis(bundle, &[&["--rules", rules.to_str().unwrap(), "--no-default-rules"], more].concat());
    let groups = found["rules"].as_object().unwrap();
    let about = |item: &serde_json::Value| match item["rule"].as_str() {
        Some(name) => (name == rule).then(|| format!(": {}", item["reason"].as_str().unwrap())),
        None => (item == rule).then(String::new),
    };
    let told = groups.iter().find_map(|(group, items)| {
        items.as_array().unwrap().iter().find_map(about).map(|reason| format!("{group}{reason}"))
    });
    told.unwrap()
}

/// Writes the rule `seen-<name>`, which looks for one fact.
fn write_rule(rules: &Path, name: &str, fact: &str) {
    let rule = format!(
        "id: seen-{name}\ntitle: t\nseverity: low\nconfidence: certain\narea: node\nfind:\n  f: {fact}\nabout: [f]\nmessage: m\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
    );
    fs::write(rules.join(format!("seen-{name}.yaml")), rule).unwrap();
}

#[test]
fn entries_of_a_damaged_archive_do_not_count_as_absent() {
    let node = |units: &[&str]| {
        let (_folder, path) =
            written(&units.iter().map(|unit| (*unit, b"May 06 06:00:00 n1 x: fine\n".to_vec())).collect::<Vec<_>>());
        fs::read(path).unwrap()
    };
    let units = node(&["n1/logs/kernel.log", "n1/logs/rke2-server.log"]);
    let second = units.windows(4).enumerate().filter(|(_, window)| window == b"PK\x03\x04").nth(1).unwrap().0;
    let (folder, whole) = written(&with_nodes(&[("b/nodes/n1.zip", units.clone())]));
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).unwrap();
    for (name, fact) in [
        ("kernel", "{log: kernel, match: panic}"),
        ("server", "{log: rke2, match: panic}"),
        ("oem", "{file: {path: 'nodes/*/logs/rke2-server.log', as: text}, where: f.text.contains('panic')}"),
    ] {
        write_rule(&rules, name, fact);
    }
    for rule in ["seen-kernel", "seen-server", "seen-oem"] {
        assert_eq!(outcome(&whole, &rules, rule, &[]), "clean");
    }
    let (_folder, cut_node) = written(&with_nodes(&[("b/nodes/n1.zip", units[..second].to_vec())]));
    let lost = "clean_partly: the archive of node n1 is cut off or damaged: logs in it may be lost";
    let kernel = outcome(&cut_node, &rules, "seen-kernel", &[]);
    assert!(kernel.starts_with(lost), "there may have been logs of earlier boots: {kernel}");
    for rule in ["seen-server", "seen-oem"] {
        assert!(outcome(&cut_node, &rules, rule, &[]).starts_with("not_evaluated"), "{rule}");
    }
    let cut = folder.path().join("cut.zip");
    let bytes = fs::read(&whole).unwrap();
    fs::write(&cut, &bytes[..bytes.len() - 30]).unwrap();
    for rule in ["seen-kernel", "seen-server", "seen-oem"] {
        let told = outcome(&cut, &rules, rule, &[]);
        assert!(
            told.starts_with("clean_partly: a part of the bundle is missing: the zip archive is cut off"),
            "{told}"
        );
    }
}

#[test]
fn paths_that_lead_out_are_reported() {
    let found = issues(&with_nodes(&[("b/../../../etc/passwd", b"root".to_vec())]));
    assert!(found.iter().any(|i| i.contains("etc/passwd")), "{found:?}");
}

#[test]
fn deep_and_broken_documents_are_reported() {
    let deep = "- ".repeat(5000).into_bytes();
    let bomb = format!(
        "a: &a [{}]\n{}",
        "x,".repeat(500),
        (0..30).map(|i| format!("k{i}: [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n")).collect::<String>()
    );
    let found = issues(&with_nodes(&[
        ("b/yamls/cluster/v1/persistentvolumes.yaml", deep),
        ("b/yamls/cluster/v1/namespaces.yaml", b"items: [1, 2\n  - {".to_vec()),
        ("b/yamls/cluster/storage.k8s.io/v1/storageclasses.yaml", bomb.into_bytes()),
    ]));
    for entry in ["persistentvolumes.yaml", "namespaces.yaml"] {
        assert!(found.iter().any(|i| i.contains(entry)), "{entry}: {found:?}");
    }
}

#[test]
fn strange_text_is_read() {
    let mut log = b"2024-05-06T07:08:09.123456789Z \xff\xfe\x00\x00 broken\r\n".to_vec();
    log.extend(vec![b'x'; 3 << 20]);
    log.extend(b"\n\x1b[31mred\x1b[0m");
    let (_folder, path) = written(&with_nodes(&[
        ("b/logs/demo/web-0/app.log", log),
        ("b/yamls/cluster/v1/configmaps.yaml", vec![0xff, 0xfe, 0x41, 0x00]),
    ]));
    let answer = gleaner_in(path.parent().unwrap(), ["analyze", "bundle.zip", "-o", "r.html"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains('\x1b'), "escapes must not reach the terminal");
}

#[test]
fn names_from_the_bundle_cannot_become_markup() {
    let hostile = NODES.replace("name: n1", "name: \"<script>alert(1)</script>\"");
    let (_folder, path) =
        written(&[("b/yamls/cluster/v1/nodes.yaml", hostile.into_bytes()), ("b/metadata.yaml", b"a: 1\n".to_vec())]);
    let answer =
        gleaner_in(path.parent().unwrap(), ["analyze", "bundle.zip", "-o", "-", "--format", "html", "--quiet"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains("<script>alert"), "markup from the bundle in the report");
}

#[test]
fn limits_stop_entries_not_the_run() {
    let (_folder, path) = written(&with_nodes(&[("b/logs/demo/web-0/app.log", vec![b'a'; 2 << 20])]));
    let found = analysis(&path, &["--max-bytes", "1MiB"]);
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1");
    let kinds: Vec<&str> = found["issues"].as_array().unwrap().iter().filter_map(|i| i["kind"].as_str()).collect();
    assert!(kinds.contains(&"limit"), "{}", found["issues"]);
}

/// Returns the issues of a bundle of two dumps, five logs (one of them large) and two nested archives, read with a
/// flag.
fn told_with(flag: &str, value: &str) -> Vec<String> {
    let inner = |name: &str, bytes: Vec<u8>| fs::read(written(&[(name, bytes)]).1).unwrap();
    let deep = inner("n1/logs/deep.zip", inner("kubelet.log", b"May 06 06:00:00 n1 kubelet: fine\n".repeat(20)));
    let mut more = vec![
        ("b/nodes/n1.zip", deep),
        ("b/logs/demo/web-0/large.log", [&[b'a'; 1023][..], b"\n"].concat().repeat(20 << 10)),
    ];
    for name in ["b/logs/demo/web-0/a.log", "b/logs/demo/web-0/b.log", "b/logs/demo/web-0/c.log"] {
        more.push((name, b"2024-05-06T07:00:00Z fine\n".repeat(50)));
    }
    let (_folder, path) = written(&with_nodes(&more));
    let ratio: &[&str] = if flag == "--max-ratio" { &[] } else { &["--max-ratio", "2000"] };
    let found = analysis(&path, &[&[flag, value], ratio].concat());
    assert_eq!(found["bundle"]["nodes"][0]["name"], "n1", "{flag}: the rest must still be read");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let issues = found["issues"].as_array().unwrap().iter();
    issues
        .map(|issue| format!("{} {}: {}", text(&issue["kind"]), text(&issue["entry"]), text(&issue["message"])))
        .collect()
}

#[test]
fn flags_bound_entries_depth_and_ratio() {
    for (flag, enough) in [("--max-entries", "20"), ("--max-depth", "4"), ("--max-ratio", "2000")] {
        assert_eq!(told_with(flag, enough), Vec::<String>::new(), "{flag} {enough}");
    }
    let only = |told: Vec<String>, entry: &str, flag: &str| {
        assert!(
            !told.is_empty() && told.iter().any(|issue| issue.starts_with(&format!("limit {entry}: "))),
            "{told:?}"
        );
        assert!(told.iter().all(|issue| issue.contains(&format!("({flag})"))), "{told:?}");
    };
    only(told_with("--max-entries", "6"), "logs/demo/web-0/large.log", "--max-entries");
    only(told_with("--max-depth", "2"), "nodes/n1.zip!/n1/logs/deep.zip", "--max-depth");
    let told = told_with("--max-ratio", "10");
    only(told, "logs/demo/web-0/large.log", "--max-ratio");
}

#[test]
fn flags_bound_memory_and_dumps() {
    let noise: Vec<u8> =
        (0..600_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 ^ (n >> 9) as u8).collect();
    let mut nested = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    nested.start_file("n1/logs/kubelet.log", stored).unwrap();
    nested.write_all(&noise).unwrap();
    let pods =
        format!("items:\n- kind: Pod\n  metadata: {{name: a, namespace: demo, note: {}}}\n", "x".repeat(300 << 10));
    let (_folder, path) = written(&with_nodes(&[
        ("b/yamls/namespaced/demo/v1/pods.yaml", pods.into_bytes()),
        ("b/nodes/n1.zip", nested.finish().unwrap().into_inner()),
    ]));
    let told = |flag: &str, value: &str| {
        let found = analysis(&path, &[flag, value]);
        assert_eq!(found["bundle"]["nodes"][0]["name"], "n1", "{flag}: the rest must still be read");
        let issues = found["issues"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|issue| issue["kind"] == "limit" || issue["kind"] == "archive");
        let text = |issue: &serde_json::Value| {
            format!(
                "{}: {}",
                issue["entry"].as_str().unwrap_or_default(),
                issue["message"].as_str().unwrap_or_default()
            )
        };
        issues.map(text).collect::<Vec<_>>()
    };
    let pods = "yamls/namespaced/demo/v1/pods.yaml";
    for (flag, value) in [("--max-memory", "2MiB"), ("--max-dump", "400KiB")] {
        assert_eq!(told(flag, value), Vec::<String>::new(), "{flag} {value}");
    }
    let dump = format!("{pods}: larger than 102400 bytes, which is more than a dump may have (--max-dump)");
    let told_of_dump = told("--max-dump", "100KiB");
    assert!(matches!(told_of_dump.as_slice(), [only] if only.starts_with(&dump)), "{told_of_dump:?}");
    let told_of_memory = told("--max-memory", "512KiB");
    let zip =
        "nodes/n1.zip: a zip of more than 393216 bytes inside another archive, which is three quarters of --max-memory";
    let refused = format!(
        "{pods}: not read: dumps and the files that rules ask for may take 1 MiB of memory together (--max-memory)"
    );
    for start in [zip, &refused] {
        assert!(told_of_memory.iter().any(|issue| issue.starts_with(start)), "{start}: {told_of_memory:?}");
    }
    assert_eq!(told_of_memory.len(), 2, "{told_of_memory:?}");
}

#[test]
fn long_lines_are_truncated_by_the_flag_and_reported_once_a_log() {
    let line = |before: usize| {
        format!("2024-05-06T07:00:00Z {} INFO: task web:7 blocked for more than 120 seconds.\n", "x".repeat(before))
    };
    let kernel = format!("{}{}{}", line(10), line(100_000), line(200_000));
    let (_folder, path) = written(&with_nodes(&[("b/nodes/n1/logs/kernel.log", kernel.into_bytes())]));
    let told = |more: &[&str]| {
        let found = analysis(&path, more);
        let issues = found["issues"].as_array().unwrap().iter().filter(|i| i["entry"] == "nodes/n1/logs/kernel.log");
        issues
            .map(|i| format!("{} {}", i["kind"].as_str().unwrap(), i["message"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&[]), Vec::<String>::new());
    let cut = ["limit 2 lines are longer than 4096 bytes (--max-line): the rest was not searched"];
    assert_eq!(told(&["--max-line", "4KiB"]), cut);
}

#[test]
fn text_of_a_truncated_line_does_not_count_as_absent() {
    let line = |length: usize| format!("May 06 06:00:00 n1 kernel: {} panic at 7\n", "x".repeat(length));
    let bundle = |length: usize| written(&with_nodes(&[("b/nodes/n1/logs/kernel.log", line(length).into_bytes())]));
    let (folder, short) = bundle(1 << 10);
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).unwrap();
    write_rule(&rules, "panic", "{log: kernel, match: panic}");
    write_rule(&rules, "lockup", "{log: kernel, match: 'soft lockup'}");
    let told = "not_evaluated: nodes/n1/logs/kernel.log has lines longer than --max-line, whose rest was not searched";
    assert_eq!(outcome(&short, &rules, "seen-panic", &[]), "fired");
    // The cut line is known to its end, and that other text is not in it.
    assert!(outcome(&short, &rules, "seen-panic", &["--max-line", "512"]).starts_with(told));
    assert_eq!(outcome(&short, &rules, "seen-lockup", &["--max-line", "512"]), "clean");
    // Nobody knows the end of so long a line.
    let (_folder, long) = bundle(2 << 20);
    for rule in ["seen-panic", "seen-lockup"] {
        assert!(outcome(&long, &rules, rule, &[]).starts_with(told), "{rule}");
    }
    assert_eq!(outcome(&long, &rules, "seen-panic", &["--max-line", "4MiB"]), "fired");
}

/// Rules that print all they can get.
const CURIOUS: [(&str, &str, &str); 6] = [
    (
        "configmap",
        "{resource: configmaps, where: f.data.id_rsa != null && f.data.conf != null && f.data.args != null && f.data.url != null}",
        "{{ f.data }} {{ f.data.password }} {{ f.metadata.annotations }}",
    ),
    (
        "secret",
        "{resource: secrets, where: f.data.a != null && f.stringData.b != null}",
        "{{ f.data }} {{ f.stringData.b }}",
    ),
    (
        "pod",
        "{resource: pods, where: 'f.spec.containers.exists(c, c.env.exists(e, e.value != null) && c.args.exists(a, a != null))'}",
        "{{ f.spec.containers }}",
    ),
    ("event", "{event: {reason: FailedMount}}", "{{ f.message }}"),
    (
        "log",
        "{log: kernel, match: 'probe (?<what>.*) at (?<at>\\w+)', by: [what]}",
        "{{ f.what }} {{ f.all.what }} {{ f.lines }}",
    ),
    (
        "file",
        "{file: {path: 'nodes/*/configs/app.yaml', as: yaml}, where: f.text != null && f.data.a.text != null}",
        "{{ f.text }} {{ f.data }}",
    ),
];

fn curious_rules(folder: &std::path::Path) {
    std::fs::create_dir(folder).unwrap();
    for (name, fact, message) in CURIOUS {
        let texts =
            format!("message: \"{message}\"\nimpact: i\ncause: \"{message}\"\nremedy: [{{do: \"{message}\"}}]\n");
        let head =
            format!("id: curious-{name}\ntitle: \"t {message}\"\nseverity: low\nconfidence: certain\narea: node\n");
        let rule = format!("{head}find:\n  f: {fact}\nabout: [f]\n{texts}");
        std::fs::write(folder.join(format!("curious-{name}.yaml")), rule).unwrap();
    }
}

/// Files with secrets, each of which contains `hush`.
fn full_of_secrets() -> Vec<(&'static str, Vec<u8>)> {
    let key = |lead: &str| {
        let body: String = (0..4).map(|n| format!("{lead}MIIhush{n}{}\n", "aB3/".repeat(14))).collect();
        format!("-----BEGIN RSA PRIVATE KEY-----\n{body}{lead}hushQUI=\n{lead}-----END RSA PRIVATE KEY-----\n")
    };
    let item = |kind: &str, body: &str| {
        let body = body.replace('\n', "\n  ");
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: {kind}\n  metadata: {{name: x, namespace: demo}}\n  {body}\n"
        )
    };
    let configmap = format!(
        "data:\n  password: hush1\n  id_rsa: |\n    {}  conf: |\n    a = 1\n    db_password = hush2\n    token: hush3\n  \
         args: run --token=hush4 --port=1\n  url: https://bob:hush5@db/x\n",
        key("    ")
    );
    let annotated = item("ConfigMap", &configmap)
        .replace("namespace: demo}", "namespace: demo, annotations: {last: '{\"data\":{\"password\":\"hush6\"}}'}}");
    let pod = "spec: {containers: [{name: c, args: [\"--password=hush7\"], env: [{name: DB_PASSWORD, value: hush8}]}]}";
    let event = "type: Warning\nreason: FailedMount\nmessage: 'cannot mount with --password=hush9 and {\"token\":\"hush10\"}'\n\
                 involvedObject: {kind: Pod, name: x, namespace: demo}\nlastTimestamp: \"2024-05-06T07:00:00Z\"";
    let kernel = format!(
        "May 06 06:00:00 n1 kernel: probe --token=hush11 {{\"password\":\"hush12\"}} at a\n{}\
         May 06 06:00:01 n1 kernel: probe none at b\n{}",
        key("May 06 06:00:00 n1 kernel: "),
        key("")
    );
    with_nodes(&[
        ("b/yamls/namespaced/demo/v1/configmaps.yaml", annotated.into_bytes()),
        (
            "b/yamls/namespaced/demo/v1/secrets.yaml",
            item("Secret", "data: {a: aHVzaA==hush}\nstringData: {b: hush13}").into_bytes(),
        ),
        ("b/yamls/namespaced/demo/v1/pods.yaml", item("Pod", pod).into_bytes()),
        ("b/yamls/namespaced/demo/v1/events.yaml", item("Event", event).into_bytes()),
        ("b/nodes/n1/logs/kernel.log", kernel.into_bytes()),
        ("b/nodes/n1/configs/app.yaml", b"a:\n  password: hush14\n  text: go --token=hush15\n".to_vec()),
    ])
}

#[test]
fn secrets_reach_no_report() {
    let (folder, _) = written(&full_of_secrets());
    curious_rules(&folder.path().join("rules"));
    let args = ["analyze", "bundle.zip", "--rules", "rules", "--no-default-rules"];
    let outputs = ["-o", "r.html", "-o", "r.json", "-o", "r.txt"];
    let answer = gleaner_in(folder.path(), args.into_iter().chain(outputs));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let json = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    let fired: Vec<&str> = found["findings"].as_array().unwrap().iter().filter_map(|f| f["rule"].as_str()).collect();
    for (name, ..) in CURIOUS {
        assert!(fired.contains(&format!("curious-{name}").as_str()), "curious-{name} did not fire: {found:#}");
    }
    for file in ["r.html", "r.json", "r.txt"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let told: Vec<&str> = text.lines().filter(|line| line.contains("hush")).collect();
        assert!(told.is_empty(), "{file}: {told:#?}");
    }
    assert!(!answer.stdout.contains("hush"), "{}", answer.stdout);
}
