//! What kubectl's tables show to be broken is in the section of what is not healthy, and in the comparison of two bundles.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::{analysis, gleaner_in, tar_gz};

/// Table of a collection: name of its file, header, rows of which something is wrong with what is told of them, and healthy rows.
struct Table {
    file: &'static str,
    header: &'static str,
    broken: &'static [(&'static str, &'static str)],
    healthy: &'static [&'static str],
}

const TABLES: [Table; 16] = [
    Table {
        file: "nodes",
        header: "NAME|STATUS|ROLES|AGE|VERSION",
        broken: &[
            ("w1|NotReady|<none>|7d|v1.30.6+rke2r1", "critical NotReady"),
            (
                "w2|Ready,SchedulingDisabled|<none>|7d|v1.30.6+rke2r1",
                "low SchedulingDisabled: cordoned, no new pods start on it",
            ),
            (
                "w3|NotReady,SchedulingDisabled|<none>|7d|v1.30.6+rke2r1",
                "critical NotReady; SchedulingDisabled: cordoned, no new pods start on it",
            ),
        ],
        healthy: &["cp1|Ready|control-plane,etcd,master|7d|v1.30.6+rke2r1"],
    },
    Table {
        file: "pods",
        header: "NAMESPACE|NAME|READY|STATUS|RESTARTS|AGE|IP|NODE|NOMINATED NODE|READINESS GATES",
        broken: &[
            (
                "a|p-loop|0/1|CrashLoopBackOff|99 (2m ago)|7d|10.42.0.2|cp1|<none>|<none>",
                "high CrashLoopBackOff, 0/1 ready, 99 restarts",
            ),
            ("a|p-half|1/2|Running|0|7d|10.42.0.3|cp1|<none>|<none>", "medium Running, 1/2 ready"),
            ("a|p-waits|0/1|Pending|0|7d|<none>|<none>|<none>|<none>", "medium Pending, 0/1 ready"),
            ("a|p-ends|1/1|Terminating|0|7d|10.42.0.4|cp1|<none>|<none>", "low Terminating, 1/1 ready"),
            (
                "a|p-rises|1/1|Running|311 (40s ago)|7d|10.42.0.4|cp1|<none>|<none>",
                "medium Running, 1/1 ready, restarts again and again, 311 restarts, the last 40s before the collection",
            ),
        ],
        healthy: &[
            "a|p-runs|1/1|Running|0|7d|10.42.0.1|cp1|<none>|<none>",
            "a|p-old|1/1|Running|12 (3d ago)|90d|10.42.0.5|cp1|<none>|<none>",
            "a|p-done|0/1|Completed|0|7d|10.42.0.6|cp1|<none>|<none>",
        ],
    },
    Table {
        file: "deployments",
        header: "NAMESPACE|NAME|READY|UP-TO-DATE|AVAILABLE|AGE",
        broken: &[("a|d-short|1/3|3|1|7d", "medium READY 1/3"), ("a|d-none|0/2|0|0|7d", "high READY 0/2")],
        healthy: &["a|d-runs|1/1|1|1|7d", "a|d-off|0/0|0|0|7d", "a|d-starts|0/1|1|0|20s"],
    },
    Table {
        file: "daemonsets",
        header: "NAMESPACE|NAME|DESIRED|CURRENT|READY|UP-TO-DATE|AVAILABLE|NODE SELECTOR|AGE",
        broken: &[("a|ds-short|3|3|1|3|1|<none>|7d", "medium AVAILABLE 1, DESIRED 3; READY 1, DESIRED 3")],
        healthy: &["a|ds-runs|3|3|3|3|3|<none>|7d", "a|ds-none|0|0|0|0|0|gpu=yes|7d"],
    },
    Table {
        file: "statefulsets",
        header: "NAMESPACE|NAME|READY|AGE",
        broken: &[("a|ss-none|0/3|7d", "high READY 0/3")],
        healthy: &["a|ss-runs|3/3|7d"],
    },
    Table {
        file: "jobs",
        header: "NAMESPACE|NAME|STATUS|COMPLETIONS|DURATION|AGE",
        broken: &[("a|j-failed|Failed|0/1|7d|7d", "high Failed")],
        healthy: &["a|j-done|Complete|1/1|12s|7d"],
    },
    Table {
        file: "pv",
        header: "NAME|CAPACITY|ACCESS MODES|RECLAIM POLICY|STATUS|CLAIM|STORAGECLASS|REASON|AGE",
        broken: &[
            ("v-failed|1Gi|RWO|Delete|Failed|a/b|x||7d", "critical Failed"),
            ("v-left|1Gi|RWO|Delete|Released|a/c|x||7d", "medium Released: its claim is gone, reclaim policy Delete"),
            ("v-kept|1Gi|RWO|Retain|Released|a/d|x||7d", "low Released: its claim is gone, reclaim policy Retain"),
        ],
        healthy: &["v-bound|1Gi|RWO|Delete|Bound|a/e|x||7d"],
    },
    Table {
        file: "pvc",
        header: "NAMESPACE|NAME|STATUS|VOLUME|CAPACITY|ACCESS MODES|STORAGECLASS|AGE",
        broken: &[("a|c-waits|Pending||||x|7d", "medium Pending"), ("a|c-lost|Lost|v|1Gi|RWO|x|7d", "critical Lost")],
        healthy: &["a|c-bound|Bound|v-bound|1Gi|RWO|x|7d"],
    },
    Table {
        file: "apiservices",
        header: "NAME|SERVICE|AVAILABLE|AGE",
        broken: &[(
            "v1beta1.metrics.k8s.io|kube-system/metrics-server|False (MissingEndpoints)|7d",
            "high AVAILABLE False (MissingEndpoints)",
        )],
        healthy: &["v1.apps|Local|True|7d"],
    },
    Table {
        file: "volumes.longhorn.io",
        header: "NAMESPACE|NAME|DATA ENGINE|STATE|ROBUSTNESS|SCHEDULED|SIZE|NODE|AGE",
        broken: &[
            ("longhorn-system|lv-faulted|v1|detached|faulted||1|n|7d", "critical faulted"),
            ("longhorn-system|lv-degraded|v1|attached|degraded||1|n|7d", "medium degraded"),
        ],
        healthy: &[
            "longhorn-system|lv-off|v1|detached|unknown||1|n|7d",
            "longhorn-system|lv-on|v1|attached|healthy||1|n|7d",
        ],
    },
    Table {
        file: "bundles",
        header: "NAMESPACE|NAME|BUNDLEDEPLOYMENTS-READY|STATUS",
        broken: &[(
            "fleet-local|b-failed|0/1|ErrApplied(1) [Cluster x: boom]",
            "high BUNDLEDEPLOYMENTS-READY 0/1; ErrApplied(1) [Cluster x: boom]",
        )],
        healthy: &["fleet-local|b-runs|1/1|"],
    },
    Table {
        file: "machines",
        header: "NAMESPACE|NAME|CLUSTER|NODENAME|PROVIDERID|PHASE|AGE|VERSION",
        broken: &[
            ("fleet-default|m-failed|c|||Failed|7d|v1", "high Failed"),
            ("fleet-default|m-stuck|c|||Provisioning|7d|v1", "medium Provisioning since its creation"),
        ],
        healthy: &["fleet-default|m-runs|c|cp1||Running|7d|v1"],
    },
    Table {
        file: "certificates",
        header: "NAMESPACE|NAME|READY|SECRET|AGE",
        broken: &[("a|crt-bad|False|s|7d", "medium READY False")],
        healthy: &["a|crt-good|True|s|7d"],
    },
    Table {
        file: "namespaces",
        header: "NAME|STATUS|AGE",
        broken: &[("n-stuck|Terminating|7d", "low Terminating")],
        healthy: &["a|Active|7d"],
    },
    Table {
        file: "virtualmachines.kubevirt.io",
        header: "NAMESPACE|NAME|AGE|STATUS|READY",
        broken: &[("a|vm-bad|7d|ErrorUnschedulable|False", "high ErrorUnschedulable; READY False")],
        healthy: &["a|vm-off|7d|Stopped|False", "a|vm-on|7d|Running|True"],
    },
    Table {
        file: "widgets.example.org",
        header: "NAMESPACE|NAME|READY|STATUS|AGE",
        broken: &[("a|w-false|False|broken|7d", "medium READY False"), ("a|w-error|True|Error|7d", "high Error")],
        healthy: &["a|w-good|True|ok|7d"],
    },
];

/// Writes rows under their header, in columns.
fn text(lines: &[&str]) -> String {
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| line.split('|').collect()).collect();
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap() + 3;
    let line = |row: &Vec<&str>| -> String {
        row.iter().enumerate().map(|(at, cell)| format!("{cell:width$}", width = width(at))).collect()
    };
    rows.iter().map(|row| line(row).trim_end().to_owned() + "\n").collect()
}

/// Files of a collection at a time; the rows of each table are those that it is asked for.
fn collection(hour: &str, rows: impl Fn(&Table) -> Vec<&'static str>) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        ("systeminfo/date".to_owned(), format!("Thu Mar  6 {hour}:15:30 UTC 2025\n")),
        ("networking/iproute".to_owned(), "x\n".to_owned()),
        ("rke2/kubectl/version".to_owned(), "Server Version: v1.30.6+rke2r1\n".to_owned()),
    ];
    files.extend(TABLES.iter().map(|table| {
        let lines: Vec<&str> = std::iter::once(table.header).chain(rows(table)).collect();
        (format!("rke2/kubectl/{}", table.file), text(&lines))
    }));
    files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
}

fn name(table: &Table, row: &str) -> String {
    let at = table.header.split('|').position(|header| header == "NAME").unwrap();
    row.split('|').nth(at).unwrap().to_owned()
}

fn joined(list: &Value) -> String {
    list.as_array().unwrap().iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_broken_row_is_listed_and_no_healthy_one() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("b.tar.gz");
    let rows = |table: &Table| {
        table.broken.iter().map(|(row, _)| *row).chain(table.healthy.iter().copied()).collect::<Vec<_>>()
    };
    tar_gz(&bundle, "cp1-2025-03-06_10_15_30", &collection("10", rows));
    let found = analysis(&bundle, &["--no-default-rules"]);
    let mut seen: BTreeMap<String, (String, String, u64)> = BTreeMap::new();
    for group in found["unhealthy"]["objects"].as_array().unwrap() {
        for member in group["members"].as_array().unwrap() {
            let told = format!("{} {}", group["severity"].as_str().unwrap(), joined(&member["troubles"]));
            let entry = member["entry"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let object = member["object"]["name"].as_str().unwrap().to_owned();
            seen.insert(object, (told, entry, member["line"].as_u64().unwrap()));
        }
    }
    for table in &TABLES {
        for (position, (row, wanted)) in table.broken.iter().enumerate() {
            let found = seen.remove(&name(table, row));
            let line = position as u64 + 2;
            assert_eq!(found, Some(((*wanted).to_owned(), table.file.to_owned(), line)), "{row}");
        }
    }
    assert!(seen.is_empty(), "healthy: {seen:#?}");
}

/// The comparison tells the same troubles of the same objects, without counts that change while the health does not.
#[test]
fn the_comparison_judges_rows_as_the_list_does() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(format!("{name}.tar.gz")));
    tar_gz(&old, "cp1-2025-03-06_10_15_30", &collection("10", |table| table.healthy.to_vec()));
    let broken = |table: &Table| table.broken.iter().map(|(row, _)| *row).collect();
    tar_gz(&new, "cp1-2025-03-06_12_15_30", &collection("12", broken));
    let answer = gleaner_in(folder.path(), ["diff", "old.tar.gz", "new.tar.gz", "-o", "-", "--no-default-rules"]);
    let difference: Value = serde_json::from_str(&answer.stdout).unwrap();
    let changes = difference["health"].as_array().unwrap();
    for table in &TABLES {
        for (row, wanted) in table.broken {
            let object = name(table, row);
            let change = changes.iter().find(|change| change["object"]["name"] == object.as_str());
            let told = joined(&change.unwrap_or_else(|| panic!("{row}: {changes:#?}"))["new"]["troubles"]);
            let listed = wanted.split_once(' ').unwrap().1;
            assert!(!told.is_empty() && listed.starts_with(&told), "{row}: {told}");
        }
    }
}
