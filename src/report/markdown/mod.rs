//! Markdown for a ticket: what the bundle is, the causes with proof and way out, what could not be told. It fits into one
//! comment; what does not is counted.

mod escape;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::model::{Analysis, BundleFacts, Evidence, ExcerptLine, Finding, NodeFacts, RemedyStep};

use super::rank::{self, Cause, Group};
use super::view::{self, Sheet, Verdict};
use super::words;
use escape::{block, code, text};

/// Bytes of a page; a comment on GitHub takes 65,536 characters.
const PAGE: usize = 60_000;
/// Most findings of a rule that are named beside the first one, and most kinds of symptoms.
const OTHERS_SHOWN: usize = 5;
const SYMPTOMS_SHOWN: usize = 5;
/// Most pieces of evidence of a finding, and most lines around one.
const EVIDENCE_SHOWN: usize = 4;
const LINES_SHOWN: usize = 5;
/// Most reasons and issues.
const REASONS_SHOWN: usize = 5;
const ISSUES_SHOWN: usize = 5;
/// Most nodes that are named because they are not ready.
const NODES_SHOWN: usize = 10;
/// Most characters of a title, of a sentence, of a path or value, of a line of an excerpt, and of a command.
const TITLE: usize = 300;
const SENTENCES: usize = 2_000;
const VALUE: usize = 300;
const LINE: usize = 200;
const COMMAND: usize = 2_000;

/// Writes the page.
///
/// # Errors
/// Those of the writer.
pub fn write(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(page(analysis).as_bytes())
}

/// What the bundle is, in a few lines.
pub fn header(facts: &BundleFacts) -> String {
    let sheet = Sheet::of(facts);
    let mut out = format!("**{}** {}\n\n", text(sheet.kind(), TITLE), code(&facts.path, VALUE));
    let mut item = |label: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            push(&mut out, format_args!("- {label}: {}\n", text(&value, SENTENCES)));
        }
    };
    item("Versions", Some(sheet.versions().collect::<Vec<_>>().join(", ")));
    item("Nodes", nodes(&facts.nodes));
    let collector = sheet.collector().map(|by| format!("by {by}"));
    let collected: Vec<String> = sheet.collected().map(str::to_owned).into_iter().chain(collector).collect();
    item("Collected", Some(collected.join(" ")));
    item("Logs cover", sheet.logs().map(str::to_owned));
    item("Not collected", sheet.missing_title().map(|title| title.trim_start_matches("Not collected: ").to_owned()));
    item("Cluster", facts.cluster_name.clone());
    item("Size", Some(sheet.size().to_owned()));
    out
}

/// `2 of 3 ready (not ready: node-3)`.
fn nodes(nodes: &[NodeFacts]) -> Option<String> {
    let ready = view::nodes_ready(nodes)?;
    let named = |state: Option<bool>, title: &str| {
        let names: Vec<&str> = nodes.iter().filter(|n| n.ready == state).map(|n| n.name.as_str()).collect();
        let more = match names.len().saturating_sub(NODES_SHOWN) {
            0 => String::new(),
            n => format!(" and {} more", words::number(n as u64)),
        };
        let shown = names.iter().take(NODES_SHOWN).copied().collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("{title}: {shown}{more}"))
    };
    let states: Vec<String> = [named(Some(false), "not ready"), named(None, "unknown")].into_iter().flatten().collect();
    Some(if states.is_empty() { ready } else { format!("{ready} ({})", states.join("; ")) })
}

fn page(analysis: &Analysis) -> String {
    let groups = rank::groups(&analysis.findings);
    let verdict = Verdict::of(analysis, &groups);
    let mut out = header(&analysis.bundle);
    push(&mut out, format_args!("\n## {}\n\n", text(&verdict.headline, TITLE)));
    verdict.notes.iter().for_each(|note| push(&mut out, format_args!("- {}\n", text(note, SENTENCES))));
    let end = outcomes(analysis) + &issues(analysis);
    let mut shown = 0;
    for group in &groups {
        let cause = cause(group);
        if out.len() + cause.len() + end.len() > PAGE {
            break;
        }
        out += &cause;
        shown += 1;
    }
    out + &left_out(groups.get(shown..).unwrap_or_default()) + &end
}

/// The first cause of a rule whole, the others by name.
fn cause(group: &Group<'_>) -> String {
    let finding = group.lead.finding;
    let mut out = format!("\n### {}: {}\n\n", finding.severity.as_str(), sentence(&finding.title, TITLE));
    push(&mut out, format_args!("{}\n", sentence(&finding.message, SENTENCES)));
    for (label, part) in [("Impact", &finding.impact), ("Cause", &finding.cause)] {
        labelled(&mut out, label, part);
    }
    out += &evidence(&finding.evidence);
    out += &remedy(&finding.remedy);
    labelled(&mut out, "Verify", finding.verify.as_deref().unwrap_or_default());
    out += &symptoms(group);
    out += &others(group);
    push(&mut out, format_args!("\n{}\n", origin(finding)));
    out
}

fn sentence(part: &str, limit: usize) -> String {
    text(&words::with_instants(&words::clipped(part, limit)), limit)
}

fn labelled(out: &mut String, label: &str, part: &str) {
    let part = sentence(part, SENTENCES);
    if !part.is_empty() {
        push(out, format_args!("\n**{label}:** {part}\n"));
    }
}

fn remedy(steps: &[RemedyStep]) -> String {
    let mut out = String::new();
    for (number, step) in steps.iter().enumerate() {
        let label = format!("{}. ", number + 1);
        let indent = label.len();
        let begin = if number == 0 { "\n**What to do:**\n\n" } else { "" };
        push(&mut out, format_args!("{begin}{label}{}\n", sentence(&step.action, SENTENCES)));
        if let Some(caution) = &step.caution {
            push(&mut out, format_args!("\n{:indent$}**Caution:** {}\n", "", sentence(caution, SENTENCES)));
        }
        if let Some(command) = &step.run {
            push(&mut out, format_args!("\n{}", block(&words::clipped(command, COMMAND), "sh", indent)));
        }
    }
    out
}

/// The most telling pieces, each place once.
fn evidence(pieces: &[Evidence]) -> String {
    let mut places = BTreeSet::new();
    let mut pieces: Vec<&Evidence> = pieces.iter().filter(|piece| places.insert((&piece.entry, piece.line))).collect();
    pieces.sort_by_key(|piece| (rank::telling(piece), piece.line.is_none()));
    let mut seen: BTreeSet<(&str, u64)> = BTreeSet::new();
    let mut out = String::from("\n**Evidence:**\n\n");
    for piece in pieces.iter().take(EVIDENCE_SHOWN) {
        let line = piece.line.map(|line| format!(":{line}")).unwrap_or_default();
        push(&mut out, format_args!("- {}", code(&format!("{}{line}", piece.entry), VALUE)));
        let value = match (&piece.field, &piece.value) {
            (Some(field), Some(value)) => format!("{field} = {value}"),
            (one, other) => one.iter().chain(other).cloned().collect(),
        };
        let value = code(&value, VALUE);
        push(&mut out, format_args!("{}{value}\n", if value.is_empty() { "" } else { ": " }));
        if piece.line.is_none_or(|line| !seen.contains(&(piece.entry.as_str(), line))) {
            let lines = excerpt(piece);
            seen.extend(lines.iter().map(|line| (piece.entry.as_str(), line.line)));
            push(&mut out, format_args!("{}", quoted(&lines)));
        }
    }
    let rest = pieces.len().saturating_sub(EVIDENCE_SHOWN);
    if rest > 0 {
        push(&mut out, format_args!("- and {} more in the report\n", words::number(rest as u64)));
    }
    out
}

/// The line with its nearest neighbours.
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

fn symptoms(group: &Group<'_>) -> String {
    let all: Vec<&Finding> = group.causes().flat_map(|c: &Cause<'_>| c.symptoms.iter().copied()).collect();
    let Some(title) = view::explains(&all) else { return String::new() };
    let mut out = format!("\n**{}**\n\n", text(&title, TITLE));
    let groups = rank::symptom_groups(&all);
    for symptom in groups.iter().take(SYMPTOMS_SHOWN) {
        let more = match symptom.more.len() {
            0 => String::new(),
            n => format!(" (and {} like it)", words::number(n as u64)),
        };
        let finding = symptom.lead.finding;
        let title = sentence(&finding.title, TITLE);
        push(&mut out, format_args!("- {}: {title}{more}\n", finding.severity.as_str()));
    }
    let rest: usize = groups.iter().skip(SYMPTOMS_SHOWN).map(|g| g.more.len() + 1).sum();
    if rest > 0 {
        push(&mut out, format_args!("- and {} more in the report\n", words::number(rest as u64)));
    }
    out
}

/// Other findings of the rule.
fn others(group: &Group<'_>) -> String {
    if group.more.is_empty() {
        return String::new();
    }
    let mut out = format!("\n**{} of the same rule:**\n\n", words::counted(group.more.len(), "more finding"));
    for cause in group.more.iter().take(OTHERS_SHOWN) {
        let place = view::place(cause.finding).map(|(place, _)| format!(" {}", code(&place, VALUE)));
        let title = sentence(&cause.finding.title, TITLE);
        push(&mut out, format_args!("- {title}{}\n", place.unwrap_or_default()));
    }
    let rest = group.more.len().saturating_sub(OTHERS_SHOWN);
    if rest > 0 {
        push(&mut out, format_args!("- and {} more in the report\n", words::number(rest as u64)));
    }
    out
}

/// Rule, confidence, versions, times and links.
fn origin(finding: &Finding) -> String {
    let mut parts = vec![format!("Rule {} ({})", code(&finding.rule, VALUE), finding.confidence.as_str())];
    parts.extend(view::seen(finding).map(|seen| text(&seen, TITLE)));
    parts.extend(view::products(&finding.affects).map(|range| format!("affects {}", text(&range, TITLE))));
    parts.extend(view::products(&finding.fixed_in).map(|fix| format!("fixed in {}", text(&fix, TITLE))));
    parts.extend(finding.links.iter().map(|link| match view::is_web_address(link) {
        true => format!("<{link}>"),
        false => text(link, VALUE),
    }));
    parts.join(" · ")
}

fn left_out(groups: &[Group<'_>]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let causes: Vec<&Finding> = groups.iter().flat_map(|g| g.causes().map(|c| c.finding)).collect();
    let counts = view::severities(&rank::severities(causes.iter().copied()));
    format!("\nAnd {} in the report: {counts}\n", words::counted(causes.len(), "more cause"))
}

fn outcomes(analysis: &Analysis) -> String {
    let mut out = format!("\n---\n\nRules: {}\n", view::outcome_counts(&analysis.rules));
    // Of a bundle that was not read the verdict has told the reason.
    let groups = view::by_reason(&analysis.rules.not_evaluated).groups;
    if groups.is_empty() || analysis.bundle.unread.is_some() {
        return out;
    }
    out += "\nNot evaluated, because of:\n\n";
    for group in groups.iter().take(REASONS_SHOWN) {
        push(
            &mut out,
            format_args!("- {} ({})\n", text(group.reason, TITLE), words::counted(group.rules.len(), "rule")),
        );
    }
    let rest: usize = groups.iter().skip(REASONS_SHOWN).map(|g| g.rules.len()).sum();
    if rest > 0 {
        push(&mut out, format_args!("- other reasons ({})\n", words::counted(rest, "rule")));
    }
    out
}

fn issues(analysis: &Analysis) -> String {
    let issues = &analysis.issues;
    if issues.is_empty() {
        return String::new();
    }
    let count = words::counted(issues.len(), "issue");
    let mut out = format!("\n{count} while reading: {}\n\n", view::issue_kinds(issues));
    for issue in issues.iter().take(ISSUES_SHOWN) {
        let place = issue.origin.as_ref().map(|place| format!("{}: ", code(&place.to_string(), VALUE)));
        push(&mut out, format_args!("- {}{}\n", place.unwrap_or_default(), sentence(&issue.message, TITLE)));
    }
    if issues.len() > ISSUES_SHOWN {
        push(
            &mut out,
            format_args!("- and {} more in the report\n", words::number((issues.len() - ISSUES_SHOWN) as u64)),
        );
    }
    out
}

fn push(out: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(part);
}

#[cfg(test)]
mod tests;
