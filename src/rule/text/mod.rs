//! Texts of rules: templates over the same names and functions as expressions.
//!
//! A [`Template`] is checked when its rule is compiled ([`check`], [`infer`]) and rendered by a [`Renderer`] against one
//! bundle. [`environment`] sets up the template engine: [`filters`], functions ([`call`]), how values print ([`print`]).

mod call;
mod check;
mod environment;
mod error;
mod filters;
mod infer;
mod marks;
mod object;
mod print;
mod renderer;
mod shell;
mod template;
#[cfg(test)]
mod tests;
mod value;

pub use error::TextError;
pub use infer::doubts;
pub use renderer::Renderer;
pub use shell::misplaced;
pub use template::Template;
