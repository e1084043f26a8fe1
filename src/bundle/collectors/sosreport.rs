//! Tree of sosreport: command output by plugin, and copies of the host's files at their original paths.

use super::cri_log;
use super::host_log::node_log;
use super::host_name::{by_name, in_hostname, in_uname};
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists, HostFile, HostOf, KindOfBundle};

use crate::bundle::path::without_ending;
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "sosreport",
    kind: KindOfBundle::Always(BundleKind::SOSREPORT),
    markers: &[&SOS_COMMANDS],
    recognises: |marks| marks.has(&SOS_COMMANDS),
    role,
    host: HostOf {
        by_name: Some(|prefix, container| by_name(prefix, container, host_of)),
        files: &HOST_FILES,
        ..HostOf::DEFAULT
    },
    empty_lists: EmptyLists::Written,
    description: Description::Machine,
    keeps_error_output: true,
    ..CollectorSpec::DEFAULT
};

static SOS_COMMANDS: Marker = Marker::at_root("sos_commands/", |path| matches!(path, ["sos_commands", ..]));

const HOST_FILES: [HostFile; 5] = [
    HostFile { path: "sos_commands/host/hostname", rank: 0, name_in: in_hostname },
    HostFile { path: "hostname", rank: 1, name_in: in_hostname },
    HostFile { path: "sos_commands/general/hostname", rank: 1, name_in: in_hostname },
    HostFile { path: "etc/hostname", rank: 1, name_in: in_hostname },
    HostFile { path: "sos_commands/kernel/uname_-a", rank: 2, name_in: in_uname },
];

/// Returns the role of an entry in the collection of `node`.
fn role(segments: &[&str], node: &str) -> Role {
    let found = match segments {
        ["sos_commands", "date", "date"] | ["date"] | ["version.txt"] => Some(Role::Metadata),
        ["etc", "os-release"] | ["usr", "lib", "os-release"] => Some(Role::Metadata),
        ["sos_commands", "kernel", "uname_-a"] => Some(Role::Metadata),
        ["sos_commands", _, file] if file.starts_with("journalctl_") => journal(node, file),
        ["sos_commands", "kernel", "dmesg" | "dmesg_-T"] => Some(Role::node_log(node, "dmesg", 0)),
        ["sos_commands", _, "cluster-info", namespace, "podlogs", pod, file] => pod_log(namespace, pod, file),
        ["sos_commands", "kubernetes" | "openshift", rest @ ..] => kubectl(rest),
        ["var", "log", "pods", pod, container, file] => cri_log::of_kubelet(pod, container, file),
        ["var", "log", file] => system_log(node, file),
        ["var", "log", folder, file] => named_log(node, folder, file),
        ["var", "lib", "rancher", _, "agent", "logs", file] => named_log(node, "", file),
        ["var", "lib", "rancher", _, "agent", "containerd", "containerd.log"] => {
            Some(Role::node_log(node, "containerd", 0))
        }
        _ => None,
    };
    found.unwrap_or_else(|| Role::NodeFile { node: node.to_owned() })
}

/// Returns the role of `journalctl_--no-pager[_--boot[_-1]]` (all units) or `journalctl_--no-pager_--unit_kubelet`
/// (one unit).
fn journal(node: &str, file: &str) -> Option<Role> {
    let words: Vec<&str> = file.split('_').collect();
    if words.iter().any(|word| matches!(*word, "--disk-usage" | "--list-boots" | "--header" | "-o" | "--verify")) {
        return None;
    }
    let unit = words.iter().position(|word| matches!(*word, "--unit" | "-u")).and_then(|at| words.get(at + 1..));
    if let Some(unit) = unit.and_then(|rest| rest.first()) {
        return Some(Role::node_log(node, unit.strip_suffix(".service").unwrap_or(unit), 0));
    }
    let boot = words.iter().position(|word| *word == "--boot");
    let earlier = boot.and_then(|at| words.get(at + 1)).and_then(|number| number.strip_prefix('-')?.parse().ok());
    Some(match (boot, earlier) {
        (None, _) => Role::node_log(node, "journal", 0),
        (Some(_), earlier) => Role::node_log(node, "boot", earlier.unwrap_or(0)),
    })
}

/// Returns the role of a system log; some systems name the kernel log `kern.log`.
fn system_log(node: &str, file: &str) -> Option<Role> {
    let undated = file.split_once('-').filter(|(_, day)| day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()));
    let (name, generation) = match undated {
        Some((name, _)) => (name, 1),
        None => node_log(file).unwrap_or((file, 0)),
    };
    match name {
        "kern" => Some(Role::node_log(node, "kernel", generation)),
        // Differs from `boot`, the journal since boot.
        "boot" => Some(Role::node_log(node, "boot.log", generation)),
        "messages" | "syslog" | "secure" | "auth" | "dmesg" | "cron" => Some(Role::node_log(node, name, generation)),
        _ => node_log(file).map(|(unit, generation)| Role::node_log(node, unit, generation)),
    }
}

/// Returns the role of a program's log in its own folder; pod logs there are links to other paths.
fn named_log(node: &str, folder: &str, file: &str) -> Option<Role> {
    let (unit, generation) = node_log(file).filter(|_| !matches!(folder, "containers" | "pods"))?;
    Some(Role::node_log(node, unit, generation))
}

/// Returns the role of `kubectl_--namespace_shop_logs_web-0_-c_nginx` in the folder of its pod.
fn pod_log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
    let (words, container) = file.rsplit_once("_-c_")?;
    let previous = words.contains("_--previous") || words.ends_with("_-p");
    Some(Role::pod_log(namespace, pod, container, previous))
}

/// Returns the role of kubectl output by file name: `kubectl_get_-o_json_nodes` is a dump, and
/// `kubectl_get_--all-namespaces_true_pods` a table.
fn kubectl(rest: &[&str]) -> Option<Role> {
    let file = rest.last()?;
    if ["_version", "_config_view", "_describe_", "_logs_", "_--raw_"].iter().any(|word| file.contains(word)) {
        return file.ends_with("kubectl_version").then_some(Role::Metadata);
    }
    let at = file.find("_get_").or_else(|| file.starts_with("get_").then_some(0))?;
    let mut words = file.split('_').skip_while(|word| !word.ends_with("kubectl") && !word.ends_with("oc"));
    let (mut form, mut namespace, mut asked) = (None, None, None);
    words.next().filter(|_| at > 0)?;
    while let Some(word) = words.next() {
        match word {
            "-o" | "--output" => form = words.next(),
            "-n" | "--namespace" => namespace = words.next(),
            "--kubeconfig" => drop(words.next()),
            "get" | "true" => {}
            flag if flag.starts_with('-') => {}
            name => asked = asked.or(Some(name)),
        }
    }
    let asked =
        asked.filter(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b".-".contains(&b)))?;
    Some(match form {
        Some("json" | "yaml") => {
            let (plural, group) = long_name(asked);
            Role::dump(namespace, group, "", plural)
        }
        Some("wide") | None => Role::table(asked),
        Some(_) => return None,
    })
}

/// Returns plural and group of an argument to kubectl; sosreport uses some short names.
fn long_name(word: &str) -> (&str, &str) {
    match word {
        "pv" => ("persistentvolumes", ""),
        "pvc" => ("persistentvolumeclaims", ""),
        "sc" => ("storageclasses", "storage.k8s.io"),
        "vms" => ("virtualmachines", "kubevirt.io"),
        "vmis" => ("virtualmachineinstances", "kubevirt.io"),
        _ => word.split_once('.').unwrap_or((word, "")),
    }
}

/// Guesses the host from the name of an archive or folder: `sosreport-HOST[-LABEL][-CASE]-YYYY-MM-DD-ID`. A label or
/// case after the host cannot be separated from it.
fn host_of(name: &str) -> Option<&str> {
    let name = without_ending(name).strip_prefix("sosreport-")?;
    let is_number = |part: &str, digits: usize| part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
    let dated = name.match_indices('-').find(|(at, _)| {
        let mut parts = name.get(at + 1..).unwrap_or_default().split('-');
        [4, 2, 2].into_iter().all(|digits| parts.next().is_some_and(|part| is_number(part, digits)))
    });
    Some(dated.and_then(|(at, _)| name.get(..at)).unwrap_or(name)).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>(), "n1")
    }

    #[test]
    fn logs_of_the_host() {
        for (path, unit, generation) in [
            ("sos_commands/logs/journalctl_--no-pager", "journal", 0),
            ("sos_commands/logs/journalctl_--no-pager_--boot", "boot", 0),
            ("sos_commands/logs/journalctl_--no-pager_--boot_-1", "boot", 1),
            ("sos_commands/logs/journalctl_--no-pager_--catalog_--boot", "boot", 0),
            ("sos_commands/kubernetes/journalctl_--no-pager_--unit_kubelet", "kubelet", 0),
            ("sos_commands/chrony/journalctl_--no-pager_--unit_chronyd.service", "chronyd", 0),
            ("sos_commands/kernel/dmesg_-T", "dmesg", 0),
            ("var/log/messages", "messages", 0),
            ("var/log/messages-20240306", "messages", 1),
            ("var/log/syslog.1", "syslog", 1),
            ("var/log/kern.log", "kernel", 0),
            ("var/log/secure", "secure", 0),
            ("var/log/boot.log", "boot.log", 0),
            ("var/log/audit/audit.log", "audit", 0),
            ("var/lib/rancher/rke2/agent/logs/kubelet.log", "kubelet", 0),
            ("var/lib/rancher/rke2/agent/containerd/containerd.log", "containerd", 0),
        ] {
            assert_eq!(of(path), Role::node_log("n1", unit, generation), "{path}");
        }
    }

    #[test]
    fn output_of_kubectl_has_roles() {
        let dump = |namespace: Option<&str>, plural: &str| Role::dump(namespace, "", "", plural);
        for (file, wanted) in [
            ("cluster-info/kubectl_get_-o_json_nodes", dump(None, "nodes")),
            (
                "cluster-info/shop/kubectl_get_-o_json_--namespace_shop_pvc",
                dump(Some("shop"), "persistentvolumeclaims"),
            ),
            ("kubectl_-o_yaml_get_nodes", dump(None, "nodes")),
            ("cluster-info/kubectl_get_--all-namespaces_true_pods", Role::table("pods")),
            ("cluster-info/kubectl_--kubeconfig_.etc.kubernetes.admin.conf_get_pv", Role::table("pv")),
            ("cluster-info/kubectl_version", Role::Metadata),
        ] {
            assert_eq!(of(&format!("sos_commands/kubernetes/{file}")), wanted, "{file}");
        }
        for file in ["kubectl_describe_node_n1", "kubectl_get_--raw_.metrics", "kubectl_config_view", "kubectl_get_"] {
            let file = format!("sos_commands/kubernetes/cluster-info/{file}");
            assert_eq!(of(&file), Role::NodeFile { node: "n1".into() }, "{file}");
        }
    }

    #[test]
    fn logs_of_pods() {
        let wanted = Role::pod_log("shop", "web-0", "nginx", false);
        let folder = "sos_commands/kubernetes/cluster-info/shop/podlogs/web-0";
        assert_eq!(of(&format!("{folder}/kubectl_--namespace_shop_logs_web-0_-c_nginx")), wanted);
        assert_eq!(of("var/log/pods/shop_web-0_a1b2/nginx/0.log"), wanted);
    }

    #[test]
    fn everything_else_is_a_file_of_the_host() {
        for path in
            ["sos_commands/filesys/df_-al_-x_autofs", "proc/mounts", "sos_commands/logs/journalctl_--disk-usage"]
        {
            assert_eq!(of(path), Role::NodeFile { node: "n1".into() }, "{path}");
        }
        assert_eq!(of("sos_commands/date/date"), Role::Metadata);
    }

    #[test]
    fn the_archive_names_its_host() {
        for (name, host) in [
            ("sosreport-web-1-2024-03-06-abcdefg.tar.xz", Some("web-1")),
            ("sosreport-web-1", Some("web-1")),
            ("case-17.tar.xz", None),
        ] {
            assert_eq!(host_of(name), host, "{name}");
        }
    }
}
