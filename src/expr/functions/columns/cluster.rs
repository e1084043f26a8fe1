//! Computed columns of Nodes, volumes and their claims, Services and APIServices.

use crate::expr::eval::stop::Answer;
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, each, joined, texts};
use crate::expr::functions::object_view::ObjectView;

/// Computes STATUS, ROLES and the addresses of a Node.
pub(super) fn node<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![
        ("STATUS", node_status(object)),
        ("ROLES", roles(object)),
        ("INTERNAL-IP", address(object, "InternalIP")),
        ("EXTERNAL-IP", address(object, "ExternalIP")),
    ]
}

fn node_status<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut status = match object.condition("Ready")? {
        Some(ready) if ready.is(&["status"], "True")? => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if matches!(object.get(&["spec", "unschedulable"])?, Value::Bool(true)) {
        status.push_str(",SchedulingDisabled");
    }
    Ok(Value::text(&status))
}

fn roles<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut roles = Vec::new();
    for (name, value) in object.entries(&["metadata", "labels"])? {
        match name.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => roles.push(role.to_owned()),
            None if name == "kubernetes.io/role" => roles.extend(value.value.as_str().map(str::to_owned)),
            _ => {}
        }
    }
    roles.sort_unstable();
    roles.dedup();
    Ok(joined(&roles))
}

fn address<'a>(object: &ObjectView<'a>, type_: &str) -> Answer<'a> {
    for address in object.items(&["status", "addresses"])? {
        if address.is(&["type"], type_)? {
            return address.get(&["address"]);
        }
    }
    Ok(Value::Null)
}

/// Formats access modes as `RWO,ROX,RWX,RWOP`, in this order.
fn access_modes<'a>(object: &ObjectView<'_>, path: &[&str]) -> Answer<'a> {
    let modes = texts(object, path)?;
    let short =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let found = short.iter().filter(|(mode, _)| modes.iter().any(|m| m == mode));
    Ok(joined(&found.map(|(_, letters)| (*letters).to_owned()).collect::<Vec<_>>()))
}

/// Computes ACCESS MODES of a PersistentVolume.
pub(super) fn volume<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("ACCESS MODES", access_modes(object, &["spec", "accessModes"]))]
}

/// Computes CAPACITY and ACCESS MODES of a claim. Before it is bound, a claim has only the requested size, which is
/// not printed.
pub(super) fn claim<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let if_bound = |answer: Answer<'a>| match object.has(&["spec", "volumeName"])? {
        true => answer,
        false => Ok(Value::Null),
    };
    vec![
        ("CAPACITY", if_bound(object.get(&["status", "capacity", "storage"]))),
        ("ACCESS MODES", if_bound(access_modes(object, &["status", "accessModes"]))),
    ]
}

/// Computes EXTERNAL-IP and PORT(S) of a Service.
pub(super) fn service<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("EXTERNAL-IP", external(object)), ("PORT(S)", ports(object))]
}

fn ports<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut ports = Vec::new();
    for port in object.items(&["spec", "ports"])? {
        let number = port.int_or(&["port"], 0)?;
        let protocol = match port.text(&["protocol"])? {
            protocol if protocol.is_empty() => "TCP".to_owned(),
            protocol => protocol,
        };
        ports.push(match port.int_or(&["nodePort"], 0)? {
            0 => format!("{number}/{protocol}"),
            node_port => format!("{number}:{node_port}/{protocol}"),
        });
    }
    Ok(joined(&ports))
}

fn external<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut addresses = Vec::new();
    let type_ = object.text(&["spec", "type"])?;
    if type_ == "ExternalName" {
        return object.get(&["spec", "externalName"]);
    }
    if type_ == "LoadBalancer" {
        let ingress = ["status", "loadBalancer", "ingress"];
        let (ips, hosts) = (each(object, &ingress, "ip")?, each(object, &ingress, "hostname")?);
        addresses.extend(ips.into_iter().zip(hosts).map(|(ip, host)| if ip.is_empty() { host } else { ip }));
    }
    addresses.extend(texts(object, &["spec", "externalIPs"])?);
    if addresses.is_empty() && type_ == "LoadBalancer" {
        return Ok(Value::borrowed("<pending>"));
    }
    Ok(joined(&addresses))
}

/// Computes AVAILABLE of an APIService.
pub(super) fn api_service<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("AVAILABLE", available(object))]
}

/// Formats `True`, or the reason: `False (MissingEndpoints)`.
fn available<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let Some(condition) = object.condition("Available")? else { return Ok(Value::borrowed("Unknown")) };
    let status = condition.text(&["status"])?;
    let reason = if status == "True" { String::new() } else { condition.text(&["reason"])? };
    Ok(Value::text(&if reason.is_empty() { status } else { format!("{status} ({reason})") }))
}
