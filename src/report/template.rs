//! Template environment and Content-Security-Policy of all pages. Text from outside is cleaned and escaped by the
//! formatter when it is printed, so that no template can forget it.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, escape_formatter};
use sha2::{Digest, Sha256};

use super::lexicon::Lexicon;
use super::{RenderError, lexicon, shortened};
use crate::model::clean;

/// Name and text of a template.
pub type Source = (&'static str, &'static str);

/// Builds the environment of templates in a language.
///
/// # Errors
/// A fault in a template.
pub fn environment(t: Lexicon, templates: &[Source]) -> Result<Environment<'static>, RenderError> {
    prepared(t, templates).map_err(template_error)
}

/// Writes the page that a template renders.
///
/// # Errors
/// Errors of the writer, or a fault in the template.
pub fn render(environment: &Environment<'_>, name: &str, page: Value, out: &mut dyn Write) -> Result<(), RenderError> {
    let template = environment.get_template(name).map_err(template_error)?;
    let mut out = Recording { out, failure: None };
    match template.render_captured_to(page, &mut out) {
        Ok(_) => Ok(()),
        Err(error) => Err(out.failure.take().map_or_else(|| template_error(error), RenderError::Write)),
    }
}

fn prepared(t: Lexicon, templates: &[Source]) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_formatter(print_clean);
    environment.add_function("t", move |phrase: &str, parts: Kwargs| filled(t.term(phrase), &parts));
    environment.add_function("count", move |n: u64, phrase: &str| t.count(n, phrase));
    environment.add_function("foreign", move |text: &str| t.foreign(text));
    environment.add_function("shortened", |text: &str| Value::from(Serde(shortened::uuids(text))));
    environment.add_function("shortened_name", |name: &str| Value::from(Serde(shortened::name(name))));
    environment.add_function("term", move |english: &str| t.term(english).to_owned());
    // Where the lines of an entry are shown: nowhere, unless a page says so.
    environment.add_function("place_url", |_: &str, _: Option<u64>| Value::from(()));
    for (name, source) in templates {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// Returns a phrase with its parts filled in.
fn filled(phrase: &str, parts: &Kwargs) -> Result<String, Error> {
    let parts: Vec<(&str, Value)> =
        parts.args().map(|name| Ok((name, parts.get(name)?))).collect::<Result<_, Error>>()?;
    let parts: Vec<(&str, &dyn Display)> = parts.iter().map(|(name, part)| (*name, part as &dyn Display)).collect();
    Ok(lexicon::fill(phrase, &parts))
}

/// Prints a value: text from outside is freed of invisible characters, then escaped.
fn print_clean(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    if value.is_none() {
        return Err(Error::new(ErrorKind::InvalidOperation, "a template prints a value that is absent"));
    }
    match value.as_str() {
        Some(text) if !value.is_safe() => match clean::visible(text) {
            Cow::Borrowed(_) => escape_formatter(out, state, value),
            Cow::Owned(text) => escape_formatter(out, state, &Value::from(text)),
        },
        _ => escape_formatter(out, state, value),
    }
}

/// Returns a policy that forbids everything except the style and the script of gleaner.
pub fn policy(style: &str, script: Option<&str>) -> String {
    let script = script.map_or_else(|| "'none'".to_owned(), |script| format!("'sha256-{}'", digest(script)));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'",
        digest(style),
    )
}

fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

fn template_error(error: Error) -> RenderError {
    RenderError::Template(format!("{error:#}"))
}

/// Keeps the writer's own error: callers must distinguish a closed pipe from a full disk.
struct Recording<'a> {
    out: &'a mut dyn Write,
    failure: Option<std::io::Error>,
}

impl Write for Recording<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes).inspect_err(|error| {
            if error.kind() != std::io::ErrorKind::Interrupted {
                self.failure = Some(error.kind().into());
            }
        })
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
