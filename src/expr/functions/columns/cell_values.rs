//! Cells shared by several types of objects.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions::object_view::ObjectView;
use crate::model::message::Reason;

/// Headers and values of the columns that a function computes; each has its own answer, so that one hidden field leaves
/// the other columns known.
pub(super) type Computed<'a> = Vec<(&'static str, Answer<'a>)>;

/// Turns an undecided answer into an undecided cell, so that the other columns stay known: a collector may withhold the
/// address of a pod, but not its status.
pub(super) fn cell(answer: Answer<'_>) -> Answer<'_> {
    match answer {
        Err(Stop::Undecided(reason)) => Ok(Value::Undecided(reason)),
        answer => answer,
    }
}

/// Returns the time from `since` to the collection.
pub(super) fn age<'a>(world: &World, since: &Value<'_>) -> Answer<'a> {
    let Some(since) = time::time_of_value(since).map_err(Stop::wrong)? else { return Ok(Value::Null) };
    Ok(match world.now {
        Some(now) => Value::Duration(now.duration_since(since)),
        None => Value::Undecided(Reason::CollectionTimeUnknown.into()),
    })
}

/// Joins items with commas, as kubectl does; null for none.
pub(super) fn joined<'a>(items: &[String]) -> Value<'a> {
    Value::text(&items.join(","))
}

/// Formats `a=1,b=2`, sorted by name; null for none.
pub(super) fn labels<'a>(object: &ObjectView<'_>, path: &[&str]) -> Answer<'a> {
    let mut pairs: Vec<String> = Vec::new();
    for (name, value) in object.entries(path)? {
        pairs.push(format!("{name}={}", value.text(&[])?));
    }
    pairs.sort_unstable();
    Ok(joined(&pairs))
}

/// Returns true if kubectl shows the object as being deleted.
pub(super) fn is_deleted(object: &ObjectView<'_>) -> Result<bool, Stop> {
    object.has(&["metadata", "deletionTimestamp"])
}

/// Returns the texts of a list.
pub(super) fn texts(object: &ObjectView<'_>, path: &[&str]) -> Result<Vec<String>, Stop> {
    let texts: Vec<String> = object.items(path)?.iter().map(|item| item.text(&[])).collect::<Result<_, _>>()?;
    Ok(texts.into_iter().filter(|text| !text.is_empty()).collect())
}

/// Returns a field of every item of a list.
pub(super) fn each(object: &ObjectView<'_>, list: &[&str], name: &str) -> Result<Vec<String>, Stop> {
    object.items(list)?.iter().map(|item| item.text(&[name])).collect()
}

/// Returns `true` or `false`, as printed for a flag of the API.
pub(super) fn flag<'a>(object: &ObjectView<'a>, path: &[&str]) -> Answer<'a> {
    flag_or(object, path, false)
}

/// Returns `true` or `false`, with the value of an absent flag.
pub(super) fn flag_or<'a>(object: &ObjectView<'a>, path: &[&str], absent: bool) -> Answer<'a> {
    let set = match object.get(path)? {
        Value::Null => absent,
        value => matches!(value, Value::Bool(true)),
    };
    Ok(Value::borrowed(if set { "true" } else { "false" }))
}

/// Returns a number of things.
pub(super) fn count<'a>(things: usize) -> Value<'a> {
    Value::Int(i64::try_from(things).unwrap_or(i64::MAX))
}

/// Lists the first items and how many more there are, as kubectl does: `a,b,c + 2 more...`; null for none.
pub(super) fn first_few<'a>(items: &[String], most: usize, separator: &str) -> Value<'a> {
    let listed = items.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(separator);
    match items.len().checked_sub(most).filter(|more| *more > 0) {
        Some(more) => Value::text(&format!("{listed} + {more} more...")),
        None => Value::text(&listed),
    }
}
