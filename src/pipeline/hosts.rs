//! Names of hosts for logs that were sent alone and do not name theirs: `dmesg`, or `k3s.log` without the prefix of the journal.
//!
//! Without a name nothing would join the lines of one file, so rules that ask whether the host went on would stay open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Log of a host in a file of its own.
pub struct HostLog<'l> {
    pub path: &'l Arc<str>,
    /// Empty if its lines do not name it.
    pub host: &'l str,
    pub unit: &'l str,
}

/// Returns the assumed hosts of the logs without one, by path. All logs are of the only host that lines name; if none does, one log of
/// each unit is of one host, named after its first file, and several of a unit are of a host each, named after their files.
pub fn assumed(logs: &[HostLog<'_>]) -> BTreeMap<Arc<str>, String> {
    let named: BTreeSet<&str> = logs.iter().map(|log| log.host).filter(|host| !host.is_empty()).collect();
    let units: BTreeSet<&str> = logs.iter().map(|log| log.unit).collect();
    let only = match (named.first(), logs.first()) {
        (Some(host), _) if named.len() == 1 => Some((*host).to_owned()),
        (Some(_), _) => return BTreeMap::new(),
        (None, Some(first)) if units.len() == logs.len() => Some(of_file(first.path)),
        _ => None,
    };
    let nameless = logs.iter().filter(|log| log.host.is_empty());
    nameless.map(|log| (log.path.clone(), only.clone().unwrap_or_else(|| of_file(log.path)))).collect()
}

/// Names of files that say which log they are, or only that they are one, and not of which host.
const OF_ANY: [&str; 26] = [
    "compose",
    "console",
    "containerd",
    "crash",
    "debug",
    "dmesg",
    "docker",
    "docker-compose",
    "error",
    "errors",
    "journal",
    "journalctl",
    "k3s",
    "kern",
    "kernel",
    "kubelet",
    "log",
    "logs",
    "messages",
    "out",
    "output",
    "rke2",
    "rke2-agent",
    "rke2-server",
    "syslog",
    "terminal",
];

/// Returns the name of a file without its ending; one that any host may have is told as such, for no host is called so.
fn of_file(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    if OF_ANY.contains(&stem) { format!("(host of {file})") } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(logs: &[(&str, &str, &str)]) -> Vec<String> {
        let paths: Vec<Arc<str>> = logs.iter().map(|(path, ..)| Arc::from(*path)).collect();
        let logs: Vec<HostLog<'_>> =
            paths.iter().zip(logs).map(|(path, (_, host, unit))| HostLog { path, host, unit }).collect();
        assumed(&logs).into_iter().map(|(path, host)| format!("{path} {host}")).collect()
    }

    #[test]
    fn logs_of_one_host_share_its_name() {
        assert_eq!(of(&[("a/k3s.log", "", "k3s")]), ["a/k3s.log (host of k3s.log)"]);
        assert_eq!(of(&[("error.log", "", "k3s")]), ["error.log (host of error.log)"]);
        assert_eq!(of(&[("cp1.log", "", "k3s")]), ["cp1.log cp1"]);
        assert_eq!(
            of(&[("dmesg.txt", "", "dmesg"), ("k3s.log", "", "k3s")]),
            ["dmesg.txt (host of dmesg.txt)", "k3s.log (host of dmesg.txt)"]
        );
        assert_eq!(of(&[("dmesg.txt", "", "dmesg"), ("j.txt", "cp1", "journal")]), ["dmesg.txt cp1"]);
    }

    #[test]
    fn logs_of_several_hosts_are_kept_apart() {
        let files = [("dmesg-cp1.txt", "", "dmesg"), ("dmesg-cp2.txt", "", "dmesg")];
        assert_eq!(of(&files), ["dmesg-cp1.txt dmesg-cp1", "dmesg-cp2.txt dmesg-cp2"]);
        let named = [("a.txt", "cp1", "journal"), ("b.txt", "cp2", "journal"), ("dmesg.txt", "", "dmesg")];
        assert_eq!(of(&named), Vec::<String>::new());
    }
}
