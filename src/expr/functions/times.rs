//! Functions on times and durations.

use jiff::Timestamp;

use crate::expr::check::shape::Kind;
use crate::expr::eval::member::hit_time;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::arguments::text_arg;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::model::message::{ExpectedValue, Reason, ValueKind};

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
        name: "undated",
        parameters: &[Parameter::required("group", Takes::Anything)],
        returns: Returns::Kind(Kind::Bool),
        doc: "true if no time is known of a group of log lines or events, such as those of a program that writes none",
        run: undated,
        options: STRICT,
    },
    Function {
        name: "later",
        parameters: &[Parameter::required("group", Takes::Anything), Parameter::required("other", Takes::Anything)],
        returns: Returns::Kind(Kind::Bool),
        doc: "true if the last line or event of the first group came after that of the other: by time, or, where neither has one, by place in their file",
        run: later,
        options: STRICT.example("later(recovered, failed)"),
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

/// Time of the last line or event of a group.
fn last<'a>(value: Option<&Value<'a>>) -> Result<Option<Timestamp>, Stop> {
    match value {
        Some(Value::Hits(group)) => Ok(group.last),
        Some(Value::Events(group)) => Ok(group.last),
        Some(Value::Sequence(group)) => Ok(Some(group.last)),
        other => Err(Stop::expected(other.map_or(ValueKind::Nothing, Value::describe), ExpectedValue::Group)),
    }
}

fn undated<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    Ok(Value::Bool(last(args.first())?.is_none()))
}

fn later<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let times = (last(args.first())?, last(args.get(1))?);
    if let (Some(one), Some(other)) = times {
        return Ok(Value::Bool(one > other));
    }
    if let (None, None) = times
        && let [Value::Hits(one), Value::Hits(other)] = args
        && one.last_hit.entry == other.last_hit.entry
    {
        return Ok(Value::Bool(one.last_hit.line > other.last_hit.line));
    }
    let undated = args.iter().find_map(|value| match value {
        Value::Hits(group) => hit_time(group.last, group).err(),
        _ => None,
    });
    Err(undated.unwrap_or_else(|| Stop::undecided(Reason::EventsUndated { count: 1 })))
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
