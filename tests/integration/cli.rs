//! Help, bad arguments, bad input, and every exit code.

use std::fs;
use std::path::Path;

use crate::harness::{Answer, analysis, files_below, gleaner_in, sample, zip};

fn run(folder: &Path, line: &str) -> Answer {
    gleaner_in(folder, line.split_whitespace())
}

/// Checks that the folder has its previous content and no incomplete file.
fn nothing_written(folder: &Path, before: &[&str]) {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, before);
}

fn refused(name: &str, bytes: &[u8], says: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    let answer = run(folder.path(), &format!("analyze {name} -o report.html"));
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    for part in says.iter().chain(&[name]) {
        assert!(answer.stderr.contains(part), "{name}: {:?} is not in:\n{}", part, answer.stderr);
    }
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    nothing_written(folder.path(), &[name]);
}

#[test]
fn an_error_names_the_file_that_does_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let answer = run(folder.path(), "analyze nowhere.zip");
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("nowhere.zip"), "{}", answer.stderr);
    nothing_written(folder.path(), &[]);
}

#[test]
fn input_that_is_no_bundle_is_rejected_with_advice() {
    refused("empty.zip", b"", &["empty"]);
    let noise: Vec<u8> = (0u32..5000).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    refused("noise.bin", &noise, &[]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("photos.zip");
    zip(&path, "photos", &[("a.jpg".to_owned(), vec![0xff, 0xd8, 0xff]), ("b.jpg".to_owned(), vec![0xff, 0xd8])]);
    refused("photos.zip", &fs::read(&path).unwrap(), &["support bundle"]);
}

#[test]
fn a_truncated_zip_is_analysed_as_far_as_possible() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.zip");
    zip(&path, "top", &files_below(&sample("healthy")));
    let bytes = fs::read(&path).unwrap();
    let cut = folder.path().join("cut.zip");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let found = analysis(&cut, &[]);
    assert_eq!(found["bundle"]["kind"], "harvester");
    assert!(found["issues"].to_string().contains("cut off"), "{}", found["issues"]);
    assert!(found["bundle"]["entries"].as_u64() > Some(10));
}

#[test]
fn a_bad_rule_ends_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    fs::create_dir_all(&rules).unwrap();
    fs::write(
        rules.join("broken-rule.yaml"),
        "id: broken-rule\ntitle: x\nfind:\n  pod: {resource: pods, wher: 'true'}\n",
    )
    .unwrap();
    let answer = run(folder.path(), "analyze nowhere.zip --rules rules");
    assert_eq!(answer.code, 4, "{}", answer.stderr);
    for part in ["broken-rule.yaml:4:", "wher", "where"] {
        assert!(answer.stderr.contains(part), "{part:?} is not in:\n{}", answer.stderr);
    }
}

#[test]
fn fail_on_counts_findings_and_healthy_bundles_pass() {
    let folder = tempfile::tempdir().unwrap();
    let broken = format!("analyze {} --quiet -o r.json --fail-on", sample("stale-managed-chart").display());
    assert_eq!(run(folder.path(), &format!("{broken} high")).code, 1);
    let healthy = format!("analyze {} --quiet -o h.json --fail-on info", sample("healthy").display());
    assert_eq!(run(folder.path(), &healthy).code, 0);
    nothing_written(folder.path(), &["h.json", "r.json"]);
}

#[test]
fn without_o_the_report_is_written_to_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    let answer = run(folder.path(), &format!("analyze {}", sample("healthy").display()));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    nothing_written(folder.path(), &["healthy.gleaner.html"]);
    assert!(answer.stdout.contains("healthy.gleaner.html"), "{}", answer.stdout);
}

#[test]
fn an_unknown_layout_is_not_reported_as_healthy() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["version.yaml", "analysis.json", "host-collectors/system/cpu.json"];
    let files: Vec<_> = files.iter().map(|name| ((*name).to_owned(), b"x\n".to_vec())).collect();
    zip(&folder.path().join("node.zip"), "node", &files);
    let answer = run(folder.path(), "analyze node.zip -o r.html -o r.json -o r.txt --fail-on info");
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    let says = "Not analysed: the bundle holds no dump of objects and no log";
    assert!(answer.stdout.contains(says), "{}", answer.stdout);
    for report in ["r.html", "r.txt"] {
        assert!(fs::read_to_string(folder.path().join(report)).unwrap().contains(says), "{report}");
    }
    let json: serde_json::Value = serde_json::from_slice(&fs::read(folder.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(json["bundle"]["not_collected"][0]["what"], "objects and logs (none was read)");
    assert_eq!(json["issues"][0]["kind"], "layout");
    assert_eq!(json["rules"]["clean"], serde_json::json!([]));
    assert_eq!(json["rules"]["not_applicable"], serde_json::json!([]));
}

#[test]
fn an_error_names_the_output_and_gives_advice() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.html"), "old").unwrap();
    let healthy = sample("healthy").display().to_string();
    let mut cases = vec![
        ("-o no/such/r.html", "folder `no/such` does not exist; create it first"),
        ("-o r.html/", "`r.html/` is a file, not a folder"),
    ];
    if Path::new("/dev/full").exists() {
        cases.push(("-o /dev/full --format html", "free some space, or choose another location with -o"));
    }
    for (output, says) in cases {
        let answer = run(folder.path(), &format!("analyze {healthy} {output}"));
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains(says), "{says} is not in:\n{}", answer.stderr);
    }
    nothing_written(folder.path(), &["r.html"]);
    assert_eq!(fs::read(folder.path().join("r.html")).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let started = |out: std::process::Stdio| {
        std::process::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
            .args(["rules", "list"])
            .stdout(out)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let answer = started(full.into()).wait_with_output().unwrap();
    assert_eq!(answer.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&answer.stderr).contains("cannot write to standard output"));
    let mut child = started(std::process::Stdio::piped());
    drop(child.stdout.take());
    let answer = child.wait_with_output().unwrap();
    assert_eq!((answer.status.code(), answer.stderr.len()), (Some(0), 0));
}

#[test]
fn one_bad_bundle_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.zip"), b"PK\x03\x04 and then nothing").unwrap();
    let answer = run(folder.path(), &format!("analyze bad.zip {} -o out/ --quiet", sample("healthy").display()));
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    nothing_written(&folder.path().join("out"), &["healthy.gleaner.html"]);
}

#[test]
fn usage_errors_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "analyze",
        "analyze a.zip --no-such-option",
        "analyze a.zip -o x.unknown",
        "analyze a.zip --only no-such-rule",
        "frobnicate",
    ] {
        assert_eq!(run(folder.path(), line).code, 2, "{line}");
    }
    let answer = run(folder.path(), &format!("analyze {} -o no/such/folder/r.html", sample("healthy").display()));
    assert_eq!(answer.code, 2, "{}", answer.stderr);
}

#[test]
fn own_custom_resources_are_checked_by_their_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    let rule = "id: widget-broken\ntitle: \"{{ widget.metadata.name }}\"\nseverity: low\nconfidence: certain\narea: workload\n\
                find: {widget: {resource: widgets.example.org, where: \"widget.status.phse == 'Broken'\"}}\n\
                message: m\nimpact: i\ncause: c\nremedy: [{do: d}]\n";
    write("rules/widget-broken.yaml", rule);
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.org\n  \
               names: {plural: widgets}\n  versions:\n  - schema: {openAPIV3Schema: {type: object, properties: {status: \
               {type: object, properties: {phase: {type: string}}}}}}\n";
    write("crds.yaml", crd);
    let without = run(folder.path(), "rules check .");
    assert!(without.stderr.contains("R101") && !without.stderr.contains("R103"), "{}", without.stderr);
    let with = run(folder.path(), "rules check . --crds crds.yaml --deny-warnings");
    assert!(with.stderr.contains("did you mean \"phase\"?") && !with.stderr.contains("R101"), "{}", with.stderr);
    assert_eq!(with.code, 4);
    let wrong = run(folder.path(), "rules check . --crds rules/widget-broken.yaml");
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
}

#[test]
fn rules_of_a_release_are_listed_with_their_fix() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, affects: &str| {
        let text = format!(
            "id: {name}\ntitle: T\nseverity: low\nconfidence: certain\narea: storage\n{affects}find: {{v: {{resource: widgets.example.io}}}}\n\
             message: M\nimpact: I\ncause: C\nremedy: [{{do: D}}]\n"
        );
        fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
    };
    write("zz-fixed", "affects: {harvester: '>=1.4.0 <1.4.2'}\nfixed_in: {harvester: 1.4.2}\n");
    write("zz-every", "affects: {harvester: '*'}\n");
    write("zz-other", "affects: {harvester: '>=1.4.2'}\n");
    let listed = run(folder.path(), "rules list --rules . --version harvester=1.4.1");
    let own: Vec<&str> = listed.stdout.lines().filter(|line| line.starts_with("zz-")).collect();
    assert!(
        own.len() == 1 && own[0].contains("zz-fixed") && own[0].contains("fixed in 1.4.2"),
        "{own:?}\n{}",
        listed.stderr
    );
    for (wrong, says) in
        [("harvester", "PRODUCT=VERSION"), ("windows=1.0", "no rule names"), ("harvester=head", "no version")]
    {
        let refused = run(folder.path(), &format!("rules list --version {wrong}"));
        assert!(refused.code == 2 && refused.stderr.contains(says), "{wrong}: {}", refused.stderr);
    }
}

#[test]
fn rules_can_be_listed() {
    let folder = tempfile::tempdir().unwrap();
    let list = run(folder.path(), "rules list --format json");
    let list: serde_json::Value = serde_json::from_str(&list.stdout).unwrap();
    let rules = list.as_array().unwrap();
    assert!(rules.len() >= 30, "{} rules", rules.len());
    for rule in rules {
        let keys: Vec<&str> = rule.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["id", "aliases", "name", "class", "severity", "area", "title", "affects", "fixed_in", "tests"]
        );
        assert!(rule["tests"]["firing"].as_u64() >= Some(1), "{} has no firing case", rule["id"]);
        assert!(rule["tests"]["silent"].as_u64() >= Some(1), "{} has no near miss", rule["id"]);
    }
}

#[test]
fn the_version_names_commit_and_rules() {
    let folder = tempfile::tempdir().unwrap();
    let text = run(folder.path(), "--version");
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    let json: serde_json::Value = serde_json::from_str(&run(folder.path(), "--version --json").stdout).unwrap();
    let part = |path: &str| json.pointer(path).map(|value| value.to_string().replace('"', "")).unwrap();
    let listed = run(folder.path(), "rules list --format json").stdout;
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
    assert_eq!(part("/rules/count"), listed.len().to_string());
    let rules = format!("rules {} {}: {} rules", part("/rules/name"), part("/rules/version"), listed.len());
    assert!(text.stdout.starts_with(&format!("gleaner {} (", part("/version"))), "{}", text.stdout);
    assert!(text.stdout.contains(&rules) && text.stdout.contains(&part("/target")), "{}", text.stdout);
    let commit = part("/commit");
    let is_commit = commit.len() == 12 && commit.chars().all(|c| c.is_ascii_hexdigit());
    assert!(commit == "null" || is_commit && text.stdout.contains(&format!("commit {commit}")), "{commit}");
    for line in ["version", "-V"] {
        assert_eq!(run(folder.path(), line).stdout, text.stdout, "{line}");
    }
    assert_eq!(run(folder.path(), "version --json").stdout, run(folder.path(), "--version --json").stdout);
}
