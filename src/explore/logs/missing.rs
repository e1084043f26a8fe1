//! Logs that are not in a bundle, with what is there instead.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use strsim::damerau_levenshtein;

use crate::pipeline::BundleTexts;

/// Names that a hint lists.
const HINTS: usize = 8;

/// The reason why a question names no logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No log of the pod was collected; with the names of pods that may be meant.
    Pod {
        pod: String,
        namespace: Option<String>,
        near: Vec<String>,
    },
    /// A pod has logs, but not of this container or instance; with those that are there, and whether they are of previous instances.
    Container {
        pod: String,
        container: Option<String>,
        previous: bool,
        instances: BTreeSet<(String, bool)>,
    },
    Node {
        node: String,
        nodes: Vec<String>,
    },
    Unit {
        node: String,
        unit: String,
        units: Vec<String>,
    },
    Entry {
        entry: String,
        near: Vec<String>,
    },
    /// There is more than one such pod.
    SeveralNamespaces {
        pod: String,
        namespaces: Vec<String>,
    },
    /// The pod has more than one container.
    SeveralContainers {
        pod: String,
        containers: Vec<String>,
    },
    Glob {
        glob: String,
        error: String,
    },
}

impl Missing {
    /// Returns true if the question must be put in another way; otherwise the bundle does not have what it asks for.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::SeveralNamespaces { .. } | Self::SeveralContainers { .. } | Self::Glob { .. })
    }

    pub(super) fn pod(texts: &BundleTexts<'_>, name: &str, namespace: Option<&str>) -> Self {
        let pods: BTreeSet<String> = texts
            .texts
            .iter()
            .filter_map(|text| text.source.pod())
            .map(|(namespace, pod)| format!("{namespace}/{pod}"))
            .collect();
        Self::Pod { pod: name.to_owned(), namespace: namespace.map(str::to_owned), near: near(name, pods) }
    }

    pub(super) fn node(texts: &BundleTexts<'_>, name: &str) -> Self {
        let nodes: BTreeSet<String> =
            texts.texts.iter().filter_map(|text| text.source.node()).map(str::to_owned).collect();
        Self::Node { node: name.to_owned(), nodes: nodes.into_iter().take(HINTS).collect() }
    }

    pub(super) fn entry(texts: &BundleTexts<'_>, name: &str) -> Self {
        let entries: BTreeSet<String> = texts.texts.iter().map(|text| text.source.entry.to_string()).collect();
        Self::Entry { entry: name.to_owned(), near: near(name, entries) }
    }
}

/// Returns the names that have a word as a part, the shortest first, else the nearest ones.
fn near(word: &str, names: BTreeSet<String>) -> Vec<String> {
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let part = word.trim_matches(['*', '?']);
    let mut holding: Vec<&String> = names.iter().filter(|name| name.contains(part)).collect();
    holding.sort_by_key(|name| (name.len(), *name));
    if !holding.is_empty() {
        return holding.into_iter().take(HINTS).cloned().collect();
    }
    let wanted = last(word);
    let limit = wanted.chars().count() / 2;
    let mut scored: Vec<(usize, &String)> =
        names.iter().map(|name| (damerau_levenshtein(&wanted, &last(name)), name)).collect();
    scored.retain(|(distance, _)| *distance <= limit);
    scored.sort();
    scored.into_iter().take(HINTS).map(|(_, name)| name.clone()).collect()
}

impl Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pod { pod, namespace, near } => {
                write!(f, "the bundle has no log of pod {pod}")?;
                namespace.iter().try_for_each(|namespace| write!(f, " in namespace {namespace}"))?;
                hint(f, "; logs of pods with such a name", near)
            }
            Self::Container { pod, container, previous, instances } => {
                let which = if *previous { "the previous instance of " } else { "" };
                match container {
                    Some(container) => write!(f, "the bundle has no log of {which}container {container} of pod {pod}")?,
                    None => write!(f, "the bundle has no log of {which}pod {pod}")?,
                }
                let names: Vec<String> = instances
                    .iter()
                    .map(|(name, previous)| {
                        let name = if name.is_empty() { "all containers in one file" } else { name };
                        if *previous { format!("{name} (previous instance: -p)") } else { name.to_owned() }
                    })
                    .collect();
                hint(f, "; it has", &names)
            }
            Self::Node { node, nodes } => {
                write!(f, "the bundle has no log of node {node}")?;
                hint(f, "; nodes with logs", nodes)
            }
            Self::Unit { node, unit, units } => {
                write!(f, "the bundle has no log {unit} of node {node}")?;
                hint(f, "; it has", units)
            }
            Self::Entry { entry, near } => {
                write!(f, "the bundle has no entry {entry}")?;
                hint(f, "; entries with such a name", near)
            }
            Self::SeveralNamespaces { pod, namespaces } => {
                write!(f, "there are pods {pod} in several namespaces; choose one with -n: {}", namespaces.join(", "))
            }
            Self::SeveralContainers { pod, containers } => write!(
                f,
                "pod {pod} has several containers; choose one with -c, or all of them with --all-containers: {}",
                containers.join(", ")
            ),
            Self::Glob { glob, error } => write!(f, "bad glob `{glob}`: {error}"),
        }
    }
}

impl std::error::Error for Missing {}

fn hint(f: &mut fmt::Formatter<'_>, before: &str, names: &[String]) -> fmt::Result {
    if names.is_empty() { Ok(()) } else { write!(f, "{before}: {}", names.join(", ")) }
}
