//! Logs in the bundle that are truncated at the beginning or empty.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pods::PodNames;
use super::sections::{EntryPart, Sections};
use crate::bundle::{Bundle, Entry, Role};
use crate::log::{LogSource, SourceOrigin, is_note};
use crate::model::NotCollected;
use crate::model::message::{GapReason, GapSubject, LogOwner};

/// Largest size of a journal without entries: its header, and the line `-- No entries --`.
const SHORT: u64 = 512;

/// Returns true if a log must be read to find out that it is empty.
pub fn may_be_empty_journal(entry: &Entry) -> bool {
    (1..=SHORT).contains(&entry.size) && matches!(entry.role, Role::NodeLog { .. })
}

/// Returns one line for each reason why lines of logs were not collected. `texts` are those of the small logs.
pub fn find(
    bundle: &Bundle,
    pods: &PodNames,
    sections: &Sections,
    texts: &[(Arc<str>, Role, String)],
) -> Vec<NotCollected> {
    let empty_journals: BTreeSet<&str> =
        texts.iter().filter(|(_, role, text)| is_empty_journal(role, text)).map(|(path, ..)| &**path).collect();
    let mut logs: BTreeMap<LogGap, BTreeSet<LogOwner>> = BTreeMap::new();
    for part in bundle.entries().iter().flat_map(|entry| sections.parts(entry)) {
        let gap = LogGap::of(bundle, &part, empty_journals.contains(&**part.path));
        let name = pods.log(part.path, part.role).as_ref().and_then(name_of);
        if let Some((gap, name)) = gap.zip(name) {
            logs.entry(gap).or_default().insert(name);
        }
    }
    logs.into_iter().filter_map(|(gap, logs)| gap.not_collected(logs)).collect()
}

/// Reason why lines of a log were not collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LogGap {
    Truncated,
    EmptyJournal,
    EmptyFile,
}

impl LogGap {
    fn of(bundle: &Bundle, part: &EntryPart<'_>, empty_journal: bool) -> Option<Self> {
        let limit = bundle.spec().and_then(|spec| spec.journal_limit);
        match part.role {
            // The collector asks for some days only, which is reported separately; a file without errors is good.
            Role::PodLogs { .. } | Role::CollectorErrors => None,
            _ if part.size == 0 => Some(Self::EmptyFile),
            Role::NodeLog { generation: 0, .. } if limit == Some(part.size) => Some(Self::Truncated),
            Role::NodeLog { .. } if empty_journal || part.section.is_some_and(|section| section.has_no_entries) => {
                Some(Self::EmptyJournal)
            }
            _ => None,
        }
    }

    fn not_collected(self, logs: BTreeSet<LogOwner>) -> Option<NotCollected> {
        let count = logs.len();
        let log = logs.into_iter().next()?;
        let what = match (self, count) {
            (Self::Truncated, 1) => GapSubject::BeginningOfLog { log },
            (Self::Truncated, _) => GapSubject::BeginningOfLogs { count, log },
            (Self::EmptyJournal | Self::EmptyFile, 1) => GapSubject::LinesOfLog { log },
            (Self::EmptyJournal | Self::EmptyFile, _) => GapSubject::LinesOfLogs { count, log },
        };
        let why = match self {
            Self::Truncated => GapReason::EndOfJournal,
            Self::EmptyJournal => GapReason::JournalEmpty,
            Self::EmptyFile => GapReason::FileEmpty,
        };
        Some(NotCollected { what, why })
    }
}

fn is_empty_journal(role: &Role, text: &str) -> bool {
    let is_nothing = |line: &str| line.is_empty() || is_note(line.as_bytes());
    matches!(role, Role::NodeLog { .. }) && text.lines().all(|line| is_nothing(line.trim()))
}

/// Returns the owner of the log; logs of previous containers may be empty.
fn name_of(log: &LogSource) -> Option<LogOwner> {
    match log.origin.clone() {
        SourceOrigin::Container { previous: true, .. } => None,
        SourceOrigin::Container { namespace, pod, container, .. } if container.is_empty() => {
            Some(LogOwner::Pod { namespace, pod })
        }
        SourceOrigin::Container { namespace, pod, container, .. } => {
            Some(LogOwner::Container { namespace, pod, container })
        }
        SourceOrigin::Unit { node, unit } if node.is_empty() => Some(LogOwner::Unit { unit }),
        SourceOrigin::Unit { node, unit } => Some(LogOwner::UnitOfNode { unit, node }),
        SourceOrigin::Refusal | SourceOrigin::Unknown { .. } | SourceOrigin::File => {
            Some(LogOwner::Entry { path: log.entry.to_string() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;
    use crate::pipeline::heads::Heads;

    /// Bytes of a journal that support-bundle-kit keeps.
    const KEPT: u64 = 10 << 20;

    fn lines(files: &[(&str, Vec<u8>)]) -> Vec<String> {
        let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.clone())).collect();
        let bundle = Bundle::from_memory("b", files, Limits::default());
        let texts = super::super::texts::read_texts(&bundle, &may_be_empty_journal).texts;
        let heads = Heads::read(&bundle);
        let (pods, sections) = (PodNames::read(&bundle, &heads), Sections::read(&bundle, &heads, &|_| false));
        let told = find(&bundle, &pods, &sections, &texts);
        told.into_iter().map(|gap| format!("{}: {}", gap.what, gap.why)).collect()
    }

    #[test]
    fn truncated_and_empty_logs_are_reported_together() {
        let sized = |size: u64| vec![b'x'; size as usize];
        let kit = ("yamls/namespaced/harvester-system/v1/pods.yaml", sized(10));
        let none =
            b"-- Logs begin at Sun 2022-03-06 22:45:10 UTC, end at Tue 2022-03-22 23:56:05 UTC. --\n-- No entries --\n";
        let found = lines(&[
            kit.clone(),
            ("nodes/n1/logs/rke2-server.log", sized(KEPT)),
            ("nodes/n2/logs/rke2-server.log", sized(KEPT)),
            ("nodes/n2/logs/kernel.log", sized(KEPT + 1)),
            ("nodes/n2/logs/rke2-agent.log", none.to_vec()),
            ("nodes/n2/logs/iscsid.log", b"-- No entries --\nMar 06 22:45:10 n2 iscsid: x\n".to_vec()),
            ("logs/a/p/c.log", Vec::new()),
            ("logs/a/p/c.log.1", Vec::new()),
        ]);
        assert_eq!(
            found,
            [
                "the beginning of 2 logs such as that of rke2-server on node n1: the collector keeps the last 10 MiB of a journal",
                "lines in the log of rke2-agent on node n2: the journal has no entries of it",
                "lines in the log of a/p (c): the file is empty",
            ]
        );
        assert!(lines(&[kit]).is_empty());
    }

    #[test]
    fn every_kind_is_find() {
        let info = "#==[ Command ]===#\n# /usr/bin/journalctl -u rke2-agent\n-- No entries --\n\n#==[ Command ]===#\n# /usr/bin/dmesg\n[1.0] x\n";
        let found = lines(&[("basic-environment.txt", b"x\n".to_vec()), ("boot.txt", info.as_bytes().to_vec())]);
        assert!(found.len() == 1 && found[0].starts_with("lines in the log of rke2-agent"), "{found:?}");
        let heading = |word: &str| format!("==== {word} logs for container c of pod shop/web-0 ====\n");
        let dump = [heading("START"), heading("END")].concat().into_bytes();
        let found = lines(&[("nodes.json", b"{}".to_vec()), ("shop/web-0/logs.txt", dump)]);
        assert_eq!(found, ["lines in the log of shop/web-0 (c): the file is empty"]);
    }
}
