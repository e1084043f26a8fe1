//! Columns of Nodes, Namespaces, volumes and their claims, Services and APIServices.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Cells, each, field, is_deleted, joined, labels, texts};
use crate::expr::functions::object_view::ObjectView;

pub(super) const NODE: [&str; 8] =
    ["STATUS", "ROLES", "VERSION", "INTERNAL-IP", "EXTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"];
pub(super) const VOLUME: [&str; 9] = [
    "CAPACITY",
    "ACCESS MODES",
    "RECLAIM POLICY",
    "STATUS",
    "CLAIM",
    "STORAGECLASS",
    "VOLUMEATTRIBUTESCLASS",
    "REASON",
    "VOLUMEMODE",
];
pub(super) const CLAIM: [&str; 7] =
    ["STATUS", "VOLUME", "CAPACITY", "ACCESS MODES", "STORAGECLASS", "VOLUMEATTRIBUTESCLASS", "VOLUMEMODE"];
pub(super) const SERVICE: [&str; 5] = ["TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "SELECTOR"];

pub(super) fn node<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let mut status = match object.condition("Ready")? {
        Some(ready) if ready.is(&["status"], "True")? => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if matches!(object.get(&["spec", "unschedulable"])?, Value::Bool(true)) {
        status.push_str(",SchedulingDisabled");
    }
    let info = |name: &str| object.get(&["status", "nodeInfo", name]);
    Ok(vec![
        Value::text(&status),
        roles(object)?,
        info("kubeletVersion")?,
        address(object, "InternalIP")?,
        address(object, "ExternalIP")?,
        info("osImage")?,
        info("kernelVersion")?,
        info("containerRuntimeVersion")?,
    ])
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

pub(super) fn namespace<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    Ok(vec![field(object, &["status", "phase"])?])
}

/// Formats access modes as `RWO,ROX,RWX,RWOP`, in this order.
fn access_modes<'a>(object: &ObjectView<'_>, path: &[&str]) -> Answer<'a> {
    let modes = texts(object, path)?;
    let short =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let found = short.iter().filter(|(mode, _)| modes.iter().any(|m| m == mode));
    Ok(joined(&found.map(|(_, letters)| (*letters).to_owned()).collect::<Vec<_>>()))
}

fn phase<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    if is_deleted(object)? { Ok(Value::borrowed("Terminating")) } else { object.get(&["status", "phase"]) }
}

pub(super) fn volume<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let claim = object.at(&["spec", "claimRef"])?;
    let claimed = match claim.has(&["name"])? {
        true => Value::text(&format!("{}/{}", claim.text(&["namespace"])?, claim.text(&["name"])?)),
        false => Value::Null,
    };
    Ok(vec![
        field(object, &["spec", "capacity", "storage"])?,
        access_modes(object, &["spec", "accessModes"])?,
        field(object, &["spec", "persistentVolumeReclaimPolicy"])?,
        phase(object)?,
        claimed,
        field(object, &["spec", "storageClassName"])?,
        field(object, &["spec", "volumeAttributesClassName"])?,
        field(object, &["status", "reason"])?,
        field(object, &["spec", "volumeMode"])?,
    ])
}

pub(super) fn claim<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    // Before it is bound, a claim has only the requested size, which is not printed.
    let bound = object.has(&["spec", "volumeName"])?;
    let (capacity, modes) = match bound {
        true => (object.get(&["status", "capacity", "storage"])?, access_modes(object, &["status", "accessModes"])?),
        false => (Value::Null, Value::Null),
    };
    Ok(vec![
        phase(object)?,
        field(object, &["spec", "volumeName"])?,
        capacity,
        modes,
        field(object, &["spec", "storageClassName"])?,
        field(object, &["spec", "volumeAttributesClassName"])?,
        field(object, &["spec", "volumeMode"])?,
    ])
}

pub(super) fn service<'a>(object: &ObjectView<'a>) -> Cells<'a> {
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
    Ok(vec![
        field(object, &["spec", "type"])?,
        field(object, &["spec", "clusterIP"])?,
        external(object)?,
        joined(&ports),
        labels(object, &["spec", "selector"])?,
    ])
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

pub(super) fn api_service<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let service = object.at(&["spec", "service"])?;
    let by = match service.has(&["name"])? {
        true => Value::text(&format!("{}/{}", service.text(&["namespace"])?, service.text(&["name"])?)),
        false => Value::borrowed("Local"),
    };
    let available = match object.condition("Available")? {
        Some(condition) => available(&condition)?,
        None => "Unknown".to_owned(),
    };
    Ok(vec![by, Value::text(&available)])
}

/// Formats `True`, or the reason: `False (MissingEndpoints)`.
fn available(condition: &ObjectView<'_>) -> Result<String, Stop> {
    let (status, reason) = (condition.text(&["status"])?, condition.text(&["reason"])?);
    Ok(if status == "True" || reason.is_empty() { status } else { format!("{status} ({reason})") })
}
