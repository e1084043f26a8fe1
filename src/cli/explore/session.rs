//! A bundle that is asked, and the threads that read it.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;

use rayon::ThreadPool;

use crate::bundle::Bundle;
use crate::cli::args::explore::BundleArgs;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::cli::loaders;
use crate::cli::threads::thread_pool;
use crate::explore::lines::{Block, Give};
use crate::explore::{Redaction, View};

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

    /// Makes an answer of texts as they are shown. With redaction it is made twice, because all texts say names.
    pub fn answer<T>(&self, make: impl Fn(&dyn Fn(&str) -> String) -> T) -> T {
        if let Some(redaction) = &self.redaction {
            make(&|text| {
                redaction.learn(text);
                text.to_owned()
            });
        }
        make(&|text| self.shown(text))
    }

    /// Makes an answer of objects as they are shown.
    pub fn viewed<T>(&self, managed_fields: bool, make: impl Fn(&View<'_>) -> T) -> T {
        match self.redaction {
            None => make(&View { redact: None, managed_fields }),
            Some(_) => self.answer(|text| make(&View { redact: Some(text), managed_fields })),
        }
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
