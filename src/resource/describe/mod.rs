//! Texts of `kubectl describe` as partial objects: fields of Pods, Nodes and claims that tables of kubectl do not print.
//!
//! [`read_described`] splits a text into its objects ([`outline`]), takes their fields ([`pod`], [`node`], [`claim`]) and writes
//! them onto a tape ([`out`]), each with its place in the text, so that evidence shows the line. Events below an object become events.

mod claim;
mod common;
mod node;
mod out;
mod outline;
mod pod;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;

use super::dump::objects::{DumpObjects, FoundObject, MAX_ISSUES};
use super::object::Resource;
use super::table::kubectl_message;
use super::types::{self, TypeName};
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Builder, Document};
use out::Out;
use outline::View;

/// Maximum number of objects in one text.
const MAX_OBJECTS: usize = 20_000;

/// Result of reading a described text.
pub struct Described {
    pub objects: DumpObjects,
    /// Message that kubectl printed instead of objects.
    pub answer: Option<Answer>,
}

/// Reads the objects that a text describes. `word` is their plural; ages count back from `now`, the time of the collection.
/// Events are read if `with_events`, that is, if there is no table of them. Text and objects take at most `room` bytes of memory.
pub fn read_described(
    entry: Arc<str>,
    word: &str,
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
    let tape = {
        let mut builder = Builder::new(&text).within(room);
        for sections in outline::objects(&text).iter().take(MAX_OBJECTS) {
            write(
                View { text: &text, sections },
                word,
                now.filter(|_| with_events),
                with_events,
                &mut builder,
                &mut made,
            );
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

/// An object on the tape.
struct Made {
    type_name: TypeName,
    namespace: Option<String>,
    name: String,
    node: u32,
}

fn write(
    view: View<'_>,
    word: &str,
    now: Option<Timestamp>,
    with_events: bool,
    builder: &mut Builder<'_>,
    made: &mut Vec<Made>,
) {
    let text = |key: &str| view.value(key).map(|part| view.slice(&part).to_owned());
    let Some(name) = text("Name") else { return };
    let (namespace, kind, fields) = match word {
        "pods" => (text("Namespace"), "Pod", pod::fields(view)),
        "nodes" => (None, "Node", node::fields(view)),
        "persistentvolumeclaims" => (text("Namespace"), "PersistentVolumeClaim", claim::fields(view)),
        _ => return,
    };
    if word != "nodes" && namespace.is_none() {
        return;
    }
    let at = view.sections.first().map_or(0, |section| section.line.start);
    let mut put = |out: Out, type_name: TypeName, namespace: Option<String>, name: String| {
        builder.begin();
        let node = builder.next_index();
        out.write(builder);
        if builder.is_full() {
            builder.abandon();
        } else {
            made.push(Made { type_name, namespace, name, node });
        }
    };
    put(Out::Map(at, fields), TypeName::new(word, ""), namespace.clone(), name.clone());
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
        let fields = event.fields.into_iter().chain([("involvedObject".to_owned(), involved)]);
        let place = namespace.clone().unwrap_or_else(|| "default".to_owned());
        put(Out::Map(at, fields.collect()), types::events(), Some(place), format!("{name}.described.{number}"));
    }
}

impl Made {
    fn found(self, entry: &Arc<str>, document: &Arc<Document>) -> FoundObject {
        let kind = types::known(&self.type_name).map_or("", |known| known.kind);
        let resource = Resource {
            group: self.type_name.group.as_str().into(),
            version: "".into(),
            kind: kind.into(),
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
        FoundObject::new(resource)
    }
}
