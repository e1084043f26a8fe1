//! The parts of the program's module `model` that templates of lines need, under the same names.

#[path = "../../src/model/level.rs"]
#[allow(dead_code, reason = "the program also prints levels")]
pub mod level;
#[path = "../../src/model/zone.rs"]
#[allow(dead_code, reason = "the program also reads the zones of hosts")]
pub mod zone;

pub mod unexplained {
    pub use super::level::Level;
}
