//! `bundleGenerationError.log` of support-bundle-kit.
//!
//! Its messages have no time. One form has no line end, so the next message follows on the same line.

use std::sync::Arc;

use super::collected_failures::CollectorErrors;
use super::failure::{Scope, Target};
use crate::model::message::CollectedFile;
use crate::resource::types::TypeName;

/// Last words of the only form that is written without a line end.
const GLUE: &str = ", just continue";

impl CollectorErrors {
    /// Parses the log; any text is accepted.
    pub fn parse(entry: impl Into<Arc<str>>, text: &str) -> Self {
        let mut errors = Self { entry: Some(entry.into()), ..Self::default() };
        for (number, line) in text.lines().enumerate() {
            for message in unglue(line) {
                errors.add(number as u64 + 1, message);
            }
        }
        errors
    }

    fn add(&mut self, line: u64, message: &str) {
        if message.is_empty() {
            return;
        }
        let (target, error) = classify(message);
        self.push(line, target, error);
    }
}

/// Splits a line after each message that was written without a line end.
fn unglue(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(GLUE).map(str::trim)
}

/// Target of a message, and its error.
type Message<'a> = (Target, &'a str);

fn classify(message: &str) -> Message<'_> {
    const FORMS: [fn(&str) -> Option<Message<'_>>; 6] = [objects, discovery, file, pod_list, pod_log, pod_info];
    FORMS.iter().find_map(|form| form(message)).unwrap_or((Target::Other, message))
}

/// `Failed to get URL: ERR`, `Failed to parse objects received from URL: ERR`.
fn objects(message: &str) -> Option<Message<'_>> {
    let rest = ["Failed to get ", "Failed to parse objects received from "]
        .iter()
        .find_map(|start| message.strip_prefix(start))?;
    let (url, error) = rest.split_once(": ").unwrap_or((rest, ""));
    let (name, namespace) = type_of_url(url)?;
    Some((Target::Objects { name, namespace }, error))
}

/// Returns the type and namespace of `/api/v1/...` or `/apis/GROUP/VERSION/...`; a host in front is skipped.
fn type_of_url(url: &str) -> Option<(TypeName, Option<String>)> {
    let path = url.split('?').next()?;
    let mut parts = path.split('/').skip_while(|p| *p != "api" && *p != "apis");
    let group = if parts.next()? == "apis" { parts.next()? } else { "" };
    let _version = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    match rest.as_slice() {
        ["namespaces", namespace, plural, ..] => Some((TypeName::new(plural, group), Some((*namespace).to_owned()))),
        [plural, ..] => Some((TypeName::new(plural, group), None)),
        [] => None,
    }
}

/// `Unable to fetch cluster resources: ERR`, `Unable to fetch namespaced resources: ERR`.
fn discovery(message: &str) -> Option<Message<'_>> {
    let rest = message.strip_prefix("Unable to fetch ")?;
    let (scope, error) = rest.split_once(" resources")?;
    let scope = if scope.starts_with("cluster") { Scope::Cluster } else { Scope::Namespaced };
    Some((Target::Scope(scope), error.trim_start_matches(':').trim_start()))
}

/// `Support Bundle: failed to generate PATH: ERR`.
fn file(message: &str) -> Option<Message<'_>> {
    let rest = strip_prefix_ignore_case(message, "Support Bundle: failed to generate ")?;
    let (path, error) = rest.split_once(": ").unwrap_or((rest, ""));
    Some((type_of_path(path).unwrap_or_else(|| Target::File(CollectedFile::Path { path: path.to_owned() })), error))
}

/// Returns the objects that the dump at a path below `yamls/` would contain.
fn type_of_path(path: &str) -> Option<Target> {
    let (_, below) = path.rsplit_once("yamls/")?;
    let mut parts: Vec<&str> = below.split('/').collect();
    let plural = parts.pop()?.strip_suffix(".yaml")?;
    let (namespace, rest) = match parts.as_slice() {
        ["cluster", rest @ ..] => (None, rest),
        ["namespaced", namespace, rest @ ..] => (Some((*namespace).to_owned()), rest),
        _ => return None,
    };
    let group = if let [group, _version] = rest { group } else { "" };
    Some(Target::Objects { name: TypeName::new(plural, group), namespace })
}

/// `Support bundle: cannot get pod list: ERR`.
fn pod_list(message: &str) -> Option<Message<'_>> {
    let rest = strip_prefix_ignore_case(message, "Support bundle: cannot get pod list")?;
    Some((Target::PodList, rest.trim_start_matches(':').trim_start()))
}

/// `BUG: Support bundle: cannot get log for pod POD container CONTAINER: ERR`.
fn pod_log(message: &str) -> Option<Message<'_>> {
    let (_, rest) = message.split_once("cannot get log for pod ")?;
    let (place, error) = rest.split_once(": ").unwrap_or((rest, ""));
    let (pod, container) = place.split_once(" container ").unwrap_or((place, ""));
    Some((Target::PodLog { pod: pod.to_owned(), container: container.to_owned() }, error))
}

/// "Cannot get pod `POD` info (error: ERR), just continue".
fn pod_info(message: &str) -> Option<Message<'_>> {
    let rest = message.strip_prefix("Cannot get pod ")?;
    let (pod, rest) = rest.split_once(" info")?;
    let error = rest.trim().trim_end_matches(GLUE).trim_start_matches("(error: ").trim_end_matches(')');
    Some((Target::PodLogs { pod: pod.trim_matches('`').to_owned() }, error))
}

fn strip_prefix_ignore_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix) { text.get(prefix.len()..) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::collected_failures::MAX_FAILURES;
    use super::super::failure::Failure;
    use super::*;

    fn only(text: &str) -> Failure {
        let errors = CollectorErrors::parse("errors.log", text);
        assert_eq!(errors.failures.len(), 1, "{errors:?}");
        errors.failures.into_iter().next().unwrap()
    }

    fn objects_of(plural: &str, namespace: Option<&str>) -> Target {
        Target::Objects { name: TypeName::parse(plural), namespace: namespace.map(str::to_owned) }
    }

    #[test]
    fn types_that_cannot_be_listed_are_harmless() {
        let refused = "the server does not allow this method on the requested resource";
        let core = only(&format!("Failed to get /api/v1/namespaces/demo/bindings: {refused}\n"));
        assert_eq!((core.target, core.harmless), (objects_of("bindings", Some("demo")), true));
        let reviews = only(&format!("Failed to get /apis/authentication.k8s.io/v1/tokenreviews: {refused}"));
        assert_eq!((reviews.target, reviews.harmless), (objects_of("tokenreviews.authentication.k8s.io", None), true));
    }

    #[test]
    fn lost_objects_name_their_type_and_namespace() {
        let failed = only("Failed to get /apis/apps/v1/namespaces/demo/deployments: etcdserver: request timed out");
        assert_eq!(failed.target, objects_of("deployments.apps", Some("demo")));
        assert_eq!((failed.error.as_str(), failed.harmless), ("etcdserver: request timed out", false));
        let unparsed = only("Failed to parse objects received from /api/v1/nodes: <nil>");
        assert_eq!((unparsed.target, unparsed.harmless), (objects_of("nodes", None), false));
    }

    #[test]
    fn failed_discovery_takes_a_whole_scope() {
        let failed = only("Unable to fetch cluster resources: unable to retrieve: metrics.k8s.io/v1beta1: down");
        assert_eq!(failed.target, Target::Scope(Scope::Cluster));
        assert_eq!(failed.error, "unable to retrieve: metrics.k8s.io/v1beta1: down");
        assert_eq!(only("Unable to fetch namespaced resources: x").target, Target::Scope(Scope::Namespaced));
    }

    #[test]
    fn files_that_were_not_written() {
        let dump =
            only("Support Bundle: failed to generate /out/yamls/namespaced/demo/apps/v1/deployments.yaml: disk full");
        assert_eq!(dump.target, objects_of("deployments.apps", Some("demo")));
        assert_eq!(
            only("Support Bundle: failed to generate nodes/n1.zip: gone").target,
            Target::File(CollectedFile::Path { path: "nodes/n1.zip".into() })
        );
    }

    #[test]
    fn logs_that_could_not_be_read() {
        assert_eq!(only("Support bundle: cannot get pod list: timeout").target, Target::PodList);
        let log =
            only("BUG: Support bundle: cannot get log for pod web-0 container app: container is waiting to start");
        assert_eq!(log.target, Target::PodLog { pod: "web-0".into(), container: "app".into() });
        assert_eq!((log.error.as_str(), log.harmless), ("container is waiting to start", false));
        let previous = "previous terminated container \"app\" in pod \"web-0\" not found";
        assert!(only(&format!("BUG: Support bundle: cannot get log for pod web-0 container app: {previous}")).harmless);
    }

    #[test]
    fn glued_messages_are_two_on_one_line() {
        let text =
            "first thing\nCannot get pod `a` info (error: gone), just continueUnable to fetch cluster resources: x\n";
        let errors = CollectorErrors::parse("errors.log", text);
        let targets: Vec<_> = errors.failures.iter().map(|f| (f.line, f.target.clone())).collect();
        let expected =
            [(1, Target::Other), (2, Target::PodLogs { pod: "a".into() }), (2, Target::Scope(Scope::Cluster))];
        assert_eq!(targets, expected);
        assert_eq!(errors.failures[1].error, "gone");
    }

    #[test]
    fn many_messages_are_counted_not_kept() {
        let errors = CollectorErrors::parse("errors.log", &"x\n".repeat(MAX_FAILURES + 3));
        assert_eq!((errors.failures.len(), errors.dropped), (MAX_FAILURES, 3));
        assert!(CollectorErrors::parse("errors.log", "").failures.is_empty());
    }
}
