//! Notifications about issues and rules without an answer.

use serde::Serialize;
use serde_json::{Value, json};

use crate::model::{Analysis, Issue, IssueKind, RuleReason};

use super::elements::{Places, text, visible};
use super::result::Location;

/// Id of the notification for a rule that was not evaluated.
const NOT_EVALUATED: &str = "not-evaluated";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    descriptor: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    associated_rule: Option<Value>,
    level: &'static str,
    message: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

/// Returns the descriptors of the notifications.
pub fn descriptors() -> Value {
    let issue = |kind: IssueKind, about: &str| json!({"id": id(kind), "shortDescription": {"text": about}});
    json!([
        issue(IssueKind::Archive, "a container is damaged"),
        issue(IssueKind::Limit, "a limit was reached, and the rest was not read"),
        issue(IssueKind::Layout, "the layout of the bundle is not read"),
        issue(IssueKind::Path, "a path was rejected"),
        issue(IssueKind::Document, "a document could not be read"),
        issue(IssueKind::Log, "a log could not be read"),
        issue(IssueKind::Rule, "a rule read data that it cannot use"),
        {"id": NOT_EVALUATED, "shortDescription": {"text": "a rule could not be evaluated on this bundle, or only on a part"}},
    ])
}

/// Lists the issues by location, then the rules that were not evaluated, or only in part.
pub fn all(analysis: &Analysis, places: &Places<'_>) -> Vec<Notification> {
    let issues = analysis.issues.iter().map(issue);
    let rules = &analysis.rules;
    let not_evaluated = rules.not_evaluated.iter().map(|of| unproven(of, "could not be evaluated", places));
    let partly = rules.clean_partly.iter().map(|of| unproven(of, "is clean only where collected", places));
    issues.chain(not_evaluated).chain(partly).collect()
}

fn id(kind: IssueKind) -> String {
    format!("issue/{}", kind.as_str())
}

fn issue(issue: &Issue) -> Notification {
    Notification {
        descriptor: json!({"id": id(issue.kind)}),
        associated_rule: None,
        level: "warning",
        message: text(&issue.message.to_string()),
        locations: issue.origin.iter().map(|origin| Location::of(&origin.entry, origin.line)).collect(),
    }
}

fn unproven(reason: &RuleReason, answer: &str, places: &Places<'_>) -> Notification {
    let mut rule = json!({"id": visible(&reason.rule)});
    if let Some(place) = places.get(reason.rule.as_str()) {
        rule["index"] = json!(place);
    }
    Notification {
        descriptor: json!({"id": NOT_EVALUATED}),
        associated_rule: Some(rule),
        level: "note",
        message: text(&format!("{} {answer}: {}", reason.rule, reason.reason)),
        locations: Vec::new(),
    }
}
