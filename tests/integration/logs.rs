//! Scans the logs of a real bundle; skipped unless GLEANER_CORPUS names the folder that contains it.

use std::error::Error;
use std::fs::File;
use std::io::{Cursor, Read};

use gleaner::internals::log::{
    Clock, GroupKey, LogIndex, LogQuery, LogSource, PatternSet, Selector, SourceGlob, SourceHits, SourceOrigin,
};
use zip::ZipArchive;

const BUNDLE: &str = "harvester-v1.0-single-node.zip";

fn query(unit: &str, pattern: &str, by: &[&str]) -> LogQuery {
    let glob = SourceGlob { unit: Some(unit.to_owned()), ..SourceGlob::default() };
    LogQuery {
        selector: Selector { any: vec![glob] },
        patterns: vec![pattern.to_owned()],
        by: by.iter().map(|name| GroupKey::Capture((*name).to_owned())).collect(),
        ..LogQuery::default()
    }
}

type NodeZip = ZipArchive<Cursor<Vec<u8>>>;
type Scanned = (Vec<SourceHits>, LogIndex);

/// The node zip inside the bundle; none when there is no corpus.
fn node_zip() -> Result<Option<NodeZip>, Box<dyn Error>> {
    let Some(folder) = std::env::var_os("GLEANER_CORPUS") else { return Ok(None) };
    let mut outer = ZipArchive::new(File::open(std::path::Path::new(&folder).join(BUNDLE))?)?;
    for index in 0..outer.len() {
        let mut entry = outer.by_index(index)?;
        if entry.name()?.ends_with("nodes/node1.zip") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            return Ok(Some(ZipArchive::new(Cursor::new(bytes))?));
        }
    }
    Err("the bundle has no nodes/node1.zip".into())
}

/// Scans all journals of the node.
fn scan(set: &PatternSet) -> Result<Option<Scanned>, Box<dyn Error>> {
    let Some(mut zip) = node_zip()? else { return Ok(None) };
    let clock = Clock { now: Some("2022-03-22T23:49:32Z".parse()?), ..Clock::default() };
    let (mut sources, mut hits) = (Vec::new(), Vec::new());
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index)?;
        let path = entry.name()?.into_owned();
        let Some(unit) = path.rsplit_once("/logs/").and_then(|(_, file)| file.strip_suffix(".log")) else { continue };
        let origin = SourceOrigin::Unit { node: "node1".to_owned(), unit: unit.to_owned() };
        let source = LogSource { entry: path.as_str().into(), origin };
        if let Some(scanner) = set.scanner(&source, &path, clock) {
            hits.push(scanner.scan(&mut entry));
        }
        sources.push((source, path));
    }
    let index = LogIndex::build(set, &sources, hits.clone(), &|_, _| None);
    Ok(Some((hits, index)))
}

#[test]
fn file_system_errors_are_counted_by_device() -> Result<(), Box<dyn Error>> {
    let set = PatternSet::compile(vec![
        query("kernel", r"EXT4-fs (?:error|warning) \(device (?<device>[\w-]+)\)", &["device"]),
        query("kernel", r"EXT4-fs (?<what>error|warning) \(device", &["what"]),
        query("rancher-system-agent", r"Probe succeeded", &[]),
        query("*", r"^-- No entries --$", &[]),
    ])
    .map_err(|errors| format!("{errors:?}"))?;
    let Some((hits, index)) = scan(&set)? else {
        println!("skipped: GLEANER_CORPUS is not set");
        return Ok(());
    };
    for hits in &hits {
        println!(
            "{}: {} lines, {} bytes, {:?} to {:?}",
            hits.source.entry, hits.lines, hits.bytes, hits.first, hits.last
        );
    }
    for group in index.answer(0).groups.iter().chain(&index.answer(1).groups) {
        println!(
            "{:?}: {} hits, {:?} to {:?}, {}",
            group.key, group.count, group.first, group.last, group.last_hit.text
        );
    }
    let counts = |query| index.answer(query).groups.iter().map(|group| group.count).collect::<Vec<u64>>();
    // Counted with grep: warnings of sdb, errors of sdc.
    assert_eq!((counts(0), counts(1)), (vec![5037, 126_042], vec![126_042, 5037]));
    assert!(index.answer(0).groups.iter().all(|group| group.undated == 0));
    // The journal's own header states where it begins.
    assert_eq!(index.span().0.map(|time| time.to_string()).as_deref(), Some("2022-03-06T22:45:10Z"));
    assert_eq!(index.answer(2).sources, 1);
    assert!(index.answer(3).groups.is_empty(), "a note of journalctl is no line of the log");
    assert!(index.issues().is_empty(), "{:?}", index.issues());
    Ok(())
}
