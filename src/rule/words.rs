//! Checks what expressions and texts read of groups: that the field is there, and that captured
//! texts are not compared as numbers.

use std::ops::Range;

use crate::expr::Slot;
use crate::rule::compile::Compiler;
use crate::rule::compile_group::{EVENT_FIELDS, HIT_FIELDS};
use crate::rule::compile_sequence::SEQUENCE_FIELDS;
use crate::rule::error::{Code, did_you_mean};
use crate::rule::reader::Written;
use crate::rule::scan::{self, Word};
use crate::rule::source_fact::{FactSource, KindSource};
use crate::rule::source_sequence::SequenceSource;

/// What files have.
const FILE_FIELDS: [&str; 4] = ["path", "node", "text", "data"];

/// The fields that a fact's binding has, where they can be told.
#[derive(Clone, Debug, Default)]
struct Shape {
    fields: Vec<&'static str>,
    captures: Vec<String>,
    /// Steps of a sequence.
    steps: Vec<(String, Shape)>,
}

/// Checks every expression and text of a rule.
pub fn check(compiler: &mut Compiler<'_>, facts: &[&FactSource]) {
    let shapes: Vec<Option<Shape>> = facts.iter().map(|fact| shape(fact)).collect();
    let source = compiler.source;
    for (slot, fact) in facts.iter().enumerate() {
        let own = fact.condition.iter().map(|written| (written, Some(slot)));
        let expression = match &fact.kind {
            Some(KindSource::Each(written) | KindSource::Value(written)) => Some((written, None)),
            _ => None,
        };
        for (written, this) in own.chain(expression) {
            let code = scan::expression_code(&written.text);
            one(compiler, facts, &shapes, written, &code, this);
        }
    }
    for fact in facts {
        if let Some(KindSource::Sequence(sequence)) = &fact.kind {
            steps(compiler, sequence);
        }
    }
    let steps = source.remedy.iter().filter_map(|step| step.condition.as_ref());
    let adjust = source.adjust.iter().map(|adjust| &adjust.condition);
    for written in source.when.iter().chain(&source.relate).chain(adjust).chain(steps) {
        one(compiler, facts, &shapes, written, &scan::expression_code(&written.text), None);
    }
    let texts = [&source.title, &source.message, &source.impact, &source.cause, &source.verify].into_iter().flatten();
    let steps = source.remedy.iter().flat_map(|step| [Some(&step.action), step.run.as_ref(), step.caution.as_ref()]);
    for written in texts.chain(steps.flatten()) {
        one(compiler, facts, &shapes, written, &scan::template_code(&written.text), None);
    }
    about(compiler);
}

/// Checks the conditions between the steps of a sequence.
fn steps(compiler: &mut Compiler<'_>, sequence: &SequenceSource) {
    let facts: Vec<&FactSource> = sequence.steps.iter().map(|step| &step.fact).collect();
    let shapes: Vec<Option<Shape>> = facts.iter().map(|fact| shape(fact)).collect();
    for (slot, fact) in facts.iter().enumerate() {
        if let Some(written) = &fact.condition {
            one(compiler, &facts, &shapes, written, &scan::expression_code(&written.text), Some(slot));
        }
    }
}

fn shape(fact: &FactSource) -> Option<Shape> {
    let fields = match fact.kind.as_ref()? {
        KindSource::Log(_) => HIT_FIELDS.to_vec(),
        KindSource::Event(_) => EVENT_FIELDS.to_vec(),
        KindSource::File { .. } => FILE_FIELDS.to_vec(),
        KindSource::Sequence(sequence) => {
            let present = sequence.steps.iter().filter(|step| step.absent.is_none());
            let steps = present.map(|step| Some((step.fact.name.clone(), shape(&step.fact)?)));
            let steps = steps.collect::<Option<_>>()?;
            return Some(Shape { fields: SEQUENCE_FIELDS.to_vec(), captures: Vec::new(), steps });
        }
        _ => return None,
    };
    let patterns: Result<Vec<Vec<String>>, String> =
        fact.groups.patterns.iter().map(|written| crate::log::validate(&written.text)).collect();
    Some(Shape { fields, captures: patterns.ok()?.concat(), steps: Vec::new() })
}

/// Checks one text; `this` is the slot that `self` stands for.
fn one(
    compiler: &mut Compiler<'_>,
    facts: &[&FactSource],
    shapes: &[Option<Shape>],
    written: &Written,
    code: &str,
    this: Option<Slot>,
) {
    let words = scan::words(code);
    let variables = scan::variables(&words);
    for word in &words {
        let found = match (word.name, this) {
            ("self", Some(slot)) => Some(slot),
            (name, _) if variables.contains(&name) => None,
            (name, _) => facts.iter().position(|fact| fact.name == name),
        };
        let Some((slot, fact)) = found.and_then(|slot| Some((slot, *facts.get(slot)?))) else { continue };
        if fact.collect && word.name != "self" {
            candidate(compiler, written, word, this == Some(slot));
            continue;
        }
        let Some(Some(shape)) = shapes.get(slot) else { continue };
        if let Some(field) = scan::field(code, word.range.end) {
            read(compiler, shape, written, code, word, &field);
        }
    }
}

/// Inside its own `where` the name of a collected fact would mean the list that is being made.
fn candidate(compiler: &mut Compiler<'_>, written: &Written, word: &Word<'_>, own: bool) {
    if own {
        let message =
            format!("\"{}\" is collected: it means the list of all matches, which is not there yet", word.name);
        let range = written.part(compiler.diagnostics.text(), word.range.clone());
        compiler
            .diagnostics
            .report(Code::UnboundName, range, message)
            .hint("write self for the one that is being tested");
    }
}

fn read(compiler: &mut Compiler<'_>, shape: &Shape, written: &Written, code: &str, word: &Word<'_>, field: &Word<'_>) {
    let place = |range: Range<usize>, compiler: &Compiler<'_>| written.part(compiler.diagnostics.text(), range);
    if shape.captures.iter().any(|capture| capture == field.name) {
        if scan::is_ordered(code, &field.range, word.range.start) {
            let message = format!("{}.{} is captured text; as text 9 comes after 10", word.name, field.name);
            let range = place(word.range.start..field.range.end, compiler);
            let hint = format!("write int({}.{}), or double(...), or quantity(...)", word.name, field.name);
            compiler.diagnostics.report(Code::CaptureOrder, range, message).hint(hint);
        }
        return;
    }
    if shape.fields.contains(&field.name) {
        return;
    }
    if let Some((_, step)) = shape.steps.iter().find(|(name, _)| name == field.name) {
        if let Some(inner) = scan::field(code, field.range.end) {
            let whole = Word { name: field.name, range: word.range.start..field.range.end };
            read(compiler, step, written, code, &whole, &inner);
        }
        return;
    }
    let steps = shape.steps.iter().map(|(name, _)| name.as_str());
    let captures = shape.captures.iter().map(String::as_str);
    let known: Vec<&str> = steps.chain(shape.fields.iter().copied()).chain(captures).collect();
    let near = did_you_mean(field.name, known.iter().copied());
    let message = format!("{} has no .{}{near}", word.name, field.name);
    let range = place(field.range.clone(), compiler);
    compiler.diagnostics.report(Code::UnknownField, range, message).hint(format!("it has: {}", known.join(", ")));
}

/// `about` names facts of `find`.
fn about(compiler: &mut Compiler<'_>) {
    let names = compiler.names.get(..compiler.find).unwrap_or_default().to_vec();
    for written in compiler.source.about.iter().flatten() {
        if !names.contains(&written.text) {
            let near = did_you_mean(&written.text, names.iter().map(String::as_str));
            let message = format!("about names \"{}\", which is no fact of find{near}", written.text);
            compiler.diagnostics.report(Code::UnboundName, written.range.clone(), message);
        }
    }
}
