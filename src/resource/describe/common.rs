//! Parts that descriptions of several types share.

use std::ops::Range;

use jiff::Timestamp;
use jiff::fmt::strtime;

use super::out::Out;
use super::outline::View;
use crate::resource::table::{occurrences, parse_age};
use crate::yaml::Kind;

/// `key=value` on lines of their own.
pub(super) fn labels(view: View<'_>, key: &str, separator: char) -> Out {
    let at = view.get(key).map_or(0, |section| section.line.start);
    let pair = |part: Range<usize>| {
        let (name, value) = view.slice(&part).split_once(separator)?;
        let start = part.end - value.len();
        let trimmed = start + (value.len() - value.trim_start().len());
        Some((name.to_owned(), Out::text(trimmed..part.end)))
    };
    let pairs: Vec<_> = view.values(key).into_iter().filter_map(pair).collect();
    if pairs.is_empty() { Out::Absent(at) } else { Out::Map(at, pairs) }
}

/// Nested keys with quantities: capacity, requests.
pub(super) fn quantities(view: View<'_>, key: &str) -> Option<Out> {
    let section = view.get(key)?;
    let below = view.of(section);
    let pairs = below.sections.iter().map(|item| (below.slice(&item.key).to_owned(), Out::text(item.value.clone())));
    Some(Out::Map(section.line.start, pairs.collect()))
}

/// `Thu, 06 Mar 2025 09:00:00 +0000` as Kubernetes writes times.
pub(super) fn time(view: View<'_>, part: Range<usize>) -> Option<Out> {
    let parsed = strtime::parse("%a, %d %b %Y %H:%M:%S %z", view.slice(&part)).ok()?;
    let time = parsed.to_timestamp().ok()?;
    Some(Out::Made(Kind::String, part, time.to_string()))
}

/// `True`, `false`.
pub(super) fn flag(view: View<'_>, part: Range<usize>) -> Option<Out> {
    let is_flag = ["true", "false"].iter().any(|word| view.slice(&part).eq_ignore_ascii_case(word));
    is_flag.then_some(Out::Part(Kind::Bool, part))
}

pub(super) fn number(view: View<'_>, part: Range<usize>) -> Option<Out> {
    let text = view.slice(&part);
    let is_number = !text.is_empty() && text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(Out::Part(Kind::Number, part))
}

/// `Type Status TIME LastTransitionTime Reason Message`; `time_field` is the name of the first time, if it tells anything.
pub(super) fn conditions(view: View<'_>, time_field: Option<&str>) -> Vec<Out> {
    let condition = |row: Vec<Range<usize>>| {
        let [kind, status, first, transition, reason, message] = <[Range<usize>; 6]>::try_from(row).ok()?;
        let at = kind.start;
        let fields = [
            ("type", Some(Out::text(kind))),
            ("status", Some(Out::text(status))),
            (time_field.unwrap_or_default(), time_field.and_then(|_| time(view, first))),
            ("lastTransitionTime", time(view, transition)),
            ("reason", Some(Out::maybe(view.stated(reason), at))),
            ("message", Some(Out::maybe(view.stated(message), at))),
        ];
        Some(Out::map(at, fields))
    };
    view.rows("Conditions").into_iter().filter_map(condition).collect()
}

/// Row of the events below an object.
pub(super) struct Happened {
    pub reason: Range<usize>,
    pub message: Range<usize>,
    /// Fields of an Event except its name and object.
    pub fields: Vec<(String, Out)>,
}

/// `Type Reason Age From Message`; ages count back from `now`.
pub(super) fn events(view: View<'_>, now: Option<Timestamp>) -> Vec<Happened> {
    let rows = view.rows("Events").into_iter().filter(|row| row.len() == 5);
    rows.filter_map(|row| {
        let [kind, reason, age, from, message] = <[Range<usize>; 5]>::try_from(row).ok()?;
        if view.slice(&reason).is_empty() {
            return None;
        }
        let (last, repeated) = occurrences(view.slice(&age));
        let (count, first) = repeated.unwrap_or(("1", last));
        let at = |printed: &str| -> Option<Out> {
            let time = now?.checked_sub(parse_age(printed.trim())?).ok()?;
            Some(Out::Made(Kind::String, age.clone(), time.to_string()))
        };
        let count = count.parse::<u32>().unwrap_or(1);
        let fields = [
            ("type", Some(Out::text(kind))),
            ("reason", Some(Out::text(reason.clone()))),
            ("message", Some(Out::text(message.clone()))),
            ("count", Some(Out::Made(Kind::Number, age.clone(), count.to_string()))),
            ("firstTimestamp", at(first)),
            ("lastTimestamp", at(last)),
            ("source", Some(Out::map(from.start, [("component", view.stated(from.clone()).map(Out::text))]))),
        ];
        let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        Some(Happened { reason, message, fields })
    })
    .collect()
}
