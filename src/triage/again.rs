//! Bundles of a store once more, for what only the originals can tell.

use std::path::PathBuf;

use super::objects;
use super::overview::Whereabouts;
use crate::bundle::{Bundle, Limits};
use crate::model::{Analysis, Run};
use crate::pipeline::{self, Options};
use crate::rule::RuleSet;

/// Analyses originals on the current thread pool; the last file stays open, since others may lie in it.
pub struct Originals {
    set: RuleSet,
    limits: Limits,
    open: Option<(PathBuf, Result<Vec<Bundle>, String>)>,
}

impl Originals {
    /// With these rules, in these bounds.
    pub fn new(set: RuleSet, limits: Limits) -> Self {
        Self { set, limits, open: None }
    }

    /// The first of these that is there and still what it was.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub fn analysis(&mut self, whereabouts: &[Whereabouts]) -> Result<Analysis, String> {
        let mut failure = "no file that holds it is there any more".to_owned();
        for one in whereabouts {
            match self.one(one) {
                Ok(analysis) => return Ok(analysis),
                Err(why) => failure = why,
            }
        }
        Err(failure)
    }

    fn one(&mut self, whereabouts: &Whereabouts) -> Result<Analysis, String> {
        let given = whereabouts.file.display().to_string();
        if objects::is_address(&whereabouts.file) {
            return Err(format!("`{given}` lies in an object store, and only files are analysed again; copy it here"));
        }
        if !whereabouts.file.exists() {
            return Err(format!("`{given}` is not there any more"));
        }
        if self.open.as_ref().is_none_or(|(file, _)| *file != whereabouts.file) {
            let bundles = Bundle::open_all(&whereabouts.file, self.limits).map_err(|error| error.to_string());
            self.open = Some((whereabouts.file.clone(), bundles));
        }
        let bundles = match self.open.as_ref().map(|(_, bundles)| bundles) {
            Some(Ok(bundles)) => bundles,
            Some(Err(why)) => return Err(why.clone()),
            None => return Err(format!("`{given}` cannot be opened")),
        };
        let lies_there = |bundle: &&Bundle| {
            let place = bundle.container().path.strip_prefix(given.as_str()).unwrap_or_default();
            place.trim_start_matches(['!', '/']) == whereabouts.place
        };
        let bundle = bundles.iter().find(lies_there).ok_or_else(|| changed(&given))?;
        if whereabouts.content_id.as_ref().is_some_and(|known| *known != bundle.content_id().0) {
            return Err(changed(&given));
        }
        let options = Options { identity: true, survey: true, ..Options::default() };
        let mut analysis = pipeline::analyze(bundle, &self.set, options, &());
        analysis.run = Run { arguments: vec!["analyze".to_owned(), given], ..Run::default() };
        Ok(analysis)
    }
}

fn changed(file: &str) -> String {
    format!("`{file}` is not what it was; run `gleaner triage` again")
}
