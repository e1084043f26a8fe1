//! Copies of one line in several files of one stream: `dmesg`, `kern.log`, `syslog` and `messages` of a node, a log and
//! its rotated files.
//!
//! A line of one file is a copy of a line in another file of the same node or container if both have the same message and were
//! written within two seconds, or at the same microsecond since the boot where one of them has no other time. The text that
//! syslog and dmesg put before the message is ignored. Equal lines within one file are not copies.

use std::collections::{BTreeMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use crate::log::group::retained::RetainedHit;
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::query::QueryId;
use crate::log::pattern::retention::Retention;
use crate::log::pattern::set::PatternSet;

/// Largest difference between the clocks of two writers.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);
/// Removes copies from the hits of sorted sources: the file with the best time of a line keeps it.
pub(in crate::log) fn drop_copies(set: &PatternSet, sources: &mut [SourceHits]) {
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
                drop_from(source, query, set.keep(query) == Retention::Whole, &mut seen);
            }
        }
    }
}

/// Lines with both stamps come first: they link lines that have one of the two.
fn rank(hit: &RetainedHit) -> u8 {
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

/// Lines of one writer in the files before.
#[derive(Debug, Default)]
struct Seen {
    /// Times by message, sorted.
    dated: BTreeMap<u64, Vec<Timestamp>>,
    /// Number of lines with a message and an uptime: those without other time, and all.
    uptimes: BTreeMap<(u64, u64), [usize; 2]>,
}

impl Seen {
    /// Returns the positions of lines that earlier files have, and adds the others.
    fn absorb(&mut self, hits: &[RetainedHit]) -> HashSet<usize> {
        let mut copies = HashSet::new();
        self.absorb_dated(hits, &mut copies);
        self.absorb_uptimes(hits, &mut copies);
        copies
    }

    fn absorb_dated(&mut self, hits: &[RetainedHit], copies: &mut HashSet<usize>) {
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

    fn absorb_uptimes(&mut self, hits: &[RetainedHit], copies: &mut HashSet<usize>) {
        let mut fresh: BTreeMap<(u64, u64), [usize; 2]> = BTreeMap::new();
        for (position, hit) in hits.iter().enumerate() {
            let Some(uptime) = hit.mark.uptime else { continue };
            let key = (hit.mark.message, uptime);
            let [undated, all] = fresh.entry(key).or_default();
            let known = self.uptimes.get(&key).copied().unwrap_or_default();
            // If both have a time, the time has decided already.
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
    use crate::log::group::mark::LineMark;

    fn hit(second: Option<i64>, text: &str) -> RetainedHit {
        let time = second.map(|second| Timestamp::from_second(second).unwrap());
        RetainedHit { group: 0, time, line: 1, mark: LineMark::of(text.as_bytes()), detail: None }
    }

    fn copies(files: &[&[(Option<i64>, &str)]]) -> Vec<usize> {
        let mut seen = Seen::default();
        let absorb = |file: &&[(Option<i64>, &str)]| {
            let hits: Vec<RetainedHit> = file.iter().map(|(second, text)| hit(*second, text)).collect();
            seen.absorb(&hits).len()
        };
        files.iter().map(absorb).collect()
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
    fn the_kernels_own_stamp_decides_without_a_time() {
        let raw = [(None, "[12.000001] x")];
        assert_eq!(copies(&[&raw, &raw, &[(Some(9), "n1 kernel: [12.000001] x")]]), [0, 1, 1]);
        assert_eq!(copies(&[&[(Some(9), "n1 kernel: [12.000001] x")], &raw]), [0, 1]);
        assert_eq!(copies(&[&[(Some(9), "[0.000000] x")], &[(Some(99), "[0.000000] x")]]), [0, 0]);
        assert_eq!(copies(&[&[(None, "x")], &[(None, "x")], &raw]), [0, 0, 0]);
    }
}
