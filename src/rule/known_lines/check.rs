//! What is wrong with files of known lines.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::read::{self, Entry, LIST};
use crate::known_lines::{KnownLines, Template};
use crate::model::version::Range;
use crate::rule::error::{Code, Diagnostics, RuleError, Source};
use crate::rule::source::document::only_root;
use crate::rule::source::key_table::KNOWN_LINE;
use crate::rule::source::reader::{FieldReader, Fields, Written};
use crate::yaml::{self, Node};

/// Words of a template that do not vary, at least.
const FIXED: usize = 3;
/// Longest meaning, in characters.
const MEANS: usize = 300;

/// Returns what is wrong with each of the files.
pub fn check(files: &[Source]) -> Vec<RuleError> {
    files.par_iter().flat_map_iter(check_file).collect()
}

/// Checks some of all files whole; returns the number of their lines, and what is wrong with them.
pub fn check_whole(own: &BTreeSet<String>, all: &[Source]) -> (usize, Vec<RuleError>) {
    let own: Vec<Source> = all.iter().filter(|file| own.contains(&file.file)).cloned().collect();
    let mut found = check(&own);
    found.extend(claims(&own.iter().map(|file| file.file.as_str()).collect(), all));
    (own.iter().map(|file| read::entries(file).len()).sum(), found)
}

/// Returns the lines of files that others of `all` files claim: the template of each line must find itself.
fn claims(files: &BTreeSet<&str>, all: &[Source]) -> Vec<RuleError> {
    let entries: Vec<(&Source, Entry)> =
        all.iter().flat_map(|file| read::entries(file).into_iter().map(move |entry| (file, entry))).collect();
    let pair = |(_, entry): &(_, Entry)| (entry.template.clone(), entry.known.clone());
    let known = KnownLines::new(entries.iter().map(pair).collect());
    let own = entries.iter().enumerate().filter(|(_, (file, _))| files.contains(file.file.as_str()));
    own.filter_map(|(at, (file, entry))| {
        let text = entry.template.text();
        let found =
            if entry.known.general { known.find_general(text, |_, _| true) } else { known.find(text, |_, _| true) };
        let found = found.filter(|found| *found != at)?;
        let (other, claims) = entries.get(found)?;
        Some(claimed((file, entry), (other, claims)))
    })
    .collect()
}

fn claimed((file, entry): (&Source, &Entry), (other, claims): (&Source, &Entry)) -> RuleError {
    let before = other.text.get(..claims.offset).unwrap_or_default();
    let place = format!("{}:{}", other.file, before.matches('\n').count() + 1);
    let message = format!("{place} claims the template of this line: {}", claims.template.text());
    let range = entry.offset..entry.offset + 1;
    let mut error = RuleError::new(Code::KnownLine, Arc::new(file.clone()), range, message);
    error.hint(format!("this line's template is: {}; merge the two, or give one more words", entry.template.text()));
    error
}

fn check_file(file: &Source) -> Vec<RuleError> {
    let mut diagnostics = Diagnostics::new(Arc::new(file.clone()));
    let (document, problems) = yaml::parse(file.text.clone().into_bytes());
    let expected = "a file of known lines is a mapping with known_lines";
    let single = "a file of known lines holds one list";
    if let Some(root) = only_root(&mut diagnostics, &document, &problems, single, expected) {
        FieldReader { diagnostics: &mut diagnostics, tested: false }.known_lines(root);
    }
    diagnostics.into_found()
}

impl FieldReader<'_> {
    fn known_lines(&mut self, root: Node<'_>) {
        let what = "a file of known lines";
        let Some(fields) = self.fields(root, what, &[LIST]) else { return };
        self.require(&fields, &[LIST], what);
        let entries = fields.get(LIST).map_or_else(Vec::new, |field| self.items(field));
        entries.into_iter().for_each(|entry| self.known_line(entry));
    }

    fn known_line(&mut self, node: Node<'_>) {
        let Some(fields) = self.mapping(node, &KNOWN_LINE) else { return };
        let [line, component, _, means, look] =
            ["line", "component", "product", "means", "look"].map(|key| self.text_of(&fields, key));
        let benign = fields.get("benign").and_then(|field| self.flag(field)) == Some(true);
        line.iter().for_each(|line| self.line(line, component.as_ref()));
        means.iter().for_each(|means| self.meaning(means));
        if let (false, None, Some(means)) = (benign, look, means.filter(|_| fields.get("look").is_none())) {
            let hint = "write what to check next, or benign: true if the line is harmless";
            self.wrong(&means, "a line that is not benign needs the key \"look\"", hint);
        }
        self.versions_of_known_line(&fields);
        let link = self.text_of(&fields, "link").filter(|link| !link.text.starts_with("https://"));
        link.iter()
            .for_each(|link| self.wrong(link, "link must begin with https://", "name the page that has the line"));
    }

    fn text_of(&mut self, fields: &Fields<'_>, key: &str) -> Option<Written> {
        fields.get(key).and_then(|field| self.text(field))
    }

    fn line(&mut self, line: &Written, component: Option<&Written>) {
        let template = Template::of(&line.text);
        let is_event = component.is_none_or(|component| component.text.starts_with("event "));
        if template.fixed() < FIXED {
            let hint = format!("its template is: {}; write more of what the program prints", template.text());
            self.claim(line, "fewer than three words of the line stay the same", hint);
        } else if template.level.is_none() && !is_event {
            let hint =
                "write the line with its header, or begin component with \"event \" if it is the message of an event";
            self.claim(line, "the line reports no trouble, so no log has its template", hint.to_owned());
        }
    }

    fn meaning(&mut self, means: &Written) {
        if !means.text.trim_end().ends_with('.') {
            self.wrong(means, "means must end with a full stop", "write one sentence");
        } else if means.text.chars().count() > MEANS {
            self.wrong(means, "means has at most 300 characters", "write one sentence; look says what to check");
        }
    }

    fn versions_of_known_line(&mut self, fields: &Fields<'_>) {
        let written = fields.get("versions").and_then(|field| self.scalar(field));
        if let Some(written) = written
            && let Err(fault) = Range::parse(&written.text)
        {
            self.diagnostics.report(Code::VersionRange, written.range, fault);
        }
        let fixed = self.text_of(fields, "fixed_in").filter(|fixed| read::fix(&fixed.text).is_none());
        fixed.iter().for_each(|fixed| {
            self.wrong(fixed, "fixed_in must be a product and its versions", "such as: longhorn 1.6.3")
        });
    }

    fn wrong(&mut self, written: &Written, problem: &str, hint: &str) {
        self.diagnostics.report(Code::WrongValue, written.range.clone(), problem).hint(hint);
    }

    fn claim(&mut self, line: &Written, problem: &str, hint: String) {
        self.diagnostics.report(Code::KnownLine, line.range.clone(), problem).hint(hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::load;

    const GOOD: &str = "known_lines:
- line: 'E0102 15:04:05.000000       1 a.go:1] lost <*> of node n1'
  component: kubelet
  product: kubernetes
  versions: '>=1.20'
  means: The disk is gone.
  look: Check the disk.
  fixed_in: kubernetes 1.30.1
  link: https://example.com/a
- line: Lost the disk n1
  component: event Lost (kubelet)
  product: kubernetes
  benign: true
  means: It comes again.
  link: https://example.com/b
";

    fn file(name: &str, text: &str) -> Source {
        Source { file: format!("known-lines/{name}.yaml"), text: text.to_owned() }
    }

    fn headlines(files: &[Source], own: &str) -> Vec<String> {
        let (_, found) = check_whole(&BTreeSet::from([format!("known-lines/{own}.yaml")]), files);
        found.iter().map(RuleError::headline).collect()
    }

    #[test]
    fn each_fault_has_its_place() {
        assert_eq!(headlines(&[file("a", GOOD)], "a"), Vec::<String>::new());
        for (from, to, want) in [
            (
                "lost <*> of node",
                "lost <*> nodes",
                "R032 known-lines/a.yaml:2:9: fewer than three words of the line stay the same",
            ),
            ("E0102", "I0102", "R032 known-lines/a.yaml:2:9: the line reports no trouble, so no log has its template"),
            (
                "event Lost",
                "Lost",
                "R032 known-lines/a.yaml:10:9: the line reports no trouble, so no log has its template",
            ),
            ("gone.", "gone", "R006 known-lines/a.yaml:6:10: means must end with a full stop"),
            (
                "gone.",
                &format!("{}.", "x".repeat(300)),
                "R006 known-lines/a.yaml:6:10: means has at most 300 characters",
            ),
            (
                "  look: Check the disk.\n",
                "",
                "R006 known-lines/a.yaml:6:10: a line that is not benign needs the key \"look\"",
            ),
            (
                "kubernetes 1.30.1",
                "1.30.1",
                "R006 known-lines/a.yaml:8:13: fixed_in must be a product and its versions",
            ),
            ("'>=1.20'", "'>>1.20'", "R024 known-lines/a.yaml:5:13: "),
            (
                "https://example.com/b",
                "http://example.com/b",
                "R006 known-lines/a.yaml:15:9: link must begin with https://",
            ),
            (
                "  product: kubernetes\n  benign",
                "  benign",
                "R004 known-lines/a.yaml:10:3: a known line needs the key \"product\"",
            ),
            ("benign: true", "begnin: true", "R003 known-lines/a.yaml:13:3: "),
            ("known_lines:", "known_line:", "R003 known-lines/a.yaml:1:1: "),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let found = headlines(&[file("a", &GOOD.replace(from, to))], "a");
            assert!(found.first().is_some_and(|found| found.starts_with(want)), "{to}: {found:#?}");
        }
    }

    #[test]
    fn a_line_belongs_to_one_entry() {
        let same = headlines(&[file("a", GOOD), file("b", GOOD)], "a");
        assert_eq!(same.len(), 2);
        assert_eq!(
            same[0],
            "R032 known-lines/a.yaml:2:9: known-lines/b.yaml:2 claims the template of this line: lost <*> of node"
        );
        assert!(
            headlines(&[file("a", GOOD), file("b", GOOD)], "b").is_empty(),
            "a later file replaces lines of an earlier one"
        );
        let longer = file("b", &GOOD.replace("lost <*> of node n1", "lost <*> of node n1 at last"));
        assert!(headlines(&[file("a", GOOD), longer.clone()], "a").iter().all(|found| found.contains(":10:9:")));
        let claimed = file("a", &GOOD.replace("lost <*> of node n1", "<*>: lost <*> of node n1 at last: <*>"));
        assert!(headlines(&[claimed, longer], "a")[0].contains(":2:9:"));
    }

    #[test]
    fn built_in_lines_have_no_faults() {
        let files = load::embedded().known_lines;
        let names = files.iter().map(|file| file.file.clone()).collect();
        let (count, found) = check_whole(&names, &files);
        assert_eq!(found, [], "{}", found.iter().map(RuleError::to_string).collect::<String>());
        assert!(count > 10);
    }
}
