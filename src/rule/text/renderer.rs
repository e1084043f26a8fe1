//! Renders templates against one bundle.

use super::failure::TextFailure;
use super::print::with_times;
use super::run::Run;
use super::shell;
use super::template::Template;
use super::undated::without_unknown_times;
use crate::expr::{Value, World};
use crate::model::message::{CommandName, CommandProblem, Message};
use crate::model::{Lang, TimedText};

/// Renders templates against one bundle, within the budget of the rule that its world is for.
#[derive(Clone, Copy)]
pub struct Renderer<'a> {
    world: &'a World,
    lang: Lang,
}

impl<'a> Renderer<'a> {
    /// Creates a renderer; what it says itself is in `lang`.
    pub fn new(world: &'a World, lang: Lang) -> Self {
        Self { world, lang }
    }

    /// Returns the language of what it says itself.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The text; `rows` are all combinations of the finding, `bindings` the first of them.
    ///
    /// # Errors
    /// If the rule is past its bounds, or a message for an Issue when the template cannot be rendered on this data.
    pub fn render(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'a>],
        rows: &[&[Value<'a>]],
    ) -> Result<TimedText, TextFailure> {
        let rendered = without_unknown_times(self.rendered(template, names, bindings, rows)?, self.lang);
        if !template.is_instruction() {
            return Ok(with_times(rendered.trim(), self.world, self.lang));
        }
        let left_out = CommandName::LeftOut.in_language(self.lang).to_string();
        Ok(with_times(shell::fill_sentences(&rendered, &left_out).trim(), self.world, self.lang))
    }

    /// The command; the inner error is why a value cannot stand in it.
    ///
    /// # Errors
    /// Fails as [`Renderer::render`] does.
    pub fn command(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'a>],
        rows: &[&[Value<'a>]],
    ) -> Result<Result<String, CommandProblem>, TextFailure> {
        let rendered = self.rendered(template, names, bindings, rows)?;
        Ok(shell::fill(&rendered).map(|command| command.trim().to_owned()))
    }

    fn rendered(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'a>],
        rows: &[&[Value<'a>]],
    ) -> Result<String, TextFailure> {
        self.world.begin();
        let steps = template.steps()?;
        let (world, purpose) = (self.world, template.purpose());
        let mut run = Run { world, names, bindings, rows, variables: Vec::new(), out: String::new(), purpose };
        run.steps(&steps)?;
        if self.world.keep(run.out.len()) { Ok(run.out) } else { Err(TextFailure::Spent) }
    }
}
