//! Computed columns of Endpoints, EndpointSlices, Ingresses and their classes.

use std::collections::BTreeSet;

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, first_few, joined, texts};
use crate::expr::functions::object_view::ObjectView;

/// Items that kubectl lists before `+ 2 more...`.
const LISTED: usize = 3;

/// Computes ENDPOINTS of Endpoints: addresses with ports.
pub(super) fn endpoints<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("ENDPOINTS", addresses(object))]
}

fn addresses<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut found = Vec::new();
    for subset in object.items(&["subsets"])? {
        let mut hosts = Vec::new();
        for address in subset.items(&["addresses"])? {
            hosts.push(address.text(&["ip"])?);
        }
        let ports = subset.items(&["ports"])?;
        if ports.is_empty() {
            found.extend(hosts.iter().cloned());
        }
        for port in ports {
            let port = port.int_or(&["port"], 0)?;
            found.extend(hosts.iter().map(|host| match host.contains(':') {
                true => format!("[{host}]:{port}"),
                false => format!("{host}:{port}"),
            }));
        }
    }
    Ok(first_few(&found, LISTED, ","))
}

/// Computes PORTS and ENDPOINTS of an EndpointSlice; without entries they are `<unset>`.
pub(super) fn slice<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("PORTS", slice_ports(object)), ("ENDPOINTS", slice_endpoints(object))]
}

fn slice_ports<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut ports = Vec::new();
    for port in object.items(&["ports"])? {
        ports.push(match (port.text(&["name"])?, port.int(&["port"])?) {
            (_, Some(number)) => number.to_string(),
            (name, None) if !name.is_empty() => name,
            _ => "*".to_owned(),
        });
    }
    Ok(or_unset(first_few(&ports, LISTED, ",")))
}

fn slice_endpoints<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut found = Vec::new();
    for endpoint in object.items(&["endpoints"])? {
        found.extend(texts(&endpoint, &["addresses"])?);
    }
    Ok(or_unset(first_few(&found, LISTED, ",")))
}

fn or_unset(value: Value<'_>) -> Value<'_> {
    if value.is_null() { Value::borrowed("<unset>") } else { value }
}

/// Computes HOSTS, ADDRESS and PORTS of an Ingress.
pub(super) fn ingress<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("HOSTS", hosts(object)), ("ADDRESS", balancers(object)), ("PORTS", ports(object))]
}

fn hosts<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut hosts = Vec::new();
    for rule in object.items(&["spec", "rules"])? {
        hosts.push(rule.text(&["host"])?);
    }
    hosts.retain(|host| !host.is_empty());
    Ok(if hosts.is_empty() { Value::borrowed("*") } else { first_few(&hosts, LISTED, ",") })
}

fn balancers<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut found = BTreeSet::new();
    for ingress in object.items(&["status", "loadBalancer", "ingress"])? {
        let ip = ingress.text(&["ip"])?;
        found.insert(if ip.is_empty() { ingress.text(&["hostname"])? } else { ip });
    }
    found.remove("");
    Ok(joined(&found.into_iter().collect::<Vec<_>>()))
}

fn ports<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let has_tls = !object.items(&["spec", "tls"])?.is_empty();
    Ok(Value::borrowed(if has_tls { "80, 443" } else { "80" }))
}

/// Computes PARAMETERS of an IngressClass.
pub(super) fn ingress_class<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("PARAMETERS", parameters(object))]
}

fn parameters<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let named = || -> Result<String, Stop> {
        let parameters = object.at(&["spec", "parameters"])?;
        let (group, name) = (parameters.text(&["apiGroup"])?, parameters.text(&["name"])?);
        let dot = if group.is_empty() { "" } else { "." };
        Ok(format!("{}{dot}{group}/{name}", parameters.text(&["kind"])?))
    };
    Ok(if object.has(&["spec", "parameters"])? { Value::text(&named()?) } else { Value::Null })
}
