//! The parts of a file that stand below their names, as `minikube logs`, `tail` and `head` write them:
//!
//! ```text
//! ==> etcd [c72ed6eb4d5a] <==
//! {"level":"info","ts":"2024-09-17T09:12:33.817Z","msg":"opened backend db"}
//!
//! ==> /var/log/messages <==
//! Mar 06 22:45:28 n1 kernel: x
//! ```
//!
//! The names are those of `pkg/minikube/logs/logs.go` of minikube, and paths. A container has the pod that the part
//! `container status`, the output of crictl, gives it. What has another name is a log.

use super::outputs::Outputs;
use super::section::{self, Line, SplitText};
use crate::bundle::{Role, role_of_loose};
use crate::resource::table::command;
use crate::yaml::grid::{self, Header};

/// Longest heading, and the most of the list of containers that is kept, in bytes.
const LONGEST_HEADING: usize = 300;
const LONGEST_LIST: usize = 256 << 10;
/// Parts that are neither logs nor objects.
const NO_LOGS: [&str; 3] = ["Audit", STATUS, "kernel"];
/// The list of containers.
const STATUS: &str = "container status";

/// Returns true if a text begins with a heading, or with the command that printed it.
pub(super) fn is_one(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && command::typed(line).is_none());
    lines.next().is_some_and(|line| heading(line).is_some())
}

/// Splitter of one file.
pub(super) struct Splitter<'e> {
    outputs: Outputs<'e>,
    /// The list of containers, and whether its lines come now.
    list: String,
    is_list: bool,
}

impl<'e> Splitter<'e> {
    pub fn new(logical: &'e str) -> Self {
        Self { outputs: Outputs::new(logical), list: String::new(), is_list: false }
    }
}

impl section::Splitter for Splitter<'_> {
    fn line(&mut self, line: &Line<'_>) {
        if let Some(name) = heading(line.text) {
            self.outputs.close(line.start, line.number);
            self.is_list = name == STATUS;
            role(name).into_iter().for_each(|role| self.outputs.open(name, role, line));
        } else if !self.is_list {
            self.outputs.line(line);
        } else if self.list.len() < LONGEST_LIST {
            self.list.push_str(line.text);
            self.list.push('\n');
        }
    }

    fn finish(self: Box<Self>, end: u64, line: u64) -> SplitText {
        let mut found = self.outputs.finish(end, line);
        let containers = containers(&self.list);
        for section in &mut found.sections {
            let id = id(&section.name);
            // The newest of a pod comes first.
            let at = id.and_then(|id| containers.iter().position(|container| container.id.starts_with(id)));
            if let Some((at, known)) = at.and_then(|at| Some((at, containers.get(at)?)))
                && let Role::PodLog { namespace, pod, container, previous } = &mut section.role
            {
                *previous = containers.iter().take(at).any(|newer| (newer.pod, newer.name) == (known.pod, known.name));
                known.pod.clone_into(pod);
                known.name.clone_into(container);
                if !known.namespace.is_empty() {
                    known.namespace.clone_into(namespace);
                }
            }
        }
        found
    }
}

/// Returns the name in `==> NAME <==`.
fn heading(line: &str) -> Option<&str> {
    if line.len() > LONGEST_HEADING {
        return None;
    }
    let line = line.trim_start_matches('\u{feff}').trim();
    let name = line.strip_prefix("==> ")?.strip_suffix(" <==")?.trim();
    (!name.is_empty()).then_some(name)
}

/// Returns the number of a container: `etcd [c72ed6eb4d5a]`.
fn id(name: &str) -> Option<&str> {
    let (_, id) = name.strip_suffix(']')?.rsplit_once(" [")?;
    (id.len() >= 8 && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some(id)
}

/// Returns the role of a part; none if it is neither objects nor a log.
fn role(name: &str) -> Option<Role> {
    if let Some(container) = id(name).and_then(|_| name.split(" [").next()) {
        let (namespace, container) = match container {
            "controller_ingress" => ("ingress-nginx", "controller"),
            "gcp-auth" | "kubernetes-dashboard" => (container, container),
            _ => ("kube-system", container),
        };
        return Some(Role::pod_log(namespace, container, container, false));
    }
    let unit = |unit: &str| Some(Role::node_log("", unit, 0));
    match name {
        "describe nodes" => Some(Role::Unplaced),
        "Docker" => unit("docker"),
        "CRI-O" => unit("crio"),
        _ if NO_LOGS.contains(&name) => None,
        _ => Some(match role_of_loose(name) {
            log @ (Role::NodeLog { .. } | Role::PodLog { .. } | Role::PodLogs { .. }) => log,
            Role::Unplaced if is_document(name) => Role::Unplaced,
            _ => Role::PodLogs { name: name.to_owned(), previous: false },
        }),
    }
}

fn is_document(path: &str) -> bool {
    [".json", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
}

/// A container in the list that crictl prints.
struct ListedContainer<'t> {
    id: &'t str,
    name: &'t str,
    pod: &'t str,
    /// Empty in lists of older versions.
    namespace: &'t str,
}

fn containers(list: &str) -> Vec<ListedContainer<'_>> {
    let mut lines = grid::lines(list);
    let Some(header) = lines.find_map(Header::read) else { return Vec::new() };
    let names: Vec<&str> = header.names().map(|name| list.get(name).unwrap_or_default()).collect();
    let listed = lines.filter_map(|line| {
        let cells = header.cells(line)?;
        let cell = |column: &str| {
            let place = cells.get(names.iter().position(|name| *name == column)?)?;
            list.get(place.clone()).filter(|cell| !cell.is_empty())
        };
        let namespace = cell("NAMESPACE").unwrap_or_default();
        Some(ListedContainer { id: cell("CONTAINER")?, name: cell("NAME")?, pod: cell("POD")?, namespace })
    });
    listed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_known() {
        for (line, wanted) in [
            ("==> etcd [c72ed6eb4d5a] <==", Some("etcd [c72ed6eb4d5a]")),
            ("\u{feff}  ==> Letzter Start <==\r", Some("Letzter Start")),
            ("==>  <==", None),
            ("said: ==> x <==", None),
        ] {
            assert_eq!(heading(line), wanted, "{line}");
        }
        assert!(is_one("$ minikube logs\n\n==> Audit <==\n") && is_one("==> a.log <==\nx\n"));
        assert!(!is_one("x\n==> a.log <==\n"));
    }

    #[test]
    fn parts_have_the_roles_of_their_names() {
        for (name, wanted) in [
            ("kubelet", Some(Role::node_log("", "kubelet", 0))),
            ("Docker", Some(Role::node_log("", "docker", 0))),
            ("/var/log/messages", Some(Role::node_log("", "messages", 0))),
            ("/var/log/pods/shop_web-0_1a2b/nginx/3.log", Some(Role::pod_log("shop", "web-0", "nginx", false))),
            ("describe nodes", Some(Role::Unplaced)),
            ("etcd [c72ed6eb4d5a]", Some(Role::pod_log("kube-system", "etcd", "etcd", false))),
            ("container status", None),
            ("Audit", None),
            ("manifests/etcd.yaml", Some(Role::Unplaced)),
            ("notes.txt", Some(Role::PodLogs { name: "notes.txt".to_owned(), previous: false })),
            ("Last Start", Some(Role::PodLogs { name: "Last Start".to_owned(), previous: false })),
        ] {
            assert_eq!(role(name), wanted, "{name}");
        }
    }

    #[test]
    fn containers_have_the_pods_of_their_list() {
        let text = "==> container status <==\n\
            CONTAINER       STATE     NAME   POD ID    POD\n\
            c72ed6eb4d5a1   Running   etcd   9af9a28   etcd-n1\n\
            b72ed6eb4d5a1   Exited    etcd   8af9a28   etcd-n1\n\n\
            ==> etcd [b72ed6eb4d5a] <==\nold\n\n==> etcd [c72ed6eb4d5a] <==\nnew\n\n==> coredns [d72ed6eb4d5a] <==\nx\n";
        let found = super::super::split(Box::new(Splitter::new("m.txt")), &mut text.as_bytes()).sections;
        let shown = |s: &section::Section| {
            let range = usize::try_from(s.start).unwrap()..usize::try_from(s.start + s.length).unwrap();
            (s.role.clone(), s.line, text[range].trim().to_owned())
        };
        assert_eq!(
            found.iter().map(shown).collect::<Vec<_>>(),
            [
                (Role::pod_log("kube-system", "etcd-n1", "etcd", true), 7, "old".to_owned()),
                (Role::pod_log("kube-system", "etcd-n1", "etcd", false), 10, "new".to_owned()),
                (Role::pod_log("kube-system", "coredns", "coredns", false), 13, "x".to_owned()),
            ]
        );
    }
}
