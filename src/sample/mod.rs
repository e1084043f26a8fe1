//! The smallest redacted bundle on which a rule still fires, with its rule test.
//!
//! [`make`] takes from a bundle the entries that a finding needs ([`gather`]), takes away from them whatever can go while the
//! rule still fires ([`reduce`], [`shrink`]), puts other names in the place of the customer's ([`hide`]) and writes what is left
//! as a rule test ([`case`]). Every step is tried by a whole analysis with the one rule ([`trial`]), so what absence rests
//! on stays, too. The work is bounded by [`Bounds`], which count runs and bytes and no time: the same bundle gives the
//! same sample.

mod case;
mod describe;
mod files;
mod gather;
mod hide;
mod names;
mod packed;
mod reduce;
mod shrink;
mod table;
mod trial;

use crate::bundle::{Bundle, BundleName};
use crate::model::{Analysis, Finding, Progress};
use crate::pipeline::{self, Options};
use crate::rule::{RuleSet, Streams};

pub use case::RuleTest;
pub use describe::readme;
use files::Content;
pub use files::File;
use hide::Hidden;
pub use trial::Bounds;
use trial::{Target, Trial};

/// What to make a sample of.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// The rule alone.
    pub rule: &'r RuleSet,
    pub streams: &'r Streams,
    /// Beginning of the fingerprint of the finding; else the first one.
    pub finding: Option<&'r str>,
    /// Values that stay although they look private; in lower case.
    pub keep: &'r [String],
    /// Words that everybody knows, as those of the rules are: such names of objects stay.
    pub published: &'r str,
    pub bounds: Bounds,
}

/// A sample, ready to be written.
#[derive(Debug)]
pub struct Sample {
    /// What the folder around the files must be called; none if it does not matter.
    pub folder: Option<String>,
    /// Sorted by path.
    pub files: Vec<File>,
    pub test: RuleTest,
    /// What the rule says of the sample.
    pub finding: Finding,
    /// How many findings the rule has in the bundle it was made of.
    pub findings: usize,
    pub notes: Notes,
}

/// What whoever publishes the sample must know.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// How many names of each kind were replaced, by kind.
    pub replaced: Vec<(String, usize)>,
    /// Names of objects that the rule needs as they are.
    pub needed: Vec<String>,
    /// Values that the user wants to keep and the rule needs.
    pub kept: Vec<String>,
    /// Where values stand into which nobody can look: `ENTRY: FIELD`.
    pub opaque: Vec<String>,
    pub runs: u32,
    /// A bound was reached before nothing more could go.
    pub cut_short: bool,
}

/// Why there is no sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    #[error(
        "rule {rule} is clean on this bundle, so there is nothing to take a sample of; `gleaner rules explain {rule} BUNDLE` shows how far it came and what was nearest"
    )]
    Clean { rule: String },
    #[error("rule {rule} is not evaluated on this bundle: {reason}; a sample needs a bundle that has it")]
    NotEvaluated { rule: String, reason: String },
    #[error("rule {rule} is not applicable to this bundle: {reason}; a sample needs a bundle of an affected version")]
    NotApplicable { rule: String, reason: String },
    #[error("rule {rule} has no finding whose fingerprint begins with {fingerprint}; it has {known}")]
    NoFinding { rule: String, fingerprint: String, known: String },
    #[error("rule {rule} does not fire on the parts of the bundle that fit into memory{}", omitted(.left_out))]
    TooLarge { rule: String, left_out: Vec<String> },
    #[error(
        "rule {rule} does not fire any more once the bundle's dumps are written anew, with secrets masked: it needs a secret, or a damaged dump; make the sample by hand"
    )]
    Secret { rule: String },
    #[error("rule {rule} does not fire any more without {}; nothing is written. If that may be published, say so: {}", quoted(.values), flags(.values))]
    Private { rule: String, values: Vec<String> },
    #[error(
        "the sample fires, but no rule test can be written from it: {why}; rule tests know these layouts only: {layouts}"
    )]
    Test { why: String, layouts: String },
}

fn omitted(entries: &[String]) -> String {
    match entries {
        [] => String::new(),
        [first, ..] => format!("; {} entries were left out, such as {first}", entries.len()),
    }
}

fn quoted(values: &[String]) -> String {
    values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}

fn flags(values: &[String]) -> String {
    values.iter().map(|value| format!("--keep {value}")).collect::<Vec<_>>().join(" ")
}

/// Makes the sample.
///
/// # Errors
/// When the rule does not fire, or does not without what must not be shown.
pub fn make(bundle: &Bundle, request: Request<'_>, progress: &dyn Progress) -> Result<Sample, SampleError> {
    let Some(rule) = request.rule.rules.first() else {
        return Err(SampleError::Clean { rule: String::new() });
    };
    let id = || rule.id.clone();
    progress.stage("analysing", 0);
    let options = Options { survey: true, ..Options::default() };
    let analysis = pipeline::analyze(bundle, request.rule, options, &());
    let finding = wanted(&analysis, &rule.id, request.finding)?;
    let folders = folders(bundle, &analysis);
    let mut trial = Trial::new(request.rule, Target::of(finding, &analysis.bundle.kind), request.bounds);
    progress.stage("gathering", 0);
    let gathered = gather::gather(bundle, request.rule, finding, &folders, &mut trial);
    let (name, raw) = gathered.map_err(|left_out| SampleError::TooLarge { rule: id(), left_out })?;
    let raw = reduce::some(raw, |raw| trial.fires_raw(&name, raw));
    progress.stage("reducing", 0);
    let content = files::read(bundle, raw, &name, &trial).ok_or_else(|| SampleError::Secret { rule: id() })?;
    let content = shrink::objects(content, &trial);
    let content = packed::open(content, &trial).ok_or_else(|| SampleError::Secret { rule: id() })?;
    let content = shrink::shrink(content, &trial);
    progress.stage("redacting", 0);
    trial.any_finding();
    let known = names::of(bundle, &analysis, &content);
    let hidden = hide::hide(&content, known, request, &trial).map_err(|values| match values {
        Some(values) => SampleError::Private { rule: id(), values },
        None => SampleError::Secret { rule: id() },
    })?;
    let Hidden { content, mut notes } = hidden;
    progress.stage("testing", 0);
    let last = trial.analysis(&content);
    let test = case::write(&content, &last, request)?;
    (notes.runs, notes.cut_short) = (trial.runs(), trial.is_spent());
    let Content { name, files } = content;
    let found = last.findings.into_iter().next().ok_or_else(|| SampleError::Secret { rule: id() })?;
    Ok(Sample {
        folder: (name != NAME).then_some(name),
        files,
        test,
        finding: found,
        findings: analysis.findings.len(),
        notes,
    })
}

/// The finding that is meant.
fn wanted<'a>(analysis: &'a Analysis, rule: &str, print: Option<&str>) -> Result<&'a Finding, SampleError> {
    let rule = rule.to_owned();
    let Some(first) = analysis.findings.first() else {
        let outcomes = &analysis.rules;
        return Err(match (outcomes.not_evaluated.first(), outcomes.not_applicable.first()) {
            (Some(not), _) => SampleError::NotEvaluated { rule, reason: not.reason.clone() },
            (_, Some(not)) => SampleError::NotApplicable { rule, reason: not.reason.clone() },
            _ => SampleError::Clean { rule },
        });
    };
    let Some(print) = print else { return Ok(first) };
    analysis.findings.iter().find(|finding| finding.fingerprint.starts_with(print)).ok_or_else(|| {
        let known: Vec<&str> = analysis.findings.iter().take(10).map(|finding| &*finding.fingerprint).collect();
        SampleError::NoFinding { rule, fingerprint: print.to_owned(), known: known.join(", ") }
    })
}

/// What the folder of a bundle is called where its name does not matter.
pub const NAME: &str = "bundle";

/// Names that the sample may have, the plainest first. Some layouts take the name of the host or the time from it.
fn folders(bundle: &Bundle, analysis: &Analysis) -> Vec<String> {
    let time = bundle.name().map(|name| name.created_at);
    let collected = || analysis.bundle.collected_at.as_deref().and_then(|time| time.parse::<jiff::Timestamp>().ok());
    let mut names = vec![NAME.to_owned()];
    if let Some(host) = bundle.host() {
        let stamp = time.or_else(collected).map(|time| time.strftime("-%Y-%m-%d_%H_%M_%S").to_string());
        names.push(format!("{host}{}", stamp.unwrap_or_default()));
    }
    if let Some(BundleName { created_at, .. }) = bundle.name() {
        names.push(format!("supportbundle_sample_{}Z", created_at.strftime("%Y-%m-%dT%H-%M-%S")));
    }
    names
}
