//! Logs that a question names.

use std::collections::BTreeSet;

use super::missing::Missing;
use crate::log::SourceOrigin;
use crate::model::Glob;
use crate::pipeline::{BundleText, BundleTexts, TextKind};

/// Whose logs are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `node/NAME` or `node/NAME/UNIT`.
    Node { name: String, unit: Option<String> },
    /// `pod/NAME`.
    Pod { name: String },
    /// A pod, `NAMESPACE/POD`, `NAMESPACE/POD/CONTAINER`, or the path of an entry.
    Any { name: String },
}

/// Which instances of a container are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instance {
    pub namespace: Option<String>,
    /// Container of a pod, or unit of a node; a glob.
    pub container: Option<String>,
    pub all_containers: bool,
    /// The instance before the last restart.
    pub previous: bool,
}

impl Target {
    pub fn parse(text: &str) -> Self {
        let name = |name: &str| name.to_owned();
        if let Some(rest) = text.strip_prefix("node/") {
            let (node, unit) = rest.split_once('/').map_or((rest, None), |(node, unit)| (node, Some(unit)));
            return Self::Node { name: name(node), unit: unit.map(name) };
        }
        let pod = ["pod/", "pods/", "po/"].iter().find_map(|kind| text.strip_prefix(kind));
        match pod.filter(|pod| !pod.contains('/')) {
            Some(pod) => Self::Pod { name: name(pod) },
            None => Self::Any { name: name(text) },
        }
    }
}

/// Finds the texts of a target; returns their indices, sorted.
///
/// # Errors
/// Says what is there instead, or what to choose from.
pub fn find(texts: &BundleTexts<'_>, target: &Target, wanted: &Instance) -> Result<Vec<usize>, Missing> {
    match target {
        Target::Node { name, unit } => node(texts, name, unit.as_deref().or(wanted.container.as_deref())),
        Target::Pod { name } => pod(texts, name, wanted),
        Target::Any { name } => match entry(texts, name) {
            found if !found.is_empty() => Ok(found),
            _ => any(texts, name, wanted),
        },
    }
}

/// Returns the texts of an entry: itself, or its sections with their own paths.
fn entry(texts: &BundleTexts<'_>, name: &str) -> Vec<usize> {
    let of = |is_it: &dyn Fn(&BundleText) -> bool| {
        let all = texts.texts.iter().enumerate();
        all.filter(|(_, text)| is_it(text)).map(|(index, _)| index).collect::<Vec<_>>()
    };
    let whole = of(&|text| *text.source.entry == *name && !text.is_section());
    let whole = if whole.is_empty() { of(&|text| *text.logical == *name && !text.is_section()) } else { whole };
    if whole.is_empty() { of(&|text| *text.logical == *name || *text.source.entry == *name) } else { whole }
}

fn any(texts: &BundleTexts<'_>, name: &str, wanted: &Instance) -> Result<Vec<usize>, Missing> {
    let parts: Vec<&str> = name.split('/').collect();
    let with = |namespace: &str, container: Option<&str>| Instance {
        namespace: wanted.namespace.clone().or_else(|| Some(namespace.to_owned())),
        container: container.map(str::to_owned).or_else(|| wanted.container.clone()),
        ..wanted.clone()
    };
    match parts.as_slice() {
        [pod_name] => pod(texts, pod_name, wanted),
        [namespace, pod_name] if has_namespace(texts, namespace) => pod(texts, pod_name, &with(namespace, None)),
        [namespace, pod_name, container] if has_namespace(texts, namespace) => {
            let (container, previous) = container.strip_suffix(":previous").map_or((*container, false), |c| (c, true));
            let wanted = with(namespace, Some(container));
            pod(texts, pod_name, &Instance { previous: wanted.previous || previous, ..wanted })
        }
        _ => Err(Missing::entry(texts, name)),
    }
}

fn has_namespace(texts: &BundleTexts<'_>, name: &str) -> bool {
    texts.texts.iter().filter_map(|text| text.source.pod()).any(|(namespace, _)| namespace == name)
}

fn glob(text: &str) -> Result<Glob, Missing> {
    Glob::new(text).map_err(|error| Missing::Glob { glob: text.to_owned(), error })
}

fn pod(texts: &BundleTexts<'_>, name: &str, wanted: &Instance) -> Result<Vec<usize>, Missing> {
    let (names, containers) = (glob(name)?, wanted.container.as_deref().map(glob).transpose()?);
    let in_namespace = |namespace: &str| wanted.namespace.as_deref().is_none_or(|wanted| wanted == namespace);
    let of_pod: Vec<(usize, &BundleText)> = texts
        .texts
        .iter()
        .enumerate()
        .filter(|(_, text)| {
            !text.is_copy
                && text.source.pod().is_some_and(|(namespace, pod)| in_namespace(namespace) && names.is_match(pod))
        })
        .collect();
    if of_pod.is_empty() {
        return Err(Missing::pod(texts, name, wanted.namespace.as_deref()));
    }
    if names.plain().is_some() {
        let namespaces: BTreeSet<&str> = of_pod.iter().filter_map(|(_, text)| Some(text.source.pod()?.0)).collect();
        if namespaces.len() > 1 {
            let namespaces = namespaces.into_iter().map(str::to_owned).collect();
            return Err(Missing::SeveralNamespaces { pod: name.to_owned(), namespaces });
        }
    }
    let is_wanted = |text: &BundleText| match &text.source.origin {
        SourceOrigin::Container { container, previous, .. } => {
            *previous == wanted.previous && containers.as_ref().is_none_or(|glob| glob.is_match(container))
        }
        _ => false,
    };
    let found: Vec<(usize, &BundleText)> = of_pod.iter().filter(|(_, text)| is_wanted(text)).copied().collect();
    if found.is_empty() {
        let instances = of_pod.iter().map(|(_, text)| instance(text)).collect();
        return Err(Missing::Container {
            pod: name.to_owned(),
            previous: wanted.previous,
            container: wanted.container.clone(),
            instances,
        });
    }
    let names_of: BTreeSet<&str> = found.iter().filter_map(|(_, text)| container(text)).collect();
    if names_of.len() > 1 && !wanted.all_containers && wanted.container.is_none() && names.plain().is_some() {
        let containers = names_of.into_iter().map(str::to_owned).collect();
        return Err(Missing::SeveralContainers { pod: name.to_owned(), containers });
    }
    Ok(found.into_iter().map(|(index, _)| index).collect())
}

fn container(text: &BundleText) -> Option<&str> {
    match &text.source.origin {
        SourceOrigin::Container { container, .. } => Some(container),
        _ => None,
    }
}

/// Returns the name of a container, and whether it is the instance before the last restart.
fn instance(text: &BundleText) -> (String, bool) {
    match &text.source.origin {
        SourceOrigin::Container { container, previous, .. } => (container.clone(), *previous),
        _ => (String::new(), false),
    }
}

fn node(texts: &BundleTexts<'_>, name: &str, unit: Option<&str>) -> Result<Vec<usize>, Missing> {
    let units = unit.map(glob).transpose()?;
    let of_node: Vec<(usize, &BundleText)> = texts
        .texts
        .iter()
        .enumerate()
        .filter(|(_, text)| text.kind == TextKind::Log && text.source.node() == Some(name))
        .collect();
    if of_node.is_empty() {
        return Err(Missing::node(texts, name));
    }
    let is_wanted = |text: &BundleText| {
        units.as_ref().is_none_or(|glob| text.source.unit().is_some_and(|unit| glob.is_match(unit)))
    };
    let found: Vec<usize> = of_node.iter().filter(|(_, text)| is_wanted(text)).map(|(index, _)| *index).collect();
    if found.is_empty() {
        let units: BTreeSet<String> =
            of_node.iter().filter_map(|(_, text)| text.source.unit()).map(str::to_owned).collect();
        return Err(Missing::Unit {
            node: name.to_owned(),
            unit: unit.unwrap_or_default().to_owned(),
            units: units.into_iter().collect(),
        });
    }
    Ok(found)
}
