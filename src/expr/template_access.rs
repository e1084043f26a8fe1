//! What the texts of rules use of expressions: the same fields and functions, one step at a time.

use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions;
use crate::expr::functions::function::Caller;
use crate::expr::parse::prepared::Prepared;

/// Names of all functions, `math.` and `lists.` ones included, in a fixed order.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    functions::names()
}

/// Checks how many arguments a call has, the receiver of a method included.
///
/// # Errors
/// What is wrong, and how the function is written. A function that is not there is right.
pub fn check_arguments(name: &str, count: usize) -> Result<(), (String, String)> {
    match functions::find(name) {
        Some(function) if !(function.min..=function.max).contains(&count) => {
            let message = format!("{name} takes {}, not {count}", function.arity());
            Err((message, format!("write {}", function.usage)))
        }
        _ => Ok(()),
    }
}

/// A scalar as text: numbers as they are, times in RFC 3339, durations as `3d4h`; none for anything else.
pub fn display(value: &Value<'_>) -> Option<String> {
    crate::expr::eval::display::display(value)
}

impl World {
    /// The field of a value; null where it is absent or the value has no fields.
    pub fn field<'a>(&'a self, value: &Value<'a>, name: &str) -> Value<'a> {
        settle(member::field(self, value, name)).unwrap_or(Value::Null)
    }

    /// Calls a function of the rule language.
    ///
    /// # Errors
    /// There is no such function, too few or too many arguments, or arguments of the wrong type; in one line.
    pub fn call<'a>(&'a self, name: &str, args: &[Value<'a>]) -> Result<Value<'a>, String> {
        let function = functions::find(name).ok_or_else(|| format!("there is no function {name}"))?;
        if !(function.min..=function.max).contains(&args.len()) {
            return Err(format!("it takes {}, not {}", function.arity(), args.len()));
        }
        if let Some(Value::Undecided(reason)) = args.iter().find(|arg| matches!(arg, Value::Undecided(_))) {
            return Ok(Value::Undecided(reason.clone()));
        }
        settle(function.call(&Caller { world: self, prepared: &Prepared::Nothing }, args))
    }
}

fn settle(answer: Answer<'_>) -> Result<Value<'_>, String> {
    match answer {
        Ok(value) => Ok(value),
        Err(Stop::Undecided(reason)) => Ok(Value::Undecided(reason)),
        Err(Stop::Wrong(wrong)) => Err(wrong.message),
    }
}
