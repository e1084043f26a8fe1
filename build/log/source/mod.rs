#[path = "../../../src/log/source/line.rs"]
#[allow(dead_code, reason = "the program also reads whole logs")]
pub mod line;
#[path = "../../../src/log/source/months.rs"]
mod months;
#[path = "../../../src/log/source/stamp.rs"]
#[allow(dead_code, reason = "the program also reads times")]
pub mod stamp;
