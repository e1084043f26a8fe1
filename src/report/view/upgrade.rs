//! Upgrade of Harvester: whether the cluster may be upgraded, the official checks, and the upgrade in progress.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::bundle::product_name;
use super::state::{self, Level, State};
use crate::model::inventory::{Condition, NodeUpgrade, Upgrade};
use crate::model::upgrade::{CheckOutcome, UpgradeCheck, UpgradeIssue, UpgradeTarget, UpgradeVerdict};
use crate::model::{Analysis, Finding, ObjectRef, UpgradeReadiness};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Maximum length of a message, in characters.
const MESSAGE: usize = 400;
/// Most findings of a check, objects of a check, and other findings on a page.
const FINDINGS_SHOWN: usize = 5;
const OBJECTS_SHOWN: usize = 5;
const OTHERS_SHOWN: usize = 20;
/// Most phases and nodes for which an upgrade waits, on one line.
const WAITS_SHOWN: usize = 6;
/// Condition of an Upgrade that is about all of it.
const COMPLETED: &str = "Completed";
/// States of nodes that are done or wait for their turn.
const AT_REST: [&str; 2] = ["Succeeded", "Images preloaded"];

/// The section of a page.
#[derive(Serialize)]
pub struct Section<'a> {
    readiness: Option<Readiness<'a>>,
    /// Upgrades in progress or failed; if there are none, the latest.
    upgrades: Vec<UpgradeCard<'a>>,
}

/// What stands in the way of the next upgrade.
#[derive(Serialize)]
struct Readiness<'a> {
    level: Level,
    headline: String,
    /// Sentences about the running release and those that may follow, each with the date of the table.
    releases: Vec<String>,
    /// Names of what releases bring; none for an unknown release.
    components: Vec<String>,
    /// The running release and those that may follow.
    release_rows: Vec<ReleaseRow<'a>>,
    known_issues: Vec<KnownIssue<'a>>,
    /// True if the bundle shows that one of them fits.
    any_fits: bool,
    failed: Vec<Check<'a>>,
    open: Vec<Check<'a>>,
    passed: Vec<Check<'a>>,
    /// Other findings that stand in the way.
    other: Vec<Link<'a>>,
    other_left_out: usize,
}

/// Row of the table of releases.
#[derive(Serialize)]
struct ReleaseRow<'a> {
    release: String,
    released: &'a str,
    /// Versions of what it brings, in the order of the names.
    versions: Vec<&'a str>,
}

/// What is known of an upgrade.
#[derive(Serialize)]
struct KnownIssue<'a> {
    means: &'a str,
    /// To which releases, on which conditions, where it is fixed.
    notes: Vec<String>,
    findings: Vec<Link<'a>>,
    link: Option<&'a str>,
}

/// One official check.
#[derive(Serialize)]
struct Check<'a> {
    name: &'a str,
    /// Who makes it: `webhook`, `pre-check script: Node-Status`.
    by: String,
    findings: Vec<Link<'a>>,
    findings_left_out: usize,
    /// Objects that fail it without a finding.
    objects: Option<String>,
    reasons: Vec<String>,
    /// What was not looked at.
    except: Option<&'a str>,
}

#[derive(Serialize)]
struct Link<'a> {
    anchor: String,
    title: Cow<'a, str>,
}

/// Upgrade with its phase on each node and the conditions it waits for.
#[derive(Serialize)]
struct UpgradeCard<'a> {
    name: &'a str,
    /// `v1.4.1 to v1.4.2`.
    versions: String,
    state: State<'a>,
    created: Option<String>,
    /// Conditions that are not true, in the order of the upgrade.
    waits: Vec<Wait<'a>>,
    /// Number of conditions that are true.
    done: usize,
    nodes: Vec<NodeLine<'a>>,
    /// Findings about upgrades.
    findings: Vec<ExplainingFinding<'a>>,
}

#[derive(Serialize)]
struct Wait<'a> {
    name: &'a str,
    since: Option<String>,
    why: Option<String>,
    /// What happens in this phase, and what usually holds it up.
    means: Option<&'a str>,
}

#[derive(Serialize)]
struct NodeLine<'a> {
    node: &'a str,
    state: State<'a>,
    since: Option<String>,
    why: Option<String>,
    /// What happens in this state, and what usually holds it up.
    means: Option<&'a str>,
}

/// Finding that explains an upgrade.
#[derive(Serialize)]
struct ExplainingFinding<'a> {
    title: Cow<'a, str>,
    anchor: String,
    /// `harvester/harvester#4935`.
    issues: Vec<String>,
    /// The first step of its remedy.
    step: Option<Cow<'a, str>>,
}

impl<'a> Section<'a> {
    /// Builds the section; none where the bundle shows no Harvester.
    pub fn of(analysis: &'a Analysis, t: Lexicon) -> Option<Self> {
        let upgrades = analysis.inventory.as_ref().map_or(&[][..], |inventory| &inventory.upgrades.items);
        let section = Self {
            readiness: analysis.upgrade.as_ref().map(|readiness| Readiness::of(readiness, analysis, t)),
            upgrades: shown(upgrades).map(|upgrade| UpgradeCard::of(upgrade, analysis, t)).collect(),
        };
        (section.readiness.is_some() || !section.upgrades.is_empty()).then_some(section)
    }
}

impl<'a> Readiness<'a> {
    fn of(readiness: &'a UpgradeReadiness, analysis: &'a Analysis, t: Lexicon) -> Self {
        let findings: BTreeMap<&str, &Finding> =
            analysis.findings.iter().map(|finding| (finding.fingerprint.as_str(), finding)).collect();
        let check = |check| Check::of(check, &findings, t);
        let other = links(&readiness.other, &findings);
        Self {
            level: level(readiness.verdict()),
            headline: headline(readiness, t),
            releases: releases(readiness, t),
            components: readiness
                .release
                .iter()
                .flat_map(|release| &release.components)
                .map(|of| product_name(&of.0))
                .collect(),
            release_rows: release_rows(readiness),
            known_issues: readiness.known_issues.iter().map(|issue| KnownIssue::of(issue, &findings, t)).collect(),
            any_fits: readiness.known_issues.iter().any(fits),
            failed: readiness.failed().map(check).collect(),
            open: readiness.open().map(check).collect(),
            passed: readiness.passed().map(check).collect(),
            other_left_out: other.len().saturating_sub(OTHERS_SHOWN),
            other: other.into_iter().take(OTHERS_SHOWN).collect(),
        }
    }
}

/// Returns the colour of a verdict.
fn level(verdict: UpgradeVerdict) -> Level {
    match verdict {
        UpgradeVerdict::InProgress => Level::Warn,
        UpgradeVerdict::Blocked => Level::Bad,
        UpgradeVerdict::Open => Level::Unknown,
        UpgradeVerdict::Passed => Level::Good,
    }
}

/// Returns the answer in one sentence; it never says more than the checks that were answered.
pub fn headline(readiness: &UpgradeReadiness, t: Lexicon) -> String {
    let failed = readiness.failed().count() as u64;
    let open = readiness.open().count() as u64;
    match readiness.verdict() {
        UpgradeVerdict::InProgress => t.say(phrase::UPGRADE_IN_PROGRESS).to_owned(),
        UpgradeVerdict::Blocked => {
            let fails = match failed {
                0 => t.fill(phrase::FindingsInTheWay { n: readiness.other.len() as u64 }),
                n => t.fill(phrase::ChecksFail { n }),
            };
            match open {
                0 => fails,
                n => format!("{fails}{}{}", t.say(phrase::SEMICOLON), t.fill(phrase::MoreHaveNoAnswer { n })),
            }
        }
        UpgradeVerdict::Open if open > 0 => t.fill(phrase::NoCheckFailsButOpen { n: open }),
        UpgradeVerdict::Open => t.say(phrase::NO_CHECK_FAILS_BUT_RELEASE).to_owned(),
        UpgradeVerdict::Passed => t.say(phrase::ALL_CHECKS_PASSED).to_owned(),
    }
}

/// Returns what the table says of the running release and of those that may follow, with its date.
fn releases(readiness: &UpgradeReadiness, t: Lexicon) -> Vec<String> {
    running(readiness, t).into_iter().chain([next(readiness, t)]).collect()
}

fn running(readiness: &UpgradeReadiness, t: Lexicon) -> Option<String> {
    let (version, release) = (readiness.version.as_ref()?, readiness.release.as_ref()?);
    let (released, line, date) = (&release.released, &release.line, &readiness.as_of);
    Some(match &release.support {
        Some(support) => t.fill(phrase::RunsReleaseOfLine { version, released, line, support, date }),
        None => t.fill(phrase::RunsRelease { version, released, date }),
    })
}

/// Returns the releases that may follow, with the date of the table.
pub fn next(readiness: &UpgradeReadiness, t: Lexicon) -> String {
    let date = &readiness.as_of;
    let name = |target: &UpgradeTarget| {
        let (version, released) = (&target.version, &target.released);
        match target.documented {
            true => t.fill(phrase::ReleaseOf { version, released }),
            false => t.fill(phrase::ReleaseWithoutPage { version, released }),
        }
    };
    match (&readiness.release, readiness.targets.as_slice()) {
        (None, _) => {
            let version = readiness.version.as_deref().unwrap_or(t.say(phrase::AN_UNKNOWN_VERSION));
            t.fill(phrase::ReleaseNotInTable { version: &version, date })
        }
        (Some(_), []) => t.fill(phrase::NoLaterRelease { date }),
        (Some(_), targets) => t.fill(phrase::MayFollow { releases: &t.list(targets.iter().map(name)), date }),
    }
}

/// Returns what the running release and those that may follow bring.
fn release_rows(readiness: &UpgradeReadiness) -> Vec<ReleaseRow<'_>> {
    let running = readiness.version.iter().zip(&readiness.release);
    let running = running.map(|(version, release)| ReleaseRow::of(version, &release.released, &release.components));
    let targets = readiness.targets.iter();
    running.chain(targets.map(|to| ReleaseRow::of(&format!("v{}", to.version), &to.released, &to.components))).collect()
}

/// Returns true if the bundle shows that a known issue is about this cluster.
fn fits(issue: &UpgradeIssue) -> bool {
    !issue.findings.is_empty() || (!issue.because.is_empty() && issue.depends_on.is_empty())
}

/// Returns the known issues that the bundle shows to fit, and how many others there are; none if nothing is known.
pub fn known_issues(readiness: &UpgradeReadiness, t: Lexicon) -> Option<String> {
    let fitting: Vec<&UpgradeIssue> = readiness.known_issues.iter().filter(|issue| fits(issue)).collect();
    let others = (readiness.known_issues.len() - fitting.len()) as u64;
    let told = fitting.iter().map(|issue| issue.means.as_str()).collect::<Vec<_>>().join(" ");
    match (fitting.is_empty(), others) {
        (true, 0) => None,
        (true, n) => Some(t.fill(phrase::KnownIssuesOfUpgrade { n })),
        (false, 0) => Some(t.fill(phrase::KnownIssuesFit { issues: &told })),
        (false, n) => Some(t.fill(phrase::KnownIssuesFitAndMore { issues: &told, n })),
    }
}

/// Returns where an upgrade in progress is: the phases and nodes that it waits for, and since when.
pub fn position(readiness: &UpgradeReadiness, t: Lexicon) -> Option<String> {
    let upgrade = readiness.unfinished.items.iter().find(|upgrade| upgrade.completed.is_none())?;
    let since = |what: &str, time: Option<Timestamp>| match time {
        Some(time) => format!("{what} {}", t.fill(phrase::SinceTime { time: &words::minute(time) })),
        None => what.to_owned(),
    };
    let phases = upgrade.conditions.iter().filter(|of| of.name != COMPLETED && of.status.as_deref() != Some("True"));
    let nodes = upgrade.nodes.iter().filter_map(|node| {
        let state = node.state.as_deref().filter(|state| !AT_REST.contains(state))?;
        Some(since(&format!("{} {state}", node.node), node.since))
    });
    let waits: Vec<String> = phases.map(|of| since(&of.name, of.at)).chain(nodes).collect();
    let (all, shown) = (waits.len(), waits.into_iter().take(WAITS_SHOWN));
    (all > 0).then(|| format!("{} {}", t.say(phrase::WAITING_FOR), t.some(shown, all.saturating_sub(WAITS_SHOWN))))
}

/// Returns the names of the checks that fail; none if there are none.
pub fn fails(readiness: &UpgradeReadiness, t: Lexicon) -> Option<String> {
    let names = t.list(readiness.failed().map(|check| &check.name));
    (!names.is_empty()).then(|| t.fill(phrase::Fails { checks: &names }))
}

/// Returns the names of the checks without an answer; none if there are none.
pub fn open(readiness: &UpgradeReadiness, t: Lexicon) -> Option<String> {
    let names = t.list(readiness.open().map(|check| &check.name));
    (!names.is_empty()).then(|| t.fill(phrase::WithoutAnswer { checks: &names }))
}

impl<'a> ReleaseRow<'a> {
    fn of(release: &str, released: &'a str, components: &'a [(String, String)]) -> Self {
        Self {
            release: release.to_owned(),
            released,
            versions: components.iter().map(|(_, version)| version.as_str()).collect(),
        }
    }
}

impl<'a> KnownIssue<'a> {
    fn of(issue: &'a UpgradeIssue, findings: &BTreeMap<&str, &'a Finding>, t: Lexicon) -> Self {
        let targets = t.list(issue.targets.iter().map(|target| format!("v{target}")));
        let because = (!issue.because.is_empty()).then(|| t.list(&issue.because));
        let depends_on = (!issue.depends_on.is_empty()).then(|| t.list(&issue.depends_on));
        let notes = [
            Some(t.fill(phrase::UpgradeTo { releases: &targets })),
            because.map(|because| t.fill(phrase::FitsBecause { because: &because })),
            depends_on.map(|what| t.fill(phrase::OnlyIf { what: &what })),
            issue.fixed_in.as_ref().map(|version| t.fill(phrase::FixedInRelease { version: &format!("v{version}") })),
        ];
        Self {
            means: &issue.means,
            notes: notes.into_iter().flatten().collect(),
            findings: links(&issue.findings, findings),
            link: issue.link.as_deref(),
        }
    }
}

impl<'a> Check<'a> {
    fn of(check: &'a UpgradeCheck, findings: &BTreeMap<&str, &'a Finding>, t: Lexicon) -> Self {
        let webhook = check.webhook.then(|| t.say(phrase::WEBHOOK).to_owned());
        let script = check.script.as_ref().map(|name| t.fill(phrase::PreCheckScript { name }));
        let mut shown = Self {
            name: &check.name,
            by: t.list(webhook.into_iter().chain(script)),
            findings: Vec::new(),
            findings_left_out: 0,
            objects: None,
            reasons: Vec::new(),
            except: check.except.as_deref(),
        };
        match &check.outcome {
            CheckOutcome::Passed => {}
            CheckOutcome::Failed { findings: failing, objects } => {
                let all = links(failing, findings);
                shown.findings_left_out = all.len().saturating_sub(FINDINGS_SHOWN);
                shown.findings = all.into_iter().take(FINDINGS_SHOWN).collect();
                let names = objects.items.iter().take(OBJECTS_SHOWN).map(ToString::to_string);
                let named = t.some(names, objects.beyond(OBJECTS_SHOWN));
                shown.objects = (!named.is_empty()).then_some(named);
            }
            CheckOutcome::Open(reasons) => shown.reasons = reasons.iter().map(|reason| t.message(reason)).collect(),
        }
        shown
    }
}

/// Returns links to findings; a baseline may have removed some.
fn links<'a>(fingerprints: &[String], findings: &BTreeMap<&str, &'a Finding>) -> Vec<Link<'a>> {
    let found = fingerprints.iter().filter_map(|fingerprint| findings.get(fingerprint.as_str()));
    let link = |finding: &&'a Finding| Link {
        anchor: super::finding::anchor(&finding.fingerprint),
        title: words::sentence(&finding.title, usize::MAX),
    };
    found.map(link).collect()
}

/// Returns the upgrades that are not completed; if there are none, the latest.
pub(super) fn shown(all: &[Upgrade]) -> impl Iterator<Item = &Upgrade> {
    let open = |upgrade: &&Upgrade| upgrade.completed != Some(true);
    let latest = if all.iter().any(|upgrade| open(&upgrade)) { None } else { all.first() };
    all.iter().filter(open).chain(latest)
}

impl<'a> UpgradeCard<'a> {
    fn of(upgrade: &'a Upgrade, analysis: &'a Analysis, t: Lexicon) -> Self {
        let state = state::of_upgrade(upgrade);
        let is_true = |condition: &&Condition| condition.status.as_deref() == Some("True");
        let open = state.level != Level::Good;
        // What to expect of a phase is of no use once the upgrade has ended.
        let readiness = analysis.upgrade.as_ref().filter(|_| open);
        let stage = |name: &str| readiness.and_then(|readiness| readiness.stage(name));
        Self {
            name: &upgrade.name,
            versions: versions(upgrade, t),
            created: upgrade.created.map(words::instant),
            waits: upgrade.conditions.iter().filter(|c| !is_true(c)).map(|c| Wait::of(c, stage)).collect(),
            done: upgrade.conditions.iter().filter(is_true).count(),
            nodes: upgrade.nodes.iter().map(|node| NodeLine::of(node, stage)).collect(),
            findings: if open { known(upgrade, analysis) } else { Vec::new() },
            state,
        }
    }
}

/// `v1.4.1 to v1.4.2`.
pub(super) fn versions(upgrade: &Upgrade, t: Lexicon) -> String {
    let version = upgrade.version.as_deref().unwrap_or(t.say(phrase::AN_UNKNOWN_VERSION));
    match upgrade.previous_version.as_deref() {
        Some(from) => t.fill(phrase::FromTo { from: &from, to: &version }),
        None => t.fill(phrase::ToVersion { version: &version }),
    }
}

impl<'a> Wait<'a> {
    fn of(condition: &'a Condition, stage: impl Fn(&str) -> Option<&'a str>) -> Self {
        Self {
            name: &condition.name,
            since: condition.at.map(words::instant),
            why: why(&condition.reason, &condition.message),
            means: stage(&condition.name),
        }
    }
}

impl<'a> NodeLine<'a> {
    fn of(node: &'a NodeUpgrade, stage: impl Fn(&str) -> Option<&'a str>) -> Self {
        const UNKNOWN: &str = phrase::UNKNOWN.english();
        let word = node.state.as_deref().unwrap_or(UNKNOWN);
        let level = match word {
            "Succeeded" => Level::Good,
            UNKNOWN => Level::Unknown,
            _ if word.contains("Fail") => Level::Bad,
            _ => Level::Warn,
        };
        Self {
            node: &node.node,
            state: State::named(word, level),
            since: node.since.map(words::instant),
            why: why(&node.reason, &node.message),
            means: stage(word),
        }
    }
}

/// `Reason: message`, or the one of them that exists.
fn why(reason: &Option<String>, message: &Option<String>) -> Option<String> {
    let parts = [reason, message].into_iter().flatten().map(String::as_str);
    let why = parts.collect::<Vec<_>>().join(": ");
    let why = words::clipped(&why, MESSAGE);
    (!why.is_empty()).then(|| why.into_owned())
}

/// Returns the findings about this upgrade or about upgrades in general, with the project issues that they link to.
fn known<'a>(upgrade: &Upgrade, analysis: &'a Analysis) -> Vec<ExplainingFinding<'a>> {
    let is_it = |object: &ObjectRef| object.kind == "Upgrade" && object.name == upgrade.name;
    let about = analysis.findings.iter().filter(|f| f.area == "upgrade" || f.objects.iter().any(is_it));
    let known = about.map(|finding| ExplainingFinding {
        title: words::sentence(&finding.title, usize::MAX),
        anchor: super::finding::anchor(&finding.fingerprint),
        issues: finding.links.iter().filter_map(|link| issue(link)).collect(),
        step: finding.remedy.first().map(|step| words::sentence(&step.action, usize::MAX)),
    });
    known.collect()
}

/// `harvester/harvester#4935`, from the address of an issue or pull request on GitHub.
fn issue(link: &str) -> Option<String> {
    let mut parts = link.strip_prefix("https://github.com/")?.split('/');
    let (owner, project, kind, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (matches!(kind, "issues" | "pull") && !digits.is_empty()).then(|| format!("{owner}/{project}#{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_issues_are_shortened() {
        assert_eq!(
            issue("https://github.com/harvester/harvester/issues/4935").as_deref(),
            Some("harvester/harvester#4935")
        );
        assert_eq!(issue("https://github.com/a/b/pull/7#discussion").as_deref(), Some("a/b#7"));
        assert_eq!(issue("https://github.com/a/b/releases/7"), None);
        assert_eq!(issue("https://example.org/a/b/issues/7"), None);
    }
}
