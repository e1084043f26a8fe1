//! A rule as its author wrote it: keys checked, values located, nothing resolved yet.
//!
//! What could not be read is none or left out and has been reported; the rest goes on to
//! [`super::compile`], so that one run tells everything that is wrong with a file.

use crate::model::{Confidence, PRODUCTS, Severity};
use crate::rule::error::{Code, Diagnostics};
use crate::rule::key_table::{ADJUST, AREAS, EXPLAINS, EXPLAINS_ON, RULE};
use crate::rule::reader::{Field, Fields, Reader, Written};
use crate::rule::source_fact::{FactSource, facts};
use crate::rule::source_text::{StepSource, TextsSource, TranslationSource};
use crate::rule::trap;
use crate::yaml::{Document, Node, Problem};

/// A rule file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSource {
    pub id: Option<Written>,
    pub aliases: Vec<Written>,
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
    pub area: Option<&'static str>,
    /// Product and range.
    pub affects: Vec<(&'static str, Written)>,
    /// Product and versions.
    pub fixed_in: Vec<(&'static str, String)>,
    pub find: Vec<FactSource>,
    pub unless: Vec<FactSource>,
    pub when: Option<Written>,
    pub about: Option<Vec<Written>>,
    pub relate: Vec<Written>,
    pub adjust: Vec<AdjustSource>,
    pub explains: Vec<ExplainsSource>,
    pub texts: TextsSource,
    pub remedy: Vec<StepSource>,
    pub i18n: Vec<TranslationSource>,
    pub links: Vec<Written>,
}

impl RuleSource {
    /// All texts, which are templates, translations included.
    pub fn templates(&self) -> impl Iterator<Item = &Written> {
        let steps = self.remedy.iter().flat_map(|step| [Some(&step.action), step.run.as_ref(), step.caution.as_ref()]);
        let own = self.texts.all().into_iter().chain(steps).flatten();
        own.chain(self.i18n.iter().flat_map(TranslationSource::templates))
    }
}

/// An entry of `adjust`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjustSource {
    pub condition: Written,
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
}

/// An entry of `explains`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainsSource {
    pub rule: Written,
    pub on_node: bool,
    pub within: Option<Written>,
}

impl ExplainsSource {
    /// Just a rule, by common objects.
    fn plain(rule: Written) -> Self {
        Self { rule, on_node: false, within: None }
    }
}

/// Reads a file; none when it is not one YAML mapping.
pub fn read(diagnostics: &mut Diagnostics) -> Option<RuleSource> {
    let (document, problems) = crate::yaml::parse(diagnostics.text().as_bytes().to_vec());
    let expected = "a rule is a mapping that begins with id, title, severity";
    let root = only_root(diagnostics, &document, &problems, "a rule file holds one rule", expected)?;
    Reader { diagnostics }.rule(root)
}

/// The one document of a file; `single` says that there is one, `expected` what an empty file should hold.
pub fn only_root<'d>(
    diagnostics: &mut Diagnostics,
    document: &'d Document,
    problems: &[Problem],
    single: &str,
    expected: &str,
) -> Option<Node<'d>> {
    for problem in problems {
        trap::syntax(diagnostics, problem);
    }
    let roots: Vec<Node<'_>> = document.roots().collect();
    match roots.as_slice() {
        _ if !problems.is_empty() => None,
        [root] if !root.is_null() => Some(*root),
        [_, second, ..] => {
            let range = second.offset()..second.offset() + 1;
            diagnostics.report(Code::Shape, range, single).hint("write one file for each");
            None
        }
        _ => {
            diagnostics.report(Code::Shape, 0..0, format!("the file is empty; {expected}"));
            None
        }
    }
}

impl Reader<'_> {
    fn rule(&mut self, root: Node<'_>) -> Option<RuleSource> {
        let fields = self.mapping(root, &RULE)?;
        let mut rule = RuleSource::default();
        self.identity(&fields, &mut rule);
        rule.texts = self.texts(&fields);
        rule.remedy = self.remedy(&fields);
        rule.i18n = self.i18n(&fields);
        rule.find = fields.get("find").map_or_else(Vec::new, |field| facts(self, field));
        rule.unless = fields.get("unless").map_or_else(Vec::new, |field| facts(self, field));
        rule.when = fields.get("when").and_then(|field| self.condition(field));
        rule.about = fields.get("about").and_then(|field| self.list(field));
        rule.relate = self.optional_list(&fields, "relate");
        rule.adjust = self.adjust(&fields);
        rule.explains = self.explains(&fields);
        Some(rule)
    }

    fn identity(&mut self, fields: &Fields<'_>, rule: &mut RuleSource) {
        rule.id = fields.get("id").and_then(|field| self.text(field));
        rule.aliases = self.optional_list(fields, "aliases");
        rule.severity = fields.get("severity").and_then(|field| self.severity(field));
        rule.confidence = fields.get("confidence").and_then(|field| self.confidence(field));
        rule.area = fields.get("area").and_then(|field| self.choice(field, &AREAS));
        rule.affects = self.products(fields, "affects");
        let fixed = self.products(fields, "fixed_in");
        rule.fixed_in = fixed.into_iter().map(|(product, versions)| (product, versions.text)).collect();
        rule.links = self.optional_list(fields, "links");
    }

    fn severity(&mut self, field: &Field<'_>) -> Option<Severity> {
        Severity::parse(self.choice(field, &Severity::ALL.map(Severity::as_str))?)
    }

    fn confidence(&mut self, field: &Field<'_>) -> Option<Confidence> {
        Confidence::parse(self.choice(field, &Confidence::ALL.map(Confidence::as_str))?)
    }

    fn optional_list(&mut self, fields: &Fields<'_>, key: &str) -> Vec<Written> {
        fields.get(key).and_then(|field| self.list(field)).unwrap_or_default()
    }

    /// A mapping from products to texts.
    fn products(&mut self, fields: &Fields<'_>, key: &str) -> Vec<(&'static str, Written)> {
        let Some(field) = fields.get(key) else { return Vec::new() };
        let Some(products) = self.fields(field.value, key, &PRODUCTS) else { return Vec::new() };
        let read = |product: &Field<'_>| {
            let name = PRODUCTS.iter().find(|name| **name == product.key)?;
            Some((*name, self.scalar(product)?))
        };
        products.iter().filter_map(read).collect()
    }

    /// An expression, which may look like any scalar.
    pub fn condition(&mut self, field: &Field<'_>) -> Option<Written> {
        if field.value.kind().is_scalar() {
            return self.scalar(field);
        }
        let message = format!("{} must be one expression", field.key);
        let hint = "join conditions with && and put an expression that begins with [ or { in double quotes";
        let range = self.extent(field.value);
        self.diagnostics.report(Code::WrongType, range, message).hint(hint);
        None
    }

    fn adjust(&mut self, fields: &Fields<'_>) -> Vec<AdjustSource> {
        let items = fields.get("adjust").map_or_else(Vec::new, |field| self.items(field));
        items.into_iter().filter_map(|item| self.adjustment(item)).collect()
    }

    fn adjustment(&mut self, node: Node<'_>) -> Option<AdjustSource> {
        let fields = self.mapping(node, &ADJUST)?;
        let severity = fields.get("severity").and_then(|field| self.severity(field));
        let confidence = fields.get("confidence").and_then(|field| self.confidence(field));
        if fields.get("severity").is_none() && fields.get("confidence").is_none() {
            let message = format!("{} needs the key \"severity\" or \"confidence\"", ADJUST.what);
            self.diagnostics.report(Code::MissingKey, fields.start.clone(), message);
        }
        Some(AdjustSource { condition: self.condition(fields.get("if")?)?, severity, confidence })
    }

    fn explains(&mut self, fields: &Fields<'_>) -> Vec<ExplainsSource> {
        let Some(field) = fields.get("explains") else { return Vec::new() };
        if field.value.kind().is_scalar() {
            return self.scalar(field).map(ExplainsSource::plain).into_iter().collect();
        }
        let items: Vec<Node<'_>> = self.items(field);
        items.into_iter().filter_map(|item| self.explained(item)).collect()
    }

    fn explained(&mut self, node: Node<'_>) -> Option<ExplainsSource> {
        if node.kind().is_scalar() {
            return self.item(node, EXPLAINS.what).map(ExplainsSource::plain);
        }
        let fields = self.mapping(node, &EXPLAINS)?;
        let on_node = fields.get("on").and_then(|field| self.choice(field, &EXPLAINS_ON)).is_some();
        let within = fields.get("within").and_then(|field| self.scalar(field));
        Some(ExplainsSource { rule: self.scalar(fields.get("rule")?)?, on_node, within })
    }

    /// The items of a list that must not be empty.
    pub fn items<'a>(&mut self, field: &Field<'a>) -> Vec<Node<'a>> {
        let items: Vec<Node<'a>> = field.value.items().collect();
        if items.is_empty() {
            let message = format!("{} must be a list with at least one entry", field.key);
            self.diagnostics
                .report(Code::WrongType, field.key_range.clone(), message)
                .hint("begin each entry with \"- \"");
        }
        items
    }
}
