//! Machine-readable output; one module per version of the contract.

pub mod v1;
