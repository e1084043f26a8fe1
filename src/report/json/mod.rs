//! Machine-readable output; one module per version of the contract.

pub mod difference_v1;
pub mod indented;
mod known;
mod object;
mod place;
mod unexplained;
mod unhealthy;
mod upgrade;
pub mod v1;
