//! Texts of rules: templates over the same names and functions as expressions.
//!
//! A [`Template`] is checked when its rule is compiled ([`check`], [`infer`]) and rendered by a [`Renderer`] against one
//! bundle. The grammar is that of the template engine; [`mod@read`] makes a tree of it, which [`run`] walks over the values of
//! expressions, within the budget of the rule: [`filters`], tests ([`kinds`]), how values print ([`print`]), times that
//! are not known ([`undated`]).

mod check;
mod error;
mod failure;
mod filters;
mod infer;
mod kinds;
mod marks;
mod print;
mod read;
mod renderer;
mod run;
mod shell;
mod template;
#[cfg(test)]
mod tests;
mod tree;
mod undated;
mod value;

pub use error::TextError;
pub use failure::TextFailure;
pub use infer::doubts;
pub use renderer::Renderer;
pub use shell::misplaced;
pub use template::Template;
