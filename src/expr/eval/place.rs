//! Places of values in the documents of objects.

use crate::resource::ResourceId;

/// A node of a resource's document.
pub(in crate::expr) type FieldPlace = (ResourceId, u32);
