//! Answers from the JSON report of a bundle, whose keys `docs/report.md` describes.

use serde_json::{Map, Value, json};

/// Returns what the bundle is, and what was found, in short.
pub fn overview(name: &str, report: &Value) -> Vec<String> {
    let bundle = &report["bundle"];
    let keys = [
        "kind",
        "collector",
        "collected_at",
        "reported",
        "cluster",
        "versions",
        "end_of_life",
        "nodes",
        "not_collected",
    ];
    let mut about = Map::from_iter([("bundle".to_owned(), Value::from(name))]);
    about.extend(keys.map(|key| (key.to_owned(), bundle[key].clone())));
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    let outcomes = |keys: &[&str]| keys.iter().map(|key| count(&report["rules"][*key])).sum::<usize>();
    about.insert(
        "counts".to_owned(),
        json!({
            "findings": count(&report["findings"]),
            "causes": list(report, "findings").filter(|finding| finding["explained_by"].is_null()).count(),
            "not_healthy": count(&report["unhealthy"]["objects"]),
            "errors_without_rule": count(&report["unexplained"]["entries"]),
            "rules_clean": outcomes(&["clean", "clean_partly"]),
            "rules_not_evaluated": outcomes(&["not_evaluated"]),
            "issues": count(&report["issues"]),
        }),
    );
    about.insert("upgrade".to_owned(), report["upgrade"]["verdict"].clone());
    let causes = list(report, "findings").filter(|finding| finding["explained_by"].is_null()).map(brief);
    std::iter::once(pretty(&Value::Object(about))).chain(causes.map(|cause| pretty(&cause))).collect()
}

/// Returns each finding in short, causes before their symptoms, as the report has them.
pub fn findings(report: &Value) -> Vec<String> {
    list(report, "findings").map(|finding| pretty(&brief(finding))).collect()
}

/// Returns the findings of a rule, or the one with a fingerprint, whole.
///
/// # Errors
/// Fails with what there is instead.
pub fn finding(report: &Value, wanted: &str) -> Result<Vec<String>, String> {
    let is_it = |finding: &&Value| finding["rule"] == wanted || finding["fingerprint"] == wanted;
    let found: Vec<String> = list(report, "findings").filter(is_it).map(pretty).collect();
    if found.is_empty() {
        let rules: Vec<&str> = list(report, "findings").filter_map(|finding| finding["rule"].as_str()).collect();
        return Err(format!("no finding of {wanted:?}; findings: {}", rules.join(", ")));
    }
    Ok(found)
}

/// Returns the rules that could not be evaluated with their reasons, and what of the bundle could not be read.
pub fn not_evaluated(report: &Value) -> Vec<String> {
    let rules = ["not_evaluated", "clean_partly", "fired_partly"].into_iter().flat_map(|outcome| {
        let reasons = report["rules"][outcome].as_array().into_iter().flatten();
        reasons.map(move |reason| {
            json!({"outcome": outcome, "rule": reason["rule"], "reason": reason["reason"]}).to_string()
        })
    });
    let issues = list(report, "issues").map(|issue| json!({"issue": issue}).to_string());
    rules.chain(issues).collect()
}

/// Returns the errors of logs that no rule explains.
pub fn unexplained(report: &Value) -> Vec<String> {
    list(&report["unexplained"], "entries").map(pretty).collect()
}

/// Returns objects in trouble and warnings that no finding is about.
pub fn unhealthy(report: &Value) -> Vec<String> {
    let unhealthy = &report["unhealthy"];
    ["objects", "warnings", "verdicts"].into_iter().flat_map(|key| list(unhealthy, key).map(pretty)).collect()
}

/// Returns the entries that findings cite, each once, in the order of the findings.
pub fn cited(report: &Value) -> Vec<&str> {
    let evidence = list(report, "findings").flat_map(|finding| list(finding, "evidence"));
    let mut cited: Vec<&str> = Vec::new();
    for entry in evidence.filter_map(|evidence| evidence["entry"].as_str()) {
        if !cited.contains(&entry) {
            cited.push(entry);
        }
    }
    cited
}

fn brief(finding: &Value) -> Value {
    let keys = [
        "rule",
        "fingerprint",
        "class",
        "severity",
        "confidence",
        "title",
        "cause",
        "objects",
        "first_seen",
        "last_seen",
        "count",
        "explained_by",
    ];
    Value::Object(keys.iter().map(|key| ((*key).to_owned(), finding[*key].clone())).collect())
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}
