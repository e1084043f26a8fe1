//! When a finding began and ended, as far as the bundle says.

use jiff::{SignedDuration, Timestamp};

use crate::eval::finding::conditions::{has_restarted, is_condition, is_ready, not_ready, transition};
use crate::eval::finding::evidence::{around, fields_read};
use crate::eval::input::Input;
use crate::eval::join::combination::Combination;
use crate::expr::Value;
use crate::resource::{Resource, TypeName, parse_time};
use crate::rule::{Fact, FactKind, Rule};
use crate::yaml::Node;

/// How much earlier a symptom may be seen than its cause: clocks of nodes differ, and probes and collectors sample.
const EARLIER: SignedDuration = SignedDuration::from_mins(5);
/// How long after the last sign of a cause a symptom may begin: leases, retries and evictions run out within that time. Also how much
/// earlier than the beginning of its log a cause may have begun.
const LATER: SignedDuration = SignedDuration::from_mins(30);
/// How long after its last sign what a rule says to be the cause of something may still hold: a program logs some faults once, when it starts.
const LASTING: SignedDuration = SignedDuration::from_hours(24);
/// How old the last sign of what still holds may be at the collection.
const CURRENT: SignedDuration = SignedDuration::from_hours(1);

/// Fields with the time at which a state began: of any object, of Longhorn's replicas and volumes, of certificates.
const BEGINNINGS: [&str; 4] = ["deletionTimestamp", "failedAt", "lastDegradedAt", "notAfter"];

/// Times of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First time; none for a state without a time.
    pub begin: Option<Timestamp>,
    /// Last time; none if it held at the collection.
    pub end: Option<Timestamp>,
    pub before: Before,
}

/// What may have been before the first sign of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Before {
    /// Nothing: the log says other things before.
    #[default]
    Nothing,
    /// Earlier signs: the log begins with the first one.
    Signs,
    /// Earlier signs at any time: the log of one of the last starts of a container begins with the first one, or older lines say the same
    /// and the rule does not count them.
    Anything,
}

/// The time of the collection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    pub now: Option<Timestamp>,
}

impl Span {
    /// Reads the times of a finding: those of its hits, from `first` to `last`, and those of the states that its rule read.
    pub fn of(
        input: &Input,
        rule: &Rule,
        rows: &[Combination<'_>],
        first: Option<Timestamp>,
        last: Option<Timestamp>,
    ) -> Self {
        let states = States::of(input, rule, rows);
        let begin = first.into_iter().chain(states.begin).min().or(states.not_ready);
        let found = rows.iter().flat_map(|row| rule.facts.iter().take(rule.find).zip(&row.values));
        let before = |begin| found.map(|(fact, value)| before(input, fact, value, begin)).max();
        let before = begin.and_then(before).unwrap_or_default();
        Self { begin, end: last.filter(|_| !states.any), before }
    }

    /// Returns whether a finding with these times may be the cause of one with those: it began no later, and had not ended
    /// long before. A state without a time may have begun at any time, so it explains only what holds at the collection.
    pub fn may_cause(&self, symptom: &Self, clock: Clock) -> bool {
        self.began_before(symptom, clock) && self.lasted_until(symptom, clock)
    }

    /// Returns whether the rule of a finding with these times may rightly say that it explains one with those, of the same object:
    /// both held at one time, as far as that is known. When it began says little there: what keeps an object from working is often
    /// logged for the first time, or in logs that are still there, after the object reports it.
    pub fn meets(&self, symptom: &Self) -> bool {
        let until = |end: Option<Timestamp>, begin: Option<Timestamp>, most| match (end, begin) {
            (Some(end), Some(begin)) => begin.duration_since(end) <= most,
            _ => true,
        };
        until(self.end, symptom.begin, LASTING) && until(symptom.end, self.begin, LATER)
    }

    fn began_before(&self, symptom: &Self, clock: Clock) -> bool {
        match (self.begin, symptom.begin) {
            (Some(own), Some(other)) => {
                let later = own.duration_since(other);
                match self.before {
                    Before::Nothing => later <= EARLIER,
                    Before::Signs => later <= LATER,
                    Before::Anything => later <= LATER || symptom.is_current(clock),
                }
            }
            (None, _) => symptom.is_current(clock),
            (Some(_), None) => true,
        }
    }

    fn lasted_until(&self, symptom: &Self, clock: Clock) -> bool {
        match (self.end, symptom.begin) {
            (Some(end), Some(begin)) => begin.duration_since(end) <= LATER,
            (Some(_), None) => self.is_current(clock),
            (None, _) => true,
        }
    }

    fn is_current(&self, clock: Clock) -> bool {
        let age = |end: Timestamp| clock.now.map(|now| now.duration_since(end));
        self.end.and_then(age).is_none_or(|age| age <= CURRENT)
    }
}

/// Returns what may have been before the hit of that time in a value: its log may begin with it, or have older lines that do not count.
fn before(input: &Input, fact: &Fact, value: &Value<'_>, begin: Timestamp) -> Before {
    let goes_back = |entry: &str| {
        let mut logs = fact.kinds().flat_map(FactKind::logs);
        logs.any(|log| input.logs.answer(log.query).goes_back(entry, begin))
    };
    let log_begins = |entry: &str| input.logs.begin(entry).is_some_and(|first| begin.duration_since(first) <= EARLIER);
    match value {
        Value::Hits(group) if group.first == Some(begin) && goes_back(&group.first_hit.entry) => Before::Anything,
        Value::Hits(group) if group.first == Some(begin) && log_begins(&group.first_hit.entry) => {
            let pod = group.pod.as_deref().and_then(|name| pod(input, name));
            if pod.is_some_and(has_restarted) { Before::Anything } else { Before::Signs }
        }
        Value::List(items) => items.iter().map(|item| before(input, fact, item, begin)).max().unwrap_or_default(),
        _ => Before::Nothing,
    }
}

/// Returns a pod by `namespace/name`.
fn pod<'i>(input: &'i Input, name: &str) -> Option<&'i Resource> {
    let (namespace, name) = name.split_once('/')?;
    let id = input.world.resources.get(&TypeName::new("pods", ""), Some(namespace), name)?;
    Some(input.world.resources.resource(id))
}

/// Times of states that a rule read.
#[derive(Default)]
struct States {
    /// True if it read any state that has a time or a condition.
    any: bool,
    begin: Option<Timestamp>,
    /// Since when the objects that it is about are not ready, if it read their status as a whole, as `columns()` does.
    not_ready: Option<Timestamp>,
}

impl States {
    fn of(input: &Input, rule: &Rule, rows: &[Combination<'_>]) -> Self {
        let mut states = Self::default();
        for (slot, id, read) in fields_read(input, rule, rows) {
            let resource = input.world.resources.resource(id);
            let body = resource.body();
            let is_status = body.get("status").is_some_and(|status| status.index() == read);
            if is_status && rule.about.contains(&slot) {
                states.add_object(resource);
            }
            let parents = around(body, read);
            match parents.iter().find(|parent| is_condition(parent)) {
                Some(condition) if is_heartbeat(*condition, read) => {}
                // Since when something works does not say when something else began to fail.
                Some(condition) => states.add(transition(*condition).filter(|_| !is_ready(*condition))),
                None => states.add_field(body, &parents, read, input.world.now),
            }
        }
        states
    }

    fn add(&mut self, time: Option<Timestamp>) {
        self.any = true;
        self.begin = self.begin.into_iter().chain(time).min();
    }

    fn add_object(&mut self, resource: &Resource) {
        let Some(condition) = not_ready(resource) else { return };
        self.any = true;
        let since = transition(condition).filter(|_| !has_restarted(resource));
        self.not_ready = self.not_ready.into_iter().chain(since).min();
    }

    /// A field that says when a state began. Other times say when something was made, was last healthy, or happened last.
    fn add_field(&mut self, body: Node<'_>, parents: &[Node<'_>], read: u32, now: Option<Timestamp>) {
        let Some(parent) = parents.last() else { return };
        let status = body.get("status").map(Node::index);
        self.any |= parents.iter().any(|node| Some(node.index()) == status);
        let named = parent.entries().find(|(_, value)| value.index() == read);
        if let Some((_, value)) = named.filter(|(key, _)| BEGINNINGS.contains(&&**key)) {
            let time = parse_time(value.text()).filter(|time| now.is_none_or(|now| *time <= now));
            time.into_iter().for_each(|time| self.add(Some(time)));
        }
    }
}

/// Returns whether a field of a condition says only when it was last looked at.
fn is_heartbeat(condition: Node<'_>, field: u32) -> bool {
    condition.get("lastHeartbeatTime").is_some_and(|time| time.index() == field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        "2025-01-01T00:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_mins(minute)
    }

    fn span(begin: i64, end: Option<i64>, before: Before) -> Span {
        Span { begin: Some(at(begin)), end: end.map(at), before }
    }

    #[test]
    fn runs_that_left_no_log_may_have_been_before_what_still_holds() {
        let clock = Clock { now: Some(at(100)) };
        let (holds, ended) = (span(20, None, Before::Nothing), span(20, Some(25), Before::Nothing));
        let causes = |before| [&holds, &ended].map(|symptom| span(80, Some(99), before).may_cause(symptom, clock));
        assert_eq!(causes(Before::Nothing), [false, false]);
        assert_eq!(causes(Before::Signs), [false, false], "an hour before the log begins");
        assert_eq!(causes(Before::Anything), [true, false]);
        assert!(span(45, Some(99), Before::Signs).may_cause(&ended, clock));
    }
}
