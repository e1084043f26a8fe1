//! Warnings and errors that every healthy cluster logs now and then; no rule may take them for a fault.

use super::clock::{Moment, NOW, SECOND, rfc3339};
use super::world::World;

/// Minutes before the collection, part of the log's path, level of klog or none, text. `<at>` is the time.
const LINES: &[(i64, &str, Option<char>, &str)] = &[
    (
        700,
        "/longhorn-manager-",
        None,
        "time=\"<at>\" level=warning msg=\"Failed to get backup target: backup target URL is empty\" controller=longhorn-backup-target",
    ),
    (
        655,
        "/instance-manager-",
        None,
        "[longhorn-instance-manager] time=\"<at>\" level=error msg=\"Error reading from wire\" error=EOF",
    ),
    (
        655,
        "/instance-manager-",
        None,
        "[longhorn-instance-manager] time=\"<at>\" level=warning msg=\"Lost connection from: 10.52.1.41:40122\"",
    ),
    (
        610,
        "/kube-apiserver-",
        Some('W'),
        "watcher.go:338] watch chan error: etcdserver: mvcc: required revision has been compacted",
    ),
    (
        590,
        "/kube-controller-manager-",
        Some('E'),
        "horizontal.go:270] failed to compute desired number of replicas based on listed metrics: no metrics yet for a pod that has just started",
    ),
    (
        540,
        "/etcd-",
        None,
        "{\"level\":\"warn\",\"ts\":\"<at>\",\"caller\":\"etcdserver/util.go:170\",\"msg\":\"apply request took too long\",\"took\":\"131.2ms\",\"expected-duration\":\"100ms\"}",
    ),
    (
        480,
        "/virt-api-",
        None,
        "{\"component\":\"virt-api\",\"level\":\"info\",\"msg\":\"certificate of kubevirt-virt-api-certs updated\",\"pos\":\"cert-manager.go:198\",\"timestamp\":\"<at>\"}",
    ),
    (
        450,
        "/virt-handler-",
        None,
        "{\"component\":\"virt-handler\",\"level\":\"warning\",\"msg\":\"http: TLS handshake error from 10.52.0.1:51644: EOF\",\"pos\":\"server.go:3195\",\"timestamp\":\"<at>\"}",
    ),
    (
        400,
        "/harvester-webhook-",
        None,
        "time=\"<at>\" level=error msg=\"http: TLS handshake error from 10.52.0.1:36212: EOF\"",
    ),
    (
        380,
        "/fleet-agent-",
        None,
        "{\"level\":\"info\",\"ts\":\"<at>\",\"logger\":\"bundledeployment\",\"msg\":\"the object has been modified; please apply your changes to the latest version and try again\",\"name\":\"mcc-harvester\"}",
    ),
    (
        350,
        "cattle-system/rancher-",
        None,
        "time=\"<at>\" level=warning msg=\"watch of *v1.ConfigMap ended with: too old resource version: 8102231 (8104460)\"",
    ),
    (
        300,
        "/rke2-coredns-rke2-coredns-",
        None,
        "[WARNING] plugin/health: Local health request to \"http://:8080/health\" took more than 1s: 1.2s",
    ),
    (
        240,
        "/kubelet.log",
        Some('W'),
        "watcher.go:93] Error while processing event (\"/sys/fs/cgroup/kubepods.slice/run-rc41.scope\": 0x40000100 == IN_CREATE|IN_ISDIR): no such file or directory",
    ),
    (
        180,
        "/containerd.log",
        None,
        "time=\"<at>\" level=warning msg=\"cleaning up after shim disconnected\" namespace=k8s.io",
    ),
    (
        90,
        "/rke2-server.log",
        None,
        "time=\"<at>\" level=warning msg=\"Proxy error: write failed: use of closed network connection\"",
    ),
    (60, "/kernel.log", None, "eth0: renamed from tmp8d21c"),
];

impl World {
    /// Lets the first log of each kind tell its harmless lines.
    pub fn benign(&mut self) {
        for (minutes, part, level, text) in LINES {
            let at = NOW - minutes * 60;
            let text = text.replace("<at>", &rfc3339(at));
            let line = match level {
                None => text,
                Some(level) => {
                    let mut line = level.to_string();
                    Moment::new(at * SECOND).klog(&mut line);
                    format!("{line}       1 {text}")
                }
            };
            if let Some(log) = self.logs.iter_mut().find(|log| log.path.contains(part)) {
                log.tell(at, line);
            }
        }
    }
}
