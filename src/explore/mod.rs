//! Questions about one bundle, as kubectl asks them of a cluster: what is asked, and what is answered, as data and text.
//!
//! A bundle is [`Opened`] once; [`get`] lists objects, [`describe`] shows one with everything around it, [`top`] what nodes and pods
//! use. [`types`] finds the types that a user names, and [`object`] shows an object without its secrets. Nothing here knows a
//! terminal.

pub mod age;
pub mod describe;
pub mod get;
pub mod layout;
pub mod object;
mod opened;
mod redaction;
pub mod top;
pub mod types;
mod yaml;

pub use object::View;
pub use opened::Opened;
pub use redaction::Redaction;
