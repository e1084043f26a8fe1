//! JSONPath as kubectl reads it (`client-go/util/jsonpath`), which is not RFC 9535: a template whose parts in braces are paths,
//! `{range}` and `{end}`, or quoted text.
//!
//! [`parse`] reads a template into the parts of [`syntax`], [`evaluate`] walks them over a value, and [`print`] writes what was found.

mod evaluate;
mod parse;
mod print;
mod syntax;
mod template;
#[cfg(test)]
mod tests;

pub use print::{go_text, text};
pub use template::{JsonPath, JsonPathError};
