//! Description of a rancher2_logs_collector.sh collection: its host, the collector's failures, the age of the
//! collector, and text from the host that cannot be trusted.

use super::descriptions::Descriptions;
use crate::bundle::{Bundle, Role};
use crate::model::message::{CollectorVersion, GapReason, GapSubject, IssueMessage, VersionSign};
use crate::model::{Issue, IssueKind, NotCollected, Origin};
use crate::pipeline::texts::{Text, host_files};
use crate::resource::metadata::host::HostFile;
use crate::resource::{CollectorErrors, Metadata};

/// Output that the collector writes since a version, newest first.
const SINCE: [(&str, &str); 6] = [
    ("summary.txt", "2026-06"),
    ("/kubectl/nodes.json", "2026-03"),
    ("/kubectl/poddescribe/", "2026-02"),
    ("versions", "2026-02"),
    ("/kubectl/rancher-prov/", "2025"),
    ("collector-output.log", "2021"),
];

/// Reads the description of a collection made on a host or in a pod.
pub fn read_host(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    let mut found = Descriptions::default();
    let files = host_files(texts);
    let (metadata, issues) = Metadata::of_host(&files);
    found.issues = issues;
    found.issues.extend(obfuscated(&files));
    let other_nodes = match bundle.host() {
        Some(_) => GapReason::OneNodePerBundle,
        None => GapReason::RanInPod,
    };
    found.metadata = Some(Metadata { other_nodes: Some(other_nodes), ..metadata });
    if let Some((entry, _, text)) = texts.iter().find(|(_, role, _)| *role == Role::CollectorErrors) {
        found.errors = CollectorErrors::of_steps(entry.clone(), text);
    }
    found.not_collected.extend(quiet(bundle));
    found.collector = since(bundle);
    found
}

/// Reads the same files of a collection that has no collector log.
pub fn read_files(_: &Bundle, texts: &[Text]) -> Descriptions {
    let (metadata, issues) = Metadata::of_host(&host_files(texts));
    Descriptions { metadata: Some(metadata), issues, ..Descriptions::default() }
}

fn since(bundle: &Bundle) -> Option<(CollectorVersion, VersionSign)> {
    let fits = |mark: &str| {
        let is_it = |path: &str| if mark.starts_with('/') { path.contains(mark) } else { path == mark };
        bundle.entries().iter().any(|entry| is_it(&entry.logical))
    };
    let (mark, since) = SINCE.iter().find(|(mark, _)| fits(mark))?;
    let sign = VersionSign::WrittenSince { entry: mark.trim_matches('/'), since };
    Some((CollectorVersion::OrNewer { version: (*since).to_owned() }, sign))
}

/// Reports pods that wrote nothing in the days that the collector asks for: their logs were collected and are empty.
fn quiet(bundle: &Bundle) -> Option<NotCollected> {
    let is_quiet = |role: &Role| matches!(role, Role::PodLogs { previous: false, .. });
    let mut quiet = bundle.entries().iter().filter(|entry| entry.size == 0 && is_quiet(&entry.role));
    let first = quiet.next()?;
    let what = match quiet.count() {
        0 => GapSubject::OlderLinesOfPodLog { path: first.path.to_string() },
        more => GapSubject::OlderLinesOfPodLogs { count: more + 1, path: first.path.to_string() },
    };
    Some(NotCollected { what, why: GapReason::QuietPods })
}

/// Reports that the collector ran with `-o`, which replaces names and addresses by words.
fn obfuscated(files: &[HostFile<'_>]) -> Option<Issue> {
    let is_word = |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_lowercase());
    let is_address = |word: &str| {
        let parts: Vec<&str> = word.split(['.', '/']).collect();
        let first = parts.first().is_some_and(|first| first.len() < 4 && first.parse::<u8>().is_ok());
        first && parts.len() >= 4 && parts.get(1..4).is_some_and(|words| words.iter().copied().all(is_word))
    };
    let telling = files.iter().filter(|(path, _)| path.starts_with("networking/") || path.starts_with("systeminfo/"));
    let (path, _) = telling.into_iter().find(|(_, text)| text.split_whitespace().take(5000).any(is_address))?;
    Some(Issue::at(Origin::entry(*path), IssueKind::Layout, IssueMessage::Obfuscated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    fn bundle(files: &[(&str, &str)]) -> Bundle {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Bundle::from_memory("b", files, Limits::default())
    }

    #[test]
    fn the_age_of_the_collector_shows_in_what_it_writes() {
        let told = |files: &[(&str, &str)]| since(&bundle(files)).map(|(version, why)| format!("{version}: {why}"));
        assert_eq!(told(&[("systeminfo/date", "")]), None);
        let first = ("collector-output.log", "x");
        assert_eq!(told(&[first]).as_deref(), Some("2021 or newer: collector-output.log is written since 2021"));
        let later = ("rke2/kubectl/nodes.json", "{}");
        assert_eq!(
            told(&[first, later]).as_deref(),
            Some("2026-03 or newer: kubectl/nodes.json is written since 2026-03")
        );
    }

    #[test]
    fn empty_logs_are_reported_once() {
        let files = [
            ("collector-output.log", "x"),
            ("rke2/podlogs/a-b", ""),
            ("rke2/podlogs/a-c", ""),
            ("rke2/podlogs/a-c-previous", ""),
            ("rke2/podlogs/a-d", "x\n"),
        ];
        let told = quiet(&bundle(&files)).unwrap();
        assert_eq!(told.what.to_string(), "older lines of 2 pod logs that are empty, such as rke2/podlogs/a-b");
        assert_eq!(quiet(&bundle(&files[..1])), None);
    }

    #[test]
    fn words_in_place_of_addresses_are_noticed() {
        let told = |text: &str| obfuscated(&[("networking/ipaddrshow", text)]).is_some();
        assert!(told("    inet 10.promptly.zebra.quiet/24 brd 10.promptly.zebra.loud scope global eth0\n"));
        assert!(!told("    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0\n"));
        assert!(!told("    1.a.b.c v1.some.thing.else 300.some.thing.else"));
    }
}
