//! What the analyzers of troubleshoot.sh said of the cluster, from `analysis.json`.
//!
//! It is a list of `{insight: {primary, detail}, severity, error}` with the severities `error`, `warn` and `debug`, the last for what is
//! as wanted, or `null`: [pkg/convert/supportbundle.go](https://github.com/replicatedhq/troubleshoot/blob/main/pkg/convert/supportbundle.go).

use std::sync::Arc;

use crate::model::unhealthy::Verdict;
use crate::model::{Origin, Severity, secret};
use crate::resource::scalar_at;
use crate::yaml::{self, Node};

/// Longest title or message, in characters.
const MOST_TEXT: usize = 300;

/// Reads the verdicts that report trouble, errors first, then in the order of the file.
pub fn read(entry: &Arc<str>, text: &str) -> Vec<Verdict> {
    let (document, _) = yaml::parse(text.as_bytes().to_vec());
    let results = document.roots().flat_map(Node::items);
    let mut verdicts: Vec<Verdict> = results.filter_map(|result| verdict(entry, result)).collect();
    verdicts.sort_by_key(|verdict| std::cmp::Reverse(verdict.severity));
    verdicts
}

fn verdict(entry: &Arc<str>, result: Node<'_>) -> Option<Verdict> {
    let severity = match scalar_at(result, &["severity"])? {
        "error" => Severity::High,
        "warn" => Severity::Medium,
        _ => return None,
    };
    let text = |path: &[&str]| scalar_at(result, path).filter(|text| !text.is_empty());
    let shown = |text: &str| secret::redact(text).chars().take(MOST_TEXT).collect::<String>();
    let title = text(&["insight", "primary"]).or_else(|| text(&["name"])).unwrap_or_default();
    let message = text(&["insight", "detail"]).or_else(|| text(&["error"])).unwrap_or_default();
    let line = result.get("insight").unwrap_or(result).line();
    let place = Origin::line(Arc::clone(entry), line);
    (!title.is_empty() || !message.is_empty()).then(|| Verdict {
        title: shown(title),
        message: shown(message),
        severity,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let verdicts = read(&"analysis.json".into(), text).into_iter();
        verdicts.map(|v| format!("{} {}: {} ({})", v.severity.as_str(), v.title, v.message, v.place)).collect()
    }

    #[test]
    fn errors_stand_before_warnings_and_what_passed_is_left_out() {
        let text = r#"[
  {"name": "version", "insight": {"primary": "Version", "detail": "As wanted.", "severity": "debug"}, "severity": "debug"},
  {"name": "nodes", "severity": "warn",
   "insight": {"primary": "Nodes", "detail": "Three nodes are recommended."}},
  {"name": "class", "insight": {"primary": "Storage", "detail": "No class is the default."}, "severity": "error", "error": "x"}
]"#;
        let expected = [
            "high Storage: No class is the default. (analysis.json:5)",
            "medium Nodes: Three nodes are recommended. (analysis.json:4)",
        ];
        assert_eq!(said(text), expected);
    }

    #[test]
    fn an_analyzer_without_insight_gives_its_name_and_error() {
        assert_eq!(
            said(r#"[{"name": "a.b", "severity": "error", "error": "no such file"}]"#),
            ["high a.b: no such file (analysis.json:1)"]
        );
    }

    #[test]
    fn what_is_no_list_of_results_has_no_verdicts() {
        for text in ["null", "[]", "{}", "[null, 1, {}]", "[{\"severity\": \"error\"}]", "{", ""] {
            assert_eq!(said(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn secrets_are_masked_and_long_texts_cut() {
        let long = "x".repeat(1000);
        let text = format!(
            r#"[{{"severity": "error", "insight": {{"primary": "{long}", "detail": "postgres://u:hunter2@db/x"}}}}]"#
        );
        let [only] = said(&text).try_into().unwrap();
        assert!(!only.contains("hunter2") && only.len() < 600, "{only}");
    }
}
