//! A function of the rule language: its name, its arguments and how it is computed.

use crate::expr::eval::place::Place;
use crate::expr::eval::stop::Answer;
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::parse::prepared::Prepared;

/// What a function sees besides its arguments.
pub(in crate::expr) struct Caller<'a, 'p> {
    pub world: &'a World,
    pub prepared: &'p Prepared,
}

/// How a function is computed.
pub(in crate::expr) type Run = for<'a, 'p> fn(&Caller<'a, 'p>, &[Value<'a>]) -> Answer<'a>;

/// Where the answer was found in the objects that a function was given, for evidence.
pub(in crate::expr) type Places = for<'a> fn(&'a World, &[Value<'a>]) -> Vec<Place>;

/// One function.
#[derive(Debug)]
pub(in crate::expr) struct Function {
    pub name: &'static str,
    /// Fewest and most arguments, the receiver included.
    pub min: usize,
    pub max: usize,
    /// Null in, null out.
    pub strict: bool,
    /// Which argument is a regular expression.
    pub pattern: Option<usize>,
    /// How it is written, for hints.
    pub usage: &'static str,
    pub run: Run,
    /// None: what the arguments are made of is the evidence.
    pub places: Option<Places>,
}

impl Function {
    /// How many arguments it takes, in words.
    pub fn arity(&self) -> String {
        match (self.min, self.max) {
            (1, 1) => "1 argument".to_owned(),
            (min, max) if min == max => format!("{min} arguments"),
            (min, max) => format!("{min} to {max} arguments"),
        }
    }

    /// Calls it with values none of which is undecided.
    pub fn call<'a>(&self, caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
        if self.strict && args.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        (self.run)(caller, args)
    }
}

/// A function that maps null to null.
pub(super) const fn strict(name: &'static str, min: usize, max: usize, usage: &'static str, run: Run) -> Function {
    Function { name, min, max, strict: true, pattern: None, usage, run, places: None }
}

/// A function that has its own idea of null.
pub(super) const fn lenient(name: &'static str, min: usize, max: usize, usage: &'static str, run: Run) -> Function {
    Function { name, min, max, strict: false, pattern: None, usage, run, places: None }
}

pub(super) const fn with_places(mut function: Function, places: Places) -> Function {
    function.places = Some(places);
    function
}

pub(super) const fn with_pattern(mut function: Function, position: usize) -> Function {
    function.pattern = Some(position);
    function
}
