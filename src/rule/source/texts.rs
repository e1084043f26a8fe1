//! Reads the texts of a rule: its own, which are English, and their translations (`i18n`).

use crate::model::Lang;
use crate::rule::error::Code;
use crate::rule::source::key_table::{STEP, TRANSLATED_STEP, TRANSLATION};
use crate::rule::source::reader::{Field, FieldReader, Fields, Written};
use crate::yaml::Node;

/// The texts outside `remedy` in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextsSource {
    pub title: Option<Written>,
    pub message: Option<Written>,
    pub impact: Option<Written>,
    pub cause: Option<Written>,
    pub verify: Option<Written>,
}

impl TextsSource {
    /// In the order of reports.
    pub fn all(&self) -> [Option<&Written>; 5] {
        [&self.title, &self.message, &self.impact, &self.cause, &self.verify].map(Option::as_ref)
    }
}

/// An entry of `remedy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemedySource {
    pub condition: Option<Written>,
    pub action: Written,
    pub run: Option<Written>,
    pub caution: Option<Written>,
}

/// The texts of a rule in another language, as far as they are translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationSource {
    pub lang: Lang,
    pub name: Option<Written>,
    pub texts: TextsSource,
    /// The first steps of the rule's `remedy`, in its order.
    pub remedy: Vec<TranslatedRemedySource>,
}

impl TranslationSource {
    /// All that is translated.
    pub fn templates(&self) -> impl Iterator<Item = &Written> {
        let steps = self.remedy.iter().flat_map(|step| [step.action.as_ref(), step.caution.as_ref()]);
        self.texts.all().into_iter().chain(steps).flatten()
    }
}

/// A step of `remedy` in another language, as far as it is translated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranslatedRemedySource {
    pub action: Option<Written>,
    pub caution: Option<Written>,
}

impl FieldReader<'_> {
    /// The texts of a rule or of a translation.
    pub fn texts(&mut self, fields: &Fields<'_>) -> TextsSource {
        let mut text = |key: &str| fields.get(key).and_then(|field| self.text(field));
        TextsSource {
            title: text("title"),
            message: text("message"),
            impact: text("impact"),
            cause: text("cause"),
            verify: text("verify"),
        }
    }

    /// The steps of a rule.
    pub fn remedy(&mut self, fields: &Fields<'_>) -> Vec<RemedySource> {
        let items = fields.get("remedy").map_or_else(Vec::new, |field| self.items(field));
        items.into_iter().filter_map(|item| self.step(item)).collect()
    }

    fn step(&mut self, node: Node<'_>) -> Option<RemedySource> {
        let fields = self.mapping(node, &STEP)?;
        let condition = fields.get("if").and_then(|field| self.condition(field));
        let run = fields.get("run").and_then(|field| self.text(field));
        let caution = fields.get("caution").and_then(|field| self.text(field));
        Some(RemedySource { condition, action: self.text(fields.get("do")?)?, run, caution })
    }

    /// The translations of a rule that has these keys.
    pub fn i18n(&mut self, rule: &Fields<'_>) -> Vec<TranslationSource> {
        let Some(mut languages) = rule.get("i18n").and_then(|field| self.entries(field.value, "i18n")) else {
            return Vec::new();
        };
        let offered: Vec<&str> = Lang::translations().map(Lang::as_str).collect();
        self.only_known(&mut languages, "i18n", |code| Lang::parse(code).is_some(), &offered);
        languages.iter().filter_map(|language| self.translation(rule, language)).collect()
    }

    fn translation(&mut self, rule: &Fields<'_>, language: &Field<'_>) -> Option<TranslationSource> {
        let lang = Lang::parse(language.key)?;
        if lang == Lang::default() {
            let hint = "write English in title, message, impact, cause, remedy and verify of the rule itself";
            let range = language.key_range.clone();
            self.diagnostics.report(Code::UnknownKey, range, "i18n contains translations from English").hint(hint);
            return None;
        }
        let fields = self.mapping_named(language.value, &format!("i18n.{}", language.key), &TRANSLATION)?;
        if let (Some(field), None) = (fields.get("verify"), rule.get("verify")) {
            self.nothing_to_translate(field, "the rule");
        }
        let remedy = fields.get("remedy").map_or_else(Vec::new, |field| self.translated_remedy(rule, field));
        let name = fields.get("name").and_then(|field| self.rule_name(field));
        Some(TranslationSource { lang, name, texts: self.texts(&fields), remedy })
    }

    fn translated_remedy(&mut self, rule: &Fields<'_>, field: &Field<'_>) -> Vec<TranslatedRemedySource> {
        let own: Vec<Node<'_>> = rule.get("remedy").into_iter().flat_map(|field| field.value.items()).collect();
        let items = self.items(field);
        if let Some(first) = items.get(own.len()) {
            let message = format!("remedy has {} steps here, but {} in the rule", items.len(), own.len());
            let range = self.extent(*first);
            let hint = "translate the steps of the rule in the same order; {} leaves one in English";
            self.diagnostics.report(Code::WrongValue, range, message).hint(hint);
        }
        items.into_iter().zip(own).map(|(item, own)| self.translated_step(item, own).unwrap_or_default()).collect()
    }

    fn translated_step(&mut self, node: Node<'_>, own: Node<'_>) -> Option<TranslatedRemedySource> {
        let mut fields = self.mapping(node, &TRANSLATED_STEP)?;
        for field in fields.take_misplaced(&TRANSLATED_STEP) {
            let message = format!("{} is not translated", field.key);
            let hint = "delete it here: that of the rule's own step is used in every language";
            self.diagnostics.report(Code::UnknownKey, field.key_range.clone(), message).hint(hint);
        }
        if let (Some(field), None) = (fields.get("caution"), own.get("caution")) {
            self.nothing_to_translate(field, "this step of the rule");
        }
        let mut text = |key: &str| fields.get(key).and_then(|field| self.text(field));
        Some(TranslatedRemedySource { action: text("do"), caution: text("caution") })
    }

    fn nothing_to_translate(&mut self, field: &Field<'_>, whose: &str) {
        let message = format!("{whose} has no {} to translate", field.key);
        let hint = "write it in English there, or delete it here";
        self.diagnostics.report(Code::WrongValue, field.key_range.clone(), message).hint(hint);
    }
}
