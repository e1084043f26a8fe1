//! Compiles the texts of a rule: its own and their translations.

use std::sync::Arc;

use crate::model::Lang;
use crate::rule::check::knowledge::Knowledge;
use crate::rule::compile::compiler::Compiler;
use crate::rule::compile::names;
use crate::rule::compiled::{RemedyTemplates, RuleTexts, Texts, TextsByLang};
use crate::rule::error::{Code, Diagnostics, Source};
use crate::rule::load;
use crate::rule::source::fact::FactSource;
use crate::rule::source::read_rule::read_rule;
use crate::rule::source::reader::Written;
use crate::rule::source::texts::{RemedySource, TranslationSource};
use crate::rule::streams::Streams;
use crate::rule::text::{Template, TextError};

/// Reads the texts of a built-in rule, which the tests of this program checked.
fn built_in(file: &str) -> TextsByLang {
    let text = load::built_in_rule(file).unwrap_or_default().to_owned();
    let mut diagnostics = Diagnostics::new(Arc::new(Source { file: file.to_owned(), text }));
    let source = read_rule(&mut diagnostics, true).unwrap_or_default();
    let facts: Vec<&FactSource> = source.find.iter().chain(&source.unless).collect();
    let names = names::bind(&mut diagnostics, &facts).into();
    let (streams, known) = (Streams::default(), Knowledge::default());
    let mut compiler = Compiler {
        diagnostics: &mut diagnostics,
        streams: &streams,
        known: &known,
        tested: true,
        source: &source,
        names,
        find: source.find.len(),
        queries: Vec::new(),
        understood: Vec::new(),
    };
    compiler.texts_by_lang().unwrap_or_default()
}

impl Compiler<'_> {
    /// The texts of the rule; those of a built-in rule that were left out are read later.
    pub fn texts(&mut self) -> Option<RuleTexts> {
        if self.tested && self.source.texts.title.is_none() {
            return Some(RuleTexts::later(self.diagnostics.file(), built_in));
        }
        self.texts_by_lang().map(RuleTexts::of)
    }

    /// The texts of the rule, and whole texts for each language that it is translated to.
    fn texts_by_lang(&mut self) -> Option<TextsByLang> {
        let source = self.source;
        let own = self.own_texts();
        let translations: Vec<Option<(Lang, Texts)>> =
            source.i18n.iter().map(|written| self.translation(own.as_ref(), written)).collect();
        Some(TextsByLang { own: own?, translations: translations.into_iter().flatten().collect() })
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
        let condition = step.condition.as_ref().and_then(|written| self.condition_outside(written));
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

impl TextsByLang {
    /// All templates.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let translated = self.translations.iter().map(|(_, texts)| texts);
        std::iter::once(&self.own).chain(translated).flat_map(Texts::templates)
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
