//! What a collection that is nothing but logs does not state: its time is not before its newest line, and K3s and RKE2 print their
//! version when they start.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::heads::Heads;
use crate::bundle::{Bundle, Entry, Role};
use crate::log::{last_start, latest, latest_without_year, newest_uptime};
use crate::model::NotCollected;
use crate::model::encoding::Utf8Reader;
use crate::model::message::{GapReason, GapSubject};
use crate::pipeline::texts::Text;
use crate::resource::{Metadata, describe};

/// Tells the logs among entries.
pub type IsLog<'a> = dyn Fn(&Entry) -> bool + Sync + 'a;

/// Zone of the stamps of an entry.
pub type ZoneOf<'a> = dyn Fn(&Entry) -> Option<i32> + Sync + 'a;

/// Bytes read at the beginning and at the end of a log.
const HEAD: u64 = 16 << 10;
const TAIL: usize = 64 << 10;

/// What the first and the last lines of one log tell.
struct Ends {
    /// Its newest time.
    time: Option<Timestamp>,
    /// The same with the newest year before the day of the rules, if its lines have none.
    of_year: Option<Timestamp>,
    /// Its newest time since the boot, if its lines have no other.
    uptime: Option<SignedDuration>,
    /// Version of the K3s or RKE2 that started in it.
    version: Option<String>,
}

/// What the ends of logs tell, by path.
pub struct LogEnds {
    logs: BTreeMap<Arc<str>, Ends>,
    /// The day of the rules, if years and times may be made up for.
    day: Option<Timestamp>,
}

impl LogEnds {
    /// Reads each of these logs once. `day` is the day of the rules, if times that logs do not state may follow from it, and `zone_of` the
    /// zone of stamps that state none, in seconds east of UTC.
    pub fn read(bundle: &Bundle, of: &IsLog<'_>, day: Option<Timestamp>, zone_of: &ZoneOf<'_>) -> Self {
        let logs = Mutex::new(BTreeMap::new());
        // Read errors are reported when the content is read.
        bundle.read(of, &|entry, reader| {
            let ends = Ends::of(&ends(&mut Utf8Reader::new(reader)), day, zone_of(entry));
            logs.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.path.clone(), ends);
        });
        Self { logs: logs.into_inner().unwrap_or_else(PoisonError::into_inner), day }
    }

    /// Returns the newest time in these logs, and its entry; of equal ones the entry that sorts last.
    fn newest(&self, time: fn(&Ends) -> Option<Timestamp>) -> Option<(Timestamp, Arc<str>)> {
        let times = self.logs.iter().filter_map(|(path, ends)| Some((time(ends)?, path.clone())));
        times.max()
    }
}

impl Ends {
    fn of(log: &[u8], day: Option<Timestamp>, zone: Option<i32>) -> Self {
        let time = latest(log, zone);
        let day = day.filter(|_| time.is_none());
        Self {
            time,
            of_year: day.and_then(|day| latest_without_year(log, day)),
            uptime: day.and_then(|_| newest_uptime(log)),
            version: last_start(log).map(|start| start.version),
        }
    }
}

/// Returns true for roles of entries that are read for rules.
pub fn is_content(role: &Role) -> bool {
    !matches!(role, Role::Other | Role::Archive)
}

/// Returns true for logs of nodes.
pub fn of_node(entry: &Entry) -> bool {
    matches!(entry.role, Role::NodeLog { .. })
}

/// Takes the time of a collection that states none from the newest line of these logs, and tells it. Where no line has a year, that of
/// the newest line is the newest before the day of the rules, if that may be used.
pub fn take(metadata: &mut Metadata, logs: &LogEnds) -> NotCollected {
    let dated = logs.newest(|ends| ends.time);
    let dated = dated.map(|(time, entry)| (time, GapReason::TimeOfNewestLine { time, entry: entry.to_string() }));
    let without_year = |day| {
        let (time, entry) = logs.newest(|ends| ends.of_year)?;
        Some((time, GapReason::YearBefore { time, entry: entry.to_string(), day }))
    };
    let (time, why) = dated.or_else(|| logs.day.and_then(without_year)).unzip();
    metadata.created_at = time;
    NotCollected { what: GapSubject::TimeOfCollection, why: why.unwrap_or(GapReason::NoTime) }
}

/// Takes the version of K3s or RKE2 from the starts in these logs, if they agree.
pub fn take_version(metadata: &mut Metadata, logs: &LogEnds) {
    let mut versions: BTreeSet<&String> = logs.logs.values().filter_map(|ends| ends.version.as_ref()).collect();
    if versions.len() == 1 && metadata.kubernetes_version.is_none() {
        metadata.kubernetes_version = versions.pop_first().cloned();
    }
}

/// Takes the time at which the last container ended that runs no more, as descriptions of kubectl show it, as that of a collection that states none.
pub fn take_last_end(metadata: &mut Metadata, texts: &[Text]) -> Option<NotCollected> {
    if metadata.created_at.is_some() {
        return None;
    }
    let ended = texts.iter().filter_map(|(entry, _, text)| Some((describe::last_end(text)?, entry)));
    let (time, entry) = ended.max_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)))?;
    metadata.created_at = Some(time);
    let why = GapReason::LastEnd { time, entry: entry.to_string() };
    Some(NotCollected { what: GapSubject::TimeOfCollection, why })
}

/// Takes the day of the rules as the time of a collection whose only times are the ages that kubectl printed: no other day would give another
/// result. Objects with times of their own would be too old then.
pub fn take_day(
    metadata: &mut Metadata,
    bundle: &Bundle,
    heads: &Heads,
    day: Option<Timestamp>,
) -> Option<NotCollected> {
    let others = bundle.entries().iter().any(|entry| is_content(&entry.role) && !heads.is_unplaced(entry));
    let is_alone = heads.have_only_ages() && !others;
    let day = day.filter(|_| is_alone)?;
    metadata.created_at = Some(day);
    Some(NotCollected { what: GapSubject::TimeOfCollection, why: GapReason::DayOfRules { day } })
}

/// Takes the day of the rules as the time of the newest line of each of these logs, where lines have only the time since the boot;
/// returns the boots that follow from it.
pub fn take_boots(metadata: &mut Metadata, logs: &LogEnds) -> Option<(BTreeMap<Arc<str>, Timestamp>, NotCollected)> {
    let day = logs.day?;
    let boot = |ends: &Ends| day.checked_sub(ends.uptime?).ok();
    let boots: BTreeMap<_, _> = logs.logs.iter().filter_map(|(path, ends)| Some((path.clone(), boot(ends)?))).collect();
    if boots.is_empty() {
        return None;
    }
    metadata.created_at = Some(day);
    Some((boots, NotCollected { what: GapSubject::TimeOfCollection, why: GapReason::DayOfRules { day } }))
}

/// Returns the first and the last bytes of a text, with a line end between them.
fn ends(reader: &mut dyn Read) -> Vec<u8> {
    let mut head = Vec::new();
    let _ = reader.take(HEAD).read_to_end(&mut head);
    let (mut tail, mut chunk) = (Vec::new(), vec![0; TAIL]);
    while let Ok(read @ 1..) = reader.read(&mut chunk) {
        tail.extend_from_slice(chunk.get(..read).unwrap_or_default());
        tail.drain(..tail.len().saturating_sub(TAIL));
    }
    head.push(b'\n');
    head.extend(tail);
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    #[test]
    fn the_newest_line_counts() {
        let middle = "x\n".repeat(TAIL);
        let log = format!("2024-03-06T10:00:00Z a\n{middle}2024-03-07T10:00:00Z b\nno time\n");
        let files = [("n1/configs/oem/a.yaml", "a: b\n"), ("n1/logs/containerd.log", log.as_str())];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        let found = LogEnds::read(&Bundle::from_memory("n1.zip", files, Limits::default()), &of_node, None, &|_| None);
        let found = found.newest(|ends| ends.time).unwrap();
        assert_eq!((found.0.to_string().as_str(), &*found.1), ("2024-03-07T10:00:00Z", "n1/logs/containerd.log"));
    }
}
