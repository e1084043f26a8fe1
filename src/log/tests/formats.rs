//! One line of each format: its time, and what patterns see of it.

use jiff::SignedDuration;

use super::{clock, query, run};
use crate::log::pattern::query::LogQuery;
use crate::log::scan::scanner::Limits;
use crate::log::source::line;
use crate::log::source::stamp::stamp;
use crate::log::time::clock::Clock;
use crate::log::time::year::YearClock;

/// Program or place, line, time in UTC, and the text; the same text as the line where nothing is put before it.
type Row = (&'static str, &'static str, Option<&'static str>, Option<&'static str>);

const FORMATS: &[Row] = &[
    // What the kubelet, the runtime and `docker logs -t` put before a line; it wins over what the program wrote.
    ("kubelet API", "2024-03-06T22:53:45.217338826Z text", Some("2024-03-06T22:53:45.217338826Z"), Some("text")),
    (
        "kubelet API east",
        "2024-03-06T22:53:45.217338826+08:00 text",
        Some("2024-03-06T14:53:45.217338826Z"),
        Some("text"),
    ),
    ("kubelet API west", "2024-03-06T22:53:45.5-03:30 text", Some("2024-03-07T02:23:45.5Z"), Some("text")),
    ("kubelet API empty", "2024-03-06T22:53:45.217338826Z ", Some("2024-03-06T22:53:45.217338826Z"), Some("")),
    ("zone without colon", "2024-03-06T22:53:45+0100 host text", Some("2024-03-06T21:53:45Z"), Some("host text")),
    ("zone with colon", "2024-03-06T22:53:45+00:00 host text", Some("2024-03-06T22:53:45Z"), Some("host text")),
    ("CRI", "2024-03-06T22:45:57.123456789+01:00 stderr F text", Some("2024-03-06T21:45:57.123456789Z"), Some("text")),
    ("CRI part", "2024-03-06T22:45:57.123456789Z stdout P te", Some("2024-03-06T22:45:57.123456789Z"), Some("te")),
    (
        "prefix before klog",
        "2024-03-06T22:53:45.2Z W0101 01:01:01.2       1 a.go:6] text",
        Some("2024-03-06T22:53:45.2Z"),
        Some("W0101 01:01:01.2       1 a.go:6] text"),
    ),
    (
        "prefix before logrus",
        "2024-03-06T22:53:45.2Z time=\"2021-01-01T00:00:00Z\" level=info",
        Some("2024-03-06T22:53:45.2Z"),
        Some("time=\"2021-01-01T00:00:00Z\" level=info"),
    ),
    // klog
    ("klog", "I0306 22:51:41.211378       1 main.go:112] Starting", Some("2024-03-06T22:51:41.211378Z"), None),
    (
        "klog error",
        "E1231 23:59:59.000001 1234 file.go:12] \"msg\" key=\"v\"",
        Some("2023-12-31T23:59:59.000001Z"),
        None,
    ),
    (
        "klog JSON",
        "{\"ts\":1709765110123.456,\"caller\":\"a.go:1\",\"msg\":\"x\",\"v\":0}",
        Some("2024-03-06T22:45:10.123456Z"),
        None,
    ),
    // logrus
    ("logrus", "time=\"2024-03-06T04:52:06Z\" level=info msg=\"x\" key=val", Some("2024-03-06T04:52:06Z"), None),
    ("logrus east", "time=\"2024-03-06T04:52:06+01:00\" level=info msg=\"x\"", Some("2024-03-06T03:52:06Z"), None),
    (
        "containerd",
        "time=\"2024-03-06T22:45:57.123456789Z\" level=error msg=\"exit status 1%!(EXTRA string=)\"",
        Some("2024-03-06T22:45:57.123456789Z"),
        None,
    ),
    (
        "logrus with a later date",
        "time=\"2024-03-06T04:52:06Z\" msg=\"[2021-01-01 00:00:00] old\"",
        Some("2024-03-06T04:52:06Z"),
        None,
    ),
    ("logrus with times", "WARN[2024-03-06T04:52:06Z] text", Some("2024-03-06T04:52:06Z"), None),
    ("slog", "time=2024-03-06T22:45:57.123Z level=INFO msg=x", Some("2024-03-06T22:45:57.123Z"), None),
    // zap and other JSON
    (
        "zap",
        "{\"level\":\"warn\",\"ts\":\"2024-03-06T17:57:10.372Z\",\"caller\":\"a\",\"msg\":\"\"}",
        Some("2024-03-06T17:57:10.372Z"),
        None,
    ),
    (
        "zap epoch",
        "{\"level\":\"warn\",\"ts\":1.709765110123e+09,\"msg\":\"\"}",
        Some("2024-03-06T22:45:10.123Z"),
        None,
    ),
    (
        "zap decimal",
        "{\"level\":\"warn\",\"ts\":1709765110.1234567,\"msg\":\"\"}",
        Some("2024-03-06T22:45:10.123457Z"),
        None,
    ),
    (
        "zap console",
        "2024-03-06T22:45:57.123Z\tINFO\tcontroller\tmsg\t{\"k\":\"v\"}",
        Some("2024-03-06T22:45:57.123Z"),
        None,
    ),
    ("zap console epoch", "1.709765110123e+09\tINFO\tcontroller\tmsg", Some("2024-03-06T22:45:10.123Z"), None),
    (
        "KubeVirt",
        "{\"component\":\"virt-controller\",\"level\":\"info\",\"msg\":\"time=\\\"2021-01-01T00:00:00Z\\\"\",\"timestamp\":\"2024-03-06T22:53:45.221687Z\"}",
        Some("2024-03-06T22:53:45.221687Z"),
        None,
    ),
    (
        "python JSON",
        "{\"time\": \"2024-03-06T22:53:45.850986+00:00\", \"level\": \"ERROR\", \"msg\": 1}",
        Some("2024-03-06T22:53:45.850986Z"),
        None,
    ),
    (
        "logstash JSON",
        "{\"@timestamp\":\"2024-03-06T22:53:45.850Z\",\"message\":\"x\"}",
        Some("2024-03-06T22:53:45.85Z"),
        None,
    ),
    ("pino JSON", "{\"level\":50,\"time\":1709765110123,\"msg\":\"x\"}", Some("2024-03-06T22:45:10.123Z"), None),
    (
        "micros in JSON",
        "{\"level\":\"error\",\"time\":1709765110123456,\"x\":1}",
        Some("2024-03-06T22:45:10.123456Z"),
        None,
    ),
    (
        "grafana",
        "logger=cleanup t=2024-03-06T09:18:19.330812622Z level=info msg=\"x\"",
        Some("2024-03-06T09:18:19.330812622Z"),
        None,
    ),
    ("older grafana", "t=2024-03-06T09:18:19+0000 lvl=info msg=\"x\"", Some("2024-03-06T09:18:19Z"), None),
    (
        "prometheus",
        "ts=2024-03-06T22:51:38.123Z caller=main.go:1 level=info msg=x",
        Some("2024-03-06T22:51:38.123Z"),
        None,
    ),
    ("level first", "level=warn ts=2024-03-06T22:51:38Z x", Some("2024-03-06T22:51:38Z"), None),
    ("NATS JSON", "{\"stamp\":\"2024-03-06T22:51:38Z\"}", Some("2024-03-06T22:51:38Z"), None),
    (
        "events as JSON",
        "{\"kind\":\"Event\",\"creationTimestamp\":\"2024-03-06T22:51:38Z\"}",
        Some("2024-03-06T22:51:38Z"),
        None,
    ),
    ("PowerShell", "{\"TimeCreated\":\"\\/Date(1709765110123)\\/\"}", Some("2024-03-06T22:45:10.123Z"), None),
    // Databases
    ("Redis", "1:S 06 Mar 2024 22:51:38.123 * Connecting to MASTER :0", Some("2024-03-06T22:51:38.123Z"), None),
    ("Redis' child", "24:C 06 Mar 2024 22:51:38.123 # x", Some("2024-03-06T22:51:38.123Z"), None),
    ("ClickHouse", "2024.03.06 22:51:38.123456 [ 1 ] {} <Error> x: y", Some("2024-03-06T22:51:38.123456Z"), None),
    (
        "MongoDB",
        "{\"t\":{\"$date\":\"2024-03-06T22:51:38.123+00:00\"},\"s\":\"I\",\"msg\":\"x\"}",
        Some("2024-03-06T22:51:38.123Z"),
        None,
    ),
    ("port and time", "1:9 06 Mar 2024 22:51:38.123 x", None, None),
    // etcd, Go, calico
    ("capnslog", "2024-03-06 22:45:57.123456 I | etcdserver: x", Some("2024-03-06T22:45:57.123456Z"), None),
    ("Go log", "2024/03/06 22:51:59 proto: x", Some("2024-03-06T22:51:59Z"), None),
    ("calico", "2024-03-06 09:18:20.320 [INFO][60] felix/summary.go 100: x", Some("2024-03-06T09:18:20.32Z"), None),
    ("coredns", "[INFO] plugin/ready: still waiting", None, None),
    // Longhorn
    (
        "instance-manager",
        "[pvc-541e6f99-r-b3e5b61f] time=\"2024-03-06T04:52:06Z\" level=info msg=x",
        Some("2024-03-06T04:52:06Z"),
        None,
    ),
    ("instance-manager Go", "[longhorn-instance-manager] 2024/03/06 22:51:59 x", Some("2024-03-06T22:51:59Z"), None),
    (
        "instance-manager klog",
        "[pvc-1-e-0] I0306 22:51:41.211378 1 a.go:1] x",
        Some("2024-03-06T22:51:41.211378Z"),
        None,
    ),
    (
        "instance-manager SPDK",
        "[pvc-1] [2024-03-06 22:51:41.211378] bdev.c: 12: x",
        Some("2024-03-06T22:51:41.211378Z"),
        None,
    ),
    // Requests
    (
        "access",
        "192.0.2.1 - - [08/Mar/2024:00:02:26 +0100] \"GET /?time=\\\"2021-01-01T00:00:00Z HTTP/1.1\" 200 1338",
        Some("2024-03-07T23:02:26Z"),
        None,
    ),
    ("nginx", "2024/03/06 22:51:38 [warn] 1#1: x", Some("2024-03-06T22:51:38Z"), None),
    ("envoy", "[2024-03-06T22:51:38.123Z] \"GET / HTTP/1.1\" 200", Some("2024-03-06T22:51:38.123Z"), None),
    ("envoy itself", "[2024-03-06 22:45:57.123][1][warning][config] x", Some("2024-03-06T22:45:57.123Z"), None),
    (
        "envoy JSON",
        "{\"start_time\":\"2024-03-06T22:51:38.123Z\",\"method\":\"GET\"}",
        Some("2024-03-06T22:51:38.123Z"),
        None,
    ),
    ("haproxy", "06/Mar/2024:22:51:38.123 x", Some("2024-03-06T22:51:38.123Z"), None),
    // Journals and syslog
    ("journal short", "Mar 06 22:45:28 node1 systemd[1]: x", Some("2024-03-06T22:45:28Z"), Some("node1 systemd[1]: x")),
    (
        "journal short-precise",
        "Mar 06 22:45:28.123456 node1 rke2[1]: x",
        Some("2024-03-06T22:45:28.123456Z"),
        Some("node1 rke2[1]: x"),
    ),
    (
        "journal short-iso",
        "2024-03-06T22:45:10+0000 node1 kernel: x",
        Some("2024-03-06T22:45:10Z"),
        Some("node1 kernel: x"),
    ),
    (
        "journal before logrus",
        "Mar 06 22:45:28 node1 rke2[1]: time=\"2021-01-01T00:00:00Z\" level=info",
        Some("2024-03-06T22:45:28Z"),
        Some("node1 rke2[1]: time=\"2021-01-01T00:00:00Z\" level=info"),
    ),
    ("syslog padded", "Mar  6 22:45:10 host prog[7]: msg", Some("2024-03-06T22:45:10Z"), Some("host prog[7]: msg")),
    (
        "syslog RFC 3339",
        "2024-03-06T22:45:10.123456+01:00 host prog[7]: msg",
        Some("2024-03-06T21:45:10.123456Z"),
        Some("host prog[7]: msg"),
    ),
    ("cut by tail", "r 22 22:07:48 node1 rancher-system-agent[13627]: x", None, None),
    // The kernel
    ("dmesg -T", "[Wed Mar  6 10:15:30 2024] usb 1-1: x", Some("2024-03-06T10:15:30Z"), None),
    ("dmesg -x -T", "kern  :err   : [Wed Mar  6 10:15:30 2024] usb 1-1: x", Some("2024-03-06T10:15:30Z"), None),
    ("dmesg -H", "[Mar 6 22:45] Linux version 6.4", Some("2024-03-06T22:45:00Z"), None),
    ("dmesg -H two digits", "[Feb16 22:45] Linux version 6.4", Some("2024-02-16T22:45:00Z"), None),
    ("dmesg -H later", "[  +0.000012] usb 1-1: x", None, None),
    ("dmesg raw", "[12345.678901] usb 1-1: x", None, None),
    ("dmesg -x raw", "kern  :info  : [    0.000000] Linux version 6.4", None, None),
    ("auditd", "type=AVC msg=audit(1709765110.123:456): avc: x", Some("2024-03-06T22:45:10.123Z"), None),
    // The API server's audit log: what was asked for holds other times
    (
        "audit",
        "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"requestObject\":{\"metadata\":{\"managedFields\":[{\"time\":\"2021-01-01T00:00:00Z\"}]}},\"requestReceivedTimestamp\":\"2024-03-06T22:45:10.000001Z\",\"stageTimestamp\":\"2024-03-06T22:45:10.123456Z\",\"annotations\":{}}",
        Some("2024-03-06T22:45:10.123456Z"),
        None,
    ),
    (
        "audit without stage",
        "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"requestReceivedTimestamp\":\"2024-03-06T22:45:10.000001Z\"}",
        Some("2024-03-06T22:45:10.000001Z"),
        None,
    ),
    // Virtual machines
    ("libvirt", "2024-03-06 22:45:57.123+0000: 65: error : virNet:1: x", Some("2024-03-06T22:45:57.123Z"), None),
    (
        "qemu",
        "2024-03-06T22:45:57.123456Z qemu-kvm: terminating on signal 15",
        Some("2024-03-06T22:45:57.123456Z"),
        Some("qemu-kvm: terminating on signal 15"),
    ),
    // Others
    ("Java", "2024-03-06 22:45:57,123 ERROR x", Some("2024-03-06T22:45:57.123Z"), None),
    ("Java in brackets", "[2024-03-06 22:45:57,123] INFO x", Some("2024-03-06T22:45:57.123Z"), None),
    ("PostgreSQL", "2024-03-06 22:45:57.123 UTC [1] LOG:  x", Some("2024-03-06T22:45:57.123Z"), None),
    ("cloud-init", "2024-03-06 22:45:10,123 - util.py[DEBUG]: x", Some("2024-03-06T22:45:10.123Z"), None),
    ("collector", "2024-03-06 22:45:57: Collecting system info", Some("2024-03-06T22:45:57Z"), None),
    ("zone behind a blank", "2024-03-06 22:45:57.123+05:30 [node=3] x", Some("2024-03-06T17:15:57.123Z"), None),
    ("NATS", "[7] 2024/03/06 22:51:38.123456 [ERR] x", Some("2024-03-06T22:51:38.123456Z"), None),
    ("Fluent Bit", "[2024/03/06 22:45:57] [error] [output:es:es.0] x", Some("2024-03-06T22:45:57Z"), None),
    ("capnslog", "2024-03-06 22:45:57.123456 E | op-mon: x", Some("2024-03-06T22:45:57.123456Z"), None),
    ("date", "Wed Mar  6 10:15:30 UTC 2024", Some("2024-03-06T10:15:30Z"), None),
    ("date in another zone", "Wed Mar  6 10:15:30 CET 2024", Some("2024-03-06T09:15:30Z"), None),
    ("ctime", "Wed Mar  6 10:15:30 2024 us=5 x", Some("2024-03-06T10:15:30Z"), None),
    ("Windows", "03/06/2024, 22:51:38 x", Some("2024-03-06T22:51:38Z"), None),
    ("Windows afternoon", "03/06/2024 10:51:38 PM x", Some("2024-03-06T22:51:38Z"), None),
    ("Windows midnight", "03/06/2024 12:51:38 AM x", Some("2024-03-06T00:51:38Z"), None),
    ("day first", "06 Mar 2024 22:51:38.123 x", Some("2024-03-06T22:51:38.123Z"), None),
    ("year first", "2024 Mar 06 22:51:38 x", Some("2024-03-06T22:51:38Z"), None),
    ("leap second", "2024-06-30T23:59:60Z leap", Some("2024-06-30T23:59:59Z"), Some("leap")),
    ("long fraction", "2024-03-06 22:45:57,12345 WARN", Some("2024-03-06T22:45:57.12345Z"), None),
];

#[test]
fn every_format_has_its_time_and_text() {
    for (format, text, time, seen) in FORMATS {
        let mut years = YearClock::until(Some("2024-03-10T00:00:00Z".parse().unwrap()));
        let found = stamp(text.as_bytes()).and_then(|stamp| years.resolve(stamp)).map(|time| time.to_string());
        assert_eq!(found.as_deref(), *time, "{format}: {text}");
        let (range, _) = line::text(text.as_bytes(), 0..text.len(), 1 << 20);
        assert_eq!(text.get(range), Some(seen.unwrap_or(text)), "{format}");
    }
}

/// The same through a whole scan, with the lines in one file after each other.
#[test]
fn formats_are_read_from_logs() {
    for (format, text, time, seen) in FORMATS {
        let log = format!("{text}\n");
        let pattern = format!("^{}$", regex::escape(seen.unwrap_or(text)));
        let (hits, index) =
            run(vec![query(&[&pattern])], log.as_bytes(), clock("2024-03-10T00:00:00Z"), Limits::default());
        let group = index.answer(0).groups.first().unwrap_or_else(|| panic!("{format}"));
        assert_eq!(group.first.map(|time| time.to_string()).as_deref(), *time, "{format}");
        assert_eq!((group.count, group.undated, hits.lines), (1, u64::from(time.is_none()), 1), "{format}");
    }
}

#[test]
fn lines_of_a_terminal_are_those_of_a_file() {
    let log = b"INFO[0000] Starting k3s\n\x1b[31mFATA\x1b[0m[0001] no \"token\"     node=n1\ntime=\"2024-03-06T04:52:06Z\" msg=late\n";
    let recent = |pattern: &str| LogQuery { since: Some(SignedDuration::from_hours(1)), ..query(&[pattern]) };
    let queries =
        vec![recent(r#"^level=fatal msg="no \\"token\\"" node=n1$"#), recent("msg=late"), query(&[r"FATA\["])];
    let (_, index) = run(queries, log, clock("2024-03-10T00:00:00Z"), Limits::default());
    let counts = [0, 1, 2].map(|query| index.answer(query).groups.first().map(|group| group.undated));
    assert_eq!(
        counts,
        [Some(1), None, None],
        "what has seconds counts, whatever its age; what has a time is four days old"
    );
}

#[test]
fn lines_of_docker_are_text_behind_a_stamp() {
    let log = b"{\"log\":\"error: x\\n\",\"stream\":\"stderr\",\"time\":\"2024-03-06T22:45:57.123456789Z\"}\n";
    let (_, index) = run(vec![query(&["^error: x$"])], log, Clock::default(), Limits::default());
    let group = index.answer(0).groups.first().unwrap();
    assert_eq!(group.first.map(|time| time.to_string()).as_deref(), Some("2024-03-06T22:45:57.123456789Z"));
}
