//! Worker processes. The parent starts them ([`worker_pool`]), gives them files and enforces budgets ([`scheduler`]); a worker
//! reads orders and answers ([`serve`]). Both sides exchange [`message`]s.

mod local_file;
pub mod message;
mod reports;
pub mod scheduler;
mod serve;
mod worker_pool;

pub use serve::{analyse_here, serve};
