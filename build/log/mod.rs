//! The parts of the program's module `log` that find literals and templates, under the same names: they name their files by their paths in the program.

pub mod pattern;
pub mod source;
pub mod template;

pub use template::parts::line_template;
pub use template::token::VARIES;
