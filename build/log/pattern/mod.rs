#[path = "../../../src/log/pattern/literal.rs"]
#[allow(dead_code, reason = "the program also looks literals up")]
pub mod literal;
#[path = "../../../src/log/pattern/syntax.rs"]
#[allow(dead_code, reason = "the program also compiles patterns")]
pub mod syntax;
