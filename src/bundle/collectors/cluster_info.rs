//! The tree of `kubectl cluster-info dump --output-directory`, and the file that it makes without a folder.
//!
//! From `pkg/cmd/clusterinfo/clusterinfo_dump.go` of kubectl: `nodes.json`, for each namespace one file a type, and the logs of a
//! pod in `<namespace>/<pod>/logs.txt`. With `-o yaml` files end in `.yaml`.

use super::generic;
use super::layout::Role;

/// The role of an entry.
pub(crate) fn role(segments: &[&str]) -> Role {
    let found = match segments {
        [_, _, "logs.txt"] => Some(Role::LogSections { documents: false }),
        [file] => document(file).filter(|stem| *stem == "nodes").map(|stem| dump(None, stem)),
        [namespace, file] => document(file).and_then(plural).map(|plural| dump(Some(namespace), plural)),
        _ => None,
    };
    // What somebody put beside it is still of use.
    found.unwrap_or_else(|| generic::role(segments))
}

/// Whether a name is one that people and collectors give to what the command writes to standard output.
pub(crate) fn is_stream(file: &str) -> bool {
    let name = file.to_ascii_lowercase();
    let names_it =
        name.starts_with("cluster-info") || name.starts_with("clusterinfo") || name.starts_with("cluster_info");
    names_it && name.contains("dump") || name.ends_with(".dump.log")
}

fn document(file: &str) -> Option<&str> {
    file.strip_suffix(".json").or_else(|| file.strip_suffix(".yaml"))
}

/// The types of which there is a file in each namespace.
fn plural(stem: &str) -> Option<&str> {
    match stem {
        "replication-controllers" => Some("replicationcontrollers"),
        "daemonsets" | "deployments" | "events" | "pods" | "replicasets" | "services" => Some(stem),
        _ => None,
    }
}

fn dump(namespace: Option<&str>, plural: &str) -> Role {
    let namespace = namespace.map(str::to_owned);
    Role::Dump { namespace, group: String::new(), version: String::new(), plural: plural.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn types_and_logs_of_each_namespace() {
        assert_eq!(of("nodes.json"), dump(None, "nodes"));
        assert_eq!(of("kube-system/replication-controllers.yaml"), dump(Some("kube-system"), "replicationcontrollers"));
        assert_eq!(of("demo/pods.json"), dump(Some("demo"), "pods"));
        assert_eq!(of("demo/web-0/logs.txt"), Role::LogSections { documents: false });
        assert_eq!(of("demo/secrets.json"), Role::Unplaced);
        assert_eq!(of("nodes/nodes.json"), Role::Unplaced);
    }

    #[test]
    fn names_of_the_file_without_a_folder() {
        for name in ["cluster-info_dump", "cluster-info.dump.log", "kube.dump.log", "clusterinfo-dump.txt"] {
            assert!(is_stream(name), "{name}");
        }
        assert!(!is_stream("cluster-info") && !is_stream("heap.dump"));
    }
}
