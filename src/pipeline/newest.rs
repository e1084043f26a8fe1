//! What a collection that is nothing but logs does not state: its time is not before its newest line, and K3s and RKE2 print their
//! version when they start.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::bundle::{Bundle, Entry, Role};
use crate::log::{last_start, latest, latest_without_year, newest_uptime};
use crate::model::NotCollected;
use crate::model::message::{GapReason, GapSubject};
use crate::pipeline::texts::{Text, from_heads};
use crate::resource::content::Shape;
use crate::resource::{Metadata, describe};

/// Tells the logs among entries.
pub type IsLog<'a> = dyn Fn(&Entry) -> bool + Sync + 'a;
/// Returns the newest time in a log.
type ReadTime<'a> = dyn Fn(&[u8]) -> Option<Timestamp> + Sync + 'a;

/// Bytes read at the beginning and at the end of a log.
const HEAD: u64 = 4 << 10;
const TAIL: usize = 64 << 10;

/// Returns the newest time that `read` finds in these logs, and its entry.
fn time(bundle: &Bundle, of: &IsLog<'_>, read: &ReadTime<'_>) -> Option<(Timestamp, Arc<str>)> {
    let newest: Mutex<Option<(Timestamp, Arc<str>)>> = Mutex::default();
    // Read errors are reported when the content is read.
    bundle.read(of, &|entry, reader| {
        let Some(time) = read(&ends(reader)) else { return };
        let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
        // If two times are equal, the entry that sorts first wins, in any order of reading.
        let is_newer = newest.as_ref().is_none_or(|(best, path)| (time, &entry.path) > (*best, path));
        if is_newer {
            *newest = Some((time, entry.path.clone()));
        }
    });
    newest.into_inner().unwrap_or_else(PoisonError::into_inner)
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
/// the newest line is the newest before `day`, if there is one.
pub fn take(metadata: &mut Metadata, bundle: &Bundle, of: &IsLog<'_>, day: Option<Timestamp>) -> Option<NotCollected> {
    if metadata.created_at.is_some() {
        return None;
    }
    let dated = time(bundle, of, &latest)
        .map(|(time, entry)| (time, GapReason::TimeOfNewestLine { time, entry: entry.to_string() }));
    let without_year = |day| {
        let (time, entry) = time(bundle, of, &|log| latest_without_year(log, day))?;
        Some((time, GapReason::YearBefore { time, entry: entry.to_string(), day }))
    };
    let (time, why) = dated.or_else(|| day.and_then(without_year)).unzip();
    metadata.created_at = time;
    Some(NotCollected { what: GapSubject::TimeOfCollection, why: why.unwrap_or(GapReason::NoTime) })
}

/// Takes the version of K3s or RKE2 from the starts in these logs, if they agree.
pub fn take_version(metadata: &mut Metadata, bundle: &Bundle, of: &IsLog<'_>) {
    let versions = Mutex::new(BTreeSet::new());
    bundle.read(of, &|_, reader| {
        let start = last_start(&ends(reader));
        versions.lock().unwrap_or_else(PoisonError::into_inner).extend(start.map(|start| start.version));
    });
    let versions = versions.into_inner().unwrap_or_else(PoisonError::into_inner);
    if versions.len() == 1 && metadata.kubernetes_version.is_none() {
        metadata.kubernetes_version = versions.into_iter().next();
    }
}

/// Returns the files of unknown content that are descriptions of kubectl.
pub fn descriptions(bundle: &Bundle) -> BTreeMap<Arc<str>, ()> {
    let is_one = |head: &[u8]| (Shape::of(head) == Some(Shape::Description)).then_some(());
    from_heads(bundle, &|entry| entry.role == Role::Unplaced, &is_one)
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
pub fn take_day(metadata: &mut Metadata, bundle: &Bundle, day: Option<Timestamp>) -> Option<NotCollected> {
    let is_printed = |head: &[u8]| matches!(Shape::of(head), Some(Shape::Table | Shape::Description));
    let heads = from_heads(bundle, &|entry| entry.role == Role::Unplaced, &|head| {
        if is_printed(head) { Some(true) } else { is_of_server(head).then_some(false) }
    });
    let others = bundle.entries().iter().any(|entry| is_content(&entry.role) && entry.role != Role::Unplaced);
    let is_alone = !heads.is_empty() && !others && heads.values().all(|is_printed| *is_printed);
    let day = day.filter(|_| is_alone)?;
    metadata.created_at = Some(day);
    Some(NotCollected { what: GapSubject::TimeOfCollection, why: GapReason::DayOfRules { day } })
}

/// Returns true if a list or an object has times that the API server gave it: a manifest has none.
fn is_of_server(head: &[u8]) -> bool {
    let behind = memchr::memmem::find_iter(head, "creationTimestamp")
        .filter_map(|at| head.get(at + "creationTimestamp".len()..));
    let mut values = behind.map(|rest| rest.iter().find(|byte| !b"\": '".contains(byte)));
    values.any(|first| first.is_some_and(u8::is_ascii_digit))
}

/// Takes the day of the rules as the time of the newest line of each of these logs, where lines have only the time since the boot;
/// returns the boots that follow from it.
pub fn take_boots(
    metadata: &mut Metadata,
    bundle: &Bundle,
    of: &IsLog<'_>,
    day: Option<Timestamp>,
) -> Option<(BTreeMap<Arc<str>, Timestamp>, NotCollected)> {
    let (day, boots) = (day?, Mutex::new(BTreeMap::new()));
    bundle.read(of, &|entry, reader| {
        let boot = newest_uptime(&ends(reader)).and_then(|uptime| day.checked_sub(uptime).ok());
        let mut boots = boots.lock().unwrap_or_else(PoisonError::into_inner);
        boots.extend(boot.map(|boot| (entry.path.clone(), boot)));
    });
    let boots = boots.into_inner().unwrap_or_else(PoisonError::into_inner);
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
        let found = time(&Bundle::from_memory("n1.zip", files, Limits::default()), &of_node, &latest).unwrap();
        assert_eq!((found.0.to_string().as_str(), &*found.1), ("2024-03-07T10:00:00Z", "n1/logs/containerd.log"));
    }
}
