//! Functions on times and durations.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::arguments::text_arg;
use crate::expr::functions::function::Caller;

/// How long before the collection a time was.
pub(super) fn ago<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let Some(moment) = args.first().map(time::of_value).transpose().map_err(Stop::wrong)?.flatten() else {
        return Ok(Value::Null);
    };
    match caller.world.now {
        Some(now) => Ok(Value::Duration(now.duration_since(moment))),
        None => Err(Stop::undecided("the time of collection is not known")),
    }
}

pub(super) fn timestamp<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let moment = args.first().map(time::of_value).transpose().map_err(Stop::wrong)?.flatten();
    Ok(moment.map_or(Value::Null, Value::Time))
}

pub(super) fn duration<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    if let Some(value @ Value::Duration(_)) = args.first() {
        return Ok(value.clone());
    }
    time::parse_duration(text_arg(args, 0)?).map(Value::Duration).map_err(Stop::wrong)
}
