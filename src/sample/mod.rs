//! The smallest redacted bundle on which a rule still fires, with its rule test.
//!
//! [`make`] takes the entries of a bundle that a finding needs ([`gather`]), removes everything without which the
//! rule still fires ([`reduce`], [`shrink`]), replaces the customer's names ([`hide`]) and writes the rest
//! as a rule test ([`case`]). Each step is checked by a whole analysis with the one rule ([`trial`]), so the proof of absence
//! stays, too. The work is bounded by [`Bounds`], which count runs and bytes, not time, so the same bundle gives the
//! same sample.

mod case;
mod content;
mod describe;
mod disguise;
mod files;
mod gather;
mod hide;
mod names;
mod packed;
mod packed_value;
mod reduce;
mod request;
mod result;
mod rule_test;
mod shrink;
mod table;
mod trial;

use crate::bundle::{Bundle, BundleName};
use crate::model::{Analysis, Finding, Progress};
use crate::pipeline::{self, Options};

use content::Content;
pub use describe::readme;
pub use disguise::Disguise;
use hide::Hidden;
pub use request::Request;
pub use result::{NAME, Sample, SampleError};
pub use trial::Bounds;
use trial::{Target, Trial};

/// Makes the sample.
///
/// # Errors
/// If the rule does not fire, or only with values that must not be published.
pub fn make(bundle: &Bundle, request: Request<'_>, progress: &dyn Progress) -> Result<Sample, SampleError> {
    let Some(rule) = request.rule.rules.first() else {
        return Err(SampleError::Clean { rule: String::new() });
    };
    let id = || rule.id.clone();
    progress.stage("analysing", 0);
    let options = Options { inventory: true, identities: true, ..Options::default() };
    let analysis = pipeline::analyze(bundle, request.rule, options, &());
    let finding = wanted(&analysis, &rule.id, request.finding)?;
    let folders = folders(bundle, &analysis);
    let mut trial = Trial::new(request.rule, Target::of(finding, &analysis.bundle.kind), request.bounds);
    progress.stage("gathering", 0);
    let gathered = gather::gather(bundle, request.rule, finding, &folders, &mut trial);
    let (name, raw) = gathered.map_err(|left_out| SampleError::TooLarge { rule: id(), left_out })?;
    let raw = reduce::some(raw, |raw| trial.fires_raw(&name, raw));
    progress.stage("reducing", 0);
    let content = files::read_files(bundle, raw, &name, &trial).ok_or_else(|| SampleError::Secret { rule: id() })?;
    let content = shrink::objects(content, &trial);
    let content = packed::open(content, &trial).ok_or_else(|| SampleError::Secret { rule: id() })?;
    let content = shrink::shrink(content, &trial);
    progress.stage("redacting", 0);
    trial.any_finding();
    let known = names::names_to_replace(bundle, &analysis, &content);
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

/// Returns the requested finding.
fn wanted<'a>(analysis: &'a Analysis, rule: &str, print: Option<&str>) -> Result<&'a Finding, SampleError> {
    let rule = rule.to_owned();
    let Some(first) = analysis.findings.first() else {
        let outcomes = &analysis.rules;
        return Err(match (outcomes.not_evaluated.first(), outcomes.not_applicable.first()) {
            (Some(not), _) => SampleError::NotEvaluated { rule, reason: not.reason.to_string() },
            (_, Some(not)) => SampleError::NotApplicable { rule, reason: not.reason.to_string() },
            _ => SampleError::Clean { rule },
        });
    };
    let Some(print) = print else { return Ok(first) };
    analysis.findings.iter().find(|finding| finding.fingerprint.starts_with(print)).ok_or_else(|| {
        let known: Vec<&str> = analysis.findings.iter().take(10).map(|finding| &*finding.fingerprint).collect();
        SampleError::NoFinding { rule, fingerprint: print.to_owned(), known: known.join(", ") }
    })
}

/// Returns names that the sample may have, the simplest first. Some layouts take the host name or the time from it.
fn folders(bundle: &Bundle, analysis: &Analysis) -> Vec<String> {
    let time = bundle.name().map(|name| name.created_at);
    let collected = || analysis.bundle.collected_at;
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
