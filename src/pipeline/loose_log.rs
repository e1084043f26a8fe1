//! Logs in files whose path does not tell whose they are.

use crate::log::{host_of, is_dated, is_ring_buffer, last_start};

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
}

impl LooseLog {
    /// Recognises a log by the first bytes of a file that holds no objects: `journalctl > node1.txt`, `dmesg -T > n1.log`, `kubectl logs web-0 > web-0.txt`.
    pub fn of(head: &[u8]) -> Option<Self> {
        let ring_buffer = || is_ring_buffer(head).then_some("dmesg");
        let nameless = || ring_buffer().or_else(|| Some(last_start(head)?.unit)).map(|unit| (String::new(), unit));
        match host_of(head).map(|host| (host, "journal")).or_else(nameless) {
            Some((host, unit)) => Some(Self::OfHost { host, unit }),
            None => kubevirt(head).or_else(|| is_dated(head).then_some(Self::Other)),
        }
    }
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
        let of = |head: &str| match LooseLog::of(head.as_bytes()) {
            Some(LooseLog::OfKubevirt { component }) => Some(component),
            _ => None,
        };
        let line =
            r#"{"component":"virt-launcher","level":"info","msg":"up","timestamp":"2026-02-04T22:28:11.803504Z"}"#;
        assert_eq!(of(&format!("+ exec virt-launcher-monitor\n{line}\n")), Some("virt-launcher"));
        assert_eq!(of(&line.replace("launcher", "viewer")), None);
        assert_eq!(of("Mar 06 22:45:28 n1 virt-launcher[1]: {\"component\":\"virt-launcher\"}\n"), None);
    }
}
