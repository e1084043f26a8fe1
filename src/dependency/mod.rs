//! What depends on what in a bundle: components, and the components that they depend on, as fields of objects say.
//!
//! Dependencies are read when they are asked for, each component once. What the bundle does not say is not there: a pod
//! that names no node depends on none. Objects that report that they are ready are not followed, because they pass nothing on.

mod dependencies;
mod edge;
mod graph;
mod lookup;
mod machine;
mod names;
mod node;
mod release;
mod service;
mod storage;
#[cfg(test)]
mod tests;
mod workload;

pub use graph::{ComponentId, DependencyGraph};
