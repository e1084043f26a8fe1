//! Copies of one line in several files of one stream: `dmesg`, `kern.log`, `syslog` and `messages` of a node, a log and
//! what was rotated out of it.
//!
//! A line of one file is a copy of one of another file of the same node or container when both say the same and were
//! written within two seconds, or since the boot at the same microsecond where one of them has no other time. What
//! syslog and dmesg put before the message does not count. Equal lines within one file are no copies.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use memchr::memmem::Finder;

use super::QueryId;
use super::SourceHits;
use super::kept::{Hit, Keep};
use super::pattern::PatternSet;

/// Clocks of two writers differ by no more.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);
/// Bytes in which the name of the host and `kernel:` stand.
const MAX_HEAD: usize = 300;

/// What a line is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Hash of the message.
    message: u64,
    /// Microseconds since the boot, where the kernel's own stamp is there.
    pub uptime: Option<u64>,
}

impl Mark {
    /// The mark of what patterns see of a line.
    pub fn of(text: &[u8]) -> Self {
        let (message, uptime) = message(text);
        // Without keys of its own the hasher gives the same in every run.
        let mut hasher = DefaultHasher::new();
        message.trim_ascii().hash(&mut hasher);
        Self { message: hasher.finish(), uptime }
    }
}

/// What the journal and syslog write before what the kernel says.
const KERNEL: &str = "kernel: ";
/// Made once: making it took longer than to search a line.
static KERNEL_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(KERNEL));

/// The message behind host, facility and the kernel's stamp: `n1 kernel: [   12.345678] text`,
/// `kern  :err   : [Wed Mar  6 10:15:30 2024] text`.
fn message(text: &[u8]) -> (&[u8], Option<u64>) {
    let head = text.get(..MAX_HEAD).unwrap_or(text);
    let kernel = KERNEL_FINDER.find(head).filter(|at| is_one_word(head.get(..*at).unwrap_or_default()));
    let mut rest = match kernel {
        Some(at) => text.get(at + KERNEL.len()..).unwrap_or_default(),
        None => behind_facility(text).unwrap_or(text),
    };
    let mut uptime = None;
    if let Some((inside, behind)) = bracket(rest) {
        uptime = micros(inside);
        if uptime.is_some() || inside.iter().filter(|byte| **byte == b':').count() == 2 {
            rest = behind;
        }
    }
    (rest, uptime)
}

fn is_one_word(host: &[u8]) -> bool {
    host.is_empty() || (host.ends_with(b" ") && !host.trim_ascii_end().contains(&b' '))
}

/// Behind `kern  :err   : `, as `dmesg -x` writes it.
fn behind_facility(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"kern")?.trim_ascii_start().strip_prefix(b":")?;
    let end = rest.get(..16).unwrap_or(rest).iter().position(|byte| *byte == b':')?;
    rest.get(end + 1..).map(<[u8]>::trim_ascii_start)
}

fn bracket(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_prefix(b"[")?;
    let end = inner.get(..40).unwrap_or(inner).iter().position(|byte| *byte == b']')?;
    Some((inner.get(..end)?, inner.get(end + 1..)?))
}

/// `   12.345678` in microseconds.
fn micros(text: &[u8]) -> Option<u64> {
    let (seconds, fraction) = std::str::from_utf8(text).ok()?.trim_start().split_once('.')?;
    let fraction = if fraction.len() == 6 { fraction.parse::<u64>().ok()? } else { return None };
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(fraction)
}

/// Takes copies out of what sorted sources gave: of each line the file that tells most of its time keeps it.
pub(super) fn drop_copies(set: &PatternSet, sources: &mut [SourceHits]) {
    let mut files: BTreeMap<(QueryId, String), Vec<(u8, usize)>> = BTreeMap::new();
    for (position, source) in sources.iter().enumerate() {
        let Some(writer) = source.source.writer() else { continue };
        for (query, kept) in source.kept.iter().filter(|(query, _)| set.is_crowded(**query, &writer)) {
            let rank = kept.hits.iter().map(rank).min().unwrap_or_default();
            files.entry((*query, writer.clone())).or_default().push((rank, position));
        }
    }
    for ((query, _), mut files) in files {
        files.sort_unstable();
        let mut seen = Seen::default();
        for (_, position) in files {
            if let Some(source) = sources.get_mut(position) {
                drop_from(source, query, set.keep(query) == Keep::Whole, &mut seen);
            }
        }
    }
}

/// Lines with both stamps come first: they tell which of the others are one.
fn rank(hit: &Hit) -> u8 {
    match (hit.time, hit.mark.uptime) {
        (Some(_), Some(_)) => 0,
        (Some(_), None) => 1,
        (None, _) => 2,
    }
}

fn drop_from(source: &mut SourceHits, query: QueryId, whole: bool, seen: &mut Seen) {
    let SourceHits { kept, groups, .. } = source;
    let Some(kept) = kept.get_mut(&query) else { return };
    let copies = seen.absorb(&kept.hits);
    for hit in copies.iter().filter(|_| !whole).filter_map(|position| kept.hits.get(*position)) {
        if let Some((_, group)) = groups.get_mut(hit.group) {
            group.count = group.count.saturating_sub(1);
            match hit.time {
                Some(time) => group.times.remove(time),
                None => group.undated = group.undated.saturating_sub(1),
            }
        }
    }
    let mut position = 0;
    kept.hits.retain(|_| {
        position += 1;
        !copies.contains(&(position - 1))
    });
}

/// Lines of one writer that earlier files have.
#[derive(Debug, Default)]
struct Seen {
    /// Times by message, sorted.
    dated: BTreeMap<u64, Vec<Timestamp>>,
    /// How often a message was written at an uptime: by lines without other time, and by all.
    uptimes: BTreeMap<(u64, u64), [usize; 2]>,
}

impl Seen {
    /// Positions of those lines of a file that earlier files have; the others are noted.
    fn absorb(&mut self, hits: &[Hit]) -> HashSet<usize> {
        let mut copies = HashSet::new();
        self.absorb_dated(hits, &mut copies);
        self.absorb_uptimes(hits, &mut copies);
        copies
    }

    fn absorb_dated(&mut self, hits: &[Hit], copies: &mut HashSet<usize>) {
        let mut fresh: BTreeMap<u64, Vec<(Timestamp, usize)>> = BTreeMap::new();
        for (position, hit) in hits.iter().enumerate() {
            if let Some(time) = hit.time {
                fresh.entry(hit.mark.message).or_default().push((time, position));
            }
        }
        for (message, mut lines) in fresh {
            lines.sort_unstable();
            let known = self.dated.entry(message).or_default();
            let mut new = Vec::new();
            let mut at = 0;
            for (time, position) in lines {
                while known.get(at).is_some_and(|known| time.duration_since(*known) > TOLERANCE) {
                    at += 1;
                }
                if known.get(at).is_some_and(|known| known.duration_since(time) <= TOLERANCE) {
                    copies.insert(position);
                    at += 1;
                } else {
                    new.push(time);
                }
            }
            known.extend(new);
            known.sort_unstable();
        }
    }

    fn absorb_uptimes(&mut self, hits: &[Hit], copies: &mut HashSet<usize>) {
        let mut fresh: BTreeMap<(u64, u64), [usize; 2]> = BTreeMap::new();
        for (position, hit) in hits.iter().enumerate() {
            let Some(uptime) = hit.mark.uptime else { continue };
            let key = (hit.mark.message, uptime);
            let [undated, all] = fresh.entry(key).or_default();
            let known = self.uptimes.get(&key).copied().unwrap_or_default();
            // Where both have a time, the time has told.
            let before = if hit.time.is_some() { known[0] } else { known[1] };
            if *all < before {
                copies.insert(position);
            }
            *all += 1;
            *undated += usize::from(hit.time.is_none());
        }
        for (key, [undated, all]) in fresh {
            let known = self.uptimes.entry(key).or_default();
            *known = [known[0].max(undated), known[1].max(all)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(second: Option<i64>, text: &str) -> Hit {
        let time = second.map(|second| Timestamp::from_second(second).unwrap());
        Hit { group: 0, time, line: 1, mark: Mark::of(text.as_bytes()), detail: None }
    }

    fn copies(files: &[&[(Option<i64>, &str)]]) -> Vec<usize> {
        let mut seen = Seen::default();
        let absorb = |file: &&[(Option<i64>, &str)]| {
            let hits: Vec<Hit> = file.iter().map(|(second, text)| hit(*second, text)).collect();
            seen.absorb(&hits).len()
        };
        files.iter().map(absorb).collect()
    }

    #[test]
    fn every_form_of_a_kernel_line_has_one_mark() {
        let message = Mark::of(b"Out of memory: Killed process 7").message;
        for (text, uptime) in [
            ("n1 kernel: Out of memory: Killed process 7", None),
            ("kernel: Out of memory: Killed process 7 ", None),
            ("n1 kernel: [   12.345678] Out of memory: Killed process 7", Some(12_345_678)),
            ("[   12.345678] Out of memory: Killed process 7", Some(12_345_678)),
            ("kern  :err   : [Wed Mar  6 10:15:30 2024] Out of memory: Killed process 7", None),
            ("[Wed Mar  6 10:15:30 2024] Out of memory: Killed process 7", None),
        ] {
            assert_eq!(Mark::of(text.as_bytes()), Mark { message, uptime }, "{text}");
        }
        for text in ["[sda] Out of memory: Killed process 7", "a b kernel: Out of memory: Killed process 7"] {
            assert_ne!(Mark::of(text.as_bytes()).message, message, "{text}");
        }
    }

    #[test]
    fn each_line_has_one_copy_in_another_file() {
        let twice = [(Some(10), "n1 kernel: x"), (Some(10), "n1 kernel: x")];
        assert_eq!(copies(&[&twice]), [0]);
        assert_eq!(copies(&[&twice, &[(Some(12), "[1.000000] x")], &[(Some(8), "x")]]), [0, 1, 1]);
        assert_eq!(copies(&[&twice, &[(Some(10), "x"), (Some(10), "x"), (Some(10), "x")]]), [0, 2]);
        assert_eq!(copies(&[&twice, &[(Some(13), "x"), (Some(10), "y")]]), [0, 0]);
    }

    #[test]
    fn the_kernels_own_stamp_tells_where_there_is_no_time() {
        let raw = [(None, "[12.000001] x")];
        assert_eq!(copies(&[&raw, &raw, &[(Some(9), "n1 kernel: [12.000001] x")]]), [0, 1, 1]);
        assert_eq!(copies(&[&[(Some(9), "n1 kernel: [12.000001] x")], &raw]), [0, 1]);
        assert_eq!(copies(&[&[(Some(9), "[0.000000] x")], &[(Some(99), "[0.000000] x")]]), [0, 0]);
        assert_eq!(copies(&[&[(None, "x")], &[(None, "x")], &raw]), [0, 0, 0]);
    }
}
