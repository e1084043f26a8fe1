//! Templates as written, checked when their rule is compiled and read when they are first rendered, because most rules stay
//! silent.

use std::sync::{Arc, OnceLock};

use super::error::{TextError, describe};
use super::failure::TextFailure;
use super::read::read;
use super::run::Purpose;
use super::tree::Step;
use super::{check, shell};

/// A template as written; checked when its rule is compiled, unless that was done before.
#[derive(Clone, Debug, Default)]
pub struct Template {
    text: Arc<str>,
    mentions: Arc<OnceLock<Vec<String>>>,
    steps: Arc<OnceLock<Arc<[Step]>>>,
    purpose: Purpose,
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
        Self { text: text.into(), mentions: Arc::default(), steps: Arc::default(), purpose: Purpose::Text }
    }

    /// Makes it a command for a shell, which [`super::Renderer::command`] renders.
    pub fn command(self) -> Self {
        Self { purpose: Purpose::Command, ..self }
    }

    /// Makes it sentences that tell what to do, which may have commands in them.
    pub fn instruction(self) -> Self {
        Self { purpose: Purpose::Instruction, ..self }
    }

    /// Returns whether its sentences have commands in them.
    pub(super) fn is_instruction(&self) -> bool {
        self.purpose() == Purpose::Instruction
    }

    pub(super) fn purpose(&self) -> Purpose {
        match self.purpose {
            Purpose::Instruction if !shell::names_a_command(&self.text) => Purpose::Text,
            purpose => purpose,
        }
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

    pub(super) fn steps(&self) -> Result<Arc<[Step]>, TextFailure> {
        if let Some(ready) = self.steps.get() {
            return Ok(Arc::clone(ready));
        }
        let steps = read(&self.text).map_err(|error| TextFailure::Wrong(describe(&error)))?;
        Ok(Arc::clone(self.steps.get_or_init(|| steps.into())))
    }
}
