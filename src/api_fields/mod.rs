//! API fields of the objects in bundles: which fields each kind has, of what type, with which values, in which versions of the products.
//!
//! [`table`] decodes the embedded data when it is first asked, a kind at a time; analysing a bundle never does. [`field`] and
//! [`value_type`] are what it gives. `fields.py` makes the data from a table of the products' schemas and describes its form.

mod field;
mod table;
mod value_type;

pub use field::Field;
pub use table::{Kind, kind, kinds, object_meta};
pub use value_type::{BaseType, ValueType, Values};
