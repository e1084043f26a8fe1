//! Texts of `kubectl describe` as partial objects: fields that tables of kubectl do not print.
//!
//! [`read_described`] splits a text into its objects ([`outline`]), recognises their types ([`kinds`]), takes their fields ([`pod`], [`node`],
//! [`claim`], [`workload`], ...) and writes them onto a tape ([`out`]), each with its place in the text, so that evidence shows the line.
//! Events below an object become events. Their ages count back from the time of the text, if it shows one ([`now`]).

mod claim;
mod common;
mod custom;
mod kinds;
mod lone_events;
mod node;
mod now;
mod out;
mod outline;
mod pod;
mod service;
#[cfg(test)]
mod tests;
mod volume;
mod workload;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::dump::objects::{DumpObjects, FoundObject, MAX_ISSUES};
use super::object::Resource;
use super::table::kubectl_message;
use super::types::{self, TypeName};
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Builder, Document};
use common::Happened;
use kinds::Object;
pub use kinds::are_known;
use lone_events::Subject;
pub use now::{last_end, time_of};
use out::Out;
use outline::View;
pub use outline::is_events_header;

/// Maximum number of objects in one text.
const MAX_OBJECTS: usize = 20_000;

/// A text is older than the collection if it shows a time that is this long before: the time in it is rounded.
const SAME: SignedDuration = SignedDuration::from_mins(10);
/// Types whose deletion `Status` shows.
const DELETED: [&str; 3] = ["PersistentVolume", "PersistentVolumeClaim", "Pod"];

/// Result of reading a described text.
pub struct Described {
    pub objects: DumpObjects,
    /// Message that kubectl printed instead of objects.
    pub answer: Option<Answer>,
}

/// Reads the objects that a text describes. `word` is their plural, if the path of the text states it; ages count back from `now`, the time of
/// the collection, or from the time that the text itself shows. Events are read if `with_events`, that is, if there is no table of
/// them. Text and objects take at most `room` bytes of memory.
pub fn read_described(
    entry: Arc<str>,
    word: Option<&str>,
    bytes: Vec<u8>,
    now: Option<Timestamp>,
    with_events: bool,
    room: u64,
) -> Described {
    let (text, problems) = yaml::source::text(bytes);
    let answer =
        kubectl_message::first_error(&text).filter(|_| kubectl_message::is_only_messages(&text)).map(Answer::beginning);
    // A description next to a table proves no absence, so the text has no place of its own.
    let mut objects = DumpObjects::empty(entry, None);
    objects.rows = true;
    let (mut made, mut full) = (Vec::new(), false);
    let named = outline::objects(&text);
    let outlines = if named.is_empty() { outline::lone_events(&text) } else { named };
    let now = own_time(now::time_of_objects(&text, &outlines), now);
    let tape = {
        let mut builder = Builder::new(&text).within(room);
        for sections in outlines.iter().take(MAX_OBJECTS) {
            write(View { text: &text, sections }, word, now, with_events, &mut builder, &mut made);
            full |= builder.is_full();
        }
        builder.finish()
    };
    if full {
        let origin = Origin::entry(objects.entry.clone());
        objects.issues.push(Issue::at(origin, IssueKind::Limit, DocumentProblem::TooManyObjects));
        objects.went_over_limit();
    }
    let told = text.lines().any(|line| kubectl_message::KubectlMessage::parse(line).is_none());
    if made.is_empty() && told && objects.issues.len() < MAX_ISSUES {
        let origin = Origin::entry(objects.entry.clone());
        objects.issues.push(Issue::at(origin, IssueKind::Document, DocumentProblem::NothingDescribed));
    }
    let mut document = Document::new(text, tape);
    normalise(&mut document, Dialect::Plain);
    let document = Arc::new(document);
    objects.found = made.into_iter().map(|made| made.found(&objects.entry, &document)).collect();
    Described { objects: objects.with_problems(&problems), answer }
}

/// Returns the time from which the ages in a text count back, of its own and that of the collection.
fn own_time(own: Option<Timestamp>, now: Option<Timestamp>) -> Option<Timestamp> {
    own.filter(|own| now.is_none_or(|now| now.duration_since(*own) >= SAME)).or(now)
}

/// An object on the tape.
struct Made {
    type_name: TypeName,
    kind: String,
    /// True if the plural is a guess.
    guessed: bool,
    namespace: Option<String>,
    name: String,
    node: u32,
}

fn write(
    view: View<'_>,
    word: Option<&str>,
    now: Option<Timestamp>,
    with_events: bool,
    builder: &mut Builder<'_>,
    made: &mut Vec<Made>,
) {
    let mut writer = MadeWriter { builder, made };
    if view.is_lone() {
        write_lone_events(view, now, &mut writer);
        return;
    }
    let text = |key: &str| view.value(key).map(|part| view.slice(&part).to_owned());
    let Some(name) = text("Name") else { return };
    let Some(object) = Object::of(view, word) else { return };
    let namespace = text("Namespace").filter(|_| object.namespaced);
    if object.namespaced && namespace.is_none() {
        return;
    }
    let mut fields = (object.fields)(view);
    if DELETED.contains(&&*object.kind)
        && let Some((_, Out::Map(_, metadata))) = fields.iter_mut().find(|(key, _)| key == "metadata")
    {
        metadata.extend(common::deletion(view, now).map(|time| ("deletionTimestamp".to_owned(), time)));
    }
    let at = view.start();
    let kind = object.kind.as_str();
    // A Deployment and its Service often have one name.
    let described = format!("described.{}", object.type_name.plural);
    writer.put(Out::Map(at, fields), (object.type_name, kind, object.guessed), namespace.clone(), name.clone());
    if !with_events {
        return;
    }
    for (number, event) in common::events(view, now).into_iter().enumerate() {
        let involved = Out::map(
            at,
            [
                ("kind", Some(Out::Made(yaml::Kind::String, at..at, kind.to_owned()))),
                ("name", view.value("Name").map(Out::text)),
                ("namespace", view.value("Namespace").map(Out::text)),
            ],
        );
        let place = namespace.clone().unwrap_or_else(|| "default".to_owned());
        writer.event(at, event, involved, place, format!("{name}.{described}.{number}"));
    }
}

/// Writes events of an object that the text does not name.
fn write_lone_events(view: View<'_>, now: Option<Timestamp>, writer: &mut MadeWriter<'_, '_>) {
    let events = common::events(view, now);
    let Some(subject) = Subject::of(view, &events) else { return };
    let at = view.start();
    for (number, event) in events.into_iter().enumerate() {
        // Of several blocks, each has an offset of its own.
        let name = format!("{}.described.{at}.{number}", subject.name);
        writer.event(at, event, subject.involved(), subject.namespace.clone(), name);
    }
}

/// Writes objects onto the tape.
struct MadeWriter<'w, 't> {
    builder: &'w mut Builder<'t>,
    made: &'w mut Vec<Made>,
}

impl MadeWriter<'_, '_> {
    fn put(
        &mut self,
        out: Out,
        (type_name, kind, guessed): (TypeName, &str, bool),
        namespace: Option<String>,
        name: String,
    ) {
        self.builder.begin();
        let node = self.builder.next_index();
        out.write(self.builder);
        if self.builder.is_full() {
            self.builder.abandon();
        } else {
            self.made.push(Made { type_name, kind: kind.to_owned(), guessed, namespace, name, node });
        }
    }

    fn event(&mut self, at: usize, event: Happened, involved: Out, namespace: String, name: String) {
        let fields = event.fields.into_iter().chain([("involvedObject".to_owned(), involved)]);
        self.put(Out::Map(at, fields.collect()), (types::events(), "Event", false), Some(namespace), name);
    }
}

impl Made {
    fn found(self, entry: &Arc<str>, document: &Arc<Document>) -> FoundObject {
        let resource = Resource {
            group: self.type_name.group.as_str().into(),
            version: "".into(),
            kind: self.kind.into(),
            plural: self.type_name.plural.as_str().into(),
            namespace: self.namespace.map(Into::into),
            name: self.name.into(),
            uid: None,
            entry: entry.clone(),
            document: Arc::clone(document),
            node: self.node,
            partial: true,
            row: None,
            source: None,
            supplement: None,
        };
        FoundObject { guessed: self.guessed, ..FoundObject::new(resource) }
    }
}
