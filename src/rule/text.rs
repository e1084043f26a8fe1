//! Texts of rules: templates over the same names and functions as expressions.
//!
//! A [`Template`] is checked when its rule is compiled and turned into instructions when it is
//! first rendered, because most rules stay silent. A [`Renderer`] renders it against one bundle.

mod check;
mod environment;
mod infer;
mod print;
#[cfg(test)]
mod tests;
mod thing;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use minijinja::Environment;
use minijinja::value::{Enumerator, Object, ObjectRepr};

use self::environment::WORLD;
pub use self::infer::doubts;
use self::thing::{WorldHandle, wrap};
use crate::expr::{ErrorKind, Value, World};

/// So many combinations are shown by `rows`.
const MAX_ROWS: usize = 20;
/// Longest rendered text, in bytes.
const MAX_TEXT: usize = 256 << 10;
/// The one template of an environment.
const NAME: &str = "text";

/// A template as written; checked when its rule is compiled, unless that was done before.
#[derive(Clone, Debug)]
pub struct Template {
    text: Arc<str>,
    mentions: Arc<OnceLock<Vec<String>>>,
    compiled: Arc<OnceLock<Environment<'static>>>,
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Byte offset in the template, where known.
    pub offset: Option<usize>,
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
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

    /// A template that was found right before.
    pub fn tested(text: &str) -> Self {
        Self { text: text.into(), mentions: Arc::default(), compiled: Arc::default() }
    }

    /// Whether it reads as it is written.
    fn is_plain(&self) -> bool {
        !["{{", "{%", "{#"].iter().any(|sign| self.text.contains(sign))
    }

    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names it mentions of these, also through `rows`, in the order of slots.
    pub fn mentions(&self, names: &[String]) -> &[String] {
        self.mentions.get_or_init(|| {
            if self.is_plain() { Vec::new() } else { check::check(&self.text, names).unwrap_or_default() }
        })
    }

    fn environment(&self) -> Result<&Environment<'static>, minijinja::Error> {
        if let Some(ready) = self.compiled.get() {
            return Ok(ready);
        }
        let mut environment = environment::base().clone();
        environment.add_template_owned(NAME, self.text.to_string())?;
        Ok(self.compiled.get_or_init(|| environment))
    }
}

/// Renders templates against one bundle.
pub struct Renderer {
    world: Arc<World>,
}

impl Renderer {
    pub fn new(world: Arc<World>) -> Self {
        Self { world }
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
    ) -> Result<String, String> {
        let context = self.context(template, names, bindings, rows);
        let rendered = template.environment().and_then(|environment| {
            let mut output = Bounded(Vec::new());
            environment.get_template(NAME)?.render_captured_to(context, &mut output)?;
            Ok(output.0)
        });
        match rendered {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(error) => Err(check::describe(&error)),
        }
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

    /// What is mentioned of the bindings.
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

/// A buffer that refuses to grow without bound.
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
