//! The terminal summary: what the bundle is, the causes with one place and one first step each, and how much was checked.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Color, Style};

use crate::model::{Analysis, Finding, Issue, IssueKind, Severity};

use super::rank::{self, Cause, Group};
use super::view::{self, Sheet, Verdict};
use super::wrap::{WIDTH, wrapped};
use super::{clean, words};

/// Columns before the texts of a cause; as wide as the longest severity and a gap.
const INDENT: usize = 10;
/// Most causes shown; the report has them all.
const CAUSES_SHOWN: usize = 10;
/// Most kinds of symptoms named under a cause.
const SYMPTOMS_SHOWN: usize = 4;
/// Most issues shown, and most characters of one.
const ISSUES_SHOWN: usize = 3;
const ISSUE_LENGTH: usize = 200;
/// Most reasons shown.
const REASONS_SHOWN: usize = 5;
/// Most characters of a text before it is wrapped; bounds what hostile titles and commands can print.
const TEXT_SHOWN: usize = 600;
/// Most lines of a command.
const COMMAND_LINES_SHOWN: usize = 8;

const QUIET: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const ALARM: Style = Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Red)));

/// The summary, coloured by ANSI sequences (let `anstream` take them off where they do not belong). `written` names the
/// reports that were written.
pub fn summary(analysis: &Analysis, written: &[String]) -> String {
    let groups = rank::groups(&analysis.findings);
    let mut page = Lines::default();
    bundle(&mut page, analysis);
    verdict(&mut page, &Verdict::of(analysis, &groups));
    for group in groups.iter().take(CAUSES_SHOWN) {
        cause(&mut page, group);
    }
    left_out(&mut page, &groups);
    checked(&mut page, analysis);
    for path in written {
        page.labelled("report", &clean::one_line(path), STRONG);
    }
    page.out
}

fn bundle(page: &mut Lines, analysis: &Analysis) {
    let sheet = Sheet::of(&analysis.bundle);
    page.line(0, &analysis.bundle.path, STRONG);
    let mut what: Vec<String> = vec![sheet.kind().to_owned()];
    what.extend(sheet.versions());
    what.extend(view::nodes_ready(&analysis.bundle.nodes).map(|ready| format!("nodes {ready}")));
    page.line(2, &what.join(", "), Style::new());
    let mut when: Vec<String> = sheet.collected().map(|at| format!("collected {at}")).into_iter().collect();
    when.extend(sheet.collector().map(|by| format!("by {by}")));
    when.push(format!("({})", sheet.size()));
    page.line(2, &when.join(" "), QUIET);
    if let Some(logs) = sheet.logs() {
        page.line(2, &format!("logs cover {logs}"), QUIET);
    }
    if let Some(missing) = sheet.missing_title() {
        page.line(2, &missing.replacen("Not", "not", 1), QUIET);
    }
}

fn verdict(page: &mut Lines, verdict: &Verdict) {
    page.blank();
    page.line(0, &verdict.headline, if verdict.is_unread() { ALARM } else { STRONG });
    for note in &verdict.notes {
        page.line(2, note, QUIET);
    }
}

fn cause(page: &mut Lines, group: &Group<'_>) {
    let finding = group.lead.finding;
    page.blank();
    let title = words::sentence(&finding.title, TEXT_SHOWN);
    page.labelled(finding.severity.as_str(), &title, colour(finding.severity));
    proof(page, finding);
    if let Some(others) = view::likewise(group) {
        page.line(INDENT, &others, QUIET);
    }
    symptoms(page, group);
    if let Some(step) = finding.remedy.first() {
        page.line(INDENT, &format!("do: {}", words::sentence(&step.action, TEXT_SHOWN)), Style::new());
        if let Some(command) = &step.run {
            page.command(command);
        }
    }
}

/// Where to look first, and what stands there: beside it, or below where that is too long.
fn proof(page: &mut Lines, finding: &Finding) {
    let Some((place, quote)) = view::place(finding) else { return };
    let together = quote.as_ref().map(|quote| format!("{place}: {quote}"));
    match together.filter(|text| text.chars().count() <= WIDTH - INDENT) {
        Some(text) => page.line(INDENT, &text, QUIET),
        None => {
            page.line(INDENT, &place, QUIET);
            quote.iter().for_each(|quote| page.line(INDENT + 2, quote, QUIET));
        }
    }
}

/// What all causes of the group explain: customers complain of symptoms.
fn symptoms(page: &mut Lines, group: &Group<'_>) {
    let all: Vec<&Finding> = group.causes().flat_map(|c: &Cause<'_>| c.symptoms.iter().copied()).collect();
    let Some(explains) = view::explains(&all) else { return };
    page.line(INDENT, &explains.replacen("Explains", "explains", 1), QUIET);
    let groups = rank::symptom_groups(&all);
    for symptom in groups.iter().take(SYMPTOMS_SHOWN) {
        let more = match symptom.more.len() {
            0 => String::new(),
            n => format!(" (and {} like it)", words::number(n as u64)),
        };
        let room = WIDTH.saturating_sub(INDENT + 4 + more.len() + 1);
        let title = clean::one_line(&words::sentence(&symptom.lead.finding.title, TEXT_SHOWN));
        page.line(INDENT + 2, &format!("- {}{more}", words::clipped(&title, room)), QUIET);
    }
    if groups.len() > SYMPTOMS_SHOWN {
        page.line(INDENT + 2, "- ...", QUIET);
    }
}

fn left_out(page: &mut Lines, groups: &[Group<'_>]) {
    let rest = groups.get(CAUSES_SHOWN..).unwrap_or_default();
    if rest.is_empty() {
        return;
    }
    let causes: Vec<&Finding> = rest.iter().flat_map(|g| g.causes().map(|c| c.finding)).collect();
    let counts = view::severities(&rank::severities(causes.iter().copied()));
    page.blank();
    page.line(0, &format!("and {}: {counts}", words::counted(causes.len(), "more cause")), QUIET);
}

fn checked(page: &mut Lines, analysis: &Analysis) {
    page.blank();
    page.labelled("rules", &view::outcome_counts(&analysis.rules), STRONG);
    let unanswered =
        [("not evaluated", &analysis.rules.not_evaluated), ("not applicable", &analysis.rules.not_applicable)];
    // Of a bundle that was not read the verdict has told the reason.
    for (title, reasons) in unanswered.into_iter().filter(|_| analysis.bundle.unread.is_none()) {
        let groups = view::by_reason(reasons).groups;
        for group in groups.iter().take(REASONS_SHOWN) {
            page.line(INDENT, &format!("{title} ({}): {}", group.rules.len(), group.reason), QUIET);
        }
        if let Some(rest) = groups.get(REASONS_SHOWN..).filter(|rest| !rest.is_empty()) {
            let rules: usize = rest.iter().map(|g| g.rules.len()).sum();
            page.line(
                INDENT,
                &format!("{title} ({rules}): for {}", words::counted(rest.len(), "further reason")),
                QUIET,
            );
        }
    }
    issues(page, &analysis.issues);
    let stages: Vec<String> =
        analysis.timings.iter().map(|(stage, time)| format!("{stage} {:.3} s", time.as_secs_f64())).collect();
    if !stages.is_empty() {
        page.labelled("timing", &stages.join(", "), QUIET);
    }
}

/// How many of each kind, and the first ones in full.
fn issues(page: &mut Lines, issues: &[Issue]) {
    if issues.is_empty() {
        return;
    }
    let count = words::number(issues.len() as u64);
    page.labelled("issues", &format!("{count} while reading: {}", view::issue_kinds(issues)), STRONG);
    // The verdict has told that a layout is not read.
    let told = issues.iter().filter(|issue| issue.kind != IssueKind::Layout);
    for issue in told.take(ISSUES_SHOWN) {
        let text = match &issue.origin {
            Some(origin) => format!("{origin}: {}", issue.message),
            None => issue.message.clone(),
        };
        page.line(INDENT, &words::clipped(&text, ISSUE_LENGTH), QUIET);
    }
    if issues.len() > ISSUES_SHOWN + 1 {
        page.line(INDENT, "all of them are in the report", QUIET);
    }
}

fn colour(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Critical | Severity::High => AnsiColor::Red,
        Severity::Medium => AnsiColor::Yellow,
        Severity::Low => AnsiColor::Blue,
        Severity::Info => AnsiColor::BrightBlack,
    };
    let style = Style::new().fg_color(Some(Color::Ansi(colour)));
    if severity == Severity::Critical { style.bold() } else { style }
}

/// Lines of a terminal, wrapped and freed of what could steer it.
#[derive(Default)]
struct Lines {
    out: String,
}

impl Lines {
    fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Text with `indent` blanks in front of each of its lines.
    fn line(&mut self, indent: usize, text: &str, style: Style) {
        for part in wrapped(&words::clipped(text, TEXT_SHOWN), WIDTH.saturating_sub(indent)) {
            self.push(format_args!("{:indent$}{style}{part}{style:#}\n", ""));
        }
    }

    /// A coloured word in front of its text.
    fn labelled(&mut self, label: &str, text: &str, style: Style) {
        let width = INDENT;
        let mut parts = wrapped(&words::clipped(text, TEXT_SHOWN), WIDTH.saturating_sub(width)).into_iter();
        let first = parts.next().unwrap_or_default();
        self.push(format_args!("{style}{label:width$}{style:#}{first}\n"));
        for part in parts {
            self.push(format_args!("{:width$}{part}\n", ""));
        }
    }

    /// A command as it is typed: its lines are not wrapped, since what is pasted must run.
    fn command(&mut self, command: &str) {
        let indent = INDENT + 4;
        for line in clean::visible(&words::clipped(command, TEXT_SHOWN)).lines().take(COMMAND_LINES_SHOWN) {
            self.push(format_args!("{:indent$}{}\n", "", line.trim_end()));
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;
    use anstream::adapter::strip_str;

    fn plain(analysis: &Analysis) -> String {
        strip_str(&summary(analysis, &["shop.gleaner.html".into()])).to_string()
    }

    #[test]
    fn the_summary_fits_and_reads_as_agreed() {
        insta::assert_snapshot!(plain(&specimen::small()), @r"
        in/shop.zip
          Harvester support bundle, Harvester v1.4.1, Kubernetes v1.30.2+rke2r1, nodes 1 of 2 ready
          collected 2026-03-01 12:00:00 UTC by support-bundle-kit (1,140 entries, 20.6 MB)
          logs cover 2026-03-01 08:00:00 to 12:00:00 UTC
          not collected: secrets

        2 causes found: 1 critical, 1 low
          1 further finding is explained by them
          2 rules could not be evaluated: their input is missing
          1 issue while reading: parts of the bundle may not have been seen

        critical  Claim shop/data has lost its volume
                  yamls/namespaced/shop/claims.yaml:42: status.phase = Lost
                  explains 1 finding: 1 high
                    - Pod shop/cart-0 cannot mount its volume
                  do: Look for a backup
                      kubectl -n longhorn-system get backups

        low       ReplicaSet shop/cart-7d9 has no owner
                  yamls/namespaced/shop/claims.yaml:42: status.phase = Lost
                  do: Look for a backup
                      kubectl -n longhorn-system get backups

        rules     3 fired, 2 clean, 2 not evaluated, 1 not applicable
                  not evaluated (2): no kernel log of node beta
                  not applicable (1): product rancher is not in the bundle
        issues    1 while reading: 1 document
                  yamls/cluster/nodes.yaml:3: not a mapping
        report    shop.gleaner.html
        ");
    }

    #[test]
    fn an_empty_result_says_what_was_not_checked() {
        insta::assert_snapshot!(plain(&specimen::empty()), @r"
        in/shop.zip
          Harvester support bundle, Harvester v1.4.1, Kubernetes v1.30.2+rke2r1, nodes 1 of 2 ready
          collected 2026-03-01 12:00:00 UTC by support-bundle-kit (1,140 entries, 20.6 MB)
          logs cover 2026-03-01 08:00:00 to 12:00:00 UTC
          not collected: secrets

        None of the 2 rules that could be checked fired
          2 rules could not be evaluated: their input is missing
          1 rule does not apply here
          Faults that no rule describes are not seen
          1 issue while reading: parts of the bundle may not have been seen

        rules     0 fired, 2 clean, 2 not evaluated, 1 not applicable
                  not evaluated (2): no kernel log of node beta
                  not applicable (1): product rancher is not in the bundle
        issues    1 while reading: 1 document
                  yamls/cluster/nodes.yaml:3: not a mapping
        report    shop.gleaner.html
        ");
    }

    #[test]
    fn hostile_text_cannot_steer_the_terminal() {
        let text = plain(&specimen::hostile());
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        assert!(text.contains("<U+202E>") && !text.contains('\u{202e}'));
    }

    #[test]
    fn lines_stay_within_the_width() {
        let mut analysis = specimen::small();
        let long = "x".repeat(1_000_000);
        for finding in &mut analysis.findings {
            finding.title = format!("{long} and {}", "several words ".repeat(30));
            finding.evidence[0].entry.push_str(&long);
        }
        let text = plain(&analysis);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.len() < 10_000);
    }

    #[test]
    fn colours_are_there_to_be_stripped() {
        assert!(summary(&specimen::small(), &[]).contains("\u{1b}[1m"));
    }

    #[test]
    fn many_causes_are_counted_instead() {
        let mut analysis = specimen::small();
        let cause = |n: usize| Finding {
            rule: format!("rule-{n:02}"),
            fingerprint: format!("{n:016x}"),
            severity: Severity::Medium,
            ..specimen::finding()
        };
        analysis.findings = (0..CAUSES_SHOWN + 3).map(cause).collect();
        assert!(plain(&analysis).contains("\nand 3 more causes: 3 medium\n"));
    }
}
