//! Failures of the collector as few lines of a report: failures with the same cause share a line.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::NotCollected;
use crate::model::message::{CollectedFile, GapReason, GapSubject, Named, Names};
use crate::resource::collector_errors::CollectorErrors;
use crate::resource::collector_errors::failure::{Failure, Target};

/// Maximum number of lines; a collector that lost its connection has thousands of failures.
const MOST: usize = 40;
/// Maximum number of names in a line, and of characters of an error.
const NAMED: usize = 3;
const ERROR: usize = 200;

/// Failures with the same cause.
#[derive(Default)]
struct Group {
    /// The errors as the collector wrote them.
    errors: BTreeSet<String>,
    names: BTreeSet<String>,
    files: BTreeSet<CollectedFile>,
    namespaces: BTreeSet<String>,
    /// Target of a failure that is alone in its group.
    described: Option<GapSubject>,
    count: usize,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Topic {
    /// Objects of an API group.
    Objects(String),
    /// Logs of a namespace; empty if it is unknown.
    Logs(String),
    Files,
    Whole(GapSubject),
    Other,
}

/// Groups failures into lines of a report. `home` finds the namespace of a pod by its name.
pub(super) fn not_collected(errors: &CollectorErrors, home: &dyn Fn(&str) -> Option<String>) -> Vec<NotCollected> {
    let mut groups: BTreeMap<(Topic, String), Group> = BTreeMap::new();
    for failure in errors.failures.iter().filter(|failure| !failure.harmless) {
        let (topic, name, namespace) = about(failure, home);
        let group = groups.entry((topic, cause(failure))).or_default();
        group.errors.insert(failure.error.chars().take(ERROR).collect());
        if let Target::File(file) = &failure.target {
            group.files.insert(file.clone());
        }
        group.names.insert(name);
        group.namespaces.extend(namespace);
        group.described = failure.target.described();
        group.count += 1;
    }
    let left_out = groups.len().saturating_sub(MOST);
    let mut told: Vec<NotCollected> = groups.into_iter().take(MOST).map(line).collect();
    if left_out > 0 {
        told.push(NotCollected { what: GapSubject::MoreKinds { count: left_out }, why: GapReason::SeeErrors });
    }
    if errors.dropped > 0 {
        let what = GapSubject::MoreThings { count: errors.dropped };
        told.push(NotCollected { what, why: GapReason::TooManyErrors });
    }
    told
}

/// Returns topic, name and, for objects, namespace of a failure.
fn about(failure: &Failure, home: &dyn Fn(&str) -> Option<String>) -> (Topic, String, Option<String>) {
    let log = |pod: &str, container: &str| {
        let (namespace, pod) = match pod.split_once('/') {
            Some((namespace, pod)) => (namespace.to_owned(), pod),
            None => (home(pod).unwrap_or_default(), pod),
        };
        let container = if container.is_empty() { String::new() } else { format!(" ({container})") };
        (Topic::Logs(namespace), format!("{pod}{container}"), None)
    };
    match &failure.target {
        Target::Objects { name, namespace } => {
            (Topic::Objects(name.group.clone()), name.to_string(), namespace.clone())
        }
        Target::PodLog { pod, container } => log(pod, container),
        Target::PodLogs { pod } => log(pod, ""),
        Target::File(_) => (Topic::Files, String::new(), None),
        Target::Other => (Topic::Other, String::new(), None),
        whole => {
            let what = whole.described().unwrap_or(GapSubject::Unnamed);
            (Topic::Whole(what.clone()), what.to_string(), None)
        }
    }
}

fn line(((topic, cause), group): ((Topic, String), Group)) -> NotCollected {
    let why = match group.errors.len() {
        1 => group.errors.iter().next().cloned().unwrap_or_default(),
        _ => cause,
    };
    let alone = group.described.as_ref().filter(|_| group.count == 1).cloned();
    let what = alone.unwrap_or_else(|| together(topic, &group));
    NotCollected {
        what,
        why: if why.is_empty() { GapReason::NothingSaid } else { GapReason::Said { said: why.into() } },
    }
}

/// Subjects of several failures with one topic.
fn together(topic: Topic, group: &Group) -> GapSubject {
    let names = |of| Names::first(group.names.iter().cloned(), NAMED, of);
    match topic {
        Topic::Objects(_) => types_of(names(Named::Types), &group.namespaces),
        Topic::Logs(namespace) => {
            let (count, example) = (group.names.len(), group.names.first().cloned().unwrap_or_default());
            match namespace.as_str() {
                "" => GapSubject::ContainerLogs { count, example },
                _ => GapSubject::ContainerLogsOf { count, namespace, example },
            }
        }
        Topic::Files => GapSubject::Files { files: Names::first(group.files.iter().cloned(), NAMED, Named::Files) },
        Topic::Whole(what) => what,
        Topic::Other => GapSubject::Unnamed,
    }
}

fn types_of(types: Names, namespaces: &BTreeSet<String>) -> GapSubject {
    match (namespaces.len(), namespaces.first()) {
        (1, Some(namespace)) => GapSubject::TypesOfNamespace { types, namespace: namespace.clone() },
        (0, _) => GapSubject::Types { types },
        (count, _) => GapSubject::TypesOfNamespaces { types, count },
    }
}

/// Removes from an error what differs from object to object: names and addresses in quotes, and the name of a pod, which client-go does not quote:
/// `an error on the server ("unknown") has prevented the request from succeeding (get pods web-0)`.
fn cause(failure: &Failure) -> String {
    let error = match &failure.target {
        Target::PodLog { pod, .. } | Target::PodLogs { pod } => {
            let name = pod.rsplit('/').next().unwrap_or(pod);
            failure.error.replace(&format!(" {name})"), " ...)")
        }
        _ => failure.error.clone(),
    };
    let mut parts = error.split('"');
    let mut cause = parts.next().unwrap_or_default().to_owned();
    while let (Some(_quoted), Some(behind)) = (parts.next(), parts.next()) {
        cause.truncate(cause.trim_end().len());
        cause.push_str(behind);
    }
    cause.chars().take(ERROR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let home = |pod: &str| pod.starts_with("web").then(|| "shop".to_owned());
        let told = not_collected(&CollectorErrors::parse("errors.log", text), &home);
        told.into_iter().map(|gap| format!("{}: {}", gap.what, gap.why)).collect()
    }

    #[test]
    fn types_of_a_broken_group_are_one_line() {
        let text: String = ["a", "b"]
            .iter()
            .flat_map(|namespace| {
                let url = move |plural| format!("/apis/longhorn.io/v1beta2/namespaces/{namespace}/{plural}");
                ["volumes", "engines", "replicas", "nodes"]
                    .map(|plural| format!("Failed to get {}: timed out\n", url(plural)))
            })
            .collect();
        assert_eq!(
            lines(&text),
            [
                "engines.longhorn.io, nodes.longhorn.io, replicas.longhorn.io and 1 more types of 2 namespaces: timed out"
            ]
        );
    }

    #[test]
    fn errors_that_name_their_pods_are_one_line() {
        let text: String = ["web-0", "web-1"].map(|pod| {
            format!("BUG: Support bundle: cannot get log for pod {pod} container app: the server failed (get pods {pod})\n")
        }).concat();
        assert_eq!(
            lines(&text),
            ["logs of 2 containers in shop such as web-0 (app): the server failed (get pods ...)"]
        );
    }

    #[test]
    fn logs_of_a_namespace_are_one_line_for_each_cause() {
        let log = |pod: &str, error: &str| {
            format!("BUG: Support bundle: cannot get log for pod {pod} container app: {error}\n")
        };
        let waiting =
            |pod: &str| log(pod, &format!("container \"app\" in pod \"{pod}\" is waiting to start: ContainerCreating"));
        let text = [waiting("web-0"), waiting("web-1"), log("db-0", "no route to host")].concat();
        assert_eq!(
            lines(&text),
            [
                "log of pod db-0, container app: no route to host",
                "logs of 2 containers in shop such as web-0 (app): container in pod is waiting to start: ContainerCreating"
            ]
        );
    }

    #[test]
    fn nothing_is_kept_back() {
        assert_eq!(lines("something new went wrong\n"), ["what the collector does not name: something new went wrong"]);
        assert_eq!(
            lines("Unable to fetch cluster resources: metrics.k8s.io/v1beta1: down\n"),
            ["objects without namespace: metrics.k8s.io/v1beta1: down"]
        );
        let many: String = (0..100).map(|n| format!("Failed to get /apis/g{n}/v1/mice: e\n")).collect();
        let told = lines(&many);
        assert_eq!(
            (told.len(), told.last().map(String::as_str)),
            (41, Some("60 more kinds of things: see the collector's own errors"))
        );
    }
}
