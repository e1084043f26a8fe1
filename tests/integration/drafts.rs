//! `rules new --from`: a rule made of a line of a bundle passes its check and its test, and fires on the bundle.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use gleaner::internals::bundle::{Bundle, Limits, Role};
use gleaner::internals::draft::{DraftError, Drafts, Place};
use gleaner::internals::pipeline::{Options, analyze};
use gleaner::internals::rule::load::{embedded, published};
use gleaner::internals::rule::skeleton::Skeleton;
use gleaner::internals::rule::{Source, Streams, check, compile};

use crate::harness::{Answer, corpus, gleaner_in, sample};

fn run(folder: &Path, args: &[&str]) -> Answer {
    gleaner_in(folder, args.iter().copied())
}

/// Numbers of lines that are tried: every so manieth of an entry, few of each.
fn chosen(text: &str, wanted: &dyn Fn(&str) -> bool, most: usize) -> Vec<u64> {
    let lines: Vec<u64> =
        text.lines().enumerate().filter(|(_, line)| wanted(line)).map(|(at, _)| at as u64 + 1).collect();
    let step = lines.len().div_ceil(most).max(1);
    lines.into_iter().step_by(step).collect()
}

/// Returns the places of a bundle that are tried.
fn places(bundle: &Bundle, logs: usize, objects: usize) -> Vec<Place> {
    let found: Mutex<BTreeMap<String, Vec<u64>>> = Mutex::default();
    bundle.read(&|entry| !matches!(entry.role, Role::Archive) && entry.size < 30_000_000, &|entry, reader| {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let is_log = matches!(entry.role, Role::PodLog { .. } | Role::PodLogs { .. } | Role::NodeLog { .. });
        let trouble = |line: &str| ["rror", "WARN", "fail", "level=warn"].iter().any(|word| line.contains(word));
        let state = |line: &str| {
            let line = line.trim_start_matches(['-', ' ']);
            [
                "phase:",
                "status: \"",
                "state:",
                "reason:",
                "message:",
                "ready:",
                "restartCount:",
                "robustness:",
                "\"phase\"",
                "\"reason\"",
            ]
            .iter()
            .any(|key| line.starts_with(key))
        };
        // A collector writes an error in place of a log that it did not get.
        let is_log = is_log && text.lines().filter(|line| !line.is_empty()).nth(1).is_some();
        let is_dump = matches!(entry.role, Role::Dump { .. } | Role::Objects);
        let is_table = matches!(entry.role, Role::Table { .. });
        let lines = match () {
            () if is_log && trouble(&text) => chosen(&text, &trouble, logs),
            () if is_log => chosen(&text, &|line| line.len() > 60 && !line.starts_with("-- "), 1),
            () if is_dump && !entry.path.contains("events.k8s.io") => chosen(&text, &state, objects),
            () if is_table => chosen(&text, &|line| line.contains("Running") || line.contains("Error"), 1),
            () => Vec::new(),
        };
        found.lock().unwrap().insert(entry.path.to_string(), lines);
    });
    let found = found.into_inner().unwrap();
    let lines = found.into_iter().flat_map(|(entry, lines)| lines.into_iter().map(move |line| (entry.clone(), line)));
    lines.map(|(entry, line)| Place { entry, line }).collect()
}

/// Makes rules of places; returns them with their places. Lines that say nothing are left out, and must be few.
fn drafted(bundle: &Bundle, streams: &Streams, places: Vec<Place>) -> Vec<(Place, Skeleton)> {
    let words = published();
    let drafts = Drafts::new(bundle, streams, &words);
    let (mut made, mut nothing, mut failed, all) = (Vec::new(), Vec::new(), Vec::new(), places.len());
    for place in places {
        match drafts.draft(&format!("new-{}", made.len()), "workload", &place) {
            Ok(skeleton) => made.push((place, skeleton)),
            Err(error @ DraftError::Nothing { .. }) => nothing.push(error.to_string()),
            Err(error) => failed.push(error.to_string()),
        }
    }
    assert!(failed.is_empty(), "{} of {all} failed: {failed:#?}", failed.len());
    assert!(nothing.len() * 10 <= all, "{all} places, {} left out: {nothing:#?}", nothing.len());
    made
}

/// Checks rules together, and runs them on their bundle.
fn check_all(bundle: &Bundle, streams: &Streams, made: &[(Place, Skeleton)]) {
    let sources: Vec<Source> =
        made.iter().map(|(_, made)| Source { file: made.rule.0.clone(), text: made.rule.1.clone() }).collect();
    check(sources.clone(), streams, &gleaner::internals::rule::Knowledge::of_api())
        .unwrap_or_else(|errors| panic!("{}", errors[0]));
    let set = compile(sources, streams).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let analysis = analyze(bundle, &set, Options::default(), &());
    for (place, skeleton) in made {
        let id = skeleton.rule.0.rsplit('/').next().unwrap().trim_end_matches(".yaml");
        let fired = analysis.findings.iter().any(|finding| finding.rule == id);
        assert!(fired, "{place:?} does not fire: {}", skeleton.rule.1);
    }
}

fn check_bundle(path: &Path, logs: usize, objects: usize, at_least: usize) -> Vec<(Place, Skeleton)> {
    let bundle = Bundle::open(path, Limits::default()).unwrap();
    let streams = Streams::parse(embedded().streams).unwrap();
    let made = drafted(&bundle, &streams, places(&bundle, logs, objects));
    assert!(made.len() >= at_least, "{} rules of {}", made.len(), path.display());
    check_all(&bundle, &streams, &made);
    made
}

#[test]
fn a_rule_of_a_line_is_written_checked_tested_and_fires() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = sample("stale-managed-chart");
    let bundle = bundle.to_str().unwrap();
    let files = crate::harness::files_below(Path::new(bundle));
    let text = |path: &str| {
        let (_, bytes) = files.iter().find(|(name, _)| name == path).unwrap();
        String::from_utf8(bytes.clone()).unwrap()
    };
    let place = |path: &str, part: &str| {
        let at = text(path).lines().position(|line| line.contains(part)).unwrap_or_else(|| panic!("{path}: {part}"));
        format!("{path}:{}", at + 1)
    };
    let pods = "yamls/namespaced/default/v1/pods.yaml";
    let events = "yamls/namespaced/default/v1/events.yaml";
    let name = "/virt-handler-vkgfz/virt-handler.log";
    let log = files.iter().map(|(path, _)| path).find(|path| path.ends_with(name)).unwrap();
    for (id, place, expected) in [
        ("log-line", place(log, "rror"), "log: virt-handler"),
        ("event-seen", place(events, "reason:"), "event: {reason: "),
        (
            "pod-waits",
            place(pods, "reason: CrashLoopBackOff"),
            "exists(item, item.state.waiting.reason == 'CrashLoopBackOff')",
        ),
        ("not-ready", place(pods, "reason: ContainersNotReady"), "condition(pod, "),
    ] {
        let answer = run(folder.path(), &["rules", "new", id, "--from", bundle, &place]);
        assert_eq!(answer.code, 0, "{place}: {}", answer.stderr);
        let rule = std::fs::read_to_string(folder.path().join(format!("rules/workload/{id}.yaml"))).unwrap();
        assert!(rule.contains(expected), "{place}: {rule}");
        let found = run(
            folder.path(),
            &["analyze", bundle, "--rules", ".", "--only", id, "-o", "-", "--format", "json", "--quiet"],
        );
        assert!(found.stdout.contains(&format!("\"rule\": \"{id}\"")), "{rule}");
    }
    let checked = run(folder.path(), &["rules", "check", "."]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, "4 rules checked, 0 warnings\n"), "{}", checked.stderr);
    assert_eq!(run(folder.path(), &["rules", "test", "."]).stdout, "8 passed, 0 failed\n");
}

#[test]
fn a_line_that_says_nothing_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle");
    let log = bundle.join("logs/shop/web-0/web.log");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    std::fs::write(&log, "2026-03-01T00:00:00Z level=error msg=\"no route to db\"\n\n12 34\n").unwrap();
    let pods = bundle.join("yamls/namespaced/shop/v1/pods.yaml");
    std::fs::create_dir_all(pods.parent().unwrap()).unwrap();
    let pod = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-0\n    namespace: shop\nkind: List\n";
    std::fs::write(&pods, pod).unwrap();
    let new = |id: &str, place: &str| run(folder.path(), &["rules", "new", id, "--from", "bundle", place]);
    for (place, reason) in [
        (
            "logs/shop/web-0/wep.log:1",
            "has no entry \"logs/shop/web-0/wep.log\"; did you mean \"logs/shop/web-0/web.log\"?",
        ),
        ("web.log:1", "did you mean \"logs/shop/web-0/web.log\"?"),
        ("logs/shop/web-0/web.log:9", "has no line 9: it has 3"),
        ("logs/shop/web-0/web.log:2", "it is empty"),
        ("logs/shop/web-0/web.log:3", "all of it varies"),
        ("logs/shop/web-0/web.log", "is no ENTRY:LINE"),
        ("yamls/namespaced/shop/v1/pods.yaml:6", "nothing about the state of its object"),
        ("yamls/namespaced/shop/v1/pods.yaml:5", "it is no value of an object"),
        ("yamls/namespaced/shop/v1/pods.yaml:1", "no object that rules see is there"),
    ] {
        let answer = new("x", place);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{place}");
        assert!(answer.stderr.contains(reason), "{place}: {}", answer.stderr);
    }
    assert!(!folder.path().join("rules").exists(), "nothing is written");
    assert_eq!(new("no-route", "logs/shop/web-0/web.log:1").code, 0);
    let again = new("no-route", "logs/shop/web-0/web.log:1");
    assert!(again.code == 2 && again.stderr.contains("already exists and was not changed"), "{}", again.stderr);
    assert_eq!(run(folder.path(), &["rules", "new", "x", "--from", "none.zip", "a:1"]).code, 3);
    assert_eq!(run(folder.path(), &["rules", "new", "x", "--from", "bundle", "a:1", "--log", "etcd"]).code, 2);
}

#[test]
fn what_nobody_can_see_is_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("bundle/logs/shop/web-0/web.log");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    std::fs::write(folder.path().join("bundle/metadata.yaml"), "bundlecreatedat: \"2026-03-02T00:00:00Z\"\n").unwrap();
    let line = "2026-03-01T00:00:00Z level=error msg=\"no route \u{202e}bd ot\u{200b} now\"\n";
    std::fs::write(&log, format!("2026-03-01T00:00:00Z level=info msg=\"a start\"\n{line}")).unwrap();
    let made = run(folder.path(), &["rules", "new", "no-route", "--from", "bundle", "logs/shop/web-0/web.log:2"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    for (file, escaped) in
        [("rules/workload/no-route.yaml", r"\x{202e}"), ("tests/rules/workload/no-route.yaml", r"\u202e")]
    {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains(escaped) && !text.contains(['\u{202e}', '\u{200b}']), "{text}");
    }
    let found = run(
        folder.path(),
        &["analyze", "bundle", "--rules", ".", "--only", "no-route", "-o", "-", "--format", "json", "--quiet"],
    );
    assert!(found.stdout.contains("\"rule\": \"no-route\""), "{} {}", found.stdout, found.stderr);
}

#[test]
fn many_lines_of_samples_make_rules_that_work() {
    let made = check_bundle(&sample("stale-managed-chart"), 1, 1, 100);
    for (place, skeleton) in &made {
        for name in ["hv-node-", "inventory-export", "ledger-db", "192.168."] {
            let test = &skeleton.test.1;
            assert!(!test.contains(name) && !skeleton.rule.1.contains(name), "{place:?} has {name}: {test}");
        }
    }
    check_bundle(&sample("hook-deleted-configmap"), 1, 1, 40);
}

#[test]
fn lines_of_real_bundles_make_rules_that_work() {
    for (file, logs, objects) in [
        ("harvester-v1.0-single-node.zip", 3, 1),
        ("rancher-rke2-server-2025-11-27.tar.gz", 1, 1),
        ("troubleshoot-k3s-2022.tar.gz", 3, 1),
    ] {
        let Some(path) = corpus(file) else { return };
        let made = check_bundle(&path, logs, objects, 30);
        if let Some(folder) = std::env::var_os("GLEANER_DRAFTS") {
            for (place, Skeleton { rule, test }) in made {
                let name = format!("{file}-{}", rule.0.replace('/', "_"));
                std::fs::write(Path::new(&folder).join(name), format!("# {place:?}\n{}---\n{}", rule.1, test.1))
                    .unwrap();
            }
        }
    }
}
