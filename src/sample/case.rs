//! The sample as a rule test, which is run before it is written.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::content::{Content, File, Format};
use super::packed_value::{RELEASE, closed};
use super::reduce;
use super::request::Request;
use super::result::SampleError;
use super::rule_test::RuleTest;
use crate::bundle::{Bundle, Limits, Role};
use crate::model::{Analysis, Finding};
use crate::rule::Source;
use crate::verify;

/// Forms of a case, the simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    /// True if objects are in the case itself, not in files.
    objects: bool,
    now: bool,
    versions: bool,
    /// True if the finding is identified by its object.
    named: bool,
    /// True if files that describe the bundle are included.
    described: bool,
}

impl Form {
    /// All forms, the simplest first.
    fn all() -> impl Iterator<Item = Self> {
        let form = |bits: u8| Self {
            described: bits & 16 != 0,
            objects: bits & 8 == 0,
            named: bits & 4 == 0,
            versions: bits & 2 != 0,
            now: bits & 1 != 0,
        };
        (0..32).map(form)
    }
}

/// Finds the simplest test that passes.
///
/// # Errors
/// The result of the last attempt.
pub fn write(content: &Content, analysis: &Analysis, request: Request<'_>) -> Result<RuleTest, SampleError> {
    let pieces = Pieces::of(content, analysis, request);
    let mut why = String::new();
    for form in Form::all() {
        match pieces.tried(form, &pieces.versions, request) {
            Ok(_) if form.versions => {
                let all: Vec<(String, String)> = pieces.versions.clone();
                let needed = reduce::some(all, |versions| pieces.tried(form, versions, request).is_ok());
                return pieces.tried(form, &needed, request).map_err(refused);
            }
            Ok(test) => return Ok(test),
            Err(failed) => why = failed,
        }
    }
    Err(refused(why))
}

fn refused(why: String) -> SampleError {
    let why = why.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    SampleError::Test { why, layouts: verify::LAYOUTS.join(", ") }
}

/// Parts of a case.
struct Pieces<'p> {
    rule: &'p str,
    area: &'p str,
    layout: Option<&'static str>,
    now: Option<Timestamp>,
    versions: Vec<(String, String)>,
    objects: Vec<Value>,
    releases: Vec<Value>,
    /// Files in addition to objects and releases.
    files: BTreeMap<&'p str, String>,
    /// Files that contain the objects and releases.
    dumps: BTreeMap<&'p str, String>,
    /// Files that describe the bundle, which the test runner writes, and empty ones.
    own: BTreeMap<&'p str, String>,
    findings: &'p [Finding],
}

impl<'p> Pieces<'p> {
    fn of(content: &'p Content, analysis: &'p Analysis, request: Request<'p>) -> Self {
        let rule = request.rule.rules.first();
        let mut pieces = Self {
            rule: rule.map_or("", |rule| &rule.id),
            area: rule.map_or("", |rule| &rule.area),
            layout: layout(&analysis.bundle.kind, content),
            now: analysis.bundle.collected_at,
            versions: analysis.bundle.versions.clone().into_iter().filter(|(_, version)| !version.is_empty()).collect(),
            objects: Vec::new(),
            releases: Vec::new(),
            files: BTreeMap::new(),
            dumps: BTreeMap::new(),
            own: BTreeMap::new(),
            findings: &analysis.findings,
        };
        let bundle = Bundle::from_memory(&content.name, content.rendered(), Limits::default());
        for file in &content.files {
            let text = String::from_utf8_lossy(&file.rendered()).into_owned();
            let role = bundle.entries().iter().find(|entry| *entry.path == *file.path).map(|entry| &entry.role);
            if file.is_dump && file.format != Format::Lines {
                pieces.take(file);
                pieces.dumps.insert(&file.path, text);
            } else if text.is_empty() || matches!(role, Some(Role::Metadata | Role::CollectorErrors)) {
                pieces.own.insert(&file.path, text);
            } else {
                pieces.files.insert(&file.path, text);
            }
        }
        pieces
    }

    /// Returns the objects of a dump, each with the fields that its list states for all.
    fn take(&mut self, file: &File) {
        for part in &file.parts {
            let text = |key: &str| part.get(key).and_then(Value::as_str);
            let Some(items) = part.get("items").and_then(Value::as_array) else {
                self.objects.extend(part.get("metadata").map(|_| part.clone()));
                continue;
            };
            for item in items {
                match item.get(RELEASE) {
                    Some(release) => self.releases.push(release.clone()),
                    None => self.objects.push(whole(closed(item), text("apiVersion"), text("kind"))),
                }
            }
        }
    }

    fn tried(&self, form: Form, versions: &[(String, String)], request: Request<'_>) -> Result<RuleTest, String> {
        let path = format!("tests/rules/{}/{}.yaml", self.area, self.rule);
        let file = json!({"rule": self.rule, "cases": [self.case(form, versions)]});
        let text = serde_yaml::to_string(&file).map_err(|error| error.to_string())?;
        let text = format!(
            "# Made by gleaner {} with `gleaner sample --rule {}`: a bundle reduced to what the rule needs to fire, with names replaced.\n\
             # Review every value before you publish it, and name the case after its failure.\n{text}",
            env!("CARGO_PKG_VERSION"),
            self.rule,
        );
        let source = Source { file: path.clone(), text: text.clone() };
        let report = verify::run(request.rule, request.streams, &[source]);
        match report.failures.first() {
            Some(failure) => Err(failure.to_string()),
            None => Ok(RuleTest { path, text }),
        }
    }

    fn case(&self, form: Form, versions: &[(String, String)]) -> Value {
        let mut case = Map::new();
        case.insert("name".to_owned(), "taken from a bundle".into());
        if let Some(layout) = self.layout {
            case.insert("layout".to_owned(), layout.into());
        }
        if let Some(now) = self.now.filter(|_| form.now) {
            case.insert("now".to_owned(), now.to_string().into());
        }
        if form.versions {
            case.insert(
                "versions".to_owned(),
                versions
                    .iter()
                    .cloned()
                    .collect::<BTreeMap<_, _>>()
                    .into_iter()
                    .map(|(k, v)| (k, Value::from(v)))
                    .collect::<Map<_, _>>()
                    .into(),
            );
        }
        let mut files = self.files.clone();
        if form.objects {
            let lists = [("objects", &self.objects), ("releases", &self.releases)];
            for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
                case.insert(key.to_owned(), list.clone().into());
            }
        } else {
            files.extend(self.dumps.clone());
        }
        if form.described {
            files.extend(self.own.clone());
        }
        if !files.is_empty() {
            let files = files.into_iter().map(|(path, text)| (path.to_owned(), Value::from(text)));
            case.insert("files".to_owned(), files.collect::<Map<_, _>>().into());
        }
        let expected = self.findings.iter().map(|finding| {
            let object = finding.objects.first().filter(|_| form.named).map(ToString::to_string);
            let mut expected =
                json!({"object": object, "severity": finding.severity.as_str(), "title": finding.title.as_str()});
            if let Value::Object(fields) = &mut expected {
                fields.retain(|_, value| !value.is_null());
            }
            expected
        });
        case.insert("expect".to_owned(), expected.collect());
        case.into()
    }
}

/// Returns an object with its type, which lists of typed clients state once for all items.
fn whole(object: Value, version: Option<&str>, list: Option<&str>) -> Value {
    let Value::Object(fields) = object else { return object };
    let kind = list.and_then(|list| list.strip_suffix("List")).filter(|kind| !kind.is_empty());
    let mut named = Map::new();
    let of_list = [("apiVersion", version.filter(|_| kind.is_some())), ("kind", kind)];
    for (key, value) in of_list.into_iter().filter(|(key, _)| !fields.contains_key(*key)) {
        value.into_iter().for_each(|value| drop(named.insert(key.to_owned(), value.into())));
    }
    named.extend(fields);
    named.into()
}

/// Returns the layout of rule tests for a kind of bundle; none means that of Harvester.
fn layout(kind: &str, content: &Content) -> Option<&'static str> {
    let below = |folder: &str| content.files.iter().any(|file| file.path.starts_with(folder));
    match kind {
        "rancher" if below("k3s/") => Some("rancher-k3s"),
        "rancher" if below("kubeadm/") => Some("rancher-kubeadm"),
        "rancher" if below("rke/") => Some("rancher-rke1"),
        "harvester" => None,
        kind => verify::LAYOUTS.into_iter().find(|layout| *layout == kind),
    }
}
