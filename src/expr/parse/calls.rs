//! Compiles calls: functions are looked up and checked, macros bind their variables.

use cel::common::ast::{CallExpr, Expr as Tree, IdedExpr};

use crate::expr::eval::value::Value;
use crate::expr::functions;
use crate::expr::functions::function::{Function, Takes};
use crate::expr::nearest::nearest;
use crate::expr::parse::ast::{Ast, Call, Macro, MacroKind, Op};
use crate::expr::parse::compile::{CompiledNode, Compiler};
use crate::expr::parse::pattern::Pattern;
use crate::expr::parse::prepared::Prepared;
use crate::expr::parse::source::MACROS;
use crate::resource::types;

impl Compiler<'_> {
    pub(in crate::expr) fn named_call(&mut self, call: &CallExpr) -> CompiledNode {
        if let Some(space) = self.namespace(call) {
            let token = self.source.leaf_token(self.take());
            let name = self.take();
            let full = format!("{space}.{}", self.source.leaf_text(name));
            return self.function(name, &full, Vec::new(), token, &call.args);
        }
        let target = call.target.as_deref().map(|target| self.node(target));
        let leaf = self.take();
        let name = self.source.leaf_text(leaf);
        if MACROS.contains(&name) {
            return self.macro_call(leaf, name, target, &call.args);
        }
        let first = target.as_ref().map_or_else(|| self.source.leaf_token(leaf), |t| t.first);
        let args = target.into_iter().map(|t| t.ast).collect();
        self.function(leaf, name, args, first, &call.args)
    }

    /// `math.` and `lists.` are families of functions, not names.
    fn namespace(&self, call: &CallExpr) -> Option<&'static str> {
        let target = call.target.as_deref()?;
        let Tree::Ident(name) = &target.expr else { return None };
        let space = ["math", "lists"].into_iter().find(|space| space == name)?;
        self.resolve(space).is_none().then_some(space)
    }

    fn function(
        &mut self,
        leaf: usize,
        name: &str,
        mut args: Vec<Ast>,
        first: usize,
        more: &[IdedExpr],
    ) -> CompiledNode {
        // Including the bracket after the name extends the range to the end of the call.
        let mut last = self.source.leaf_token(leaf) + 1;
        for arg in more {
            let part = self.node(arg);
            last = last.max(part.last);
            args.push(part.ast);
        }
        let op = match functions::find(name) {
            Some(function) => self.checked_call(leaf, name, function, args),
            None => {
                self.unknown_function(leaf, name);
                Op::Const(Value::Null)
            }
        };
        self.part(op, first, last)
    }

    fn checked_call(&mut self, leaf: usize, name: &str, function: &'static Function, args: Vec<Ast>) -> Op {
        if let Err(takes) = function.check_count(args.len()) {
            self.fail(leaf, format!("{name} {takes}"), format!("write {}", function.usage(name)));
            return Op::Const(Value::Null);
        }
        for (position, arg) in args.iter().enumerate() {
            if let Op::Const(value) = &arg.op
                && let Err((message, hint)) = function.check_constant(position, value)
            {
                self.fail_at(arg, message, hint);
            }
        }
        let prepared = self.prepare(function, &args);
        Op::Call(Box::new(Call { function, args, prepared }))
    }

    fn prepare(&mut self, function: &'static Function, args: &[Ast]) -> Prepared {
        let constant = |position: usize| match args.get(position).map(|arg| &arg.op) {
            Some(Op::Const(Value::Str(text))) => Some(text.as_str()),
            _ => None,
        };
        if let Some(position) = function.position(Takes::Pattern) {
            let Some(arg) = args.get(position) else { return Prepared::Nothing };
            let tested = self.scope.tested;
            let read = |text: &str| if tested { Ok(Pattern::tested(text)) } else { Pattern::new(text) };
            return match constant(position).map(read) {
                Some(Ok(pattern)) => Prepared::Pattern(pattern),
                Some(Err(message)) => {
                    self.fail_at(arg, message, "patterns are regular expressions in r'...'".to_owned());
                    Prepared::Nothing
                }
                None => {
                    self.fail_at(
                        arg,
                        format!("the pattern of {} must be a text", function.name),
                        "write r'...'".to_owned(),
                    );
                    Prepared::Nothing
                }
            };
        }
        match function.position(Takes::TypeOrReference).and_then(constant) {
            Some(text) => Prepared::Type(types::resolve(text).name),
            None => Prepared::Nothing,
        }
    }

    fn unknown_function(&mut self, leaf: usize, name: &str) {
        let known = functions::named().map(|(name, _)| name).chain(MACROS);
        let hint = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        self.fail(leaf, format!("there is no function `{name}`"), hint);
    }

    fn macro_call(&mut self, leaf: usize, name: &str, target: Option<CompiledNode>, args: &[IdedExpr]) -> CompiledNode {
        if name == "has" {
            return self.has(leaf, target, args);
        }
        let usage =
            if name == "sortBy" { "list.sortBy(x, x.field)".to_owned() } else { format!("list.{name}(x, ...)") };
        let shape = MacroArguments::parse(name, args, |variable| self.resolve(variable).is_some());
        let (Some(range), Some(shape)) = (target, shape) else {
            self.fail(leaf, format!("{name} takes a list, a name and an expression"), format!("write {usage}"));
            // Skips the leaves of the arguments.
            for arg in args {
                self.skip(arg);
            }
            let token = self.source.leaf_token(leaf);
            return self.part(Op::Const(Value::Null), token, token);
        };
        self.bind(shape.variables);
        let filter = shape.filter.map(|tree| self.node(tree).ast);
        let body = self.node(shape.body);
        self.variables.truncate(self.variables.len() - shape.variables.len());
        let pair = shape.variables.len() == 2;
        let last = body.last.max(self.source.leaf_token(leaf) + 1);
        let found = Macro { kind: shape.kind, range: range.ast, pair, filter, body: body.ast, closed: None }.closed();
        self.part(Op::Macro(Box::new(found)), range.first, last)
    }

    /// Compiles for the leaves only: variables are not bound, so names are not reported.
    fn skip(&mut self, tree: &IdedExpr) {
        let errors = std::mem::take(&mut self.errors);
        self.node(tree);
        self.errors = errors;
    }

    fn has(&mut self, leaf: usize, target: Option<CompiledNode>, args: &[IdedExpr]) -> CompiledNode {
        let first = self.source.leaf_token(leaf);
        let (None, [arg]) = (target, args) else {
            self.fail(leaf, "has takes one value".to_owned(), "write has(x.field), or x.field != null".to_owned());
            for arg in args {
                self.skip(arg);
            }
            return self.part(Op::Const(Value::Null), first, first);
        };
        let arg = self.node(arg);
        let range = arg.ast.range.clone();
        let test = Ast { op: Op::IsNull(Box::new(arg.ast)), range };
        self.part(Op::Not(Box::new(test)), first, arg.last.max(first + 1))
    }

    fn bind(&mut self, names: &[IdedExpr]) {
        for _ in names {
            let leaf = self.take();
            let name = self.source.leaf_text(leaf).to_owned();
            if self.resolve(&name).is_some() || name == "self" || name == "rows" {
                self.fail(
                    leaf,
                    format!("`{name}` already means something here"),
                    "choose another name for the element".to_owned(),
                );
            }
            self.variables.push(name);
        }
    }
}

/// Arguments of a macro by their meaning.
struct MacroArguments<'t> {
    kind: MacroKind,
    variables: &'t [IdedExpr],
    filter: Option<&'t IdedExpr>,
    body: &'t IdedExpr,
}

impl<'t> MacroArguments<'t> {
    fn parse(name: &str, args: &'t [IdedExpr], known: impl Fn(&str) -> bool) -> Option<Self> {
        let kind = match name {
            "exists" => MacroKind::Exists,
            "all" => MacroKind::All,
            "exists_one" => MacroKind::ExistsOne,
            "map" => MacroKind::Map,
            "filter" => MacroKind::Filter,
            _ => MacroKind::SortBy,
        };
        let is_name = |tree: &IdedExpr| matches!(tree.expr, Tree::Ident(_));
        let is_new = |tree: &IdedExpr| matches!(&tree.expr, Tree::Ident(name) if !known(name));
        let (variables, filter, body) = match (kind, args) {
            (_, [_, body]) => (args.get(..1)?, None, body),
            // `map(x, condition, value)` and `map(k, v, value)`: a second new name is a variable.
            (MacroKind::Map, [_, filter, body]) if !is_new(filter) => (args.get(..1)?, Some(filter), body),
            (MacroKind::Map, [_, _, filter, body]) => (args.get(..2)?, Some(filter), body),
            (MacroKind::SortBy, _) => return None,
            (_, [_, _, body]) => (args.get(..2)?, None, body),
            _ => return None,
        };
        variables.iter().all(is_name).then_some(Self { kind, variables, filter, body })
    }
}
