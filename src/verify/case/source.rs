//! Test files as written: `tests/rules/<area>/<id>.yaml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::expectation::{Expect, Expected};
use super::layout::Layout;
use super::merge_patch::apply;
use super::release::Release;
use super::resolved::Case;
use crate::rule::Source;

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
            Some(Value::String(word)) if word == "clean_partly" => Ok(Expect::CleanPartly),
            Some(Value::String(word)) if word == "not_applicable" => Ok(Expect::NotApplicable),
            Some(list @ Value::Array(_)) => {
                let list: Vec<Expected> = serde_json::from_value(list.clone()).map_err(|e| format!("expect: {e}"))?;
                match list.iter().find(|e| rules.len() > 1 && e.rule.is_none()) {
                    Some(_) => Err("expect: with `rules:` each finding names its `rule`".to_owned()),
                    None => Ok(Expect::Findings(list)),
                }
            }
            Some(_) => {
                Err("expect: is a list of findings, `not_evaluated`, `clean_partly` or `not_applicable`".to_owned())
            }
        }
    }
}

fn scalar_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::types::TypeName;
    use crate::rule::{Streams, load};

    fn cases(text: &str) -> Result<Vec<Case>, String> {
        let source = Source { file: "t.yaml".to_owned(), text: text.to_owned() };
        TestSource::parse(&source).and_then(|source| source.cases()).map_err(|e| e.to_string())
    }

    fn streams() -> Streams {
        Streams::parse(load::embedded().streams).unwrap_or_default()
    }

    #[test]
    fn mistakes_are_reported_with_file_and_case() {
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
    fn missing_takes_types_streams_and_paths() {
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
}
