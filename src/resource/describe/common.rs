//! Parts that descriptions of several types share.

use std::ops::Range;

use jiff::Timestamp;
use jiff::fmt::strtime;

use super::out::{Fields, Out};
use super::outline::View;
use crate::resource::table::{occurrences, parse_age};
use crate::yaml::Kind;

/// Names, labels, annotations and creation of an object, and further fields of its metadata.
pub(super) fn metadata<const N: usize>(view: View<'_>, more: [(&str, Option<Out>); N]) -> Out {
    let fields = [
        ("name", view.value("Name").map(Out::text)),
        ("namespace", view.value("Namespace").map(Out::text)),
        ("labels", view.get("Labels").map(|_| labels(view, "Labels", '='))),
        ("annotations", view.get("Annotations").map(|_| labels(view, "Annotations", ':'))),
        ("creationTimestamp", view.value("CreationTimestamp").and_then(|part| time(view, part))),
    ];
    let known = fields.into_iter().chain(more).filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Out::Map(view.start(), known.collect())
}

/// Returns what `Status` says of the deletion of an object, as of pods and volumes: when its time was over, if it is `Terminating (lasts 40m)`.
/// While that time runs, kubectl prints `<invalid>`.
pub(super) fn deletion(view: View<'_>, now: Option<Timestamp>) -> Option<Out> {
    let part = view.value("Status")?;
    let Some(rest) = view.slice(&part).strip_prefix("Terminating") else { return Some(Out::Absent(part.start)) };
    let age = rest.trim().strip_prefix("(lasts ")?.strip_suffix(')')?;
    let time = now?.checked_sub(parse_age(age)?).ok()?;
    Some(Out::Made(Kind::String, part, time.to_string()))
}

/// `Controlled By: ReplicaSet/web-abc`
pub(super) fn owner(view: View<'_>) -> Option<Out> {
    let part = view.value("Controlled By")?;
    let kind = view.slice(&part).find('/')?;
    let fields = [
        ("kind", Some(Out::text(part.start..part.start + kind))),
        ("name", Some(Out::text(part.start + kind + 1..part.end))),
        ("controller", Some(Out::Made(Kind::Bool, part.clone(), "true".to_owned()))),
    ];
    Some(Out::List(part.start, vec![Out::map(part.start, fields)]))
}

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

/// `Thu, 06 Mar 2025 09:00:00 +0000` as Kubernetes writes times; one that is not set is of the year 1.
pub(super) fn time(view: View<'_>, part: Range<usize>) -> Option<Out> {
    let time = moment(view.slice(&part))?;
    Some(Out::Made(Kind::String, part, time.to_string()))
}

pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let time = strtime::parse("%a, %d %b %Y %H:%M:%S %z", text).ok()?.to_timestamp().ok()?;
    (time > Timestamp::UNIX_EPOCH).then_some(time)
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

/// Columns of conditions, and the fields that they are. Which of them a type has differs.
const CONDITION: [(&str, &str); 6] = [
    ("Type", "type"),
    ("Status", "status"),
    ("LastHeartbeatTime", "lastHeartbeatTime"),
    ("LastTransitionTime", "lastTransitionTime"),
    ("Reason", "reason"),
    ("Message", "message"),
];

/// Returns the rows below `Conditions`.
pub(super) fn conditions(view: View<'_>) -> Vec<Out> {
    let table = view.table("Conditions");
    let condition = |row: Vec<Range<usize>>| {
        let at = row.first()?.start;
        let cells = table.names.iter().zip(row).filter_map(|(name, cell)| {
            let (column, field) = CONDITION.iter().find(|(column, _)| column == name)?;
            let value = if column.ends_with("Time") { time(view, cell)? } else { Out::maybe(view.stated(cell), at) };
            Some(((*field).to_owned(), value))
        });
        Some(Out::Map(at, cells.collect()))
    };
    table.rows.into_iter().filter_map(condition).collect()
}

/// Row of the events below an object.
pub(super) struct Happened {
    pub reason: Range<usize>,
    pub message: Range<usize>,
    /// What reported it.
    pub from: Option<Range<usize>>,
    /// How long ago it was last seen, as kubectl prints it.
    pub age: Range<usize>,
    /// Fields of an Event except its name and object.
    pub fields: Fields,
}

/// `Type Reason Age From Message`; ages count back from `now`.
pub(super) fn events(view: View<'_>, now: Option<Timestamp>) -> Vec<Happened> {
    let rows = view.events().rows.into_iter().filter(|row| row.len() == 5);
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
        Some(Happened { reason, message, from: view.stated(from), age: age.start..age.start + last.len(), fields })
    })
    .collect()
}
