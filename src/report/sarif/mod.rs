//! SARIF 2.1.0, the format of code scanners: findings are results, rules are reporting descriptors, and issues and
//! rules without an answer are notifications. Property names are those of
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

mod descriptor;
mod elements;
mod notification;
mod result;

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::model::{Analysis, Finding, Severity};

use super::json::indented;
use super::rank;
use descriptor::Descriptor;
use elements::{Places, ROOT, text, visible};
use notification::Notification;
use result::ResultOut;

/// Address of the schema of the format.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Writes the log, indented by two spaces, with a final newline. `fail_on` decides the exit code stated in it.
///
/// # Errors
/// Errors of the writer.
pub fn write(analysis: &Analysis, fail_on: Option<Severity>, out: &mut dyn Write) -> io::Result<()> {
    indented::write(&Log::of(analysis, fail_on), out)
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    original_uri_base_ids: Value,
    results: Results<'a>,
    column_kind: &'static str,
    properties: Value,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    rules: Vec<Descriptor<'a>>,
    notifications: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    exit_code_description: String,
    tool_execution_notifications: Vec<Notification>,
}

impl<'a> Log<'a> {
    fn of(analysis: &'a Analysis, fail_on: Option<Severity>) -> Self {
        let places = analysis.catalogue.iter().enumerate().map(|(at, rule)| (rule.id.as_str(), at)).collect();
        let driver = Driver {
            name: "gleaner",
            version: env!("CARGO_PKG_VERSION"),
            rules: analysis.catalogue.iter().map(Descriptor::of).collect(),
            notifications: notification::descriptors(),
        };
        let run = Run {
            tool: Tool { driver },
            invocations: [Invocation::of(analysis, fail_on, &places)],
            original_uri_base_ids: json!({ROOT: {"description": text(&format!("root of {}", analysis.bundle.path))}}),
            results: Results { findings: rank::flat(&analysis.findings), places },
            column_kind: "unicodeCodePoints",
            properties: properties(analysis),
        };
        Self { schema: SCHEMA, version: "2.1.0", runs: [run] }
    }
}

impl Invocation {
    /// Reports an unsuccessful run if nothing of the bundle was read: no results would look healthy.
    fn of(analysis: &Analysis, fail_on: Option<Severity>, places: &Places<'_>) -> Self {
        let failing = analysis.fails(fail_on);
        let exit_code_description = match fail_on {
            None => "--fail-on was not given".to_owned(),
            Some(least) if failing => format!("there are findings at or above {}", least.as_str()),
            Some(least) => format!("there is no finding at or above {}", least.as_str()),
        };
        Self {
            execution_successful: analysis.bundle.unread.is_none(),
            exit_code: u8::from(failing),
            exit_code_description,
            tool_execution_notifications: notification::all(analysis, places),
        }
    }
}

/// Results serialized one at a time, so that a large log needs no second copy in memory.
struct Results<'a> {
    findings: Vec<&'a Finding>,
    places: Places<'a>,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.findings.iter().map(|finding| ResultOut::of(finding, &self.places)))
    }
}

/// Facts about the bundle, under their names in the JSON report.
fn properties(analysis: &Analysis) -> Value {
    let facts = &analysis.bundle;
    let missing = facts
        .not_collected
        .iter()
        .map(|m| json!({"what": visible(&m.what.to_string()), "why": visible(&m.why.to_string())}));
    let versions = facts.versions.iter().map(|(product, version)| (visible(product), Value::from(visible(version))));
    json!({
        "path": visible(&facts.path),
        "kind": visible(&facts.kind),
        "sha256": facts.sha256,
        "content_id": facts.content_id,
        "collected_at": facts.collected_at,
        "versions": versions.collect::<serde_json::Map<_, _>>(),
        "redacted": analysis.redacted,
        "baseline": analysis.accepted.map(|accepted| json!({"hidden": accepted.hidden})),
        "not_collected": missing.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;

    fn log(analysis: &Analysis, fail_on: Option<Severity>) -> Value {
        let mut out = Vec::new();
        write(analysis, fail_on, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn findings_are_results_with_their_own_words_kept() {
        let log = log(&specimen::small(), None);
        let results = log["runs"][0]["results"].as_array().unwrap();
        let shape: Vec<_> = results
            .iter()
            .map(|r| {
                let at = &r["locations"][0]["physicalLocation"];
                let line = at["region"]["startLine"].as_u64().unwrap();
                let level = r["level"].as_str().unwrap();
                format!(
                    "{} {level} {}:{line}",
                    r["ruleId"].as_str().unwrap(),
                    at["artifactLocation"]["uri"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(
            shape,
            [
                "claim-lost error yamls/namespaced/shop/claims.yaml:42",
                "orphan-replicaset note yamls/namespaced/shop/claims.yaml:42",
                "pod-failed-mount error nodes/alpha.zip!/alpha/logs/kubelet.log:7",
            ]
        );
        assert_eq!(results[0]["properties"]["severity"], "critical");
        assert_eq!(results[1]["properties"]["confidence"], "hint");
        assert_eq!(results[2]["properties"]["explained_by"], "c1c1c1c1c1c1c1c1");
        assert_eq!(results[0]["partialFingerprints"]["gleaner/v1"], "c1c1c1c1c1c1c1c1");
        let rule = &log["runs"][0]["tool"]["driver"]["rules"][results[0]["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(
            (&rule["id"], &rule["helpUri"]),
            (&json!("claim-lost"), &json!("https://example.org/claims?a=1&b=2"))
        );
    }

    #[test]
    fn issues_and_rules_not_evaluated_are_notifications() {
        let log = log(&specimen::small(), None);
        let told = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
        let ids: Vec<_> = told.iter().map(|n| n["descriptor"]["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["issue/document", "not-evaluated", "not-evaluated", "not-evaluated"]);
        assert_eq!(told[1]["associatedRule"]["id"], "kernel-ext4-error");
        let partly = "kernel-oom is clean only where collected: logs of node beta are not in the bundle";
        assert_eq!(told[3]["message"]["text"], partly);
    }

    #[test]
    fn the_exit_code_is_that_of_the_threshold() {
        let ends = |analysis: &Analysis, fail_on| {
            let log = log(analysis, fail_on);
            let run = &log["runs"][0]["invocations"][0];
            (run["exitCode"].as_u64(), run["exitCodeDescription"].as_str().unwrap().to_owned())
        };
        assert_eq!(ends(&specimen::small(), None), (Some(0), "--fail-on was not given".to_owned()));
        let high = Some(Severity::High);
        assert_eq!(ends(&specimen::small(), high), (Some(1), "there are findings at or above high".to_owned()));
        assert_eq!(ends(&specimen::empty(), high), (Some(0), "there is no finding at or above high".to_owned()));
    }

    #[test]
    fn a_bundle_that_was_not_read_is_no_success() {
        let mut analysis = specimen::empty();
        analysis.bundle.unread = Some(crate::model::message::Reason::UnknownLayout);
        assert_eq!(log(&analysis, None)["runs"][0]["invocations"][0]["executionSuccessful"], false);
    }

    #[test]
    fn hostile_text_hides_nothing_and_links_nowhere() {
        let mut analysis = specimen::hostile();
        analysis.findings[0].title = "[a](1) \\".into();
        let mut out = Vec::new();
        write(&analysis, None, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("\\u001b") && !text.contains("\\u0000") && !text.contains('\u{202e}'));
        assert!(text.contains(r"\\[a\\](1) \\\\"), "{text}");
    }
}
