//! Reads a rule file.

use crate::model::{ComponentKind, Confidence, FindingClass, PRODUCTS, Severity};
use crate::rule::error::{Code, Diagnostics};
use crate::rule::source::document::only_root;
use crate::rule::source::key_table::{ADJUST, AREAS, COMPONENT, EXPLAINS, EXPLAINS_ON, RULE, component_kinds};
use crate::rule::source::read_fact::facts;
use crate::rule::source::reader::{Field, FieldReader, Fields, Written};
use crate::rule::source::rule::{AdjustSource, ComponentSource, ExplainsSource, RuleSource};
use crate::yaml::Node;

/// Reads a file; none when it is not one YAML mapping. `tested` as in [`FieldReader`].
pub fn read_rule(diagnostics: &mut Diagnostics, tested: bool) -> Option<RuleSource> {
    let (document, problems) = crate::yaml::parse(diagnostics.text().as_bytes().to_vec());
    let expected = "a rule is a mapping that begins with id, title, severity";
    let root = only_root(diagnostics, &document, &problems, "a rule file holds one rule", expected)?;
    FieldReader { diagnostics, tested }.rule(root)
}

impl FieldReader<'_> {
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
        rule.breaks = self.components(&fields, "breaks");
        rule.needs = self.components(&fields, "needs");
        rule.basis = self.basis(&fields, &rule.fact_names());
        Some(rule)
    }

    fn identity(&mut self, fields: &Fields<'_>, rule: &mut RuleSource) {
        rule.id = fields.get("id").and_then(|field| self.text(field));
        rule.aliases = self.optional_list(fields, "aliases");
        rule.name = fields.get("name").and_then(|field| self.rule_name(field));
        rule.class = fields.get("class").and_then(|field| self.class(field));
        rule.severity = fields.get("severity").and_then(|field| self.severity(field));
        rule.confidence = fields.get("confidence").and_then(|field| self.confidence(field));
        rule.area = fields.get("area").and_then(|field| self.choice(field, &AREAS));
        rule.affects = self.products(fields, "affects");
        let fixed = self.products(fields, "fixed_in");
        rule.fixed_in = fixed.into_iter().map(|(product, versions)| (product, versions.text)).collect();
        rule.links = self.optional_list(fields, "links");
    }

    fn class(&mut self, field: &Field<'_>) -> Option<FindingClass> {
        FindingClass::parse(self.choice(field, &FindingClass::ALL.map(FindingClass::as_str))?)
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
        let condition = fields.get("if").and_then(|field| self.condition(field));
        Some(ExplainsSource { rule: self.scalar(fields.get("rule")?)?, on_node, within, condition })
    }

    fn components(&mut self, fields: &Fields<'_>, key: &str) -> Vec<ComponentSource> {
        let Some(field) = fields.get(key) else { return Vec::new() };
        if field.value.kind().is_scalar() {
            let word = self.scalar(field);
            return word.and_then(|word| self.component(key, &word)).map(ComponentSource::plain).into_iter().collect();
        }
        let items: Vec<Node<'_>> = self.items(field);
        items.into_iter().filter_map(|item| self.component_entry(key, item)).collect()
    }

    fn component_entry(&mut self, key: &str, node: Node<'_>) -> Option<ComponentSource> {
        if node.kind().is_scalar() {
            let word = self.item(node, COMPONENT.what)?;
            return self.component(key, &word).map(ComponentSource::plain);
        }
        let fields = self.mapping(node, &COMPONENT)?;
        let of = fields.get("of").and_then(|field| self.condition(field));
        let condition = fields.get("if").and_then(|field| self.condition(field));
        let word = self.scalar(fields.get("component")?)?;
        Some(ComponentSource { of, condition, ..ComponentSource::plain(self.component("component", &word)?) })
    }

    fn component(&mut self, key: &str, word: &Written) -> Option<ComponentKind> {
        self.word_of(key, word, &component_kinds()).and_then(ComponentKind::parse)
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
