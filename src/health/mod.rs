//! Health of objects, without rules: one judgement for the comparison of bundles and for the list of what is broken.

mod judge;
mod owner;
mod pod;
mod restarts;
mod unhealthy;
mod warnings;

pub use judge::{PASSING, judge};
pub use owner::{deployment_of_pod, workload};
pub use unhealthy::unhealthy;
