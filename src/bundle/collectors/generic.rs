//! Folders without a collector's layout: logs are recognised by name, all other files by content.

use super::cri_log;
use super::host_log::node_log;
use crate::bundle::collectors::role::Role;
use crate::bundle::path::without_ending;

/// Names of logs of hosts and of their units.
const UNITS: [&str; 16] = [
    "kernel",
    "dmesg",
    "syslog",
    "messages",
    "journal",
    "rke2-server",
    "rke2-agent",
    "k3s",
    "k3s-agent",
    "kubelet",
    "containerd",
    "crio",
    "docker",
    "iscsid",
    "rancher-system-agent",
    "rancherd",
];

/// Folders that are neither a namespace nor a pod.
const FOLDERS: [&str; 14] =
    ["bundle", "etc", "home", "host", "journal", "log", "logs", "node", "nodes", "opt", "pods", "root", "tmp", "var"];

/// Returns the role of an entry.
pub(crate) fn role(segments: &[&str]) -> Role {
    let Some((file, folders)) = segments.split_last() else { return Role::Other };
    if is_cluster_dump(file) {
        return Role::LogSections { documents: true };
    }
    if let Some(role) = host_log(file) {
        return role;
    }
    match log_stem(file) {
        Some((stem, rotated)) => of_kubelet(folders, stem)
            .or_else(|| of_container(folders, stem, rotated))
            .unwrap_or_else(|| named(stem, rotated)),
        None if may_hold_objects(file) => Role::Unplaced,
        None => Role::Other,
    }
}

/// Returns the role of a file of that path in an unknown layout.
pub fn role_of_loose(path: &str) -> Role {
    role(&path.split('/').collect::<Vec<_>>())
}

/// Returns true if the name is usual for the output of `kubectl cluster-info dump`.
pub(super) fn is_cluster_dump(file: &str) -> bool {
    let name = file.to_ascii_lowercase();
    let names_it =
        name.starts_with("cluster-info") || name.starts_with("clusterinfo") || name.starts_with("cluster_info");
    names_it && name.contains("dump") || name.ends_with(".dump.log")
}

/// Returns the name without `.log` and rotation suffix (`x.log`, `x.log.1`, `x.log.20240306-101530`), and true if it
/// had a suffix.
fn log_stem(file: &str) -> Option<(&str, bool)> {
    let at = file.rfind(".log")?;
    let (stem, rest) = (file.get(..at)?, file.get(at + 4..)?);
    let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let rotated = rest.strip_prefix('.').is_some_and(is_number);
    (!stem.is_empty() && (rest.is_empty() || rotated)).then_some((stem, rotated))
}

/// Returns the role of a host log of unknown host: `kernel.log`, `messages.1`, `dmesg.txt`,
/// `journalctl-rke2-server.log`.
fn host_log(file: &str) -> Option<Role> {
    let (name, generation) = node_log(file).unwrap_or((file, 0));
    let name = name.strip_suffix(".txt").unwrap_or(name);
    let unit = match name {
        "kern" | "journalctl-k" => "kernel",
        "journalctl" => "journal",
        _ => name.strip_prefix("journalctl-").or_else(|| name.strip_prefix("journal-")).unwrap_or(name),
    };
    let is_export = name.starts_with("journal") && without_ending(unit) == unit && !unit.contains('.');
    // `journal-node1.log` has all units; the lines of one tell which it is.
    let unit = UNITS.iter().find(|known| **known == unit).copied().or(is_export.then_some("journal"))?;
    Some(Role::node_log("", unit, generation))
}

/// Returns the role of the kubelet's own files, `NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`, and of the links to them,
/// `POD_NAMESPACE_CONTAINER-ID.log`.
fn of_kubelet(folders: &[&str], stem: &str) -> Option<Role> {
    const ID: usize = 64;
    if let [.., pod, container] = folders
        && let [namespace, pod, _] = pod.split('_').collect::<Vec<_>>().as_slice()
        && is_number(stem)
    {
        return Some(Role::pod_log(namespace, pod, container, false));
    }
    let (namespace, pod, container, id) = cri_log::link(stem)?;
    (id.len() == ID && id.bytes().all(|b| b.is_ascii_hexdigit()))
        .then(|| Role::pod_log(namespace, pod, container, false))
}

/// Returns the role of `NAMESPACE/POD/CONTAINER.log`.
fn of_container(folders: &[&str], stem: &str, rotated: bool) -> Option<Role> {
    let [.., namespace, pod] = folders else { return None };
    let (stem, previous) = without_previous(stem);
    let fits = [namespace, pod].into_iter().all(|name| is_label(name) && !FOLDERS.contains(name)) && is_label(stem);
    fits.then(|| Role::pod_log(namespace, pod, stem, previous || rotated))
}

/// Returns the role of a log named after its pod, optionally with namespace or container.
fn named(stem: &str, rotated: bool) -> Role {
    let (stem, previous) = without_previous(stem);
    Role::PodLogs { name: stem.to_owned(), previous: previous || rotated }
}

fn without_previous(stem: &str) -> (&str, bool) {
    let endings = ["-previous", "_previous", ".previous", "-prev", "_prev", ".prev"];
    match endings.iter().find_map(|ending| stem.strip_suffix(ending)).filter(|stem| !stem.is_empty()) {
        Some(stem) => (stem, true),
        None => (stem, false),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true for a valid name of a namespace or container; pod names with dots are ambiguous.
fn is_label(text: &str) -> bool {
    (1..=253).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Returns true if a file with this name may hold objects or kubectl tables.
fn may_hold_objects(file: &str) -> bool {
    const ENDINGS: [&str; 8] = ["yaml", "yml", "json", "ndjson", "jsonl", "txt", "out", "dump"];
    match file.rsplit_once('.') {
        Some((_, ending)) if ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) => true,
        // `deployments.apps`, `kubectl_get_nodes`.
        Some((_, ending)) => !ending.is_empty() && file.bytes().all(|b| b.is_ascii_lowercase() || b"._-".contains(&b)),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    fn unit(unit: &str, generation: u32) -> Role {
        Role::node_log("", unit, generation)
    }

    fn named(name: &str, previous: bool) -> Role {
        Role::PodLogs { name: name.into(), previous }
    }

    #[test]
    fn logs_of_hosts() {
        assert_eq!(of("kernel.log"), unit("kernel", 0));
        assert_eq!(of("n1/messages.2"), unit("messages", 2));
        assert_eq!(of("kern.log.1"), unit("kernel", 1));
        assert_eq!(of("dmesg.txt"), unit("dmesg", 0));
        assert_eq!(of("dmesg"), unit("dmesg", 0));
        assert_eq!(of("journalctl-rke2-server.log"), unit("rke2-server", 0));
        assert_eq!(of("rke2-server.log"), unit("rke2-server", 0));
        assert_eq!(of("journal-node1.log"), unit("journal", 0));
        assert_eq!(of("journal.yaml"), Role::Unplaced);
    }

    #[test]
    fn logs_of_containers() {
        assert_eq!(of("shop/web-0/nginx.log"), Role::pod_log("shop", "web-0", "nginx", false));
        assert_eq!(of("a/shop/web-0/nginx-previous.log"), Role::pod_log("shop", "web-0", "nginx", true));
        assert_eq!(of("pods/shop_web-0_1a2b/nginx/3.log"), Role::pod_log("shop", "web-0", "nginx", false));
        let link = format!("web-0_shop_nginx-{}.log", "0a".repeat(32));
        assert_eq!(of(&format!("var/log/containers/{link}")), Role::pod_log("shop", "web-0", "nginx", false));
        assert_eq!(of("web-0.log"), named("web-0", false));
        assert_eq!(of("case/logs/web-0_previous.log"), named("web-0", true));
        assert_eq!(of("var/log/app.log"), named("app", false));
        assert_eq!(of("x/app.log.1"), named("app", true));
    }

    #[test]
    fn entries_that_may_hold_objects() {
        for path in ["pods.yaml", "a/b/events.json", "get-pods.txt", "nodes", "deployments.apps", "audit.ndjson"] {
            assert_eq!(of(path), Role::Unplaced, "{path}");
        }
        for path in ["shot.PNG", "core.1234", "x.tar.zst2"] {
            assert_eq!(of(path), Role::Other, "{path}");
        }
        assert_eq!(of("cluster-info.dump.log"), Role::LogSections { documents: true });
    }

    #[test]
    fn names_of_the_file_without_a_folder() {
        for name in ["cluster-info_dump", "cluster-info.dump.log", "kube.dump.log", "clusterinfo-dump.txt"] {
            assert!(is_cluster_dump(name), "{name}");
        }
        assert!(!is_cluster_dump("cluster-info") && !is_cluster_dump("heap.dump"));
    }
}
