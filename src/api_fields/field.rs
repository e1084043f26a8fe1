//! A field of a kind with the fields below it.

use super::value_type::{BaseType, ValueType};

/// A field, the element of a list (`[]`) or the value of a map (`{}`).
#[derive(Clone, Debug)]
pub struct Field {
    pub name: &'static str,
    pub value_type: &'static ValueType,
    /// Versions of the products that have it, such as `longhorn 1.5.5..1.12.1 @v1beta2`, several products separated by
    /// `; `.
    pub versions: &'static str,
    /// Sorted by name.
    pub fields: Vec<Field>,
}

impl Field {
    /// Returns the direct child of that name: a field, `[]` or `{}`.
    pub fn part(&self, name: &str) -> Option<&Self> {
        find(&self.fields, name)
    }

    /// Returns true if it has that type in some version.
    pub fn is(&self, base: BaseType) -> bool {
        self.value_type.bases.contains(&base)
    }
}

/// Finds a field by name among sorted ones.
pub(super) fn find<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    fields.binary_search_by(|field| field.name.cmp(name)).ok().and_then(|at| fields.get(at))
}
