//! Evidence as a page shows it: the evidence of one entry is shown in one excerpt, the strongest entry first.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::{Evidence, EvidenceValue, Finding};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank;
use crate::report::words;

/// Maximum number of pieces shown unfolded, and of pieces in one excerpt.
const SHOWN: usize = 5;
/// Number of pieces that are told in a line each.
const BRIEF: usize = 2;
/// Maximum length of a line of an excerpt and of a value, in characters.
const LINE_SHOWN: usize = 2_000;
/// Maximum length of a context line, in characters.
const NEIGHBOUR_SHOWN: usize = 160;
/// Maximum length of the label of a line, in characters.
const LABEL_SHOWN: usize = 90;
/// Maximum length of a highlighted text that is bold, in characters.
const BOLD: usize = 120;
/// Maximum length of a quote in the summary, in characters.
const QUOTE_SHOWN: usize = 160;

/// Amount of evidence to show.
#[derive(Clone, Copy)]
pub struct Room {
    /// True if lines are plain text without context lines.
    pub plain: bool,
    /// True if the strongest pieces are told in a line each, before all of them.
    pub brief: bool,
    /// Number of folded entries.
    pub folded: usize,
}

/// Form of evidence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With context lines.
    InContext,
    /// The lines themselves.
    Lines,
    /// The lines themselves, as plain text.
    Plain,
}

/// Evidence of a finding, the strongest first.
#[derive(Serialize)]
pub struct Proofs<'a> {
    /// The strongest pieces with their own lines only.
    brief: Vec<Proof<'a>>,
    shown: Vec<Proof<'a>>,
    folded: Vec<Proof<'a>>,
    /// `Evidence in 3 more files`.
    folded_title: Option<String>,
    /// Number of pieces that only the JSON output has.
    left_out: usize,
}

impl<'a> Proofs<'a> {
    /// Shows entries until five pieces are shown, then folds the next ones. With context lines only the strongest
    /// pieces of an entry count, so that one long entry leaves room for others.
    pub fn of(evidence: &'a [Evidence], room: Room, t: Lexicon) -> Self {
        let blocks = blocks(evidence);
        let mut pieces = 0;
        let fits = |block: &&Block<'_>| {
            pieces += if room.plain { block.pieces.len() } else { block.telling().count() };
            pieces <= SHOWN
        };
        let shown = blocks.iter().take_while(fits).count();
        let (shown, rest) = blocks.split_at(shown);
        let (folded, left_out) = rest.split_at(room.folded.min(rest.len()));
        let form = if room.plain { Form::Plain } else { Form::InContext };
        let proofs = |blocks: &[Block<'a>]| blocks.iter().map(|block| Proof::of(block, form, t)).collect();
        let strongest = blocks.iter().flat_map(Block::telling).take(if room.brief { BRIEF } else { 0 });
        let alone = |piece| Proof::of(&Block { pieces: vec![piece], weight: rank::telling(piece) }, Form::Lines, t);
        Self {
            brief: strongest.map(alone).collect(),
            shown: proofs(shown),
            folded: proofs(folded),
            folded_title: folded_title(shown, folded, t),
            left_out: left_out.iter().map(|block| block.pieces.len()).sum(),
        }
    }

    /// Returns the number of lines of all excerpts.
    #[cfg(test)]
    pub fn lines(&self) -> usize {
        let plain = |proof: &Proof<'_>| proof.plain.as_ref().map_or(0, |text| text.lines().count());
        self.shown.iter().chain(&self.folded).map(|proof| proof.excerpt.len() + plain(proof)).sum()
    }
}

/// `Evidence in 3 more files`; folded evidence may also be from the files above it.
fn folded_title(shown: &[Block<'_>], folded: &[Block<'_>], t: Lexicon) -> Option<String> {
    let entries = |blocks: &[Block<'_>]| -> BTreeSet<String> {
        blocks.iter().flat_map(|block| block.pieces.first()).map(|piece| piece.entry.clone()).collect()
    };
    let new = entries(folded).difference(&entries(shown)).count();
    match (folded.len(), new) {
        (0, _) => None,
        (_, 0) => Some(t.say(phrase::MORE_EVIDENCE_IN_THE_SAME_FILES).to_owned()),
        (_, new) => Some(t.fill(phrase::EvidenceInMoreFiles { n: new as u64 })),
    }
}

/// Evidence from one entry.
#[derive(Serialize)]
pub struct Proof<'a> {
    /// Facts of the rule, in the order in which they were found.
    facts: String,
    entry: &'a str,
    /// Line of the strongest piece.
    line: Option<u64>,
    /// Values that the excerpt cannot show: absent, computed or long.
    fields: Vec<Field<'a>>,
    excerpt: Vec<Line<'a>>,
    /// Excerpt as plain text, without context lines.
    plain: Option<String>,
}

#[derive(Serialize)]
struct Field<'a> {
    field: Option<&'a str>,
    value: Option<Cow<'a, str>>,
}

#[derive(Clone, Serialize)]
struct Line<'a> {
    line: u64,
    text: Cow<'a, str>,
    /// Highlighted part of the line (field value or pattern match) and the rest of the line; `text` is the part before
    /// it.
    value: Option<(String, String)>,
    /// True if the highlighted part is too long for bold.
    long: bool,
    hit: bool,
    /// True if lines before it are left out.
    gap: bool,
    /// Field on this line.
    label: Option<Cow<'a, str>>,
}

/// Pieces of evidence in one entry.
pub struct Block<'a> {
    pub pieces: Vec<&'a Evidence>,
    /// Rank of its strongest piece; 0 is strongest.
    weight: u8,
}

impl<'a> Block<'a> {
    /// Returns its strongest pieces.
    fn telling(&self) -> impl Iterator<Item = &'a Evidence> {
        self.pieces.iter().copied().filter(|piece| rank::telling(piece) == self.weight)
    }
}

/// Returns the evidence by entry, the strongest first, otherwise in the order in which it was found.
pub fn blocks(evidence: &[Evidence]) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    for piece in evidence {
        let weight = rank::telling(piece);
        let known = open.get(piece.entry.as_str()).and_then(|&at| blocks.get_mut(at));
        match known.filter(|block| block.pieces.len() < SHOWN) {
            Some(block) => {
                block.pieces.push(piece);
                block.weight = block.weight.min(weight);
            }
            None => {
                open.insert(&piece.entry, blocks.len());
                blocks.push(Block { pieces: vec![piece], weight });
            }
        }
    }
    blocks.sort_by_key(|block| block.weight);
    blocks
}

impl<'a> Proof<'a> {
    /// Puts a block into words.
    fn of(block: &Block<'a>, form: Form, t: Lexicon) -> Self {
        let mut facts: Vec<&str> = Vec::new();
        let mut fields = Vec::new();
        let mut lines: BTreeMap<u64, Line<'a>> = BTreeMap::new();
        for piece in &block.pieces {
            if !piece.fact.is_empty() && !facts.contains(&piece.fact.as_str()) {
                facts.push(&piece.fact);
            }
            let label = label(piece);
            if label.is_none() && (piece.field.is_some() || piece.value.is_some()) {
                fields.push(Field { field: piece.field.as_deref(), value: value(piece, t) });
            }
            add_lines(&mut lines, piece, form == Form::InContext && rank::telling(piece) == block.weight, label);
        }
        let telling = block.telling().next();
        let excerpt = with_gaps(lines);
        let plain = form == Form::Plain;
        Self {
            facts: t.list(facts),
            entry: block.pieces.first().map_or("", |piece| &piece.entry),
            line: telling.and_then(|piece| piece.line),
            fields,
            plain: plain.then(|| excerpt.iter().map(Line::plain).collect::<Vec<_>>().join("\n")),
            excerpt: if plain { Vec::new() } else { excerpt },
        }
    }
}

/// Adds the lines of a piece, with context lines if `neighbours`.
fn add_lines<'a>(
    lines: &mut BTreeMap<u64, Line<'a>>,
    piece: &'a Evidence,
    neighbours: bool,
    label: Option<Cow<'a, str>>,
) {
    for line in piece.excerpt.iter().filter(|line| line.hit || neighbours) {
        let text = words::clipped(&line.text, if line.hit { LINE_SHOWN } else { NEIGHBOUR_SHOWN });
        let fresh = Line { line: line.line, text, value: None, long: false, hit: line.hit, gap: false, label: None };
        let shown = lines.entry(line.line).or_insert_with(|| fresh.clone());
        if line.hit && !shown.hit {
            *shown = fresh;
        }
        if piece.line == Some(line.line) && shown.label.is_none() {
            shown.label.clone_from(&label);
        }
        if piece.line == Some(line.line) && shown.value.is_none() {
            shown.mark_value(piece);
            shown.mark_match(piece);
        }
    }
}

impl Line<'_> {
    /// `42  phase: Lost  (status.phase)`.
    fn plain(&self) -> String {
        let (value, rest) = self.value.as_ref().map_or(("", ""), |(value, rest)| (value, rest));
        let label = self.label.as_ref().map_or(String::new(), |label| format!("  ({label})"));
        format!("{}  {}{value}{rest}{label}", self.line, self.text)
    }

    /// Highlights the value of the piece after the name of its field.
    fn mark_value(&mut self, piece: &Evidence) {
        let (Some(field), Some(value)) = (piece.field.as_deref(), piece.field_value()) else { return };
        let name = field.rsplit('.').next().map(|last| last.split('[').next().unwrap_or(last)).unwrap_or_default();
        let after_name = self.text.find(&format!("{name}:")).map_or(0, |at| at + name.len() + 1);
        let Some((_, behind)) = self.text.split_at_checked(after_name) else { return };
        let value = value.trim();
        let Some(at) = behind.find(value).filter(|_| !value.is_empty()).map(|at| after_name + at) else { return };
        self.set_apart(at, value);
    }

    /// Highlights the match of the pattern, unless it is the whole line.
    fn mark_match(&mut self, piece: &Evidence) {
        let Some(matched) = piece.matched.as_deref().filter(|matched| *matched != self.text.trim()) else { return };
        if let Some(at) = self.text.find(matched) {
            self.set_apart(at, matched);
        }
    }

    /// Highlights a part of the text.
    fn set_apart(&mut self, at: usize, part: &str) {
        if let (Some(before), Some(rest)) = (self.text.get(..at), self.text.get(at + part.len()..)) {
            self.long = part.chars().count() > BOLD;
            self.value = Some((part.to_owned(), rest.to_owned()));
            self.text = Cow::Owned(before.to_owned());
        }
    }
}

fn with_gaps(lines: BTreeMap<u64, Line<'_>>) -> Vec<Line<'_>> {
    let mut before = None;
    let gap = |line: &mut Line<'_>| {
        line.gap = before.is_some_and(|number: u64| number + 1 < line.line);
        before = Some(line.line);
    };
    let mut lines: Vec<_> = lines.into_values().collect();
    lines.iter_mut().for_each(gap);
    lines
}

/// Returns the label of a line: the path of its field, and the value if the line does not contain it.
fn label(piece: &Evidence) -> Option<Cow<'_, str>> {
    let field = piece.field.as_deref()?;
    let line = piece.excerpt.iter().find(|line| Some(line.line) == piece.line)?;
    let label = match piece.field_value() {
        Some(value) if !line.text.contains(value.trim()) => Cow::Owned(format!("{field} = {value}")),
        _ => Cow::Borrowed(field),
    };
    (label.chars().take(LABEL_SHOWN + 1).count() <= LABEL_SHOWN && !label.contains('\n')).then_some(label)
}

/// Returns the value of a piece; for an absence in this entry, without the entry's name.
fn value(piece: &Evidence, t: Lexicon) -> Option<Cow<'_, str>> {
    Some(match piece.value.as_ref()? {
        EvidenceValue::Text(text) => words::clipped(text, LINE_SHOWN),
        EvidenceValue::NotInEntry => t.say(phrase::NOT_IN_THIS_FILE).into(),
    })
}

/// Returns `entry:line` of the piece of evidence to look at first, and a quote from it. Pieces with a line come first.
pub fn place(finding: &Finding) -> Option<(String, Option<Cow<'_, str>>)> {
    let blocks = blocks(&finding.evidence);
    let pieces = || blocks.iter().flat_map(|block| block.pieces.iter().map(|piece| (block.weight, *piece)));
    let with_line = pieces().filter(|(_, piece)| piece.line.is_some());
    let (_, piece) =
        with_line.min_by_key(|(weight, piece)| (*weight, rank::telling(piece))).or_else(|| pieces().next())?;
    let place = match piece.line {
        Some(line) => format!("{}:{line}", piece.entry),
        None => piece.entry.clone(),
    };
    Some((place, quote(piece)))
}

/// Returns the field with its value, or the log line.
fn quote(piece: &Evidence) -> Option<Cow<'_, str>> {
    let clipped = |text: &str| words::without_middle(text, QUOTE_SHOWN).into_owned().into();
    match (&piece.field, piece.value_text()) {
        (Some(field), Some(value)) => Some(clipped(&format!("{field} = {value}"))),
        (None, Some(value)) => Some(clipped(&value)),
        (Some(field), None) => Some(clipped(field)),
        (None, None) => {
            let line = piece.excerpt.iter().find(|line| line.hit)?;
            Some(words::without_middle(line.text.trim(), QUOTE_SHOWN))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ExcerptLine;

    const T: Lexicon = Lexicon::ENGLISH;

    fn piece(entry: &str, line: u64, field: &str, value: &str) -> Evidence {
        let key = field.rsplit('.').next().unwrap_or_default();
        let text = |n: u64| if n == line { format!("  {key}: {value}") } else { format!("  # {n}") };
        let excerpt = |n| ExcerptLine { line: n, text: text(n), hit: n == line };
        Evidence {
            fact: "pv".into(),
            entry: entry.into(),
            line: Some(line),
            field: Some(field.into()),
            value: Some(EvidenceValue::Text(value.into())),
            matched: None,
            excerpt: (line - 1..=line + 1).map(excerpt).collect(),
        }
    }

    #[test]
    fn pieces_of_one_entry_share_an_excerpt() {
        let evidence =
            [piece("pv.yaml", 10, "metadata.name", "pv-1"), piece("pv.yaml", 20, "status.phase", "Released")];
        let blocks = blocks(&evidence);
        assert_eq!(blocks.len(), 1);
        let proof = Proof::of(&blocks[0], Form::InContext, T);
        assert_eq!((proof.line, proof.facts.as_str()), (Some(20), "pv"));
        let shape: Vec<_> = proof.excerpt.iter().map(|l| (l.line, l.hit, l.gap, l.label.as_deref())).collect();
        let expected = [
            (10, true, false, Some("metadata.name")),
            (19, false, true, None),
            (20, true, false, Some("status.phase")),
            (21, false, false, None),
        ];
        assert_eq!(shape, expected, "a name comes without its neighbours");
        assert!(proof.fields.is_empty(), "the excerpt shows all of it");
    }

    #[test]
    fn the_value_is_set_apart_behind_its_field() {
        let shown = |text: &str, field: &str, value: &str| {
            let mut line = Line {
                line: 1,
                text: text.to_owned().into(),
                value: None,
                long: false,
                hit: true,
                gap: false,
                label: None,
            };
            line.mark_value(&piece("a.yaml", 1, field, value));
            line.value.map(|(value, rest)| format!("{}[{value}]{rest}", line.text))
        };
        assert_eq!(shown("  state: state # x", "status.state", "state").as_deref(), Some("  state: [state] # x"));
        assert_eq!(shown("  - alpha", "spec.nodes[0]", "alpha").as_deref(), Some("  - [alpha]"));
        assert_eq!(shown("  size: \"10\"", "spec.size", "10").as_deref(), Some("  size: \"[10]\""));
        assert_eq!(shown("  text: |-", "spec.text", "other"), None);
        assert_eq!(shown("  text: ''", "spec.text", " "), None);
    }

    #[test]
    fn text_that_a_pattern_matched_is_marked() {
        let shown = |text: &str, matched: &str| {
            let mut line = Line {
                line: 1,
                text: text.to_owned().into(),
                value: None,
                long: false,
                hit: true,
                gap: false,
                label: None,
            };
            let (field, value) = (None, None);
            line.mark_match(&Evidence { field, value, matched: Some(matched.into()), ..piece("a.log", 1, "", "") });
            line.value.map(|(value, rest)| format!("{}[{value}]{rest}", line.text))
        };
        assert_eq!(shown("E0301 mount failed: x", "mount failed").as_deref(), Some("E0301 [mount failed]: x"));
        assert_eq!(shown("mount failed ", "mount failed"), None, "all of it tells nothing");
        assert_eq!(shown("E0301 mount node-1 failed", "mount alpha failed"), None, "a pseudonym stands there");
        let piece =
            Evidence { field: None, value: None, matched: Some("not".into()), ..piece("a.log", 9, "x", "not y") };
        let proof = Proof::of(&blocks(std::slice::from_ref(&piece))[0], Form::Plain, T);
        assert_eq!(proof.plain.as_deref(), Some("9    x: not y"), "plain text has no marks");
    }

    #[test]
    fn evidence_is_cut_and_counted() {
        let evidence: Vec<_> = (10..22).map(|n| piece(&format!("{n}.yaml"), n, "status.phase", "Lost")).collect();
        let proofs = Proofs::of(&evidence, Room { plain: false, brief: true, folded: 4 }, T);
        assert_eq!((proofs.shown.len(), proofs.folded.len(), proofs.left_out), (SHOWN, 4, 12 - SHOWN - 4));
        assert_eq!(proofs.folded_title.as_deref(), Some("Evidence in 4 more files"));
        let alone = |proof: &Proof<'_>| (proof.line, proof.excerpt.iter().all(|line| line.hit));
        assert_eq!(proofs.brief.len(), BRIEF);
        assert!(proofs.brief.iter().map(alone).all(|(line, hits)| line.is_some() && hits));
        let bare = Proofs::of(&evidence, Room { plain: true, brief: false, folded: 0 }, T);
        assert_eq!(bare.shown[0].plain.as_deref(), Some("10    phase: Lost  (status.phase)"));
        assert_eq!((bare.lines(), bare.folded_title, bare.left_out), (SHOWN, None, 12 - SHOWN));
        let one: Vec<_> = (1..=SHOWN as u64 + 1).map(|n| piece("a.yaml", 10 * n, "status.phase", "Lost")).collect();
        let proofs = Proofs::of(&one, Room { plain: false, brief: true, folded: 4 }, T);
        assert_eq!(proofs.folded_title.as_deref(), Some("More evidence in the same files"));
    }

    #[test]
    fn strongest_evidence_comes_first() {
        let mut lines = piece("a.log", 3, "", "");
        (lines.field, lines.value) = (None, None);
        let evidence = [
            piece("names.yaml", 1, "metadata.name", "x"),
            piece("spec.yaml", 2, "spec.replicas", "3"),
            piece("status.yaml", 3, "status.readyReplicas", "2"),
            lines,
        ];
        let order: Vec<_> = blocks(&evidence).iter().map(|b| b.pieces[0].entry.as_str()).collect();
        assert_eq!(order, ["status.yaml", "a.log", "spec.yaml", "names.yaml"]);
    }

    #[test]
    fn absences_and_values_of_elsewhere_are_written_out() {
        let absent = Evidence {
            line: None,
            field: None,
            value: Some(EvidenceValue::NotInEntry),
            excerpt: vec![],
            ..piece("v.yaml", 1, "", "")
        };
        let text = |text: &str| Some(EvidenceValue::Text(text.to_owned()));
        let made = Evidence { value: text("v1.2"), ..piece("v.yaml", 5, "spec.version", "other") };
        let long = Evidence { value: text(&"long ".repeat(50)), ..piece("v.yaml", 9, "status.message", "|-") };
        let evidence = [absent, made, long];
        let proof = Proof::of(&blocks(&evidence)[0], Form::InContext, T);
        let fields: Vec<_> = proof.fields.iter().filter_map(|f| f.value.as_deref()).collect();
        assert_eq!(fields, ["not in this file", &*"long ".repeat(50)]);
        assert!(proof.excerpt.iter().any(|l| l.label.as_deref() == Some("spec.version = v1.2")));
    }

    #[test]
    fn the_place_quotes_what_stands_there() {
        let mut finding = crate::report::specimen::finding();
        finding.evidence = vec![piece("a.yaml", 1, "metadata.name", "x"), piece("a.yaml", 7, "status.phase", "Lost")];
        let (place, quote) = place(&finding).unwrap();
        assert_eq!((place.as_str(), quote.as_deref()), ("a.yaml:7", Some("status.phase = Lost")));
    }
}
