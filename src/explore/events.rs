//! Events of a bundle, by time.

use jiff::Timestamp;

use super::lines::Period;
use super::named_object::NamedObject;
use crate::model::{Origin, secret};
use crate::resource::{Collected, Event, ResourceIndex, TypeName};

/// Which events are asked for.
#[derive(Clone, Debug, Default)]
pub struct EventChoice {
    /// Namespace of events; none for all.
    pub namespace: Option<String>,
    /// The object that they are about.
    pub object: Option<NamedObject>,
    /// `Normal`, `Warning`; empty for all.
    pub types: Vec<String>,
    pub period: Period,
}

/// An event as it is shown.
#[derive(Clone, Debug)]
pub struct ShownEvent<'i> {
    pub event: &'i Event,
    /// Namespace of the event itself.
    pub namespace: Option<&'i str>,
    /// Its message, secrets masked.
    pub message: String,
    pub place: Origin,
}

/// Chosen events, the latest last; those without a time come first.
#[derive(Clone, Debug)]
pub struct Events<'i> {
    pub events: Vec<ShownEvent<'i>>,
    /// Events that the period leaves out because their time is not known.
    pub undated: u64,
}

/// Chooses events.
pub fn events<'i>(resources: &'i ResourceIndex, choice: &EventChoice) -> Events<'i> {
    let shown = resources.events().iter().map(|event| {
        let resource = resources.resource(event.resource);
        let message = secret::redact(&event.message).into_owned();
        let place = Origin::line(resource.entry.clone(), resource.body().line());
        ShownEvent { event, namespace: resource.namespace.as_deref(), message, place }
    });
    let mut chosen: Vec<ShownEvent<'_>> = shown.filter(|shown| choice.is_about(shown)).collect();
    let mut undated = 0;
    chosen.retain(|shown| {
        let times = span(shown.event);
        undated += u64::from(times.is_none() && choice.period.is_bounded());
        times.map_or(!choice.period.is_bounded(), |(from, to)| choice.period.meets(from, to))
    });
    chosen.sort_by(|a, b| {
        let key = |shown: &ShownEvent<'_>| (shown.event.last, shown.event.first, shown.event.resource);
        key(a).cmp(&key(b))
    });
    Events { events: chosen, undated }
}

/// Returns the reason why events of a namespace, or of all, may be missing.
pub fn not_collected(resources: &ResourceIndex, namespace: Option<&str>) -> Option<String> {
    match resources.collected(&TypeName::parse("events"), namespace) {
        Collected::No(why) => Some(why.to_string()),
        Collected::Yes | Collected::Empty => None,
    }
}

fn span(event: &Event) -> Option<(Timestamp, Timestamp)> {
    let last = event.last.or(event.first)?;
    Some((event.first.unwrap_or(last).min(last), last))
}

impl EventChoice {
    fn is_about(&self, shown: &ShownEvent<'_>) -> bool {
        let is_type = |type_: &String| type_.eq_ignore_ascii_case(&shown.event.type_);
        // The namespace is that of events here, not that of objects: events of nodes are in `default`.
        self.namespace.as_deref().is_none_or(|namespace| shown.namespace == Some(namespace))
            && (self.types.is_empty() || self.types.iter().any(is_type))
            && self.object.as_ref().is_none_or(|object| object.is(&shown.event.object, None))
    }
}
