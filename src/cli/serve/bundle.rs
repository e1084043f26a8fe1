//! One bundle that is served.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::ThreadPool;

use super::random;
use crate::bundle::{Bundle, Limits};
use crate::cli::args::analyze::UNEXPLAINED;
use crate::cli::threads::thread_pool;
use crate::explore::api::{Api, PodLog, Send};
use crate::explore::{Redaction, entry};
use crate::model::Run;
use crate::pipeline::{self, Options};
use crate::redact::{self, Key};
use crate::report;
use crate::rule::RuleSet;

/// How all bundles are read.
pub struct Making {
    pub rules: RuleSet,
    pub limits: Limits,
    pub redact: bool,
    pub key: Option<Key>,
    pub pool: ThreadPool,
}

/// A bundle with what is served of it.
pub struct ServedBundle {
    /// Of its context.
    pub name: String,
    /// Part of the path of all its addresses, which nobody guesses.
    pub secret: String,
    pub api: Api<'static>,
    bundle: &'static Bundle,
    path: PathBuf,
    /// Made when it is first asked for: the first list does not wait for the rules.
    report: OnceLock<Result<Vec<u8>, String>>,
}

impl ServedBundle {
    /// Opens a bundle, and reads its objects.
    ///
    /// # Errors
    /// The bundle cannot be read.
    pub fn open(path: &Path, name: String, making: &Making) -> anyhow::Result<Self> {
        let bundle = making.pool.install(|| Bundle::open(path, making.limits))?;
        // Requests are answered until the program ends, on threads that borrow nothing.
        let bundle: &'static Bundle = Box::leak(Box::new(bundle));
        let api = making.pool.install(|| {
            let redaction = making.redact.then(|| Redaction::of(bundle, making.key.clone()));
            Api::read(bundle, redaction)
        });
        let secret = random::word()?;
        Ok(Self { name, secret, api, bundle, path: path.to_owned(), report: OnceLock::new() })
    }

    pub fn shown_path(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the page of the report, whose pieces of evidence lead to `entries`.
    ///
    /// # Errors
    /// A fault in a template.
    pub fn report(&self, making: &Making, entries: &str) -> Result<&[u8], &str> {
        let made = self.report.get_or_init(|| self.rendered(making, entries).map_err(|error| error.to_string()));
        made.as_deref().map_err(String::as_str)
    }

    fn rendered(&self, making: &Making, entries: &str) -> Result<Vec<u8>, report::RenderError> {
        let options = Options {
            identity: true,
            inventory: true,
            identities: making.redact,
            unexplained: UNEXPLAINED,
            ..Options::default()
        };
        let mut analysis = making.pool.install(|| pipeline::analyze(self.bundle, &making.rules, options, &()));
        analysis.run = Run { arguments: vec!["analyze".to_owned(), self.shown_path()], ..Run::default() };
        if making.redact {
            let key = making.key.clone().unwrap_or_else(|| Key::of_bundle(&analysis.bundle.content_id));
            redact::apply(&mut analysis, &key);
        }
        let mut page = Vec::new();
        report::render_with_entries(&analysis, entries, &mut page)?;
        Ok(page)
    }

    /// Returns the page with the lines of an entry around one of them; none if there is no such entry.
    ///
    /// # Errors
    /// A fault in a template.
    pub fn entry(&self, making: &Making, path: &str, line: u64) -> Result<Option<Vec<u8>>, report::RenderError> {
        let found = making.pool.install(|| entry::lines(self.api.texts(), self.api.redaction(), path, line));
        let Some(found) = found else { return Ok(None) };
        let mut page = Vec::new();
        report::entry::write(
            &report::entry::EntryPage { entry: path, line, lines: &found.lines, is_cut: found.is_cut },
            &mut page,
        )?;
        Ok(Some(page))
    }

    /// Sends the lines of a log. A client that reads slowly must not hold the threads that answer others, so these lines have one of their own.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn write_log(&self, log: &PodLog, send: Send<'_>) -> anyhow::Result<()> {
        thread_pool(Some(NonZeroUsize::MIN))?.install(|| self.api.write_log(log, send));
        Ok(())
    }
}
