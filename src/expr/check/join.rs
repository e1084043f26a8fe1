//! Finds equalities that a hash join can answer, and the fields that an expression reads.

use std::sync::Arc;

use crate::expr::expression::Expr;
use crate::expr::parse::ast::{Ast, Comparison, Macro, MacroKind, Op};
use crate::expr::scope::Slot;

/// Hash join on one slot that a condition allows.
#[derive(Clone, Debug)]
pub struct JoinKey {
    /// Mentions the slot only.
    pub own: Expr,
    /// Does not mention the slot.
    pub other: Expr,
    /// `own == other`, `own in other` (other is a list of keys) or `other in own` (own is a list of keys).
    pub kind: JoinKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Equal,
    OwnInOther,
    OtherInOwn,
}

impl Expr {
    /// Returns the hash join of `slot` to other slots that this condition allows. The join holds for exactly the same
    /// combinations as the condition; an undecided side must be tested instead.
    pub fn join_on(&self, slot: Slot) -> Option<JoinKey> {
        join_on(self, slot)
    }

    /// Returns the slots to which [`Expr::join_on`] joins; none without such a join.
    pub fn joined_slots(&self, slot: Slot) -> Option<Vec<Slot>> {
        let other = match &self.tree().ast.op {
            Op::Compare(Comparison::Equal, pair) | Op::In(pair) => sides(&pair[0], &pair[1], slot)?.1,
            Op::Macro(found) if found.kind == MacroKind::Exists => {
                let Exists { value, own_is_value, .. } = compared_elements(found, slot)?;
                if own_is_value { &found.range } else { value }
            }
            _ => return None,
        };
        Some(other.slots())
    }

    /// Returns the field paths that it reads by slot, e.g. `(0, "status.phase")`; `[]` is any element of a loop, `*` a
    /// computed name.
    pub fn field_paths(&self) -> Vec<(Slot, String)> {
        field_paths(&self.tree().ast)
    }
}

/// Finds the join of `slot` to other slots in `own == other`, `own in other`, `other in own` or an equivalent `exists`.
pub(in crate::expr) fn join_on(expr: &Expr, slot: Slot) -> Option<JoinKey> {
    match &expr.tree().ast.op {
        Op::Compare(Comparison::Equal, pair) => {
            let (own, other) = sides(&pair[0], &pair[1], slot)?;
            Some(key(expr, own, other, JoinKind::Equal))
        }
        Op::In(pair) => {
            let (own, other) = sides(&pair[0], &pair[1], slot)?;
            let kind = if std::ptr::eq(own, &pair[0]) { JoinKind::OwnInOther } else { JoinKind::OtherInOwn };
            Some(key(expr, own, other, kind))
        }
        Op::Macro(found) if found.kind == MacroKind::Exists => exists(expr, found, slot),
        _ => None,
    }
}

/// Sorts two sides: first the one that mentions only the slot, then the one that mentions only others.
fn sides<'t>(a: &'t Ast, b: &'t Ast, slot: Slot) -> Option<(&'t Ast, &'t Ast)> {
    if is_own(a, slot) && is_other(b, slot) {
        Some((a, b))
    } else if is_own(b, slot) && is_other(a, slot) {
        Some((b, a))
    } else {
        None
    }
}

fn is_own(ast: &Ast, slot: Slot) -> bool {
    ast.slots() == [slot]
}

fn is_other(ast: &Ast, slot: Slot) -> bool {
    let slots = ast.slots();
    !slots.is_empty() && !slots.contains(&slot)
}

fn key(expr: &Expr, own: &Ast, other: &Ast, kind: JoinKind) -> JoinKey {
    JoinKey { own: part(expr, own), other: part(expr, other), kind }
}

/// Makes a part of an expression an expression of its own.
fn part(expr: &Expr, ast: &Ast) -> Expr {
    Expr::new(slice(expr, ast).into(), Arc::clone(&expr.tree().source), ast.clone())
}

fn slice<'e>(expr: &'e Expr, ast: &Ast) -> &'e str {
    expr.tree().source.get(ast.range.clone()).unwrap_or_default()
}

/// Parts of `list.exists(x, x.f == value)`: `x.f`, `value`, and whether it is that which mentions the slot.
struct Exists<'t> {
    element: &'t Ast,
    value: &'t Ast,
    own_is_value: bool,
}

/// Returns the parts if one side of the comparison mentions only the slot, and the other side only others.
fn compared_elements(found: &Macro, slot: Slot) -> Option<Exists<'_>> {
    let Op::Compare(Comparison::Equal, pair) = &found.body.op else { return None };
    let variables = found.variables();
    let (element, value) = match (pair[0].mentions_vars(variables), pair[1].mentions_vars(variables)) {
        (true, false) => (&pair[0], &pair[1]),
        (false, true) => (&pair[1], &pair[0]),
        _ => return None,
    };
    // The compared part may depend on the element only.
    if !element.slots().is_empty() {
        return None;
    }
    let own_is_value = is_own(value, slot) && is_other(&found.range, slot);
    let joins = own_is_value || is_own(&found.range, slot) && is_other(value, slot);
    joins.then_some(Exists { element, value, own_is_value })
}

/// `list.exists(x, x.f == value)` is `value in list.map(x, x.f)`.
fn exists(expr: &Expr, found: &Macro, slot: Slot) -> Option<JoinKey> {
    let Exists { element, value, own_is_value } = compared_elements(found, slot)?;
    let kind = if own_is_value { JoinKind::OwnInOther } else { JoinKind::OtherInOwn };
    let (list, value) = (mapped(expr, found, element), part(expr, value));
    let (own, other) = if own_is_value { (value, list) } else { (list, value) };
    Some(JoinKey { own, other, kind })
}

fn mapped(expr: &Expr, found: &Macro, element: &Ast) -> Expr {
    // The tree does not keep the variable's name; evaluation uses positions, not names.
    let written = format!("{}.map({})", slice(expr, &found.range), slice(expr, element));
    let body = Macro {
        kind: MacroKind::Keys,
        range: found.range.clone(),
        pair: found.pair,
        filter: None,
        body: element.clone(),
        closed: None,
    };
    let op = Op::Macro(Box::new(body));
    Expr::new(written.into(), Arc::clone(&expr.tree().source), Ast { op, range: expr.tree().ast.range.clone() })
}

/// Returns the field paths by slot: `status.conditions[].type`; `[]` is any element, `*` a computed name.
pub(in crate::expr) fn field_paths(ast: &Ast) -> Vec<(Slot, String)> {
    let mut paths = Vec::new();
    collect(ast, &mut Vec::new(), &mut paths);
    paths.sort();
    paths.dedup();
    paths
}

/// Value of a variable: a slot and a path in it.
type VariablePath = Option<(Slot, String)>;

fn collect(ast: &Ast, variables: &mut Vec<VariablePath>, paths: &mut Vec<(Slot, String)>) {
    paths.extend(path_of(ast, variables).filter(|(_, path)| !path.is_empty()));
    match &ast.op {
        Op::Field(base, _) => collect_base(base, variables, paths),
        Op::Index(pair) => {
            collect_base(&pair[0], variables, paths);
            collect(&pair[1], variables, paths);
        }
        Op::Macro(found) => collect_macro(found, variables, paths),
        _ => ast.children().into_iter().for_each(|child| collect(child, variables, paths)),
    }
}

/// Below a path, collects only separate parts: arguments of calls, bodies of loops.
fn collect_base(ast: &Ast, variables: &mut Vec<VariablePath>, paths: &mut Vec<(Slot, String)>) {
    match &ast.op {
        Op::Field(base, _) => collect_base(base, variables, paths),
        Op::Slot(_) | Op::Var(_) => {}
        Op::Index(pair) => {
            collect_base(&pair[0], variables, paths);
            collect(&pair[1], variables, paths);
        }
        Op::Call(call) => call.args.iter().for_each(|arg| collect(arg, variables, paths)),
        _ => collect(ast, variables, paths),
    }
}

fn collect_macro(found: &Macro, variables: &mut Vec<VariablePath>, paths: &mut Vec<(Slot, String)>) {
    collect(&found.range, variables, paths);
    let element = path_of(&found.range, variables).map(|(slot, path)| (slot, format!("{path}[]")));
    if found.pair {
        variables.push(None);
    }
    variables.push(element);
    for inner in found.filter.iter().chain([&found.body]) {
        collect(inner, variables, paths);
    }
    variables.truncate(variables.len() - found.variables());
}

fn path_of(ast: &Ast, variables: &[VariablePath]) -> VariablePath {
    match &ast.op {
        Op::Slot(slot) => Some((*slot, String::new())),
        Op::Var(index) => variables.iter().rev().nth(*index).cloned().flatten(),
        Op::Field(base, name) => path_of(base, variables).map(|(slot, path)| (slot, joined(&path, name))),
        Op::Index(pair) => path_of(&pair[0], variables).map(|(slot, path)| match &pair[1].op {
            Op::Const(crate::expr::eval::value::Value::Int(_)) => (slot, format!("{path}[]")),
            _ => (slot, joined(&path, "*")),
        }),
        Op::Macro(found) if found.kind == MacroKind::Filter => path_of(&found.range, variables),
        Op::Call(call) if call.function.gives_item() => {
            let list = format!("{}[]", call.function.options.reads.join("."));
            path_of(call.args.first()?, variables).map(|(slot, path)| (slot, joined(&path, &list)))
        }
        _ => None,
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
