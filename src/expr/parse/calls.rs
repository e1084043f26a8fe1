//! Parses calls: functions are looked up and checked, macros bind their variables.

use crate::expr::error::ErrorKind;
use crate::expr::eval::value::Value;
use crate::expr::functions;
use crate::expr::functions::function::{Function, Takes};
use crate::expr::nearest::nearest;
use crate::expr::parse::ast::{Ast, Call, Macro, MacroKind, Op};
use crate::expr::parse::parser::{Parsed, Parser, Part};
use crate::expr::parse::pattern::Pattern;
use crate::expr::parse::prepared::Prepared;
use crate::expr::parse::token::TokenKind;
use crate::resource::types;

/// Names whose calls bind variables, or ask whether a value is there.
const MACROS: [&str; 7] = ["has", "exists", "all", "exists_one", "map", "filter", "sortBy"];

/// Arguments as parsed.
#[derive(Default)]
struct Arguments {
    list: Vec<Ast>,
    depth: usize,
    /// The closing bracket.
    last: usize,
}

impl<'s> Parser<'s> {
    /// Parses the call of a name, in front of whose brackets the parser is, by a receiver if there is one.
    pub fn call(&mut self, name: usize, receiver: Option<Part>) -> Parsed {
        let written = self.written(name);
        if written == "has" {
            return self.has(name, receiver);
        }
        if MACROS.contains(&written) {
            return self.macro_call(name, receiver);
        }
        let (first, depth) = receiver.as_ref().map_or((name, 0), |receiver| (receiver.first, receiver.depth));
        let arguments = self.arguments(receiver.into_iter().map(|receiver| receiver.ast).collect())?;
        self.function(name, written, first, Arguments { depth: arguments.depth.max(depth), ..arguments })
    }

    /// Parses the call of a function of a family, such as `math.greatest(...)`, in front of whose dot the parser is.
    pub fn family_call(&mut self, family: usize) -> Parsed {
        self.skip();
        let name = self.skip();
        let full = format!("{}.{}", self.written(family), self.written(name));
        let arguments = self.arguments(Vec::new())?;
        self.function(name, &full, family, arguments)
    }

    /// Parses arguments in brackets and adds them to a list.
    fn arguments(&mut self, list: Vec<Ast>) -> Parsed<Arguments> {
        self.expect(TokenKind::LeftParen, "`(`")?;
        let mut found = Arguments { list, ..Arguments::default() };
        if self.peek().kind != TokenKind::RightParen {
            loop {
                let argument = self.expression()?;
                found.depth = found.depth.max(argument.depth);
                found.list.push(argument.ast);
                if !self.skip_if(TokenKind::Comma) {
                    break;
                }
            }
        }
        found.last = self.expect(TokenKind::RightParen, "`)`")?;
        Ok(found)
    }

    fn function(&mut self, token: usize, name: &str, first: usize, arguments: Arguments) -> Parsed {
        let Arguments { list, depth, last } = arguments;
        let op = match functions::find(name) {
            Some(function) => self.checked_call(token, name, function, list),
            None => {
                let known = functions::named().map(|(name, _)| name).chain(MACROS);
                let hint = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
                self.fail(token, format!("there is no function `{name}`"), hint);
                Op::Const(Value::Null)
            }
        };
        self.part(op, first, last, depth)
    }

    fn checked_call(&mut self, token: usize, name: &str, function: &'static Function, args: Vec<Ast>) -> Op {
        if let Err(takes) = function.check_count(args.len()) {
            self.fail(token, format!("{name} {takes}"), format!("write {}", function.usage(name)));
            return Op::Const(Value::Null);
        }
        for (position, arg) in args.iter().enumerate() {
            if let Op::Const(value) = &arg.op
                && let Err((message, hint)) = function.check_constant(position, value)
            {
                self.fail_in(ErrorKind::Wrong, arg.range.clone(), message, hint);
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
        let Some(position) = function.position(Takes::Pattern) else {
            let type_ = function.position(Takes::TypeOrReference).and_then(constant);
            return type_.map_or(Prepared::Nothing, |text| Prepared::Type(types::resolve(text).name));
        };
        let Some(arg) = args.get(position) else { return Prepared::Nothing };
        let pattern = match constant(position) {
            Some(text) if self.scope.tested => Ok(Pattern::tested(text)),
            Some(text) => Pattern::new(text).map_err(|message| (message, "patterns are regular expressions in r'...'")),
            None => Err((format!("the pattern of {} must be a text", function.name), "write r'...'")),
        };
        match pattern {
            Ok(pattern) => Prepared::Pattern(pattern),
            Err((message, hint)) => {
                self.fail_in(ErrorKind::Wrong, arg.range.clone(), message, hint.to_owned());
                Prepared::Nothing
            }
        }
    }

    fn macro_call(&mut self, name: usize, receiver: Option<Part>) -> Parsed {
        let shape = self.macro_shape(self.written(name));
        let (Some(receiver), Some(shape)) = (receiver, shape) else { return self.wrong_macro(name) };
        self.skip();
        for _ in 0..shape.variables {
            self.bind();
        }
        let filter = if shape.has_filter {
            let filter = self.expression()?;
            self.expect(TokenKind::Comma, "`,`")?;
            Some(filter)
        } else {
            None
        };
        let body = self.expression()?;
        let last = self.expect(TokenKind::RightParen, "`)`")?;
        self.variables.truncate(self.variables.len() - shape.variables);
        let depth = filter.as_ref().map_or(0, |filter| filter.depth).max(body.depth).max(receiver.depth);
        let (range, filter, body) = (receiver.ast, filter.map(|filter| filter.ast), body.ast);
        let pair = shape.variables == 2;
        let found = Macro { kind: shape.kind, range, pair, filter, body, closed: None }.closed();
        self.part(Op::Macro(Box::new(found)), receiver.first, last, depth)
    }

    fn wrong_macro(&mut self, token: usize) -> Parsed {
        let name = self.written(token);
        let usage =
            if name == "sortBy" { "list.sortBy(x, x.field)".to_owned() } else { format!("list.{name}(x, ...)") };
        self.fail(token, format!("{name} takes a list, a name and an expression"), format!("write {usage}"));
        self.skip_arguments()?;
        self.leaf(Op::Const(Value::Null), token)
    }

    /// Reads arguments for their syntax only: variables are not bound, so unknown names are not told.
    fn skip_arguments(&mut self) -> Parsed<()> {
        let errors = std::mem::take(&mut self.errors);
        self.arguments(Vec::new())?;
        self.errors = errors;
        Ok(())
    }

    fn has(&mut self, name: usize, receiver: Option<Part>) -> Parsed {
        let known_errors = self.errors.len();
        let mut arguments = self.arguments(Vec::new())?;
        match (receiver, arguments.list.pop()) {
            (None, Some(value)) if arguments.list.is_empty() => {
                let range = value.range.clone();
                let test = Ast { op: Op::IsNull(Box::new(value)), range };
                self.part(Op::Not(Box::new(test)), name, arguments.last, arguments.depth)
            }
            _ => {
                self.errors.truncate(known_errors);
                self.fail(name, "has takes one value".to_owned(), "write has(x.field), or x.field != null".to_owned());
                self.leaf(Op::Const(Value::Null), name)
            }
        }
    }

    /// Binds the next name, and skips the comma after it.
    fn bind(&mut self) {
        let token = self.skip();
        let name = self.written(token);
        if self.resolve(name).is_some() || name == "self" || name == "rows" {
            let hint = "choose another name for the element".to_owned();
            self.fail(token, format!("`{name}` already means something here"), hint);
        }
        self.variables.push(name);
        self.skip();
    }

    /// Returns what the arguments of a macro mean, in front of whose opening bracket the parser is; none if it cannot have them.
    fn macro_shape(&self, name: &str) -> Option<MacroShape> {
        let kind = match name {
            "exists" => MacroKind::Exists,
            "all" => MacroKind::All,
            "exists_one" => MacroKind::ExistsOne,
            "map" => MacroKind::Map,
            "filter" => MacroKind::Filter,
            _ => MacroKind::SortBy,
        };
        // A name alone is followed by a comma.
        let lone_name = |at: usize| {
            let is_lone = (self.ahead(at).kind, self.ahead(at + 1).kind) == (TokenKind::Name, TokenKind::Comma);
            is_lone.then(|| self.text.get(self.ahead(at).range()).unwrap_or_default())
        };
        let (first, second) = (lone_name(1), lone_name(3));
        let is_new = |name: Option<&str>| name.is_some_and(|name| self.resolve(name).is_none());
        let (variables, has_filter) = match (kind, self.count_arguments()) {
            (_, 2) => (1, false),
            // `map(x, condition, value)` and `map(k, v, value)`: a second new name is a variable.
            (MacroKind::Map, 3) if !is_new(second) => (1, true),
            (MacroKind::Map, 4) => (2, true),
            (MacroKind::SortBy, _) => return None,
            (_, 3) => (2, false),
            _ => return None,
        };
        let are_names = first.is_some() && (variables == 1 || second.is_some());
        are_names.then_some(MacroShape { kind, variables, has_filter })
    }

    /// Returns the number of arguments in the brackets that follow.
    fn count_arguments(&self) -> usize {
        let (mut depth, mut count) = (0_usize, 1);
        for at in 1.. {
            match self.ahead(at).kind {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace if depth > 0 => depth -= 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace | TokenKind::End => break,
                TokenKind::Comma if depth == 0 => count += 1,
                _ => {}
            }
        }
        count
    }
}

/// Arguments of a macro by their meaning: variables, a condition, and what is evaluated for each element.
struct MacroShape {
    kind: MacroKind,
    /// Number of variables, one or two.
    variables: usize,
    has_filter: bool,
}
