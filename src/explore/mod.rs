//! Answers to questions about one bundle: what is asked and what is answered, as data and text for any output.
//!
//! A bundle is [`Opened`] once; [`get`] lists objects, [`describe`] shows one with everything around it, [`top`] what nodes and pods
//! use. [`types`] finds the types that a user names, and [`object`] shows an object without its secrets. [`logs`] and [`grep`] give lines,
//! merged by time ([`lines`]), [`events`] events, and [`timeline`] what happened when. `api` answers clients of Kubernetes. Nothing here knows
//! a terminal.

#[cfg(feature = "serve")]
pub mod api;
pub mod describe;
#[cfg(feature = "serve")]
pub mod entry;
pub mod events;
pub mod get;
pub mod grep;
pub mod layout;
pub mod lines;
pub mod logs;
mod named_object;
pub mod object;
mod opened;
mod redaction;
pub mod timeline;
pub mod top;
pub mod types;
mod yaml;

pub use named_object::{NamedObject, NoObject};
pub use object::View;
pub use opened::Opened;
pub use redaction::Redaction;
