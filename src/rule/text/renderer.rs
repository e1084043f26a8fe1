//! Renders templates against one bundle.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr};

use super::call::{WORLD, WorldHandle};
use super::environment::NAME;
use super::error::describe;
use super::print::with_times;
use super::shell;
use super::template::Template;
use super::value::wrap;
use crate::expr::{Value, World};
use crate::model::message::{CommandName, CommandProblem, Message};
use crate::model::{Lang, TimedText};

/// Combinations that `rows` shows.
const MAX_ROWS: usize = 20;
/// Longest rendered text, in bytes.
const MAX_TEXT: usize = 256 << 10;
/// Renders templates against one bundle.
pub struct Renderer {
    world: Arc<World>,
    lang: Lang,
}

impl Renderer {
    /// Creates a renderer; what it says itself is in `lang`.
    pub fn new(world: Arc<World>, lang: Lang) -> Self {
        Self { world, lang }
    }

    /// Returns the language of what it says itself.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The text; `rows` are all combinations of the finding, `bindings` the first of them.
    ///
    /// # Errors
    /// A message for an Issue when the template cannot be rendered on this data.
    pub fn render(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'_>],
        rows: &[&[Value<'_>]],
    ) -> Result<TimedText, String> {
        let rendered = self.rendered(template, names, bindings, rows)?;
        if !template.is_instruction() {
            return Ok(with_times(rendered.trim()));
        }
        let left_out = CommandName::LeftOut.in_language(self.lang).to_string();
        Ok(with_times(shell::fill_sentences(&rendered, &left_out).trim()))
    }

    /// The command; the inner error is why a value cannot stand in it.
    ///
    /// # Errors
    /// Fails as [`Renderer::render`] does.
    pub fn command(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'_>],
        rows: &[&[Value<'_>]],
    ) -> Result<Result<String, CommandProblem>, String> {
        let rendered = self.rendered(template, names, bindings, rows)?;
        Ok(shell::fill(&rendered).map(|command| command.trim().to_owned()))
    }

    fn rendered(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'_>],
        rows: &[&[Value<'_>]],
    ) -> Result<String, String> {
        let context = self.context(template, names, bindings, rows);
        let rendered = template.environment().and_then(|environment| {
            let mut output = Bounded(Vec::new());
            environment.get_template(NAME)?.render_captured_to(context, &mut output)?;
            Ok(output.0)
        });
        let bytes = rendered.map_err(|error| describe(&error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn context(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'_>],
        rows: &[&[Value<'_>]],
    ) -> BTreeMap<String, minijinja::Value> {
        let mut context = self.named(template, names, bindings);
        let shown = rows.iter().take(MAX_ROWS).map(|row| self.named(template, names, row).into()).collect();
        context.insert("rows".to_owned(), minijinja::Value::from_object(Rows { shown, total: rows.len() }));
        context.insert(
            "now".to_owned(),
            self.world.now.map_or_else(Default::default, |now| wrap(&self.world, &Value::Time(now))),
        );
        context.insert("nodes".to_owned(), wrap(&self.world, self.world.nodes()));
        context.insert(WORLD.to_owned(), minijinja::Value::from_object(WorldHandle(Arc::clone(&self.world))));
        context
    }

    /// Values of the bindings that the template mentions.
    fn named(
        &self,
        template: &Template,
        names: &[String],
        bindings: &[Value<'_>],
    ) -> BTreeMap<String, minijinja::Value> {
        let mentioned = template.mentions(names);
        let pairs = names.iter().zip(bindings).filter(|(name, _)| mentioned.contains(name));
        pairs.map(|(name, value)| (name.clone(), wrap(&self.world, value))).collect()
    }
}

/// All combinations of a finding, of which the first are shown.
#[derive(Debug)]
struct Rows {
    shown: Vec<minijinja::Value>,
    total: usize,
}

impl Object for Rows {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &minijinja::Value) -> Option<minijinja::Value> {
        self.shown.get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.shown.clone())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.total)
    }
}

/// A buffer with a maximum length.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_TEXT {
            return Err(std::io::Error::other("the text grows too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
