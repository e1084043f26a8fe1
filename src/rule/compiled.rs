//! Rules that can run: what [`super::compile`] makes of rule files.

use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use crate::expr::{Conjuncts, Expr, Slot};
use crate::log::LogQuery;
use crate::model::{ComponentKind, Confidence, FindingClass, Lang, RuleCollection, Severity};
use crate::rule::error::RuleError;
use crate::rule::error::Source;
use crate::rule::fact::Fact;
use crate::rule::known_lines::{self, KnownLineFiles};
use crate::rule::load;
use crate::rule::source::basis::BasisSource;
use crate::rule::text::Template;

/// All rules that are to run, sorted by id.
#[derive(Debug, Default)]
pub struct RuleSet {
    pub rules: Vec<Rule>,
    /// Log facts of all rules; [`FactKind::Log`] refers to them by index.
    pub queries: Vec<LogQuery>,
    /// Warnings about rules that can run; sorted by file and place.
    pub warnings: Vec<RuleError>,
    /// Lines whose meaning is known without a rule.
    pub known_lines: KnownLineFiles,
    /// Collections that the rules are from and that name themselves.
    pub collections: Vec<RuleCollection>,
}

impl RuleSet {
    /// Says which collections the rules are from.
    #[must_use]
    pub fn of_collections(self, collections: Vec<RuleCollection>) -> Self {
        Self { collections, ..self }
    }

    /// Returns the day on which the newest of the collections was released, where versions are dates.
    pub fn day(&self) -> Option<Timestamp> {
        let day = |collection: &RuleCollection| collection.version.parse::<Date>().ok();
        let newest = self.collections.iter().filter_map(day).max()?;
        Offset::UTC.to_timestamp(newest.to_datetime(Time::midnight())).ok()
    }

    /// Adds the known lines of files; those that the binary embeds were checked by the tests of this program.
    ///
    /// # Errors
    /// Everything that is wrong in any file.
    pub fn with_known_lines(self, files: Vec<Source>) -> Result<Self, Vec<RuleError>> {
        let own: Vec<Source> = files.iter().filter(|file| !load::embeds(file)).cloned().collect();
        let found = known_lines::check(&own);
        if found.is_empty() { Ok(Self { known_lines: KnownLineFiles::new(files), ..self }) } else { Err(found) }
    }
}

/// One rule, ready to run.
#[derive(Clone, Debug)]
pub struct Rule {
    pub id: String,
    pub aliases: Vec<String>,
    pub class: FindingClass,
    pub severity: Severity,
    pub confidence: Confidence,
    pub area: String,
    /// Product, range as written, compiled range.
    pub affects: Vec<Affects>,
    /// Versions as written; printed only.
    pub fixed_in: Vec<(String, String)>,
    /// Names by slot: facts of `find`, then of `unless`.
    pub names: Arc<[String]>,
    /// Facts by slot; the first `find` of them are those of `find`.
    pub facts: Vec<Fact>,
    /// The number of facts of `find`.
    pub find: usize,
    /// Facts of `unless` in groups: those of one group mention each other and hold together.
    pub unless: Vec<Vec<Slot>>,
    /// Top-level conjuncts of `when`.
    pub when: Conjuncts,
    /// Facts that one finding is about, in order.
    pub about: Vec<Slot>,
    pub relate: Vec<Expr>,
    pub adjust: Vec<Adjust>,
    pub explains: Vec<Explains>,
    /// What a finding breaks.
    pub breaks: Vec<StatedComponent>,
    /// What a finding suffers from if it is broken.
    pub needs: Vec<StatedComponent>,
    pub texts: RuleTexts,
    /// Sources, in the order of the file; for documentation.
    pub basis: Vec<BasisSource>,
    pub links: Vec<String>,
    /// The file of the rule, for messages.
    pub file: String,
}

/// A component that a finding breaks or needs.
#[derive(Clone, Debug)]
pub struct StatedComponent {
    pub kind: ComponentKind,
    /// The objects that it is, or whose nodes it is on; those of `about` without one.
    pub of: Option<Expr>,
    /// Of a combination.
    pub condition: Option<Expr>,
}

impl fmt::Display for StatedComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.as_str())?;
        self.of.iter().try_for_each(|of| write!(f, " of {}", of.text()))?;
        self.condition.iter().try_for_each(|condition| write!(f, " if {}", condition.text()))
    }
}

impl Rule {
    /// The texts in a language; English if the rule is not translated to it.
    pub fn texts_in(&self, lang: Lang) -> &Texts {
        let TextsByLang { own, translations } = self.texts.all();
        translations.iter().find(|(of, _)| *of == lang).map_or(own, |(_, texts)| texts)
    }
}

/// The texts of a rule, read when they are first asked for: few rules fire, and texts are half of what there is to read.
#[derive(Clone, Debug)]
pub struct RuleTexts {
    file: String,
    read: fn(&str) -> TextsByLang,
    known: OnceLock<TextsByLang>,
}

impl RuleTexts {
    /// Takes texts that are known.
    pub fn of(texts: TextsByLang) -> Self {
        Self { file: String::new(), read: |_| TextsByLang::default(), known: OnceLock::from(texts) }
    }

    /// Leaves the texts of a file to `read`.
    pub fn later(file: &str, read: fn(&str) -> TextsByLang) -> Self {
        Self { file: file.to_owned(), read, known: OnceLock::new() }
    }

    /// Returns the texts in English.
    pub fn own(&self) -> &Texts {
        &self.all().own
    }

    /// Returns the texts in all languages.
    pub fn all(&self) -> &TextsByLang {
        self.known.get_or_init(|| (self.read)(&self.file))
    }
}

/// The texts of a rule in all its languages.
#[derive(Clone, Debug, Default)]
pub struct TextsByLang {
    /// English.
    pub own: Texts,
    /// Other languages; English where a text is not translated.
    pub translations: Vec<(Lang, Texts)>,
}

/// A version range of a product in which a rule applies.
#[derive(Clone, Debug)]
pub struct Affects {
    pub product: String,
    pub range: crate::model::version::Range,
}

/// Severity and confidence of a combination for which `condition` holds.
#[derive(Clone, Debug)]
pub struct Adjust {
    pub condition: Expr,
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
}

/// A rule whose findings may be symptoms of this one's.
#[derive(Clone, Debug)]
pub struct Explains {
    pub rule: String,
    /// Also when both name the same node.
    pub on_node: bool,
    /// Only when times of both lie that near.
    pub within: Option<jiff::SignedDuration>,
    /// Only for a finding with a combination for which it holds.
    pub condition: Option<Expr>,
}

/// The texts of a finding.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Short title without placeholders.
    pub name: Option<String>,
    pub title: Template,
    pub message: Template,
    pub impact: Template,
    pub cause: Template,
    pub remedy: Vec<RemedyTemplates>,
    pub verify: Option<Template>,
}

/// One step of the way out.
#[derive(Clone, Debug)]
pub struct RemedyTemplates {
    /// Only printed when it holds.
    pub condition: Option<Expr>,
    pub action: Template,
    pub run: Option<Template>,
    pub caution: Option<Template>,
}
