//! Declaration of a function of the rule language, next to its implementation.
//!
//! The declaration is the only source for the checks of calls, the shape of the result, the fields that are evidence,
//! and the table in the reference of the rule language.

use std::sync::Arc;

use crate::expr::check::shape::{Kind, Shape};
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::Answer;
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::parse::prepared::Prepared;

/// Most arguments of a call, the receiver included.
pub(in crate::expr) const MAX_ARGUMENTS: usize = 8;

/// Context of a call in addition to its arguments.
pub(in crate::expr) struct Caller<'a, 'p> {
    pub world: &'a World,
    pub prepared: &'p Prepared,
}

/// Implementation of a function.
pub(in crate::expr) type Implementation = for<'a, 'p> fn(&Caller<'a, 'p>, &[Value<'a>]) -> Answer<'a>;

/// Finds the fields of the arguments that an answer comes from.
pub(in crate::expr) type Places = for<'a> fn(&'a World, &[Value<'a>]) -> Vec<FieldPlace>;

/// Checks a constant text; an error has a message and optionally a hint.
pub(in crate::expr) type CheckConstant = fn(&str) -> Result<(), (String, Option<String>)>;

/// One function.
#[derive(Debug)]
pub(in crate::expr) struct Function {
    pub name: &'static str,
    /// Parameters; the receiver of a method is the first.
    pub parameters: &'static [Parameter],
    pub returns: Returns,
    /// One line for the reference of the rule language.
    pub doc: &'static str,
    pub run: Implementation,
    pub options: Options,
}

/// One parameter of a function.
#[derive(Debug)]
pub(in crate::expr) struct Parameter {
    pub name: &'static str,
    pub takes: Takes,
    pub role: Role,
    pub check: Option<CheckConstant>,
}

/// Type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::expr) enum Takes {
    Anything,
    Text,
    Number,
    Time,
    List,
    /// A Kubernetes object, or a part of one.
    Object,
    /// A regular expression, which must be a constant.
    Pattern,
    /// The plural of a type, or a reference to an object.
    TypeOrReference,
}

/// Position of a parameter in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::expr) enum Role {
    /// Usually written in front of the function: `text.trim()`.
    Receiver,
    Required,
    Optional,
    /// May be given several times, or not at all.
    Repeated,
}

/// Shape of a function's result.
#[derive(Clone, Copy, Debug)]
pub(in crate::expr) enum Returns {
    /// Depends on data that only a bundle has.
    Anything,
    Kind(Kind),
    ListOf(Kind),
    /// Follows from the shapes of the arguments.
    Shape(fn(&[Arc<Shape>]) -> Arc<Shape>),
}

/// Parts of a declaration that most functions share.
#[derive(Debug)]
pub(in crate::expr) struct Options {
    /// Null in, null out.
    strict: bool,
    /// Other names of the function.
    pub aliases: &'static [&'static str],
    /// Calls to show in hints; none: the signature.
    example: Option<&'static str>,
    pub source: AnswerSource,
    /// Path in the first argument, an object, that the function reads. The evidence is the value at this path, not the
    /// whole object.
    pub reads: &'static [&'static str],
    /// True if the time that it takes does not follow the length of its arguments.
    pub constant_time: bool,
    /// Finds evidence; if none, the arguments are the evidence.
    pub places: Option<Places>,
}

/// Source of an answer, for evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::expr) enum AnswerSource {
    /// Computed.
    Computed,
    /// A part of the first argument, at its own place.
    FirstArgument,
    /// An object that no slot holds.
    OtherObject,
}

/// Options of a function that maps null to null.
pub(super) const STRICT: Options = Options {
    strict: true,
    aliases: &[],
    example: None,
    source: AnswerSource::Computed,
    reads: &[],
    constant_time: false,
    places: None,
};

/// Options of a function that handles null itself.
pub(super) const LENIENT: Options = Options { strict: false, ..STRICT };

impl Options {
    pub(super) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(super) const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    pub(super) const fn source(self, source: AnswerSource) -> Self {
        Self { source, ..self }
    }

    pub(super) const fn reads(self, path: &'static [&'static str]) -> Self {
        Self { reads: path, ..self }
    }

    pub(super) const fn constant_time(self) -> Self {
        Self { constant_time: true, ..self }
    }

    pub(super) const fn places(self, places: Places) -> Self {
        Self { places: Some(places), ..self }
    }
}

impl Parameter {
    /// Receiver of a method.
    pub(super) const fn receiver(takes: Takes) -> Self {
        let name = match takes {
            Takes::List => "list",
            _ => "text",
        };
        Self { name, takes, role: Role::Receiver, check: None }
    }

    pub(super) const fn required(name: &'static str, takes: Takes) -> Self {
        Self { name, takes, role: Role::Required, check: None }
    }

    pub(super) const fn optional(name: &'static str, takes: Takes) -> Self {
        Self { name, takes, role: Role::Optional, check: None }
    }

    pub(super) const fn repeated(takes: Takes) -> Self {
        Self { name: "...", takes, role: Role::Repeated, check: None }
    }

    pub(super) const fn checked(self, check: CheckConstant) -> Self {
        Self { check: Some(check), ..self }
    }
}

impl Returns {
    /// Returns the shape of the result for arguments of these shapes.
    pub fn shape(self, arguments: &[Arc<Shape>]) -> Arc<Shape> {
        match self {
            Self::Anything => Shape::anything(),
            Self::Kind(kind) => Shape::of(kind),
            Self::ListOf(kind) => Shape::list(Shape::of(kind)),
            Self::Shape(shape) => shape(arguments),
        }
    }
}

impl Function {
    /// Returns the minimum and maximum number of arguments, including the receiver.
    fn bounds(&self) -> (usize, usize) {
        let min = self.parameters.iter().filter(|p| matches!(p.role, Role::Receiver | Role::Required)).count();
        let is_repeated = self.parameters.iter().any(|p| p.role == Role::Repeated);
        (min, if is_repeated { MAX_ARGUMENTS } else { self.parameters.len() })
    }

    /// Checks the number of arguments of a call.
    ///
    /// # Errors
    ///
    /// Returns the number of arguments that it takes, in words.
    pub fn check_count(&self, count: usize) -> Result<(), String> {
        match self.bounds() {
            (min, max) if (min..=max).contains(&count) => Ok(()),
            (1, 1) => Err(format!("takes 1 argument, not {count}")),
            (min, max) if min == max => Err(format!("takes {min} arguments, not {count}")),
            (min, max) => Err(format!("takes {min} to {max} arguments, not {count}")),
        }
    }

    /// Checks a constant argument.
    ///
    /// # Errors
    ///
    /// Returns message and hint.
    pub fn check_constant(&self, position: usize, value: &Value<'_>) -> Result<(), (String, Option<String>)> {
        match (self.parameters.get(position).and_then(|parameter| parameter.check), value.as_str()) {
            (Some(check), Some(text)) => check(text),
            _ => Ok(()),
        }
    }

    /// Returns the position of the parameter of that type.
    pub fn position(&self, takes: Takes) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.takes == takes)
    }

    /// Returns the call under one of its names, for the reference: `text.split(separator[, limit])`.
    pub fn signature(&self, name: &str) -> String {
        let mut signature = String::new();
        let mut open = 0;
        for parameter in self.parameters.iter().filter(|parameter| parameter.role != Role::Receiver) {
            let comma = if signature.is_empty() { "" } else { ", " };
            match parameter.role {
                Role::Optional => {
                    signature.push_str(&format!("[{comma}{}", parameter.name));
                    open += 1;
                }
                _ => signature.push_str(&format!("{comma}{}", parameter.name)),
            }
        }
        signature.push_str(&"]".repeat(open));
        match self.parameters.first() {
            Some(receiver) if receiver.role == Role::Receiver => format!("{}.{name}({signature})", receiver.name),
            _ => format!("{name}({signature})"),
        }
    }

    /// Returns calls to show in a hint.
    pub fn usage(&self, name: &str) -> String {
        match self.options.example {
            Some(example) => example.replace(&format!("{}(", self.name), &format!("{name}(")),
            None => self.signature(name),
        }
    }

    /// Returns true if the result is an item of the list in the first argument.
    pub fn gives_item(&self) -> bool {
        self.options.source == AnswerSource::FirstArgument && !self.options.reads.is_empty()
    }

    /// Calls it with values; none of them is undecided.
    pub fn call<'a>(&self, caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
        if self.options.strict && args.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        (self.run)(caller, args)
    }
}
