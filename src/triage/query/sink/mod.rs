//! Formats of answers: [`Csv`], [`Json`] and [`Lines`] for programs, [`Table`] for people.

mod csv;
mod json;
#[cfg(feature = "parquet")]
pub mod parquet;
mod rows;
mod table;

pub use csv::Csv;
pub use json::{Json, Lines};
pub use rows::Sink;
pub use table::Table;
