//! Discovery: which types there are. Clients up to kubectl 1.26 read the documents of each group, later ones those of all at once
//! (`apidiscovery.k8s.io`), in the version that they ask for.

use serde_json::{Value, json};

use super::served_types::{ServedType, ServedTypes};

/// What can be done with objects of a bundle.
const VERBS: [&str; 3] = ["get", "list", "watch"];

/// Media types of aggregated documents by version; a client takes a document only with the one that it asked for.
const AGGREGATED: [(&str, &str); 2] = [
    ("v2", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
    ("v2beta1", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"),
];

/// Returns `/api`.
pub fn core() -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
}

/// Returns `/apis`.
pub fn groups(types: &ServedTypes) -> Value {
    let groups: Vec<Value> = types.groups().into_iter().filter_map(|group| described(types, group)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// Returns `/apis/GROUP`, if it is served.
pub fn group(types: &ServedTypes, group: &str) -> Option<Value> {
    let mut group = described(types, group)?;
    group["kind"] = "APIGroup".into();
    group["apiVersion"] = "v1".into();
    Some(group)
}

fn described(types: &ServedTypes, group: &str) -> Option<Value> {
    let of = |version: &str| json!({"groupVersion": format!("{group}/{version}"), "version": version});
    let versions: Vec<Value> = types.versions(group).into_iter().map(|(version, _)| of(version)).collect();
    let preferred = versions.first()?.clone();
    Some(json!({"name": group, "versions": versions, "preferredVersion": preferred}))
}

/// Returns `/api/v1` or `/apis/GROUP/VERSION`, if it is served.
pub fn resources(types: &ServedTypes, group: &str, version: &str) -> Option<Value> {
    let (_, of_version) = types.versions(group).into_iter().find(|(served, _)| *served == version)?;
    let mut resources = Vec::new();
    for type_ in of_version {
        resources.push(resource(type_));
        if is_pods(type_) {
            resources.push(json!({
                "name": "pods/log", "singularName": "", "namespaced": true, "kind": "Pod", "verbs": ["get"],
            }));
        }
    }
    let slash = if group.is_empty() { "" } else { "/" };
    Some(json!({
        "kind": "APIResourceList", "apiVersion": "v1",
        "groupVersion": format!("{group}{slash}{version}"), "resources": resources,
    }))
}

fn resource(type_: &ServedType) -> Value {
    json!({
        "name": type_.name.plural, "singularName": type_.kind.to_ascii_lowercase(), "namespaced": type_.is_namespaced,
        "kind": type_.kind, "verbs": VERBS, "shortNames": type_.short, "categories": categories(type_),
    })
}

fn categories(type_: &ServedType) -> &'static [&'static str] {
    if type_.in_all { &["all"] } else { &[] }
}

fn is_pods(type_: &ServedType) -> bool {
    type_.name.group.is_empty() && type_.name.plural == "pods"
}

/// Returns the document of the core group, or of all others, and its media type.
pub fn aggregated(types: &ServedTypes, is_core: bool, version: &str) -> (&'static str, Value) {
    let groups = if is_core { vec![""] } else { types.groups() };
    let items: Vec<Value> = groups.into_iter().map(|group| aggregated_group(types, group)).collect();
    let list = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{version}"),
        "metadata": {}, "items": items,
    });
    let media =
        AGGREGATED.iter().find(|(known, _)| *known == version).map_or(super::response::JSON, |(_, media)| media);
    (media, list)
}

fn aggregated_group(types: &ServedTypes, group: &str) -> Value {
    let versions: Vec<Value> = types
        .versions(group)
        .into_iter()
        .map(|(version, types)| {
            let resources: Vec<Value> = types.into_iter().map(aggregated_resource).collect();
            json!({"version": version, "freshness": "Current", "resources": resources})
        })
        .collect();
    json!({"metadata": {"name": group}, "versions": versions})
}

fn aggregated_resource(type_: &ServedType) -> Value {
    let kind = json!({"group": type_.name.group, "version": type_.version, "kind": type_.kind});
    let log = is_pods(type_).then(|| json!({"subresource": "log", "responseKind": kind, "verbs": ["get"]}));
    json!({
        "resource": type_.name.plural, "responseKind": kind, "verbs": VERBS,
        "scope": if type_.is_namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": type_.kind.to_ascii_lowercase(),
        "shortNames": type_.short, "categories": categories(type_),
        "subresources": log.into_iter().collect::<Vec<Value>>(),
    })
}
