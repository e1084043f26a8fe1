//! Terminal summary: facts about the bundle, causes with one location and one first step each, and how much was
//! checked.

mod causes;
mod lines;

use std::iter;

use anstyle::{AnsiColor, Color, Style};

use crate::model::{Analysis, Issue, IssueKind};

use super::lexicon::phrase;
use super::rank;
use super::view::{self, Sheet, Verdict};
use super::words;
use super::wrap::WIDTH;
use crate::model::clean;
pub(super) use lines::Lines;
use lines::{INDENT, QUIET, T};

/// Size of the screen on which the summary is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    pub columns: usize,
    /// Rows that limit the summary; none for no limit.
    pub rows: Option<usize>,
}

impl Default for Screen {
    /// Returns the size for output to a file: no limit of rows.
    fn default() -> Self {
        Self { columns: WIDTH, rows: None }
    }
}

/// Maximum number of issues shown, and maximum length of one in characters.
const ISSUES_SHOWN: usize = 3;
const ISSUE_LENGTH: usize = 200;
/// Maximum number of objects in trouble without a finding, and maximum length of one in characters: in 160, the message of a Fleet bundle
/// ends before the object that it names.
const UNHEALTHY_SHOWN: usize = 5;
const TROUBLE_LENGTH: usize = 240;
/// Maximum length of an error that no rule explains, in characters.
const UNEXPLAINED_LENGTH: usize = 160;
/// Causes that are told in full before anything else gets room.
const CAUSES_FIRST: usize = 3;
/// Maximum number of reasons shown.
const REASONS_SHOWN: usize = 5;
/// Number of rows below which the screen is used for causes only, and from which on it explains errors without a rule.
const LOW: usize = 30;
const HIGH: usize = 40;
/// Number of rows above which it has lines about an upgrade: on 40 rows they push causes off the screen.
const UPGRADE_SHOWN_ABOVE: usize = 80;

/// Label of what is said about an upgrade.
const UPGRADE: &str = "upgrade";

const STRONG: Style = Style::new().bold();
const ALARM: Style = Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Red)));

/// Returns the summary, coloured by ANSI sequences (`anstream` strips them if unsupported). `written` names the reports
/// that were written.
pub fn summary(analysis: &Analysis, written: &[String], screen: Screen) -> String {
    let groups = rank::groups(&analysis.findings);
    let mut head = Lines::new(screen.columns);
    bundle(&mut head, analysis, screen.rows.is_some_and(|rows| rows < LOW));
    verdict(&mut head, &Verdict::of(analysis, &groups, T));
    // The last row is for the prompt.
    let room = |foot: &Lines| screen.rows.map(|rows| rows.saturating_sub(head.rows() + foot.rows() + 1));
    let mut feet: Vec<Lines> = Rest::levels(screen).map(|rest| foot(analysis, written, screen, rest)).collect();
    // The first causes go before everything else: the probable cause, what proves it, and what to do.
    let fits = |foot: &Lines, causes: usize| {
        room(foot).is_none_or(|room| causes::rows(&groups, screen.columns, causes) <= room)
    };
    let chosen = (1..=CAUSES_FIRST).rev().find_map(|causes| feet.iter().position(|foot| fits(foot, causes)));
    let foot = feet.swap_remove(chosen.unwrap_or(feet.len() - 1));
    let causes = causes::cause_lines(&groups, screen.columns, room(&foot));
    [head.out, causes.out, foot.out].concat()
}

/// How much is told beside the causes.
#[derive(Clone, Copy)]
struct Rest {
    /// Objects in trouble, and errors of logs, without a finding.
    shown: usize,
    /// Whether it is said what such errors mean.
    explains: bool,
    reasons: usize,
    issues: usize,
}

impl Rest {
    /// Returns what may be told on a screen, most of it first; at least one.
    fn levels(screen: Screen) -> impl Iterator<Item = Self> {
        let all = Self { shown: UNHEALTHY_SHOWN, explains: true, reasons: REASONS_SHOWN, issues: ISSUES_SHOWN };
        let some = Self { reasons: 1, issues: 1, ..all };
        let levels = match screen.rows {
            None => vec![all],
            Some(rows) if rows < LOW => vec![Self { shown: 0, explains: false, reasons: 0, issues: 0 }],
            Some(rows) => {
                let less = [UNHEALTHY_SHOWN, 3, 1].map(|shown| Self { shown, explains: false, ..some });
                iter::once(some).filter(|_| rows >= HIGH).chain(less).collect()
            }
        };
        levels.into_iter()
    }
}

/// Returns what stands below the causes.
fn foot(analysis: &Analysis, written: &[String], screen: Screen, rest: Rest) -> Lines {
    let mut page = Lines::new(screen.columns);
    unhealthy(&mut page, analysis, rest.shown);
    warnings(&mut page, analysis, rest.shown);
    unexplained(&mut page, analysis, rest, screen);
    upgrade(&mut page, analysis, screen);
    checked(&mut page, analysis, rest);
    for path in written {
        page.labelled("report", &clean::one_line(path), STRONG);
    }
    page
}

fn bundle(page: &mut Lines, analysis: &Analysis, low: bool) {
    let sheet = Sheet::of(&analysis.bundle, T);
    page.line(0, &analysis.bundle.path, STRONG);
    let mut what: Vec<String> = vec![sheet.kind().to_owned()];
    what.extend(sheet.versions());
    what.extend(view::nodes_ready(&analysis.bundle.nodes, T).map(|ready| format!("nodes {ready}")));
    page.line(2, &what.join(", "), Style::new());
    if !low {
        let mut when: Vec<String> = sheet.collected().map(|at| format!("collected {at}")).into_iter().collect();
        when.extend(sheet.collector().map(|by| format!("by {by}")));
        when.push(format!("({})", sheet.size()));
        page.line(2, &when.join(" "), QUIET);
        sheet.logs().iter().for_each(|logs| page.line(2, &format!("logs cover {logs}"), QUIET));
    }
    if let Some(missing) = sheet.missing_title() {
        page.line(2, &format!("not collected: {missing}"), QUIET);
    }
}

fn verdict(page: &mut Lines, verdict: &Verdict) {
    page.blank();
    page.line(0, &verdict.headline, if verdict.is_unread() { ALARM } else { STRONG });
    for note in verdict.all_notes() {
        page.line(2, note, QUIET);
    }
}

/// Writes the first objects in trouble that no finding is about.
fn unhealthy(page: &mut Lines, analysis: &Analysis, most: usize) {
    let Some(unhealthy) = analysis.unhealthy.as_ref().filter(|unhealthy| !unhealthy.objects.items.is_empty()) else {
        return;
    };
    page.blank();
    page.line(0, T.say(phrase::NOT_HEALTHY), STRONG);
    for (severity, line, _) in view::unhealthy_lines(unhealthy).take(most) {
        page.line(2, &words::clipped(&format!("{}: {line}", severity.as_str()), TROUBLE_LENGTH), QUIET);
    }
    let all = unhealthy.objects.items.len() + unhealthy.objects.left_out;
    more(page, 2, all.saturating_sub(most));
}

/// Writes how many of a list are left out, if any.
fn more(page: &mut Lines, indent: usize, left_out: usize) {
    if left_out > 0 {
        page.line(indent, &format!("and {} more in the report", words::number(left_out as u64)), QUIET);
    }
}

/// Writes the first warning events where nothing else was found.
fn warnings(page: &mut Lines, analysis: &Analysis, most: usize) {
    let lines = view::warning_lines(analysis);
    if lines.is_empty() || most == 0 {
        return;
    }
    page.blank();
    page.line(0, T.say(phrase::WARNING_EVENTS), STRONG);
    for (line, _) in lines.iter().take(most) {
        page.line(2, &words::clipped(line, TROUBLE_LENGTH), QUIET);
    }
    more(page, 2, lines.len().saturating_sub(most));
}

/// Writes the first errors of logs that no finding is about, and, or instead of them, how many are as usual.
fn unexplained(page: &mut Lines, analysis: &Analysis, rest: Rest, screen: Screen) {
    let most = rest.shown;
    let Some(found) = analysis.unexplained.as_ref().filter(|_| most > 0) else { return };
    let mut usual = view::unexplained_usual(found, T);
    usual.retain(|_| screen.rows.is_none() || found.incidents.items.is_empty());
    if found.incidents.items.is_empty() && usual.is_empty() {
        return;
    }
    page.blank();
    page.line(0, T.say(phrase::ERRORS_UNEXPLAINED), STRONG);
    usual.iter().for_each(|usual| page.line(2, usual, QUIET));
    for line in view::unexplained_lines(found, UNEXPLAINED_LENGTH, T).take(most) {
        page.line(2, &line.text, QUIET);
        line.known
            .iter()
            .filter(|_| rest.explains)
            .for_each(|known| page.line(4, &words::clipped(&known.line.means, UNEXPLAINED_LENGTH), QUIET));
        line.with
            .iter()
            .filter(|_| rest.explains)
            .for_each(|with| page.line(4, &words::clipped(with, 2 * UNEXPLAINED_LENGTH), QUIET));
    }
    let all = found.incidents.items.len() + found.incidents.left_out;
    more(page, 2, all.saturating_sub(most));
}

/// Writes whether the cluster may be upgraded, if there is room: to which releases and what fails, or where the upgrade in progress waits.
fn upgrade(page: &mut Lines, analysis: &Analysis, screen: Screen) {
    let has_room = screen.rows.is_none_or(|rows| rows > UPGRADE_SHOWN_ABOVE);
    let Some(readiness) = analysis.upgrade.as_ref().filter(|_| has_room) else { return };
    page.blank();
    page.labelled(UPGRADE, &view::upgrade_headline(readiness, T), STRONG);
    let lines = match view::upgrade_position(readiness, T) {
        Some(position) => vec![position],
        None => iter::once(view::upgrade_next(readiness, T)).chain(view::upgrade_fails(readiness, T)).collect(),
    };
    lines.iter().for_each(|line| page.line(INDENT, line, QUIET));
}

/// Writes how much was checked.
fn checked(page: &mut Lines, analysis: &Analysis, rest: Rest) {
    page.blank();
    page.labelled("rules", &view::outcome_counts(&analysis.rules, T), STRONG);
    let rules = &analysis.rules;
    let unanswered = [
        ("not evaluated", &rules.not_evaluated),
        ("clean where collected", &rules.clean_partly),
        ("not applicable", &rules.not_applicable),
    ];
    // If the bundle was not read, the verdict gives the reason; rules for other versions are no gap.
    let told = unanswered.into_iter().filter(|_| analysis.bundle.unread.is_none()).take(rest.reasons.min(3));
    for (title, reasons) in told {
        reasons_of(page, title, &view::by_reason(reasons, T), rest.reasons);
    }
    issues(page, &analysis.issues, rest.issues);
    let stages = view::measured(analysis);
    if !stages.is_empty() {
        page.labelled("timing", &stages.join(", "), QUIET);
    }
}

/// Writes the most frequent reasons of rules without an answer.
fn reasons_of(page: &mut Lines, title: &str, reasons: &view::Reasons<'_>, most: usize) {
    for group in reasons.groups.iter().take(most) {
        page.line(INDENT, &format!("{title} ({}): {}", group.rules.len(), group.reason), QUIET);
    }
    if let Some(rest) = reasons.groups.get(most..).filter(|rest| !rest.is_empty()) {
        let rules: usize = rest.iter().map(|g| g.rules.len()).sum();
        let count = words::counted(rest.len(), "other reason");
        page.line(INDENT, &format!("{title} ({rules}): {count} (see the report)"), QUIET);
    }
}

/// Writes the number of issues of each kind, and the first ones in full.
fn issues(page: &mut Lines, issues: &[Issue], most: usize) {
    if issues.is_empty() {
        return;
    }
    let count = words::number(issues.len() as u64);
    page.labelled("issues", &format!("{count} while reading: {}", view::issue_kinds(issues, T)), STRONG);
    // The verdict already reports an unsupported layout.
    let told = issues.iter().filter(|issue| issue.kind != IssueKind::Layout);
    for issue in told.take(most) {
        let text = match &issue.origin {
            Some(origin) => format!("{origin}: {}", issue.message),
            None => issue.message.to_string(),
        };
        page.line(INDENT, &words::clipped(&text, ISSUE_LENGTH), QUIET);
    }
    if most > 0 {
        more(page, INDENT, issues.len().saturating_sub(most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Finding, Severity};
    use crate::report::specimen;
    use anstream::adapter::strip_str;

    fn plain(analysis: &Analysis) -> String {
        strip_str(&summary(analysis, &["shop.gleaner.html".into()], Screen::default())).to_string()
    }

    #[test]
    fn warnings_are_told_of_loose_files_in_which_nothing_else_was_found() {
        let mut analysis = specimen::small();
        let has_warnings = |analysis: &Analysis| plain(analysis).contains("Warning events\n  ");
        analysis.findings.retain(|finding| finding.severity == Severity::Low);
        analysis.unhealthy.as_mut().unwrap().objects = Default::default();
        assert!(!has_warnings(&analysis), "a whole bundle");
        analysis.bundle.kind = "generic".to_owned();
        assert!(has_warnings(&analysis));
        analysis.findings = specimen::small().findings;
        assert!(!has_warnings(&analysis), "findings");
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
          1 more finding is explained by them
          3 objects are not healthy, and no finding explains them
          Compared with monday.zip: 1 new, 2 gone, 3 not comparable
          2 rules could not be evaluated: their input is not in the bundle
          1 rule found nothing in the collected data, but some data is missing
          1 issue while reading: parts of the bundle may not have been read

        critical  Claim shop/data has lost its volume
                  yamls/namespaced/shop/claims.yaml:42: status.phase = Lost
                  explains 1 finding: 1 high
                    - Pod shop/cart-0 cannot mount its volume
                  do: Look for a backup
                      kubectl -n longhorn-system get backups

        low       new: ReplicaSet shop/cart-7d9 has no owner
                  yamls/namespaced/shop/claims.yaml:42: status.phase = Lost
                  do: Look for a backup
                      kubectl -n longhorn-system get backups

        Not healthy, and no finding explains it
          high: Deployment/alpha/alpha (2 objects): CrashLoopBackOff, 0/1 ready, 14 restarts
          medium: Deployment/alpha/alpha: alpha

        Errors that no rule explains
          6 messages are as usual in the baseline and are not listed
          7 messages are in most clusters of the store and are not listed
          fatal: alpha <*> (1,204 lines, in 3 of 41 clusters of the store, not in the baseline, louder than
          in the baseline)
            alpha did not answer.
            with it: error: alpha <*>

        upgrade   An upgrade is in progress: another one would be refused
                  Waiting for: ImageReady since 2026-03-01 09:30 UTC, alpha Pre-draining since 2026-03-01
                  09:40 UTC

        rules     3 fired, 2 clean, 1 clean where collected, 2 not evaluated, 1 not applicable
                  not evaluated (2): no kernel log of node beta
                  clean where collected (1): logs of node beta are not in the bundle
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

        None of the 3 rules that could be checked fired
          2 rules could not be evaluated: their input is not in the bundle
          1 rule found nothing in the collected data, but some data is missing
          1 rule does not apply here
          Only failures covered by a rule are detected
          1 issue while reading: parts of the bundle may not have been read

        rules     0 fired, 2 clean, 1 clean where collected, 2 not evaluated, 1 not applicable
                  not evaluated (2): no kernel log of node beta
                  clean where collected (1): logs of node beta are not in the bundle
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
            finding.title = format!("{long} and {}", "several words ".repeat(30)).into();
            finding.evidence[0].entry.push_str(&long);
        }
        let text = plain(&analysis);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.len() < 10_000);
    }

    #[test]
    fn colours_are_there_to_be_stripped() {
        assert!(summary(&specimen::small(), &[], Screen::default()).contains("\u{1b}[1m"));
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
        analysis.findings = (0..causes::MOST + 3).map(cause).collect();
        assert!(plain(&analysis).contains("\nand 3 more causes in the report: 3 medium\n"));
    }

    /// Returns `count` causes with long titles, evidence and steps.
    fn many(count: usize) -> Analysis {
        let cause = |n: usize| Finding {
            rule: format!("rule-{n:03}"),
            fingerprint: format!("{n:016x}"),
            title: format!("Claim number {n} {}", "has lost its volume ".repeat(10)).into(),
            severity: if n == 0 { Severity::Critical } else { Severity::Medium },
            ..specimen::finding()
        };
        Analysis { findings: (0..count).map(cause).collect(), older: None, ..specimen::small() }
    }

    #[test]
    fn what_is_beside_the_causes_gives_way_to_them() {
        let mut analysis = many(3);
        for finding in &mut analysis.findings {
            finding.title = "Claim shop/data has lost its volume".into();
        }
        let steps = |rows| {
            let text = summary(&analysis, &[], Screen { columns: 100, rows: Some(rows) });
            (text.matches("get backups").count(), text.contains("alpha did not answer"))
        };
        assert_eq!([steps(60), steps(40)], [(3, true), (3, false)]);
    }

    #[test]
    fn a_screen_is_not_overrun_and_the_worst_cause_is_whole() {
        for (columns, rows) in [(80, 24), (100, 30), (120, 40), (60, 50)] {
            for count in [0, 1, 3, 12, 200] {
                let text = summary(&many(count), &["r.html".into()], Screen { columns, rows: Some(rows) });
                let text = strip_str(&text).to_string();
                let place = format!("{columns}x{rows}, {count} causes:\n{text}");
                assert!(text.lines().count() < rows, "{place}");
                assert!(text.lines().all(|line| line.chars().count() <= columns), "{place}");
                assert!(count == 0 || text.contains("critical  Claim number 0"), "{place}");
                assert!(count < 12 || text.contains("more causes in the report"), "{place}");
            }
        }
        let text = summary(&many(3), &[], Screen { columns: 100, rows: Some(40) });
        assert!(text.contains("kubectl -n longhorn-system get backups"), "{text}");
    }
}
