//! Computed columns of the objects of storage and of what Pods are given: StorageClasses, CSI, ConfigMaps, Secrets.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, count, each, flag, flag_or, joined, texts};
use crate::expr::functions::object_view::ObjectView;

/// Computes the columns of a StorageClass, with the defaults of absent fields.
pub(super) fn storage_class<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let or = |field: &str, default: &'static str| match object.get(&[field]) {
        Ok(Value::Null) => Ok(Value::borrowed(default)),
        answer => answer,
    };
    vec![
        ("RECLAIMPOLICY", or("reclaimPolicy", "Delete")),
        ("VOLUMEBINDINGMODE", or("volumeBindingMode", "Immediate")),
        ("ALLOWVOLUMEEXPANSION", flag(object, &["allowVolumeExpansion"])),
    ]
}

/// Computes ATTACHED of a VolumeAttachment.
pub(super) fn attachment<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("ATTACHED", flag(object, &["status", "attached"]))]
}

/// Computes the columns of a CSIDriver.
pub(super) fn driver<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![
        ("ATTACHREQUIRED", flag_or(object, &["spec", "attachRequired"], true)),
        ("PODINFOONMOUNT", flag(object, &["spec", "podInfoOnMount"])),
        ("STORAGECAPACITY", flag(object, &["spec", "storageCapacity"])),
        ("TOKENREQUESTS", audiences(object)),
        ("REQUIRESREPUBLISH", flag(object, &["spec", "requiresRepublish"])),
        ("MODES", texts(object, &["spec", "volumeLifecycleModes"]).map(|modes| joined(&modes))),
    ]
}

fn audiences<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    Ok(match object.has(&["spec", "tokenRequests"])? {
        true => joined(&each(object, &["spec", "tokenRequests"], "audience")?),
        false => Value::borrowed("<unset>"),
    })
}

/// Computes DRIVERS of a CSINode.
pub(super) fn csi_node<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("DRIVERS", object.items(&["spec", "drivers"]).map(|drivers| count(drivers.len())))]
}

/// Computes DATA of a ConfigMap or a Secret.
pub(super) fn data<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let keys =
        || -> Result<usize, Stop> { Ok(object.entries(&["data"])?.len() + object.entries(&["binaryData"])?.len()) };
    vec![("DATA", keys().map(count))]
}
