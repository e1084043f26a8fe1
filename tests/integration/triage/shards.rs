//! Shards of many machines, merged, are what one machine finds.

use super::archive::Archive;
use super::rows::{ask, assert_equal};

#[test]
fn shards_merged_in_any_order_equal_the_single_run() {
    let archive = Archive::of(45);
    archive.triage("one.db", &[]);
    for count in [1, 3, 7] {
        let shards: Vec<String> = (0..count).map(|index| format!("{count}-{index}.db")).collect();
        for (index, store) in shards.iter().enumerate() {
            archive.triage(store, &["--shard", &format!("{index}/{count}")]);
        }
        let merged = format!("merged-{count}.db");
        let merge = |stores: &[&String]| {
            let stores = stores.iter().map(|store| store.as_str());
            let args: Vec<&str> = ["triage", "merge", "--store", &merged].into_iter().chain(stores).collect();
            let answer = archive.gleaner(&args);
            assert_eq!(answer.code, 0, "{}", answer.stderr);
        };
        merge(&shards.iter().rev().collect::<Vec<_>>());
        assert_equal(&archive.path(&merged), &archive.path("one.db"));
        // Again, one by one, the other way round: nothing changes.
        shards.iter().for_each(|shard| merge(&[shard]));
        assert_equal(&archive.path(&merged), &archive.path("one.db"));
        let runs = ask(&archive.path(&merged), "SELECT count(*) FROM runs WHERE finished IS NOT NULL");
        assert_eq!(runs, [count.to_string()]);
    }
    assert_eq!(ask(&archive.path("one.db"), "SELECT count(*) FROM bundles"), ["45"]);
}

#[test]
fn a_job_scheduler_assigns_the_shard() {
    let archive = Archive::of(8);
    archive.triage("flag.db", &["--shard", "1/3"]);
    let slurm = [("SLURM_ARRAY_TASK_ID", "5"), ("SLURM_ARRAY_TASK_MIN", "4"), ("SLURM_ARRAY_TASK_COUNT", "3")];
    for (store, variables) in
        [("slurm.db", &slurm[..]), ("k8s.db", &[("JOB_COMPLETION_INDEX", "1"), ("GLEANER_SHARDS", "3")][..])]
    {
        let output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
            .env_clear()
            .envs(variables.iter().copied())
            .current_dir(archive.folder.path())
            .args(["triage", "tickets", "--store", store, "--quiet"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_equal(&archive.path(store), &archive.path("flag.db"));
    }
    assert_ne!(ask(&archive.path("flag.db"), "SELECT count(*) FROM bundles"), ["8"]);
    let wrong = archive.gleaner(&["triage", "tickets", "--store", "x.db", "--shard", "3/3"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("shards are 0/3 to 2/3"), "{}", wrong.stderr);
}
