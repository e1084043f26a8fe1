//! Tables and metadata printed by the API server itself (meta.k8s.io): `Table`, `PartialObjectMetadata` and its list.
//!
//! [`unfold`] rewrites each row in the shape that [`super::super::dump`] reads:
//!
//! ```text
//! {kind: Table, type: pods, rows: [{cells: {NAME: web-0, ...}, object: {metadata: ..., spec: ..., status: ...}}]}
//! ```
//!
//! An object that the server sent whole stays as it is. Otherwise it has the metadata sent, which are complete,
//! and the fields that its cells state. Nodes keep their places in the text.

use jiff::Timestamp;

use super::row_object::{Cell, RowObjects};
use super::signature;
use crate::model::message::DocumentProblem;
use crate::resource::dump::place::DumpPlace;
use crate::resource::scalar::scalar_at;
use crate::resource::types::TypeName;
use crate::yaml::{Builder, Document, Kind, Node, Problem};

/// Maximum cells of a row.
const MAX_COLUMNS: usize = 64;
/// Metadata fields that are absent, not unknown, if the server did not send them.
const METADATA: [&str; 11] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "namespace",
    "ownerReferences",
    "uid",
];

/// Facts about the objects of a file that its text does not contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'c> {
    pub place: Option<&'c DumpPlace<'c>>,
    /// Name of the file.
    pub name: &'c str,
    /// Time of the collection, from which ages count.
    pub now: Option<Timestamp>,
}

/// Returns true if an object holds metadata only.
pub fn is_metadata(kind: Option<&str>) -> bool {
    kind == Some("PartialObjectMetadata")
}

/// Returns true if [`unfold`] has something to do.
fn is_folded(kind: Option<&str>) -> bool {
    matches!(kind, Some("Table" | "PartialObjectMetadata" | "PartialObjectMetadataList"))
}

/// Rewrites table rows and bare metadata as rows with cells and objects. A table of unknown type stays as it is. Text
/// and tape take at most `room` bytes of memory; also returns what exceeds that limit.
pub fn unfold(document: Document, context: Context<'_>, room: u64) -> (Document, Option<Problem>) {
    if !document.roots().any(|root| is_folded(scalar_at(root, &["kind"]))) {
        return (document, None);
    }
    let mut unreadable = None;
    let document = document.rebuilt(room, |document, out| {
        for root in document.roots() {
            out.begin();
            let table = is_folded(scalar_at(root, &["kind"])).then(|| Table::read(document, root, context)).flatten();
            match table {
                Some(table) => table.write(out),
                None => out.graft(root),
            }
            if out.is_full() {
                unreadable.get_or_insert_with(|| Problem::new(root.line(), DocumentProblem::TooManyValues));
                out.abandon();
            }
        }
    });
    (document, unreadable)
}

/// Root with the type of its rows.
struct Table<'d> {
    document: &'d Document,
    root: Node<'d>,
    name: TypeName,
    /// Headers, as kubectl prints them.
    columns: Vec<String>,
    now: Option<Timestamp>,
}

impl<'d> Table<'d> {
    fn read(document: &'d Document, root: Node<'d>, context: Context<'_>) -> Option<Self> {
        let definitions = root.get("columnDefinitions").into_iter().flat_map(Node::items).take(MAX_COLUMNS);
        let columns: Vec<String> =
            definitions.map(|column| scalar_at(column, &["name"]).unwrap_or_default().to_uppercase()).collect();
        let by_columns = || signature::type_of_columns(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        let placed = context.place.map(DumpPlace::type_name);
        let name = placed.or_else(by_columns).or_else(|| signature::type_of_file(context.name))?;
        Some(Self { document, root, name, columns, now: context.now })
    }

    fn write(&self, out: &mut Builder<'_>) {
        let (root, at) = (self.root, self.root.offset());
        let kind = scalar_at(root, &["kind"]).unwrap_or_default();
        out.open(Kind::Mapping, at);
        for (key, value) in [("kind", kind), ("type", &self.name.to_string())] {
            out.owned(Kind::String, at..at, key);
            out.owned(Kind::String, at..at, value);
        }
        if let Some(metadata) = root.get("metadata") {
            out.owned(Kind::String, at..at, "metadata");
            out.graft(metadata);
        }
        out.owned(Kind::String, at..at, "rows");
        out.open(Kind::Sequence, at);
        match kind {
            "Table" => root.get("rows").into_iter().flat_map(Node::items).for_each(|row| self.row(out, row)),
            "PartialObjectMetadata" => self.object(out, Some(root), &[], at),
            _ => {
                let items = root.get("items").into_iter().flat_map(Node::items);
                items.for_each(|item| self.object(out, Some(item), &[], item.offset()));
            }
        }
        out.close();
        out.close();
    }

    fn row(&self, out: &mut Builder<'_>, row: Node<'d>) {
        let values = row.get("cells").into_iter().flat_map(Node::items);
        // kubectl does not print values other than scalars as they are.
        let scalars = self.columns.iter().zip(values).filter(|(_, value)| value.kind().is_scalar());
        let place = |value: Node<'_>| value.in_text().unwrap_or_else(|| self.document.source_of(value));
        let cells: Vec<Cell<'_>> =
            scalars.map(|(column, value)| Cell { column, text: value.text(), place: place(value) }).collect();
        self.object(out, row.get("object").filter(|object| !object.is_null()), &cells, row.offset());
    }

    /// Writes a row: its cells, and the known fields in `object`.
    fn object(&self, out: &mut Builder<'_>, object: Option<Node<'d>>, cells: &[Cell<'_>], at: usize) {
        out.open(Kind::Mapping, at);
        if !cells.is_empty() {
            out.owned(Kind::String, at..at, "cells");
            out.open(Kind::Mapping, at);
            for Cell { column, text, place } in cells {
                out.owned(Kind::String, place.start..place.start, column);
                out.owned(Kind::String, place.clone(), text);
            }
            out.close();
        }
        out.owned(Kind::String, at..at, "object");
        match object {
            Some(whole) if is_whole(whole) => out.graft(whole),
            _ => self.partial(out, object.and_then(|object| object.get("metadata")), cells, at),
        }
        out.close();
    }

    fn partial(&self, out: &mut Builder<'_>, metadata: Option<Node<'d>>, cells: &[Cell<'_>], at: usize) {
        let stated = RowObjects::new(self.document.text(), &self.name, self.now);
        let mut entries = stated.entries(cells);
        out.open(Kind::Mapping, at);
        if let Some(metadata) = metadata {
            // Metadata from the server is more exact than the cells.
            entries.retain(|entry| entry.path.first() != Some(&"metadata"));
            let at = metadata.offset();
            out.owned(Kind::String, at..at, "metadata");
            out.open(Kind::Mapping, at);
            for (key, value) in metadata.entry_nodes() {
                out.graft(key);
                out.graft(value);
            }
            for absent in METADATA.iter().filter(|name| metadata.get(name).is_none()) {
                out.owned(Kind::String, at..at, absent);
                out.owned(Kind::Null, at..at, "");
            }
            out.close();
        }
        stated.groups(out, &entries, 0);
        out.close();
    }
}

/// Returns true if the server sent the object and not only its metadata.
fn is_whole(object: Node<'_>) -> bool {
    let kind = scalar_at(object, &["kind"]);
    kind.is_some() && !is_metadata(kind)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::resource::dump::{DumpObjects, read_objects};
    use crate::yaml;
    use crate::yaml::normalise::{Dialect, normalise};
    use crate::yaml::tape::MAX_DEPTH;

    const PODS: DumpPlace<'_> = DumpPlace { namespace: None, group: "", version: "v1", plural: "pods" };

    fn read(place: Option<&DumpPlace<'_>>, name: &str, text: &str) -> DumpObjects {
        let (document, problems) = yaml::parse(text.as_bytes().to_vec());
        assert_eq!(problems, []);
        let (mut document, _) = unfold(document, Context { place, name, now: None }, u64::MAX);
        normalise(&mut document, Dialect::Plain);
        read_objects("list.json".into(), place, &Arc::new(document))
    }

    fn table(object: &str) -> String {
        let columns =
            ["Name", "Status", "IP", "Secret", "Odd"].map(|name| format!("{{\"name\": \"{name}\"}}")).join(",");
        format!(
            "{{\"kind\": \"Table\", \"apiVersion\": \"meta.k8s.io/v1\", \"columnDefinitions\": [{columns}],\n\
             \"rows\": [{{\"cells\": [\"web-0\", \"Running\", \"10.\\u0030.0.1\", \"hush\", [1]],\n\"object\": {object}}}]}}"
        )
    }

    const METADATA_ONLY: &str = "{\"kind\": \"PartialObjectMetadata\", \"apiVersion\": \"meta.k8s.io/v1\", \
        \"metadata\": {\"name\": \"web-0\", \"namespace\": \"shop\", \"uid\": \"u1\", \"labels\": {\"app\": \"web\"}}}";

    #[test]
    fn a_row_has_the_metadata_that_were_sent_and_what_its_cells_state() {
        let objects = read(Some(&PODS), "pods.json", &table(METADATA_ONLY));
        assert_eq!((objects.len(), objects.listed, objects.rows, objects.incomplete), (1, true, false, false));
        let pod = &objects.found[0].resource;
        assert_eq!(
            (pod.object().to_string().as_str(), pod.uid.as_deref(), pod.partial),
            ("Pod/shop/web-0", Some("u1"), true)
        );
        let at = |keys: &[&str]| pod.body().path(keys).map(|node| (node.text().to_owned(), node.line()));
        assert_eq!(at(&["metadata", "labels", "app"]), Some(("web".to_owned(), 3)));
        assert_eq!(at(&["status", "podIP"]), Some(("10.0.0.1".to_owned(), 2)));
        assert!(pod.body().path(&["metadata", "deletionTimestamp"]).unwrap().is_null(), "all metadata were sent");
        assert!(pod.body().path(&["spec", "hostNetwork"]).is_none(), "nobody said so");
        let cells: Vec<_> = pod.cells().unwrap().entries().map(|(name, cell)| format!("{name}={cell:?}")).collect();
        assert_eq!(cells, ["NAME=\"web-0\"", "STATUS=\"Running\"", "IP=\"10.0.0.1\"", "SECRET=***"]);
    }

    #[test]
    fn a_whole_object_stays_as_it_is() {
        let whole =
            "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"web-0\", \"namespace\": \"shop\"}}";
        let objects = read(Some(&PODS), "pods.json", &table(whole));
        let pod = &objects.found[0].resource;
        assert_eq!((pod.partial, pod.row, pod.version.as_ref(), pod.body().line()), (false, None, "v1", 3));
    }

    #[test]
    fn without_an_object_the_cells_are_all() {
        let place = DumpPlace { namespace: Some("shop"), ..PODS };
        let objects = read(Some(&place), "pods.json", &table("null"));
        assert_eq!(objects.found[0].resource.object().to_string(), "Pod/shop/web-0");
        assert!(objects.rows && objects.found[0].resource.body().path(&["metadata", "labels"]).is_none());
        let homeless = read(Some(&PODS), "pods.json", &table("null"));
        assert!(homeless.is_empty() && homeless.incomplete);
        assert_eq!(homeless.issues[0].message, "a row without a namespace");
    }

    #[test]
    fn bare_metadata_are_partial_objects() {
        let list = format!("{{\"kind\": \"PartialObjectMetadataList\", \"items\": [{METADATA_ONLY}]}}");
        for (text, listed) in [(list.as_str(), true), (METADATA_ONLY, false)] {
            let objects = read(Some(&PODS), "pods.json", text);
            let pod = &objects.found[0].resource;
            assert_eq!((objects.listed, pod.object().to_string().as_str(), pod.row), (listed, "Pod/shop/web-0", None));
            assert_eq!(format!("{:?}", pod.body().path(&["metadata", "finalizers"])), "Some(null)");
        }
    }

    #[test]
    fn a_type_follows_from_columns_or_the_file_name() {
        let shown = |name: &str, text: &str| {
            let objects = read(None, name, text);
            (objects.found.first().map(|found| found.resource.object().to_string()), objects.issues)
        };
        let columns = table(METADATA_ONLY).replace("\"IP\"", "\"Restarts\"").replace("\"Odd\"", "\"Ready\"");
        assert_eq!(shown("x.json", &columns).0.as_deref(), Some("Pod/shop/web-0"));
        assert_eq!(shown("get-pods.json", METADATA_ONLY).0.as_deref(), Some("Pod/shop/web-0"));
        assert!(shown("x.json", METADATA_ONLY).1[0].message.to_string().contains("neither its path nor its columns"));
    }

    #[test]
    fn records_of_helm_are_known_by_their_labels_and_the_rest_of_a_list_is_missed() {
        let place = DumpPlace { plural: "secrets", namespace: Some("shop"), ..PODS };
        let item = "{\"metadata\": {\"name\": \"sh.helm.release.v1.web.v2\", \"labels\": {\"owner\": \"helm\", \"name\": \"web\", \"status\": \"failed\"}}}";
        let list = |more: &str| {
            format!("{{\"kind\": \"PartialObjectMetadataList\", \"metadata\": {{{more}}}, \"items\": [{item}]}}")
        };
        let objects = read(Some(&place), "secrets.json", &list(""));
        assert!(objects.found[0].helm.is_some() && !objects.incomplete);
        let part = read(Some(&place), "secrets.json", &list("\"continue\": \"abc\""));
        assert_eq!((part.len(), part.incomplete), (1, true));
        assert!(part.issues[0].message.to_string().contains("goes on elsewhere"));
    }

    #[test]
    fn odd_tables_are_bounded() {
        let deep = format!(
            "{{\"kind\": \"Table\", \"rows\": [{{\"object\": {}1{}}}]}}",
            "[".repeat(MAX_DEPTH - 5),
            "]".repeat(MAX_DEPTH - 5)
        );
        let wide = format!(
            "{{\"kind\": \"Table\", \"columnDefinitions\": [{}], \"rows\": [{{\"cells\": [{}]}}]}}",
            "{},".repeat(5000) + "1",
            "1,".repeat(5000) + "1"
        );
        for text in
            ["{\"kind\": \"Table\", \"rows\": 5}", "{\"kind\": \"Table\", \"rows\": [5, null, []]}", &deep, &wide]
        {
            assert!(read(Some(&PODS), "pods.json", text).is_empty(), "{text:.60}");
        }
    }
}
