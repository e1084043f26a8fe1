//! Logs in files whose path does not tell whose they are.

use std::collections::BTreeMap;

use crate::known_lines::{KnownHere, KnownLineSource};
use crate::log::{MinedSource, host_of, is_dated, is_ring_buffer, last_start};
use crate::resource::is_generated;

/// Log in a file whose path does not tell whose it is.
#[derive(Clone, Debug)]
pub enum LooseLog {
    /// Of a host, empty if its lines do not name it, and of what there.
    OfHost {
        host: String,
        unit: &'static str,
    },
    /// Of a container of KubeVirt, whose lines name its program.
    OfKubevirt {
        component: &'static str,
    },
    Other,
    /// Text without times.
    Pasted,
}

impl LooseLog {
    /// Recognises a log by the first bytes of a file that holds no objects: `journalctl > node1.txt`, `dmesg -T > n1.log`, `kubectl logs web-0 > web-0.txt`;
    /// where its lines do not tell, by a name such as `node1-kubelet.log`.
    pub fn of(head: &[u8], path: &str) -> Option<Self> {
        let ring_buffer = || is_ring_buffer(head).then_some("dmesg");
        let nameless = || ring_buffer().or_else(|| Some(last_start(head)?.unit)).map(|unit| (String::new(), unit));
        match host_of(head).map(|host| (host, "journal")).or_else(nameless) {
            Some((host, unit)) => Some(Self::OfHost { host, unit }),
            None => kubevirt(head).or_else(|| is_dated(head).then(|| in_name(path).unwrap_or(Self::Other))),
        }
    }
}

/// Leaves out of texts into which lines were pasted what is no known line: it may be what people write.
pub fn keep_known_of_pasted(mined: &mut [MinedSource], lines: &dyn KnownLineSource) {
    let versions = BTreeMap::new();
    let known = KnownHere { lines, versions: &versions };
    for MinedSource { source, templates, .. } in mined.iter_mut().filter(|mined| is_pasted(mined)) {
        templates.retain(|template| known.find_at(&template.text, &source.origin).is_some());
    }
}

/// Returns true if a known line is in a text into which lines were pasted.
pub fn has_pasted(mined: &[MinedSource]) -> bool {
    mined.iter().any(|mined| is_pasted(mined) && !mined.templates.is_empty())
}

fn is_pasted(mined: &MinedSource) -> bool {
    mined.source.is_pasted()
}

/// Recognises the log of a unit by the name that people give a copy of it: `kubelet-node1.log`, `cp1.rke2-server.txt`, `k3s-server.log`. What stands
/// beside the unit is the host, unless a pod is called so (`kubelet-csr-approver-7d9f6c5b8-x2x7k`).
fn in_name(path: &str) -> Option<LooseLog> {
    const UNITS: [(&str, &str); 7] = [
        ("containerd", "containerd"),
        ("k3s-agent", "k3s-agent"),
        ("k3s-server", "k3s"),
        ("kubelet", "kubelet"),
        ("rancher-system-agent", "rancher-system-agent"),
        ("rke2-agent", "rke2-agent"),
        ("rke2-server", "rke2-server"),
    ];
    const SEPARATORS: [char; 3] = ['-', '_', '.'];
    let file = path.rsplit('/').next()?.to_ascii_lowercase();
    let mut stem = file.as_str();
    while let Some(shorter) = [".log", ".txt", ".out", ".err"].iter().find_map(|ending| stem.strip_suffix(ending)) {
        stem = shorter;
    }
    UNITS.into_iter().find_map(|(name, unit)| {
        let before = || stem.strip_prefix(name)?.strip_prefix(SEPARATORS);
        let behind = || stem.strip_suffix(name)?.strip_suffix(SEPARATORS);
        let host = if stem == name { "" } else { before().or_else(behind).filter(|rest| may_be_host(rest))? };
        Some(LooseLog::OfHost { host: host.to_owned(), unit })
    })
}

/// Returns true for a name with a number and without the end of the name of a pod.
fn may_be_host(name: &str) -> bool {
    let is_of_pod = name.rsplit_once('-').is_some_and(|(_, end)| end.len() == 5 && is_generated(end));
    name.bytes().any(|byte| byte.is_ascii_digit()) && !is_of_pod
}

/// Recognises `{"component":"virt-handler","level":"info","msg":"...","pos":"vm.go:1444",...}`, as each of KubeVirt's programs writes it. Those that the
/// launcher starts write other lines between them.
fn kubevirt(head: &[u8]) -> Option<LooseLog> {
    const COMPONENTS: [&str; 5] = ["virt-api", "virt-controller", "virt-handler", "virt-launcher", "virt-operator"];
    let mut lines = head.split(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let name = line.strip_prefix(b"{\"component\":\"")?.split(|byte| *byte == b'"').next()?;
        let component = COMPONENTS.into_iter().find(|known| known.as_bytes() == name)?;
        Some(LooseLog::OfKubevirt { component })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_kubevirt_name_their_program() {
        let of = |head: &str| match LooseLog::of(head.as_bytes(), "x.log") {
            Some(LooseLog::OfKubevirt { component }) => Some(component),
            _ => None,
        };
        let line =
            r#"{"component":"virt-launcher","level":"info","msg":"up","timestamp":"2026-02-04T22:28:11.803504Z"}"#;
        assert_eq!(of(&format!("+ exec virt-launcher-monitor\n{line}\n")), Some("virt-launcher"));
        assert_eq!(of(&line.replace("launcher", "viewer")), None);
        assert_eq!(of("Mar 06 22:45:28 n1 virt-launcher[1]: {\"component\":\"virt-launcher\"}\n"), None);
    }

    #[test]
    fn names_of_copies_tell_unit_and_host() {
        let klog = b"E0718 15:20:58.280275   11519 kubelet.go:2055] \"PLEG is not healthy\"\n";
        let of = |path: &str| match LooseLog::of(klog, path) {
            Some(LooseLog::OfHost { host, unit }) => Some(format!("{unit} {host}")),
            _ => None,
        };
        assert_eq!(of("case/kubelet-node1.log").as_deref(), Some("kubelet node1"));
        assert_eq!(of("worker1.kubelet.txt").as_deref(), Some("kubelet worker1"));
        assert_eq!(of("cp1_rke2-server.log").as_deref(), Some("rke2-server cp1"));
        assert_eq!(of("k3s-server.log").as_deref(), Some("k3s "));
        assert_eq!(of("kubelet.err.log").as_deref(), Some("kubelet "));
        for other in ["kubelet-csr-approver-7d9f6c5b8-x2x7k.log", "kubelet-notes.log", "web-0.log", "kubelets1.log"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
