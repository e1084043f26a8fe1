//! The template engine as rules see it: our functions, our filters, plain text, bounded work.

use std::sync::{Arc, LazyLock};

use minijinja::value::{Object, ObjectRepr, Rest, Value};
use minijinja::{AutoEscape, Environment, Error, State, UndefinedBehavior};

use super::call::call;
use super::{filters, print};
use crate::expr;

/// The one template of an environment.
pub(super) const NAME: &str = "text";
/// Families of functions that are written with a dot.
pub(super) const FAMILIES: [&str; 2] = ["math", "lists"];
/// Instructions one text may run.
const FUEL: u64 = 500_000;
/// Nesting of includes, macros and calls.
const RECURSION: usize = 64;

static BASE: LazyLock<Environment<'static>> = LazyLock::new(build);

/// An environment without templates.
pub(super) fn base() -> &'static Environment<'static> {
    &BASE
}

fn build() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(RECURSION);
    environment.set_formatter(print::format);
    environment.set_unknown_method_callback(|state, value, method, args| {
        let mut all = vec![value.clone()];
        all.extend_from_slice(args);
        call(state, method, &all)
    });
    for name in expr::function_names().filter(|name| !name.contains('.')) {
        environment.add_function(name, move |state: &mut State, args: Rest<Value>| call(state, name, &args));
    }
    for family in FAMILIES {
        environment.add_global(family, Value::from_object(Family(family)));
    }
    environment.add_filter("bytes", filters::bytes);
    environment.add_filter("percent", filters::percent);
    environment.add_filter("plural", |value: Value, one: String, many: String| filters::plural(&value, &one, &many));
    environment.add_filter("ago", |state: &mut State, value: Value| call(state, "ago", &[value]));
    environment
}

/// `math.` or `lists.`.
#[derive(Debug)]
struct Family(&'static str);

impl Object for Family {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call_method(self: &Arc<Self>, state: &mut State<'_, '_>, method: &str, args: &[Value]) -> Result<Value, Error> {
        call(state, &format!("{}.{method}", self.0), args)
    }
}
