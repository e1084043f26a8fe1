//! Containers that can only be read from the start: tars and compressed files.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::Scope;

use super::failure::FailedAt;
use super::{Hands, LARGE, OPEN_BYTES, Pass};
use crate::bundle::containers::guard::{Guarded, damage, load};
use crate::bundle::containers::layer::ContainerLayer;
use crate::bundle::containers::listing::Store;
use crate::bundle::containers::tar;
use crate::bundle::read::queue::{Charged, Open, Source, Visit};
use crate::model::message::ArchiveProblem;

/// Limit of queued tar members in bytes.
const WAITING_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 32 << 20 };
/// Size above which a tar member is visited while it is streamed.
const BUFFERED: u64 = if cfg!(test) { 1 << 16 } else { 8 << 20 };

impl Pass<'_> {
    /// Reads a tar or a compressed file until all requested members have been visited.
    pub(super) fn stream<'s>(&'s self, layer: usize, reader: &mut (dyn Read + Send), scope: &Scope<'s>) {
        let (Some(plan), Some(store)) = (self.plans.get(layer), self.layers.get(layer).map(|layer| &layer.store))
        else {
            return;
        };
        let mut left = plan.members();
        let mut hands = Hands::default();
        let mut each = |member: usize, data: &mut dyn Read| {
            match (plan.requests.get(&member), plan.children.get(&member)) {
                (None, None) => return true,
                (request, Some(&child)) => self.open_streamed(child, request.copied(), data, scope),
                (Some(&request), None) => self.take_streamed(request, data, scope),
            }
            self.help(&mut hands);
            left -= 1;
            left > 0
        };
        let trouble = match source(store, reader) {
            Ok(mut source) => {
                self.reading_ahead(LARGE, &mut source, &mut |source| each_member(store, source, &mut each))
            }
            Err(error) => Some(damage(&error)),
        };
        if left > 0 {
            let why = Box::new(trouble.unwrap_or(ArchiveProblem::Ended));
            self.fail(FailedAt::Archive(layer), ArchiveProblem::MembersNotReached { count: left, why });
        }
    }

    /// Queues a small member for any worker; visits a large one immediately.
    fn take_streamed<'s>(&'s self, request: usize, data: &mut dyn Read, scope: &Scope<'s>) {
        let size = self.requests.get(request).map_or(0, |request| request.size);
        if size > BUFFERED {
            self.visit_reader(request, size, None, data);
            return;
        }
        let mut guarded = Guarded::new(data, size);
        match load(&mut guarded, size) {
            Ok(bytes) => {
                let source = Source::Buffered(Charged::new(Arc::from(bytes), &self.waiting), guarded.finish());
                self.push(vec![Visit { size, request, source }], Vec::new(), scope);
            }
            Err(error) => self.fail(FailedAt::Entry(request), damage(&error)),
        }
    }

    /// Reads an archive inside a tar into memory, if it or one of its members is requested.
    fn open_streamed<'s>(&'s self, child: usize, request: Option<usize>, data: &mut dyn Read, scope: &Scope<'s>) {
        let size = self.layers.get(child).map_or(0, ContainerLayer::size);
        let mut guarded = Guarded::new(data, size);
        let bytes: Arc<Vec<u8>> = match load(&mut guarded, size) {
            Ok(bytes) => Arc::from(bytes),
            Err(error) => return self.fail(FailedAt::Archive(child), damage(&error)),
        };
        if let Some(request) = request {
            let source = Source::Buffered(Charged::new(Arc::clone(&bytes), &self.waiting), guarded.finish());
            self.push(vec![Visit { size, request, source }], Vec::new(), scope);
        }
        self.open(Open { size, layer: child, source: Source::Held(bytes) }, &mut Hands::default(), scope);
    }

    /// Lets the worker that reads a tar process the queue while too many bytes are waiting.
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

/// Returns the expanded bytes of a container that can only be read from the start.
fn source<'r>(store: &Store, reader: &'r mut (dyn Read + Send)) -> io::Result<Box<dyn Read + Send + 'r>> {
    match *store {
        Store::Tar { packing: Some(packing), .. } | Store::Packed(packing) => Ok(Box::new(packing.decode(reader)?)),
        Store::Tar { packing: None, .. } => Ok(Box::new(reader)),
        Store::Folder(_) | Store::Zip(_) | Store::Memory => Ok(Box::new(io::empty())),
    }
}

/// Reads the members until `each` returns false. Returns the faults found.
fn each_member(
    store: &Store,
    source: &mut dyn Read,
    each: &mut dyn FnMut(usize, &mut dyn Read) -> bool,
) -> Option<ArchiveProblem> {
    let Store::Tar { allowed, .. } = *store else {
        each(0, source);
        return None;
    };
    tar::walk(source, allowed, &mut |step| each(step.index, step.data)).map(|(_, problem)| problem)
}
