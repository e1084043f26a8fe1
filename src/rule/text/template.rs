//! Templates as written, checked when their rule is compiled and turned into instructions when they are first rendered,
//! because most rules stay silent.

use std::sync::{Arc, OnceLock};

use minijinja::Environment;

use super::environment::NAME;
use super::error::TextError;
use super::{check, environment};

/// A template as written; checked when its rule is compiled, unless that was done before.
#[derive(Clone, Debug)]
pub struct Template {
    text: Arc<str>,
    mentions: Arc<OnceLock<Vec<String>>>,
    compiled: Arc<OnceLock<Environment<'static>>>,
}

impl Template {
    /// Checks syntax, names, functions and filters.
    ///
    /// # Errors
    /// A syntax error alone, else every unknown name, function, filter and test, in order of the text.
    pub fn compile(text: &str, names: &[String]) -> Result<Self, Vec<TextError>> {
        let template = Self::tested(text);
        let mentions = if template.is_plain() { Vec::new() } else { check::check(text, names)? };
        template.mentions.get_or_init(|| mentions);
        Ok(template)
    }

    /// Returns a template that was checked before.
    pub fn tested(text: &str) -> Self {
        Self { text: text.into(), mentions: Arc::default(), compiled: Arc::default() }
    }

    /// Returns whether the text has no template syntax.
    fn is_plain(&self) -> bool {
        !["{{", "{%", "{#"].iter().any(|sign| self.text.contains(sign))
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names it mentions of these, also through `rows`, in the order of slots.
    pub fn mentions(&self, names: &[String]) -> &[String] {
        self.mentions.get_or_init(|| {
            if self.is_plain() { Vec::new() } else { check::check(&self.text, names).unwrap_or_default() }
        })
    }

    pub(super) fn environment(&self) -> Result<&Environment<'static>, minijinja::Error> {
        if let Some(ready) = self.compiled.get() {
            return Ok(ready);
        }
        let mut environment = environment::base().clone();
        environment.add_template_owned(NAME, self.text.to_string())?;
        Ok(self.compiled.get_or_init(|| environment))
    }
}
