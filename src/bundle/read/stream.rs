//! Containers that can only be read from their start: tars and compressed files.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::Scope;

use super::{FailedAt, Hands, OPEN_BYTES, Pass};
use crate::bundle::guard::{Guarded, damage, load};
use crate::bundle::layer::Layer;
use crate::bundle::listing::Store;
use crate::bundle::packing::expanded;
use crate::bundle::queue::{Charged, Open, Source, Visit};
use crate::bundle::tar;

/// Members of tar archives that wait for a worker, together.
const WAITING_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 32 << 20 };
/// Larger members of a tar archive are visited as they stream by.
const BUFFERED: u64 = if cfg!(test) { 1 << 16 } else { 8 << 20 };

impl Pass<'_> {
    /// Goes through a tar or a compressed file until everything wanted of it was seen.
    pub(super) fn stream<'s>(&'s self, layer: usize, reader: &mut dyn Read, scope: &Scope<'s>) {
        let (Some(plan), Some(store)) = (self.plans.get(layer), self.layers.get(layer).map(|layer| &layer.store))
        else {
            return;
        };
        let mut left = plan.members();
        let mut hands = Hands::default();
        let trouble = each_member(store, reader, &mut |member, data| {
            match (plan.jobs.get(&member), plan.children.get(&member)) {
                (None, None) => return true,
                (job, Some(&child)) => self.open_streamed(child, job.copied(), data, scope),
                (Some(&job), None) => self.take_streamed(job, data, scope),
            }
            self.help(&mut hands);
            left -= 1;
            left > 0
        });
        if left > 0 {
            let reason = trouble.unwrap_or_else(|| "the archive ended".to_owned());
            self.fail(FailedAt::Layer(layer), format!("{left} members were not reached again: {reason}"));
        }
    }

    /// A small member becomes a piece of work for anybody, a large one is visited here and now.
    fn take_streamed<'s>(&'s self, job: usize, data: &mut dyn Read, scope: &Scope<'s>) {
        let size = self.jobs.get(job).map_or(0, |job| job.size);
        if size > BUFFERED {
            self.visit_reader(job, size, None, data);
            return;
        }
        let mut guarded = Guarded::new(data, size);
        match load(&mut guarded, size) {
            Ok(bytes) => {
                let source = Source::Buffered(Charged::new(Arc::from(bytes), &self.waiting), guarded.finish());
                self.push(vec![Visit { size, job, source }], Vec::new(), scope);
            }
            Err(error) => self.fail(FailedAt::Job(job), damage(&error)),
        }
    }

    /// An archive inside a tar is read into memory, whether it is wanted for itself or for its members.
    fn open_streamed<'s>(&'s self, child: usize, job: Option<usize>, data: &mut dyn Read, scope: &Scope<'s>) {
        let size = self.layers.get(child).map_or(0, Layer::size);
        let mut guarded = Guarded::new(data, size);
        let bytes: Arc<Vec<u8>> = match load(&mut guarded, size) {
            Ok(bytes) => Arc::from(bytes),
            Err(error) => return self.fail(FailedAt::Layer(child), damage(&error)),
        };
        if let Some(job) = job {
            let source = Source::Buffered(Charged::new(Arc::clone(&bytes), &self.waiting), guarded.finish());
            self.push(vec![Visit { size, job, source }], Vec::new(), scope);
        }
        self.open(Open { size, layer: child, source: Source::Held(bytes) }, &mut Hands::default(), scope);
    }

    /// The worker that reads a tar works off what it queued while too much of it waits.
    fn help(&self, hands: &mut Hands) {
        while self.waiting.load(Ordering::Acquire) > WAITING_BYTES || self.open.load(Ordering::Acquire) > OPEN_BYTES {
            let next = self.lock().visits.pop();
            match next {
                Some(visit) => self.visit(visit, hands),
                None => return,
            }
        }
    }
}

/// Goes through what can only be read from its start, until `each` says false. Returns what was wrong.
fn each_member(
    store: &Store,
    reader: &mut dyn Read,
    each: &mut dyn FnMut(usize, &mut dyn Read) -> bool,
) -> Option<String> {
    let (packing, tar) = match *store {
        Store::Tar { packing, allowed } => (packing, Some(allowed)),
        Store::Packed(packing) => (Some(packing), None),
        Store::Folder(_) | Store::Zip(_) | Store::Memory => return None,
    };
    let mut source = match expanded(packing, reader) {
        Ok(source) => source,
        Err(error) => return Some(damage(&error)),
    };
    let Some(allowed) = tar else {
        each(0, &mut source);
        return None;
    };
    tar::walk(&mut source, allowed, &mut |step| each(step.index, step.data)).map(|(_, message)| message)
}
