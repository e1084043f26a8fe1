//! Services, what is reached through them (webhooks, API services, conversion of custom resources), and disruption budgets.

use std::collections::BTreeSet;

use super::edge::Dependency;
use super::lookup::{Lookup, items};
use crate::resource::{Resource, scalar_at};
use crate::yaml::Node;

/// A service depends on those selected pods and workloads that are not ready.
pub fn of_service(look: &Lookup<'_>, service: &Resource) -> Vec<Dependency> {
    let (namespace, selector) =
        (service.namespace.as_deref().unwrap_or_default(), labels(service, &["spec", "selector"]));
    if selector.is_empty() {
        return Vec::new();
    }
    let controllers = ["deployments.apps", "daemonsets.apps", "statefulsets.apps"];
    let controllers = controllers.into_iter().flat_map(|name| look.all_in(name, namespace));
    // Rows have the selector of a controller and not the labels of its template, which are at least those.
    let template = ["spec", "template", "metadata", "labels"];
    let own = ["spec", "selector", "matchLabels"];
    let controllers = controllers.filter(|c| [&template[..], &own].iter().any(|place| has_labels(c, place, &selector)));
    let selected =
        selected_pods(look, namespace, &selector).chain(controllers).filter(|selected| !look.is_well(selected));
    selected.map(|selected| Dependency::object(selected, "spec.selector")).collect()
}

/// A budget allows no eviction while those of its pods that are not ready are as many as may be missing.
pub fn of_budget(look: &Lookup<'_>, budget: &Resource) -> Vec<Dependency> {
    let selector = labels(budget, &["spec", "selector", "matchLabels"]);
    let pods = selected_pods(look, budget.namespace.as_deref().unwrap_or_default(), &selector);
    pods.filter(|pod| !look.is_well(pod)).map(|pod| Dependency::object(pod, "spec.selector")).collect()
}

/// Returns the pods of a namespace with all labels; none without a label.
fn selected_pods<'i>(
    look: &Lookup<'i>,
    namespace: &str,
    selector: &[(String, String)],
) -> impl Iterator<Item = &'i Resource> {
    let first = selector.first().into_iter();
    let pods = first.flat_map(move |(key, value)| look.labelled_in("pods", Some(namespace), key, value));
    pods.filter(move |pod| has_labels(pod, &["metadata", "labels"], selector))
}

/// Reads a map of labels.
fn labels(resource: &Resource, place: &[&str]) -> Vec<(String, String)> {
    let found = resource.body().path(place);
    found.map_or_else(Vec::new, |labels| {
        labels.entries().map(|(key, value)| (key.into_owned(), value.text().to_owned())).collect()
    })
}

fn has_labels(resource: &Resource, place: &[&str], wanted: &[(String, String)]) -> bool {
    let labels = resource.body().path(place);
    labels.is_some_and(|labels| {
        wanted.iter().all(|(key, value)| labels.get(key).is_some_and(|label| label.text() == value))
    })
}

/// A configuration of webhooks depends on the services that answer.
pub fn of_webhooks(configuration: &Resource) -> Vec<Dependency> {
    let services = items(configuration, &["webhooks"]).filter_map(|webhook| webhook.path(&["clientConfig", "service"]));
    services.filter_map(|service| named(service, "webhooks.clientConfig.service")).collect()
}

/// An object depends on the webhooks that messages of its conditions name.
pub fn of_refused(look: &Lookup<'_>, resource: &Resource) -> Vec<Dependency> {
    let messages = items(resource, &["status", "conditions"]).filter_map(|item| scalar_at(item, &["message"]));
    let names: BTreeSet<&str> = messages.flat_map(webhooks_named).collect();
    let configurations = names.into_iter().flat_map(|name| look.with_webhook(name));
    configurations.map(|found| Dependency::object(found, "status.conditions: failed calling webhook")).collect()
}

/// The API server writes `failed calling webhook "NAME": ...`; where the message is quoted again, with escaped quotes.
fn webhooks_named(message: &str) -> impl Iterator<Item = &str> {
    let parts = message.split("failed calling webhook ").skip(1);
    parts.filter_map(|part| part.trim_start_matches(['\\', '"']).split(['\\', '"', ':']).next())
}

/// An API service depends on the service that answers.
pub fn of_api_service(api: &Resource) -> Vec<Dependency> {
    let service = api.body().path(&["spec", "service"]);
    service.and_then(|service| named(service, "spec.service")).into_iter().collect()
}

/// A custom resource depends on the webhook that converts it.
pub fn of_definition(definition: &Resource) -> Vec<Dependency> {
    let service = definition.body().path(&["spec", "conversion", "webhook", "clientConfig", "service"]);
    service.and_then(|service| named(service, "spec.conversion.webhook")).into_iter().collect()
}

fn named(service: Node<'_>, by: &'static str) -> Option<Dependency> {
    let (namespace, name) = (scalar_at(service, &["namespace"])?, scalar_at(service, &["name"])?);
    Some(Dependency::named("", "Service", Some(namespace), name, by))
}
