//! Selectors: which sources a query reads.

use std::collections::BTreeSet;

use crate::log::source::origin::{LogSource, SourceOrigin};
use crate::model::Glob;

/// Selector of the sources that a query reads; every given part must match. Globs with `*`, `?`, `[..]`, `{a,b}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Alternatives: a source matches if one of them does; without alternatives, no source matches.
    pub any: Vec<SourceGlob>,
}

/// One alternative of a [`Selector`]; parts that are `None` match everything of the same kind of source.
///
/// `namespace`, `pod` and `container` only match containers, `node` and `unit` only units: where a
/// pod ran is not known while its log is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceGlob {
    pub namespace: Option<String>,
    pub pod: Option<String>,
    pub container: Option<String>,
    pub node: Option<String>,
    /// Unit of a node.
    pub unit: Option<String>,
    /// Path of the entry without archive layers (`nodes/n1/logs/kernel.log`).
    pub path: Option<String>,
    /// True for what stands in place of logs of containers, and nothing else.
    pub refusal: bool,
    /// Program without whose lines such a log tells nothing about it: one of all programs of a host. It is read all the same.
    pub program: Option<String>,
}

/// A compiled [`Selector`].
#[derive(Debug)]
pub(in crate::log) struct SourceMatcher {
    any: Vec<CompiledGlob>,
}

/// A compiled [`SourceGlob`].
#[derive(Debug)]
struct CompiledGlob {
    namespace: Option<Glob>,
    pod: Option<Glob>,
    container: Option<Glob>,
    node: Option<Glob>,
    unit: Option<Glob>,
    path: Option<Glob>,
    refusal: bool,
    program: Option<String>,
}

/// Returns whether an optional part accepts an optional value.
fn accepts(part: Option<&Glob>, value: Option<&str>) -> bool {
    part.is_none_or(|part| value.is_some_and(|value| part.is_match(value)))
}

impl CompiledGlob {
    fn new(glob: &SourceGlob) -> Result<Self, String> {
        let read = |glob: &str| Glob::new(glob).map_err(|error| format!("bad glob `{glob}`: {error}"));
        let part = |glob: &Option<String>| glob.as_deref().map(read).transpose();
        Ok(Self {
            namespace: part(&glob.namespace)?,
            pod: part(&glob.pod)?,
            container: part(&glob.container)?,
            node: part(&glob.node)?,
            unit: part(&glob.unit)?,
            path: part(&glob.path)?,
            refusal: glob.refusal,
            program: glob.program.clone(),
        })
    }

    fn is_of_pods(&self) -> bool {
        [&self.namespace, &self.pod, &self.container].into_iter().any(Option::is_some)
    }

    /// Returns true if it asks for a program and not for a place, so that a log whose writer is not known may be of it.
    fn may_be_of_any_name(&self) -> bool {
        !self.refusal && self.path.is_none() && self.node.is_none()
    }

    fn accepts(&self, source: &LogSource, logical_path: &str) -> bool {
        let (namespace, pod, container, node, unit) = match &source.origin {
            SourceOrigin::Container { namespace, pod, container, .. } => {
                (Some(namespace), Some(pod), Some(container), None, None)
            }
            SourceOrigin::Unit { node, unit } => (None, None, None, Some(node), Some(unit)),
            SourceOrigin::Unknown { .. } => return self.may_be_of_any_name(),
            SourceOrigin::Refusal | SourceOrigin::File => (None, None, None, None, None),
        };
        self.refusal == (source.origin == SourceOrigin::Refusal)
            && accepts(self.unit.as_ref(), unit.map(String::as_str))
            && accepts(self.namespace.as_ref(), namespace.map(String::as_str))
            && accepts(self.pod.as_ref(), pod.map(String::as_str))
            && accepts(self.container.as_ref(), container.map(String::as_str))
            && accepts(self.node.as_ref(), node.map(String::as_str))
            && accepts(self.path.as_ref(), Some(logical_path))
    }
}

impl SourceMatcher {
    pub fn new(selector: &Selector) -> Result<Self, String> {
        Ok(Self { any: selector.any.iter().map(CompiledGlob::new).collect::<Result<_, _>>()? })
    }

    /// Returns true if it may select logs of a node, whatever their names.
    pub fn may_accept_of(&self, node: &str) -> bool {
        self.any.iter().any(|glob| !glob.is_of_pods() && accepts(glob.node.as_ref(), Some(node)))
    }

    /// Returns true if it selects logs of pods only.
    pub fn is_of_pods(&self) -> bool {
        !self.any.is_empty() && self.any.iter().all(CompiledGlob::is_of_pods)
    }

    /// Returns true if it may select a log of a pod. Where the names of its containers are not known, the parts decide that are for
    /// collectors without containers, whose logs have an empty one; if there are none, any pod may have such a container.
    pub fn may_accept_pod(&self, namespace: &str, pod: &str, containers: Option<&[&str]>) -> bool {
        let is_of_all = |glob: &CompiledGlob| accepts(glob.container.as_ref(), Some(""));
        let tells_pods = || self.any.iter().any(is_of_all);
        let is_of = |glob: &&CompiledGlob| {
            accepts(glob.namespace.as_ref(), Some(namespace)) && accepts(glob.pod.as_ref(), Some(pod))
        };
        let has = |glob: &CompiledGlob| match containers {
            Some(names) => names.iter().any(|name| accepts(glob.container.as_ref(), Some(name))),
            None => is_of_all(glob) || !tells_pods(),
        };
        self.any.iter().filter(is_of).any(has)
    }

    /// Returns true if it asks for neither nodes nor paths, so that it selects a unit of all nodes or of none.
    pub fn is_alike_on_all_nodes(&self) -> bool {
        self.any.iter().all(|glob| glob.node.is_none() && glob.path.is_none())
    }

    pub fn accepts(&self, source: &LogSource, logical_path: &str) -> bool {
        self.any.iter().any(|alternative| alternative.accepts(source, logical_path))
    }

    /// Returns the programs without whose lines a source that it selects may tell nothing.
    pub fn programs(&self, source: &LogSource, logical_path: &str) -> impl Iterator<Item = &str> {
        let of_all = self.any.iter().filter_map(|glob| Some((glob, glob.program.as_deref()?)));
        of_all.filter(|(glob, _)| glob.accepts(source, logical_path)).map(|(_, program)| program)
    }

    /// Returns true if silence of a source that it selects means that nothing happened: the source is of one program, or has lines of the
    /// one that is asked for.
    pub fn counts(&self, source: &LogSource, logical_path: &str, programs: &BTreeSet<String>) -> bool {
        if source.has_unknown_writer() {
            return false;
        }
        let wrote = |glob: &CompiledGlob| glob.program.as_ref().is_none_or(|program| programs.contains(program));
        self.any.iter().any(|alternative| wrote(alternative) && alternative.accepts(source, logical_path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(pod: &str, previous: bool) -> LogSource {
        let (namespace, container) = ("storage".to_owned(), "main".to_owned());
        let origin = SourceOrigin::Container { namespace, pod: pod.to_owned(), container, previous };
        LogSource { entry: "logs/storage/x/main.log".into(), origin }
    }

    fn unit(unit: &str) -> LogSource {
        let origin = SourceOrigin::Unit { node: "n1".to_owned(), unit: unit.to_owned() };
        LogSource { entry: "nodes/n1.zip!/n1/logs/x.log".into(), origin }
    }

    fn matcher(glob: SourceGlob) -> SourceMatcher {
        SourceMatcher::new(&Selector { any: vec![glob] }).unwrap()
    }

    #[test]
    fn what_stands_in_place_of_a_log_is_selected_by_that_only() {
        let refusal = LogSource { entry: "podlogs/x".into(), origin: SourceOrigin::Refusal };
        let of = |glob: SourceGlob| SourceMatcher::new(&Selector { any: vec![glob] }).unwrap();
        let (refusals, path) = (SourceGlob { refusal: true, ..SourceGlob::default() }, Some("podlogs/*".to_owned()));
        assert!(of(refusals.clone()).accepts(&refusal, "podlogs/x"));
        assert!(!of(refusals).accepts(&container("x", false), "podlogs/x"));
        assert!(!of(SourceGlob { path, ..SourceGlob::default() }).accepts(&refusal, "podlogs/x"));
    }

    #[test]
    fn parts_decide_the_kind_of_source() {
        let by_pod = matcher(SourceGlob { pod: Some("csi-{a,b}-*".to_owned()), ..SourceGlob::default() });
        assert!(by_pod.accepts(&container("csi-a-1", true), "p"));
        assert!(!by_pod.accepts(&container("csi-c-1", false), "p"));
        assert!(!by_pod.accepts(&unit("csi-a-1"), "p"));
        let by_unit = matcher(SourceGlob { unit: Some("kernel".to_owned()), ..SourceGlob::default() });
        assert!(by_unit.accepts(&unit("kernel"), "p"));
        assert!(!by_unit.accepts(&unit("kernel2"), "p"));
    }

    #[test]
    fn a_log_of_all_programs_counts_if_the_one_asked_for_wrote_in_it() {
        let glob = |unit: &str, program: Option<&str>| {
            let (unit, program) = (Some(unit.to_owned()), program.map(str::to_owned));
            SourceGlob { unit, program, ..SourceGlob::default() }
        };
        let any = vec![glob("k3s", None), glob("messages", Some("k3s")), glob("messages", Some("rke2"))];
        let matcher = SourceMatcher::new(&Selector { any }).unwrap();
        let counts = |name: &str, programs: &[&str]| {
            matcher.counts(&unit(name), "p", &programs.iter().map(|&program| program.to_owned()).collect())
        };
        assert!(counts("k3s", &[]) && counts("messages", &["rke2"]) && matcher.accepts(&unit("messages"), "p"));
        assert!(!counts("messages", &["iscsid"]) && !counts("other", &["k3s"]));
        assert_eq!(matcher.programs(&unit("messages"), "p").collect::<Vec<_>>(), ["k3s", "rke2"]);
        assert_eq!(matcher.programs(&unit("k3s"), "p").count(), 0);
    }

    #[test]
    fn logs_of_a_node_may_have_any_name() {
        let by_unit = |node: Option<&str>| {
            let (unit, node) = (Some("kernel".to_owned()), node.map(str::to_owned));
            matcher(SourceGlob { unit, node, ..SourceGlob::default() })
        };
        assert!(by_unit(None).may_accept_of("n1") && by_unit(Some("n*")).may_accept_of("n1"));
        assert!(!by_unit(Some("n2")).may_accept_of("n1"));
        let by_pod = matcher(SourceGlob { pod: Some("csi-*".to_owned()), ..SourceGlob::default() });
        assert!(!by_pod.may_accept_of("n1"));
    }

    #[test]
    fn only_nodes_and_paths_tell_nodes_apart() {
        let matches_unit = |node: Option<&str>, path: Option<&str>| {
            let (unit, node, path) = (Some("kernel".to_owned()), node.map(str::to_owned), path.map(str::to_owned));
            matcher(SourceGlob { unit, node, path, ..SourceGlob::default() })
        };
        assert!(matches_unit(None, None).is_alike_on_all_nodes());
        assert!(!matches_unit(Some("n1"), None).is_alike_on_all_nodes());
        assert!(!matches_unit(None, Some("nodes/n1/**")).is_alike_on_all_nodes());
    }

    #[test]
    fn a_pod_without_known_containers_is_selected_by_its_name() {
        let by_container = SourceGlob { container: Some("agent".to_owned()), ..SourceGlob::default() };
        let all = Some(String::new());
        let by_name = SourceGlob { pod: Some("agent-*".to_owned()), container: all, ..SourceGlob::default() };
        let either = SourceMatcher::new(&Selector { any: vec![by_container.clone(), by_name] }).unwrap();
        assert!(either.is_of_pods() && !matcher(SourceGlob::default()).is_of_pods());
        assert!(either.may_accept_pod("a", "agent-1", None) && !either.may_accept_pod("a", "web-1", None));
        assert!(either.may_accept_pod("a", "web-1", Some(&["web", "agent"])));
        assert!(!either.may_accept_pod("a", "web-1", Some(&["web"])));
        assert!(matcher(by_container).may_accept_pod("a", "web-1", None), "any pod may have such a container");
    }

    #[test]
    fn star_stays_in_its_folder() {
        let by_path = matcher(SourceGlob { path: Some("nodes/*/logs/*.log".to_owned()), ..SourceGlob::default() });
        assert!(by_path.accepts(&unit("kernel"), "nodes/n1/logs/kernel.log"));
        assert!(!by_path.accepts(&unit("kernel"), "nodes/n1/deep/logs/kernel.log"));
    }

    #[test]
    fn alternatives_and_emptiness() {
        assert!(matcher(SourceGlob::default()).accepts(&unit("a"), "p"));
        assert!(!SourceMatcher::new(&Selector::default()).unwrap().accepts(&unit("a"), "p"));
        assert!(
            SourceMatcher::new(&Selector { any: vec![SourceGlob { pod: Some("[".to_owned()), ..Default::default() }] })
                .unwrap_err()
                .contains("bad glob")
        );
    }
}
