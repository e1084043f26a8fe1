//! Lines of the log of a pod.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cluster::Api;
use crate::explore::lines::{Block, MEMORY, Reading, TextLine};
use crate::explore::logs::{Choice, logs};
use crate::model::clean;

/// Stands for the time of a line that has none: clients take the first word of a line for it.
const NO_TIME: &str = "-";

/// Lines that were asked for.
#[derive(Clone, Debug)]
pub struct PodLog {
    pub(super) texts: Vec<usize>,
    pub(super) choice: Choice,
    pub(super) timestamps: bool,
    /// Bytes after which the answer ends.
    pub(super) limit: u64,
}

/// Receives bytes; breaks if no more are wanted.
pub type Send<'s> = &'s (dyn Fn(Vec<u8>) -> ControlFlow<()> + Sync);

impl Api<'_> {
    /// Sends the lines of a log.
    pub fn write_log(&self, log: &PodLog, send: Send<'_>) {
        write(self, log, send);
    }
}

/// Sends the lines. With pseudonyms they are read twice, because all lines say names.
fn write(api: &Api<'_>, log: &PodLog, send: Send<'_>) {
    let reading = Reading::new(api.texts());
    let ask = |give: &(dyn Fn(Vec<Block>) -> ControlFlow<()> + Sync)| {
        logs(&reading, &log.texts, log.choice, MEMORY, give);
    };
    if let Some(redaction) = api.redaction() {
        ask(&|blocks| {
            blocks.iter().flat_map(|block| &block.lines).for_each(|line| redaction.learn(&line.shown));
            ControlFlow::Continue(())
        });
    }
    let left = AtomicU64::new(log.limit);
    ask(&|blocks| {
        let mut bytes = Vec::new();
        blocks.iter().flat_map(|block| &block.lines).for_each(|line| add(&mut bytes, api, log, line));
        let length = bytes.len() as u64;
        let room = left.load(Ordering::Relaxed);
        bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        left.store(room.saturating_sub(length), Ordering::Relaxed);
        let sent = if bytes.is_empty() { ControlFlow::Continue(()) } else { send(bytes) };
        if length >= room { ControlFlow::Break(()) } else { sent }
    });
}

fn add(bytes: &mut Vec<u8>, api: &Api<'_>, log: &PodLog, line: &TextLine) {
    if log.timestamps {
        let time = line.time.map_or_else(|| NO_TIME.to_owned(), |time| time.to_string());
        bytes.extend_from_slice(time.as_bytes());
        bytes.push(b' ');
    }
    bytes.extend_from_slice(clean::visible(&api.shown(&line.shown)).as_bytes());
    bytes.push(b'\n');
}
