//! Compiles the parser's tree to an [`Ast`]: names are resolved, calls checked, constants prepared.

use cel::common::ast::{CallExpr, EntryExpr, Expr as Tree, IdedExpr, LiteralValue, MapExpr, operators};

use crate::expr::error::{ErrorKind, ExprError};
use crate::expr::eval::value::{Text, Value};
use crate::expr::expression::Expr;
use crate::expr::nearest::nearest;
use crate::expr::parse::ast::{Arithmetic, Ast, Comparison, Op};
use crate::expr::parse::source::{Source, error};
use crate::expr::scope::Scope;

/// Maximum depth of trees, so that evaluation can recurse on the 2 MiB stacks of worker threads.
const MAX_DEPTH: usize = 96;

/// Compiles a text: returns all errors, and the tree if there is one, with null in place of errors.
pub(in crate::expr) fn compile(text: &str, scope: Scope<'_>) -> (Option<Ast>, Vec<ExprError>) {
    let parsed = Source::tokenize(text).and_then(|source| source.parse().map(|tree| (source, tree)));
    let (source, tree) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return (None, vec![error]),
    };
    let mut compiler = Compiler {
        source: &source,
        scope,
        variables: Vec::new(),
        leaf: 0,
        depth: 0,
        too_deep: false,
        errors: Vec::new(),
    };
    let ast = compiler.node(&tree).ast;
    (Some(ast), compiler.errors)
}

impl Expr {
    /// Compiles an expression; reports all errors at once.
    ///
    /// # Errors
    ///
    /// Returns one syntax error, or every unknown name, wrong call and bad constant.
    pub fn compile(text: &str, scope: Scope<'_>) -> Result<Self, Vec<ExprError>> {
        match Self::attempt(text, scope) {
            (Some(expr), errors) if errors.is_empty() => Ok(expr),
            (_, errors) => Err(errors),
        }
    }

    /// Like [`Expr::compile`], but also returns the valid parts along with the errors, for more checks.
    pub fn attempt(text: &str, scope: Scope<'_>) -> (Option<Self>, Vec<ExprError>) {
        let (ast, errors) = compile(text, scope);
        (ast.map(|ast| Self::new(text.into(), text.into(), ast)), errors)
    }
}

pub(in crate::expr) struct Compiler<'c> {
    pub source: &'c Source<'c>,
    pub scope: Scope<'c>,
    /// Variables of the enclosing macros, innermost last.
    pub variables: Vec<String>,
    /// The next token that becomes a leaf.
    leaf: usize,
    depth: usize,
    too_deep: bool,
    pub errors: Vec<ExprError>,
}

/// A compiled node with its first and last token.
pub(in crate::expr) struct CompiledNode {
    pub ast: Ast,
    pub first: usize,
    pub last: usize,
}

impl Compiler<'_> {
    pub(in crate::expr) fn node(&mut self, tree: &IdedExpr) -> CompiledNode {
        if self.depth >= MAX_DEPTH || self.too_deep {
            return self.refuse_depth();
        }
        self.depth += 1;
        let part = self.node_inside(tree);
        self.depth -= 1;
        part
    }

    fn refuse_depth(&mut self) -> CompiledNode {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("the expression nests deeper than {MAX_DEPTH} levels");
            self.errors.push(error(0..self.source.text.len(), message, "split it into `value` facts"));
        }
        self.part(Op::Const(Value::Null), 0, 0)
    }

    fn node_inside(&mut self, tree: &IdedExpr) -> CompiledNode {
        match &tree.expr {
            Tree::Ident(_) => self.ident(),
            Tree::Literal(value) => self.literal(value),
            Tree::Select(select) => {
                let base = self.node(&select.operand);
                let name = self.take();
                let op = Op::Field(Box::new(base.ast), self.source.leaf_text(name).into());
                self.part(op, base.first, self.source.leaf_token(name))
            }
            Tree::List(list) => self.list(&list.elements),
            Tree::Map(map) => self.map(map),
            Tree::Call(call) => self.call(call),
            Tree::Struct(_) => self.unsupported(
                "messages such as Name{...} are not part of the rule language",
                "write a map: {'key': value}",
            ),
            Tree::Comprehension(_) | Tree::Unspecified => {
                self.unsupported("this is not part of the rule language", "see the rule language, section 4")
            }
        }
    }

    fn unsupported(&mut self, message: &str, hint: &str) -> CompiledNode {
        let token = self.source.leaf_token(self.leaf);
        self.errors.push(error(self.source.token_range(token), message.to_owned(), hint));
        // The tokens no longer match the rest of the tree.
        self.too_deep = true;
        self.part(Op::Const(Value::Null), token, token)
    }

    pub(in crate::expr) fn part(&self, op: Op, first: usize, last: usize) -> CompiledNode {
        CompiledNode { ast: Ast { op, range: self.source.span(first, last) }, first, last }
    }

    pub(in crate::expr) fn take(&mut self) -> usize {
        self.leaf += 1;
        self.leaf - 1
    }

    pub(in crate::expr) fn fail(&mut self, leaf: usize, message: String, hint: impl Into<Option<String>>) {
        self.fail_as(ErrorKind::Wrong, leaf, message, hint);
    }

    pub(in crate::expr) fn fail_as(
        &mut self,
        kind: ErrorKind,
        leaf: usize,
        message: String,
        hint: impl Into<Option<String>>,
    ) {
        if !self.too_deep {
            let range = self.source.token_range(self.source.leaf_token(leaf));
            self.errors.push(ExprError { kind, range, message, hint: hint.into() });
        }
    }

    pub(in crate::expr) fn fail_at(&mut self, ast: &Ast, message: String, hint: impl Into<Option<String>>) {
        if !self.too_deep {
            let kind = ErrorKind::Wrong;
            self.errors.push(ExprError { kind, range: ast.range.clone(), message, hint: hint.into() });
        }
    }

    fn ident(&mut self) -> CompiledNode {
        let leaf = self.take();
        let name = self.source.leaf_text(leaf);
        let token = self.source.leaf_token(leaf);
        let op = self.resolve(name).unwrap_or_else(|| {
            self.unknown_name(leaf, name);
            Op::Const(Value::Null)
        });
        self.part(op, token, token)
    }

    pub(in crate::expr) fn resolve(&self, name: &str) -> Option<Op> {
        if let Some(index) = self.variables.iter().rev().position(|v| v == name) {
            return Some(Op::Var(index));
        }
        match name {
            "self" => return self.scope.this.map(Op::Slot),
            "now" => return Some(Op::Now),
            "nodes" => return Some(Op::Nodes),
            _ => {}
        }
        self.scope.names.iter().position(|n| n == name).map(Op::Slot)
    }

    fn unknown_name(&mut self, leaf: usize, name: &str) {
        let (message, hint) = match name {
            "self" => (
                "`self` is known only in the `where` of a fact".to_owned(),
                Some("write the name of the fact".to_owned()),
            ),
            "rows" => ("`rows` is known only in texts".to_owned(), None),
            _ => {
                let names = self.variables.iter().chain(self.scope.names).map(String::as_str);
                let known: Vec<&str> = names.chain(["now", "nodes"]).collect();
                let hint = nearest(name, known.iter().copied()).map_or_else(
                    || format!("names here: {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                (format!("unknown name `{name}`"), Some(hint))
            }
        };
        self.fail_as(ErrorKind::Unbound(name.to_owned()), leaf, message, hint);
    }

    fn literal(&mut self, value: &LiteralValue) -> CompiledNode {
        let leaf = self.take();
        let token = self.source.leaf_token(leaf);
        let value = match value {
            LiteralValue::Null => Value::Null,
            LiteralValue::Boolean(b) => Value::Bool(*b.inner()),
            LiteralValue::Int(i) => Value::Int(*i.inner()),
            LiteralValue::UInt(u) => {
                let number: u64 = *u.inner();
                i64::try_from(number).map_or(Value::Double(number as f64), Value::Int)
            }
            LiteralValue::Double(d) => Value::Double(*d.inner()),
            LiteralValue::String(s) => Value::Str(Text::Shared(s.inner().into())),
            LiteralValue::Bytes(_) => Value::Null,
        };
        self.part(Op::Const(value), token, token)
    }

    fn list(&mut self, elements: &[IdedExpr]) -> CompiledNode {
        let leaf = self.take();
        let first = self.source.leaf_token(leaf);
        let parts: Vec<CompiledNode> = elements.iter().map(|element| self.node(element)).collect();
        let last = parts.last().map_or(first, |part| part.last);
        self.part(Op::List(parts.into_iter().map(|part| part.ast).collect()), first, last)
    }

    fn map(&mut self, map: &MapExpr) -> CompiledNode {
        let leaf = self.take();
        let first = self.source.leaf_token(leaf);
        let mut last = first;
        let mut entries = Vec::new();
        for entry in &map.entries {
            if let EntryExpr::MapEntry(entry) = &entry.expr {
                let (key, value) = (self.node(&entry.key), self.node(&entry.value));
                last = value.last;
                entries.push([key.ast, value.ast]);
            }
        }
        self.part(Op::Map(entries), first, last)
    }

    fn call(&mut self, call: &CallExpr) -> CompiledNode {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_NOT, [inner]) => self.prefixed(inner, true),
            (operators::NEGATE, [inner]) => self.prefixed(inner, false),
            (operators::LOGICAL_AND, terms) => self.logical(terms, operators::LOGICAL_AND, Op::And),
            (operators::LOGICAL_OR, terms) => self.logical(terms, operators::LOGICAL_OR, Op::Or),
            (operators::CONDITIONAL, [a, b, c]) => {
                let (a, b, c) = (self.node(a), self.node(b), self.node(c));
                let (first, last) = (a.first, c.last);
                self.part(Op::Choose(Box::new([a.ast, b.ast, c.ast])), first, last)
            }
            (name, [a, b]) if call.target.is_none() && binary(name).is_some() => self.binary(name, a, b),
            _ => self.named_call(call),
        }
    }

    fn prefixed(&mut self, inner: &IdedExpr, negation: bool) -> CompiledNode {
        let inner = self.node(inner);
        let first = self.source.prefix(inner.first, negation);
        let op = if negation { Op::Not(Box::new(inner.ast)) } else { Op::Negate(Box::new(inner.ast)) };
        self.part(op, first, inner.last)
    }

    /// Merges bracketed chains into the chain around them.
    fn logical(&mut self, terms: &[IdedExpr], name: &str, make: fn(Vec<Ast>) -> Op) -> CompiledNode {
        let mut parts = Vec::new();
        for term in terms {
            parts.push(self.node(term));
        }
        let (first, last) = (parts.first().map_or(0, |p| p.first), parts.last().map_or(0, |p| p.last));
        let mut flat = Vec::new();
        for part in parts {
            match part.ast.op {
                Op::And(inner) if name == operators::LOGICAL_AND => flat.extend(inner),
                Op::Or(inner) if name == operators::LOGICAL_OR => flat.extend(inner),
                op => flat.push(Ast { op, range: part.ast.range }),
            }
        }
        self.part(make(flat), first, last)
    }

    fn binary(&mut self, name: &str, a: &IdedExpr, b: &IdedExpr) -> CompiledNode {
        let (a, b) = (self.node(a), self.node(b));
        let (first, last) = (a.first, b.last);
        let op = match binary(name) {
            Some(Binary::Compare(comparison)) => self.comparison(comparison, a.ast, b.ast),
            Some(Binary::Arithmetic(arithmetic)) => Op::Arithmetic(arithmetic, Box::new([a.ast, b.ast])),
            Some(Binary::In) => {
                self.refuse_empty(&b.ast);
                Op::In(Box::new([a.ast, b.ast]))
            }
            Some(Binary::Index) | None => self.index(a.ast, b.ast),
        };
        self.part(op, first, last)
    }

    fn index(&mut self, base: Ast, key: Ast) -> Op {
        // A constant name is a field, so both spellings evaluate and trace alike.
        if let Op::Const(Value::Str(name)) = &key.op {
            return Op::Field(Box::new(base), name.as_str().into());
        }
        Op::Index(Box::new([base, key]))
    }

    fn comparison(&mut self, comparison: Comparison, a: Ast, b: Ast) -> Op {
        if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            return Op::Compare(comparison, Box::new([a, b]));
        }
        self.refuse_empty(&a);
        self.refuse_empty(&b);
        let operand = match (&a.op, &b.op) {
            (_, Op::Const(Value::Null)) => a,
            (Op::Const(Value::Null), _) => b,
            _ => return Op::Compare(comparison, Box::new([a, b])),
        };
        let range = operand.range.clone();
        let test = Op::IsNull(Box::new(operand));
        if comparison == Comparison::Equal { test } else { Op::Not(Box::new(Ast { op: test, range })) }
    }

    fn refuse_empty(&mut self, ast: &Ast) {
        match &ast.op {
            Op::Const(Value::Str(text)) if text.as_str().is_empty() => {
                let message = "nothing equals the empty text".to_owned();
                self.fail_at(ast, message, "an empty string reads as null: compare with null; 'key' in its mapping tells it from an absent key".to_owned());
            }
            Op::List(items) => {
                for item in items {
                    self.refuse_empty(item);
                }
            }
            _ => {}
        }
    }
}

enum Binary {
    Compare(Comparison),
    Arithmetic(Arithmetic),
    In,
    Index,
}

fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        operators::EQUALS => Binary::Compare(Comparison::Equal),
        operators::NOT_EQUALS => Binary::Compare(Comparison::NotEqual),
        operators::LESS => Binary::Compare(Comparison::Less),
        operators::LESS_EQUALS => Binary::Compare(Comparison::LessOrEqual),
        operators::GREATER => Binary::Compare(Comparison::Greater),
        operators::GREATER_EQUALS => Binary::Compare(Comparison::GreaterOrEqual),
        operators::ADD => Binary::Arithmetic(Arithmetic::Add),
        operators::SUBSTRACT => Binary::Arithmetic(Arithmetic::Subtract),
        operators::MULTIPLY => Binary::Arithmetic(Arithmetic::Multiply),
        operators::DIVIDE => Binary::Arithmetic(Arithmetic::Divide),
        operators::MODULO => Binary::Arithmetic(Arithmetic::Remainder),
        operators::IN => Binary::In,
        operators::INDEX => Binary::Index,
        _ => return None,
    })
}
