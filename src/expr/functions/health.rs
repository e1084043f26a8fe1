//! `unhealthy(obj)`: bad conditions of an object.
//!
//! [`crate::expr::polarity`] says which statuses are bad.

use crate::expr::check::shape::Shape;
use std::ops::ControlFlow;

use crate::expr::eval::member;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::expr::functions::object_view::ObjectView;
use crate::expr::functions::objects::conditions;
use crate::expr::polarity::{self, ConditionVerdict};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "unhealthy",
    parameters: &[Parameter::required("obj", Takes::Object)],
    returns: Returns::Shape(|_| Shape::list(Shape::condition())),
    doc: "the [bad conditions](#health)",
    run: unhealthy,
    options: STRICT.reads(&["status"]).places(places),
}];

/// Returns the bad conditions in their order.
pub(super) fn unhealthy<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let Some(object) = args.first() else { return Ok(Value::Null) };
    Ok(Value::list(bad_conditions(caller.world, object)?.into_iter().map(|(value, _)| value).collect()))
}

/// Returns places of the bad conditions, for evidence.
pub(super) fn places<'a>(world: &'a World, args: &[Value<'a>]) -> Vec<FieldPlace> {
    let [object] = args else { return Vec::new() };
    let found = bad_conditions(world, object).unwrap_or_default();
    found.into_iter().filter_map(|(_, place)| place).collect()
}

type Condition<'a> = (Value<'a>, Option<FieldPlace>);

fn bad_conditions<'a>(world: &'a World, object: &Value<'a>) -> Result<Vec<Condition<'a>>, Stop> {
    let (group, kind) = ObjectView::new(world, object).identity()?;
    let conditions = conditions(world, object)?;
    let mut bad = Vec::new();
    let mut wrong = None;
    member::visit(world, &conditions, &mut |element| {
        match is_bad(world, &group, &kind, &element.value) {
            Ok(true) => bad.push((element.value, element.place)),
            Ok(false) => {}
            Err(stop) => wrong = Some(stop),
        }
        ControlFlow::Continue(())
    })?;
    wrong.map_or(Ok(bad), Err)
}

fn is_bad<'a>(world: &'a World, group: &str, kind: &str, condition: &Value<'a>) -> Result<bool, Stop> {
    let (type_, status) = (member::field(world, condition, "type")?, member::field(world, condition, "status")?);
    // Some operators write a boolean.
    let status = match status {
        Value::Bool(status) => Value::borrowed(if status { "True" } else { "False" }),
        status => status,
    };
    let (Some(type_), Some(status)) = (type_.as_str(), status.as_str()) else { return Ok(false) };
    if polarity::verdict(group, kind, type_, status) != ConditionVerdict::Bad {
        return Ok(false);
    }
    // Read only where it decides: a hidden reason of a good condition leaves nothing open.
    let reason = member::field(world, condition, "reason")?;
    Ok(!reason.as_str().is_some_and(polarity::is_benign))
}
