//! A read-only Kubernetes API over one bundle: a [`Request`] in, a [`Response`] out, without a socket.
//!
//! [`Api`] holds a bundle, [`answer`] answers. [`request`] reads path, query and accepted forms, [`route`] what a path names. [`served_types`]
//! says which types there are, [`discovery`] tells it to clients, [`listing`] and [`watch`] give objects, [`log_request`] and [`pod_log`] lines of
//! logs; objects, columns, selectors and logs are those of `get` and `logs`. [`served_object`] puts right what typed clients refuse, [`review`]
//! answers what may be done, and [`schema`] what fields mean. What was not collected is a failure with its reason, never an empty list.

mod answer;
mod cluster;
mod discovery;
mod listing;
mod log_request;
mod pod_log;
mod protobuf;
mod request;
mod response;
mod review;
mod route;
mod schema;
mod served_object;
mod served_types;
#[cfg(test)]
mod tests;
mod watch;

pub use cluster::Api;
pub use pod_log::{PodLog, Send};
pub use request::Request;
pub use response::{Body, Failure, Response};
