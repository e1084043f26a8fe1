//! Infers the shape of an expression's value from its text and from the shapes of its names.
//!
//! It also finds conditions that can never hold: fields that no object has, comparisons of different kinds, captured
//! text that is ordered.

use std::ops::Range;
use std::sync::Arc;

use crate::expr::check::shape::{Kind, Shape};
use crate::expr::eval::value::Value;
use crate::expr::expression::Expr;
use crate::expr::functions;
use crate::expr::functions::function::Returns;
use crate::expr::nearest::nearest;
use crate::expr::parse::ast::{Arithmetic, Ast, Call, Comparison, Macro, MacroKind, Op};
use crate::expr::parse::prepared::Prepared;
use crate::expr::scope::Slot;
use crate::resource::TypeName;

/// Shapes of the names that an expression may use.
pub struct Shapes<'k> {
    /// Shapes by slot.
    pub slots: &'k [Arc<Shape>],
    /// Returns the shape of objects of a type.
    pub objects: &'k dyn Fn(&TypeName) -> Arc<Shape>,
    /// Returns the reason why the rule's versions have no field of these versions.
    pub lacks: &'k dyn Fn(&str) -> Option<String>,
}

impl Shapes<'_> {
    /// Returns the shape of a field of the value at `path`, and a doubt if there is no such field, or not in the versions
    /// of the rule; the caller sets the range of the doubt.
    pub fn field(&self, of: &Shape, path: &str, name: &str) -> (Arc<Shape>, Option<Doubt>) {
        let (shape, doubt) = field_shape(of, path, name);
        let other_versions = |why| Doubt {
            kind: DoubtKind::OtherVersions,
            range: 0..0,
            message: format!("`{path}.{name}` {why}"),
            hint: Some("correct affects, or read a field that these versions have".to_owned()),
        };
        let doubt = doubt.or_else(|| (self.lacks)(shape.versions()).map(other_versions));
        (shape, doubt)
    }
}

/// Kind of a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtKind {
    /// A field that a value made by the language does not have.
    NoField,
    /// A field that no sampled version has.
    UnseenField,
    /// Captured text that is ordered or compared with a number.
    CaptureOrder,
    /// Values that are never equal or have no order.
    Kinds,
    /// Values that are never equal or have no order, judged by the sampled versions.
    SeenKinds,
    /// A text that a field has in no sampled version.
    UnseenValue,
    /// A field that the versions of the rule do not have.
    OtherVersions,
}

/// Error or probable error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    pub kind: DoubtKind,
    /// Bytes of the expression's text.
    pub range: Range<usize>,
    pub message: String,
    pub hint: Option<String>,
}

/// Function whose second argument is the type of a condition.
const CONDITION: &str = "condition";

/// Most names that a hint lists.
const MAX_NAMES: usize = 16;

/// Infers the shape of a tree; its ranges point into `source`.
pub(in crate::expr) fn infer(ast: &Ast, source: &str, shapes: &Shapes<'_>, doubts: &mut Vec<Doubt>) -> Arc<Shape> {
    Inference { source, shapes, doubts, variables: Vec::new() }.node(ast)
}

impl Expr {
    /// Infers the shape of its value from the shapes of the slots, and adds doubts.
    pub fn infer(&self, shapes: &Shapes<'_>, doubts: &mut Vec<Doubt>) -> Arc<Shape> {
        infer(&self.tree().ast, &self.tree().source, shapes, doubts)
    }

    /// Returns the field if the expression only tests that it differs from a value, so that it also holds for an absent
    /// field.
    pub fn lone_negation(&self, slot: Slot) -> Option<Range<usize>> {
        lone_negation(&self.tree().ast, slot)
    }
}

struct Inference<'i, 'k> {
    source: &'i str,
    shapes: &'i Shapes<'k>,
    doubts: &'i mut Vec<Doubt>,
    /// Variables of the enclosing macros, innermost last.
    variables: Vec<Arc<Shape>>,
}

impl Inference<'_, '_> {
    fn node(&mut self, ast: &Ast) -> Arc<Shape> {
        match &ast.op {
            Op::Const(value) => constant(value),
            Op::Slot(slot) => self.shapes.slots.get(*slot).cloned().unwrap_or_default(),
            Op::Var(index) => self.variables.iter().rev().nth(*index).cloned().unwrap_or_default(),
            Op::Now => Shape::of(Kind::Time),
            Op::Nodes => Shape::list((self.shapes.objects)(&TypeName::new("nodes", ""))),
            Op::Field(base, name) => {
                let of = self.node(base);
                let (shape, doubt) = self.shapes.field(&of, self.text(base), name);
                self.doubts.extend(doubt.map(|doubt| Doubt { range: self.name_range(ast, name), ..doubt }));
                shape
            }
            Op::Index(pair) => {
                let (base, _) = (self.node(&pair[0]), self.node(&pair[1]));
                base.element()
            }
            Op::Compare(comparison, pair) => {
                let sides = [self.node(&pair[0]), self.node(&pair[1])];
                self.comparison(*comparison, pair, &sides, ast.range.clone());
                Shape::of(Kind::Bool)
            }
            Op::Arithmetic(operator, pair) => {
                let (a, b) = (self.node(&pair[0]), self.node(&pair[1]));
                arithmetic(*operator, &a, &b)
            }
            Op::Choose(parts) => {
                self.node(&parts[0]);
                let (a, b) = (self.node(&parts[1]), self.node(&parts[2]));
                a.or(&b)
            }
            Op::List(items) => {
                let all: Vec<Arc<Shape>> = items.iter().map(|item| self.node(item)).collect();
                let items = all.into_iter().reduce(|all, one| all.or(&one));
                Shape::list(items.unwrap_or_default())
            }
            Op::Macro(found) => self.loops(found),
            Op::Call(call) => self.call(call),
            Op::In(pair) => {
                let sides = [self.node(&pair[0]), self.node(&pair[1])];
                if let Op::List(items) = &pair[1].op {
                    let path = self.text(&pair[0]).to_owned();
                    items.iter().for_each(|item| self.value(&sides[0], &path, item));
                }
                Shape::of(Kind::Bool)
            }
            Op::Not(_) | Op::And(_) | Op::Or(_) | Op::IsNull(_) => {
                self.children(ast);
                Shape::of(Kind::Bool)
            }
            Op::Negate(_) | Op::Map(_) => {
                self.children(ast);
                Shape::anything()
            }
        }
    }

    fn text(&self, ast: &Ast) -> &str {
        self.source.get(ast.range.clone()).unwrap_or_default()
    }

    /// Range of the name of a field: at the end of its expression, or in brackets there.
    fn name_range(&self, ast: &Ast, name: &str) -> Range<usize> {
        match self.text(ast).rfind(name) {
            Some(at) => ast.range.start + at..ast.range.start + at + name.len(),
            None => ast.range.clone(),
        }
    }

    fn children(&mut self, ast: &Ast) {
        ast.children().into_iter().for_each(|child| {
            self.node(child);
        });
    }

    fn loops(&mut self, found: &Macro) -> Arc<Shape> {
        let range = self.node(&found.range);
        let (list, map) = (range.may_be(Kind::List), range.may_be(Kind::Map));
        let (key, element) = match (list, map) {
            (true, false) => (Shape::of(Kind::Number), range.element()),
            (false, true) => (Shape::of(Kind::Text), range.element()),
            _ => (Shape::anything(), Shape::anything()),
        };
        if found.pair {
            self.variables.extend([key, element]);
        } else {
            // A single variable is the item of a list or the key of a map.
            self.variables.push(if map && !list { key } else { element });
        }
        found.filter.iter().for_each(|filter| {
            self.node(filter);
        });
        let body = self.node(&found.body);
        self.variables.truncate(self.variables.len() - found.variables());
        match found.kind {
            MacroKind::Exists | MacroKind::All | MacroKind::ExistsOne => Shape::of(Kind::Bool),
            MacroKind::Map | MacroKind::Keys => Shape::list(body),
            // For a map, the result is the list of its keys.
            MacroKind::Filter | MacroKind::SortBy if map && !list => Shape::list(Shape::of(Kind::Text)),
            MacroKind::Filter | MacroKind::SortBy => range,
        }
    }

    /// Doubts that a field ever has a text.
    fn value(&mut self, shape: &Shape, path: &str, wanted: &Ast) {
        let Op::Const(Value::Str(text)) = &wanted.op else { return };
        let found = unseen_value(shape, path, text.as_str());
        self.doubts.extend(found.map(|found| found.at(wanted.range.clone())));
    }

    fn call(&mut self, call: &Call) -> Arc<Shape> {
        let args: Vec<Arc<Shape>> = call.args.iter().map(|arg| self.node(arg)).collect();
        if let (CONDITION, [object, wanted]) = (call.function.name, call.args.as_slice()) {
            let condition = condition_of(args.first());
            let types = condition.field("type").unwrap_or_default();
            self.value(&types, &format!("the type of a condition of {}", self.text(object)), wanted);
            return condition;
        }
        match (&call.prepared, call.function.returns) {
            (Prepared::Type(name), Returns::Anything) => (self.shapes.objects)(name),
            (_, returns) => returns.shape(&args),
        }
    }

    fn comparison(&mut self, comparison: Comparison, pair: &[Ast; 2], sides: &[Arc<Shape>; 2], range: Range<usize>) {
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let literals = [literal(&pair[0]), literal(&pair[1])];
        let texts = [self.text(&pair[0]), self.text(&pair[1])];
        if let Some(found) = comparison_doubt(sides, texts, &literals, ordered) {
            let one_side = matches!(found.kind, DoubtKind::CaptureOrder | DoubtKind::UnseenValue);
            let marked = if one_side { pair[found.side].range.clone() } else { range };
            self.doubts.push(found.at(marked));
        }
    }
}

/// Returns the shape of a field of the value at `path`, and a doubt if there is no field of that name; the caller sets
/// the range of the doubt.
pub fn field_shape(of: &Shape, path: &str, name: &str) -> (Arc<Shape>, Option<Doubt>) {
    if let Some(shape) = of.field(name) {
        return (shape, None);
    }
    let known: Vec<&str> = of.names().collect();
    let near =
        nearest(name, known.iter().copied()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    let listed = if of.is_sampled() { known.len() <= MAX_NAMES && near.is_empty() } else { true };
    let mut hint = (listed && !known.is_empty()).then(|| format!("it has: {}", known.join(", ")));
    let (kind, message) = if of.is_sampled() {
        let what = of.kinds().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ");
        let message = if of.may_be(Kind::Map) {
            format!("no known version has `{path}.{name}`{near}")
        } else {
            format!("`{path}` is {what}, which has no field `{name}`")
        };
        if hint.is_none() && near.is_empty() && of.may_be(Kind::List) {
            hint = Some("name an element, such as [0].field, or use .exists(x, x.field == ...)".to_owned());
        }
        (DoubtKind::UnseenField, message)
    } else {
        (DoubtKind::NoField, format!("{path} has no .{name}{near}"))
    };
    (Shape::anything(), Some(Doubt { kind, range: 0..0, message, hint }))
}

/// Doubt about a comparison.
pub struct ComparisonDoubt {
    pub kind: DoubtKind,
    /// The side to mark, 0 or 1.
    pub side: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl ComparisonDoubt {
    fn at(self, range: Range<usize>) -> Doubt {
        Doubt { kind: self.kind, range, message: self.message, hint: self.hint }
    }
}

/// Returns the shape of an object's conditions.
fn condition_of(object: Option<&Arc<Shape>>) -> Arc<Shape> {
    let status = object.and_then(|object| object.field("status"));
    let conditions = status.and_then(|status| status.field("conditions"));
    conditions.map(|conditions| conditions.element()).unwrap_or_default()
}

/// Returns a doubt if a field takes the text in no sampled version. The empty text is always possible.
fn unseen_value(shape: &Shape, path: &str, text: &str) -> Option<ComparisonDoubt> {
    let known: Vec<&str> = shape.values().collect();
    if known.is_empty() || text.is_empty() || known.contains(&text) || !shape.is(Kind::Text) {
        return None;
    }
    let near = nearest(text, known.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
    let hint = (known.len() <= MAX_NAMES).then(|| format!("it is one of: {}", known.join(", ")));
    let message = format!("`{path}` is '{text}' in no known version{near}");
    Some(ComparisonDoubt { kind: DoubtKind::UnseenValue, side: 1, message, hint })
}

/// Finds the reason why two values can never be equal or ordered. `literals` are the texts of constant sides.
pub fn comparison_doubt(
    sides: &[Arc<Shape>; 2],
    texts: [&str; 2],
    literals: &[Option<String>; 2],
    ordered: bool,
) -> Option<ComparisonDoubt> {
    if let Some(side) = (0..2).find(|side| sides[*side].is(Kind::Captured)) {
        let other = &sides[1 - side];
        let numeric = other.is_known() && other.is(Kind::Number);
        let ordered = ordered && !other.is(Kind::Time);
        if numeric || ordered {
            let path = texts[side];
            let message = format!("{path} is captured text; as text 9 comes after 10");
            let hint = Some(format!("write int({path}), or double(...), or quantity(...)"));
            return Some(ComparisonDoubt { kind: DoubtKind::CaptureOrder, side, message, hint });
        }
    }
    if let Some(side) = (0..2).find(|side| literals[*side].is_some() && !ordered) {
        let text = literals[side].as_deref().and_then(|text| text.strip_prefix('\'')?.strip_suffix('\''));
        let found = text.and_then(|text| unseen_value(&sides[1 - side], texts[1 - side], text));
        if let Some(found) = found {
            return Some(ComparisonDoubt { side, ..found });
        }
    }
    let [a, b] = sides;
    if !a.is_known() || !b.is_known() || a.kinds().any(|a| b.kinds().any(|b| comparable(a, b))) {
        return None;
    }
    let sampled = a.is_sampled() || b.is_sampled();
    let constant = literals.iter().position(Option::is_some);
    // Fields sampled with different kinds may have equal kinds in other versions.
    if sampled && constant.is_none() {
        return None;
    }
    let names = [a, b].map(|side| side.kinds().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "));
    let message = match constant {
        Some(side) => {
            let what = if ordered { "has no order against" } else { "never equals" };
            let seen = if sampled { " in every known version" } else { "" };
            format!("`{}` is {}{seen} and {what} {}", texts[1 - side], names[1 - side], names[side])
        }
        None => format!("{} and {} {}", names[0], names[1], if ordered { "have no order" } else { "are never equal" }),
    };
    let hint = advice(sides, texts, literals);
    let kind = if sampled { DoubtKind::SeenKinds } else { DoubtKind::Kinds };
    Some(ComparisonDoubt { kind, side: constant.unwrap_or(1), message, hint })
}

/// Advice for a comparison of different kinds.
fn advice(sides: &[Arc<Shape>; 2], texts: [&str; 2], literals: &[Option<String>; 2]) -> Option<String> {
    if let Some(time) = (0..2).find(|side| sides[*side].is(Kind::Time) && sides[1 - side].is(Kind::Duration)) {
        return Some(format!("ago({}) is the duration since then", texts[time]));
    }
    let side = (0..2).find(|side| literals[*side].is_some())?;
    let text = literals[side].as_deref()?;
    let bare = text.trim_matches(['\'', '"']);
    let (own, other) = (&sides[side], &sides[1 - side]);
    let is_number = bare.parse::<f64>().is_ok();
    Some(match () {
        () if own.is(Kind::Text) && other.is(Kind::Duration) => format!("write duration('{bare}')"),
        () if own.is(Kind::Number) && other.is(Kind::Duration) => {
            "write a duration with its unit, such as duration('30m')".to_owned()
        }
        () if own.is(Kind::Text) && other.is(Kind::Number) && is_number => format!("write {bare} without quotes"),
        () if own.is(Kind::Text) && other.is(Kind::Bool) && matches!(bare, "true" | "false") => {
            format!("write {bare} without quotes")
        }
        () if own.is(Kind::Number) && other.is(Kind::Text) => {
            format!("write int(...) or quantity(...) around the field, or '{bare}' to compare texts")
        }
        () if own.is(Kind::Bool) && other.is(Kind::Text) => format!("write '{bare}' to compare texts"),
        () => return None,
    })
}

fn comparable(a: Kind, b: Kind) -> bool {
    let plain = |kind| match kind {
        // Objects hold times as texts.
        Kind::Captured | Kind::Time => Kind::Text,
        kind => kind,
    };
    plain(a) == plain(b)
}

/// Returns the text of a constant other than null.
fn literal(ast: &Ast) -> Option<String> {
    match &ast.op {
        Op::Const(Value::Str(text)) => Some(format!("'{}'", text.as_str())),
        Op::Const(Value::Int(number)) => Some(number.to_string()),
        Op::Const(Value::Double(number)) => Some(number.to_string()),
        Op::Const(Value::Bool(value)) => Some(value.to_string()),
        _ => None,
    }
}

fn constant(value: &Value<'_>) -> Arc<Shape> {
    match value {
        Value::Str(_) => Shape::of(Kind::Text),
        Value::Int(_) | Value::Double(_) => Shape::of(Kind::Number),
        Value::Bool(_) => Shape::of(Kind::Bool),
        _ => Shape::anything(),
    }
}

fn arithmetic(operator: Arithmetic, a: &Shape, b: &Shape) -> Arc<Shape> {
    match operator {
        _ if a.is(Kind::Number) && b.is(Kind::Number) => Shape::of(Kind::Number),
        Arithmetic::Add if a.is(Kind::Text) && b.is(Kind::Text) => Shape::of(Kind::Text),
        Arithmetic::Subtract if a.is(Kind::Time) && b.is(Kind::Time) => Shape::of(Kind::Duration),
        Arithmetic::Add | Arithmetic::Subtract if a.is(Kind::Time) && b.is(Kind::Duration) => Shape::of(Kind::Time),
        _ => Shape::anything(),
    }
}

/// Returns the shape of a function's result; any shape for an unknown function.
pub fn function_result(function: &str, args: &[Arc<Shape>]) -> Arc<Shape> {
    functions::find(function).map_or_else(Shape::anything, |function| function.returns.shape(args))
}

/// Returns the field of `slot` if it is only tested for being different. `!x.flag` is the usual test for a flag that is
/// not set.
pub(in crate::expr) fn lone_negation(ast: &Ast, slot: Slot) -> Option<Range<usize>> {
    let (a, b) = match &ast.op {
        Op::Compare(Comparison::NotEqual, pair) => (&pair[0], &pair[1]),
        Op::Not(inner) => match &inner.op {
            Op::Compare(Comparison::Equal, pair) | Op::In(pair) => (&pair[0], &pair[1]),
            _ => return None,
        },
        _ => return None,
    };
    let fixed = |ast: &Ast| matches!(ast.op, Op::Const(_) | Op::List(_));
    let (path, other) = if fixed(a) { (b, a) } else { (a, b) };
    (fixed(other) && is_path(path, slot)).then(|| path.range.clone())
}

fn is_path(ast: &Ast, slot: Slot) -> bool {
    match &ast.op {
        Op::Field(base, _) => matches!(base.op, Op::Slot(own) if own == slot) || is_path(base, slot),
        _ => false,
    }
}
