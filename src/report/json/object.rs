//! Reference to an object, as all outputs write it.

use serde::Serialize;

use crate::model::ObjectRef;

#[derive(Serialize)]
pub(super) struct Object<'a> {
    kind: &'a str,
    group: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
}

impl<'a> Object<'a> {
    pub(super) fn of(object: &'a ObjectRef) -> Self {
        Self { kind: &object.kind, group: &object.group, namespace: object.namespace.as_deref(), name: &object.name }
    }
}
