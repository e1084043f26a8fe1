//! Objects of one document: every shape of list that collectors write.
//!
//! [`read_objects`] looks at one document alone, so that many can be read in parallel; an
//! [`super::IndexBuilder`] puts the [`DumpObjects`] together.

use std::sync::Arc;

use super::types::{self, TypeName};
use super::{Resource, helm, table};
use crate::model::{Issue, IssueKind, Origin};
use crate::yaml::{Document, Kind, Node, Problem};

/// Issues of one document beyond this number are summed up.
pub(super) const MAX_ISSUES: usize = 20;
/// Lists within lists are followed so deep.
const MAX_LISTS: usize = 4;
/// Where a name stands in a Go struct that was written without regard of its JSON names.
const GO_NAME: &[&str] = &["objectmeta", "name"];
/// Stands for a group that the path of a dump does not tell.
pub const ANY_GROUP: &str = "*";
const NO_DOCUMENT: &str = "holds no document";
/// Memory that an object takes beside its document and in the index.
pub(super) const OBJECT_BYTES: u64 = 1000;
pub(super) const TOO_MANY: &str = "more objects than there is memory for; those from here on were not read: \
                                   analyse this file by itself, or collect its namespaces one by one";

/// What the path of a dump says about its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpPlace<'a> {
    /// None for cluster-scoped objects, and for dumps over all namespaces.
    pub namespace: Option<&'a str>,
    /// API group; empty for the core group, [`ANY_GROUP`] if the path has none.
    pub group: &'a str,
    /// API version without the group; empty if the path has none, which makes an empty group one of Kubernetes' own.
    pub version: &'a str,
    /// Lower-case plural, the stem of the file name.
    pub plural: &'a str,
}

impl DumpPlace<'_> {
    /// The type that the path names.
    pub fn type_name(&self) -> TypeName {
        let name = TypeName::new(self.plural, self.group);
        let is_open = self.group == ANY_GROUP || self.group.is_empty() && self.version.is_empty();
        if is_open { types::resolve(self.plural).name } else { name }
    }
}

/// The objects of one entry, and how far they can be trusted to be all of them.
#[derive(Debug)]
pub struct DumpObjects {
    pub(super) entry: Arc<str>,
    pub(super) place: Option<Place>,
    pub(super) found: Vec<Found>,
    /// Whether objects came in lists, so that more of them would have been there.
    pub(super) listed: bool,
    pub(super) definitions: Vec<Definition>,
    pub(super) issues: Vec<Issue>,
    /// Why some objects of the entry may be missing.
    pub(super) failure: Option<String>,
    /// Whether some are missing because there was no memory for them.
    pub(super) short: bool,
    /// What kubectl said instead of giving objects.
    pub(super) refused: Option<String>,
    /// Objects are rows of tables, of which most fields are unseen.
    pub(super) rows: bool,
    /// Nobody says that these are all objects of their types.
    pub(super) loose: bool,
}

/// A [`DumpPlace`] that is kept.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub name: TypeName,
    /// The path does not tell the group: what the objects say of themselves counts.
    pub guessed: bool,
    pub version: Box<str>,
    pub namespace: Option<Box<str>>,
    /// Path of the folder of the namespace, or of the cluster scope.
    pub folder: Box<str>,
}

/// An object before it has an id.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub resource: Resource,
    /// Whether a definition may know the type better: its plural or its kind are a guess.
    pub guessed: bool,
    /// `metadata.resourceVersion`, 0 if there is none: of two dumps of an object the higher is newer.
    pub revision: u64,
    pub helm: Option<Box<helm::Record>>,
}

impl Found {
    /// An object of a known type that is no record of anything else.
    pub fn new(resource: Resource) -> Self {
        Self { resource, guessed: false, revision: 0, helm: None }
    }
}

/// What a CustomResourceDefinition says about its type.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub name: TypeName,
    pub kind: String,
    pub namespaced: bool,
    /// Said by a CustomResourceDefinition, not only by the API server's list of what it serves.
    pub custom: bool,
}

impl DumpObjects {
    /// An entry of which nothing could be read.
    pub fn unreadable(entry: Arc<str>, place: Option<&DumpPlace<'_>>, why: impl Into<String>) -> Self {
        let mut objects = Self::empty(entry, place);
        objects.failure = Some(why.into());
        objects
    }

    /// An entry in which kubectl only says why there are no objects.
    pub fn refused(entry: Arc<str>, place: Option<&DumpPlace<'_>>, said: &str) -> Self {
        let said: String = said.chars().take(200).collect();
        let mut objects = Self::unreadable(entry, place, said.as_str());
        objects.refused = Some(said);
        objects
    }

    /// An entry in which kubectl says that there are no objects.
    pub fn none(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        Self { listed: true, ..Self::empty(entry, place) }
    }

    /// Says that there may be further objects of the same types, of which the bundle tells nothing.
    pub fn loose(mut self) -> Self {
        self.loose = true;
        self
    }

    /// Adds what the YAML reader could not read; objects may be missing then.
    pub fn with_problems(mut self, problems: &[Problem]) -> Self {
        if problems.iter().any(|problem| problem.lost) {
            // The problem is why there is none.
            self.issues.retain(|issue| issue.message != NO_DOCUMENT);
        }
        for problem in problems {
            let origin = Origin::line(self.entry.clone(), problem.line);
            self.issues.push(Issue::at(origin, IssueKind::Document, problem.message.clone()));
        }
        self.short |= problems.iter().any(Problem::is_memory);
        if let Some(first) = problems.iter().find(|problem| problem.lost) {
            self.failure.get_or_insert_with(|| first.message.clone());
        }
        self
    }

    /// Says that only a part of the entry was read, so objects may be missing.
    pub fn incomplete(&mut self, why: impl Into<String>) {
        self.failure.get_or_insert_with(|| why.into());
    }

    /// What kubectl or the API server said instead of giving objects.
    pub fn refusal(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Says that there was no memory for some of the objects.
    pub(super) fn fell_short(&mut self) {
        self.short = true;
        self.incomplete(TOO_MANY);
    }

    /// Whether there was no memory for some of the objects.
    pub fn is_short(&self) -> bool {
        self.short
    }

    /// Memory that text and objects take.
    pub fn bytes(&self) -> u64 {
        let document = self.found.first().map_or(0, |found| found.resource.document.bytes());
        document as u64 + self.found.len() as u64 * OBJECT_BYTES
    }

    /// Path of the entry.
    pub fn entry(&self) -> &Arc<str> {
        &self.entry
    }

    /// How many objects the entry holds.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether the entry holds no object.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn empty(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        let place = place.map(|p| Place {
            name: p.type_name(),
            guessed: p.group == ANY_GROUP,
            version: p.version.into(),
            namespace: p.namespace.map(Into::into),
            folder: folder_of(&entry, p).into(),
        });
        Self {
            entry,
            place,
            found: Vec::new(),
            listed: false,
            definitions: Vec::new(),
            issues: Vec::new(),
            failure: None,
            short: false,
            refused: None,
            rows: false,
            loose: false,
        }
    }
}

/// The folder that the group, version and file name of a dump stand in.
fn folder_of<'a>(entry: &'a str, place: &DumpPlace<'_>) -> &'a str {
    let has_group = !matches!(place.group, "" | ANY_GROUP);
    let below = 1 + usize::from(!place.version.is_empty()) + usize::from(has_group);
    (0..below).fold(entry, |path, _| path.rsplit_once('/').map_or("", |(folder, _)| folder))
}

/// All objects of a document. `place` is what the path says, where the layout has such paths.
pub fn read_objects(entry: Arc<str>, place: Option<&DumpPlace<'_>>, document: &Arc<Document>) -> DumpObjects {
    read_objects_within(entry, place, document, u64::MAX)
}

/// The objects of a document that fit beside it into so many bytes of memory.
pub fn read_objects_within(
    entry: Arc<str>,
    place: Option<&DumpPlace<'_>>,
    document: &Arc<Document>,
    room: u64,
) -> DumpObjects {
    let left = room.saturating_sub(document.bytes() as u64) / OBJECT_BYTES;
    let mut reader = Reader { out: DumpObjects::empty(entry, place), document, dropped: 0, left, full: false };
    let mut seen = false;
    for root in document.roots().filter(|root| !root.is_null()) {
        seen = true;
        reader.value(root, &Inherited::default(), 0);
    }
    if !seen && reader.out.place.is_some() {
        reader.fail(None, NO_DOCUMENT.to_owned());
    }
    reader.finish()
}

/// What items take from their list.
#[derive(Clone, Copy, Default)]
struct Inherited<'a> {
    api_version: Option<&'a str>,
    kind: Option<&'a str>,
}

struct Reader<'d> {
    out: DumpObjects,
    document: &'d Arc<Document>,
    dropped: usize,
    /// Objects for which there is memory.
    left: u64,
    full: bool,
}

impl<'d> Reader<'d> {
    fn value(&mut self, node: Node<'d>, inherited: &Inherited<'d>, lists: usize) {
        match node.kind() {
            Kind::Mapping => self.mapping(node, inherited, lists),
            Kind::Sequence => self.items(node, inherited, lists),
            Kind::Null => {}
            _ if self.out.place.is_none() => {}
            _ => self.fail(Some(node), format!("text in place of an object: {}", head_of(node.text()))),
        }
    }

    fn items(&mut self, node: Node<'d>, inherited: &Inherited<'d>, lists: usize) {
        if lists == MAX_LISTS {
            return self.fail(Some(node), format!("lists within lists deeper than {MAX_LISTS} are not read"));
        }
        self.out.listed = true;
        for item in node.items() {
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
            // Any file may hold mappings.
            _ if self.out.place.is_none() && kind.is_none() && scalar_at(node, &["metadata", "name"]).is_none() => {}
            _ => self.object(node, inherited),
        }
    }

    /// One group of what the API server serves.
    fn served(&mut self, node: Node<'d>) {
        let (group, _) = scalar_at(node, &["groupVersion"]).map(types::split_api_version).unwrap_or_default();
        for item in node.get("resources").iter().flat_map(|resources| resources.items()) {
            // `pods/log` is a part of pods.
            let name = scalar_at(item, &["name"]).filter(|name| !name.contains('/'));
            if let Some((name, kind)) = name.zip(scalar_at(item, &["kind"])) {
                let namespaced = item.get("namespaced").and_then(Node::as_bool).unwrap_or(true);
                let name = TypeName::new(name, group);
                self.out.definitions.push(Definition { name, kind: kind.to_owned(), namespaced, custom: false });
            }
        }
    }

    /// What the API server answered in place of objects: its words are the reason, and no fault of the file. Where nobody
    /// knows what was asked for, only an issue can tell it.
    fn status(&mut self, node: Node<'d>) {
        let succeeded = scalar_at(node, &["status"]) == Some("Success");
        let word = if succeeded { "a status" } else { "an error" };
        let said = format!("the API server answered with {word}: {}", answer(node));
        if self.out.place.is_none() {
            if !succeeded {
                self.fail(Some(node), said);
            }
            return;
        }
        self.out.failure.get_or_insert_with(|| said.clone());
        self.out.refused.get_or_insert(said);
    }

    fn list(&mut self, node: Node<'d>, kind: Option<&'d str>, lists: usize) {
        let item_kind = kind.and_then(|k| k.strip_suffix("List")).filter(|k| !k.is_empty());
        let api_version = item_kind.and_then(|_| scalar_at(node, &["apiVersion"]));
        self.out.listed = true;
        self.unfinished(node);
        match node.get("items") {
            Some(items) if items.kind() == Kind::Sequence => {
                self.items(items, &Inherited { api_version, kind: item_kind }, lists);
            }
            Some(items) if !items.is_null() => self.fail(Some(items), "items of a list are no sequence".to_owned()),
            _ => {}
        }
    }

    /// The rows of what [`table::api::unfold`] made of a table or of bare metadata.
    fn table(&mut self, node: Node<'d>, listed: bool) {
        let Some(name) = node.str_at(&["type"]).map(TypeName::parse) else {
            let message = "a table whose type neither its path nor its columns tell; not read".to_owned();
            return self.fail(Some(node), message);
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
            return self.fail(Some(object), "a row without a name".to_owned());
        };
        if namespace.is_none() && known.is_some_and(|known| known.namespaced) {
            return self.fail(Some(object), "a row without a namespace".to_owned());
        }
        let nodes = (object.index(), cells.map(Node::index));
        let partial = table::partial(&self.out.entry, name, self.document, (namespace.as_deref(), called), nodes);
        let uid = scalar_at(object, &["metadata", "uid"]).map(Into::into);
        // Without its metadata nobody knows whose record it is.
        self.out.rows |= object.path(&["metadata", "labels"]).is_none();
        self.keep(Resource { uid, ..partial }, known.is_none());
    }

    /// The server gave a part of a list, and where the rest begins.
    fn unfinished(&mut self, list: Node<'d>) {
        if scalar_at(list, &["metadata", "continue"]).is_some() {
            self.fail(Some(list), "a part of a list, which goes on elsewhere (metadata.continue)".to_owned());
        }
    }

    fn object(&mut self, node: Node<'d>, inherited: &Inherited<'d>) {
        if self.is_full(node) {
            return;
        }
        let Some(identity) = self.identity(node, inherited) else {
            return self.issue(Some(node), "an object without kind, left out".to_owned());
        };
        // Configuration, such as that of kubectl and kustomize, has kind and version, but no metadata.
        if self.out.place.is_none() && node.get("metadata").is_none() && node.get("apiVersion").is_some() {
            return;
        }
        let Some(name) = scalar_at(node, &["metadata", "name"]).or_else(|| scalar_at(node, GO_NAME)) else {
            return self.issue(Some(node), format!("a {} without metadata.name, left out", identity.kind));
        };
        let resource = self.resource(node, &identity, name);
        if resource.kind.as_ref() == "CustomResourceDefinition" {
            self.out.definitions.extend(definition(node));
        }
        self.keep(resource, identity.guessed);
    }

    /// Whether there is no memory for another object, which is told once.
    fn is_full(&mut self, node: Node<'d>) -> bool {
        if self.left == 0 && !std::mem::replace(&mut self.full, true) {
            self.out.short = true;
            self.fail(Some(node), TOO_MANY.to_owned());
        }
        self.full
    }

    fn keep(&mut self, resource: Resource, guessed: bool) {
        let helm = helm::record_of(&resource).map(Box::new);
        let revision = scalar_at(resource.body(), &["metadata", "resourceVersion"]);
        let revision = revision.and_then(|v| v.parse().ok()).unwrap_or(0);
        self.left = self.left.saturating_sub(1);
        self.out.found.push(Found { resource, guessed, revision, helm });
    }

    /// The type of an object: its own words, else its list's, else its path's.
    fn identity(&self, node: Node<'d>, inherited: &Inherited<'d>) -> Option<Identity> {
        let place = self.out.place.as_ref();
        let api_version = scalar_at(node, &["apiVersion"]).or(inherited.api_version).map(types::split_api_version);
        let written = scalar_at(node, &["kind"]).or(inherited.kind);
        let by_path = || place.and_then(|p| types::known(&p.name)).map(|t| t.kind);
        let kind = written.or_else(by_path).or_else(|| told_by_shape(node))?;
        let (group, version) = match (api_version, place) {
            (Some(found), _) => found,
            (None, Some(place)) => (place.name.group.as_str(), place.version.as_ref()),
            (None, None) => (types::kind_anywhere(kind).map_or("", |t| t.group), ""),
        };
        Some(Identity::new(group, version, kind, place))
    }

    fn resource(&self, node: Node<'d>, identity: &Identity, name: &str) -> Resource {
        let known = types::known_kind(&identity.group, &identity.kind);
        let own = scalar_at(node, &["metadata", "namespace"]).map(Into::into);
        let path = self.out.place.as_ref().and_then(|p| p.namespace.clone());
        Resource {
            group: identity.group.as_str().into(),
            version: identity.version.as_str().into(),
            kind: identity.kind.as_str().into(),
            plural: identity.plural.as_str().into(),
            namespace: if known.is_some_and(|t| !t.namespaced) { None } else { own.or(path) },
            name: name.into(),
            uid: scalar_at(node, &["metadata", "uid"]).map(Into::into),
            entry: self.out.entry.clone(),
            document: Arc::clone(self.document),
            node: node.index(),
            // Its fields have other names.
            partial: scalar_at(node, GO_NAME).is_some(),
            row: None,
            source: None,
            beside: None,
        }
    }

    /// Something is missing because of this.
    fn fail(&mut self, node: Option<Node<'d>>, message: String) {
        self.out.failure.get_or_insert_with(|| message.clone());
        self.issue(node, message);
    }

    fn issue(&mut self, node: Option<Node<'d>>, message: String) {
        if self.out.issues.len() >= MAX_ISSUES {
            self.dropped += 1;
            return;
        }
        let origin = Origin { entry: self.out.entry.clone(), line: node.map(Node::line) };
        self.out.issues.push(Issue::at(origin, IssueKind::Document, message));
    }

    fn finish(mut self) -> DumpObjects {
        if self.dropped > 0 {
            let message = format!("{} more of its objects could not be understood", self.dropped);
            self.out.issues.push(Issue::at(Origin::entry(self.out.entry.clone()), IssueKind::Document, message));
        }
        self.out
    }
}

/// The type of one object.
struct Identity {
    group: String,
    version: String,
    kind: String,
    plural: String,
    guessed: bool,
}

impl Identity {
    fn new(group: &str, version: &str, kind: &str, place: Option<&Place>) -> Self {
        let found = |kind: &str, plural: &str, guessed| Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            guessed,
        };
        if let Some(known) = types::known_kind(group, kind) {
            return found(known.kind, known.plural, false);
        }
        match place {
            // The file name is the plural, unless it is that of another kind. A definition may write the kind otherwise:
            // some builds of the kit of 2022 wrote `Addonset` for `AddonSet`.
            Some(place) if place.name.group == group && types::known(&place.name).is_none() => {
                found(kind, &place.name.plural, true)
            }
            _ => found(kind, &types::guess_plural(kind), true),
        }
    }
}

fn is_list(node: Node<'_>, kind: Option<&str>) -> bool {
    match kind {
        Some(kind) => kind.ends_with("List") && node.str_at(&["metadata", "name"]).is_none(),
        None => node.get("items").is_some(),
    }
}

/// Single objects that a client of the API wrote have neither kind nor apiVersion.
fn told_by_shape(node: Node<'_>) -> Option<&'static str> {
    let containers = node.path(&["spec", "containers"])?;
    (containers.kind() == Kind::Sequence && node.path(&["status", "phase"]).is_some()).then_some("Pod")
}

fn definition(node: Node<'_>) -> Option<Definition> {
    let group = scalar_at(node, &["spec", "group"])?;
    let plural = scalar_at(node, &["spec", "names", "plural"])?;
    let kind = scalar_at(node, &["spec", "names", "kind"])?;
    let namespaced = scalar_at(node, &["spec", "scope"]) != Some("Cluster");
    Some(Definition { name: TypeName::new(plural, group), kind: kind.to_owned(), namespaced, custom: true })
}

/// The text of a scalar that says something; the collector's `null` says nothing.
pub fn scalar_at<'a>(node: Node<'a>, keys: &[&str]) -> Option<&'a str> {
    let text = node.path(keys)?.text();
    (!text.is_empty() && text != "null").then_some(text)
}

/// `nodes is forbidden: User "x" cannot list (Forbidden, 403)`.
fn answer(status: Node<'_>) -> String {
    let message = scalar_at(status, &["message"]).map(head_of);
    let kind: Vec<&str> = ["reason", "code"].iter().filter_map(|key| scalar_at(status, &[key])).collect();
    match (message, kind.join(", ")) {
        (None, kind) if kind.is_empty() => "no reason given".to_owned(),
        (None, kind) => kind,
        (Some(message), kind) if kind.is_empty() => message,
        (Some(message), kind) => format!("{message} ({kind})"),
    }
}

/// The beginning of a text, for messages.
fn head_of(text: &str) -> String {
    let mut head: String = text.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if head.len() < text.len() {
        head.push_str("...");
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::testing::place;
    use crate::yaml;

    fn read(path: &str, text: &str) -> DumpObjects {
        let (document, problems) = yaml::parse(text.as_bytes().to_vec());
        read_objects(path.into(), place(path).as_ref(), &Arc::new(document)).with_problems(&problems)
    }

    fn shown(objects: &DumpObjects) -> Vec<String> {
        let line = |f: &Found| format!("{} {} {}", f.resource.version, f.resource.plural, f.resource.object());
        objects.found.iter().map(line).collect()
    }

    fn messages(objects: &DumpObjects) -> Vec<&str> {
        objects.issues.iter().map(|i| i.message.as_str()).collect()
    }

    const PODS: &str = "yamls/namespaced/demo/v1/pods.yaml";

    #[test]
    fn every_shape_of_a_list_gives_the_same_objects() {
        let own = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: demo}}";
        let bare = "{metadata: {name: a}}";
        let shapes = [
            format!("apiVersion: v1\nitems:\n- {own}\nkind: List\n"),
            format!("apiVersion: v1\nkind: PodList\nitems:\n- {bare}\n"),
            format!("metadata: {{}}\nitems:\n- {bare}\n"),
            format!("- {own}\n"),
            own.to_owned(),
            format!("# nothing\n---\n---\n{own}\n---\n"),
            format!("kind: List\nitems:\n- kind: PodList\n  apiVersion: v1\n  items: [{bare}]\n"),
        ];
        for text in shapes {
            let objects = read(PODS, &text);
            assert_eq!(shown(&objects), ["v1 pods Pod/demo/a"], "{text}");
            assert_eq!((objects.issues.len(), &objects.failure), (0, &None), "{text}");
        }
    }

    #[test]
    fn lists_without_items_are_empty_not_broken() {
        for text in ["kind: List\nitems: []\n", "kind: PodList\nitems: null\n", "kind: List\n"] {
            let objects = read(PODS, text);
            assert!(objects.is_empty() && objects.listed && objects.failure.is_none(), "{text}");
        }
    }

    #[test]
    fn paths_and_tables_supply_what_objects_do_not_say() {
        let metrics = read("yamls/cluster/metrics.k8s.io/v1beta1/nodes.yaml", "items: [{metadata: {name: n}}]");
        assert_eq!(shown(&metrics), ["v1beta1 nodes NodeMetrics.metrics.k8s.io/n"]);
        let widgets =
            read("yamls/namespaced/x/example.org/v1/mice.yaml", "kind: MouseList\nitems: [{metadata: {name: m}}]");
        assert_eq!(shown(&widgets), ["v1 mice Mouse.example.org/x/m"]);
        let nowhere = read("free.yaml", "kind: deployment\nmetadata: {name: d, namespace: x}\n");
        assert_eq!(shown(&nowhere), [" deployments Deployment.apps/x/d"]);
        let cluster = read("free.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n, namespace: default}\n");
        assert_eq!(shown(&cluster), ["v1 nodes Node/n"]);
    }

    #[test]
    fn an_error_in_place_of_a_list_is_an_issue() {
        let cases = [
            (
                "kind: Table\ncolumnDefinitions: []\nrows: []\n",
                "a table whose type neither its path nor its columns tell; not read",
            ),
            ("No resources found\n", "text in place of an object: No resources found"),
            ("kind: List\nitems: 5\n", "items of a list are no sequence"),
            ("", "holds no document"),
        ];
        for (text, message) in cases {
            let objects = read(PODS, text);
            assert_eq!(messages(&objects), [message]);
            assert_eq!(objects.failure.as_deref(), Some(message));
        }
    }

    #[test]
    fn what_the_api_server_answered_is_the_reason() {
        let failure = "kind: Status\nstatus: Failure\nmessage: etcd is down\n";
        for (more, wanted) in [("", "etcd is down"), ("reason: Timeout\ncode: 504\n", "etcd is down (Timeout, 504)")] {
            let objects = read(PODS, &format!("{failure}{more}"));
            let wanted = format!("the API server answered with an error: {wanted}");
            assert_eq!((objects.refused.as_ref(), objects.failure.as_ref()), (Some(&wanted), Some(&wanted)));
            assert_eq!(objects.issues, []);
            assert_eq!(messages(&read("free.yaml", &format!("{failure}{more}"))), [wanted]);
        }
        let done = "kind: Status\nstatus: Success\n";
        assert!(read(PODS, done).failure.is_some() && read("free.yaml", done).failure.is_none());
        assert_eq!(answer(yaml::parse(b"kind: Status".to_vec()).0.roots().next().unwrap()), "no reason given");
    }

    #[test]
    fn objects_without_identity_are_left_out() {
        let objects =
            read("free.yaml", "- {metadata: {name: a}}\n- {kind: Pod}\n- {kind: Pod, metadata: {name: ''}}\n");
        let expected = [
            "an object without kind, left out",
            "a Pod without metadata.name, left out",
            "a Pod without metadata.name, left out",
        ];
        assert_eq!(messages(&objects), expected);
        assert_eq!(objects.issues[1].origin.as_ref().and_then(|o| o.line), Some(2));
    }

    #[test]
    fn issues_and_nesting_are_bounded() {
        let many = read(PODS, &"- 1\n".repeat(500));
        assert_eq!(many.issues.len(), MAX_ISSUES + 1);
        assert_eq!(messages(&many).last(), Some(&"480 more of its objects could not be understood"));
        let deep = read(PODS, &format!("{}{}", "[".repeat(20), "]".repeat(20)));
        assert_eq!(messages(&deep), ["lists within lists deeper than 4 are not read"]);
    }

    #[test]
    fn damage_keeps_what_was_read_and_says_so() {
        let objects =
            read(PODS, "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: [\n");
        assert_eq!(shown(&objects), ["v1 pods Pod/demo/a"]);
        assert_eq!((objects.issues.len(), objects.failure.is_some()), (1, true));
    }
}
