//! Errors in rules: stable code, place, hint, and the text that is printed.
//!
//! ```text
//! R012 rules/storage/x.yaml:14:5: unknown name "volum"; did you mean "volume"?
//!    |
//! 14 |     where: volum.status.state == 'attached'
//!    |            ^^^^^
//! ```

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::model::clean;

/// A rule file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its path in messages: relative, with `/`.
    pub file: String,
    pub text: String,
}

impl Source {
    /// The name of the file without folders and `.yaml`: the id of the rule in it.
    pub fn stem(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.strip_suffix(".yaml").unwrap_or(name)
    }
}

/// Errors stop a rule from running, warnings do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Error,
    Warning,
}

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $code:literal,)*) => {
        /// The kinds of errors (`R0..`) and warnings (`R1..`); a code is never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $meaning])+ $name,)*
        }

        impl Code {
            /// All of them, by number.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its printed form, e.g. `R012`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Its meaning in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($meaning),+).trim_ascii()),* }
            }
        }
    };
}

codes! {
    /// A file that is not valid YAML.
    Yaml = "R001",
    /// A file that is not one mapping.
    Shape = "R002",
    /// A key that does not exist.
    UnknownKey = "R003",
    /// A required key that is missing.
    MissingKey = "R004",
    /// A value of the wrong kind, such as a list where a text belongs.
    WrongType = "R005",
    /// A value that is not allowed.
    WrongValue = "R006",
    /// A key that is given twice.
    RepeatedKey = "R007",
    /// A value that YAML reads differently than intended.
    Trap = "R008",
    /// An id that is not kebab-case or not the name of the file.
    Id = "R009",
    /// An id or alias that another rule already has.
    DuplicateId = "R010",
    /// An expression that cannot be compiled.
    Expression = "R011",
    /// A name that no fact has.
    UnboundName = "R012",
    /// A reserved name for a fact or capture.
    ReservedName = "R013",
    /// A key that does not fit this kind of fact.
    Misfit = "R014",
    /// A fact with no kind or with several.
    FactKind = "R015",
    /// Facts that need each other.
    FactCycle = "R016",
    /// A value that is never used.
    UnusedValue = "R017",
    /// A rule in `explains` that does not exist.
    UnknownRule = "R018",
    /// Rules that explain each other.
    ExplainsCycle = "R019",
    /// A regular expression that cannot be compiled.
    Pattern = "R021",
    /// A text that cannot be compiled.
    Template = "R023",
    /// A version range that cannot be parsed.
    VersionRange = "R024",
    /// A duration that cannot be parsed.
    Duration = "R025",
    /// A glob or label selector that cannot be parsed.
    Selector = "R026",
    /// A log stream that does not exist.
    UnknownStream = "R027",
    /// A field that a group of hits or events does not have.
    UnknownField = "R028",
    /// A captured text that is compared as a number.
    CaptureOrder = "R029",
    /// Values of different kinds that are compared.
    Kinds = "R030",
    /// A name in a rule test that does not exist, or that two cases or two objects of a case have.
    TestName = "R031",
    /// A known line that says too little, or that another one claims.
    KnownLine = "R032",
    /// A type of resource that gleaner does not know.
    UnknownType = "R101",
    /// A pattern without a fixed text on large logs.
    SlowPattern = "R102",
    /// A field that no known version of the API has.
    UnseenField = "R103",
    /// A field that is compared with a value of another type than it has in every known version of the API.
    SeenKinds = "R104",
    /// A fact that matches everything.
    TakesEverything = "R105",
    /// Facts that are joined by trying every combination.
    NestedLoop = "R106",
    /// A negation that is also true if its field is absent.
    LoneNegation = "R107",
    /// A step of the remedy that does not work as printed or that can do harm.
    Remedy = "R108",
    /// A text that does not fit every bundle, such as a value that may be unknown inside a sentence.
    Wording = "R109",
    /// A rule without a short name (`--strict`).
    NoName = "R110",
    /// A wording, default or threshold that nothing in `basis` supports (`--strict`).
    NoBasis = "R111",
    /// A text that a field has in no known version of the API.
    UnseenValue = "R112",
    /// A field that the versions in `affects` do not have.
    OtherVersions = "R113",
    /// An entry of `explains` by which no rule test joins two findings (`--links`).
    NoJoin = "R114",
    /// An entry of `explains` with `on: node` by which everything of a rule on the node joins.
    JoinsAny = "R115",
    /// A condition that is neither true nor false, such as a captured text or a list, and so never holds.
    NoCondition = "R116",
}

impl Code {
    /// Returns whether a rule with it can run.
    pub fn weight(self) -> Weight {
        if self.as_str().starts_with("R1") { Weight::Warning } else { Weight::Error }
    }
}

/// Something wrong with a rule, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    pub code: Code,
    pub source: Arc<Source>,
    /// Bytes of the source.
    pub range: Range<usize>,
    /// The problem and what was expected, lower case, without a full stop.
    pub message: String,
    /// Advice: what to write instead.
    pub hint: Option<String>,
}

impl RuleError {
    /// An error at a place of a file, without hint.
    pub fn new(code: Code, source: Arc<Source>, range: Range<usize>, message: impl Into<String>) -> Self {
        let range = within(&source.text, range);
        Self { code, source, range, message: message.into(), hint: None }
    }

    /// Adds what to write instead.
    pub fn hint(&mut self, hint: impl Into<String>) {
        self.hint = Some(hint.into());
    }

    pub fn file(&self) -> &str {
        &self.source.file
    }

    /// 1-based line and column, in characters.
    pub fn position(&self) -> (usize, usize) {
        let before = self.source.text.get(..self.range.start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).map_or(0, |line| line.chars().count());
        (before.matches('\n').count() + 1, column + 1)
    }

    /// `R012 rules/x.yaml:14:5: message`; warnings say so.
    pub fn headline(&self) -> String {
        let (line, column) = self.position();
        let warning = if self.code.weight() == Weight::Warning { "warning: " } else { "" };
        format!("{} {}:{line}:{column}: {warning}{}", self.code.as_str(), self.file(), self.message)
    }

    /// Headline, the line of the source with a caret, and the hint.
    pub fn render(&self, colours: bool) -> String {
        let level = if self.code.weight() == Weight::Warning { Level::WARNING } else { Level::ERROR };
        let marked = AnnotationKind::Primary.span(self.first_line());
        let snippet = Snippet::source(self.source.text.as_str()).annotation(marked);
        let group = Group::with_level(level).element(snippet);
        let hint = self.hint.as_deref().map(|hint| Level::HELP.message(hint));
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let shown = renderer.render(&[group.elements(hint)]);
        let trimmed: Vec<String> = shown.lines().map(|line| clean::visible_beside_styles(line.trim_end())).collect();
        format!("{}\n{}\n", clean::visible(&self.headline()), trimmed.join("\n"))
    }

    /// The part of the range that is on its first line: carets under many lines do not help.
    fn first_line(&self) -> Range<usize> {
        let marked = self.source.text.get(self.range.clone()).unwrap_or_default();
        let end = marked.find('\n').unwrap_or(marked.len());
        self.range.start..self.range.start + marked.get(..end).unwrap_or_default().trim_end().len()
    }

    /// By file, place and code.
    pub fn sort_key(&self) -> (&str, usize, Code, &str) {
        (self.file(), self.range.start, self.code, &self.message)
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for RuleError {}

/// The range cut to the text and moved to boundaries of characters; the end of the text is that of its last line.
fn within(text: &str, range: Range<usize>) -> Range<usize> {
    let last = text.strip_suffix('\n').unwrap_or(text).len();
    let start = text.floor_char_boundary(range.start.min(last));
    let end = text.floor_char_boundary(range.end.min(text.len()));
    start..end.max(start)
}

/// Collects what is wrong with one file.
#[derive(Debug)]
pub struct Diagnostics {
    source: Arc<Source>,
    found: Vec<RuleError>,
}

impl Diagnostics {
    pub fn new(source: Arc<Source>) -> Self {
        Self { source, found: Vec::new() }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.source.file
    }

    /// The id that the name of the file gives.
    pub fn stem(&self) -> &str {
        self.source.stem()
    }

    /// Notes an error or warning; the result takes a hint.
    pub fn report(&mut self, code: Code, range: Range<usize>, message: impl Into<String>) -> &mut RuleError {
        let at = self.found.len();
        self.found.push(RuleError::new(code, Arc::clone(&self.source), range, message));
        &mut self.found[at]
    }

    /// Returns whether anything reported so far is an error.
    pub fn failed(&self) -> bool {
        self.found.iter().any(|e| e.code.weight() == Weight::Error)
    }

    /// Everything noted.
    pub fn into_found(self) -> Vec<RuleError> {
        self.found
    }
}

/// `; did you mean "x"?` with the candidate nearest to a name, or nothing when none is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |found| format!("; did you mean \"{found}\"?"))
}

/// The candidate that a name is most probably a misspelling of.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    crate::expr::nearest(name, candidates.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Arc<Source> {
        Arc::new(Source { file: "rules/x.yaml".to_owned(), text: text.to_owned() })
    }

    #[test]
    fn an_error_shows_line_caret_and_hint() {
        let text = "id: x\nfind:\n  ä: volum.status\n";
        let at = text.find("volum").unwrap();
        let mut error = RuleError::new(Code::UnboundName, source(text), at..at + 5, "unknown name \"volum\"");
        error.hint("write volume");
        assert_eq!(error.position(), (3, 6));
        let expected = "R012 rules/x.yaml:3:6: unknown name \"volum\"\n  |\n3 |   ä: volum.status\n  |      ^^^^^\n  |\n  = help: write volume\n";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn ranges_are_cut_to_the_text() {
        for range in [0..0, 2..99, 99..100, 7..8] {
            let error = RuleError::new(Code::Yaml, source("a: äöü\nb"), range, "x");
            assert!(error.to_string().starts_with("R001 rules/x.yaml:"), "{error}");
        }
        assert!(RuleError::new(Code::Yaml, source(""), 0..0, "x").to_string().contains(":1:1: x"));
    }

    #[test]
    fn codes_are_unique_and_sorted() {
        let codes: Vec<&str> = Code::ALL.iter().map(|c| c.as_str()).collect();
        assert!(codes.windows(2).all(|w| w[0] < w[1]), "{codes:?}");
        assert!(Code::ALL.iter().all(|c| c.meaning().ends_with('.')));
        assert_eq!(Code::SlowPattern.weight(), Weight::Warning);
    }

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("volum", ["pv", "volume", "volumes"]), Some("volume"));
        assert_eq!(nearest("serverity", ["severity", "verify"]), Some("severity"));
        assert_eq!(nearest("x", ["y", "id"]), None);
        assert_eq!(nearest("banana", ["find", "when"]), None);
    }
}
