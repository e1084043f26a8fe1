//! Functions on times and durations.

use crate::expr::check::shape::Kind;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::arguments::text_arg;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::model::message::Reason;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "ago",
        parameters: &[Parameter::required("time", Takes::Time)],
        returns: Returns::Kind(Kind::Duration),
        doc: "time from then to the collection",
        run: ago,
        options: STRICT,
    },
    Function {
        name: "timestamp",
        parameters: &[Parameter::required("text", Takes::Text).checked(check_timestamp)],
        returns: Returns::Kind(Kind::Time),
        doc: "an RFC 3339 text as a time",
        run: timestamp,
        options: STRICT,
    },
    Function {
        name: "duration",
        parameters: &[Parameter::required("text", Takes::Text).checked(check_duration)],
        returns: Returns::Kind(Kind::Duration),
        doc: "a text as a duration; units `ns us ms s m h d w`",
        run: duration,
        options: STRICT.example("duration('3d4h')"),
    },
];

fn check_timestamp(text: &str) -> Result<(), (String, Option<String>)> {
    time::parse(text).map(drop).map_err(|problem| (problem.to_string(), None))
}

fn check_duration(text: &str) -> Result<(), (String, Option<String>)> {
    time::parse_duration(text).map(drop).map_err(|problem| (problem.to_string(), None))
}

/// Returns the time from the argument to the collection.
pub(super) fn ago<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let Some(moment) = args.first().map(time::time_of_value).transpose().map_err(Stop::wrong)?.flatten() else {
        return Ok(Value::Null);
    };
    match caller.world.now {
        Some(now) => Ok(Value::Duration(now.duration_since(moment))),
        None => Err(Stop::undecided(Reason::CollectionTimeUnknown)),
    }
}

pub(super) fn timestamp<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let moment = args.first().map(time::time_of_value).transpose().map_err(Stop::wrong)?.flatten();
    Ok(moment.map_or(Value::Null, Value::Time))
}

pub(super) fn duration<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    if let Some(value @ Value::Duration(_)) = args.first() {
        return Ok(value.clone());
    }
    time::parse_duration(text_arg(args, 0)?).map(Value::Duration).map_err(Stop::wrong)
}
