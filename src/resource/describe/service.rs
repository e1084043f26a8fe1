//! Fields of a Service in the output of `kubectl describe svc`.

use super::common::metadata;
use super::out::{Fields, Out};
use super::outline::View;

/// Returns the fields of a Service. kubectl prints addresses of a load balancer only if there are any.
pub(super) fn fields(view: View<'_>) -> Fields {
    let at = view.start();
    let spec = Out::map(
        at,
        [
            ("type", view.value("Type").map(Out::text)),
            ("clusterIP", view.value("IP").map(Out::text)),
            ("externalName", view.value("External Name").map(Out::text)),
        ],
    );
    // Addresses and names of hosts stand in one line, in a form of each release.
    let ingress = view.get("LoadBalancer Ingress").map(|line| line.line.start);
    let ingress = ingress.map_or(Out::Absent(at), |at| Out::List(at, vec![Out::Map(at, Vec::new())]));
    let status = Out::map(at, [("loadBalancer", Some(Out::map(at, [("ingress", Some(ingress))])))]);
    [("metadata", metadata(view, [])), ("spec", spec), ("status", status)]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}
