//! Reports of bundles that the store knows, written where the parent wants them.

use std::io;

use super::local_file::LocalFile;
use super::message::Page;
use crate::atomic_file::AtomicFile;
use crate::bundle::{Bundle, Limits};
use crate::model::{Analysis, Run};
use crate::pipeline::{self, Options};
use crate::report::{self, Format, RenderError};
use crate::rule::RuleSet;

/// Why a bundle has no report.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("`{0}` is not there any more")]
    Gone(String),
    #[error("{0}")]
    Refused(String),
    #[error("`{0}` is not what it was; run `gleaner triage` again")]
    Changed(String),
    #[error("its report cannot be written: {0}")]
    Write(#[from] io::Error),
    #[error("its report cannot be written: {0}")]
    Render(#[from] RenderError),
}

/// Analyses each of the bundles and writes its report, whole or not at all; of each, in their order, why there is none.
pub fn write(local: &LocalFile, pages: &[Page], set: &RuleSet, limits: Limits) -> Vec<Option<String>> {
    let given = local.given.display().to_string();
    let opened = open(local, &given, limits);
    let one = |page: &Page| match &opened {
        Ok(bundles) => {
            let bundle = found(bundles, local, page).ok_or_else(|| Failure::Changed(given.clone()))?;
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

/// The bundle that lies there, if it is still what it was.
fn found<'b>(bundles: &'b [Bundle], local: &LocalFile, page: &Page) -> Option<&'b Bundle> {
    let bundle = bundles.iter().find(|bundle| local.place_of(bundle) == page.place)?;
    page.content_id.as_ref().is_none_or(|known| *known == bundle.content_id().0).then_some(bundle)
}

/// As `gleaner analyze` would make it of the file where it is.
fn analysis(bundle: &Bundle, set: &RuleSet, local: &LocalFile, given: &str) -> Analysis {
    let options = Options { identity: true, survey: true, ..Options::default() };
    let mut analysis = pipeline::analyze(bundle, set, options, &());
    analysis.run = Run { arguments: vec!["analyze".to_owned(), given.to_owned()], ..Run::default() };
    analysis.bundle.path = local.as_given(&analysis.bundle.path, given);
    for issue in &mut analysis.issues {
        issue.message = local.as_given(&issue.message, given);
    }
    analysis
}

fn report(analysis: &Analysis, page: &Page) -> Result<(), Failure> {
    let mut file = AtomicFile::create(&page.to())?;
    report::render(analysis, Format::Html, None, file.writer())?;
    Ok(file.finish()?)
}
