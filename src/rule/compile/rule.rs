//! Compiles one rule: its facts, and everything that follows them.

use std::collections::BTreeMap;

use crate::expr::{Conjuncts, Expr, Slot};
use crate::log::LogQuery;
use crate::model::version::Range;
use crate::rule::check::type_check;
use crate::rule::compile::compiler::Compiler;
use crate::rule::compile::compiler::Surroundings;
use crate::rule::compile::names;
use crate::rule::compiled::{Adjust, Affects, Explains, Rule, RuleTexts, StatedComponent};
use crate::rule::error::{Code, Diagnostics};
use crate::rule::fact::Fact;
use crate::rule::source::fact::{FactSource, KindSource};
use crate::rule::source::reader::Written;
use crate::rule::source::rule::{ComponentSource, RuleSource};
use crate::rule::text::Template;

/// A rule with the log queries of its facts, numbered among themselves.
pub type CompiledRule = (Rule, Vec<LogQuery>);

/// Compiles one rule.
pub fn compile_rule<'c>(
    diagnostics: &'c mut Diagnostics,
    source: &'c RuleSource,
    around: &Surroundings<'c>,
    tested: bool,
    ids: &BTreeMap<String, String>,
) -> Option<CompiledRule> {
    let facts: Vec<&FactSource> = source.find.iter().chain(&source.unless).collect();
    let names = names::bind(diagnostics, &facts).into();
    let find = source.find.len();
    let (queries, understood) = (Vec::new(), Vec::new());
    let Surroundings { streams, known, .. } = *around;
    let mut compiler = Compiler { diagnostics, streams, known, tested, source, names, find, queries, understood };
    let compiled: Vec<Option<Fact>> = facts.iter().enumerate().map(|(slot, fact)| compiler.fact(slot, fact)).collect();
    // Of a tested rule, those of `unless` are needed alone; the others would have all its expressions parsed.
    let asked = |slot: Slot| !tested || slot >= find;
    let mentions: Vec<Vec<Slot>> =
        compiled.iter().enumerate().map(|(slot, fact)| mentions(slot, fact.as_ref().filter(|_| asked(slot)))).collect();
    if !tested {
        compiler.check_cycles(&facts, &compiled, &mentions);
    }
    let rest = compiler.rest(ids);
    if !tested {
        compiler.check_sense(rest.as_ref(), &facts, &compiled);
    }
    if compiler.diagnostics.failed() {
        return None;
    }
    let unless = names::groups(compiler.find, &mentions);
    let queries = std::mem::take(&mut compiler.queries);
    let facts: Vec<Fact> = compiled.into_iter().collect::<Option<_>>()?;
    let about = compiler.about(&facts)?;
    Some((compiler.finish(rest?, facts, unless, about)?, queries))
}

impl Compiler<'_> {
    /// Checks for expressions that are valid and cannot be meant.
    fn check_sense(&mut self, rest: Option<&RuleRest>, facts: &[&FactSource], compiled: &[Option<Fact>]) {
        type_check::check(self, facts);
        // The broken part may be the one that uses it.
        if !self.diagnostics.failed() {
            self.check_used(rest, facts, compiled);
        }
    }

    /// Facts that an `each`, a value, an alternative, an optional or a collected fact needs first must not need it in
    /// turn.
    fn check_cycles(&mut self, facts: &[&FactSource], compiled: &[Option<Fact>], mentions: &[Vec<Slot>]) {
        let needs = |(slot, fact): (Slot, &Option<Fact>)| {
            let Some(fact) = fact else { return Vec::new() };
            let mut needed: Vec<Slot> = fact.expressions().flat_map(|expr| expr.slots()).copied().collect();
            if fact.optional || fact.collect {
                needed.extend(&mentions[slot]);
            }
            let own = fact.alternatives.iter().flat_map(|alternative| &alternative.conditions);
            needed.extend(own.flat_map(|condition| condition.slots()).filter(|other| **other != slot));
            needed
        };
        let needs: Vec<Vec<Slot>> = compiled.iter().enumerate().map(needs).collect();
        names::cycles(self.diagnostics, facts, &needs);
    }

    /// Compiles everything but the facts.
    fn rest(&mut self, ids: &BTreeMap<String, String>) -> Option<RuleRest> {
        let source = self.source;
        let when = source.when.as_ref().and_then(|when| self.conjuncts(when, self.find, None)).unwrap_or_default();
        let relate = source.relate.iter().filter_map(|written| self.outside(written)).collect();
        let adjust = source.adjust.iter().filter_map(|adjust| {
            let condition = self.condition_outside(&adjust.condition)?;
            Some(Adjust { condition, severity: adjust.severity, confidence: adjust.confidence })
        });
        let adjust = adjust.collect();
        let breaks = source.breaks.iter().filter_map(|entry| self.component(entry)).collect();
        let needs = source.needs.iter().filter_map(|entry| self.component(entry)).collect();
        let affects = source.affects.iter().filter_map(|(product, range)| self.affects(product, range)).collect();
        self.check_links();
        let texts = self.texts();
        let explains = source.explains.iter().filter_map(|explained| {
            let within = self.duration(explained.within.as_ref())?;
            let condition = self.optional_condition(explained.condition.as_ref())?;
            let rule = ids.get(&explained.rule.text)?.clone();
            Some(Explains { rule, on_node: explained.on_node, within, condition })
        });
        let explains = explains.collect();
        Some(RuleRest { when, relate, adjust, affects, explains, breaks, needs, texts: texts? })
    }

    /// An entry of `breaks` or `needs`; none if one of its expressions is wrong.
    fn component(&mut self, source: &ComponentSource) -> Option<StatedComponent> {
        let of = source.of.as_ref().map_or(Some(None), |written| self.outside(written).map(Some));
        let condition = self.optional_condition(source.condition.as_ref());
        Some(StatedComponent { kind: source.kind, of: of?, condition: condition? })
    }

    /// A condition that may be left out; none if it is wrong.
    fn optional_condition(&mut self, written: Option<&Written>) -> Option<Option<Expr>> {
        written.map_or(Some(None), |written| self.condition_outside(written).map(Some))
    }

    fn affects(&mut self, product: &str, written: &Written) -> Option<Affects> {
        match Range::parse(&written.text) {
            Ok(range) => Some(Affects { product: product.to_owned(), range }),
            Err(message) => {
                self.diagnostics.report(Code::VersionRange, written.range.clone(), message);
                None
            }
        }
    }

    fn check_links(&mut self) {
        for link in &self.source.links {
            let rest = link.text.strip_prefix("https://").or_else(|| link.text.strip_prefix("http://"));
            if rest.is_none_or(|rest| rest.is_empty() || rest.contains(char::is_whitespace)) {
                let message = format!("\"{}\" is not a link; it must begin with https:// or http://", link.text);
                self.diagnostics.report(Code::WrongValue, link.range.clone(), message);
            }
        }
    }

    /// A value of `find` that is never mentioned is a mistake; other facts are evidence.
    fn check_used(&mut self, rest: Option<&RuleRest>, facts: &[&FactSource], compiled: &[Option<Fact>]) {
        let Some(rest) = rest else { return };
        let mentioned = |slot: Slot, name: &str| {
            let elsewhere =
                |(other, fact): (Slot, &Option<Fact>)| other != slot && mentions(other, fact.as_ref()).contains(&slot);
            compiled.iter().enumerate().any(elsewhere)
                || rest.expressions().any(|expr| expr.slots().contains(&slot))
                || rest
                    .templates()
                    .any(|template| template.mentions(&self.names).iter().any(|mentioned| mentioned == name))
                || self.source.about.iter().flatten().any(|about| about.text == name)
        };
        let unused: Vec<&&FactSource> = facts
            .iter()
            .enumerate()
            .take(self.find)
            .filter(|(slot, fact)| matches!(fact.kind, Some(KindSource::Value(_))) && !mentioned(*slot, &fact.name))
            .map(|(_, fact)| fact)
            .collect();
        for fact in unused {
            let message = format!("value \"{}\" is never used", fact.name);
            let hint = "use it in when, in a where or in a text, or delete it";
            self.diagnostics.report(Code::UnusedValue, fact.range.clone(), message).hint(hint);
        }
    }

    /// Returns the facts that a finding is about: as written, else every fact that is neither optional, collected nor a value.
    fn about(&mut self, facts: &[Fact]) -> Option<Vec<Slot>> {
        let Some(written) = &self.source.about else {
            let plain = |fact: &Fact| !fact.optional && !fact.collect && !fact.is_value();
            return Some((0..self.find).filter(|slot| facts.get(*slot).is_some_and(plain)).collect());
        };
        let slots: Vec<Option<Slot>> =
            written.iter().map(|name| self.names.iter().position(|n| *n == name.text)).collect();
        slots.into_iter().collect()
    }

    fn finish(self, rest: RuleRest, facts: Vec<Fact>, unless: Vec<Vec<Slot>>, about: Vec<Slot>) -> Option<Rule> {
        let source = self.source;
        let text = |written: &Written| written.text.clone();
        Some(Rule {
            id: text(source.id.as_ref()?),
            aliases: source.aliases.iter().map(text).collect(),
            class: source.class.unwrap_or_default(),
            severity: source.severity?,
            confidence: source.confidence?,
            area: source.area?.to_owned(),
            affects: rest.affects,
            fixed_in: source
                .fixed_in
                .iter()
                .map(|(product, versions)| ((*product).to_owned(), versions.clone()))
                .collect(),
            names: self.names,
            facts,
            find: self.find,
            unless,
            when: rest.when,
            about,
            relate: rest.relate,
            adjust: rest.adjust,
            explains: rest.explains,
            breaks: rest.breaks,
            needs: rest.needs,
            texts: rest.texts,
            basis: source.basis.clone(),
            links: source.links.iter().map(text).collect(),
            file: self.diagnostics.file().to_owned(),
        })
    }
}

/// The compiled parts of a rule that are no facts.
struct RuleRest {
    when: Conjuncts,
    relate: Vec<Expr>,
    adjust: Vec<Adjust>,
    affects: Vec<Affects>,
    explains: Vec<Explains>,
    breaks: Vec<StatedComponent>,
    needs: Vec<StatedComponent>,
    texts: RuleTexts,
}

impl RuleRest {
    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let steps = self.texts.own().remedy.iter().filter_map(|step| step.condition.as_ref());
        let components = self.breaks.iter().chain(&self.needs);
        let of_components = components.flat_map(|component| component.of.iter().chain(&component.condition));
        let adjust = self.adjust.iter().map(|adjust| &adjust.condition);
        let explains = self.explains.iter().filter_map(|entry| entry.condition.as_ref());
        self.when.iter().chain(&self.relate).chain(adjust).chain(explains).chain(of_components).chain(steps)
    }

    fn templates(&self) -> impl Iterator<Item = &Template> {
        self.texts.all().templates()
    }
}

/// The other facts that a fact mentions.
fn mentions(slot: Slot, fact: Option<&Fact>) -> Vec<Slot> {
    let Some(fact) = fact else { return Vec::new() };
    let all = fact.all_conditions().chain(fact.expressions()).flat_map(|expr| expr.slots());
    let mut found: Vec<Slot> = all.copied().filter(|other| *other != slot).collect();
    found.sort_unstable();
    found.dedup();
    found
}
