//! Groups of Kubernetes events, as facts ask for them.
//!
//! An event that was seen several times has its first and last time, but no times in between. It counts in full if
//! both lie in the time of `within`, otherwise once for each of them that does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::eval::facts::candidate::{Candidate, Candidates, Searched};
use crate::eval::facts::resources::not_collected;
use crate::eval::input::Input;
use crate::expr::Value;
use crate::expr::value::EventGroup;
use crate::log::{GroupKey, Tally, Values, heaviest};
use crate::model::message::Reason;
use crate::model::{Glob, measure, secret};
use crate::resource::{Event, TypeName};
use crate::rule::EventQuery;

/// Largest number of groups of a `by`, as for logs.
const MAX_GROUPS: usize = 10_000;
/// Largest number of values of a capture that a group shows; the next limit is that which it can count.
const MAX_VALUES: usize = 100;
const MAX_DISTINCT: usize = 10_000;

/// Groups of events that an event fact selects.
pub fn select_events<'a>(input: &'a Input, query: &EventQuery) -> Candidates<'a> {
    let mut found = MatchingEvents::default();
    for (position, event) in input.world.resources.events().iter().enumerate() {
        found.add(input, query, position, event);
    }
    let MatchingEvents { groups, undated, mut doubt } = found;
    let mut list = Vec::new();
    for ((key, _), members) in groups {
        let hides_count = members.iter().any(|member| member.event.hides_count);
        if hides_count {
            doubt = doubt.or(Some(Reason::Withheld));
        }
        match gathered(key, members, query) {
            Ok(group) => list.extend(group.map(|group| candidate(group, hides_count))),
            Err(why) => doubt = doubt.or(Some(why)),
        }
    }
    // Events are in the namespace of their object.
    let namespace = query.object.namespace.as_ref().map(|glob| glob.text());
    let namespace = namespace.filter(|text| !text.is_empty() && !text.contains(['*', '?', '[', '{']));
    let missing = not_collected(input, &[TypeName::parse("events")], namespace);
    let undated = (undated > 0).then_some(Reason::EventsUndated { count: undated });
    let doubt = undated.or(doubt);
    let searched = match doubt {
        Some(_) => Searched::Doubtful,
        None => Searched::of(!input.world.resources.events().is_empty()),
    };
    Candidates { list, incomplete: missing.or(doubt.map(Into::into)), searched, complete_for: None }
}

/// Makes the candidate of a group; undecided if a collector hid how often or when one of its events was seen.
fn candidate<'a>(group: EventGroup, hides_count: bool) -> Candidate<'a> {
    let undecided = hides_count.then(|| Reason::Withheld.into());
    Candidate { undecided, ..Candidate::of(Value::Events(Arc::new(group))) }
}

/// A matching event.
struct MatchingEvent<'e> {
    event: &'e Event,
    captures: BTreeMap<String, String>,
    /// Number of times it was seen in the time that counts.
    count: u64,
}

#[derive(Default)]
struct MatchingEvents<'e> {
    /// Groups by key. Without `by` every event is a group, so its position is part of the key.
    groups: BTreeMap<(Vec<String>, usize), Vec<MatchingEvent<'e>>>,
    undated: u64,
    doubt: Option<Reason>,
}

impl<'e> MatchingEvents<'e> {
    fn add(&mut self, input: &Input, query: &EventQuery, position: usize, event: &'e Event) {
        let Some(captures) = event_matches(query, event, |text, test| test(text) && !secret::is_withheld(text)) else {
            if event_matches(query, event, |text, test| test(text) || secret::is_withheld(text)).is_some() {
                self.doubt = Some(Reason::Withheld);
            }
            return;
        };
        match is_recent(query, event, input) {
            // Whether its group is large enough, and its times, are not known.
            _ if event.hides_count => {}
            Some(true) if query.counting.within.is_none() || event.last.is_some() => {}
            Some(false) => return,
            _ => {
                self.undated += 1;
                return;
            }
        }
        let key = match &query.by {
            Some(by) => (by.iter().map(|key| event_key(key, event, &captures)).collect(), 0),
            None => (Vec::new(), position),
        };
        // Its group may be another one, which is too small without it.
        if query.by.as_ref().is_some_and(|by| by.iter().any(|key| is_key_withheld(key, event, &captures))) {
            self.doubt = Some(Reason::Withheld);
        }
        if query.by.is_some() && self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&key) {
            self.doubt = Some(Reason::TooManyEventGroups { most: MAX_GROUPS });
            return;
        }
        self.groups.entry(key).or_default().push(MatchingEvent { event, captures, count: event.count });
    }
}

/// Returns whether the event is as recent as `since` requires; `None` if that is not known.
fn is_recent(query: &EventQuery, event: &Event, input: &Input) -> Option<bool> {
    let Some(since) = query.since else { return Some(true) };
    Some(input.world.now?.duration_since(event.last?) <= since)
}

fn event_key(key: &GroupKey, event: &Event, captures: &BTreeMap<String, String>) -> String {
    match key {
        GroupKey::Capture(name) => captures.get(name).cloned().unwrap_or_default(),
        GroupKey::Node if event.object.kind == "Node" => event.object.name.clone(),
        GroupKey::Node => String::new(),
        GroupKey::Pod | GroupKey::Source => event.object.to_string(),
    }
}

/// Returns whether a collector hid what an event is grouped by.
fn is_key_withheld(key: &GroupKey, event: &Event, captures: &BTreeMap<String, String>) -> bool {
    match key {
        GroupKey::Capture(name) => captures.get(name).is_some_and(|value| secret::is_withheld(value)),
        GroupKey::Node | GroupKey::Pod | GroupKey::Source => {
            let object = &event.object;
            let texts = [Some(object.kind.as_str()), object.namespace.as_deref(), Some(object.name.as_str())];
            texts.into_iter().flatten().any(secret::is_withheld)
        }
    }
}

/// Returns the captures of an event that the query selects. `holds` decides for a text and a test of it, so that hidden texts may
/// count as any text.
fn event_matches(
    query: &EventQuery,
    event: &Event,
    holds: impl Fn(&str, &dyn Fn(&str) -> bool) -> bool,
) -> Option<BTreeMap<String, String>> {
    let glob = |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|g| holds(text, &|text| g.is_match(text)));
    let excepted = |text: &str| query.except.iter().any(|pattern| pattern.is_match(text) == Ok(true));
    let selected = (query.reasons.is_empty()
        || holds(&event.reason, &|reason| query.reasons.iter().any(|g| g.is_match(reason))))
        && query.type_.as_ref().is_none_or(|wanted| holds(&event.type_, &|type_| wanted == type_))
        && glob(&query.object.kind, &event.object.kind)
        && glob(&query.object.namespace, event.object.namespace.as_deref().unwrap_or(""))
        && glob(&query.object.name, &event.object.name)
        && (query.except.is_empty() || holds(&event.message, &|message| !excepted(message)));
    if !selected {
        return None;
    }
    if query.patterns.is_empty() {
        return Some(BTreeMap::new());
    }
    // A hidden text has no captures, but may be the wanted one.
    if secret::is_withheld(&event.message) {
        return holds(&event.message, &|_| false).then(BTreeMap::new);
    }
    // Compiling them all, whatever the message, was a tenth of the instructions of a run on a small bundle.
    let mut possible = query.patterns.iter().filter_map(|pattern| pattern.regex_for(&event.message));
    possible.find_map(|pattern| {
        let found = pattern.captures(&event.message)?;
        let named = pattern.capture_names().flatten();
        Some(named.filter_map(|n| found.name(n).map(|m| (n.to_owned(), m.as_str().to_owned()))).collect())
    })
}

/// Returns the group, if it is large enough; an error gives the reason why that is not known.
fn gathered(
    key: Vec<String>,
    members: Vec<MatchingEvent<'_>>,
    query: &EventQuery,
) -> Result<Option<EventGroup>, Reason> {
    let Some(within) = query.counting.within else { return Ok(group(key, &members, None, query)) };
    let points = points(&members);
    let (dense, span) = densest(&members, &points, within, query);
    if let Some(found) = group(key.clone(), &dense, span, query) {
        return Ok(Some(found));
    }
    let lasts = |member: &&MatchingEvent<'_>| {
        let (first, last) = (member.event.first, member.event.last);
        member.event.count > 2 && first.zip(last).is_some_and(|(first, last)| last.duration_since(first) > within)
    };
    match members.iter().find(lasts) {
        Some(long) if group(key, &members, None, query).is_some() => {
            let (reason, object) = (long.event.reason.clone(), long.event.object.clone());
            Err(Reason::EventBetween { reason, object })
        }
        _ => Ok(None),
    }
}

/// First and last time.
type Span = Option<(Timestamp, Timestamp)>;

/// Times at which members were seen, sorted, with their positions.
fn points(members: &[MatchingEvent<'_>]) -> Vec<(Timestamp, usize)> {
    let ends = |(position, member): (usize, &MatchingEvent<'_>)| {
        let event = member.event;
        let first = event.first.filter(|first| event.count > 1 && Some(*first) < event.last);
        first.into_iter().chain(event.last).map(move |time| (time, position)).collect::<Vec<_>>()
    };
    let mut points: Vec<_> = members.iter().enumerate().flat_map(ends).collect();
    points.sort_unstable();
    points
}

/// Returns the members of the interval that holds the most, with the number of times they were seen in it.
fn densest<'e>(
    members: &[MatchingEvent<'e>],
    points: &[(Timestamp, usize)],
    within: SignedDuration,
    query: &EventQuery,
) -> (Vec<MatchingEvent<'e>>, Span) {
    let times: Vec<Timestamp> = points.iter().map(|(time, _)| *time).collect();
    let range = match query.counting.counted_values() {
        Some(capture) => {
            let value =
                |(_, member): &(Timestamp, usize)| members.get(*member)?.captures.get(capture).map(String::as_str);
            let values: Vec<Option<&str>> = points.iter().map(value).collect();
            heaviest(&times, within, Values::new(&values)).map(|(range, _)| range)
        }
        None => heaviest(&times, within, Seen::new(members, points)).map(|(range, _)| range),
    };
    let Some(inside) = range.and_then(|range| points.get(range)) else { return (Vec::new(), None) };
    let mut seen = Seen::new(members, points);
    inside.iter().for_each(|(_, member)| seen.change(*member, 1));
    let counted = members.iter().enumerate().filter_map(|(position, member)| {
        let count = seen.count(position);
        (count > 0).then(|| MatchingEvent { event: member.event, captures: member.captures.clone(), count })
    });
    let span = inside.first().zip(inside.last()).map(|(first, last)| (first.0, last.0));
    (counted.collect(), span)
}

/// Counts the times that events were certainly seen.
struct Seen<'p> {
    points: &'p [(Timestamp, usize)],
    /// Of each member: how often it was seen, how many ends it has, and how many of them are inside.
    members: Vec<(u64, i32, i32)>,
    total: u64,
}

impl<'p> Seen<'p> {
    fn new(members: &[MatchingEvent<'_>], points: &'p [(Timestamp, usize)]) -> Self {
        let mut states: Vec<(u64, i32, i32)> = members.iter().map(|member| (member.event.count, 0, 0)).collect();
        for (_, member) in points {
            states.get_mut(*member).into_iter().for_each(|state| state.1 += 1);
        }
        Self { points, members: states, total: 0 }
    }

    fn count(&self, member: usize) -> u64 {
        match self.members.get(member) {
            Some((count, ends, inside)) if inside == ends => *count,
            Some((_, _, inside)) => u64::from(*inside > 0),
            None => 0,
        }
    }

    fn change(&mut self, member: usize, by: i32) {
        self.total -= self.count(member);
        if let Some((_, _, inside)) = self.members.get_mut(member) {
            *inside += by;
        }
        self.total += self.count(member);
    }
}

impl Tally for Seen<'_> {
    type Weight = u64;

    fn enter(&mut self, position: usize) {
        self.points.get(position).map(|point| point.1).into_iter().for_each(|member| self.change(member, 1));
    }

    fn leave(&mut self, position: usize) {
        self.points.get(position).map(|point| point.1).into_iter().for_each(|member| self.change(member, -1));
    }

    fn weight(&self) -> u64 {
        self.total
    }
}

/// Makes the group of some members; `None` if there are too few.
fn group(key: Vec<String>, members: &[MatchingEvent<'_>], span: Span, query: &EventQuery) -> Option<EventGroup> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, value) in members.iter().flat_map(|member| &member.captures) {
        let known = values.entry(name.clone()).or_default();
        if known.len() < MAX_DISTINCT {
            known.insert(value.clone());
        }
    }
    let distinct = |capture: &str| values.get(capture).map_or(0, BTreeSet::len) as u64;
    let seen = members.iter().fold(0_u64, |sum, member| sum.saturating_add(member.count));
    let count = query.counting.distinct.as_deref().map_or(seen, distinct);
    if !query.counting.is_enough(count, distinct) {
        return None;
    }
    let mut sorted: Vec<&MatchingEvent<'_>> = members.iter().collect();
    sorted.sort_by_key(|member| (member.event.last, &member.event.message, &member.event.object));
    if let Some(largest) = largest(&sorted, query) {
        let shown = sorted.remove(largest);
        sorted.push(shown);
    }
    let shown = sorted.last()?;
    let first = || members.iter().filter_map(|member| member.event.first).min();
    let last = || members.iter().filter_map(|member| member.event.last).max();
    let (first, last) = span.map_or_else(|| (first(), last()), |(first, last)| (Some(first), Some(last)));
    let all = values.into_iter().map(|(name, values)| (name, values.into_iter().take(MAX_VALUES).collect()));
    Some(EventGroup {
        events: sorted.iter().map(|member| member.event.resource).collect(),
        key,
        reason: shown.event.reason.clone(),
        message: shown.event.message.clone(),
        type_: shown.event.type_.clone(),
        object: shown.event.object.clone(),
        captures: shown.captures.clone(),
        all: all.collect(),
        count,
        first,
        last,
    })
}

/// Returns the position of the member with the largest value of the capture that `max` names; of equal ones the last.
fn largest(members: &[&MatchingEvent<'_>], query: &EventQuery) -> Option<usize> {
    let capture = query.counting.max.as_ref()?;
    let value = |member: &&MatchingEvent<'_>| measure::magnitude(member.captures.get(capture)?);
    let measured = members.iter().map(value).enumerate().filter_map(|(position, value)| Some((value?, position)));
    measured.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, position)| position)
}
