//! Compiles all rules together. Every file is checked to its end, and all files before anything is returned, so that an
//! author sees all mistakes at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::log::LogQuery;
use crate::rule::check::knowledge::Knowledge;
use crate::rule::check::{lint, remedy, sources};
use crate::rule::compile::compiler::Surroundings;
use crate::rule::compile::explains;
use crate::rule::compile::explains::Draft;
use crate::rule::compile::id::check_id;
use crate::rule::compile::rule::{CompiledRule, compile_rule};
use crate::rule::compiled::{Rule, RuleSet};
use crate::rule::error::{Diagnostics, RuleError, Source, Weight};
use crate::rule::fact::Fact;
use crate::rule::load;
use crate::rule::source::read_rule;
use crate::rule::streams::Streams;

/// Compiles all rules together. Rules that the binary embeds were checked whole by the tests of this program: what a check
/// alone needs of them is left out, and their texts and patterns are compiled when they are first used.
///
/// # Errors
/// Everything that is wrong in any file, warnings included; sorted by file and place.
pub fn compile(sources: Vec<Source>, streams: &Streams) -> Result<RuleSet, Vec<RuleError>> {
    compile_together(
        sources,
        &Surroundings { streams, known: &Knowledge::default(), strict: false, tested: load::embeds },
    )
}

/// Checks all rules whole, also the embedded ones, and warns of what rules read although no object that we know has it.
///
/// # Errors
/// Like [`compile`].
pub fn check(sources: Vec<Source>, streams: &Streams, known: &Knowledge) -> Result<RuleSet, Vec<RuleError>> {
    compile_together(sources, &Surroundings { streams, known, strict: false, tested: |_| false })
}

/// Like [`check`], and also warns of what a rule of a library must have: a name, and a source of each wording and threshold.
///
/// # Errors
/// Like [`compile`].
pub fn check_strictly(sources: Vec<Source>, streams: &Streams, known: &Knowledge) -> Result<RuleSet, Vec<RuleError>> {
    compile_together(sources, &Surroundings { streams, known, strict: true, tested: |_| false })
}

fn compile_together(sources: Vec<Source>, around: &Surroundings<'_>) -> Result<RuleSet, Vec<RuleError>> {
    let (rules, found) = compile_drafts(sources, around);
    if found.iter().any(is_error) { Err(found) } else { Ok(assemble(rules, found)) }
}

/// Compiles the rules that can run although others cannot; also returns the errors of those, sorted by file and place.
pub fn compile_each(sources: Vec<Source>, streams: &Streams) -> (RuleSet, Vec<RuleError>) {
    let (rules, found) = compile_drafts(
        sources,
        &Surroundings { streams, known: &Knowledge::default(), strict: false, tested: load::embeds },
    );
    let (errors, warnings) = found.into_iter().partition(is_error);
    (assemble(rules, warnings), errors)
}

fn is_error(found: &RuleError) -> bool {
    found.code.weight() == Weight::Error
}

/// The rules that can run, and all errors and warnings, sorted by file and place.
fn compile_drafts(sources: Vec<Source>, around: &Surroundings<'_>) -> (Vec<CompiledRule>, Vec<RuleError>) {
    let read = |source: Source| read_draft(source, around.tested);
    let mut loaded: Vec<Draft> = sources.into_par_iter().map(read).collect();
    let ids = explains::ids(&mut loaded);
    explains::check(&mut loaded, &ids);
    if !around.known.is_empty() {
        explains::check_nodes(&mut loaded, &ids);
    }
    let compiled: Vec<_> = loaded.into_par_iter().map(|draft| compile_draft(draft, around, &ids)).collect();
    let mut rules = Vec::new();
    let mut found = Vec::new();
    for (rule, errors) in compiled {
        rules.extend(rule);
        found.extend(errors);
    }
    found.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    (rules, found)
}

fn compile_draft(
    draft: Draft,
    around: &Surroundings<'_>,
    ids: &BTreeMap<String, String>,
) -> (Option<CompiledRule>, Vec<RuleError>) {
    let Draft { mut diagnostics, tested, rule } = draft;
    let compiled = rule.as_ref().and_then(|rule| compile_rule(&mut diagnostics, rule, around, tested, ids));
    if let (Some(source), Some((rule, _)), false) = (&rule, &compiled, around.known.is_empty()) {
        lint::check(&mut diagnostics, source, rule);
        remedy::check(&mut diagnostics, source);
        if around.strict {
            sources::check(&mut diagnostics, source);
        }
    }
    (compiled, diagnostics.into_found())
}

fn read_draft(source: Source, is_tested: fn(&Source) -> bool) -> Draft {
    let tested = is_tested(&source);
    let mut diagnostics = Diagnostics::new(Arc::new(source));
    let rule = read_rule::read_rule(&mut diagnostics, tested);
    if let Some(id) = rule.as_ref().and_then(|rule| rule.id.as_ref()) {
        check_id(&mut diagnostics, id);
    }
    Draft { diagnostics, tested, rule }
}

/// One set of all rules by id, with the log queries of all.
fn assemble(mut compiled: Vec<(Rule, Vec<LogQuery>)>, warnings: Vec<RuleError>) -> RuleSet {
    compiled.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    let mut set = RuleSet { warnings, ..RuleSet::default() };
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
