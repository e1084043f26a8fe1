//! Fields and functions for the texts of rules, which evaluate one step at a time.

use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions;
use crate::expr::functions::function::Caller;
use crate::expr::parse::prepared::Prepared;

/// Returns the names of all functions, including `math.` and `lists.`, in a fixed order.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    functions::named().map(|(name, _)| name)
}

/// A function as the reference of the rule language shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDoc {
    pub name: &'static str,
    /// `text.split(separator[, limit])`
    pub signature: String,
    pub text: String,
}

/// Returns the documentation of all functions, one entry per name.
pub fn function_docs() -> impl Iterator<Item = FunctionDoc> {
    functions::named().map(|(name, function)| {
        let text = if name == function.name { function.doc.to_owned() } else { format!("as `{}`", function.name) };
        FunctionDoc { name, signature: function.signature(name), text }
    })
}

/// Checks the number of arguments of a call, including the receiver of a method.
///
/// # Errors
///
/// Returns the message and the usage of the function. An unknown function passes.
pub fn check_arguments(name: &str, count: usize) -> Result<(), (String, String)> {
    match functions::find(name) {
        Some(function) => function
            .check_count(count)
            .map_err(|takes| (format!("{name} {takes}"), format!("write {}", function.usage(name)))),
        None => Ok(()),
    }
}

/// Formats a scalar: numbers as they are, times in RFC 3339, durations as `3d4h`; none for anything else.
pub fn display(value: &Value<'_>) -> Option<String> {
    crate::expr::eval::display::display(value)
}

impl World {
    /// Returns the field of a value; null if it is absent or the value has no fields.
    pub fn field<'a>(&'a self, value: &Value<'a>, name: &str) -> Value<'a> {
        settle(member::field(self, value, name)).unwrap_or(Value::Null)
    }

    /// Calls a function of the rule language.
    ///
    /// # Errors
    ///
    /// Returns an error in one line for an unknown function, a wrong number of arguments, or arguments of the wrong
    /// type.
    pub fn call<'a>(&'a self, name: &str, args: &[Value<'a>]) -> Result<Value<'a>, String> {
        let function = functions::find(name).ok_or_else(|| format!("there is no function {name}"))?;
        function.check_count(args.len()).map_err(|takes| format!("it {takes}"))?;
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
        Err(Stop::Wrong(wrong)) => Err(wrong.problem.to_string()),
    }
}
