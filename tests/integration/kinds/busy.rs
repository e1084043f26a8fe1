//! The busy, healthy sample as Rancher's collector sees it: tables without owners, logs without times.

use std::fmt::Write;
use std::io::Read;

use gleaner_fixtures::Scenario;
use jiff::Timestamp;
use serde_json::Value;

use crate::fixtures::{BUSY, of_kind, text};
use crate::harness::{files_below, sample, summary};

const NAME: &str = "hv-node-3-2025-03-18_09_30_00";
const COLLECTED: &str = "2025-03-18T09:30:00Z";

/// Seconds before the collection, as kubectl prints them.
fn ago(time: &Value) -> String {
    let at = |text: &str| text.parse::<Timestamp>().unwrap().as_second();
    let seconds = at(COLLECTED) - at(text(time));
    match (seconds / 60, seconds / 3600, seconds / 86_400) {
        (..2, ..) => format!("{seconds}s"),
        (minutes @ ..180, ..) => format!("{minutes}m"),
        (_, hours @ ..48, _) => format!("{hours}h"),
        (_, _, days) => format!("{days}d"),
    }
}

fn table(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or_default() + 3;
    let mut text = String::new();
    for row in rows {
        let cells: String = row.iter().enumerate().map(|(n, cell)| format!("{cell:<0$}", width(n))).collect();
        writeln!(text, "{}", cells.trim_end()).unwrap();
    }
    text
}

fn head(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&column| column.to_owned()).collect()
}

fn pods(objects: &[Value]) -> String {
    let columns =
        ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"];
    let row = |pod: &Value| {
        let statuses = pod["status"]["containerStatuses"].as_array().cloned().unwrap_or_default();
        let ready = statuses.iter().filter(|status| status["ready"] == true).count();
        let all = pod["spec"]["containers"].as_array().unwrap().len();
        let status = match (text(&pod["status"]["phase"]), text(&pod["status"]["reason"])) {
            ("Succeeded", _) => "Completed",
            ("Failed", "") => "Error",
            ("Failed", reason) => reason,
            (phase, _) => phase,
        };
        let restarts: i64 = statuses.iter().filter_map(|status| status["restartCount"].as_i64()).sum();
        let ends = statuses.iter().map(|status| &status["lastState"]["terminated"]["finishedAt"]);
        let last = ends.filter(|end| !end.is_null()).map(|end| format!(" ({} ago)", ago(end))).next_back();
        let none = || "<none>".to_owned();
        vec![
            text(&pod["metadata"]["namespace"]).to_owned(),
            text(&pod["metadata"]["name"]).to_owned(),
            format!("{ready}/{all}"),
            status.to_owned(),
            format!("{restarts}{}", last.unwrap_or_default()),
            ago(&pod["metadata"]["creationTimestamp"]),
            none(),
            text(&pod["spec"]["nodeName"]).to_owned(),
            none(),
            none(),
        ]
    };
    let rows: Vec<_> = std::iter::once(head(&columns)).chain(of_kind(objects, "Pod").map(row)).collect();
    table(&rows)
}

fn nodes(objects: &[Value]) -> String {
    let columns = [
        "NAME",
        "STATUS",
        "ROLES",
        "AGE",
        "VERSION",
        "INTERNAL-IP",
        "EXTERNAL-IP",
        "OS-IMAGE",
        "KERNEL-VERSION",
        "CONTAINER-RUNTIME",
    ];
    let row = |node: &Value| {
        let info = |key: &str| text(&node["status"]["nodeInfo"][key]).to_owned();
        vec![
            text(&node["metadata"]["name"]).to_owned(),
            "Ready".to_owned(),
            "control-plane,etcd,master".to_owned(),
            "12d".to_owned(),
            info("kubeletVersion"),
            text(&node["status"]["addresses"][0]["address"]).to_owned(),
            "<none>".to_owned(),
            info("osImage"),
            info("kernelVersion"),
            info("containerRuntimeVersion"),
        ]
    };
    let nodes = of_kind(objects, "Node").filter(|node| node["apiVersion"] == "v1");
    table(&std::iter::once(head(&columns)).chain(nodes.map(row)).collect::<Vec<_>>())
}

fn events(objects: &[Value]) -> String {
    let columns = [
        "NAMESPACE",
        "LAST SEEN",
        "TYPE",
        "REASON",
        "OBJECT",
        "SUBOBJECT",
        "SOURCE",
        "MESSAGE",
        "FIRST SEEN",
        "COUNT",
        "NAME",
    ];
    let row = |event: &Value| {
        let about = &event["involvedObject"];
        let (last, first) = (ago(&event["lastTimestamp"]), ago(&event["firstTimestamp"]));
        let count = event["count"].as_i64().unwrap();
        let told = |key: &str| text(&event[key]).to_owned();
        vec![
            text(&event["metadata"]["namespace"]).to_owned(),
            if count > 1 { format!("{last} (x{count} over {first})") } else { last },
            told("type"),
            told("reason"),
            format!("{}/{}", text(&about["kind"]).to_lowercase(), text(&about["name"])),
            String::new(),
            text(&event["source"]["component"]).to_owned(),
            told("message"),
            first,
            count.to_string(),
            text(&event["metadata"]["name"]).to_owned(),
        ]
    };
    table(&std::iter::once(head(&columns)).chain(of_kind(objects, "Event").map(row)).collect::<Vec<_>>())
}

/// The logs of the pods, of all containers together and without the time of the container runtime, and those of the node.
fn logs(files: &[(String, Vec<u8>)]) -> Vec<(String, String)> {
    let mut logs: Vec<(String, String)> = Vec::new();
    for (path, content) in files.iter().filter(|(path, _)| path.ends_with(".log") && path.starts_with("logs/")) {
        let mut parts = path.split('/').skip(1);
        let name = format!("rke2/podlogs/{}-{}", parts.next().unwrap(), parts.next().unwrap());
        let lines = String::from_utf8_lossy(content);
        let said: String =
            lines.lines().filter_map(|line| line.split_once(' ')).map(|(_, line)| format!("{line}\n")).collect();
        match logs.iter_mut().find(|(known, _)| *known == name) {
            Some((_, log)) => log.push_str(&said),
            None => logs.push((name, said)),
        }
    }
    let (_, archive) = files.iter().find(|(path, _)| path == "nodes/hv-node-3.zip").unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive)).unwrap();
    for (unit, path) in [
        ("kubelet", "rke2/agent-logs/kubelet.log"),
        ("containerd", "rke2/containerd.log"),
        ("rke2-server", "journald/rke2-server"),
    ] {
        let mut log = String::new();
        archive.by_name(&format!("hv-node-3/logs/{unit}.log")).unwrap().read_to_string(&mut log).unwrap();
        let journal: String =
            log.lines().filter(|line| !line.starts_with("-- ")).map(|line| format!("{line}\n")).collect();
        logs.push((path.to_owned(), journal));
    }
    logs
}

#[test]
fn nothing_of_a_busy_day_alarms_in_a_collection_of_rancher() {
    assert_eq!(BUSY.scenario, Scenario::BusyHealthy);
    let objects = crate::fixtures::objects(&BUSY);
    let mut files = vec![
        ("collector-output.log".to_owned(), "2025-03-18 09:30:00: Collecting system info\n".to_owned()),
        ("systeminfo/date".to_owned(), "Tue Mar 18 09:30:00 UTC 2025\n".to_owned()),
        ("systeminfo/hostname".to_owned(), "hv-node-3\n".to_owned()),
        ("rke2/version".to_owned(), "rke2 version v1.29.9+rke2r1 (25bcbba3)\n".to_owned()),
        ("rke2/kubectl/pods".to_owned(), pods(&objects)),
        ("rke2/kubectl/nodes".to_owned(), nodes(&objects)),
        ("rke2/kubectl/events".to_owned(), events(&objects)),
    ];
    files.extend(logs(&files_below(&sample("busy-healthy"))));
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let mut found = super::analysed(NAME, &files, &[]);
    assert_eq!(found["bundle"]["kind"], "rancher");
    assert_eq!(summary(&found).len(), 1, "the evicted pod: {:?}", summary(&found));
    // Rows name no owner, so that nothing says that a failed pod was replaced.
    let left_over = ["nightly-report-29038020-7hq2x", "storefront"];
    let objects = found["unhealthy"]["objects"].as_array_mut().unwrap();
    objects.retain(|object| !left_over.contains(&object["subject"]["name"].as_str().unwrap()));
    crate::samples::assert_calm(&found);
}
