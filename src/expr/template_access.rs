//! Fields and functions for the texts of rules, which evaluate one step at a time.

use crate::expr::eval::arithmetic;
use crate::expr::eval::evaluation::is_member;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions;
use crate::expr::functions::function::Caller;
use crate::expr::parse::ast::{Arithmetic, Comparison};
use crate::expr::parse::prepared::Prepared;
use crate::model::message::Reason;

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
        if !function.options.constant_time && !args.iter().all(|arg| self.read(arg)) {
            return Ok(Value::Null);
        }
        let value = self.bounded(function.call(&Caller { world: self, prepared: &Prepared::Nothing }, args))?;
        Ok(if self.account(&value) { value } else { Value::Null })
    }

    /// Computes `left operator right`.
    ///
    /// # Errors
    ///
    /// Returns an error in one line if the operator has no meaning for the values.
    pub fn calculate<'a>(
        &'a self,
        operator: Arithmetic,
        left: &Value<'a>,
        right: &Value<'a>,
    ) -> Result<Value<'a>, String> {
        self.bounded(arithmetic::compute(self, operator, left, right))
    }

    /// Ends the rule if a value of a text grows too long: the rule made it so, not the bundle.
    fn bounded<'a>(&self, answer: Answer<'a>) -> Result<Value<'a>, String> {
        let value = settle(answer)?;
        if let Value::Undecided(reason) = &value
            && matches!(**reason, Reason::ValueTooLong { .. } | Reason::ListTooLong { .. })
        {
            self.budget.refuse((**reason).clone());
        }
        Ok(value)
    }

    /// Returns whether two values are present and equal.
    pub fn equal(&self, left: &Value<'_>, right: &Value<'_>) -> bool {
        self.read(left) && self.read(right) && left.equals(right).unwrap_or(false)
    }

    /// Returns whether two values have that order; false if they have none.
    pub fn ordered(&self, comparison: Comparison, left: &Value<'_>, right: &Value<'_>) -> bool {
        left.order(right).is_ok_and(|order| order.is_some_and(|order| comparison.accepts(order)))
    }

    /// Returns whether a list has an item, a map a name, or a text a part.
    pub fn contains<'a>(&'a self, list: &Value<'a>, wanted: &Value<'a>) -> bool {
        if !self.read(list) {
            return false;
        }
        match (list, wanted) {
            (Value::Str(text), Value::Str(part)) => text.as_str().contains(part.as_str()),
            (list, wanted) => is_member(self, wanted, list).unwrap_or(false),
        }
    }

    /// Begins a text: the budget for what it makes is whole.
    pub fn begin(&self) {
        self.budget.begin();
    }

    /// Takes the steps to read a value; false if the budget is spent.
    pub fn read(&self, value: &Value<'_>) -> bool {
        self.budget.read(value).is_ok()
    }

    /// Accounts for a value that was made; false if the budget is spent.
    pub fn account(&self, value: &Value<'_>) -> bool {
        self.budget.value(value).is_ok()
    }

    /// Accounts for bytes that were made; false if the budget is spent.
    pub fn take_bytes(&self, bytes: usize) -> bool {
        self.budget.make(bytes as u64).is_ok()
    }

    /// Accounts for bytes that are kept; false if the budget is spent.
    pub fn keep(&self, bytes: usize) -> bool {
        self.budget.keep(bytes as u64).is_ok()
    }

    /// Ends the rule for a reason.
    pub fn refuse(&self, reason: Reason) {
        self.budget.refuse(reason);
    }
}

fn settle(answer: Answer<'_>) -> Result<Value<'_>, String> {
    match answer {
        Ok(value) => Ok(value),
        Err(Stop::Undecided(reason)) => Ok(Value::Undecided(reason)),
        Err(Stop::Wrong(wrong)) => Err(wrong.problem.to_string()),
    }
}
