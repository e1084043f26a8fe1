//! A bundle that is asked, and the threads that read it.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;

use rayon::ThreadPool;

use crate::bundle::Bundle;
use crate::cli::args::explore::BundleArgs;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::cli::loaders;
use crate::cli::threads::thread_pool;
use crate::explore::Redaction;
use crate::explore::lines::{Block, Give};
use crate::model::Issue;

/// Answers that wait for being printed.
const WAITING: usize = 4;

/// An open bundle.
pub struct Session {
    pub bundle: Bundle,
    /// None if names are shown.
    pub redaction: Option<Redaction>,
    pool: ThreadPool,
}

impl Session {
    /// Opens the bundle.
    ///
    /// # Errors
    /// Prints what failed.
    pub fn open(args: &BundleArgs, err: &mut dyn Write) -> Result<Self, ExitCode> {
        let key = args.redact_key.as_deref().map(loaders::redact_key).transpose();
        let key = key.map_err(|error| usage_error(err, error))?;
        let pool = thread_pool(args.threads).map_err(|error| usage_error(err, error))?;
        let bundle = pool.install(|| Bundle::open(&args.bundle, args.limits.0));
        let bundle = bundle.map_err(|error| bundle_error(err, error))?;
        let redaction = args.redact.then(|| pool.install(|| Redaction::of(&bundle, key)));
        Ok(Self { bundle, redaction, pool })
    }

    /// Runs on the threads.
    pub fn install<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        self.pool.install(run)
    }

    /// Returns a text as it is shown.
    pub fn shown(&self, text: &str) -> String {
        self.redaction.as_ref().map_or_else(|| text.to_owned(), |redaction| redaction.redacted(text))
    }

    /// Makes rows of texts as they are shown. With redaction they are made twice, because all texts say names.
    pub fn rows<T>(&self, make: impl Fn(&dyn Fn(&str) -> String) -> T) -> T {
        if let Some(redaction) = &self.redaction {
            make(&|text| {
                redaction.learn(text);
                String::new()
            });
        }
        make(&|text| self.shown(text))
    }

    /// Runs a question, and prints its lines while they come. With redaction it is run twice, because all lines say names.
    pub fn printed<T: Send>(
        &self,
        ask: impl Fn(Give<'_>) -> T + Sync,
        mut print: impl FnMut(Vec<Block>) -> std::io::Result<()>,
    ) -> Option<T> {
        if let Some(redaction) = &self.redaction {
            self.install(|| {
                ask(&|blocks| {
                    blocks.iter().flat_map(|block| &block.lines).for_each(|line| redaction.learn(&line.shown));
                    ControlFlow::Continue(())
                })
            });
        }
        let mut answer = None;
        let (send, receive) = sync_channel(WAITING);
        let give = move |mut blocks: Vec<Block>| {
            if let Some(redaction) = &self.redaction {
                let lines = blocks.iter_mut().flat_map(|block| &mut block.lines);
                lines.for_each(|line| line.shown = redaction.redacted(&line.shown));
            }
            // The reader of a pipe may have gone.
            if send.send(blocks).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let (ask, place) = (&ask, &mut answer);
        self.pool.in_place_scope(|scope| {
            scope.spawn(move |_| *place = Some(ask(&give)));
            for blocks in receive {
                if print(blocks).is_err() {
                    break;
                }
            }
        });
        answer
    }
}

/// Prints what could not be read.
pub fn print_issues(err: &mut dyn Write, issues: &[Issue]) {
    for issue in issues {
        let place = issue.origin.as_ref().map(|origin| format!("{}: ", origin.entry)).unwrap_or_default();
        // Standard error may be closed; there is no other place to report to.
        let _ = print_line(err, format_args!("note: {place}{}", issue.message));
    }
}

/// Prints a remark about an answer.
pub fn note(err: &mut dyn Write, text: &str) {
    let _ = print_line(err, format_args!("note: {text}"));
}
