//! One bundle of a few objects, and facts bound to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::expr::value::EventGroup;
use crate::expr::{Expr, ExprError, FileFact, Scope, TracedField, Truth, Value, World};
use crate::log::{HitGroup, Sample};
use crate::model::{Histogram, ObjectRef, Origin};
use crate::resource::{IndexBuilder, ResourceId, TypeName};
use crate::yaml;

pub const OBJECTS: &str = r#"apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: demo
  uid: uid-web-0
  creationTimestamp: "2024-03-01T09:00:00Z"
  labels:
    app: web
    tier: ""
    app.example.io/part: front
  ownerReferences:
  - apiVersion: apps/v1
    kind: StatefulSet
    name: web
    uid: uid-web
    controller: true
spec:
  nodeName: alpha
  empty: ""
  nothing: null
  emptyList: []
  emptyMap: {}
  paused: true
  replicas: 3
  half: 0.5
  big: 1.5e+11
  numeric: "200"
  size: 12Gi
  containers:
  - name: main
    image: registry.example/web:1.2
    ports: [80, 443]
  - name: side
    image: registry.example/side:7
    restartCount: 5
  mixed: [1, "two", 3]
  maybe:
  - {n: 1}
  - {n: many}
  - {n: 7}
  - {}
  engines:
    e-1: {state: running, size: 10}
    e-2: {state: error, size: 30}
  config: '{"a": {"b": [1, 2]}, "text": "x"}'
  encoded: aGVsbG8gd29ybGQ=
  when: "2024-03-01T11:30:00Z"
  never: "0001-01-01T00:00:00Z"
  prose: Hello World
  hidden:
    text: ***HIDDEN***
    list: [1, "***HIDDEN***"]
    map: {a: 1, b: {c: "***HIDDEN***"}}
  claim:
    kind: ConfigMap
    apiVersion: v1
    name: settings
    namespace: demo
status:
  phase: Pending
  conditions:
  - type: Ready
    status: "False"
    reason: ContainersNotReady
    lastTransitionTime: "2024-03-01T11:00:00Z"
  - type: PodScheduled
    status: "True"
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: demo, uid: uid-web}
spec:
  selector:
    matchLabels: {app: web}
    matchExpressions:
    - {key: app, operator: In, values: [web, api]}
    - {key: debug, operator: DoesNotExist}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: demo, uid: uid-settings}
data: {url: "https://example.org"}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: demo}
spec:
  selector: {app: web}
---
apiVersion: v1
kind: Node
metadata: {name: alpha}
status: {capacity: {memory: 16Gi}}
---
apiVersion: longhorn.io/v1beta2
kind: Setting
metadata: {name: over-provisioning, namespace: longhorn-system}
value: '{"v1":"150","v2":"200"}'
---
apiVersion: longhorn.io/v1beta2
kind: Setting
metadata: {name: auto-salvage, namespace: longhorn-system}
value: "false"
---
apiVersion: harvesterhci.io/v1beta1
kind: Setting
metadata: {name: log-level}
value: ""
default: info
---
apiVersion: v1
kind: Secret
metadata: {name: sh.helm.release.v1.shop.v2, namespace: demo, labels: {owner: helm, name: shop, version: "2", status: failed}}
type: helm.sh/release.v1
---
apiVersion: catalog.cattle.io/v1
kind: App
metadata: {name: shop-app, namespace: demo}
spec: {name: shop-app, version: 3, info: {status: deployed}}
---
apiVersion: v1
kind: Pod
metadata:
  name: orphan
  namespace: demo
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: gone, uid: uid-gone, controller: true}
---
apiVersion: v1
kind: Pod
metadata:
  name: foreign
  namespace: demo
  ownerReferences:
  - {apiVersion: example.io/v1, kind: Widget, name: w, uid: uid-w, controller: true}
"#;

/// Names of the slots of [`Fixture::values`].
pub const NAMES: [&str; 11] =
    ["pod", "other", "hits", "undated", "event", "file", "missing", "unknown", "pods", "claim", "text"];

pub struct Fixture {
    pub world: World,
    /// Slots `names` stand for.
    names: Vec<String>,
}

impl Fixture {
    pub fn new() -> Self {
        let (document, problems) = yaml::parse(OBJECTS.as_bytes().to_vec());
        assert_eq!(problems, []);
        let mut builder = IndexBuilder::default();
        builder.add_document("yamls/all.yaml".into(), &Arc::new(document));
        builder.assume_all_collected(true);
        builder.assume_missing(TypeName::parse("secrets"), None);
        builder.assume_missing(TypeName::parse("widgets.example.io"), None);
        builder.assume_missing(TypeName::parse("settings.management.cattle.io"), None);
        let (index, issues) = builder.finish();
        assert_eq!(issues, []);
        let now = "2024-03-01T12:00:00Z".parse().ok();
        let versions = [("longhorn", "v1.5.3"), ("harvester", "master-head")];
        let versions = versions.map(|(product, version)| (product.to_owned(), version.to_owned()));
        Self { world: World::new(Arc::new(index), now, versions.into()), names: NAMES.map(str::to_owned).into() }
    }

    pub fn without_time(mut self) -> Self {
        self.world.now = None;
        self
    }

    pub fn scope(&self) -> Scope<'_> {
        Scope { names: &self.names, this: Some(0), tested: false }
    }

    pub fn id(&self, type_name: &str, namespace: Option<&str>, name: &str) -> ResourceId {
        let found = self.world.resources.get(&TypeName::parse(type_name), namespace, name);
        found.unwrap_or_else(|| panic!("{type_name} {name}"))
    }

    pub fn values(&self) -> Vec<Value<'_>> {
        let pod = self.id("pods", Some("demo"), "web-0");
        let pods = ["foreign", "orphan", "web-0"].map(|name| Value::Resource(self.id("pods", Some("demo"), name)));
        let engines = self.world.resources.resource(pod).body().path(&["spec", "engines"]);
        vec![
            Value::Resource(pod),
            Value::Resource(self.id("statefulsets.apps", Some("demo"), "web")),
            Value::Hits(Arc::new(hits(Some("2024-03-01T11:50:00Z")))),
            Value::Hits(Arc::new(hits(None))),
            Value::Events(Arc::new(event())),
            Value::File(Arc::new(file())),
            Value::Null,
            Value::Undecided("nobody knows".into()),
            Value::list(pods.into()),
            engines.map_or(Value::Null, |node| Value::of_node(node, Some(pod))),
            Value::text("plain"),
        ]
    }

    pub fn compile(&self, text: &str) -> Result<Expr, Vec<ExprError>> {
        Expr::compile(text, self.scope())
    }

    pub fn expr(&self, text: &str) -> Expr {
        self.compile(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
    }

    /// Formats a value in a short notation; `?reason` is undecided.
    pub fn show(&self, text: &str) -> String {
        let expr = self.expr(text);
        let values = self.values();
        show(&expr.eval(&self.world, &values))
    }

    pub fn test(&self, text: &str) -> Truth {
        let expr = self.expr(text);
        expr.test(&self.world, &self.values())
    }

    /// Returns the fields that a condition read, as `name:path`.
    pub fn reads(&self, text: &str) -> Vec<String> {
        let mut reads = Vec::new();
        let expr = self.expr(text);
        expr.trace(&self.world, &self.values(), &mut reads);
        reads.iter().map(|read| self.describe(read)).collect()
    }

    pub fn describe(&self, read: &TracedField) -> String {
        let resource = self.world.resources.resource(read.resource);
        let slot = read.slot.map_or_else(|| format!("-{}", resource.name), |slot| self.names[slot].clone());
        let mut path = Vec::new();
        find(resource.body(), read.node, &mut path);
        format!("{slot}:{}", path.join("."))
    }
}

/// A world of these objects only, collected completely.
pub fn world(objects: &str) -> World {
    let (mut document, problems) = yaml::parse(objects.as_bytes().to_vec());
    assert!(!problems.iter().any(yaml::Problem::is_unreadable), "{problems:?}");
    yaml::normalise::normalise(&mut document, yaml::normalise::Dialect::Plain);
    let mut builder = IndexBuilder::default();
    builder.add_document("objects.yaml".into(), &Arc::new(document));
    builder.assume_all_collected(true);
    World::new(Arc::new(builder.finish().0), "2027-01-01T12:00:00Z".parse().ok(), BTreeMap::new())
}

/// Returns the path of a node below another.
fn find(below: yaml::Node<'_>, wanted: u32, path: &mut Vec<String>) -> bool {
    if below.index() == wanted {
        return true;
    }
    let entries = below.entries().map(|(name, child)| (name.into_owned(), child));
    let items = below.items().enumerate().map(|(position, child)| (position.to_string(), child));
    for (name, child) in entries.chain(items) {
        path.push(name);
        if find(child, wanted, path) {
            return true;
        }
        path.pop();
    }
    false
}

pub fn show(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Undecided(reason) => format!("?{reason}"),
        Value::Str(text) => format!("'{}'", text.as_str()),
        Value::Node { .. } | Value::Decoded { .. } => {
            format!("{:?}", value.as_node().map_or_else(String::new, |node| format!("{node:?}")))
                .replace('\\', "")
                .trim_matches('"')
                .to_owned()
        }
        Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let fields: Vec<_> =
                entries.iter().map(|(name, value)| format!("{}: {}", name.as_str(), show(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Resource(_) => "object".to_owned(),
        Value::Double(number) => format!("{number:?}"),
        other => crate::expr::display(other).unwrap_or_else(|| other.describe().to_string()),
    }
}

fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

pub fn hits(last: Option<&str>) -> HitGroup {
    let sample = |line, text: &str| Sample {
        entry: "logs/a.log".into(),
        line,
        text: text.to_owned(),
        matched: String::new(),
        before: Vec::new(),
        after: Vec::new(),
    };
    let words = |values: &[&str]| values.iter().map(|v| (*v).to_owned()).collect::<BTreeSet<String>>();
    HitGroup {
        key: vec!["pvc-1".to_owned()],
        captures: BTreeMap::from([("volume".to_owned(), "pvc-1".to_owned()), ("code".to_owned(), "42".to_owned())]),
        all: BTreeMap::from([("code".to_owned(), words(&["41", "42"]))]),
        count: 12,
        first: last.and_then(|_| time("2024-03-01T11:40:00Z")),
        last: last.and_then(time),
        undated: 0,
        times: Histogram::default(),
        first_hit: sample(3, "first line"),
        last_hit: sample(9, "last line"),
        largest: None,
        node: Some("alpha".to_owned()),
        pod: None,
        source: "logs/a.log".into(),
        has_unknown_writer: false,
        is_pasted: false,
    }
}

fn event() -> EventGroup {
    EventGroup {
        events: Vec::new(),
        key: Vec::new(),
        reason: "FailedMount".to_owned(),
        message: "configmap \"x\" not found".to_owned(),
        type_: "Warning".to_owned(),
        object: ObjectRef::new("", "Pod", Some("demo"), "web-0"),
        captures: BTreeMap::from([("what".to_owned(), "x".to_owned())]),
        count: 4,
        all: BTreeMap::new(),
        first: None,
        last: time("2024-03-01T11:00:00.75Z"),
    }
}

fn file() -> FileFact {
    let (document, _) = yaml::parse(b"a: {b: 1}".to_vec());
    FileFact {
        path: "nodes/alpha/x.yaml".into(),
        origin: Origin::entry("nodes/alpha/x.yaml"),
        node: Some("alpha".to_owned()),
        text: "a: {b: 1}".into(),
        data: Some(Arc::new(document)),
    }
}
