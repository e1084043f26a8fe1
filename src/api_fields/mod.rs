//! API fields of the objects in bundles: the fields of each kind, with their types, values and product versions.
//!
//! [`table`] decodes the embedded data on first use, one kind at a time; analysing a bundle never does. [`field`] and
//! [`value_type`] are the decoded types. `fields.py` generates the data from a table of the products' schemas and
//! describes its format.

mod field;
mod table;
mod value_type;

pub use field::Field;
pub use table::{Kind, kind, kinds, object_meta, version_texts};
pub use value_type::{BaseType, ValueType, Values};
