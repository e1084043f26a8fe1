//! Reads `name` and `basis`: the short title of a rule, and its sources.

use std::fmt::{self, Display, Formatter};

use crate::rule::error::{Code, did_you_mean};
use crate::rule::source::key_table::{BASIS, BASIS_FOR};
use crate::rule::source::reader::{Field, FieldReader, Fields, Written};
use crate::yaml::Node;

/// Maximum length of a rule's name, in characters: a line of a list or index has no room for more.
const MAX_NAME: usize = 60;

/// An entry of `basis`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasisSource {
    /// Facts and keys of the rule that it supports.
    pub supports: Vec<Written>,
    pub source: Citation,
}

/// A source of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Citation {
    /// Text in a file of a repository, at each of the tags or commits.
    Repository { repo: String, refs: Vec<String>, path: String, text: String },
    /// Text in a thread or document.
    Link { link: String, text: String },
    /// Text in an entry of a real bundle.
    Bundle { bundle: String, entry: String, text: String },
    /// Reason for a value that the author chose.
    Choice(String),
}

/// One line: where the words are, and the words.
impl Display for Citation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository { repo, refs, path, text } => write!(f, "{repo} {path} at {}: {text}", refs.join(", ")),
            Self::Link { link, text } => write!(f, "{link}: {text}"),
            Self::Bundle { bundle, entry, text } => write!(f, "{entry} of {bundle}: {text}"),
            Self::Choice(reason) => write!(f, "judgement: {reason}"),
        }
    }
}

/// Keys that decide the form of a source, each with the keys that it needs.
const FORMS: [(&str, &[&str]); 4] = [
    ("repo", &["repo", "ref", "path", "text"]),
    ("link", &["link", "text"]),
    ("bundle", &["bundle", "entry", "text"]),
    ("choice", &["choice"]),
];

impl FieldReader<'_> {
    /// Reads the short title of a rule or of its translation.
    pub fn rule_name(&mut self, field: &Field<'_>) -> Option<Written> {
        let name = self.text(field)?;
        let problem = if name.text.contains("{{") || name.text.contains("{%") {
            "name has no placeholders"
        } else if name.text.chars().count() > MAX_NAME {
            "name has at most 60 characters"
        } else {
            return Some(name);
        };
        let hint = "write the failure in a few words; title names the object";
        self.diagnostics.report(Code::WrongValue, name.range, problem).hint(hint);
        None
    }

    /// Reads the sources of a rule with these facts.
    pub fn basis(&mut self, fields: &Fields<'_>, facts: &[&str]) -> Vec<BasisSource> {
        let items: Vec<Node<'_>> = fields.get("basis").map_or_else(Vec::new, |field| self.items(field));
        items.into_iter().filter_map(|item| self.basis_entry(item, facts)).collect()
    }

    fn basis_entry(&mut self, node: Node<'_>, facts: &[&str]) -> Option<BasisSource> {
        let fields = self.mapping(node, &BASIS)?;
        let supports = self.list(fields.get("for")?)?;
        for name in &supports {
            self.check_supported(name, facts);
        }
        Some(BasisSource { supports, source: self.citation(&fields)? })
    }

    fn check_supported(&mut self, name: &Written, facts: &[&str]) {
        let known = || facts.iter().copied().chain(BASIS_FOR);
        if known().any(|known| known == name.text) {
            return;
        }
        let message = format!("the rule has no fact \"{}\"{}", name.text, did_you_mean(&name.text, known()));
        let hint = format!("name a fact, or one of {}", BASIS_FOR.join(", "));
        self.diagnostics.report(Code::UnboundName, name.range.clone(), message).hint(hint);
    }

    fn citation(&mut self, fields: &Fields<'_>) -> Option<Citation> {
        let Some((form, keys)) = FORMS.into_iter().find(|(form, _)| fields.get(form).is_some()) else {
            let hint = "write repo, ref, path and text; link and text; bundle, entry and text; or choice";
            self.diagnostics.report(Code::MissingKey, fields.start.clone(), "basis names no source").hint(hint);
            return None;
        };
        for field in fields.iter().filter(|field| field.key != "for" && !keys.contains(&field.key)) {
            let message = format!("{} does not fit {form}", field.key);
            let hint = format!("with {form} belong: {}", keys.join(", "));
            self.diagnostics.report(Code::Misfit, field.key_range.clone(), message).hint(hint);
        }
        self.require(fields, keys, BASIS.what);
        let mut text = |key: &str| fields.get(key).and_then(|field| self.scalar(field)).map(|written| written.text);
        Some(match form {
            "repo" => Citation::Repository {
                repo: text("repo")?,
                path: text("path")?,
                text: text("text")?,
                refs: self.list(fields.get("ref")?)?.into_iter().map(|written| written.text).collect(),
            },
            "link" => Citation::Link { link: text("link")?, text: text("text")? },
            "bundle" => Citation::Bundle { bundle: text("bundle")?, entry: text("entry")?, text: text("text")? },
            _ => Citation::Choice(text("choice")?),
        })
    }
}
