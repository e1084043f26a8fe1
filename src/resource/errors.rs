//! What the collector itself says went wrong: `bundleGenerationError.log` of support-bundle-kit, the JSON files of
//! troubleshoot in a module of their own.
//!
//! [`CollectorErrors`] holds one [`Failure`] for each message. Those of the kit have no time, and one
//! form has no line end, so that the next message is glued to it.

mod json;

pub use json::About;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::types::{self, TypeName};

/// At most so many failures are kept; the rest is counted.
const MAX_FAILURES: usize = 10_000;
/// The only form that is written without a line end stops with these words.
const GLUE: &str = ", just continue";

/// The messages of the collector's error logs, in the order of entries and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectorErrors {
    /// Where there is one such log.
    pub entry: Option<Arc<str>>,
    pub failures: Vec<Failure>,
    /// Messages beyond the limit that were not kept.
    pub dropped: u64,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// 1-based line in the entry.
    pub line: u64,
    pub target: Target,
    /// The error itself, as the collector wrote it.
    pub error: String,
    /// Says nothing about the cluster: a type that cannot be listed, a previous container that never was.
    pub harmless: bool,
}

/// What was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Objects of a type, in a namespace or cluster-wide.
    Objects { name: TypeName, namespace: Option<String> },
    /// Every dump of one scope, because discovery of the API failed.
    Scope(Scope),
    /// All objects of types that CustomResourceDefinitions define.
    CustomResources,
    /// The list of pods: no logs of the namespaces that follow.
    PodList,
    /// One log of a container.
    PodLog { pod: String, container: String },
    /// All logs of a pod.
    PodLogs { pod: String },
    /// A file or a whole step.
    File(String),
    /// A message of unknown form.
    Other,
}

impl Target {
    /// What was lost, in words; none where nothing can be named.
    pub fn described(&self) -> Option<String> {
        match self {
            Self::Objects { name, namespace: Some(namespace) } => Some(format!("{name} of namespace {namespace}")),
            Self::Objects { name, namespace: None } => Some(name.to_string()),
            Self::Scope(Scope::Cluster) => Some("objects without namespace".to_owned()),
            Self::Scope(Scope::Namespaced) => Some("objects of all namespaces".to_owned()),
            Self::CustomResources => Some("custom resources".to_owned()),
            Self::PodList => Some("logs of some namespaces".to_owned()),
            Self::PodLog { pod, container } => Some(format!("log of pod {pod}, container {container}")),
            Self::PodLogs { pod } => Some(format!("logs of pod {pod}")),
            Self::File(path) => Some(path.clone()),
            Self::Other => None,
        }
    }
}

/// The halves of `yamls/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cluster,
    Namespaced,
}

impl CollectorErrors {
    /// Reads the text of the log; any text can be read.
    pub fn parse(entry: impl Into<Arc<str>>, text: &str) -> Self {
        let mut errors = Self { entry: Some(entry.into()), ..Self::default() };
        for (number, line) in text.lines().enumerate() {
            for message in unglue(line) {
                errors.add(number as u64 + 1, message);
            }
        }
        errors
    }

    /// Adds the messages of another log.
    pub fn append(&mut self, other: Self) {
        self.entry = self.entry.take().or(other.entry);
        self.dropped += other.dropped;
        let room = MAX_FAILURES.saturating_sub(self.failures.len());
        self.dropped += other.failures.len().saturating_sub(room) as u64;
        self.failures.extend(other.failures.into_iter().take(room));
    }

    /// The collector says elsewhere why there is no log of a container.
    pub fn no_log(&mut self, (namespace, pod, container): (&str, &str, &str), line: u64, error: &str) {
        self.push(line, Target::PodLog { pod: format!("{namespace}/{pod}"), container: container.to_owned() }, error);
    }

    fn add(&mut self, line: u64, message: &str) {
        if message.is_empty() {
            return;
        }
        let (target, error) = classify(message);
        self.push(line, target, error);
    }

    fn push(&mut self, line: u64, target: Target, error: &str) {
        if self.failures.len() == MAX_FAILURES {
            self.dropped += 1;
            return;
        }
        let harmless = is_harmless(&target, error);
        self.failures.push(Failure { line, target, error: error.to_owned(), harmless });
    }

    /// Which failure took what.
    pub(super) fn lost(&self) -> Lost {
        let mut lost = Lost::default();
        for (at, failure) in self.failures.iter().enumerate() {
            match &failure.target {
                Target::Objects { name, namespace } => {
                    let places = lost.objects.entry(name.canonical()).or_default();
                    places.entry(namespace.clone()).or_insert(at);
                }
                Target::Scope(scope) => {
                    lost.scopes.entry(*scope).or_insert(at);
                }
                Target::CustomResources => {
                    lost.custom.get_or_insert(at);
                }
                _ => {}
            }
        }
        lost
    }
}

/// Positions of the failures that took objects; every type is asked for in every namespace, so they are looked up.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The first by canonical type and namespace.
    objects: HashMap<TypeName, HashMap<Option<String>, usize>>,
    scopes: BTreeMap<Scope, usize>,
    custom: Option<usize>,
}

impl Lost {
    /// The first failure that took the objects of a type in a namespace, or its whole scope.
    pub fn first(&self, name: &TypeName, namespace: Option<&str>) -> Option<usize> {
        let scope = if namespace.is_some() { Scope::Namespaced } else { Scope::Cluster };
        let places = self.objects.get(name);
        let objects = |place: Option<String>| places.and_then(|places| places.get(&place));
        // What failed everywhere failed in each namespace.
        let objects = [objects(namespace.map(str::to_owned)), objects(None)].into_iter().flatten();
        let custom = self.custom.iter().filter(|_| !types::built_in(&name.group));
        objects.chain(self.scopes.get(&scope)).chain(custom).min().copied()
    }
}

/// Cuts a line behind each message that was written without a line end.
fn unglue(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(GLUE).map(str::trim)
}

/// What a message is about, and its error.
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

/// The type and namespace of `/api/v1/...` or `/apis/GROUP/VERSION/...`; a host before it is skipped.
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
    Some((type_of_path(path).unwrap_or_else(|| Target::File(path.to_owned())), error))
}

/// What the dump at a path below `yamls/` would have held.
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

fn is_harmless(target: &Target, error: &str) -> bool {
    let never_listed = match target {
        Target::Objects { name, .. } => name.plural == "bindings" || name.plural.ends_with("reviews"),
        _ => false,
    };
    let unlistable = error.contains("the server does not allow this method");
    let never_ran = error.contains("previous terminated container") && error.contains("not found");
    never_listed || unlistable || never_ran
}

#[cfg(test)]
mod tests {
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
            Target::File("nodes/n1.zip".into())
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
