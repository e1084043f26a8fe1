//! Errors in logs that no rule explains.

use jiff::Timestamp;

use super::inventory::Shown;
use super::known_line::Known;
use super::{Histogram, Origin};

pub use super::level::Level;

/// Templates of warnings and errors that no finding is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unexplained {
    /// The most telling first.
    pub incidents: Shown<Incident>,
    /// Lines that report trouble, in all logs.
    pub lines: u64,
    /// Their times.
    pub times: Histogram,
    pub left: LeftOut,
    /// Number of logs with more templates than are kept: the rest is counted by its first words.
    pub shortened: usize,
    /// Number of clusters of the store that templates are compared with; none without a store.
    pub clusters: Option<u64>,
}

/// Number of templates that are not listed, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// All their lines were matched by rules that fired.
    pub matched: usize,
    /// They name an object of a finding.
    pub named: usize,
    /// Their lines were written together with lines that rules matched.
    pub together: usize,
    /// They mean no harm in these products.
    pub benign: usize,
    /// Single warnings, or no sign that they matter.
    pub faint: usize,
    /// The cluster says them as often while it is healthy; none if that is not known.
    pub usual: Option<usize>,
    /// Most clusters of the store have them; none without a store.
    pub common: Option<usize>,
}

/// A template, and those that moved together with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    pub lead: LogTemplate,
    /// Why it stands where it stands, the strongest reason first.
    pub why: Vec<Telling>,
    /// Templates of the same logs at the same times.
    pub together: Shown<LogTemplate>,
}

/// Lines that differ only in numbers, names and values.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTemplate {
    /// Words of the message; `<*>` is what varies.
    pub text: String,
    pub level: Level,
    pub lines: u64,
    /// Paths of the entries, by number of lines.
    pub sources: Shown<String>,
    pub first: Option<Timestamp>,
    pub first_at: Origin,
    pub last: Option<Timestamp>,
    pub last_at: Origin,
    /// One line, secrets masked.
    pub sample: String,
    pub times: Histogram,
    /// Number of clusters of the store that have it; none without a store.
    pub clusters: Option<u64>,
    /// What most of the lines mean, if it is known.
    pub known: Option<Known>,
}

/// A template of a bundle, for comparison with other bundles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TroubleTemplate {
    pub level: Level,
    /// As in [`LogTemplate`], not merged with similar ones.
    pub text: String,
    /// Lines in all logs.
    pub lines: u64,
    /// Ids of rules that fired and matched some of them, sorted.
    pub rules: Vec<String>,
}

/// Reason for the place of an incident in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Telling {
    NotInBaseline,
    Louder,
    Fatal,
    UntilTheEnd,
    New,
    Burst,
    Lasting,
    ManySources,
    Known,
    OnlyHere,
    Words,
}

impl Telling {
    /// All reasons.
    pub const ALL: [Self; 11] = [
        Self::NotInBaseline,
        Self::Louder,
        Self::Fatal,
        Self::UntilTheEnd,
        Self::New,
        Self::Burst,
        Self::Lasting,
        Self::ManySources,
        Self::Known,
        Self::OnlyHere,
        Self::Words,
    ];

    /// Returns the words for it, in English; also in data.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotInBaseline => "not in the baseline",
            Self::Louder => "louder than in the baseline",
            Self::Fatal => "fatal",
            Self::UntilTheEnd => "until the end of the log",
            Self::New => "begins late in the log",
            Self::Burst => "most lines at one time",
            Self::Lasting => "lasts",
            Self::ManySources => "in many logs",
            Self::Known => "known",
            Self::OnlyHere => "only here",
            Self::Words => "names a failure",
        }
    }
}
