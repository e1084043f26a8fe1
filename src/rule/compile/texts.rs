//! Compiles the texts of a rule: its own and their translations.

use crate::model::Lang;
use crate::rule::compile::compiler::Compiler;
use crate::rule::compiled::{RemedyTemplates, Texts};
use crate::rule::error::Code;
use crate::rule::source::reader::Written;
use crate::rule::source::texts::{RemedySource, TranslationSource};
use crate::rule::text::{Template, TextError};

impl Compiler<'_> {
    /// The texts of the rule, and whole texts for each language that it is translated to.
    pub fn texts(&mut self) -> Option<(Texts, Vec<(Lang, Texts)>)> {
        let source = self.source;
        let own = self.own_texts();
        let translations: Vec<Option<(Lang, Texts)>> =
            source.i18n.iter().map(|written| self.translation(own.as_ref(), written)).collect();
        Some((own?, translations.into_iter().flatten().collect()))
    }

    fn own_texts(&mut self) -> Option<Texts> {
        let source = self.source;
        let [title, message, impact, cause, verify] = source.texts.all().map(|written| self.written(written));
        let remedy: Vec<Option<RemedyTemplates>> = source.remedy.iter().map(|step| self.step(step)).collect();
        let remedy = remedy.into_iter().collect::<Option<_>>()?;
        let name = source.name.as_ref().map(|name| name.text.clone());
        let verify = verify.map(Template::instruction);
        Some(Texts { name, title: title?, message: message?, impact: impact?, cause: cause?, remedy, verify })
    }

    fn step(&mut self, step: &RemedySource) -> Option<RemedyTemplates> {
        let condition = step.condition.as_ref().and_then(|written| self.outside(written));
        let action = self.template(&step.action);
        let [run, caution] = [&step.run, &step.caution].map(|written| self.written(written.as_ref()));
        let [action, caution] = [action, caution].map(|text| text.map(Template::instruction));
        Some(RemedyTemplates { condition, action: action?, run: run.map(Template::command), caution })
    }

    /// The texts in another language; those that are not translated are the rule's own.
    fn translation(&mut self, own: Option<&Texts>, source: &TranslationSource) -> Option<(Lang, Texts)> {
        let [title, message, impact, cause, verify] = source.texts.all().map(|written| self.written(written));
        let steps: Vec<[Option<Template>; 2]> = source
            .remedy
            .iter()
            .map(|step| [&step.action, &step.caution].map(|written| self.instruction(written.as_ref())))
            .collect();
        let verify = verify.map(Template::instruction);
        let own = own?;
        let mut steps = steps.into_iter();
        let step = |own: &RemedyTemplates| {
            let [action, caution] = steps.next().unwrap_or_default();
            let or = |text: Option<Template>, own: &Option<Template>| text.or_else(|| own.clone());
            RemedyTemplates {
                action: action.unwrap_or_else(|| own.action.clone()),
                caution: or(caution, &own.caution),
                ..own.clone()
            }
        };
        let texts = Texts {
            name: source.name.as_ref().map(|name| name.text.clone()).or_else(|| own.name.clone()),
            title: title.unwrap_or_else(|| own.title.clone()),
            message: message.unwrap_or_else(|| own.message.clone()),
            impact: impact.unwrap_or_else(|| own.impact.clone()),
            cause: cause.unwrap_or_else(|| own.cause.clone()),
            remedy: own.remedy.iter().map(step).collect(),
            verify: verify.or_else(|| own.verify.clone()),
        };
        Some((source.lang, texts))
    }

    fn written(&mut self, written: Option<&Written>) -> Option<Template> {
        written.and_then(|written| self.template(written))
    }

    fn instruction(&mut self, written: Option<&Written>) -> Option<Template> {
        self.written(written).map(Template::instruction)
    }

    fn template(&mut self, written: &Written) -> Option<Template> {
        if self.tested {
            return Some(Template::tested(&written.text));
        }
        match Template::compile(&written.text, self.names.get(..self.find).unwrap_or_default()) {
            Ok(template) => Some(template),
            Err(errors) => {
                for error in errors {
                    self.template_error(written, error);
                }
                None
            }
        }
    }

    fn template_error(&mut self, written: &Written, error: TextError) {
        let word = |at: usize| {
            let rest = written.text.get(at..).unwrap_or_default();
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').filter(|length| *length > 0);
            at..at + length.unwrap_or(1)
        };
        let place = error.offset.map(|at| written.part(self.diagnostics.text(), word(at)));
        let hint = self.hidden(self.find, &error.kind).or(error.hint);
        let range = place.unwrap_or_else(|| written.range.clone());
        self.report_inner(Code::Template, &error.kind, range, &error.message, hint);
    }
}

impl Texts {
    /// All templates.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let steps = self.remedy.iter().flat_map(|step| [Some(&step.action), step.run.as_ref(), step.caution.as_ref()]);
        let own = [Some(&self.title), Some(&self.message), Some(&self.impact), Some(&self.cause), self.verify.as_ref()];
        own.into_iter().chain(steps).flatten()
    }
}
