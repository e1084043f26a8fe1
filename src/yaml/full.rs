//! Reader of all YAML, with the events of crate `granit-parser`.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::Problem;
use super::builder::Builder;
use super::masks::Masks;
use super::scalar::{MERGE_KEY, plain_kind};
use super::tape::{Kind, MAX_DEPTH, Tape};
use crate::model::message::DocumentProblem;

/// Maximum number of nodes that aliases of one file may add.
pub const MAX_ALIAS_NODES: usize = 1_000_000;

/// Maximum number of problems reported for a file; a file with more is not YAML.
const MAX_PROBLEMS: usize = 20;

/// Reads every document of a text; an unreadable one becomes a problem. Text and tape take at most `room` bytes of memory.
pub fn read(text: &str, room: u64) -> (Tape, Vec<Problem>) {
    whole(text, room, part)
}

/// Reads a whole text with a reader of parts, such as [`part`].
pub(super) fn whole<'t>(
    text: &'t str,
    room: u64,
    part: impl FnOnce(&mut Builder<'t>, &'t str, (Range<usize>, u64), &mut usize) -> Vec<Problem>,
) -> (Tape, Vec<Problem>) {
    let mut builder = Builder::new(text).within(room);
    let mut alias_budget = MAX_ALIAS_NODES;
    let problems = part(&mut builder, text, (0..text.len(), 1), &mut alias_budget);
    (builder.finish(), problems)
}

/// Reads every document of a part of a text, which begins on a line (1-based). `alias_budget` is the number of nodes that
/// aliases of the file may still add.
pub(super) fn part<'t>(
    builder: &mut Builder<'t>,
    text: &'t str,
    (part, line): (Range<usize>, u64),
    alias_budget: &mut usize,
) -> Vec<Problem> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    let base = part.start;
    let masks = Masks::in_text(text.get(part).unwrap_or_default());
    let mut parser = Parser::new_from_str_with_options(masks.text(), options);
    let anchors = HashMap::new();
    let problems = Vec::new();
    let mut reader =
        Reader { text, masks: &masks, base, line, builder, anchors, merges: Vec::new(), alias_budget, problems };
    while reader.next_document(&mut parser) {}
    reader.problems
}

/// Returns true if the file has too many unreadable documents to go on; adds a problem in that case.
pub(super) fn too_many(problems: &mut Vec<Problem>) -> bool {
    let too_many = problems.len() >= MAX_PROBLEMS;
    if too_many {
        let line = problems.last().map_or(1, |p| p.line);
        problems.push(Problem::new(line, DocumentProblem::TooManyBroken { most: MAX_PROBLEMS }));
    }
    too_many
}

struct Reader<'t, 'b> {
    text: &'t str,
    masks: &'b Masks<'t>,
    /// Offset and line at which the part begins.
    base: usize,
    line: u64,
    builder: &'b mut Builder<'t>,
    /// Node of each anchor of the current document.
    anchors: HashMap<usize, u32>,
    /// Merge keys of the mappings that are open.
    merges: Vec<u32>,
    alias_budget: &'b mut usize,
    problems: Vec<Problem>,
}

impl Reader<'_, '_> {
    /// Reads until a document is unreadable or the text ends; returns true if there is more to read.
    fn next_document<'p>(&mut self, parser: &mut Parser<'p, StrInput<'p>>) -> bool {
        while let Some(next) = parser.next_event() {
            let outcome = match next {
                Ok((event, span)) => self.event(event, span),
                Err(error) => Err(self.problem(&error)),
            };
            if let Err(problem) = outcome {
                self.builder.abandon();
                self.problems.push(problem);
                return self.skip_document(parser);
            }
        }
        false
    }

    fn skip_document<'p>(&mut self, parser: &mut Parser<'p, StrInput<'p>>) -> bool {
        if too_many(&mut self.problems) {
            return false;
        }
        match parser.proceed_next_document() {
            Ok(more) => more,
            Err(error) => {
                self.problems.push(self.problem(&error));
                false
            }
        }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let range = span.byte_range().unwrap_or(0..0);
        let range = self.base + range.start..self.base + range.end;
        match event {
            Event::DocumentStart(..) => self.begin(),
            Event::Scalar(value, style, anchor, tag) => {
                self.anchor(anchor);
                let value = self.masks.restored(value);
                let text_tag = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
                let plain = style == ScalarStyle::Plain && !text_tag;
                let kind = if plain { plain_kind(&value) } else { Kind::String };
                if plain && value == MERGE_KEY && self.builder.expects_key() {
                    self.merges.push(self.builder.next_index());
                }
                self.scalar(kind, style, range, &value);
            }
            Event::SequenceStart(_, anchor, _) => self.open(Kind::Sequence, anchor, range.start),
            Event::MappingStart(_, anchor, _) => self.open(Kind::Mapping, anchor, range.start),
            Event::SequenceEnd => self.builder.close(),
            Event::MappingEnd => self.close_mapping().map_err(|problem| self.at(span, problem))?,
            Event::Alias(anchor) => self.alias(anchor).map_err(|problem| self.at(span, problem))?,
            _ => {}
        }
        self.within_limits(span)
    }

    fn begin(&mut self) {
        self.builder.begin();
        self.anchors.clear();
        self.merges.clear();
    }

    fn within_limits(&self, span: Span) -> Result<(), Problem> {
        if self.builder.depth() > MAX_DEPTH {
            return Err(self.at(span, DocumentProblem::TooDeep { levels: MAX_DEPTH }));
        }
        if self.builder.is_full() {
            return Err(self.at(span, DocumentProblem::TooManyValues));
        }
        Ok(())
    }

    /// Sets the anchor of the next node, unless the id is 0.
    fn anchor(&mut self, id: usize) {
        if id != 0 {
            self.anchors.insert(id, self.builder.next_index());
        }
    }

    fn open(&mut self, kind: Kind, anchor: usize, offset: usize) {
        self.anchor(anchor);
        self.builder.open(kind, offset);
    }

    /// Closes a mapping, after the entries of the mappings that its merge keys name.
    fn close_mapping(&mut self) -> Result<(), DocumentProblem> {
        let Some(opened) = self.builder.opened() else { return Ok(()) };
        while let Some(key) = self.merges.pop_if(|key| *key > opened) {
            self.builder.merge(key, self.alias_budget)?;
        }
        self.builder.close();
        Ok(())
    }

    fn alias(&mut self, id: usize) -> Result<(), DocumentProblem> {
        let Some(&index) = self.anchors.get(&id) else { return Err(DocumentProblem::AliasWithoutAnchor) };
        Ok(self.builder.copy(index, self.alias_budget)?)
    }

    fn scalar(&mut self, kind: Kind, style: ScalarStyle, range: Range<usize>, value: &str) {
        // The parser reports `~` for an empty value.
        if kind == Kind::Null && self.text.get(range.clone()).is_none_or(|text| text != value) {
            return self.builder.borrowed(kind, range.start, range.start..range.start);
        }
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        let start = range.start + usize::from(quoted);
        let stands = start..start + value.len();
        let whole = !quoted || stands.end + 1 == range.end;
        if whole && self.text.get(stands.clone()) == Some(value) {
            self.builder.borrowed(kind, range.start, stands);
        } else {
            self.builder.owned(kind, range, value);
        }
    }

    fn at(&self, span: Span, problem: DocumentProblem) -> Problem {
        Problem::new(self.line_of(span.start.line()), problem)
    }

    /// Returns the parser's message with the place in the whole text, for messages about rule files.
    fn problem(&self, error: &ScanError) -> Problem {
        let mark = error.marker();
        let line = self.line_of(mark.line());
        let before = self.text.get(..self.base).unwrap_or_default().chars().count();
        let (character, column) = (before + mark.index(), mark.col() + 1);
        let error = error.info().to_owned();
        Problem::new(line, DocumentProblem::InvalidYaml { error, character, line, column })
    }

    /// Converts a line of the part to a line of the file, both 1-based.
    fn line_of(&self, line: usize) -> u64 {
        line as u64 + self.line - 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn document(text: &str) -> (Document, Vec<Problem>) {
        let (tape, problems) = read(text, u64::MAX);
        (Document::new(text.to_owned(), tape), problems)
    }

    fn shown(text: &str) -> Vec<String> {
        let (document, problems) = document(text);
        assert_eq!(problems, []);
        document.roots().map(|root| format!("{root:?}")).collect()
    }

    #[test]
    fn every_style_of_scalar_reads_as_its_value() {
        let text = "plain: a b\n  c\nsingle: 'it''s'\ndouble: \"x\\ty\"\nliteral: |\n  one\nkept: |2+\n    two\n\nfolded: >-\n  a\n  b\n";
        let expected = r#"{"plain": "a b c", "single": "it's", "double": "x\ty", "literal": "one\n", "kept": "  two\n\n", "folded": "a b"}"#;
        assert_eq!(shown(text), [expected]);
    }

    #[test]
    fn a_block_scalar_of_one_line_is_not_copied() {
        let (document, _) = document("a: |\n  {\"k\": 1}\nb: |-\n  x\n");
        assert_eq!(document.tape.arena, "");
        let root = document.roots().next().unwrap();
        assert_eq!(root.str_at(&["a"]), Some("{\"k\": 1}\n"));
        assert_eq!(root.str_at(&["b"]), Some("x"));
    }

    #[test]
    fn kinds_follow_the_core_schema_and_the_string_tag() {
        let text = "[1, '1', !!str 1, true, 'true', ~, !!str , yes, !other 5]";
        assert_eq!(shown(text), [r#"[1, "1", "1", true, "true", null, "", "yes", 5]"#]);
    }

    #[test]
    fn several_documents_and_empty_ones() {
        let text = "# only a comment\n---\na: 1\n---\n---\n[x]\n...\n";
        assert_eq!(shown(text), [r#"{"a": 1}"#, "null", r#"["x"]"#]);
        assert_eq!(shown(""), Vec::<String>::new());
    }

    #[test]
    fn aliases_read_as_what_they_stand_for() {
        let text = "base: &b {k: [1, 2]}\nuse: *b\nlist: [*b, &s x, *s]\n";
        let expected = r#"{"base": {"k": [1, 2]}, "use": {"k": [1, 2]}, "list": [{"k": [1, 2]}, "x", "x"]}"#;
        assert_eq!(shown(text), [expected]);
    }

    #[test]
    fn merge_keys_add_what_the_mapping_does_not_have() {
        let text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: {<<: *a, x: 4}}\none: {<<: *a, y: 5}\nseveral:\n  <<: [*b, *a]\n  w: 6\ninline: {<<: {x: 7}}\ntext: {\"<<\": *a}\nlist: [<<, *a]\n";
        let (document, problems) = document(text);
        assert_eq!(problems, []);
        let root = document.roots().next().unwrap();
        let number = |path: &[&str]| root.path(path).and_then(|node| node.as_i64());
        assert_eq!((number(&["one", "x"]), number(&["one", "y"])), (Some(1), Some(5)));
        assert_eq!((number(&["b", "z", "x"]), number(&["b", "z", "y"])), (Some(4), Some(2)));
        assert_eq!((number(&["several", "x"]), number(&["several", "y"])), (Some(1), Some(3)));
        assert_eq!((number(&["several", "z", "y"]), number(&["several", "w"])), (Some(2), Some(6)));
        assert_eq!((number(&["inline", "x"]), number(&["text", "x"])), (Some(7), None));
        assert_eq!(root.get("list").map(|list| list.len()), Some(2));
    }

    #[test]
    fn merges_share_the_bound_of_aliases() {
        let base = (0..1000).map(|n| format!("k{n}: 1,")).collect::<String>();
        let (document, problems) = document(&format!("a: &a {{{base}}}\nb: [{}]\n", "{<<: *a},".repeat(600)));
        assert_eq!((document.roots().count(), problems[0].message.clone()), (0, DocumentProblem::TooManyAliases));
    }

    #[test]
    fn hidden_values_are_texts_where_they_stand() {
        let text = "ip: ***HIDDEN***\nlist:\n- ***HIDDEN***:10000\n- [***TOKEN_A***, b]\nnote: |\n  ***HIDDEN***\n***K***: \"***HIDDEN***\"\n";
        let expected = r#"{"ip": "***HIDDEN***", "list": ["***HIDDEN***:10000", ["***TOKEN_A***", "b"]], "note": "***HIDDEN***\n", "***K***": "***HIDDEN***"}"#;
        assert_eq!(shown(text), [expected]);
        let (document, _) = document(text);
        assert_eq!(document.tape.arena, "");
    }

    #[test]
    fn brackets_around_a_hidden_value_are_no_list() {
        let text = "ip: [REDACTED]\nlist: [[masked], b]\nnone: [web]\nquoted: [\"REDACTED\"]\n";
        let expected = r#"{"ip": "[REDACTED]", "list": ["[masked]", "b"], "none": ["web"], "quoted": ["REDACTED"]}"#;
        assert_eq!(shown(text), [expected]);
    }

    #[test]
    fn an_alias_bomb_is_refused_and_the_next_document_read() {
        let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..10 {
            let items = vec![format!("*a{}", level - 1); 10].join(",");
            text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        text.push_str("---\nafter: 1\n");
        let (document, problems) = document(&text);
        assert_eq!(document.roots().map(|r| format!("{r:?}")).collect::<Vec<_>>(), [r#"{"after": 1}"#]);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].message, DocumentProblem::TooManyAliases);
        assert!(document.tape.nodes.len() < 10);
    }

    #[test]
    fn aliases_of_all_documents_share_one_bound() {
        let document_text = format!("a: &a [{}]\nb: [{}]\n---\n", "x,".repeat(1000), "*a,".repeat(600));
        let (document, problems) = document(&document_text.repeat(5));
        assert_eq!((document.roots().filter(|root| !root.is_null()).count(), problems.len()), (1, 4));
        assert!(document.tape.nodes.len() < MAX_ALIAS_NODES);
    }

    #[test]
    fn an_alias_inside_its_anchor_is_refused() {
        let (document, problems) = document("a: &a [*a]\n");
        assert_eq!(document.roots().count(), 0);
        assert_eq!(problems[0].message, DocumentProblem::AliasInItself);
    }

    #[test]
    fn depth_is_bounded_in_both_styles() {
        let levels = |n: usize| (0..n).map(|i| format!("{}-\n", " ".repeat(i))).collect::<String>();
        for (text, good) in [
            ("[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH), true),
            ("[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1), false),
            ("- ".repeat(MAX_DEPTH) + "x", true),
            ("- ".repeat(100_000) + "x", false),
            (levels(MAX_DEPTH), true),
            (levels(MAX_DEPTH + 1), false),
        ] {
            let (document, problems) = document(&text);
            assert_eq!((document.roots().count() == 1, problems.is_empty()), (good, good), "{problems:?}");
        }
    }

    #[test]
    fn a_broken_document_costs_only_itself() {
        let text = "a: 1\n---\nb: [1, 2\n---\nc: 3\n--- |\n text\n---\n- d: {\n";
        let (document, problems) = document(text);
        let roots: Vec<_> = document.roots().map(|r| format!("{r:?}")).collect();
        assert_eq!(roots, [r#"{"a": 1}"#, r#"{"c": 3}"#, r#""text\n""#]);
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [3, 9]);
    }

    #[test]
    fn problems_are_bounded() {
        let (document, problems) = document(&"--- [\n".repeat(10_000));
        assert_eq!(document.roots().count(), 0);
        assert_eq!(problems.len(), MAX_PROBLEMS + 1);
    }

    #[test]
    fn the_last_of_repeated_keys_wins() {
        let (document, problems) = document("b: 1\na: 2\nb: 3\n? [x]\n: 4\n? [y]\n: 5\n");
        let root = document.roots().next().unwrap();
        assert_eq!(problems, []);
        assert_eq!(root.get("b").unwrap().as_i64(), Some(3));
        assert_eq!(root.len(), 4);
        assert_eq!(root.entries().filter(|(key, _)| key == "b").count(), 1);
    }
}
