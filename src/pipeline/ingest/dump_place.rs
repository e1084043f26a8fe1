//! Places of the objects that a dump or table holds.

use crate::bundle::Role;
use crate::resource::table;
use crate::resource::{DumpPlace, TypeName};

/// The resource type that a role names, or that the word of a table means.
pub(super) enum Placed<'r> {
    Dump(DumpPlace<'r>),
    Table(TypeName),
}

impl Placed<'_> {
    pub(super) fn borrowed(&self) -> DumpPlace<'_> {
        match self {
            Self::Dump(place) => *place,
            Self::Table(name) => DumpPlace { namespace: None, group: &name.group, version: "", plural: &name.plural },
        }
    }
}

pub(super) fn dump_place(role: &Role) -> Option<Placed<'_>> {
    match role {
        Role::Dump { namespace, group, version, plural } => {
            Some(Placed::Dump(DumpPlace { namespace: namespace.as_deref(), group, version, plural }))
        }
        Role::Table { word } => Some(Placed::Table(table::type_of(word))),
        _ => None,
    }
}
