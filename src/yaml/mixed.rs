//! Documents between other lines, as `kubectl cluster-info dump` writes them to a terminal.
//!
//! JSON documents follow each other without separators; each begins with a brace on a line of its own. YAML documents begin with
//! `---` or, as older versions write them, just with the next `apiVersion:`. All other lines are [`Mixed::others`]:
//! a prompt, an error message. Copies from a terminal have no indentation and end their lines with CR LF.

use super::builder::Builder;
use super::document::Document;
use super::fast;
use super::full::MAX_ALIAS_NODES;
use super::grid::{Line, lines};
use super::{Problem, json};
use crate::model::message::DocumentProblem;

/// Maximum number of unreadable documents; the rest is not read.
const MAX_PROBLEMS: usize = 20;
/// Maximum number of other lines that are kept.
const MAX_OTHERS: usize = 1000;

/// Content of such a text.
#[derive(Debug)]
pub struct Mixed {
    pub document: Document,
    pub problems: Vec<Problem>,
    /// Lines outside of documents, without blank lines, at most a thousand.
    pub others: Vec<String>,
}

/// Reads the documents in a text that comes from [`super::source::text`]; text and tape take at most `room` bytes of memory.
pub fn read(text: String, room: u64) -> Mixed {
    let mut builder = Builder::new(&text).within(room);
    let (problems, others) = Reader::new(&text, &mut builder).read();
    let tape = builder.finish();
    Mixed { document: Document::new(text, tape), problems, others }
}

/// Ways in which a line may begin a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    Json,
    Yaml,
}

struct Reader<'t, 'b> {
    text: &'t str,
    lines: std::iter::Peekable<Box<dyn Iterator<Item = (u64, Line<'t>)> + 't>>,
    builder: &'b mut Builder<'t>,
    alias_budget: usize,
    problems: Vec<Problem>,
    others: Vec<String>,
}

impl<'t, 'b> Reader<'t, 'b> {
    fn new(text: &'t str, builder: &'b mut Builder<'t>) -> Self {
        let numbered: Box<dyn Iterator<Item = (u64, Line<'t>)> + 't> = Box::new((1..).zip(lines(text)));
        Self {
            text,
            lines: numbered.peekable(),
            builder,
            alias_budget: MAX_ALIAS_NODES,
            problems: Vec::new(),
            others: Vec::new(),
        }
    }

    fn read(mut self) -> (Vec<Problem>, Vec<String>) {
        while let Some((number, line)) = self.lines.next() {
            if self.problems.len() >= MAX_PROBLEMS {
                self.problems.push(Problem::new(number, DocumentProblem::ManyBroken));
                break;
            }
            match begin(line.text) {
                Some(Begin::Json) => self.json(line),
                Some(Begin::Yaml) => self.yaml(number, line),
                None if line.text.trim().is_empty() || self.others.len() >= MAX_OTHERS => {}
                None => self.others.push(line.text.trim().to_owned()),
            }
        }
        (self.problems, self.others)
    }

    /// Reads a document up to its last brace; after an unreadable one it continues at the next list.
    fn json(&mut self, first: Line<'t>) {
        match json::value(self.builder, self.text, first.offset) {
            Ok(end) => while self.lines.next_if(|(_, line)| line.offset < end).is_some() {},
            Err(problem) => {
                self.problems.push(problem);
                while let Some((_, line)) = self.lines.peek().copied() {
                    if begin(line.text) == Some(Begin::Json) && self.names_kind(line) {
                        return;
                    }
                    self.lines.next();
                }
            }
        }
    }

    /// Returns true if the first key after a brace is the kind or version of a list, which kubectl writes first.
    fn names_kind(&self, line: Line<'t>) -> bool {
        let inside =
            self.text.get(line.offset..).and_then(|rest| rest.strip_prefix('{')).unwrap_or_default().trim_start();
        inside.starts_with("\"kind\"") || inside.starts_with("\"apiVersion\"")
    }

    /// Reads a document up to the beginning of the next one.
    fn yaml(&mut self, number: u64, first: Line<'t>) {
        let mut versions = u32::from(is_version(first.text));
        let mut end = first.offset + first.text.len();
        while let Some((_, line)) = self.lines.peek().copied() {
            versions += u32::from(is_version(line.text));
            let next = is_separator(line.text) || begin(line.text) == Some(Begin::Json) || versions > 1;
            if next || !may_continue(line.text) {
                break;
            }
            end = line.offset + line.text.len();
            self.lines.next();
        }
        let found = fast::part(self.builder, self.text, (first.offset..end, number), &mut self.alias_budget);
        self.problems.extend(found);
    }
}

fn begin(line: &str) -> Option<Begin> {
    if line.starts_with('{') {
        return Some(Begin::Json);
    }
    let keys = ["apiVersion:", "items:", "kind:"];
    (is_separator(line) || keys.iter().any(|key| line.starts_with(key))).then_some(Begin::Yaml)
}

fn is_separator(line: &str) -> bool {
    line == "---" || line.starts_with("--- ")
}

fn is_version(line: &str) -> bool {
    line.starts_with("apiVersion:")
}

/// Returns true if a line can belong to the document of a list: an indented line, an item, or one of its keys.
fn may_continue(line: &str) -> bool {
    let keys = ["apiVersion:", "items:", "kind:", "metadata:"];
    line.is_empty() || line.starts_with([' ', '-', '#']) || keys.iter().any(|key| line.starts_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Vec<u64>, Vec<String>) {
        let Mixed { document, problems, others } = read(text.to_owned(), u64::MAX);
        let roots = document.roots().map(|root| format!("{} {root:?}", root.line())).collect();
        (roots, problems.iter().map(|problem| problem.line).collect(), others)
    }

    #[test]
    fn json_documents_follow_each_other() {
        let text = "$ kubectl cluster-info dump\n{\n    \"kind\": \"A\"\n}\n{\n    \"kind\": \"B\",\n    \"items\": []\n}\n\nerror: x\n";
        let (roots, problems, others) = shown(text);
        assert_eq!(roots, [r#"2 {"kind": "A"}"#, r#"5 {"kind": "B", "items": []}"#]);
        assert_eq!((problems, others), (vec![], vec!["$ kubectl cluster-info dump".to_owned(), "error: x".to_owned()]));
    }

    #[test]
    fn indentation_and_line_ends_do_not_matter() {
        let text =
            "{\r\n\"kind\": \"A\",\r\n\"items\": [\r\n{\r\n\"a\": 1\r\n}\r\n]\r\n}\r\n{\r\n\"kind\": \"B\"\r\n}\r\n";
        assert_eq!(shown(text).0, [r#"1 {"kind": "A", "items": [{"a": 1}]}"#, r#"9 {"kind": "B"}"#]);
    }

    #[test]
    fn a_broken_document_costs_only_itself() {
        let text = "{\n\"kind\": \"A\",\n\"items\": [\n{\n\"a\": 1\n}\n{\n\"kind\": \"B\"\n}\n";
        let (roots, problems, _) = shown(text);
        assert_eq!((roots, problems), (vec![r#"7 {"kind": "B"}"#.to_owned()], vec![7]));
    }

    #[test]
    fn yaml_documents_with_and_without_separators() {
        for between in ["---\n", ""] {
            let text = format!(
                "apiVersion: v1\nitems:\n- a: |\n    kind: x\nkind: A\n{between}apiVersion: v1\nitems: []\nkind: B\n"
            );
            let (roots, problems, others) = shown(&text);
            let kinds: Vec<_> = roots.iter().map(|root| root.split("\"kind\": ").last().unwrap()).collect();
            assert_eq!((kinds, problems, others), (vec!["\"A\"}", "\"B\"}"], vec![], vec![]), "{text}");
            assert!(roots[1].starts_with(if between.is_empty() { "6 " } else { "7 " }), "{roots:?}");
        }
    }

    #[test]
    fn problems_are_bounded() {
        let (roots, problems, _) = shown(&"{\"kind\": x\n".repeat(1000));
        assert_eq!((roots.len(), problems.len()), (0, MAX_PROBLEMS + 1));
        assert_eq!(shown(&"x\n".repeat(5000)).2.len(), MAX_OTHERS);
    }
}
