//! Parses an expression to an [`Ast`]: precedence climbing over CEL's grammar
//! (<https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax>). Names are resolved, calls checked and constants prepared at
//! once, so that each node knows its place in the text; parsers of CEL expand macros and lose it.

use std::ops::Range;
use std::sync::Arc;

use crate::expr::conjuncts::Conjuncts;
use crate::expr::error::{ErrorKind, ExprError};
use crate::expr::eval::value::{Text, Value};
use crate::expr::expression::{Expr, Tree, Unread};
use crate::expr::nearest::nearest;
use crate::expr::parse::ast::{Arithmetic, Ast, Comparison, Op};
use crate::expr::parse::literal;
use crate::expr::parse::refusal::{refuse, unexpected};
use crate::expr::parse::token::{Token, TokenKind, tokens};
use crate::expr::scope::{Scope, Slot};

/// Maximum depth of trees, so that evaluation can recurse on the 2 MiB stacks of worker threads.
const MAX_DEPTH: usize = 96;

/// Words after which `.name(` is a function of a family, not a method.
const FAMILIES: [&str; 2] = ["math", "lists"];

/// Compiles a text: returns all errors, and the tree if its syntax is valid, with null in place of errors.
fn compile(text: &str, scope: Scope<'_>) -> (Option<Ast>, Vec<ExprError>) {
    let parsed = tokens(text).and_then(|tokens| {
        let mut parser = Parser { text, tokens, at: 0, scope, variables: Vec::new(), errors: Vec::new() };
        let root = parser.expression()?;
        let end = parser.peek();
        if end.kind != TokenKind::End {
            return Err(unexpected(text, end.range(), "the end"));
        }
        Ok((root.ast, parser.errors))
    });
    match parsed {
        Ok((ast, errors)) => (Some(ast), errors),
        Err(error) => (None, vec![error]),
    }
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
        (ast.map(|ast| Self::of(text.into(), ast)), errors)
    }

    /// Takes an expression that the tests of this program compiled, and parses it when it is first used. It may name the first `visible`
    /// names.
    pub fn tested(text: &str, names: &Arc<[String]>, visible: usize, this: Option<Slot>) -> Self {
        Self::later(unread(text, names, visible, this))
    }
}

impl Conjuncts {
    /// Does for the terms of a condition what [`Expr::tested`] does for an expression.
    pub fn tested(text: &str, names: &Arc<[String]>, visible: usize, this: Option<Slot>) -> Self {
        Self::later(unread(text, names, visible, this))
    }
}

fn unread(text: &str, names: &Arc<[String]>, visible: usize, this: Option<Slot>) -> Unread {
    Unread { text: text.into(), names: Arc::clone(names), visible, this, parse: parsed }
}

fn parsed(unread: &Unread) -> Tree {
    let names = unread.names.get(..unread.visible).unwrap_or_default();
    let (ast, _) = compile(&unread.text, Scope { names, this: unread.this, tested: true });
    // A text without a tree was never compiled by tests: null holds nowhere.
    let nothing = || Ast { op: Op::Const(Value::Null), range: 0..unread.text.len() };
    Tree::new(Arc::clone(&unread.text), ast.unwrap_or_else(nothing))
}

pub(in crate::expr) struct Parser<'s> {
    pub text: &'s str,
    /// The last is the end of the text.
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    pub scope: Scope<'s>,
    /// Variables of the enclosing macros, innermost last.
    pub variables: Vec<&'s str>,
    /// Errors other than those of syntax.
    pub errors: Vec<ExprError>,
}

/// A node with its first and last token, brackets around it included, and the height of its tree.
pub(in crate::expr) struct Part {
    pub ast: Ast,
    pub first: usize,
    pub last: usize,
    pub depth: usize,
}

/// A part, or an error of syntax, at which parsing stops.
pub(in crate::expr) type Parsed<T = Part> = Result<T, ExprError>;

impl<'s> Parser<'s> {
    pub fn peek(&self) -> Token {
        self.ahead(0)
    }

    /// Returns the token `ahead` tokens after the next one.
    pub fn ahead(&self, ahead: usize) -> Token {
        let end = Token { kind: TokenKind::End, start: self.text.len(), end: self.text.len() };
        self.tokens.get(self.at + ahead).copied().unwrap_or(end)
    }

    /// Skips the next token and returns its index.
    pub fn skip(&mut self) -> usize {
        self.at += 1;
        self.at - 1
    }

    /// Skips the next token if it is of a kind.
    pub fn skip_if(&mut self, kind: TokenKind) -> bool {
        let found = self.peek().kind == kind;
        self.at += usize::from(found);
        found
    }

    /// Skips the next token, which must be of a kind, and returns its index.
    pub fn expect(&mut self, kind: TokenKind, wanted: &str) -> Parsed<usize> {
        if self.peek().kind == kind { Ok(self.skip()) } else { Err(self.unexpected(wanted)) }
    }

    fn unexpected(&self, wanted: &str) -> ExprError {
        unexpected(self.text, self.peek().range(), wanted)
    }

    /// Returns the bytes of a token.
    pub fn range(&self, token: usize) -> Range<usize> {
        self.tokens.get(token).map_or(self.text.len()..self.text.len(), |token| token.range())
    }

    /// Returns the text of a token; of a name in backquotes without them.
    pub fn written(&self, token: usize) -> &'s str {
        self.text.get(self.range(token)).unwrap_or_default().trim_matches('`')
    }

    /// Makes a node of tokens whose deepest child has this depth.
    pub fn part(&self, op: Op, first: usize, last: usize, depth: usize) -> Parsed {
        if depth >= MAX_DEPTH {
            let message = format!("the expression nests deeper than {MAX_DEPTH} levels");
            return Err(refuse(0..self.text.len(), message, "split it into `value` facts"));
        }
        let range = self.range(first).start..self.range(last).end;
        Ok(Part { ast: Ast { op, range }, first, last, depth: depth + 1 })
    }

    /// Makes a node without children.
    pub fn leaf(&self, op: Op, token: usize) -> Parsed {
        self.part(op, token, token, 0)
    }

    pub fn fail(&mut self, token: usize, message: String, hint: impl Into<Option<String>>) {
        self.fail_in(ErrorKind::Wrong, self.range(token), message, hint);
    }

    pub fn fail_in(&mut self, kind: ErrorKind, range: Range<usize>, message: String, hint: impl Into<Option<String>>) {
        self.errors.push(ExprError { kind, range, message, hint: hint.into() });
    }

    pub fn expression(&mut self) -> Parsed {
        let condition = self.binary(1)?;
        if !self.skip_if(TokenKind::Question) {
            return Ok(condition);
        }
        let yes = self.binary(1)?;
        self.expect(TokenKind::Colon, "`:` in conditional expression")?;
        let no = self.expression()?;
        let (first, last) = (condition.first, no.last);
        let depth = condition.depth.max(yes.depth).max(no.depth);
        self.part(Op::Choose(Box::new([condition.ast, yes.ast, no.ast])), first, last, depth)
    }

    /// Parses operators that bind at least so strongly.
    fn binary(&mut self, least: u8) -> Parsed {
        let mut left = self.unary()?;
        while let Some(operator) = Operator::of(self.peek().kind).filter(|operator| operator.precedence() >= least) {
            left = match operator {
                Operator::And | Operator::Or => self.chain(left, operator)?,
                _ => {
                    self.skip();
                    let right = self.binary(operator.precedence() + 1)?;
                    let (first, last, depth) = (left.first, right.last, left.depth.max(right.depth));
                    let op = self.operation(operator, left.ast, right.ast);
                    self.part(op, first, last, depth)?
                }
            };
        }
        Ok(left)
    }

    /// Parses a chain of `&&` or of `||`; bracketed chains in it become part of it.
    fn chain(&mut self, left: Part, operator: Operator) -> Parsed {
        let is_and = matches!(operator, Operator::And);
        let kind = if is_and { TokenKind::And } else { TokenKind::Or };
        let (first, mut last, mut depth) = (left.first, left.last, left.depth);
        let mut terms = Vec::new();
        let mut add = |ast: Ast| match ast.op {
            Op::And(inner) if is_and => terms.extend(inner),
            Op::Or(inner) if !is_and => terms.extend(inner),
            op => terms.push(Ast { op, range: ast.range }),
        };
        add(left.ast);
        while self.skip_if(kind) {
            let right = self.binary(operator.precedence() + 1)?;
            (last, depth) = (right.last, depth.max(right.depth));
            add(right.ast);
        }
        self.part(if is_and { Op::And(terms) } else { Op::Or(terms) }, first, last, depth)
    }

    /// Parses prefixes and what follows them; two equal ones in a row cancel each other.
    fn unary(&mut self) -> Parsed {
        let start = self.at;
        while matches!(self.peek().kind, TokenKind::Not | TokenKind::Minus) {
            self.skip();
        }
        let is_negative_number =
            self.at == start + 1 && matches!(self.tokens.get(start), Some(token) if token.kind == TokenKind::Minus);
        let number = is_negative_number.then(|| self.negative_number(start)).transpose()?.flatten();
        if let Some(number) = number {
            return self.postfix(number);
        }
        let mut prefixes: Vec<usize> = Vec::new();
        for token in start..self.at {
            let kind = |token: usize| self.tokens.get(token).map(|token| token.kind);
            match prefixes.last() {
                Some(last) if kind(*last) == kind(token) => _ = prefixes.pop(),
                _ => prefixes.push(token),
            }
        }
        let operand = self.primary()?;
        let mut part = self.postfix(operand)?;
        for token in prefixes.into_iter().rev() {
            let inner = Box::new(part.ast);
            let is_not = self.tokens.get(token).is_some_and(|token| token.kind == TokenKind::Not);
            let op = if is_not { Op::Not(inner) } else { Op::Negate(inner) };
            part = self.part(op, token, part.last, part.depth)?;
        }
        Ok(part)
    }

    /// Parses the number after a single minus, if there is one.
    fn negative_number(&mut self, minus: usize) -> Parsed<Option<Part>> {
        let written = self.written(self.at);
        let value = match self.peek().kind {
            TokenKind::Int => literal::int(written, true).map(Value::Int),
            TokenKind::Double => literal::double(written).map(|number| Value::Double(-number)),
            _ => return Ok(None),
        };
        let Some(value) = value else { return Err(self.too_large()) };
        let last = self.skip();
        self.part(Op::Const(value), minus, last, 0).map(Some)
    }

    fn too_large(&self) -> ExprError {
        let written = self.written(self.at);
        refuse(self.peek().range(), format!("`{written}` is too large"), "a whole number has 63 bits and a sign")
    }

    /// Parses fields, methods and indexes of a value.
    fn postfix(&mut self, mut part: Part) -> Parsed {
        loop {
            part = match self.peek().kind {
                TokenKind::Dot => self.member(part)?,
                TokenKind::LeftBracket => self.index(part)?,
                TokenKind::LeftBrace if is_path(&part.ast) => {
                    let message = "messages such as Name{...} are not part of the rule language".to_owned();
                    return Err(refuse(self.range(part.first), message, "write a map: {'key': value}"));
                }
                _ => return Ok(part),
            };
        }
    }

    fn member(&mut self, base: Part) -> Parsed {
        self.skip();
        if !matches!(self.peek().kind, TokenKind::Name | TokenKind::Reserved) {
            return Err(self.unexpected("a name after `.`"));
        }
        let is_call = self.ahead(1).kind == TokenKind::LeftParen;
        self.check_quoted(!is_call)?;
        let name = self.skip();
        if is_call {
            return self.call(name, Some(base));
        }
        let op = Op::Field(Box::new(base.ast), self.written(name).into());
        self.part(op, base.first, name, base.depth)
    }

    /// Rejects backquotes around the next name where none may be, and around what is no name.
    fn check_quoted(&self, may_be_quoted: bool) -> Parsed<()> {
        let token = self.peek();
        let written = self.text.get(token.range()).unwrap_or_default();
        let Some(inside) = written.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else { return Ok(()) };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' ');
        if may_be_quoted && !inside.is_empty() && inside.chars().all(is_name) {
            return Ok(());
        }
        let hint =
            "backquotes enclose the name of a field after a dot, with letters, digits, `_`, `.`, `-`, `/` and blanks";
        Err(refuse(token.range(), "these backquotes are not expected here".to_owned(), hint))
    }

    fn index(&mut self, base: Part) -> Parsed {
        self.skip();
        let key = self.expression()?;
        let last = self.expect(TokenKind::RightBracket, "`]`")?;
        let depth = base.depth.max(key.depth);
        let op = match key.ast.op {
            // A constant name is a field, so both spellings evaluate and trace alike.
            Op::Const(Value::Str(name)) => Op::Field(Box::new(base.ast), name.as_str().into()),
            op => Op::Index(Box::new([base.ast, Ast { op, range: key.ast.range }])),
        };
        self.part(op, base.first, last, depth)
    }

    fn primary(&mut self) -> Parsed {
        match self.peek().kind {
            TokenKind::LeftParen => {
                let first = self.skip();
                let inner = self.expression()?;
                let last = self.expect(TokenKind::RightParen, "`)`")?;
                Ok(Part { first, last, ..inner })
            }
            TokenKind::LeftBracket => self.list(),
            TokenKind::LeftBrace => self.map(),
            TokenKind::Name | TokenKind::Reserved => self.name(),
            // A name from the root, which facts are.
            TokenKind::Dot if matches!(self.ahead(1).kind, TokenKind::Name | TokenKind::Reserved) => {
                self.skip();
                self.name()
            }
            _ => {
                let value = self.constant()?;
                let token = self.skip();
                self.leaf(Op::Const(value), token)
            }
        }
    }

    fn constant(&self) -> Parsed<Value<'static>> {
        let written = self.text.get(self.peek().range()).unwrap_or_default();
        match self.peek().kind {
            TokenKind::Null => Ok(Value::Null),
            TokenKind::True => Ok(Value::Bool(true)),
            TokenKind::False => Ok(Value::Bool(false)),
            TokenKind::Int => literal::int(written, false).map(Value::Int).ok_or_else(|| self.too_large()),
            TokenKind::Unsigned => literal::unsigned(written).ok_or_else(|| self.too_large()),
            TokenKind::Double => literal::double(written).map(Value::Double).ok_or_else(|| self.too_large()),
            TokenKind::Text => match literal::text(written) {
                Some(text) => Ok(Value::Str(Text::Shared(text.into()))),
                None => {
                    let message = format!("`{written}` has an escape that CEL does not know");
                    Err(refuse(
                        self.peek().range(),
                        message,
                        "write patterns as r'...', in which \\ is nothing special",
                    ))
                }
            },
            _ => Err(self.unexpected("")),
        }
    }

    fn list(&mut self) -> Parsed {
        let first = self.skip();
        let (mut items, mut depth) = (Vec::new(), 0);
        while self.peek().kind != TokenKind::RightBracket {
            let item = self.expression()?;
            depth = depth.max(item.depth);
            items.push(item.ast);
            if !self.skip_if(TokenKind::Comma) {
                break;
            }
        }
        let last = self.expect(TokenKind::RightBracket, "`]`")?;
        self.part(Op::List(items), first, last, depth)
    }

    fn map(&mut self) -> Parsed {
        let first = self.skip();
        let (mut entries, mut depth) = (Vec::new(), 0);
        while self.peek().kind != TokenKind::RightBrace {
            let key = self.expression()?;
            self.expect(TokenKind::Colon, "`:` in map entry")?;
            let value = self.expression()?;
            depth = depth.max(key.depth).max(value.depth);
            entries.push([key.ast, value.ast]);
            if !self.skip_if(TokenKind::Comma) {
                break;
            }
        }
        let last = self.expect(TokenKind::RightBrace, "`}`")?;
        self.part(Op::Map(entries), first, last, depth)
    }

    /// Parses a name and, if brackets follow, its call.
    fn name(&mut self) -> Parsed {
        self.check_quoted(false)?;
        let token = self.peek();
        let written = self.written(self.at);
        if token.kind == TokenKind::Reserved {
            let message = format!("`{written}` is a reserved word of CEL");
            return Err(refuse(token.range(), message, "choose another name for the fact"));
        }
        let name = self.skip();
        if self.peek().kind == TokenKind::LeftParen {
            return self.call(name, None);
        }
        let op = self.resolve(written);
        let is_method = [self.peek(), self.ahead(1), self.ahead(2)].map(|token| token.kind)
            == [TokenKind::Dot, TokenKind::Name, TokenKind::LeftParen];
        if op.is_none() && is_method && FAMILIES.contains(&written) {
            return self.family_call(name);
        }
        let op = op.unwrap_or_else(|| {
            self.unknown_name(name, written);
            Op::Const(Value::Null)
        });
        self.leaf(op, name)
    }

    pub fn resolve(&self, name: &str) -> Option<Op> {
        if let Some(index) = self.variables.iter().rev().position(|variable| *variable == name) {
            return Some(Op::Var(index));
        }
        match name {
            "self" => return self.scope.this.map(Op::Slot),
            "now" => return Some(Op::Now),
            "nodes" => return Some(Op::Nodes),
            _ => {}
        }
        self.scope.names.iter().position(|known| known == name).map(Op::Slot)
    }

    fn unknown_name(&mut self, token: usize, name: &str) {
        let (message, hint) = match name {
            "self" => (
                "`self` is known only in the `where` of a fact".to_owned(),
                Some("write the name of the fact".to_owned()),
            ),
            "rows" => ("`rows` is known only in texts".to_owned(), None),
            _ => {
                let facts = self.scope.names.iter().map(String::as_str);
                let known: Vec<&str> = self.variables.iter().copied().chain(facts).chain(["now", "nodes"]).collect();
                let hint = nearest(name, known.iter().copied()).map_or_else(
                    || format!("names here: {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                (format!("unknown name `{name}`"), Some(hint))
            }
        };
        self.fail_in(ErrorKind::Unbound(name.to_owned()), self.range(token), message, hint);
    }

    fn operation(&mut self, operator: Operator, a: Ast, b: Ast) -> Op {
        match operator {
            Operator::Compare(comparison) => self.comparison(comparison, a, b),
            Operator::Arithmetic(arithmetic) => Op::Arithmetic(arithmetic, Box::new([a, b])),
            Operator::In | Operator::And | Operator::Or => {
                self.refuse_empty(&b);
                membership(a, b)
            }
        }
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
                let hint = "an empty string reads as null: compare with null; 'key' in its mapping tells it from an absent key";
                self.fail_in(ErrorKind::Wrong, ast.range.clone(), message, hint.to_owned());
            }
            Op::List(items) => items.iter().for_each(|item| self.refuse_empty(item)),
            _ => {}
        }
    }
}

/// `a in b`. As beside `==`, a null that is written in the list means an absent value.
fn membership(a: Ast, mut b: Ast) -> Op {
    let is_null = |item: &Ast| matches!(item.op, Op::Const(Value::Null));
    match &mut b.op {
        Op::List(items) if items.iter().any(is_null) => items.retain(|item| !is_null(item)),
        _ => return Op::In(Box::new([a, b])),
    }
    let (of_a, range) = (a.range.clone(), a.range.start..b.range.end);
    let absent = Ast { op: Op::IsNull(Box::new(a.clone())), range: of_a };
    Op::Or(vec![absent, Ast { op: Op::In(Box::new([a, b])), range }])
}

/// Returns whether it is a name, or a field of one.
fn is_path(ast: &Ast) -> bool {
    match &ast.op {
        Op::Field(base, _) => is_path(base),
        op => matches!(op, Op::Slot(_) | Op::Var(_) | Op::Now | Op::Nodes | Op::Const(Value::Null)),
    }
}

/// Operator between two operands.
#[derive(Clone, Copy)]
enum Operator {
    Or,
    And,
    Compare(Comparison),
    In,
    Arithmetic(Arithmetic),
}

impl Operator {
    fn of(kind: TokenKind) -> Option<Self> {
        Some(match kind {
            TokenKind::Or => Self::Or,
            TokenKind::And => Self::And,
            TokenKind::Equal => Self::Compare(Comparison::Equal),
            TokenKind::NotEqual => Self::Compare(Comparison::NotEqual),
            TokenKind::Less => Self::Compare(Comparison::Less),
            TokenKind::LessOrEqual => Self::Compare(Comparison::LessOrEqual),
            TokenKind::Greater => Self::Compare(Comparison::Greater),
            TokenKind::GreaterOrEqual => Self::Compare(Comparison::GreaterOrEqual),
            TokenKind::In => Self::In,
            TokenKind::Plus => Self::Arithmetic(Arithmetic::Add),
            TokenKind::Minus => Self::Arithmetic(Arithmetic::Subtract),
            TokenKind::Times => Self::Arithmetic(Arithmetic::Multiply),
            TokenKind::Divide => Self::Arithmetic(Arithmetic::Divide),
            TokenKind::Remainder => Self::Arithmetic(Arithmetic::Remainder),
            _ => return None,
        })
    }

    /// Returns how strongly it binds.
    fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Compare(_) | Self::In => 3,
            Self::Arithmetic(Arithmetic::Add | Arithmetic::Subtract) => 4,
            Self::Arithmetic(_) => 5,
        }
    }
}
