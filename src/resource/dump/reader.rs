//! Finds the objects of a document in every shape of list.

use std::borrow::Cow;
use std::sync::Arc;

use super::identity::{Identity, Inherited};
use super::objects::{Definition, DumpObjects, FoundObject, MAX_ISSUES, OBJECT_BYTES};
use super::place::DumpPlace;
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin, secret};
use crate::resource::object::Resource;
use crate::resource::scalar::scalar_at;
use crate::resource::table::kubectl_message::KubectlMessage;
use crate::resource::types::{self, TypeName};
use crate::resource::{helm, table};
use crate::yaml::{Document, Kind, Node};

/// Maximum depth of lists within lists.
const MAX_LISTS: usize = 4;
/// Most characters of an answer of the API server.
const MAX_ANSWER: usize = 160;
/// Keys of a list beside its items. A list with no other key is empty.
const LIST_KEYS: [&str; 3] = ["apiVersion", "kind", "metadata"];
/// Path of the name in a Go struct that was written without its JSON names.
const GO_NAME: &[&str] = &["objectmeta", "name"];

/// Reads all objects of a document. `place` comes from its path, if the layout has such paths.
pub fn read_objects(entry: Arc<str>, place: Option<&DumpPlace<'_>>, document: &Arc<Document>) -> DumpObjects {
    read_objects_within(entry, place, document, u64::MAX)
}

/// Reads the objects of a document; document and objects take at most `room` bytes of memory.
pub fn read_objects_within(
    entry: Arc<str>,
    place: Option<&DumpPlace<'_>>,
    document: &Arc<Document>,
    room: u64,
) -> DumpObjects {
    let left = room.saturating_sub(document.bytes() as u64) / OBJECT_BYTES;
    let mut reader = ObjectReader { out: DumpObjects::empty(entry, place), document, dropped: 0, left, full: false };
    let mut seen = false;
    for root in document.roots().filter(|root| !root.is_null()) {
        seen = true;
        reader.value(root, &Inherited::default(), 0);
    }
    if !seen && reader.out.place.is_some() {
        reader.fail(None, DocumentProblem::NoDocument);
    }
    reader.finish()
}

struct ObjectReader<'d> {
    out: DumpObjects,
    document: &'d Arc<Document>,
    dropped: usize,
    /// Number of further objects that fit into memory.
    left: u64,
    full: bool,
}

impl<'d> ObjectReader<'d> {
    fn value(&mut self, node: Node<'d>, inherited: &Inherited<'d>, lists: usize) {
        match node.kind() {
            Kind::Mapping => self.mapping(node, inherited, lists),
            Kind::Sequence => self.items(node, node.len(), inherited, lists),
            _ if self.out.place.is_none() => {}
            _ => self.fail(Some(node), DocumentProblem::TextForObject { text: head_of(node.text()) }),
        }
    }

    /// Reads this number of items of a list.
    fn items(&mut self, node: Node<'d>, count: usize, inherited: &Inherited<'d>, lists: usize) {
        if lists == MAX_LISTS {
            return self.fail(Some(node), DocumentProblem::ListsTooDeep { most: MAX_LISTS });
        }
        self.out.listed = true;
        for item in node.items().take(count) {
            self.value(item, inherited, lists + 1);
        }
    }

    fn mapping(&mut self, node: Node<'d>, inherited: &Inherited<'d>, lists: usize) {
        let kind = scalar_at(node, &["kind"]);
        match kind {
            Some("Status") if node.str_at(&["metadata", "name"]).is_none() => self.status(node),
            Some("APIResourceList") => self.served(node),
            Some("Table") if node.get("columnDefinitions").is_some() || node.get("rows").is_some() => {
                self.table(node, true);
            }
            Some("PartialObjectMetadataList") => self.table(node, true),
            Some("PartialObjectMetadata") => self.table(node, false),
            _ if is_list(node, kind) => self.list(node, kind, lists),
            // A file without a place may hold mappings that are not objects.
            _ if self.out.place.is_none() && kind.is_none() && scalar_at(node, &["metadata", "name"]).is_none() => {}
            _ => self.object(node, inherited),
        }
    }

    /// Reads the types of one group that the API server serves.
    fn served(&mut self, node: Node<'d>) {
        let (group, _) = scalar_at(node, &["groupVersion"]).map(types::split_api_version).unwrap_or_default();
        for item in node.get("resources").iter().flat_map(|resources| resources.items()) {
            // `pods/log` is a subresource.
            let name = scalar_at(item, &["name"]).filter(|name| !name.contains('/'));
            if let Some((name, kind)) = name.zip(scalar_at(item, &["kind"])) {
                let namespaced = item.get("namespaced").and_then(Node::as_bool).unwrap_or(true);
                let name = TypeName::new(name, group);
                self.out.definitions.push(Definition { name, kind: kind.to_owned(), namespaced, custom: false });
            }
        }
    }

    /// Reads the answer of the API server in place of objects. It is the reason, not a fault of the file. Without a place nothing
    /// states which objects were requested, so it becomes an issue.
    fn status(&mut self, node: Node<'d>) {
        let succeeded = scalar_at(node, &["status"]) == Some("Success");
        let words = answer(node).chars().take(MAX_ANSWER).collect();
        let answer = if succeeded { Answer::Status { status: words } } else { Answer::Error { error: words } };
        if self.out.place.is_none() {
            if !succeeded {
                self.fail(Some(node), DocumentProblem::Answered { answer });
            }
            return;
        }
        self.out.incomplete = true;
        self.out.answer.get_or_insert(answer);
    }

    /// Collectors write the keys of a list sorted, so `kind` comes behind the items: without it, the end of the file is missing. An
    /// object is cut within a line but in one of about forty cuts, so one that ends with its line is read.
    fn list(&mut self, node: Node<'d>, kind: Option<&'d str>, lists: usize) {
        let item_kind = kind.and_then(|k| k.strip_suffix("List")).filter(|k| !k.is_empty());
        let api_version = item_kind.and_then(|_| scalar_at(node, &["apiVersion"]));
        self.out.listed = true;
        self.unfinished(node);
        self.remark(node);
        let is_without_end = self.out.place.is_some() && kind.is_none() && node.get("apiVersion").is_some();
        let is_cut = is_without_end && !self.document.text().ends_with('\n');
        if is_without_end {
            let problem = if is_cut { DocumentProblem::ListCut } else { DocumentProblem::ListWithoutEnd };
            self.fail(Some(node), problem);
        }
        match node.get("items") {
            Some(items) if items.kind() == Kind::Sequence => {
                let whole = items.len() - usize::from(is_cut && !items.is_empty());
                self.items(items, whole, &Inherited { api_version, kind: item_kind }, lists);
            }
            Some(items) if items.is_null() => {}
            Some(items) => self.fail(Some(items), DocumentProblem::ItemsNoSequence),
            None if node.entries().all(|(key, _)| LIST_KEYS.contains(&key.as_ref())) => {}
            None => self.fail(Some(node), DocumentProblem::ListWithoutItems),
        }
    }

    /// Reads the rows that [`table::api::unfold`] made of a table or of bare metadata.
    fn table(&mut self, node: Node<'d>, listed: bool) {
        let Some(name) = node.str_at(&["type"]).map(TypeName::parse) else {
            return self.fail(Some(node), DocumentProblem::TableOfUnknownType);
        };
        self.out.listed |= listed;
        self.unfinished(node);
        for row in node.get("rows").into_iter().flat_map(Node::items) {
            match row.get("object") {
                Some(object) if object.get("kind").is_some() => self.object(object, &Inherited::default()),
                Some(object) => self.row(&name, object, row.get("cells")),
                None => {}
            }
        }
    }

    fn row(&mut self, name: &TypeName, object: Node<'d>, cells: Option<Node<'d>>) {
        if self.is_full(object) {
            return;
        }
        let known = types::known(name);
        let place = self.out.place.as_ref().and_then(|place| place.namespace.clone());
        let namespace = scalar_at(object, &["metadata", "namespace"]).map(Box::from).or(place);
        let Some(called) = scalar_at(object, &["metadata", "name"]) else {
            return self.fail(Some(object), DocumentProblem::RowWithoutName);
        };
        if namespace.is_none() && known.is_some_and(|known| known.namespaced) {
            return self.fail(Some(object), DocumentProblem::RowWithoutNamespace);
        }
        let nodes = (object.index(), cells.map(Node::index));
        let partial = table::partial(&self.out.entry, name, self.document, (namespace.as_deref(), called), nodes);
        let uid = scalar_at(object, &["metadata", "uid"]).map(Into::into);
        // Without labels a record of Helm cannot be recognised.
        self.out.rows |= object.path(&["metadata", "labels"]).is_none();
        self.keep(Resource { uid, ..partial }, known.is_none());
    }

    /// Reports what kubectl says behind a list, which looks like a key of it.
    fn remark(&mut self, list: Node<'d>) {
        let line = |(key, value): (Cow<'_, str>, Node<'_>)| format!("{key}: {}", value.text());
        let is_error = |line: &String| matches!(KubectlMessage::parse(line), Some(KubectlMessage::Error(_)));
        if let Some(said) = list.entries().map(line).find(is_error) {
            self.fail(Some(list), DocumentProblem::Answered { answer: Answer::beginning(&said) });
        }
    }

    /// Reports a truncated list: the server gave the position at which the rest begins.
    fn unfinished(&mut self, list: Node<'d>) {
        let goes_on = |key| scalar_at(list, &["metadata", key]).is_some_and(|value| value != "0");
        if goes_on("continue") || goes_on("remainingItemCount") {
            self.fail(Some(list), DocumentProblem::PartOfList);
        }
    }

    fn object(&mut self, node: Node<'d>, inherited: &Inherited<'d>) {
        if self.is_full(node) {
            return;
        }
        let Some(identity) = Identity::of(node, inherited, self.out.place.as_ref()) else {
            return self.fail(Some(node), DocumentProblem::ObjectWithoutKind);
        };
        // Configuration files, such as those of kubectl and kustomize, have kind and version but no metadata.
        if self.out.place.is_none() && node.get("metadata").is_none() && node.get("apiVersion").is_some() {
            return;
        }
        let Some(name) = scalar_at(node, &["metadata", "name"]).or_else(|| scalar_at(node, GO_NAME)) else {
            return self.fail(Some(node), DocumentProblem::ObjectWithoutName { kind: identity.kind });
        };
        let resource = self.resource(node, &identity, name);
        if resource.kind.as_ref() == "CustomResourceDefinition" {
            self.out.definitions.extend(definition(node));
        }
        self.keep(resource, identity.guessed);
    }

    /// Returns true if there is no memory for another object; reports this once.
    fn is_full(&mut self, node: Node<'d>) -> bool {
        if self.left == 0 && !std::mem::replace(&mut self.full, true) {
            self.out.over_limit = true;
            self.fail(Some(node), DocumentProblem::TooManyObjects);
        }
        self.full
    }

    fn keep(&mut self, resource: Resource, guessed: bool) {
        let helm = helm::record_of(&resource).map(Box::new);
        let revision = scalar_at(resource.body(), &["metadata", "resourceVersion"]);
        let revision = revision.and_then(|v| v.parse().ok()).unwrap_or(0);
        self.left = self.left.saturating_sub(1);
        self.out.found.push(FoundObject { resource, guessed, revision, helm });
    }

    fn resource(&self, node: Node<'d>, identity: &Identity, name: &str) -> Resource {
        let known = types::known_kind(&identity.group, &identity.kind);
        let path = self.out.place.as_ref().and_then(|p| p.namespace.clone());
        let own = scalar_at(node, &["metadata", "namespace"]);
        // The path tells a namespace that a collector hid in the object.
        let own = own.filter(|own| path.is_none() || !secret::is_withheld(own)).map(Into::into);
        Resource {
            group: identity.group.as_str().into(),
            version: identity.version.as_str().into(),
            kind: identity.kind.as_str().into(),
            plural: identity.plural.as_str().into(),
            namespace: if known.is_some_and(|t| !t.namespaced) { None } else { own.or(path) },
            name: name.into(),
            uid: scalar_at(node, &["metadata", "uid"]).filter(|uid| !secret::is_withheld(uid)).map(Into::into),
            entry: self.out.entry.clone(),
            document: Arc::clone(self.document),
            node: node.index(),
            // Its fields have other names.
            partial: scalar_at(node, GO_NAME).is_some(),
            row: None,
            source: None,
            supplement: None,
        }
    }

    /// Reports an issue because of which objects may be unreadable.
    fn fail(&mut self, node: Option<Node<'d>>, problem: DocumentProblem) {
        self.out.incomplete = true;
        self.issue(node, problem);
    }

    fn issue(&mut self, node: Option<Node<'d>>, problem: DocumentProblem) {
        if self.out.issues.len() >= MAX_ISSUES {
            self.dropped += 1;
            return;
        }
        let origin = Origin { entry: self.out.entry.clone(), line: node.map(Node::line) };
        self.out.issues.push(Issue::at(origin, IssueKind::Document, problem));
    }

    fn finish(mut self) -> DumpObjects {
        if self.dropped > 0 {
            let problem = DocumentProblem::MoreObjects { count: self.dropped };
            self.out.issues.push(Issue::at(Origin::entry(self.out.entry.clone()), IssueKind::Document, problem));
        }
        self.out
    }
}

fn is_list(node: Node<'_>, kind: Option<&str>) -> bool {
    match kind {
        Some(kind) => kind.ends_with("List") && node.str_at(&["metadata", "name"]).is_none(),
        None => node.get("items").is_some(),
    }
}

/// Reads a CustomResourceDefinition; none if a collector hid a part.
fn definition(node: Node<'_>) -> Option<Definition> {
    let text = |path: &[&str]| scalar_at(node, path).filter(|text| !secret::is_withheld(text));
    let group = text(&["spec", "group"])?;
    let plural = text(&["spec", "names", "plural"])?;
    let kind = text(&["spec", "names", "kind"])?;
    let scope = scalar_at(node, &["spec", "scope"]);
    if scope.is_some_and(secret::is_withheld) {
        return None;
    }
    let namespaced = scope != Some("Cluster");
    Some(Definition { name: TypeName::new(plural, group), kind: kind.to_owned(), namespaced, custom: true })
}

/// `nodes is forbidden: User "x" cannot list (Forbidden, 403)`.
pub(super) fn answer(status: Node<'_>) -> String {
    let message = scalar_at(status, &["message"]).map(head_of);
    let kind: Vec<&str> = ["reason", "code"].iter().filter_map(|key| scalar_at(status, &[key])).collect();
    match (message, kind.join(", ")) {
        (None, kind) if kind.is_empty() => "no reason given".to_owned(),
        (None, kind) => kind,
        (Some(message), kind) if kind.is_empty() => message,
        (Some(message), kind) => format!("{message} ({kind})"),
    }
}

/// Returns the beginning of a text, for messages.
fn head_of(text: &str) -> String {
    let mut head: String = text.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if head.len() < text.len() {
        head.push_str("...");
    }
    head
}
