//! Checks which parts of facts texts read: names, fields that do not exist, comparisons of different kinds.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use minijinja::machinery::Span;
use minijinja::machinery::ast::{BinOpKind, CallArg, CompareOpKind, Expr, ForLoop, Stmt};

use crate::expr::shape::Kind;
use crate::expr::{Doubt, DoubtKind, Shape, Shapes, comparison_doubt, function_result};
use crate::resource::types::TypeName;

/// Everything doubtful in a text; nothing for one that cannot be parsed.
pub fn doubts(text: &str, names: &[String], shapes: &Shapes<'_>) -> Vec<Doubt> {
    let Ok(root) = super::read::parsed(text) else { return Vec::new() };
    let mut walk = Walk { text, names, shapes, variables: Vec::new(), free: BTreeSet::new(), doubts: Vec::new() };
    walk.statement(&root);
    walk.doubts
}

/// The names that a text reads and does not make itself; the engine's own list lacks what is sliced.
pub(super) fn free_names(text: &str) -> BTreeSet<String> {
    let Ok(root) = super::read::parsed(text) else { return BTreeSet::new() };
    let shapes = Shapes { slots: &[], objects: &|_| Shape::anything(), lacks: &|_| None };
    let (variables, free, doubts) = Default::default();
    let mut walk = Walk { text, names: &[], shapes: &shapes, variables, free, doubts };
    walk.statement(&root);
    walk.free
}

struct Walk<'w, 'k> {
    text: &'w str,
    names: &'w [String],
    shapes: &'w Shapes<'k>,
    /// Made by `for`, `set` and `with`, innermost last.
    variables: Vec<(String, Arc<Shape>)>,
    /// Names that are none of these.
    free: BTreeSet<String>,
    doubts: Vec<Doubt>,
}

impl Walk<'_, '_> {
    fn statements(&mut self, list: &[Stmt<'_>]) {
        let known = self.variables.len();
        list.iter().for_each(|statement| self.statement(statement));
        self.variables.truncate(known);
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitExpr(emit) => drop(self.expr(&emit.expr)),
            Stmt::ForLoop(found) => self.repeated(found),
            Stmt::IfCond(found) => {
                self.expr(&found.expr);
                // Variables that a branch sets stay set after it.
                found.true_body.iter().chain(&found.false_body).for_each(|inner| self.statement(inner));
            }
            Stmt::WithBlock(found) => {
                let known = self.variables.len();
                for (target, value) in &found.assignments {
                    let shape = self.expr(value);
                    self.bind(target, shape);
                }
                self.statements(&found.body);
                self.variables.truncate(known);
            }
            Stmt::Set(found) => {
                let shape = self.expr(&found.expr);
                self.bind(&found.target, shape);
            }
            Stmt::SetBlock(found) => {
                self.statements(&found.body);
                self.bind(&found.target, Shape::of(Kind::Text));
            }
            Stmt::AutoEscape(found) => self.statements(&found.body),
            Stmt::FilterBlock(found) => self.statements(&found.body),
            _ => {}
        }
    }

    fn repeated(&mut self, found: &ForLoop<'_>) {
        let list = self.expr(&found.iter);
        let known = self.variables.len();
        let element = match (list.may_be(Kind::List), list.may_be(Kind::Map)) {
            (true, false) => list.element(),
            (false, true) => Shape::of(Kind::Text),
            _ => Shape::anything(),
        };
        self.variables.push(("loop".to_owned(), Shape::anything()));
        self.bind(&found.target, element);
        if let Some(filter) = &found.filter_expr {
            self.expr(filter);
        }
        self.statements(&found.body);
        self.variables.truncate(known);
        self.statements(&found.else_body);
    }

    /// Names that are taken apart (`for key, value in ...`) may be anything.
    fn bind(&mut self, target: &Expr<'_>, shape: Arc<Shape>) {
        match target {
            Expr::Var(var) => self.variables.push((var.id.to_owned(), shape)),
            Expr::List(list) => list.items.iter().for_each(|item| self.bind(item, Shape::anything())),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.bind(item, Shape::anything())),
            _ => {}
        }
    }

    fn named(&mut self, name: &str) -> Arc<Shape> {
        if let Some((_, shape)) = self.variables.iter().rev().find(|(known, _)| known == name) {
            return Arc::clone(shape);
        }
        self.free.insert(name.to_owned());
        match name {
            "now" => return Shape::of(Kind::Time),
            "nodes" => return Shape::list((self.shapes.objects)(&TypeName::new("nodes", ""))),
            _ => {}
        }
        let slot = self.names.iter().position(|known| known == name);
        slot.and_then(|slot| self.shapes.slots.get(slot)).cloned().unwrap_or_default()
    }

    fn expr(&mut self, expr: &Expr<'_>) -> Arc<Shape> {
        match expr {
            Expr::Var(var) => self.named(var.id),
            Expr::GetAttr(found) => {
                let of = self.expr(&found.expr);
                let end = found.span().end_offset as usize;
                let range = end.saturating_sub(found.name.len())..end;
                self.field(&of, &found.expr, found.name, range)
            }
            Expr::GetItem(found) => {
                let of = self.expr(&found.expr);
                match &found.subscript_expr {
                    Expr::Const(name) if name.value.as_str().is_some() => {
                        let range = bytes(name.span());
                        self.field(&of, &found.expr, name.value.as_str().unwrap_or_default(), range)
                    }
                    other => {
                        self.expr(other);
                        of.element()
                    }
                }
            }
            Expr::Const(found) => match () {
                () if found.value.as_str().is_some() => Shape::of(Kind::Text),
                () if found.value.is_number() => Shape::of(Kind::Number),
                () => Shape::anything(),
            },
            Expr::BinOp(found) => {
                let sides = [self.expr(&found.left), self.expr(&found.right)];
                if let Some(ordered) = binary(found.op) {
                    self.comparison(sides, [&found.left, &found.right], ordered, bytes(found.span()));
                }
                Shape::anything()
            }
            Expr::Compare(found) => {
                let mut left = (&found.expr, self.expr(&found.expr));
                for operation in &found.ops {
                    let right = (&operation.expr, self.expr(&operation.expr));
                    if let Some(ordered) = chained(operation.op) {
                        let range = bytes(left.0.span()).start..bytes(right.0.span()).end;
                        self.comparison([left.1.clone(), right.1.clone()], [left.0, right.0], ordered, range);
                    }
                    left = right;
                }
                Shape::anything()
            }
            Expr::IfExpr(found) => {
                self.expr(&found.test_expr);
                let shape = self.expr(&found.true_expr);
                let other = found.false_expr.as_ref().map(|other| self.expr(other));
                other.map_or_else(Shape::anything, |other| shape.or(&other))
            }
            Expr::Filter(found) => {
                found.expr.iter().for_each(|inner| drop(self.expr(inner)));
                self.arguments(&found.args);
                Shape::anything()
            }
            Expr::Test(found) => {
                self.expr(&found.expr);
                self.arguments(&found.args);
                Shape::of(Kind::Bool)
            }
            Expr::Call(found) => {
                let args = self.arguments(&found.args);
                match &found.expr {
                    Expr::Var(function) => {
                        self.named(function.id);
                        function_result(function.id, &args)
                    }
                    Expr::GetAttr(method) => {
                        let receiver = self.expr(&method.expr);
                        let all: Vec<_> = [receiver].into_iter().chain(args).collect();
                        function_result(method.name, &all)
                    }
                    _ => Shape::anything(),
                }
            }
            Expr::UnaryOp(found) => {
                self.expr(&found.expr);
                Shape::anything()
            }
            Expr::Slice(found) => {
                [&found.start, &found.stop, &found.step].into_iter().flatten().for_each(|bound| drop(self.expr(bound)));
                self.expr(&found.expr)
            }
            Expr::List(found) => {
                found.items.iter().for_each(|item| drop(self.expr(item)));
                Shape::anything()
            }
            Expr::Tuple(found) => {
                found.items.iter().for_each(|item| drop(self.expr(item)));
                Shape::anything()
            }
            Expr::Map(found) => {
                found.values.iter().for_each(|value| drop(self.expr(value)));
                Shape::anything()
            }
        }
    }

    fn arguments(&mut self, args: &[CallArg<'_>]) -> Vec<Arc<Shape>> {
        let of = |arg: &CallArg<'_>| match arg {
            CallArg::Pos(expr) | CallArg::Kwarg(_, expr) | CallArg::PosSplat(expr) | CallArg::KwargSplat(expr) => {
                self.expr(expr)
            }
        };
        args.iter().map(of).collect()
    }

    fn field(&mut self, of: &Shape, base: &Expr<'_>, name: &str, range: Range<usize>) -> Arc<Shape> {
        let (shape, doubt) = self.shapes.field(of, &path(base), name);
        self.doubts.extend(doubt.map(|doubt| Doubt { range, ..doubt }));
        shape
    }

    fn comparison(&mut self, sides: [Arc<Shape>; 2], exprs: [&Expr<'_>; 2], ordered: bool, range: Range<usize>) {
        let texts = exprs.map(path);
        let written = |expr: &Expr<'_>| self.text.get(bytes(expr.span())).unwrap_or_default().to_owned();
        let literals = exprs.map(|expr| matches!(expr, Expr::Const(_)).then(|| written(expr)));
        if let Some(found) = comparison_doubt(&sides, [&texts[0], &texts[1]], &literals, ordered) {
            let range = if found.kind == DoubtKind::CaptureOrder { bytes(exprs[found.side].span()) } else { range };
            self.doubts.push(Doubt { kind: found.kind, range, message: found.message, hint: found.hint });
        }
    }
}

/// Returns an expression as written if it is a plain path: the spans of fields do not include what they are read from.
fn path(expr: &Expr<'_>) -> String {
    match expr {
        Expr::Var(var) => var.id.to_owned(),
        Expr::GetAttr(found) => format!("{}.{}", path(&found.expr), found.name),
        Expr::GetItem(found) => format!("{}[]", path(&found.expr)),
        _ => "this".to_owned(),
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

/// Returns whether an operator compares by order; none if it does not compare.
fn binary(operator: BinOpKind) -> Option<bool> {
    match operator {
        BinOpKind::Eq | BinOpKind::Ne => Some(false),
        BinOpKind::Lt | BinOpKind::Lte | BinOpKind::Gt | BinOpKind::Gte => Some(true),
        _ => None,
    }
}

fn chained(operator: CompareOpKind) -> Option<bool> {
    match operator {
        CompareOpKind::Eq | CompareOpKind::Ne => Some(false),
        CompareOpKind::Lt | CompareOpKind::Lte | CompareOpKind::Gt | CompareOpKind::Gte => Some(true),
        CompareOpKind::In | CompareOpKind::NotIn => None,
    }
}
