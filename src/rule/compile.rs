//! From rule files to a [`RuleSet`], or everything that is wrong with them.
//!
//! Every file is checked to its end, and all files before anything is returned, so that an
//! author sees all mistakes at once. One rule is compiled by a [`Compiler`]; its facts by
//! [`super::compile_fact`].

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::expr::{ErrorKind, Expr, ExprError, Scope, Slot};
use crate::log::LogQuery;
use crate::model::Lang;
use crate::model::version::Range;
use crate::rule::doubts::Understood;
use crate::rule::error::{Code, Diagnostics, RuleError, Source, Weight};
use crate::rule::explains::{self, Draft};
use crate::rule::known::Knowledge;
use crate::rule::reader::Written;
use crate::rule::source::{self, RuleSource};
use crate::rule::source_fact::{FactSource, KindSource};
use crate::rule::streams::Streams;
use crate::rule::text::Template;
use crate::rule::{Adjust, Affects, Explains, Fact, Rule, RuleSet, Texts, doubts, lint, load, names, scan, trap};

/// Compiles all rules together. Rules that the binary embeds were checked whole by the tests of this program: what a check
/// alone needs of them is left out, and their texts and patterns are compiled when they are first used.
///
/// # Errors
/// Everything that is wrong in any file, warnings included; sorted by file and place.
pub fn compile(sources: Vec<Source>, streams: &Streams) -> Result<RuleSet, Vec<RuleError>> {
    together(sources, &Surroundings { streams, known: &Knowledge::default(), tested: load::embeds })
}

/// Checks all rules whole, also the embedded ones, and warns of what rules read although no object that we know has it.
///
/// # Errors
/// As [`compile`].
pub fn check(sources: Vec<Source>, streams: &Streams, known: &Knowledge) -> Result<RuleSet, Vec<RuleError>> {
    together(sources, &Surroundings { streams, known, tested: |_| false })
}

/// What all rules are compiled with.
struct Surroundings<'c> {
    streams: &'c Streams,
    known: &'c Knowledge,
    /// Whether a rule file is known to be right.
    tested: fn(&Source) -> bool,
}

fn together(sources: Vec<Source>, around: &Surroundings<'_>) -> Result<RuleSet, Vec<RuleError>> {
    let mut loaded: Vec<Draft> = sources.into_par_iter().map(read).collect();
    let ids = explains::ids(&mut loaded);
    explains::check(&mut loaded, &ids);
    let compiled: Vec<_> = loaded.into_par_iter().map(|draft| one(draft, around, &ids)).collect();
    let mut rules = Vec::new();
    let mut found = Vec::new();
    for (rule, errors) in compiled {
        rules.extend(rule);
        found.extend(errors);
    }
    found.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    if found.iter().any(|error| error.code.weight() == Weight::Error) {
        return Err(found);
    }
    Ok(assemble(rules, found))
}

/// A rule with the log queries of its facts, numbered among themselves.
type Compiled = (Rule, Vec<LogQuery>);

fn one(draft: Draft, around: &Surroundings<'_>, ids: &BTreeMap<String, String>) -> (Option<Compiled>, Vec<RuleError>) {
    let Draft { mut diagnostics, rule } = draft;
    let compiled = rule.as_ref().and_then(|rule| Compiler::rule(&mut diagnostics, rule, around, ids));
    if let (Some(source), Some((rule, _)), false) = (&rule, &compiled, around.known.is_empty()) {
        lint::check(&mut diagnostics, source, rule);
    }
    (compiled, diagnostics.into_found())
}

fn read(source: Source) -> Draft {
    let mut diagnostics = Diagnostics::new(Arc::new(source));
    let rule = source::read(&mut diagnostics);
    if let Some(id) = rule.as_ref().and_then(|rule| rule.id.as_ref()) {
        check_id(&mut diagnostics, id);
    }
    Draft { diagnostics, rule }
}

/// The id is kebab-case and the name of the file.
fn check_id(diagnostics: &mut Diagnostics, id: &Written) {
    let stem = diagnostics.stem().to_owned();
    if !is_kebab(&id.text) {
        diagnostics.report(Code::Id, id.range.clone(), not_kebab(&id.text)).hint(KEBAB);
    } else if id.text != stem {
        let message = format!("id \"{}\" is not the name of its file", id.text);
        let hint = format!("rename the file to {}.yaml, or write id: {stem}", id.text);
        diagnostics.report(Code::Id, id.range.clone(), message).hint(hint);
    }
}

/// How an id is written.
const KEBAB: &str = "use lower-case letters, digits and single dashes, such as volume-without-replica";

fn not_kebab(id: &str) -> String {
    format!("id \"{id}\" is not kebab-case")
}

/// What is wrong with an id, and how it is written.
pub fn id_mistake(id: &str) -> Option<String> {
    (!is_kebab(id)).then(|| format!("{}; {KEBAB}", not_kebab(id)))
}

fn is_kebab(id: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    id.split('-').all(part)
}

/// One set of all rules by id, with the log queries of all.
fn assemble(mut compiled: Vec<(Rule, Vec<LogQuery>)>, warnings: Vec<RuleError>) -> RuleSet {
    compiled.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    let mut set = RuleSet { rules: Vec::new(), queries: Vec::new(), warnings };
    for (mut rule, queries) in compiled {
        let base = set.queries.len();
        for kind in rule.facts.iter_mut().flat_map(Fact::kinds_mut) {
            kind.logs_mut().into_iter().for_each(|log| log.query += base);
        }
        set.queries.extend(queries);
        set.rules.push(rule);
    }
    set
}

/// Compiles one rule.
pub struct Compiler<'c> {
    pub diagnostics: &'c mut Diagnostics,
    pub streams: &'c Streams,
    /// What objects are known to have.
    pub known: &'c Knowledge,
    /// Whether the file is known to be right.
    pub tested: bool,
    pub source: &'c RuleSource,
    /// Names by slot: facts of `find`, then of `unless`.
    pub names: Vec<String>,
    /// How many of them belong to `find`.
    pub find: usize,
    pub queries: Vec<LogQuery>,
    /// All expressions, also those with errors, for the checks that need all facts.
    pub understood: Vec<Understood>,
}

impl<'c> Compiler<'c> {
    fn rule(
        diagnostics: &'c mut Diagnostics,
        source: &'c RuleSource,
        around: &Surroundings<'c>,
        ids: &BTreeMap<String, String>,
    ) -> Option<Compiled> {
        let facts: Vec<&FactSource> = source.find.iter().chain(&source.unless).collect();
        let names = names::bind(diagnostics, &facts);
        let find = source.find.len();
        let (queries, understood) = (Vec::new(), Vec::new());
        let tested = (around.tested)(diagnostics.source());
        let Surroundings { streams, known, .. } = *around;
        let mut compiler = Self { diagnostics, streams, known, tested, source, names, find, queries, understood };
        let compiled: Vec<Option<Fact>> =
            facts.iter().enumerate().map(|(slot, fact)| compiler.fact(slot, fact)).collect();
        let mentions: Vec<Vec<Slot>> =
            compiled.iter().enumerate().map(|(slot, fact)| mentions(slot, fact.as_ref())).collect();
        compiler.check_cycles(&facts, &compiled, &mentions);
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

    /// What is right by the language and yet cannot be meant.
    fn check_sense(&mut self, rest: Option<&Rest>, facts: &[&FactSource], compiled: &[Option<Fact>]) {
        doubts::check(self, facts);
        // What is broken may be the use.
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

    /// What follows the facts.
    fn rest(&mut self, ids: &BTreeMap<String, String>) -> Option<Rest> {
        let source = self.source;
        let when = source.when.as_ref().and_then(|when| self.outside(when)).map_or_else(Vec::new, Expr::conjuncts);
        let relate = source.relate.iter().filter_map(|written| self.outside(written)).collect();
        let adjust = source.adjust.iter().filter_map(|adjust| {
            let condition = self.outside(&adjust.condition)?;
            Some(Adjust { condition, severity: adjust.severity, confidence: adjust.confidence })
        });
        let adjust = adjust.collect();
        let affects = source.affects.iter().filter_map(|(product, range)| self.affects(product, range)).collect();
        self.check_links();
        let texts = self.texts();
        let explains = source.explains.iter().filter_map(|explained| {
            let within = self.duration(explained.within.as_ref())?;
            Some(Explains { rule: ids.get(&explained.rule.text)?.clone(), on_node: explained.on_node, within })
        });
        let explains = explains.collect();
        let (texts, translations) = texts?;
        Some(Rest { when, relate, adjust, affects, explains, texts, translations })
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
                let message = format!("\"{}\" is no link; it must begin with https:// or http://", link.text);
                self.diagnostics.report(Code::WrongValue, link.range.clone(), message);
            }
        }
    }

    /// An expression outside the facts, which sees those of `find`.
    pub fn outside(&mut self, written: &Written) -> Option<Expr> {
        self.expr(written, self.find, None)
    }

    /// An expression that sees the first `visible` names.
    pub fn expr(&mut self, written: &Written, visible: usize, this: Option<Slot>) -> Option<Expr> {
        let scope = Scope { names: self.names.get(..visible).unwrap_or_default(), this };
        let (expr, errors) = Expr::attempt(&written.text, scope);
        if !self.tested {
            let understood = expr.clone().map(|expr| Understood { written: written.clone(), expr, this });
            self.understood.extend(understood);
            let too_large = expr.iter().flat_map(Expr::patterns).find_map(|pattern| pattern.regex().err());
            too_large.into_iter().for_each(|message| {
                self.diagnostics.report(Code::Expression, written.range.clone(), message);
            });
        }
        let good = errors.is_empty();
        for error in errors {
            self.expression_error(written, visible, error);
        }
        expr.filter(|_| good)
    }

    pub fn expression_error(&mut self, written: &Written, visible: usize, error: ExprError) {
        let start = error.range.start;
        let range = written.part(self.diagnostics.text(), error.range);
        let comment = trap::comment(self.diagnostics.text(), written.range.clone());
        let unbound = matches!(error.kind, ErrorKind::Unbound(_));
        let key = unbound.then(|| scan::key_with_sign(&written.text, start)).flatten();
        let key = key.map(|key| format!("a name with - or / stands in brackets: ['{key}']"));
        let comment = comment.map(str::to_owned);
        let hint = comment.or_else(|| self.hidden(visible, &error.kind)).or(key).or(error.hint);
        self.report_inner(Code::Expression, &error.kind, range, &error.message, hint);
    }

    /// Reports what an expression or template says of itself, in the form of all messages.
    pub fn report_inner(
        &mut self,
        code: Code,
        kind: &ErrorKind,
        range: std::ops::Range<usize>,
        message: &str,
        hint: Option<String>,
    ) {
        let code = match kind {
            ErrorKind::Unbound(_) => Code::UnboundName,
            ErrorKind::Wrong => code,
        };
        let quoted = |text: &str| text.replace('`', "\"");
        match hint {
            Some(hint) if hint.starts_with("did you mean") => {
                self.diagnostics.report(code, range, format!("{}; {}", quoted(message), quoted(&hint)));
            }
            Some(hint) => self.diagnostics.report(code, range, quoted(message)).hint(quoted(&hint)),
            None => {
                self.diagnostics.report(code, range, quoted(message));
            }
        }
    }

    /// Why a name is not known although a fact has it.
    pub fn hidden(&self, visible: usize, kind: &ErrorKind) -> Option<String> {
        let ErrorKind::Unbound(name) = kind else { return None };
        let slot = self.names.iter().position(|known| known == name)?;
        (slot >= visible)
            .then(|| format!("\"{name}\" is a fact of unless: it must not be found, so nothing outside can use it"))
    }

    /// A value of `find` that nobody mentions is a mistake; other facts are evidence.
    fn check_used(&mut self, rest: Option<&Rest>, facts: &[&FactSource], compiled: &[Option<Fact>]) {
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

    /// What a finding is about: as written, else every fact that is neither optional, collected nor a value.
    fn about(&mut self, facts: &[Fact]) -> Option<Vec<Slot>> {
        let Some(written) = &self.source.about else {
            let plain = |fact: &Fact| !fact.optional && !fact.collect && !fact.is_value();
            return Some((0..self.find).filter(|slot| facts.get(*slot).is_some_and(plain)).collect());
        };
        let slots: Vec<Option<Slot>> =
            written.iter().map(|name| self.names.iter().position(|n| *n == name.text)).collect();
        slots.into_iter().collect()
    }

    fn finish(self, rest: Rest, facts: Vec<Fact>, unless: Vec<Vec<Slot>>, about: Vec<Slot>) -> Option<Rule> {
        let source = self.source;
        let text = |written: &Written| written.text.clone();
        Some(Rule {
            id: text(source.id.as_ref()?),
            aliases: source.aliases.iter().map(text).collect(),
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
            texts: rest.texts,
            translations: rest.translations,
            links: source.links.iter().map(text).collect(),
            file: self.diagnostics.file().to_owned(),
        })
    }
}

/// The compiled parts of a rule that are no facts.
struct Rest {
    when: Vec<Expr>,
    relate: Vec<Expr>,
    adjust: Vec<Adjust>,
    affects: Vec<Affects>,
    explains: Vec<Explains>,
    texts: Texts,
    translations: Vec<(Lang, Texts)>,
}

impl Rest {
    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let steps = self.texts.remedy.iter().filter_map(|step| step.condition.as_ref());
        self.when.iter().chain(&self.relate).chain(self.adjust.iter().map(|adjust| &adjust.condition)).chain(steps)
    }

    fn templates(&self) -> impl Iterator<Item = &Template> {
        let translated = self.translations.iter().map(|(_, texts)| texts);
        std::iter::once(&self.texts).chain(translated).flat_map(Texts::templates)
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
