//! Markdown for a ticket: facts about the bundle, causes with evidence and remedy, rules without an answer. The page
//! fits into one comment; items that do not fit are counted.

mod customer;
pub(super) mod escape;
mod parts;

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::model::inventory::Volume;
use crate::model::{Analysis, BundleFacts, Evidence, ExcerptLine, Finding, NodeFacts, Novelty, RuleOutcomes};

use super::audience::Audience;
use super::lexicon::{Lexicon, phrase};
use super::rank::{self, Cause, Group};
use super::view::{self, Sheet, Verdict};
use super::words;
use escape::{block, code, text};
use parts::{COMMAND, SENTENCES, TITLE, labelled, more, push, remedy, sentence};

/// Maximum size of a page in bytes; a comment on GitHub takes 65,536 characters.
const PAGE: usize = 60_000;
/// Maximum number of causes in what a ticket begins with.
const CAUSES_IN_TICKET: usize = 20;
/// Maximum number of findings of a rule named after the first one, and of kinds of symptoms.
const OTHERS_SHOWN: usize = 5;
const SYMPTOMS_SHOWN: usize = 5;
/// Maximum number of pieces of evidence of a finding, and of lines around one.
const EVIDENCE_SHOWN: usize = 4;
const LINES_SHOWN: usize = 5;
/// Maximum number of reasons and of issues.
const REASONS_SHOWN: usize = 5;
const ISSUES_SHOWN: usize = 5;
/// Maximum number of objects in trouble without a finding.
const UNHEALTHY_SHOWN: usize = 10;
/// Maximum number of errors that no rule explains.
const UNEXPLAINED_SHOWN: usize = 10;
/// Maximum number of nodes named as not ready.
const NODES_SHOWN: usize = 10;
/// Maximum length of a path or value, and of a line of an excerpt, in characters.
const VALUE: usize = 300;
const LINE: usize = 200;

/// Writes the page.
///
/// # Errors
/// Errors of the writer.
pub fn write(analysis: &Analysis, audience: Audience, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(page(analysis, audience, PAGE).as_bytes())
}

/// Returns the page for a reader, with as many causes in full as fit into `limit` bytes.
pub fn page(analysis: &Analysis, audience: Audience, limit: usize) -> String {
    match audience {
        Audience::Support => support(analysis, limit),
        Audience::Customer => customer::page(analysis),
    }
}

/// Returns what a ticket begins with: facts about the bundle, the verdict, and each cause with its first step. No path of this
/// machine is in it.
pub fn ticket(analysis: &Analysis, t: Lexicon) -> String {
    let groups = rank::groups(&analysis.findings);
    let verdict = Verdict::of(analysis, &groups, t);
    let mut out = header(&analysis.bundle, Sheet::of(&analysis.bundle, t).name(), t);
    push(&mut out, format_args!("\n## {}\n\n", text(&verdict.headline, TITLE)));
    verdict.all_notes().for_each(|note| push(&mut out, format_args!("- {}\n", text(note, SENTENCES))));
    let volumes = analysis.inventory.as_ref().map_or(&[][..], |inventory| &inventory.volumes.items);
    let causes: Vec<&Finding> = groups.iter().flat_map(|group| group.causes().map(|cause| cause.finding)).collect();
    for (at, finding) in causes.iter().take(CAUSES_IN_TICKET).enumerate() {
        out += &first_step(at + 1, finding, volumes, t);
    }
    let rest = causes.get(CAUSES_IN_TICKET..).unwrap_or_default();
    out + &counted(rest, t)
}

/// Returns all of a card: the first cause of a rule in full, the others by name.
pub fn card(group: &Group<'_>, rules: &RuleOutcomes, t: Lexicon) -> String {
    cause(group, rules, t).trim_start().to_owned()
}

/// `1. **critical: Claim is lost**, shop/data, since ...`, what is wrong, and what to do first.
fn first_step(number: usize, finding: &Finding, volumes: &[Volume], t: Lexicon) -> String {
    let label = format!("{number}. ");
    let indent = label.len();
    let known = view::known(finding, volumes).map(|known| match known.namespace {
        Some(namespace) => format!("{} {namespace}/{}", known.kind, known.name),
        None => format!("{} {}", known.kind, known.name),
    });
    let since = finding.first_seen.map(words::minute).map(|time| t.fill(phrase::SinceTime { time: &time }));
    let where_and_when: Vec<String> = known.into_iter().chain(since).map(|part| text(&part, TITLE)).collect();
    let (severity, name) = (t.term(finding.label()), text(&view::short_title(finding), TITLE));
    let mut out = format!("\n{label}**{severity}{}{name}** {}\n", t.say(phrase::COLON), t.list(where_and_when));
    push(&mut out, format_args!("\n{:indent$}{}\n", "", sentence(&finding.title, TITLE)));
    if let Some(step) = finding.remedy.first() {
        push(&mut out, format_args!("\n{:indent$}**{}** ", "", t.say(phrase::DO_FIRST)));
        push(&mut out, format_args!("{}\n", sentence(&step.action, SENTENCES)));
        let caution = step.caution.iter().map(|caution| sentence(caution, SENTENCES));
        for caution in caution {
            push(&mut out, format_args!("\n{:indent$}**{}** {caution}\n", "", t.say(phrase::CAUTION)));
        }
        if let Some(command) = &step.run {
            push(&mut out, format_args!("\n{}", block(&words::clipped(command, COMMAND), "sh", indent)));
        }
    }
    out
}

/// Returns the facts about the bundle in a few lines.
fn header(facts: &BundleFacts, name: &str, t: Lexicon) -> String {
    let sheet = Sheet::of(facts, t);
    let mut out = format!("**{}** {}\n\n", text(sheet.kind(), TITLE), code(name, VALUE));
    let mut item = |label: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            push(&mut out, format_args!("- {label}{}{}\n", t.say(phrase::COLON), text(&value, SENTENCES)));
        }
    };
    item(t.say(phrase::REPORTED), sheet.reported());
    item(t.say(phrase::VERSIONS), Some(t.list(sheet.versions())));
    item(t.say(phrase::NODES), nodes(&facts.nodes, t));
    item(t.say(phrase::COLLECTED_AT), collected(&sheet, t));
    item(t.say(phrase::LOGS_COVER), sheet.logs().map(str::to_owned));
    item(t.say(phrase::NOT_COLLECTED_LABEL), sheet.missing_title().map(str::to_owned));
    item(t.say(phrase::CLUSTER), facts.cluster_name.clone());
    item(t.say(phrase::SIZE), Some(sheet.size().to_owned()));
    out
}

/// `2026-03-01 10:00:02 UTC by support-bundle-kit`.
fn collected(sheet: &Sheet<'_>, t: Lexicon) -> Option<String> {
    match (sheet.collected(), sheet.collector()) {
        (Some(time), Some(by)) => Some(t.fill(phrase::TimeBy { time: &time, collector: &by })),
        (None, Some(by)) => Some(t.fill(phrase::By { collector: &by })),
        (time, None) => time.map(str::to_owned),
    }
}

/// `2 of 3 ready (not ready: node-3)`.
fn nodes(nodes: &[NodeFacts], t: Lexicon) -> Option<String> {
    let ready = view::nodes_ready(nodes, t)?;
    let named = |state: Option<bool>, title: &str| {
        let names: Vec<&str> = nodes.iter().filter(|n| n.ready == state).map(|n| n.name.as_str()).collect();
        let shown = t.some(names.iter().take(NODES_SHOWN), names.len().saturating_sub(NODES_SHOWN));
        (!names.is_empty()).then(|| format!("{title}{}{shown}", t.say(phrase::COLON)))
    };
    let states = [named(Some(false), t.say(phrase::NOT_READY)), named(None, t.say(phrase::UNKNOWN))];
    let states: Vec<String> = states.into_iter().flatten().collect();
    match states.is_empty() {
        true => Some(ready),
        false => {
            Some(t.fill(phrase::ReadyWithStates { ready: &ready, states: &states.join(t.say(phrase::SEMICOLON)) }))
        }
    }
}

fn support(analysis: &Analysis, limit: usize) -> String {
    let groups = rank::groups(&analysis.findings);
    let t = Lexicon::of(analysis.lang).about(&analysis.bundle);
    let verdict = Verdict::of(analysis, &groups, t);
    let mut out = header(&analysis.bundle, &analysis.bundle.path, t);
    push(&mut out, format_args!("\n## {}\n\n", text(&verdict.headline, TITLE)));
    verdict.all_notes().for_each(|note| push(&mut out, format_args!("- {}\n", text(note, SENTENCES))));
    let end = unhealthy(analysis, t)
        + &warnings(analysis, t)
        + &unexplained(analysis, t)
        + &upgrade(analysis, t)
        + &outcomes(analysis, t)
        + &issues(analysis, t);
    let mut shown = 0;
    for group in &groups {
        let cause = cause(group, &analysis.rules, t);
        if out.len() + cause.len() + end.len() > limit {
            break;
        }
        out += &cause;
        shown += 1;
    }
    out + &left_out(groups.get(shown..).unwrap_or_default(), t) + &end
}

/// Lists objects in trouble that no finding is about.
fn unhealthy(analysis: &Analysis, t: Lexicon) -> String {
    let Some(unhealthy) = analysis.unhealthy.as_ref().filter(|unhealthy| !unhealthy.objects.items.is_empty()) else {
        return String::new();
    };
    let mut out = format!("\n### {}\n\n", t.say(phrase::NOT_HEALTHY));
    for (severity, line, place) in view::unhealthy_lines(unhealthy).take(UNHEALTHY_SHOWN) {
        let (severity, line) = (t.term(severity.as_str()), text(&line, SENTENCES));
        push(&mut out, format_args!("- {severity}{}{line} {}\n", t.say(phrase::COLON), code(&place, VALUE)));
    }
    let all = unhealthy.objects.items.len() + unhealthy.objects.left_out;
    out + &more(all.saturating_sub(UNHEALTHY_SHOWN), t)
}

/// Lists warning events where nothing else was found.
fn warnings(analysis: &Analysis, t: Lexicon) -> String {
    let lines = view::warning_lines(analysis);
    if lines.is_empty() {
        return String::new();
    }
    let mut out = format!("\n### {}\n\n", t.say(phrase::WARNING_EVENTS));
    for (line, place) in lines.iter().take(UNHEALTHY_SHOWN) {
        push(&mut out, format_args!("- {} {}\n", text(line, SENTENCES), code(place, VALUE)));
    }
    out + &more(lines.len().saturating_sub(UNHEALTHY_SHOWN), t)
}

/// Lists errors of logs that no finding is about.
fn unexplained(analysis: &Analysis, t: Lexicon) -> String {
    let Some(found) = &analysis.unexplained else { return String::new() };
    let usual = view::unexplained_usual(found, t);
    if found.incidents.items.is_empty() && usual.is_empty() {
        return String::new();
    }
    let mut out = format!("\n### {}\n\n", t.say(phrase::ERRORS_UNEXPLAINED));
    usual.iter().for_each(|usual| push(&mut out, format_args!("- {usual}\n")));
    for line in view::unexplained_lines(found, SENTENCES, t).take(UNEXPLAINED_SHOWN) {
        push(&mut out, format_args!("- {} {}\n", text(&line.text, SENTENCES), code(&line.place, VALUE)));
        if let Some(known) = line.known {
            let sentences = view::known_sentences(known, t);
            push(&mut out, format_args!("  - {} {}\n", text(&sentences, SENTENCES), code(&known.line.link, VALUE)));
        }
        line.with.iter().for_each(|with| push(&mut out, format_args!("  - {}\n", text(with, SENTENCES))));
    }
    let all = found.incidents.items.len() + found.incidents.left_out;
    out + &more(all.saturating_sub(UNEXPLAINED_SHOWN), t)
}

/// Says whether the cluster may be upgraded, to which releases, and what stands in the way.
fn upgrade(analysis: &Analysis, t: Lexicon) -> String {
    let Some(readiness) = &analysis.upgrade else { return String::new() };
    let mut out = format!("\n### {}\n\n", t.say(phrase::UPGRADE_LABEL));
    let lines = [
        Some(view::upgrade_headline(readiness, t)),
        view::upgrade_position(readiness, t),
        Some(view::upgrade_next(readiness, t)),
        view::upgrade_fails(readiness, t),
        view::upgrade_open(readiness, t),
        view::upgrade_known_issues(readiness, t),
    ];
    for line in lines.iter().flatten() {
        push(&mut out, format_args!("- {}\n", text(line, SENTENCES)));
    }
    out
}

/// Returns the first cause of a rule in full, the others by name.
fn cause(group: &Group<'_>, rules: &RuleOutcomes, t: Lexicon) -> String {
    let finding = group.lead.finding;
    let severity = t.term(finding.label());
    let new = if finding.novelty == Some(Novelty::New) { format!(" ({})", t.say(phrase::NEW)) } else { String::new() };
    let mut out = format!("\n### {severity}{new}{}{}\n\n", t.say(phrase::COLON), sentence(&finding.title, TITLE));
    push(&mut out, format_args!("{}\n", sentence(&finding.message, SENTENCES)));
    if let Some(why) = rules.uncovered(&finding.rule) {
        push(&mut out, format_args!("\n{}\n", text(&view::uncovered(why, t), SENTENCES)));
    }
    for (label, part) in [(t.say(phrase::IMPACT), &finding.impact), (t.say(phrase::CAUSE_LABEL), &finding.cause)] {
        labelled(&mut out, label, Some(part));
    }
    out += &evidence(&finding.evidence, t);
    out += &remedy(&finding.remedy, t);
    labelled(&mut out, t.say(phrase::VERIFY), finding.verify.as_ref());
    out += &checked(finding, t);
    out += &symptoms(group, t);
    out += &others(group, t);
    push(&mut out, format_args!("\n{}\n", origin(finding, t)));
    out
}

/// Lists the strongest pieces, each location once.
fn evidence(pieces: &[Evidence], t: Lexicon) -> String {
    let mut places = BTreeSet::new();
    let mut pieces: Vec<&Evidence> = pieces.iter().filter(|piece| places.insert((&piece.entry, piece.line))).collect();
    pieces.sort_by_key(|piece| (rank::telling(piece), piece.line.is_none()));
    let mut seen: BTreeSet<(&str, u64)> = BTreeSet::new();
    let mut out = format!("\n**{}**\n\n", t.say(phrase::EVIDENCE));
    for piece in pieces.iter().take(EVIDENCE_SHOWN) {
        let line = piece.line.map(|line| format!(":{line}")).unwrap_or_default();
        push(&mut out, format_args!("- {}", code(&format!("{}{line}", piece.entry), VALUE)));
        let value = match (&piece.field, piece.value_text()) {
            (Some(field), Some(value)) => format!("{field} = {value}"),
            (Some(field), None) => field.clone(),
            (None, value) => value.unwrap_or_default().into_owned(),
        };
        let value = code(&value, VALUE);
        push(&mut out, format_args!("{}{value}\n", if value.is_empty() { "" } else { ": " }));
        if piece.line.is_none_or(|line| !seen.contains(&(piece.entry.as_str(), line))) {
            let lines = excerpt(piece);
            seen.extend(lines.iter().map(|line| (piece.entry.as_str(), line.line)));
            push(&mut out, format_args!("{}", quoted(&lines)));
        }
    }
    out + &more(pieces.len().saturating_sub(EVIDENCE_SHOWN), t)
}

/// Returns the line with its nearest context lines.
fn excerpt(piece: &Evidence) -> Vec<&ExcerptLine> {
    let hit = piece.excerpt.iter().position(|line| line.hit).unwrap_or(0);
    piece.excerpt.iter().skip(hit.saturating_sub(LINES_SHOWN / 2)).take(LINES_SHOWN).collect()
}

fn quoted(lines: &[&ExcerptLine]) -> String {
    let shown = lines.iter().map(|line| {
        let mark = if line.hit { '>' } else { ' ' };
        let text = line.text.replace('\n', " ");
        format!("{mark} {} {}", line.line, words::clipped(&text, LINE))
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { String::new() } else { format!("\n{}", block(&shown.join("\n"), "text", 2)) }
}

/// Lists what happened behind a finding without a cause before it, and what was checked there.
fn checked(finding: &Finding, t: Lexicon) -> String {
    let noted = |(said, note): (String, String)| format!("{said} ({note})");
    let checks: Vec<String> = finding.checked.iter().map(|one| view::checked(one, t)).collect();
    let errors: Vec<String> = view::errors_before(finding, t).map(noted).collect();
    let changes: Vec<String> = view::changed_before(finding, t).map(noted).collect();
    let lists = [(phrase::ERRORS_BEFORE, errors), (phrase::CHANGED_BEFORE, changes), (phrase::NO_CAUSE_FOUND, checks)];
    let list = |(title, items): (_, Vec<String>)| {
        let lines: String = items.iter().map(|item| format!("- {}\n", text(item, SENTENCES))).collect();
        if lines.is_empty() { lines } else { format!("\n**{}**\n\n{lines}", t.say(title)) }
    };
    lists.into_iter().map(list).collect()
}

fn symptoms(group: &Group<'_>, t: Lexicon) -> String {
    let all: Vec<&Finding> = group.causes().flat_map(|c: &Cause<'_>| c.symptoms.iter().copied()).collect();
    let Some(title) = view::group_explains(group, t) else { return String::new() };
    let mut out = format!("\n**{}**\n\n", text(&title, TITLE));
    let groups = rank::symptom_groups(&all);
    for symptom in groups.iter().take(SYMPTOMS_SHOWN) {
        let like_it = match symptom.more.len() {
            0 => String::new(),
            n => t.fill(phrase::AndLikeIt { n: &words::number(n as u64) }),
        };
        let finding = symptom.lead.finding;
        let (severity, title) = (t.term(finding.label()), sentence(&finding.title, TITLE));
        push(&mut out, format_args!("- {severity}{}{title}{like_it}\n", t.say(phrase::COLON)));
        if let Some(path) = finding.causes.first().and_then(|cause| view::path(cause, t)) {
            push(&mut out, format_args!("  {}\n", text(&path, TITLE)));
        }
    }
    out + &more(groups.iter().skip(SYMPTOMS_SHOWN).map(|g| g.more.len() + 1).sum(), t)
}

/// Lists the other findings of the rule.
fn others(group: &Group<'_>, t: Lexicon) -> String {
    if group.more.is_empty() {
        return String::new();
    }
    let mut out = format!("\n**{}**\n\n", t.fill(phrase::MoreOfTheRule { n: group.more.len() as u64 }));
    for cause in group.more.iter().take(OTHERS_SHOWN) {
        let place = view::place(cause.finding).map(|(place, _)| format!(" {}", code(&place, VALUE)));
        let title = sentence(&cause.finding.title, TITLE);
        push(&mut out, format_args!("- {title}{}\n", place.unwrap_or_default()));
    }
    out + &more(group.more.len().saturating_sub(OTHERS_SHOWN), t)
}

/// Returns rule, confidence, versions, times and links.
fn origin(finding: &Finding, t: Lexicon) -> String {
    let affects = finding.affects.iter().map(|(product, range)| (product.as_str(), range.text()));
    let fixed_in = finding.fixed_in.iter().map(|(product, versions)| (product.as_str(), versions.as_str()));
    let shortened = |products: String| text(&products, TITLE);
    let confidence = t.term(finding.confidence.as_str());
    let rule = code(&finding.rule, VALUE);
    let mut parts = vec![t.fill(phrase::RuleWithConfidence { rule: &rule, confidence: &confidence })];
    parts.extend(view::seen(finding, t).map(|seen| text(&seen, TITLE)));
    let affects = view::products(affects, t).map(shortened);
    parts.extend(affects.map(|range| t.fill(phrase::Affects { range: &range })));
    let fixed_in = view::products(fixed_in, t).map(shortened);
    parts.extend(fixed_in.map(|version| t.fill(phrase::FixedIn { version: &version })));
    parts.extend(finding.links.iter().map(|link| match words::is_web_address(link) {
        true => format!("<{link}>"),
        false => text(link, VALUE),
    }));
    parts.join(" · ")
}

fn left_out(groups: &[Group<'_>], t: Lexicon) -> String {
    counted(&groups.iter().flat_map(|g| g.causes().map(|c| c.finding)).collect::<Vec<_>>(), t)
}

/// `3 more causes in the report: 3 medium`, nothing for none.
fn counted(causes: &[&Finding], t: Lexicon) -> String {
    if causes.is_empty() {
        return String::new();
    }
    let counts = view::severities(&rank::Tally::of(causes.iter().copied()), t);
    format!("\n{}\n", t.fill(phrase::MoreCauses { n: causes.len() as u64, counts: &counts }))
}

fn outcomes(analysis: &Analysis, t: Lexicon) -> String {
    let counts = view::outcome_counts(&analysis.rules, t);
    let mut out = format!("\n---\n\n{}\n", t.fill(phrase::RuleCounts { counts: &counts }));
    // If the bundle was not read, the verdict already gives the reason.
    let groups = view::by_reason(&analysis.rules.not_evaluated, t).groups;
    if groups.is_empty() || analysis.bundle.unread.is_some() {
        return out;
    }
    push(&mut out, format_args!("\n{}\n\n", t.say(phrase::NOT_EVALUATED_BECAUSE)));
    let mut item = |reason: &str, rules: usize| {
        push(&mut out, format_args!("- {}\n", t.fill(phrase::ReasonOfRules { n: rules as u64, reason: &reason })));
    };
    for group in groups.iter().take(REASONS_SHOWN) {
        item(&text(&group.reason, TITLE), group.rules.len());
    }
    match groups.iter().skip(REASONS_SHOWN).map(|g| g.rules.len()).sum() {
        0 => {}
        rest => item(t.say(phrase::OTHER_REASONS), rest),
    }
    out
}

fn issues(analysis: &Analysis, t: Lexicon) -> String {
    let issues = &analysis.issues;
    if issues.is_empty() {
        return String::new();
    }
    let count = t.fill(phrase::IssuesByKind { n: issues.len() as u64, kinds: &view::issue_kinds(issues, t) });
    let mut out = format!("\n{count}\n\n");
    for issue in issues.iter().take(ISSUES_SHOWN) {
        let place = issue.origin.as_ref().map(|place| format!("{}: ", code(&place.to_string(), VALUE)));
        push(&mut out, format_args!("- {}{}\n", place.unwrap_or_default(), text(&t.message(&issue.message), TITLE)));
    }
    out + &more(issues.len().saturating_sub(ISSUES_SHOWN), t)
}

#[cfg(test)]
mod tests;
