//! JUnit XML for build servers: each rule is a test case. Findings at or above the threshold are failures, others are
//! in its output; a rule without an answer is skipped. The elements are those accepted by Jenkins (junit-10.xsd).

mod xml;

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::model::{Analysis, Finding, RuleFacts, Severity};

use super::lexicon::Lexicon;
use super::rank;
use super::view;
use super::words;
use xml::{attribute, text};

/// Maximum number of findings of a rule that are listed, and of issues.
const FINDINGS_SHOWN: usize = 50;
const ISSUES_SHOWN: usize = 200;
/// Maximum length of a text and of an attribute, in characters.
const TEXT: usize = 2_000;
const ATTRIBUTE: usize = 300;

/// Writes one suite with a test case for each rule.
///
/// # Errors
/// Errors of the writer.
pub fn write(analysis: &Analysis, fail_on: Option<Severity>, out: &mut dyn Write) -> io::Result<()> {
    let cases = cases(analysis);
    let failed = |case: &&Case<'_>| !case.split(analysis, fail_on).0.is_empty();
    let (tests, failures) = (cases.len(), cases.values().filter(failed).count());
    let skipped = cases.values().filter(|case| case.skipped.is_some()).count();
    let name = attribute(&analysis.bundle.path, ATTRIBUTE);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"gleaner\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
    )?;
    properties(analysis, out)?;
    for (rule, case) in &cases {
        case.write(rule, case.split(analysis, fail_on), out)?;
    }
    issues(analysis, out)?;
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// Rule with its outcome.
#[derive(Default)]
struct Case<'a> {
    facts: Option<&'a RuleFacts>,
    /// Sorted by rank.
    findings: Vec<&'a Finding>,
    /// Reason why there is no answer: `not evaluated: no kernel log`.
    skipped: Option<String>,
}

/// Returns all rules by id.
fn cases(analysis: &Analysis) -> BTreeMap<&str, Case<'_>> {
    let mut cases: BTreeMap<&str, Case<'_>> = BTreeMap::new();
    let rules = &analysis.rules;
    for id in rules.fired.iter().chain(&rules.clean) {
        cases.entry(id).or_default();
    }
    let unanswered = [
        ("not evaluated", &rules.not_evaluated),
        ("clean where collected", &rules.clean_partly),
        ("not applicable", &rules.not_applicable),
    ];
    for (outcome, reasons) in unanswered {
        for reason in reasons {
            cases.entry(&reason.rule).or_default().skipped = Some(format!("{outcome}: {}", reason.reason));
        }
    }
    for finding in rank::flat(&analysis.findings) {
        cases.entry(&finding.rule).or_default().findings.push(finding);
    }
    for facts in &analysis.catalogue {
        cases.entry(&facts.id).or_default().facts = Some(facts);
    }
    cases
}

impl<'a> Case<'a> {
    /// Returns the findings that count as failures, and the others.
    fn split(&self, analysis: &Analysis, fail_on: Option<Severity>) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
        self.findings.iter().copied().partition(|finding| analysis.is_failure(finding, fail_on))
    }

    fn write(
        &self,
        rule: &str,
        (failing, others): (Vec<&Finding>, Vec<&Finding>),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let area = self.facts.map(|facts| &facts.area).or(self.findings.first().map(|finding| &finding.area));
        let class = area.map_or_else(|| "gleaner".to_owned(), |area| format!("gleaner.{area}"));
        let (class, name) = (attribute(&class, ATTRIBUTE), attribute(rule, ATTRIBUTE));
        write!(out, "    <testcase classname=\"{class}\" name=\"{name}\"")?;
        if self.skipped.is_none() && self.findings.is_empty() {
            return writeln!(out, "/>");
        }
        writeln!(out, ">")?;
        if let Some(reason) = &self.skipped {
            writeln!(out, "      <skipped message=\"{}\"/>", attribute(reason, ATTRIBUTE))?;
        }
        if let Some(worst) = failing.first() {
            let (kind, message) = (worst.severity.as_str(), attribute(&headline(&failing), ATTRIBUTE));
            write!(out, "      <failure type=\"{kind}\" message=\"{message}\">")?;
            write_findings(&failing, out)?;
            writeln!(out, "</failure>")?;
        }
        if !others.is_empty() {
            write!(out, "      <system-out>")?;
            write_findings(&others, out)?;
            writeln!(out, "</system-out>")?;
        }
        writeln!(out, "    </testcase>")
    }
}

/// Returns the first title and the number of further findings.
fn headline(findings: &[&Finding]) -> String {
    let title = findings.first().map_or("", |finding| &finding.title);
    match findings.len() {
        0 | 1 => title.to_owned(),
        n => format!("{title} (and {} more)", words::number(n as u64 - 1)),
    }
}

/// Writes each finding in a few lines: title and message, location, first step.
fn write_findings(findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings.iter().take(FINDINGS_SHOWN) {
        let (label, confidence) = (finding.label(), finding.confidence.as_str());
        writeln!(out, "{label} ({confidence}): {}", text(&finding.title, TEXT))?;
        writeln!(out, "  {}", text(&finding.message, TEXT))?;
        if let Some((place, quote)) = view::place(finding) {
            let quote = quote.map(|quote| format!(": {quote}")).unwrap_or_default();
            writeln!(out, "  at {}", text(&format!("{place}{quote}"), TEXT))?;
        }
        if let Some(step) = finding.remedy.first() {
            writeln!(out, "  do: {}", text(&step.action, TEXT))?;
        }
        if let Some(cause) = &finding.explained_by {
            writeln!(out, "  explained by {}", text(cause, TEXT))?;
        }
        writeln!(out, "  fingerprint {}", text(&finding.fingerprint, TEXT))?;
    }
    match findings.len().saturating_sub(FINDINGS_SHOWN) {
        0 => Ok(()),
        rest => writeln!(out, "and {} more in the JSON report", words::number(rest as u64)),
    }
}

/// Writes the facts about the bundle.
fn properties(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    let facts = &analysis.bundle;
    let mut pairs: Vec<(String, String)> = vec![("kind".to_owned(), facts.kind.clone())];
    pairs.extend(facts.collected_at.iter().map(|at| ("collected_at".to_owned(), at.to_string())));
    pairs.extend(facts.versions.iter().map(|(product, version)| (format!("version.{product}"), version.clone())));
    pairs.extend(view::nodes_ready(&facts.nodes, Lexicon::ENGLISH).map(|ready| ("nodes".to_owned(), ready)));
    pairs.extend(
        facts
            .not_collected
            .iter()
            .map(|missing| ("not_collected".to_owned(), format!("{}: {}", missing.what, missing.why))),
    );
    pairs.extend(analysis.redacted.then(|| ("redacted".to_owned(), "true".to_owned())));
    pairs.extend(analysis.accepted.map(|accepted| ("baseline.hidden".to_owned(), accepted.hidden.to_string())));
    writeln!(out, "    <properties>")?;
    for (name, value) in &pairs {
        let (name, value) = (attribute(name, ATTRIBUTE), attribute(value, TEXT));
        writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>")?;
    }
    writeln!(out, "    </properties>")
}

fn issues(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    if analysis.issues.is_empty() {
        return Ok(());
    }
    writeln!(out, "    <system-err>")?;
    for issue in analysis.issues.iter().take(ISSUES_SHOWN) {
        let place = issue.origin.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        writeln!(out, "{}: {}", issue.kind.as_str(), text(&format!("{place}{}", issue.message), TEXT))?;
    }
    if analysis.issues.len() > ISSUES_SHOWN {
        writeln!(out, "and {} more in the JSON report", words::number((analysis.issues.len() - ISSUES_SHOWN) as u64))?;
    }
    writeln!(out, "    </system-err>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;

    fn xml(analysis: &Analysis, fail_on: Option<Severity>) -> String {
        let mut out = Vec::new();
        write(analysis, fail_on, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_suite_reads_as_agreed() {
        insta::assert_snapshot!(xml(&specimen::small(), Some(Severity::Critical)), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="gleaner" tests="9" failures="1" errors="0">
          <testsuite name="in/shop.zip" tests="9" failures="1" errors="0" skipped="4">
            <properties>
              <property name="kind" value="harvester"/>
              <property name="collected_at" value="2026-03-01T12:00:00Z"/>
              <property name="version.harvester" value="v1.4.1"/>
              <property name="version.kubernetes" value="v1.30.2+rke2r1"/>
              <property name="nodes" value="1 of 2 ready"/>
              <property name="not_collected" value="secrets: never collected by this program"/>
            </properties>
            <testcase classname="gleaner.storage" name="claim-lost">
              <failure type="critical" message="Claim shop/data has lost its volume">critical (certain): Claim shop/data has lost its volume
          The claim is bound to pv-1, which does not exist.
          at yamls/namespaced/shop/claims.yaml:42: status.phase = Lost
          do: Look for a backup
          fingerprint c1c1c1c1c1c1c1c1
        </failure>
            </testcase>
            <testcase classname="gleaner.node" name="kernel-ext4-error">
              <skipped message="not evaluated: no kernel log of node beta"/>
            </testcase>
            <testcase classname="gleaner.node" name="kernel-hung-task">
              <skipped message="not evaluated: no kernel log of node beta"/>
            </testcase>
            <testcase classname="gleaner" name="kernel-oom">
              <skipped message="clean where collected: logs of node beta are not in the bundle"/>
            </testcase>
            <testcase classname="gleaner.node" name="node-not-ready"/>
            <testcase classname="gleaner.gc" name="orphan-replicaset">
              <system-out>low (hint): ReplicaSet shop/cart-7d9 has no owner
          The claim is bound to pv-1, which does not exist.
          at yamls/namespaced/shop/claims.yaml:42: status.phase = Lost
          do: Look for a backup
          fingerprint 0a0a0a0a0a0a0a0a
        </system-out>
            </testcase>
            <testcase classname="gleaner.storage" name="pod-failed-mount">
              <system-out>high (likely): Pod shop/cart-0 cannot mount its volume
          The claim is bound to pv-1, which does not exist.
          at nodes/alpha.zip!/alpha/logs/kubelet.log:7: E0301 mount failed: not found
          do: Look for a backup
          explained by c1c1c1c1c1c1c1c1
          fingerprint 5e5e5e5e5e5e5e5e
        </system-out>
            </testcase>
            <testcase classname="gleaner.agent" name="rancher-agent-old">
              <skipped message="not applicable: product rancher is not in the bundle"/>
            </testcase>
            <testcase classname="gleaner.webhook" name="webhook-no-endpoints"/>
            <system-err>
        document: yamls/cluster/nodes.yaml:3: not a mapping
            </system-err>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn without_a_threshold_nothing_fails() {
        let text = xml(&specimen::small(), None);
        assert!(text.contains(" failures=\"0\"") && !text.contains("<failure"), "{text}");
        assert_eq!(text.matches("<system-out>").count(), 3);
        assert_eq!(xml(&specimen::small(), Some(Severity::Info)).matches("<failure ").count(), 3);
    }

    #[test]
    fn hostile_text_stays_in_its_place() {
        let (text, calm) =
            (xml(&specimen::hostile(), Some(Severity::Info)), xml(&specimen::small(), Some(Severity::Info)));
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
        assert!(!text.contains("<script") && !text.contains("<!--"));
        assert_eq!(text.matches("<testcase").count(), calm.matches("<testcase").count() + 1, "one has a hostile id");
    }

    #[test]
    fn many_findings_are_counted() {
        let mut analysis = specimen::small();
        let like = |n: usize| Finding { fingerprint: format!("{n:016x}"), ..specimen::finding() };
        analysis.findings = (0..FINDINGS_SHOWN + 7).map(like).collect();
        let text = xml(&analysis, Some(Severity::High));
        assert!(text.contains("message=\"Claim shop/data has lost its volume (and 56 more)\""), "{text}");
        assert!(text.contains("and 7 more in the JSON report"));
    }
}
