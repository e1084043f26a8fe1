//! Checks what expressions and texts read, by what is known of the facts: fields that are not
//! there, values of different kinds compared, captured text taken for numbers.
//!
//! What follows from the language is an error. What follows from the API fields of known versions is a
//! warning, and is only reported when a [`Knowledge`] is given.

use std::sync::Arc;

use crate::expr::shape::Kind;
use crate::expr::{Doubt, DoubtKind, Expr, Scope, Shape, Shapes, Slot};
use crate::model::version::Range;
use crate::resource::types::{TypeName, resolve};
use crate::rule::check::fact_fields::FILE_FIELDS;
use crate::rule::check::fact_fields::SEQUENCE_FIELDS;
use crate::rule::check::fact_fields::{EVENT_FIELDS, HIT_FIELDS};
use crate::rule::check::field_versions::lacks;
use crate::rule::compile::compiler::Compiler;
use crate::rule::compile::compiler::Understood;
use crate::rule::compile::scan;
use crate::rule::error::{Code, did_you_mean};
use crate::rule::source::fact::SequenceSource;
use crate::rule::source::fact::{FactSource, KindSource};
use crate::rule::source::reader::Written;
use crate::rule::text;

/// Checks every expression and text of a rule.
pub fn check(compiler: &mut Compiler<'_>, facts: &[&FactSource]) {
    let shapes = shapes(compiler, facts);
    let known = compiler.known;
    let objects = |name: &TypeName| known.objects(name);
    let affected = affected(compiler);
    let lacks = |versions: &str| affected.iter().find_map(|(product, range)| lacks(product, range, versions));
    let mut found: Vec<(Written, Doubt)> = Vec::new();
    let mut never = Vec::new();
    for understood in &compiler.understood {
        let own = understood.this.and_then(|slot| Some((slot, *facts.get(slot)?)));
        let inside = own.and_then(|(slot, fact)| inside(compiler, &shapes, slot, fact, understood));
        let mut doubts = Vec::new();
        let slots = inside.as_deref().unwrap_or(&shapes);
        let shape = understood.expr.infer(&Shapes { slots, objects: &objects, lacks: &lacks }, &mut doubts);
        if understood.is_condition && !shape.may_be(Kind::Bool) {
            never.push((understood.written.clone(), shape));
        }
        found.extend(doubts.into_iter().map(|doubt| (understood.written.clone(), doubt)));
    }
    let names = compiler.names.get(..compiler.find).unwrap_or_default();
    for written in compiler.source.templates() {
        let doubts = text::doubts(&written.text, names, &Shapes { slots: &shapes, objects: &objects, lacks: &lacks });
        found.extend(doubts.into_iter().map(|doubt| (written.clone(), doubt)));
    }
    for fact in facts.iter().flat_map(|fact| fact.alternatives()) {
        if let Some(KindSource::Sequence(sequence)) = &fact.kind {
            found.extend(steps(sequence));
        }
    }
    for (written, doubt) in found {
        report(compiler, &written, doubt);
    }
    never.iter().for_each(|(written, shape)| no_condition(compiler, written, shape));
    facts.iter().filter(|fact| fact.collect).for_each(|fact| own_name(compiler, fact));
    about(compiler);
}

/// The ranges of `affects` that can be read, by product.
fn affected(compiler: &Compiler<'_>) -> Vec<(&'static str, Range)> {
    let ranges = compiler.source.affects.iter();
    ranges.filter_map(|(product, written)| Some((*product, Range::parse(&written.text).ok()?))).collect()
}

/// In its own `where` the name of a collected fact would mean the list that is being made.
fn own_name(compiler: &mut Compiler<'_>, fact: &FactSource) {
    let alternatives = fact.alternatives().iter().filter(|_| matches!(fact.kind, Some(KindSource::Any(_))));
    for written in [fact].into_iter().chain(alternatives).filter_map(|fact| fact.condition.as_ref()) {
        let code = scan::expression_code(&written.text);
        for word in scan::words(&code).into_iter().filter(|word| word.name == fact.name) {
            let message =
                format!("\"{}\" is collected: it means the list of all matches, which is not known yet", word.name);
            let range = written.part(compiler.diagnostics.text(), word.range.clone());
            let error = compiler.diagnostics.report(Code::UnboundName, range, message);
            error.hint("write self for the candidate that the condition is evaluated for");
        }
    }
}

/// A text or a list is no condition, although texts print what is below `{% if %}` for one.
fn no_condition(compiler: &mut Compiler<'_>, written: &Written, shape: &Shape) {
    let message = "this condition is neither true nor false, so it never holds";
    let hint = if shape.is(Kind::List) { "write size(...) > 0" } else { "write ... != null" };
    compiler.diagnostics.report(Code::NoCondition, written.range.clone(), message.to_owned()).hint(hint.to_owned());
}

fn report(compiler: &mut Compiler<'_>, written: &Written, doubt: Doubt) {
    let code = match doubt.kind {
        DoubtKind::NoField => Code::UnknownField,
        DoubtKind::UnseenField => Code::UnseenField,
        DoubtKind::CaptureOrder => Code::CaptureOrder,
        DoubtKind::Kinds => Code::Kinds,
        DoubtKind::SeenKinds => Code::SeenKinds,
        DoubtKind::UnseenValue => Code::UnseenValue,
        DoubtKind::OtherVersions => Code::OtherVersions,
    };
    let range = written.part(compiler.diagnostics.text(), doubt.range);
    let error = compiler.diagnostics.report(code, range, doubt.message.replace('`', "\""));
    if let Some(hint) = doubt.hint {
        error.hint(hint.replace('`', "\""));
    }
}

/// Shapes of the names of all facts.
fn shapes(compiler: &Compiler<'_>, facts: &[&FactSource]) -> Vec<Arc<Shape>> {
    let mut shapes: Vec<Arc<Shape>> = facts.iter().map(|fact| looked_up(compiler, fact)).collect();
    let known = compiler.known;
    let objects = |name: &TypeName| known.objects(name);
    // Values may be made of values that are written below them.
    for _ in 0..facts.len() {
        let before = shapes.clone();
        for (slot, fact) in facts.iter().enumerate() {
            let Some(KindSource::Each(written) | KindSource::Value(written)) = &fact.kind else { continue };
            let Some(understood) = compiler.understood.iter().find(|one| one.written.range == written.range) else {
                continue;
            };
            let made =
                understood.expr.infer(&Shapes { slots: &before, objects: &objects, lacks: &|_| None }, &mut Vec::new());
            let each = matches!(fact.kind, Some(KindSource::Each(_)));
            shapes[slot] = listed(fact, if each { element(&made) } else { made });
        }
        if shapes == before {
            break;
        }
    }
    shapes
}

/// The shape of an `each` fact: an element of a list, or an entry of a map.
fn element(of: &Shape) -> Arc<Shape> {
    match (of.may_be(Kind::List), of.may_be(Kind::Map)) {
        (true, false) => of.element(),
        (false, true) => Arc::new(Shape::map([("key", Shape::of(Kind::Text)), ("value", of.element())])),
        _ => Shape::anything(),
    }
}

/// The shapes as a `where` sees them, if it sees its own fact in another way than the rest of the rule: in that of a
/// collected fact it is one element, in that of an alternative what this alternative finds.
fn inside(
    compiler: &Compiler<'_>,
    shapes: &[Arc<Shape>],
    slot: Slot,
    fact: &FactSource,
    where_: &Understood,
) -> Option<Vec<Arc<Shape>>> {
    let asks = |one: &&FactSource| one.condition.as_ref().is_some_and(|own| own.range == where_.written.range);
    let alternative = match &fact.kind {
        Some(KindSource::Any(alternatives)) => alternatives.iter().find(asks),
        _ => None,
    };
    let own = match alternative {
        Some(alternative) => looked_up(compiler, alternative),
        None => shapes.get(slot).filter(|_| fact.collect)?.element(),
    };
    let mut inside = shapes.to_vec();
    if let Some(shape) = inside.get_mut(slot) {
        *shape = own;
    }
    Some(inside)
}

fn listed(fact: &FactSource, shape: Arc<Shape>) -> Arc<Shape> {
    if fact.collect { Shape::list(shape) } else { shape }
}

/// The shape of a fact that is looked up.
fn looked_up(compiler: &Compiler<'_>, fact: &FactSource) -> Arc<Shape> {
    let Some(kind) = &fact.kind else { return Shape::anything() };
    let shape = match kind {
        KindSource::Resource { types, .. } => {
            let all = types.iter().map(|written| compiler.known.objects(&resolve(&written.text).name));
            all.reduce(|all, one| all.or(&one)).unwrap_or_default()
        }
        KindSource::Log(_) => group(fact, &HIT_FIELDS),
        KindSource::Event(_) => group(fact, &EVENT_FIELDS),
        KindSource::File { .. } => Arc::new(Shape::map(FILE_FIELDS.map(|name| (name, of_group(name))))),
        KindSource::Sequence(sequence) => {
            let own = SEQUENCE_FIELDS.map(|name| (name, of_group(name)));
            // Absent steps leave nothing to ask for.
            let present = sequence.steps.iter().filter(|step| step.absent.is_none());
            let steps = present.map(|step| (step.fact.name.as_str(), group(&step.fact, &HIT_FIELDS)));
            Arc::new(Shape::map(own.into_iter().chain(steps)))
        }
        KindSource::Any(alternatives) => {
            let all = alternatives.iter().map(|alternative| looked_up(compiler, alternative));
            all.reduce(|all, one| all.or(&one)).unwrap_or_default()
        }
        KindSource::Each(_) | KindSource::Value(_) => return Shape::anything(),
    };
    listed(fact, shape)
}

/// The conditions between the steps of a sequence.
fn steps(sequence: &SequenceSource) -> Vec<(Written, Doubt)> {
    let names: Vec<String> = sequence.steps.iter().map(|step| step.fact.name.clone()).collect();
    let slots: Vec<Arc<Shape>> = sequence.steps.iter().map(|step| group(&step.fact, &HIT_FIELDS)).collect();
    let mut found = Vec::new();
    for (slot, step) in sequence.steps.iter().enumerate() {
        let Some(written) = &step.fact.condition else { continue };
        // Names of later steps were reported where the condition was compiled.
        let (expr, _) = Expr::attempt(&written.text, Scope { names: &names, this: Some(slot), tested: false });
        let mut doubts = Vec::new();
        let shapes = Shapes { slots: &slots, objects: &|_| Shape::anything(), lacks: &|_| None };
        expr.iter().for_each(|expr| drop(expr.infer(&shapes, &mut doubts)));
        found.extend(doubts.into_iter().map(|doubt| (written.clone(), doubt)));
    }
    found
}

/// A group of hits or events: its own fields, and captured texts.
fn group(fact: &FactSource, fields: &[&str]) -> Arc<Shape> {
    let patterns: Result<Vec<Vec<String>>, String> =
        fact.groups.patterns.iter().map(|written| crate::log::validate(&written.text)).collect();
    // Errors in the pattern were reported; its captures are not known.
    let Ok(captures) = patterns else { return Shape::anything() };
    let captures = captures.concat();
    let all = || {
        let values = captures.iter().map(|name| (name.as_str(), Shape::list(Shape::of(Kind::Captured))));
        Arc::new(Shape::map(values))
    };
    let own = fields.iter().map(|name| (*name, if *name == "all" { all() } else { of_group(name) }));
    let captured = captures.iter().map(|name| (name.as_str(), Shape::of(Kind::Captured)));
    Arc::new(Shape::map(own.chain(captured)))
}

/// A field that the language gives to groups and files.
fn of_group(name: &str) -> Arc<Shape> {
    match name {
        "count" => Shape::of(Kind::Number),
        "first" | "last" => Shape::of(Kind::Time),
        "lines" => Shape::list(Shape::of(Kind::Text)),
        "object" => {
            Arc::new(Shape::map(["kind", "group", "namespace", "name"].map(|name| (name, Shape::of(Kind::Text)))))
        }
        "node" | "pod" | "source" | "reason" | "message" | "type" | "path" | "text" => Shape::of(Kind::Text),
        _ => Shape::anything(),
    }
}

/// `about` names facts of `find`.
fn about(compiler: &mut Compiler<'_>) {
    let names = compiler.names.get(..compiler.find).unwrap_or_default().to_vec();
    for written in compiler.source.about.iter().flatten() {
        if !names.contains(&written.text) {
            let near = did_you_mean(&written.text, names.iter().map(String::as_str));
            let message = format!("about names \"{}\", which is not a fact of find{near}", written.text);
            compiler.diagnostics.report(Code::UnboundName, written.range.clone(), message);
        }
    }
}
