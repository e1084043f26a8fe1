//! Services, and what is reached through them: webhooks, API services, conversion of custom resources.

use super::edge::Dependency;
use super::lookup::{Lookup, is_well, items};
use crate::resource::{Resource, scalar_at};
use crate::yaml::Node;

/// A service depends on those selected pods and workloads that are not ready.
pub fn of_service(look: Lookup<'_>, service: &Resource) -> Vec<Dependency> {
    let namespace = service.namespace.as_deref().unwrap_or_default();
    let selector: Vec<(String, String)> =
        service.body().path(&["spec", "selector"]).map_or_else(Vec::new, |selector| {
            selector.entries().map(|(key, value)| (key.into_owned(), value.text().to_owned())).collect()
        });
    let Some((key, value)) = selector.first() else { return Vec::new() };
    let pods = look.labelled("pods", key, value).filter(|pod| pod.namespace.as_deref() == Some(namespace));
    let pods = pods.filter(|pod| has_labels(pod, &["metadata", "labels"], &selector));
    let controllers = ["deployments.apps", "daemonsets.apps", "statefulsets.apps"];
    let controllers = controllers.into_iter().flat_map(|name| look.all_in(name, namespace));
    let controllers = controllers.filter(|c| has_labels(c, &["spec", "template", "metadata", "labels"], &selector));
    let selected = pods.chain(controllers).filter(|selected| !is_well(selected));
    selected.map(|selected| Dependency::object(selected, "spec.selector")).collect()
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
