//! Parallel reading of many entries: the [`Pass`].
//!
//! Workers take the largest waiting entry from one queue, each with its own file handle. A nested zip is read into
//! memory by one worker and its members then join the queue, so a huge one keeps all cores busy; the bytes of archives
//! in memory are limited. A tar is read in sequence by one worker: its small members join the queue as buffers, large
//! ones are visited while they are streamed. If a core is idle, the rest of a large entry is expanded [`ahead`] of its
//! visit. Workers never wait: a worker without work ends, and adding work starts workers again, so a visit may use
//! rayon itself.

mod ahead;
mod failure;
mod plan;
mod queue;
mod stream;

use std::cell::Cell;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use failure::{FailedAt, Failure};
use plan::Plan;
use rayon::Scope;

use crate::bundle::containers::guard::{Guarded, Window, damage, load};
use crate::bundle::containers::layer::{ContainerLayer, MemberPlace, ReadRequest};
use crate::bundle::containers::listing::Store;
use crate::bundle::containers::parts::JoinedFile;
use crate::bundle::containers::zip;
use crate::bundle::read::queue::{Charged, Open, Queue, Source, Visit, Work};
use crate::model::message::ArchiveProblem;

/// Limit of nested archives in memory; the limits of a pass are low in tests, so that they are reached.
const OPEN_BYTES: u64 = if cfg!(test) { 1 << 11 } else { 128 << 20 };

/// Size from which an entry is worth a second thread that expands it.
const LARGE: u64 = if cfg!(test) { 1 << 10 } else { 4 << 20 };

/// Visits each requested entry once, on the current rayon pool; returns failures in sorted order.
pub(crate) fn run(
    layers: &[ContainerLayer],
    disk: &Path,
    requests: &[ReadRequest],
    visit: Visitor<'_>,
) -> Vec<Failure> {
    if requests.is_empty() {
        return Vec::new();
    }
    let pass = Pass::new(layers, disk, requests, visit);
    rayon::scope(|scope| pass.start(scope));
    let mut queue = pass.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    let unread = queue.opens.iter().map(|open| FailedAt::Archive(open.layer));
    queue.failures.extend(unread.map(|at| Failure { at, problem: ArchiveProblem::NotReached }));
    queue.failures.sort();
    queue.failures
}

/// Returns the maximum bytes of nested archives in memory in a pass over everything.
pub(crate) fn open_bytes(layers: &[ContainerLayer]) -> u64 {
    let held = |layer: &&ContainerLayer| layer.parent.is_some() && matches!(layer.store, Store::Zip(_));
    let sizes = || layers.iter().filter(held).map(ContainerLayer::size);
    let sum = sizes().fold(0, u64::saturating_add);
    sum.min(OPEN_BYTES.max(sizes().max().unwrap_or(0)))
}

type Visitor<'a> = &'a (dyn Fn(usize, &mut dyn Read) + Sync);

struct Pass<'a> {
    layers: &'a [ContainerLayer],
    disk: &'a Path,
    requests: &'a [ReadRequest],
    visit: Visitor<'a>,
    plans: Vec<Plan>,
    queue: Mutex<Queue>,
    /// Bytes of nested archives in memory.
    open: Arc<AtomicU64>,
    /// Bytes of tar members in the queue.
    waiting: Arc<AtomicU64>,
    threads: usize,
}

/// A worker's own handle of the user's zip.
#[derive(Default)]
struct Hands(Option<Window<JoinedFile>>);

impl Hands {
    fn zip(&mut self, path: &Path) -> Result<&mut Window<JoinedFile>, ArchiveProblem> {
        let open = || JoinedFile::open(path).and_then(Window::new).map_err(|error| damage(&error));
        if self.0.is_none() {
            self.0 = Some(open()?);
        }
        self.0.as_mut().ok_or(ArchiveProblem::Gone)
    }
}

impl<'a> Pass<'a> {
    fn new(layers: &'a [ContainerLayer], disk: &'a Path, requests: &'a [ReadRequest], visit: Visitor<'a>) -> Self {
        let mut pass = Self {
            layers,
            disk,
            requests,
            visit,
            plans: layers.iter().map(|_| Plan::default()).collect(),
            queue: Mutex::default(),
            open: Arc::default(),
            waiting: Arc::default(),
            threads: rayon::current_num_threads(),
        };
        pass.plan();
        pass
    }

    fn start<'s>(&'s self, scope: &Scope<'s>) {
        let waiting = {
            let queue = self.lock();
            queue.visits.len() + queue.opens.len()
        };
        self.call_workers(waiting, scope);
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, at: FailedAt, problem: ArchiveProblem) {
        self.lock().failures.push(Failure { at, problem });
    }

    /// Starts workers for `work` new units of work, at most one per thread.
    fn call_workers<'s>(&'s self, work: usize, scope: &Scope<'s>) {
        let new = {
            let mut queue = self.lock();
            let new = work.min(self.threads.saturating_sub(queue.workers));
            queue.workers += new;
            new
        };
        for _ in 0..new {
            scope.spawn(|scope| self.work(scope));
        }
    }

    fn work<'s>(&'s self, scope: &Scope<'s>) {
        let mut hands = Hands::default();
        loop {
            let next = {
                let mut queue = self.lock();
                let next = self.next(&mut queue);
                if next.is_none() {
                    queue.workers -= 1;
                }
                next
            };
            match next {
                None => return,
                Some(Work::Open(open)) => {
                    // Reserved by `next`; from here on the bytes themselves count.
                    let reserved = open.size;
                    self.open(open, &mut hands, scope);
                    self.open.fetch_sub(reserved, Ordering::AcqRel);
                }
                Some(Work::Visit(visit)) => self.visit(visit, &mut hands),
            }
        }
    }

    /// Returns the next unit of work: archives first, because they provide work for others; then the largest entry.
    ///
    /// An archive without room waits until a worker frees room, or is taken by the last worker regardless of the limit:
    /// waiting archives keep their parent archive in memory, and would wait for themselves.
    fn next(&self, queue: &mut Queue) -> Option<Work> {
        let open = self.open.load(Ordering::Acquire);
        let last = queue.workers == 1 && queue.visits.is_empty();
        let fits = |next: &Open| last || open == 0 || open.saturating_add(next.size) <= OPEN_BYTES;
        if queue.opens.peek().is_some_and(fits) {
            let next = queue.opens.pop()?;
            self.open.fetch_add(next.size, Ordering::AcqRel);
            return Some(Work::Open(next));
        }
        queue.visits.pop().map(Work::Visit)
    }

    fn push<'s>(&'s self, visits: Vec<Visit>, opens: Vec<Open>, scope: &Scope<'s>) {
        let work = visits.len() + opens.len();
        {
            let mut queue = self.lock();
            queue.visits.extend(visits);
            queue.opens.extend(opens);
        }
        self.call_workers(work, scope);
    }

    fn open<'s>(&'s self, open: Open, hands: &mut Hands, scope: &Scope<'s>) {
        let Some(layer) = self.layers.get(open.layer) else { return };
        let outcome = match (&layer.store, &open.source) {
            (Store::Folder(_), _) | (Store::Zip(_), Source::Disk) if layer.parent.is_none() => {
                self.push_members(open.layer, &Source::Disk, scope);
                Ok(())
            }
            (Store::Zip(_), _) => self.load_archive(&open, layer, hands).map(|archive| {
                self.push_members(open.layer, &Source::Archive(archive), scope);
            }),
            (Store::Tar { .. } | Store::Packed(_), Source::Disk) if layer.parent.is_none() => {
                match JoinedFile::open(self.disk) {
                    Ok(mut file) => {
                        self.stream(open.layer, &mut file, scope);
                        Ok(())
                    }
                    Err(error) => Err(damage(&error)),
                }
            }
            (Store::Tar { .. } | Store::Packed(_), source) => {
                self.with_bytes(source, layer.place(), hands, &mut |reader| self.stream(open.layer, reader, scope))
            }
            (Store::Folder(_) | Store::Memory, _) => Ok(()),
        };
        if let Err(problem) = outcome {
            self.fail(FailedAt::Archive(open.layer), problem);
        }
    }

    /// Loads the archive that contains the members into memory.
    fn load_archive(
        &self,
        open: &Open,
        layer: &ContainerLayer,
        hands: &mut Hands,
    ) -> Result<Arc<Charged>, ArchiveProblem> {
        if let Source::Held(bytes) = &open.source {
            return Ok(Charged::new(Arc::clone(bytes), &self.open));
        }
        let mut loaded = Ok(Vec::new());
        self.with_bytes(&open.source, layer.place(), hands, &mut |reader| {
            let mut guarded = Guarded::new(reader, layer.size());
            loaded = load(&mut guarded, layer.size());
            if let Some(problem) = guarded.finish() {
                self.fail(FailedAt::Archive(open.layer), problem);
            }
        })?;
        let bytes = loaded.map_err(|error| damage(&error))?;
        Ok(Charged::new(Arc::from(bytes), &self.open))
    }

    /// Queues the requested members of a layer that can be read in any order.
    fn push_members<'s>(&'s self, layer: usize, source: &Source, scope: &Scope<'s>) {
        let Some(plan) = self.plans.get(layer) else { return };
        let size = |request: usize| self.requests.get(request).map_or(0, |request| request.size);
        let visits = plan
            .requests
            .values()
            .map(|&request| Visit { size: size(request), request, source: source.clone() })
            .collect();
        let archive = |layer: usize| self.layers.get(layer).map_or(0, ContainerLayer::size);
        let opens =
            plan.children.values().map(|&layer| Open { size: archive(layer), layer, source: source.clone() }).collect();
        self.push(visits, opens, scope);
    }

    fn visit(&self, work: Visit, hands: &mut Hands) {
        let Some(request) = self.requests.get(work.request) else { return };
        let outcome = self.with_bytes(&work.source, Some(request.place), hands, &mut |reader| {
            let known = match &work.source {
                Source::Buffered(_, trouble) => trouble.clone(),
                _ => None,
            };
            self.reading_ahead(request.size, reader, &mut |reader| {
                self.visit_reader(work.request, request.size, known.clone(), reader);
            });
        });
        if let Err(problem) = outcome {
            self.fail(FailedAt::Entry(work.request), problem);
        }
    }

    /// Lets `then` read data of this size; large data is expanded in parallel once a core is idle.
    fn reading_ahead<T>(
        &self,
        size: u64,
        reader: &mut (dyn Read + Send),
        then: &mut dyn FnMut(&mut dyn Read) -> T,
    ) -> T {
        if size < LARGE {
            return then(reader);
        }
        let taken = Cell::new(false);
        let is_idle = || {
            let mut queue = self.lock();
            taken.set(queue.workers + queue.expanding < self.threads);
            queue.expanding += usize::from(taken.get());
            taken.get()
        };
        let result = ahead::with(reader, &is_idle, then);
        self.lock().expanding -= usize::from(taken.get());
        result
    }

    /// Visits the entry of `reader`. `known` is a fault found while the bytes were buffered; the end of the buffer
    /// then means nothing.
    fn visit_reader(&self, request: usize, size: u64, known: Option<ArchiveProblem>, reader: &mut dyn Read) {
        let mut guarded = Guarded::new(reader, size);
        (self.visit)(request, &mut guarded);
        if let Some(problem) = known.or(guarded.finish()) {
            self.fail(FailedAt::Entry(request), problem);
        }
    }

    /// Passes the bytes of the member at `place` to `then`.
    fn with_bytes(
        &self,
        source: &Source,
        place: Option<MemberPlace>,
        hands: &mut Hands,
        then: &mut dyn FnMut(&mut (dyn Read + Send)),
    ) -> Result<(), ArchiveProblem> {
        let vanished = || ArchiveProblem::NotFoundAgain;
        let store = |place: MemberPlace| self.layers.get(place.layer).map(|layer| &layer.store);
        match (source, place, place.and_then(store)) {
            (Source::Held(bytes), ..) => then(&mut &bytes[..]),
            (Source::Buffered(charged, _), ..) => then(&mut &charged.bytes[..]),
            (Source::Disk, Some(place), Some(Store::Folder(paths))) => {
                let path = paths.get(place.member).ok_or_else(vanished)?;
                then(&mut JoinedFile::open(path).map_err(|error| damage(&error))?);
            }
            (Source::Disk, Some(place), Some(Store::Zip(records))) => {
                zip::read(records.get(place.member).ok_or_else(vanished)?, hands.zip(self.disk)?, then)?;
            }
            (Source::Archive(archive), Some(place), Some(Store::Zip(records))) => {
                let mut cursor = Cursor::new(&archive.bytes[..]);
                zip::read(records.get(place.member).ok_or_else(vanished)?, &mut cursor, then)?;
            }
            _ => return Err(vanished()),
        }
        Ok(())
    }
}
