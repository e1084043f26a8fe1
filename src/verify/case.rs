//! Rule tests as written: `tests/rules/<area>/<id>.yaml` (docs/rule-language.md 5).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::resource::types::{TypeName, resolve};
use crate::rule::{Source, Streams};

/// A test file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    #[error("{file}: {message}")]
    Invalid { file: String, message: String },
    #[error("{file}: case {case:?}: {message}")]
    Case { file: String, case: String, message: String },
}

/// A test file.
#[derive(Debug)]
pub struct TestSource {
    file: String,
    /// The rules that run together.
    pub rules: Vec<String>,
    cases: Vec<CaseSource>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSource {
    rule: Option<String>,
    rules: Option<Vec<String>>,
    cases: Vec<CaseSource>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseSource {
    name: String,
    like: Option<String>,
    now: Option<String>,
    versions: Option<BTreeMap<String, Value>>,
    layout: Option<String>,
    objects: Option<Vec<Value>>,
    #[serde(default)]
    set: BTreeMap<String, Value>,
    files: Option<BTreeMap<String, Option<String>>>,
    releases: Option<Vec<Release>>,
    missing: Option<Vec<String>>,
    expect: Option<Value>,
}

/// A Helm release; the harness writes it in the format of its storage.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    pub name: String,
    #[serde(default = "default_namespace")]
    pub namespace: String,
    #[serde(default = "first_revision")]
    pub revision: i64,
    /// Helm 3's name of the state: `deployed`, `pending-upgrade`...
    pub status: String,
    pub source: Origin,
    #[serde(default)]
    pub chart: String,
    #[serde(default)]
    pub chart_version: String,
    /// RFC 3339.
    pub updated: Option<String>,
    #[serde(default)]
    pub description: String,
    /// Objects of the release.
    #[serde(default)]
    pub manifest: Vec<Value>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
}

/// Storage of a release record.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A ConfigMap of Tiller.
    Helm2,
    /// A Secret.
    Helm3,
    /// An App of Rancher's catalog.
    App,
}

/// A hook of a release.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    pub name: String,
    pub kind: String,
    #[serde(default)]
    pub events: Vec<String>,
    #[serde(default)]
    pub manifest: Value,
}

fn default_namespace() -> String {
    "default".to_owned()
}

fn first_revision() -> i64 {
    1
}

/// Collector that the bundle of a case comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// support-bundle-kit: dumps of objects in YAML.
    #[default]
    Harvester,
    /// support-bundle-kit, started by Longhorn.
    Longhorn,
    /// Rancher's Linux logs collector: one node, kubectl tables.
    Rancher(Distribution),
    /// troubleshoot.sh: JSON lists, one for each type and namespace.
    Troubleshoot,
    /// `kubectl cluster-info dump`: a folder for each namespace, few types.
    ClusterInfo,
    /// `oc adm must-gather`: a folder for each group.
    MustGather,
}

/// Distribution of Kubernetes on a node, as Rancher's collector distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Rke2,
    K3s,
    Rke1,
    Kubeadm,
}

impl Distribution {
    /// Returns its folder in the collection.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Rke2 => "rke2",
            Self::K3s => "k3s",
            Self::Rke1 => "rke",
            Self::Kubeadm => "kubeadm",
        }
    }
}

impl Layout {
    /// Names in tests.
    pub const NAMES: [&str; 9] = [
        "cluster-info",
        "harvester",
        "longhorn",
        "must-gather",
        "rancher",
        "rancher-k3s",
        "rancher-kubeadm",
        "rancher-rke1",
        "troubleshoot",
    ];

    fn parse(name: &str) -> Result<Self, String> {
        match name {
            "cluster-info" => Ok(Self::ClusterInfo),
            "harvester" => Ok(Self::Harvester),
            "longhorn" => Ok(Self::Longhorn),
            "must-gather" => Ok(Self::MustGather),
            "rancher" => Ok(Self::Rancher(Distribution::Rke2)),
            "rancher-k3s" => Ok(Self::Rancher(Distribution::K3s)),
            "rancher-kubeadm" => Ok(Self::Rancher(Distribution::Kubeadm)),
            "rancher-rke1" => Ok(Self::Rancher(Distribution::Rke1)),
            "troubleshoot" => Ok(Self::Troubleshoot),
            _ => Err(format!("there is no layout {name}: one of {}", Self::NAMES.join(", "))),
        }
    }
}

/// A case including everything inherited from another one.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub layout: Layout,
    pub now: Option<Timestamp>,
    pub versions: BTreeMap<String, String>,
    pub objects: Vec<Value>,
    pub files: BTreeMap<String, String>,
    pub releases: Vec<Release>,
    pub missing: Vec<String>,
    pub expect: Expect,
}

/// Expected result of a case.
#[derive(Clone, Debug)]
pub enum Expect {
    /// Exactly these findings; an empty list means clean.
    Findings(Vec<Expected>),
    NotEvaluated,
    NotApplicable,
}

/// One expected finding; omitted fields are not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Required if several rules run.
    pub rule: Option<String>,
    /// The subject: `Kind[.group]/[namespace/]name`.
    pub object: Option<String>,
    pub severity: Option<String>,
    pub confidence: Option<String>,
    /// A part of the title; `message` is a part of the message.
    pub title: Option<String>,
    pub message: Option<String>,
    /// Rule of the finding under which it is folded; null for a top one.
    #[serde(default, deserialize_with = "present")]
    pub explained_by: Option<Option<String>>,
    /// Hits.
    pub count: Option<u64>,
}

/// Distinguishes `explained_by: null` from an omitted `explained_by`.
fn present<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(reader).map(Some)
}

impl Expect {
    /// Returns true if the rule must fire in this case.
    pub fn fires(&self, rule: &str) -> bool {
        match self {
            Self::Findings(list) => list.iter().any(|e| e.rule.as_deref().is_none_or(|r| r == rule)),
            Self::NotEvaluated | Self::NotApplicable => false,
        }
    }

    /// Returns true if all data is collected and no finding is expected.
    pub fn is_clean(&self) -> bool {
        matches!(self, Self::Findings(list) if list.is_empty())
    }
}

impl TestSource {
    /// Reads a test file.
    ///
    /// # Errors
    ///
    /// Returns file, line and what is expected there.
    pub fn parse(file: &Source) -> Result<Self, CaseError> {
        let invalid = |message: String| CaseError::Invalid { file: file.file.clone(), message };
        let source: FileSource = serde_yaml::from_str(&file.text).map_err(|e| invalid(e.to_string()))?;
        let rules = match (source.rule, source.rules) {
            (Some(rule), None) => vec![rule],
            (None, Some(rules)) if !rules.is_empty() => rules,
            _ => return Err(invalid("needs `rule: ID` or `rules: [ID, ...]`".to_owned())),
        };
        Ok(Self { file: file.file.clone(), rules, cases: source.cases })
    }

    /// Returns all cases with everything they inherit.
    ///
    /// # Errors
    ///
    /// If a case cannot be used; the first one is reported.
    pub fn cases(&self) -> Result<Vec<Case>, CaseError> {
        let mut done: Vec<Case> = Vec::new();
        for source in &self.cases {
            let fail =
                |message: String| CaseError::Case { file: self.file.clone(), case: source.name.clone(), message };
            if done.iter().any(|case| case.name == source.name) {
                return Err(fail("another case has this name".to_owned()));
            }
            let base = match &source.like {
                Some(like) => Some(
                    done.iter()
                        .find(|c| c.name == *like)
                        .cloned()
                        .ok_or_else(|| fail(format!("`like: {like}` names no case above it")))?,
                ),
                None => None,
            };
            done.push(source.resolve(base, &self.rules).map_err(fail)?);
        }
        Ok(done)
    }
}

impl CaseSource {
    fn resolve(&self, base: Option<Case>, rules: &[String]) -> Result<Case, String> {
        let mut case = base.unwrap_or_else(|| Case {
            name: String::new(),
            layout: Layout::default(),
            now: None,
            versions: BTreeMap::new(),
            objects: Vec::new(),
            files: BTreeMap::new(),
            releases: Vec::new(),
            missing: Vec::new(),
            expect: Expect::Findings(Vec::new()),
        });
        case.name.clone_from(&self.name);
        if let Some(layout) = &self.layout {
            case.layout = Layout::parse(layout)?;
        }
        if let Some(now) = &self.now {
            case.now = Some(now.parse().map_err(|_| format!("now: {now:?} is not an RFC 3339 time"))?);
        }
        for (product, version) in self.versions.iter().flatten() {
            case.versions.insert(product.clone(), scalar_text(version));
        }
        case.objects.extend(self.objects.iter().flatten().cloned());
        for (name, patch) in &self.set {
            apply(&mut case.objects, name, patch)?;
        }
        for (path, text) in self.files.iter().flatten() {
            match text {
                Some(text) => case.files.insert(path.clone(), text.clone()),
                None => case.files.remove(path),
            };
        }
        if let Some(releases) = &self.releases {
            case.releases.clone_from(releases);
        }
        if let Some(missing) = &self.missing {
            case.missing.clone_from(missing);
        }
        case.expect = self.expectation(rules)?;
        Ok(case)
    }

    fn expectation(&self, rules: &[String]) -> Result<Expect, String> {
        match &self.expect {
            None => Err("has no `expect`; write `expect: []` for a rule that must not fire".to_owned()),
            Some(Value::String(word)) if word == "not_evaluated" => Ok(Expect::NotEvaluated),
            Some(Value::String(word)) if word == "not_applicable" => Ok(Expect::NotApplicable),
            Some(list @ Value::Array(_)) => {
                let list: Vec<Expected> = serde_json::from_value(list.clone()).map_err(|e| format!("expect: {e}"))?;
                match list.iter().find(|e| rules.len() > 1 && e.rule.is_none()) {
                    Some(_) => Err("expect: with `rules:` each finding names its `rule`".to_owned()),
                    None => Ok(Expect::Findings(list)),
                }
            }
            Some(_) => Err("expect: is a list of findings, `not_evaluated` or `not_applicable`".to_owned()),
        }
    }
}

impl Case {
    /// Returns the types that count as not collected, each with its namespace if one is given.
    ///
    /// # Errors
    ///
    /// If `missing` has an entry that is no stream, path or type.
    pub fn missing_types(&self, streams: &Streams) -> Result<Vec<(TypeName, Option<String>)>, String> {
        let types = self.missing.iter().filter(|m| streams.get(m).is_none() && !m.contains('*') && !m.contains(".log"));
        types
            .map(|text| {
                let (name, namespace) = text.split_once('/').map_or((text.as_str(), None), |(n, ns)| (n, Some(ns)));
                let resolved = resolve(name);
                // Types of unknown groups are accepted; an unknown bare word is a typo.
                if !resolved.known && resolved.name.group.is_empty() {
                    return Err(format!(
                        "missing: {text} is neither a type such as pods, a stream nor the path of a log"
                    ));
                }
                Ok((resolved.name, namespace.map(str::to_owned)))
            })
            .collect()
    }
}

fn scalar_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Applies a merge patch (RFC 7386) to the object of that name; null removes the object.
fn apply(objects: &mut Vec<Value>, name: &str, patch: &Value) -> Result<(), String> {
    let position = objects.iter().position(|object| is_named(object, name));
    let Some(position) = position else {
        let names: Vec<String> = objects.iter().map(object_name).collect();
        return Err(format!("set: no object {name}; there are {}", names.join(", ")));
    };
    if patch.is_null() {
        objects.remove(position);
    } else {
        merge(&mut objects[position], patch);
    }
    Ok(())
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (key, change) in changes {
        if change.is_null() {
            fields.remove(key);
        } else {
            merge(fields.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}

/// Returns the name of an object in a test: `Kind.group/namespace/name`.
pub fn object_name(object: &Value) -> String {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    let mut name = text("/kind").to_owned();
    if !group.is_empty() {
        name = format!("{name}.{group}");
    }
    for part in [text("/metadata/namespace"), text("/metadata/name")] {
        if !part.is_empty() {
            name = format!("{name}/{part}");
        }
    }
    name
}

/// Returns true if the object has that name, in which group and namespace are optional.
fn is_named(object: &Value, name: &str) -> bool {
    same_object(&object_name(object), name)
}

/// Returns true if a possibly shorter name refers to the full one.
pub fn same_object(full: &str, short: &str) -> bool {
    let (full_kind, full_rest) = full.split_once('/').unwrap_or((full, ""));
    let (short_kind, short_rest) = short.split_once('/').unwrap_or((short, ""));
    let kind = full_kind == short_kind || full_kind.split_once('.').is_some_and(|(kind, _)| kind == short_kind);
    kind && (full_rest == short_rest || full_rest.split_once('/').is_some_and(|(_, name)| name == short_rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::load;

    fn cases(text: &str) -> Result<Vec<Case>, String> {
        let source = Source { file: "t.yaml".to_owned(), text: text.to_owned() };
        TestSource::parse(&source).and_then(|source| source.cases()).map_err(|e| e.to_string())
    }

    fn streams() -> Streams {
        Streams::parse(load::embedded().streams).unwrap_or_default()
    }

    #[test]
    fn slips_are_told_with_file_and_case() {
        for (text, says) in [
            ("cases: []", "needs `rule: ID` or `rules: [ID, ...]`"),
            ("rule: x\ncases: [{name: a}]", "expect: []"),
            ("rule: x\ncases: [{name: a, expect: maybe}]", "not_applicable"),
            ("rule: x\ncases: [{name: a, layout: ranger, expect: []}]", "one of cluster-info, harvester"),
            ("rule: x\ncases: [{name: a, like: b, expect: []}]", "`like: b` names no case above it"),
            ("rule: x\ncases: [{name: a, expect: []}, {name: a, expect: []}]", "another case has this name"),
            ("rule: x\ncases: [{name: a, now: today, expect: []}]", "RFC 3339"),
            ("rule: x\ncases: [{name: a, set: {Pod/p: {}}, expect: []}]", "no object Pod/p"),
            ("rule: x\ncases: [{name: a, releases: [{name: r, status: s, source: helm4}], expect: []}]", "helm4"),
            ("rules: [x, y]\ncases: [{name: a, expect: [{object: Pod/p}]}]", "names its `rule`"),
            ("rule: x\ncases: [{name: a, objcts: [], expect: []}]", "objcts"),
        ] {
            let error = cases(text).unwrap_err();
            assert!(error.starts_with("t.yaml") && error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_missing_is_a_type_a_stream_or_a_path() {
        let missing = |name: &str| {
            let text = format!("rule: x\ncases: [{{name: a, missing: ['{name}'], expect: []}}]");
            cases(&text).unwrap()[0].missing_types(&streams())
        };
        assert_eq!(missing("pods/demo").unwrap(), [(TypeName::new("pods", ""), Some("demo".to_owned()))]);
        assert_eq!(missing("widgets.example.com").unwrap().len(), 1);
        assert!(missing("kernel").unwrap().is_empty() && missing("logs/demo/*").unwrap().is_empty());
        assert!(missing("kernl").unwrap_err().contains("kernl"));
    }

    #[test]
    fn a_case_takes_over_and_changes_what_it_says() {
        let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n}, spec: {a: 1, b: 2}}";
        let text = format!(
            "rule: x\ncases:\n- {{name: a, objects: [{pod}], versions: {{rke2: 1.2}}, expect: []}}\n\
             - {{name: b, like: a, set: {{Pod/p: {{spec: {{a: null, b: 3}}}}}}, expect: []}}\n\
             - {{name: c, like: b, set: {{Pod/n/p: null}}, expect: not_evaluated}}\n"
        );
        let cases = cases(&text).unwrap();
        assert_eq!(cases[1].objects[0]["spec"], serde_json::json!({"b": 3}));
        assert_eq!(cases[1].versions["rke2"], "1.2");
        assert!(cases[2].objects.is_empty());
    }

    #[test]
    fn short_names_mean_the_same_object() {
        let full = "Volume.longhorn.io/longhorn-system/v1";
        for short in [full, "Volume/longhorn-system/v1", "Volume.longhorn.io/v1", "Volume/v1"] {
            assert!(same_object(full, short), "{short}");
        }
        for other in ["Volume/v2", "Volume.other.io/v1", "Engine/v1", "Volume/other/v1"] {
            assert!(!same_object(full, other), "{other}");
        }
    }
}
