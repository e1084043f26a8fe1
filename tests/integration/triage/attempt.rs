//! `gleaner triage try`: a new rule over the originals, the store only read.

use std::fs;

use super::archive::{Archive, IS_WEB, rule_about_pods};
use super::rows::{all, ask};

#[test]
fn a_new_rule_is_tried_on_every_content_whose_original_exists() {
    let archive = Archive::of(24);
    archive.triage("s.db", &[]);
    let store = archive.path("s.db");
    let before = all(&store);
    let rule = rule_about_pods("web-runs", "Pod {{ pod.metadata.name }} is there", IS_WEB);
    fs::write(archive.path("web-runs.yaml"), &rule).unwrap();
    let attempt = || {
        let answer = archive.gleaner(&["triage", "try", "web-runs.yaml", "--store", "s.db"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer.stdout
    };
    let told = attempt();
    assert_eq!(all(&store), before, "nothing is written");
    // The result equals what a run with the rule stores.
    fs::create_dir(archive.path("rules")).unwrap();
    fs::copy(archive.path("web-runs.yaml"), archive.path("rules/web-runs.yaml")).unwrap();
    archive.triage("with.db", &["--rules", "rules"]);
    let with = archive.path("with.db");
    let hits = ask(&with, "SELECT fired, evaluated, contents FROM rule_hits WHERE rule = 'web-runs'").remove(0);
    let [fired, evaluated, contents] = hits.split('|').collect::<Vec<_>>().try_into().unwrap();
    assert!(fired.parse::<u64>().unwrap() > 0);
    assert!(
        told.starts_with(&format!("web-runs on {contents} different bundles: fires on {fired} of {evaluated} (")),
        "{told}"
    );
    for part in [
        "by version:\n  ",
        "fires together with:\n  ",
        "most frequent objects:\n  ",
        "Pod shop/web-0",
        "lines shown:\n  ",
        "not evaluated or not applicable because:\n  ",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // The original of one content is gone, another was written again.
    let files = ask(
        &store,
        "SELECT input || '/' || path FROM contents WHERE path LIKE '%.zip' AND path NOT IN (SELECT of_path FROM copies) ORDER BY path LIMIT 2",
    );
    fs::remove_file(&files[0]).unwrap();
    fs::write(&files[1], "something else").unwrap();
    let told = attempt();
    assert!(told.contains("not tried on 2 bundles: the originals were deleted or changed"), "{told}");
    let answer = archive.gleaner(&["triage", "try", "none.yaml", "--store", "s.db"]);
    assert_eq!(answer.code, 2);
    fs::write(archive.path("web-runs.yaml"), rule.replace("resource:", "resorce:")).unwrap();
    assert_eq!(archive.gleaner(&["triage", "try", "web-runs.yaml", "--store", "s.db"]).code, 4);
}
