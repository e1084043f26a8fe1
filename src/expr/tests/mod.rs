//! Tests of expressions over a small made-up bundle.

mod certificates;
mod columns;
mod contract;
mod decoding;
mod errors;
mod evaluation;
mod fixture;
mod functions;
mod joins;
mod random;
mod reads;
mod status;
mod undecided;
