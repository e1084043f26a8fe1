//! Reports of stored bundles, written by a worker.

use std::io;

use super::local_file::LocalFile;
use super::message::ReportPage;
use crate::atomic_file::AtomicFile;
use crate::bundle::{Bundle, Limits};
use crate::model::message::Message;
use crate::model::{Analysis, Run};
use crate::pipeline::{self, Options};
use crate::report::{self, Audience, Format, RenderError};
use crate::rule::RuleSet;

/// Reason why a bundle has no report.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("`{0}` no longer exists")]
    Gone(String),
    #[error("{0}")]
    Refused(String),
    #[error("`{0}` has changed; run `gleaner triage` again")]
    Changed(String),
    #[error("the report cannot be written: {0}")]
    Write(#[from] io::Error),
    #[error("the report cannot be written: {0}")]
    Render(#[from] RenderError),
}

/// Analyses the bundles and writes their reports; returns for each, in order, the reason why there is none.
pub fn write(local: &LocalFile, pages: &[ReportPage], set: &RuleSet, limits: Limits) -> Vec<Option<String>> {
    let given = local.given.display().to_string();
    let opened = open(local, &given, limits);
    let one = |page: &ReportPage| match &opened {
        Ok(bundles) => {
            let bundle = matching_bundle(bundles, local, page).ok_or_else(|| Failure::Changed(given.clone()))?;
            report(&analysis(bundle, set, local, &given), page)
        }
        Err(Failure::Gone(file)) => Err(Failure::Gone(file.clone())),
        Err(other) => Err(Failure::Refused(other.to_string())),
    };
    pages.iter().map(|page| one(page).err().map(|failure| failure.to_string())).collect()
}

fn open(local: &LocalFile, given: &str, limits: Limits) -> Result<Vec<Bundle>, Failure> {
    if !local.path.exists() {
        return Err(Failure::Gone(given.to_owned()));
    }
    Bundle::open_all(&local.path, limits).map_err(|error| Failure::Refused(local.as_given(&error.to_string(), given)))
}

/// Returns the bundle of a page if its content is unchanged.
fn matching_bundle<'b>(bundles: &'b [Bundle], local: &LocalFile, page: &ReportPage) -> Option<&'b Bundle> {
    let bundle = bundles.iter().find(|bundle| local.place_of(bundle) == page.place)?;
    page.content_id.as_ref().is_none_or(|known| *known == bundle.content_id().0).then_some(bundle)
}

/// Returns the analysis that `gleaner analyze` would make of the given file.
fn analysis(bundle: &Bundle, set: &RuleSet, local: &LocalFile, given: &str) -> Analysis {
    let options = Options { identity: true, inventory: true, ..Options::default() };
    let mut analysis = pipeline::analyze(bundle, set, options, &());
    analysis.run = Run { arguments: vec!["analyze".to_owned(), given.to_owned()], ..Run::default() };
    analysis.bundle.path = local.as_given(&analysis.bundle.path, given);
    for issue in &mut analysis.issues {
        issue.message.texts(&mut |text| *text = local.as_given(text, given));
    }
    analysis
}

fn report(analysis: &Analysis, page: &ReportPage) -> Result<(), Failure> {
    let mut file = AtomicFile::create(&page.to())?;
    report::render(analysis, Format::Html, Audience::Support, None, file.writer())?;
    Ok(file.finish()?)
}
