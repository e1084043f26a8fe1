//! Where reports, tables and stores are written: never over what a run reads, never half, and never silently nowhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;

use crate::harness::{Answer, files_below, gleaner_in, sample, zip};

/// A folder with two bundles, a rule folder, a key, a baseline, a list and a store, all of which runs read.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["a.json", "b.json"] {
        zip(&at(name), "bundle", &files_below(&sample("healthy")));
    }
    fs::create_dir_all(at("own/rules")).unwrap();
    fs::write(at("own/rules/notes.md"), "notes").unwrap();
    fs::write(at("key.txt"), "a key of some length, as long as needed").unwrap();
    fs::write(at("baseline.json"), "0123456789abcdef0123456789abcdef\n").unwrap();
    fs::write(at("list.txt"), "a.json\n").unwrap();
    fs::create_dir(at("archive")).unwrap();
    fs::copy(at("a.json"), at("archive/a.zip")).unwrap();
    assert_eq!(gleaner_in(folder.path(), ["triage", "archive", "--store", "s.csv", "--quiet"]).code, 0);
    folder
}

#[cfg(unix)]
#[test]
fn no_output_replaces_an_input_by_any_of_its_names() {
    let folder = workplace();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("other")).unwrap();
    let link = |of: &str, name: &str| std::os::unix::fs::symlink(at(of), at(name)).unwrap();
    link("a.json", "link.json");
    link("own", "rules-of-others");
    fs::hard_link(at("a.json"), at("hard.json")).unwrap();
    fs::hard_link(at("s.csv"), at("hard.csv")).unwrap();
    let one = |output: &'static str| ["analyze", "a.json", "--format", "json", "-o", output].to_vec();
    let mut cases: Vec<Vec<&str>> = ["a.json", "./a.json", "other/../a.json", "link.json", "hard.json"].map(one).into();
    cases.extend([
        vec!["analyze", "a.json", "--baseline", "baseline.json", "-o", "baseline.json"],
        vec!["analyze", "a.json", "--baseline-bundle", "b.json", "-o", "b.json"],
        vec!["analyze", "a.json", "--redact", "--redact-key", "key.txt", "-o", "key.txt"],
        vec!["analyze", "--files-from", "list.txt", "-o", "list.txt"],
        vec!["analyze", "a.json", "--rules", "own", "-o", "own/rules/notes.md"],
        vec!["analyze", "a.json", "--rules", "own", "-o", "rules-of-others/rules/notes.md"],
        vec!["diff", "a.json", "b.json", "-o", "b.json"],
        vec!["diff", "a.json", "b.json", "-o", "hard.json"],
        vec!["sample", "a.json", "--rule", "rke2-cert-expired", "-o", "a.json"],
        vec!["triage", "a.json", "--store", "a.json"],
        vec!["triage", "a.json", "--store", "link.json"],
        vec!["triage", "list.txt", "--store", "list.txt"],
        vec!["triage", "merge", "--store", "s.csv", "s.csv"],
        vec!["triage", "merge", "--store", "s.csv", "hard.csv"],
        vec!["triage", "export", "--store", "s.csv", "-o", "s.csv"],
        vec!["triage", "export", "--store", "s.csv", "-o", "hard.csv"],
        vec!["rules", "docs", "-o", "own"],
    ]);
    fs::write(at("own/README.md"), "mine").unwrap();
    let before = files_below(folder.path());
    for case in cases {
        let answer = gleaner_in(folder.path(), &case);
        assert_eq!(answer.code, 2, "{case:?}: {}", answer.stderr);
        assert!(files_below(folder.path()) == before, "{case:?} changed a file: {}", answer.stderr);
    }
}

#[test]
fn a_destination_that_cannot_be_written_is_named_before_anything_is_read() {
    let folder = workplace();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("folder.json")).unwrap();
    fs::write(at("locked.json"), "kept").unwrap();
    let mut permissions = fs::metadata(at("locked.json")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(at("locked.json"), permissions).unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["analyze", "a.json", "-o", "not/there.json"], "folder `not` does not exist; create it first"),
        (&["analyze", "a.json", "-o", "locked.json"], "`locked.json` is read-only; make it writable"),
        (&["analyze", "a.json", "-o", "b.json/"], "`b.json/` is a file, not a folder"),
        (&["analyze", "a.json", "-o", "r.json", "-o", "r.json"], "two reports would be written to `r.json`"),
        (&["diff", "a.json", "b.json", "-o", "not/there.json"], "folder `not` does not exist"),
        (&["diff", "a.json", "b.json", "-o", "folder.json"], "`folder.json` is a folder"),
        (&["diff", "a.json", "b.json", "-o", "locked.json"], "`locked.json` is read-only"),
        (&["triage", "archive", "--store", "folder.json"], "`folder.json` is a folder"),
        (&["triage", "archive", "--store", "not/there.db"], "folder `not` does not exist"),
        (&["triage", "query", "--store", "folder.json"], "`folder.json` is a folder"),
        (&["triage", "archive", "--store", "/dev/null"], "`/dev/null` is a device or a pipe"),
    ];
    let before = files_below(folder.path());
    for (case, message) in cases {
        let answer = gleaner_in(folder.path(), case);
        assert_eq!(answer.code, 2, "{case:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(message), "{case:?}: {}", answer.stderr);
        assert!(files_below(folder.path()) == before, "{case:?} wrote a file");
    }
}

/// Runs a line of shell in which `gleaner` is the program.
#[cfg(unix)]
fn shell(folder: &Path, line: &str) -> Answer {
    let program = cargo_bin!("gleaner");
    let line = format!("gleaner() {{ {} \"$@\"; }}\n{line}", program.display());
    let output = Command::new("sh").args(["-c", &line]).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Answer { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_devices_and_pipes_do_what_they_say() {
    let folder = workplace();
    let json = "gleaner analyze a.json --quiet --format json -o";
    let cases = [
        (format!("{json} - >&-"), 2, "standard output is closed"),
        ("gleaner diff a.json b.json -o - >&-".to_owned(), 2, "standard output is closed"),
        (format!("{json} - >/dev/full"), 2, "cannot write to standard output"),
        (format!("{json} /dev/full"), 2, "cannot write `/dev/full`: No space left on device"),
        (format!("{json} - >/dev/null"), 0, ""),
        (format!("{json} /dev/null"), 0, ""),
        (format!("{json} /dev/stdout | grep -q '\"schema\"'"), 0, ""),
        (format!("{json} - | head -c 1 >/dev/null"), 0, ""),
        (format!("mkfifo pipe.json; cat pipe.json >copy & {json} pipe.json; wait; grep -q '\"schema\"' copy"), 0, ""),
    ];
    for (line, code, message) in cases {
        let answer = shell(folder.path(), &line);
        assert_eq!(answer.code, code, "{line}: {}", answer.stderr);
        assert!(answer.stderr.contains(message), "{line}: {}", answer.stderr);
    }
}

#[cfg(unix)]
#[test]
fn long_and_deceptive_names_of_bundles_give_short_plain_names_of_reports() {
    let folder = tempfile::tempdir().unwrap();
    let inside = "卷".repeat(81);
    let names = [format!("{inside}a.zip"), format!("{inside}b.zip"), "x\u{202e}piz\u{1b}[31m\n.zip".to_owned()];
    for name in &names {
        zip(&folder.path().join(name), "bundle", &files_below(&sample("healthy")));
    }
    let args = ["analyze", "--format", "sarif", "-o", "out/"].into_iter().chain(names.iter().map(String::as_str));
    let answer = gleaner_in(folder.path(), args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let written = files_below(&folder.path().join("out"));
    assert_eq!(written.len(), 3);
    for (name, _) in &written {
        assert!(name.len() <= 255 && name.ends_with(".gleaner.sarif"), "{name}");
        assert!(!name.contains(['\u{202e}', '\u{1b}', '\n']), "{name:?}");
    }
}

/// Names of the temporary files that lie in a folder.
fn temporary_files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".tmp")).collect()
}

#[cfg(unix)]
#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let folder = workplace();
    fs::write(folder.path().join(".r.json.1-0.gleaner.tmp"), "half").unwrap();
    // The kernel kills a run that writes a larger file than it may, in the middle of the report.
    let limited = format!("ulimit -f 8; exec {} analyze a.json --quiet -o r.json", cargo_bin!("gleaner").display());
    let status = Command::new("sh").args(["-c", &limited]).current_dir(folder.path()).status().unwrap();
    assert!(!status.success());
    assert_eq!(temporary_files(folder.path()).len(), 1, "its own half, and no longer the first one");
    let answer = shell(folder.path(), "umask 077; gleaner analyze a.json --quiet -o r.json");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(temporary_files(folder.path()), Vec::<String>::new());
}

#[test]
fn runs_at_the_same_time_leave_one_whole_report() {
    let folder = workplace();
    let run = || {
        let program = cargo_bin!("gleaner");
        let args = ["analyze", "a.json", "--quiet", "-o", "r.json"];
        Command::new(program).args(args).current_dir(folder.path()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..6).map(|_| run()).collect();
    assert!(runs.into_iter().all(|mut run| run.wait().unwrap().success()));
    let text = fs::read_to_string(folder.path().join("r.json")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    assert_eq!(temporary_files(folder.path()), Vec::<String>::new());
}
