//! `gleaner get`: lists objects as `kubectl get` does.
//!
//! [`request`] reads what is asked, [`answer`] finds the objects and what is missing, [`columns`] prints them as tables, and [`output`]
//! in the other formats.

mod answer;
pub mod columns;
mod gap;
mod jsonpath;
mod order;
pub mod output;
mod request;
mod selector;

pub use answer::{Answer, Listing, answer};
pub use gap::Gap;
pub use output::Format;
#[cfg(feature = "serve")]
pub use request::Asked;
pub use request::{Filter, Request, RequestError, asked};
#[cfg(feature = "serve")]
pub use selector::FieldSelector;
