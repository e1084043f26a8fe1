//! Baselines: fingerprints of accepted findings that need not be reported again. A [`Baseline`] is read from a JSON
//! report or from a list. It removes its findings from an [`Analysis`], which records their number.

use std::collections::HashSet;

use serde::Deserialize;

use crate::model::{Accepted, Analysis};

/// Supported schema of JSON reports.
const SCHEMA: &str = "gleaner.analysis/v1";
/// Number of digits of a fingerprint.
const DIGITS: usize = 32;

/// Fingerprints of accepted findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    accepted: HashSet<String>,
}

/// Reason why a text is not a baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("it is not UTF-8 text; give a JSON report of gleaner, or a list of fingerprints, one a line")]
    Encoding,
    #[error("it begins like JSON, but is no JSON report of gleaner: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "it is a JSON document of schema `{0}`, not `{SCHEMA}`; write one with `gleaner analyze BUNDLE -o FILE.json`"
    )]
    Schema(String),
    #[error(
        "line {line}: `{text}` is not a fingerprint; a list has one a line ({DIGITS} hexadecimal digits), and `#` begins a comment"
    )]
    Fingerprint { line: usize, text: String },
}

/// Part of a report that a baseline uses.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    schema: String,
    #[serde(default)]
    findings: Vec<ReportedFinding>,
}

#[derive(Deserialize)]
struct ReportedFinding {
    fingerprint: String,
}

impl Baseline {
    /// Reads a JSON report, or a list of fingerprints with comments.
    ///
    /// # Errors
    ///
    /// Returns an error if it is neither.
    pub fn parse(bytes: &[u8]) -> Result<Self, BaselineError> {
        let text = std::str::from_utf8(bytes).map_err(|_| BaselineError::Encoding)?;
        let text = text.trim_start_matches('\u{feff}');
        let accepted = if text.trim_start().starts_with('{') { of_report(text)? } else { of_list(text)? };
        Ok(Self { accepted })
    }

    /// Removes accepted findings. A finding explained only by an accepted one becomes a finding of its own, because it
    /// was not accepted.
    pub fn apply(&self, analysis: &mut Analysis) {
        let before = analysis.findings.len();
        analysis.findings.retain(|finding| !self.accepted.contains(&finding.fingerprint));
        for finding in &mut analysis.findings {
            finding.explained_by.take_if(|cause| self.accepted.contains(cause));
            finding.causes.retain(|cause| !self.accepted.contains(&cause.finding));
        }
        let hidden = before - analysis.findings.len();
        analysis.accepted.get_or_insert(Accepted { hidden: 0 }).hidden += hidden;
    }
}

fn of_report(text: &str) -> Result<HashSet<String>, BaselineError> {
    let report: Report = serde_json::from_str(text)?;
    if report.schema != SCHEMA {
        return Err(BaselineError::Schema(report.schema.chars().take(80).collect()));
    }
    Ok(report.findings.into_iter().map(|known| known.fingerprint).collect())
}

fn of_list(text: &str) -> Result<HashSet<String>, BaselineError> {
    let entries =
        text.lines().enumerate().map(|(at, line)| (at + 1, line.split('#').next().unwrap_or_default().trim()));
    let entries = entries.filter(|(_, entry)| !entry.is_empty());
    let checked = entries.map(|(line, entry)| {
        let is_fingerprint = entry.len() == DIGITS && entry.bytes().all(|b| b.is_ascii_hexdigit());
        let text = || entry.chars().take(80).collect();
        if is_fingerprint {
            Ok(entry.to_ascii_lowercase())
        } else {
            Err(BaselineError::Fingerprint { line, text: text() })
        }
    });
    checked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<usize, String> {
        Baseline::parse(text.as_bytes()).map(|baseline| baseline.accepted.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn reports_and_lists_are_read() {
        let report =
            r#"{"schema": "gleaner.analysis/v1", "bundle": {}, "findings": [{"rule": "x", "fingerprint": "00"}]}"#;
        assert_eq!(parsed(report), Ok(1));
        assert_eq!(
            parsed(
                "\u{feff}# known\n\n 0123456789abcdef0123456789abcdef # claim\r\n0123456789ABCDEF0123456789ABCDEF\n"
            ),
            Ok(1)
        );
        assert_eq!(parsed("# nothing yet\n"), Ok(0));
    }

    #[test]
    fn invalid_baselines_are_rejected() {
        for (text, says) in [
            ("0123456789abcdef0123456789abcdef\nnode-not-ready\n", "line 2: `node-not-ready` is not a fingerprint"),
            ("{", "begins like JSON, but is no JSON report"),
            (r#"{"findings": []}"#, "schema ``"),
            (r#"{"schema": "other/v1"}"#, "schema `other/v1`"),
            (r#"{"schema": "gleaner.analysis/v1", "findings": [{}]}"#, "missing field `fingerprint`"),
            ("<html>", "line 1"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        assert!(Baseline::parse(b"\xff\xfe").is_err());
    }
}
