//! CRE rules as written, checked: every condition one of three, windows, counts and anchors in their limits.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::outcome::Invalid;
use super::regex;
use crate::rule::Source;
use crate::yaml::{self, Kind, Node};

/// Positive lines of one match.
const MAX_TERMS: usize = 64;
/// Rules of one file.
const MAX_RULES: usize = 1_000;
/// Keys of a `set` or `sequence`.
const BODY_KEYS: [&str; 5] = ["event", "window", "match", "order", "negate"];
const TERM_KEYS: [&str; 4] = ["value", "regex", "jq", "count"];
const NEGATE_KEYS: [&str; 7] = ["value", "regex", "jq", "window", "slide", "anchor", "absolute"];

/// A rule.
#[derive(Clone, Debug)]
pub struct Cre {
    /// The id as written: `CRE-2025-0020`.
    pub id: String,
    pub title: String,
    /// 0 is the most severe.
    pub severity: u8,
    pub description: String,
    pub cause: String,
    pub impact: String,
    pub mitigation: String,
    pub references: Vec<String>,
    /// `cre.log.rabbitmq`.
    pub source: String,
    pub ordered: bool,
    pub window: Option<SignedDuration>,
    pub terms: Vec<Term>,
    pub negates: Vec<Negate>,
    /// The first line of the rule, 1-based.
    pub line: u64,
}

/// Lines that must be there.
#[derive(Clone, Debug)]
pub struct Term {
    pub condition: Condition,
    pub count: usize,
}

/// Lines that must not be there.
#[derive(Clone, Debug)]
pub struct Negate {
    pub condition: Condition,
    pub window: SignedDuration,
    pub slide: SignedDuration,
    pub anchor: usize,
}

/// A condition on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A part of it.
    Value(String),
    /// In the syntax of our patterns.
    Regex(String),
    /// A filter that its JSON fulfils.
    Jq(String),
}

/// The rules of a file, each with what is wrong with it.
pub fn rules(file: &Source) -> Vec<Result<Cre, Invalid>> {
    let (document, problems) = yaml::parse(file.text.as_bytes().to_vec());
    let invalid = |line, message| Invalid { file: file.file.clone(), line, message };
    if let Some(problem) = problems.into_iter().find(|problem| !problem.is_repetition()) {
        return vec![Err(invalid(problem.line, format!("the file is not valid YAML: {}", problem.message)))];
    }
    let mut found = Vec::new();
    for root in document.roots() {
        let named = root.get("terms");
        let terms: Terms<'_> =
            named.into_iter().flat_map(Node::entries).map(|(name, term)| (name.into_owned(), term)).collect();
        match root.get("rules") {
            Some(list) if list.kind() == Kind::Sequence => {
                found.extend(list.items().take(MAX_RULES).map(|node| rule(node, &terms)));
            }
            _ => found.push(Err(Flaw::at(root, "a file of CRE rules needs a list under the key \"rules\""))),
        }
    }
    found.into_iter().map(|rule| rule.map_err(|flaw| invalid(flaw.line, flaw.message))).collect()
}

type Terms<'a> = BTreeMap<String, Node<'a>>;

/// An error with its line.
struct Flaw {
    line: u64,
    message: String,
}

impl Flaw {
    fn at(node: Node<'_>, message: impl Into<String>) -> Self {
        Self { line: node.line(), message: message.into() }
    }
}

fn rule(node: Node<'_>, terms: &Terms<'_>) -> Result<Cre, Flaw> {
    let about = node.get("cre").ok_or_else(|| Flaw::at(node, "a CRE rule needs the key \"cre\""))?;
    let rule = node.get("rule").ok_or_else(|| Flaw::at(node, "a CRE rule needs the key \"rule\""))?;
    let text = |key: &str| about.get(key).map(|value| value.text().trim().to_owned()).unwrap_or_default();
    let (body, ordered) = body(rule)?;
    let positives = if ordered { "order" } else { "match" };
    let listed = |key: &str| body.get(key).into_iter().flat_map(Node::items);
    let cre = Cre {
        id: id(about)?,
        title: text("title"),
        severity: about.get("severity").and_then(Node::as_i64).and_then(|n| u8::try_from(n).ok()).unwrap_or(3),
        description: text("description"),
        cause: text("cause"),
        impact: text("impact"),
        mitigation: text("mitigation"),
        references: about
            .get("references")
            .into_iter()
            .flat_map(Node::items)
            .map(|item| item.text().to_owned())
            .collect(),
        source: source(body)?,
        ordered,
        window: duration(body, "window")?,
        terms: listed(positives).map(|item| term(item, terms)).collect::<Result<_, _>>()?,
        negates: listed("negate").map(|item| negate(item, terms)).collect::<Result<_, _>>()?,
        line: node.line(),
    };
    check(&cre, body)?;
    Ok(cre)
}

fn id(about: Node<'_>) -> Result<String, Flaw> {
    let node = about.get("id").ok_or_else(|| Flaw::at(about, "cre needs the key \"id\""))?;
    let id = node.text();
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
    if id.split('-').all(part) {
        Ok(id.to_owned())
    } else {
        Err(Flaw::at(node, format!("\"{id}\" is not an id; use letters, digits and single dashes")))
    }
}

/// The set or sequence; a rule with both is a sequence.
fn body(rule: Node<'_>) -> Result<(Node<'_>, bool), Flaw> {
    let body = match (rule.get("sequence"), rule.get("set")) {
        (Some(sequence), _) => (sequence, true),
        (None, Some(set)) => (set, false),
        (None, None) => return Err(Flaw::at(rule, "a rule needs a \"set\" or a \"sequence\"")),
    };
    if let Some((key, node)) = rule.entries().find(|(key, _)| !["set", "sequence"].contains(&key.as_ref())) {
        return Err(Flaw::at(node, format!("\"{key}\" next to set and sequence is not supported")));
    }
    known(body.0, &BODY_KEYS)?;
    Ok(body)
}

fn known(node: Node<'_>, keys: &[&str]) -> Result<(), Flaw> {
    match node.entry_nodes().find(|(key, _)| !keys.contains(&key.text())) {
        Some((key, _)) => {
            Err(Flaw::at(key, format!("\"{}\" is not supported here; it may be: {}", key.text(), keys.join(", "))))
        }
        None => Ok(()),
    }
}

fn source(body: Node<'_>) -> Result<String, Flaw> {
    let source = body.str_at(&["event", "source"]).filter(|source| !source.is_empty());
    source.map(str::to_owned).ok_or_else(|| Flaw::at(body, "event.source must name the product that writes the log"))
}

fn term(node: Node<'_>, terms: &Terms<'_>) -> Result<Term, Flaw> {
    if node.kind() == Kind::Mapping {
        known(node, &TERM_KEYS)?;
    }
    let count = match node.get("count") {
        None => 1,
        Some(count) => count
            .as_i64()
            .and_then(|n| usize::try_from(n).ok())
            .filter(|n| *n > 0)
            .ok_or_else(|| Flaw::at(count, "count must be a whole number from 1"))?,
    };
    Ok(Term { condition: condition(node, terms)?, count })
}

fn negate(node: Node<'_>, terms: &Terms<'_>) -> Result<Negate, Flaw> {
    if let Some(count) = node.get("count") {
        return Err(Flaw::at(count, "negate has no count: one line is enough"));
    }
    if node.kind() == Kind::Mapping {
        known(node, &NEGATE_KEYS)?;
    }
    if let Some(absolute) = node.get("absolute").filter(|absolute| absolute.as_bool() != Some(false)) {
        return Err(Flaw::at(absolute, "absolute is not supported"));
    }
    let anchor = match node.get("anchor") {
        None => 0,
        Some(anchor) => anchor
            .as_i64()
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| Flaw::at(anchor, "anchor must be a whole number from 0"))?,
    };
    let window = duration(node, "window")?.unwrap_or_default();
    let slide = duration(node, "slide")?.unwrap_or_default();
    Ok(Negate { condition: condition(node, terms)?, window, slide, anchor })
}

/// A text, or exactly one of value, regex and jq; a text that names a term refers to it.
fn condition(node: Node<'_>, terms: &Terms<'_>) -> Result<Condition, Flaw> {
    let node = match terms.get(node.text()).filter(|_| node.kind().is_scalar()) {
        Some(term) => *term,
        None => node,
    };
    if node.kind().is_scalar() {
        return text(node).map(Condition::Value);
    }
    let mut given = ["value", "regex", "jq"].into_iter().filter_map(|key| Some((key, node.get(key)?)));
    match (given.next(), given.next()) {
        (Some((_, one)), Some((key, _))) => {
            Err(Flaw::at(one, format!("a term is one of value, regex and jq, not also {key}")))
        }
        (None, _) => Err(Flaw::at(node, "a term must be a text, or have one of value, regex and jq")),
        (Some(("value", value)), None) => text(value).map(Condition::Value),
        (Some(("regex", pattern)), None) => {
            let translated = regex::translated(&text(pattern)?);
            crate::log::validate(&translated)
                .map_err(|why| Flaw::at(pattern, format!("invalid regular expression: {why}")))?;
            Ok(Condition::Regex(translated))
        }
        (Some((_, filter)), None) => {
            let written = text(filter)?;
            crate::log::Filter::compile(&written).map_err(|why| Flaw::at(filter, format!("jq: {why}")))?;
            Ok(Condition::Jq(written))
        }
    }
}

fn text(node: Node<'_>) -> Result<String, Flaw> {
    let text = node.text();
    if !node.kind().is_scalar() || text.is_empty() {
        return Err(Flaw::at(node, "a term must be a text that is not empty"));
    }
    Ok(text.to_owned())
}

/// Parses a duration in the syntax of Go: `1m30s`, `500ms`, `-5s`.
fn duration(node: Node<'_>, key: &str) -> Result<Option<SignedDuration>, Flaw> {
    let Some(value) = node.get(key) else { return Ok(None) };
    let parsed: Option<SignedDuration> =
        if value.text() == "0" { Some(SignedDuration::ZERO) } else { value.text().parse().ok() };
    parsed
        .map(Some)
        .ok_or_else(|| Flaw::at(value, format!("{key}: \"{}\" is not a duration such as 30s or 5m", value.text())))
}

fn check(cre: &Cre, body: Node<'_>) -> Result<(), Flaw> {
    let lines: usize = cre.terms.iter().map(|term| term.count).fold(0, usize::saturating_add);
    let flaw = |message: String| Err(Flaw::at(body, message));
    if cre.window.is_some_and(|window| !window.is_positive()) {
        return flaw("the window must be longer than 0".to_owned());
    }
    match (cre.ordered, lines, cre.window) {
        (_, 0, _) => flaw("a rule needs at least one term that is not negated".to_owned()),
        (_, _, _) if lines > MAX_TERMS => flaw(format!("a rule has at most {MAX_TERMS} terms, this one {lines}")),
        (true, 1, _) => flaw("a sequence needs at least two terms".to_owned()),
        (true, _, None) => flaw("a sequence needs a window".to_owned()),
        (false, 2.., None) => flaw("a set of several terms needs a window".to_owned()),
        (false, 1, Some(_)) => flaw("a set of one term has no window".to_owned()),
        _ => match cre.negates.iter().find(|negate| negate.anchor >= lines) {
            Some(negate) => {
                flaw(format!("anchor {} is not a term: the rule has {lines}, counted from 0", negate.anchor))
            }
            None => Ok(()),
        },
    }
}
