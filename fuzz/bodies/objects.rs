//! Files of objects in every form: lists, tables of the API server, bare metadata, descriptions, summaries.
//!
//! The first byte selects the kind of the file and the available memory, the rest is its text.

use std::sync::Arc;

use gleaner::internals::resource::content::{self, HEAD, Shape};
use gleaner::internals::resource::describe::read_described;
use gleaner::internals::resource::summary::{read_releases, read_values};
use gleaner::internals::resource::table::api::Context;
use gleaner::internals::resource::table::read_unnamed;
use gleaner::internals::resource::{DumpObjects, DumpPlace, IndexBuilder};
use gleaner::internals::yaml::normalise::{Dialect, normalise};

/// Memory that objects may take before the room is used up, in bytes.
const SLACK: u64 = 64 << 10;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((&form, text)) = bytes.split_first() else { return };
    let room = if form & 0x80 == 0 { 16 << 20 } else { 8 << 10 };
    let objects = read(form & 0x7f, text.to_vec(), room);
    assert!(objects.bytes() <= room + text.len() as u64 * 4 + SLACK, "{} bytes of {room}", objects.bytes());
    let mut builder = IndexBuilder::default();
    builder.add(objects);
    let (index, issues) = builder.finish();
    assert!(issues.iter().all(|issue| !issue.message.to_string().is_empty()));
    for id in 0..index.len() as u32 {
        let resource = index.resource(id);
        assert!(!resource.plural.is_empty());
        let _ = (resource.body().text(), resource.cells().map(|cells| cells.len()));
    }
}

fn read(form: u8, bytes: Vec<u8>, room: u64) -> DumpObjects {
    let entry: Arc<str> = "a/pods.json".into();
    let now = "2024-03-06T22:53:45Z".parse().ok();
    let place = DumpPlace { namespace: Some("demo"), group: "", version: "v1", plural: "pods" };
    let place = (form.is_multiple_of(2)).then_some(&place);
    let mend = |mut document| {
        normalise(&mut document, if form % 4 < 2 { Dialect::Kit } else { Dialect::Plain });
        document
    };
    match form / 4 % 8 {
        0 => read_described(entry, Some("pods"), bytes, now, form.is_multiple_of(2), room).objects,
        1 => read_described(entry, Some("nodes"), bytes, now, form.is_multiple_of(2), room).objects,
        2 => read_releases(entry, bytes, room),
        3 => read_values(entry, "ConfigMap", bytes, room),
        4 => content::read_stream(entry, bytes, now, room),
        5 => match Shape::of(bytes.get(..HEAD).unwrap_or(&bytes)) {
            Some(Shape::Objects) => content::read_loose(entry, "pods.json", bytes, now, room),
            Some(Shape::Table) => {
                let mut tables = read_unnamed(Arc::clone(&entry), "pods.txt", bytes, now, room);
                tables.pop().unwrap_or_else(|| DumpObjects::none(entry, None))
            }
            Some(Shape::Description) => read_described(entry, None, bytes, now, true, room).objects,
            None => DumpObjects::none(entry, None),
        },
        _ => content::read_dump(entry, Context { place, name: "pods.json", now }, bytes, &mend, room),
    }
}
