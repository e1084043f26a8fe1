#[path = "../../../src/log/template/header.rs"]
#[allow(dead_code, reason = "the program also counts templates")]
pub mod header;
#[path = "../../../src/log/template/parts.rs"]
#[allow(dead_code, reason = "the program also takes lines apart")]
pub mod parts;
#[path = "../../../src/log/template/severity.rs"]
#[allow(dead_code, reason = "the program also counts templates")]
pub mod severity;
#[path = "../../../src/log/template/token.rs"]
#[allow(dead_code, reason = "the program also counts templates")]
pub mod token;
