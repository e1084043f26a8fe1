//! Damaged archives: whatever fires on the whole bundle fires on the rest of it or is not evaluated, and nothing that may be
//! lost counts as absent.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use gleaner::model::{Analysis, RuleOutcomes};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use gleaner::{AnalyzeOptions, Bundle, Limits, OpenError, RuleSet, Streams, analyze, compile_rules, embedded_rules};

use crate::harness::{corpus, files_below, sample};

const SAMPLES: [&str; 6] = [
    "healthy",
    "hook-deleted-configmap",
    "orphans-behind-webhook",
    "stale-managed-chart",
    "tiller-failed-upgrade",
    "busy-healthy",
];

static RULES: LazyLock<RuleSet> = LazyLock::new(|| {
    let rules = embedded_rules();
    compile_rules(rules.sources, &Streams::parse(rules.streams).unwrap()).unwrap()
});

/// An archive with a part missing or damaged.
struct Damaged {
    what: String,
    bytes: Vec<u8>,
}

impl Damaged {
    fn new(what: String, bytes: impl Into<Vec<u8>>) -> Self {
        Self { what, bytes: bytes.into() }
    }
}

/// Opens the archive under this name and analyses each bundle in it.
fn analyses(name: &str, bytes: &[u8]) -> Result<Vec<Analysis>, OpenError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let bundles = Bundle::open_all(&path, Limits::default())?;
    Ok(bundles.iter().map(|bundle| analyze(bundle, &RULES, AnalyzeOptions::default(), &())).collect())
}

/// Returns what a damaged bundle concludes and the whole one does not.
fn wrong(whole: &RuleOutcomes, damaged: &RuleOutcomes) -> Vec<String> {
    let said = |rule: &String| -> Option<&str> {
        let absent = damaged.not_applicable.iter().any(|other| other.rule == *rule);
        if damaged.clean.contains(rule) { Some("clean") } else { absent.then_some("not applicable") }
    };
    let missed = whole.fired.iter().filter_map(|rule| Some(format!("{rule} fired, and is {}", said(rule)?)));
    let was_absent = |rule: &String| whole.not_applicable.iter().any(|other| other.rule == *rule);
    let absent = damaged.not_applicable.iter().filter(|other| !was_absent(&other.rule));
    missed.chain(absent.map(|other| format!("{} is not applicable: {}", other.rule, other.reason))).collect()
}

/// Fails unless each damaged archive is one bundle, of which no rule concludes more than of the whole. What has nothing left
/// to analyse may be refused.
fn assert_nothing_lost_is_absent(name: &str, whole: &[u8], damaged: &[Damaged]) {
    let [whole] = analyses(name, whole).unwrap().try_into().unwrap();
    let judge = |damaged: &Damaged| -> Vec<String> {
        let found = match analyses(name, &damaged.bytes) {
            Ok(bundles) if bundles.len() == 1 => wrong(&whole.rules, &bundles[0].rules),
            Ok(bundles) => vec![format!("there are {} bundles", bundles.len())],
            Err(OpenError::Damaged { .. } | OpenError::NothingReadable { .. } | OpenError::NotABundle { .. }) => {
                Vec::new()
            }
            Err(error) => vec![error.to_string()],
        };
        found.into_iter().map(|wrong| format!("{name}, {}: {wrong}", damaged.what)).collect()
    };
    let faults = in_parallel(damaged, judge);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Runs a check on each item, one on each core, and returns all faults.
fn in_parallel<T: Sync>(items: &[T], check: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = pool.install(|| check(item));
            faults.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores).for_each(|_| drop(scope.spawn(work)));
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    faults
}

/// Cuts an archive at places that are evenly spread.
fn cuts(whole: &[u8], count: usize) -> impl Iterator<Item = Damaged> {
    let at = move |n: usize| n * whole.len() / (count + 1);
    (1..=count).map(move |n| Damaged::new(format!("cut at {} of {}", at(n), whole.len()), &whole[..at(n)]))
}

fn flipped(whole: &[u8], at: usize, bit: usize) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    bytes[at] ^= 1 << (bit % 8);
    bytes
}

/// The archive with one wrong bit at places of its directory and its end record.
fn directory_flips(whole: &[u8], count: usize) -> Vec<Damaged> {
    let (begin, end) = (directory(whole), whole.len());
    let at = |n: usize| begin + n * (end - begin) / count;
    (0..count).map(|n| Damaged::new(format!("wrong bit {n} at {}", at(n)), flipped(whole, at(n), n))).collect()
}

/// Returns the start of a zip's directory.
fn directory(whole: &[u8]) -> usize {
    let at = whole.len() - 6;
    u32::from_le_bytes(whole[at..at + 4].try_into().unwrap()) as usize
}

type Files = Vec<(String, Vec<u8>)>;

/// Files of a sample below one folder.
fn files_of(name: &str) -> Files {
    files_below(&sample(name)).into_iter().map(|(path, bytes)| (format!("sb/{path}"), bytes)).collect()
}

/// Packs files as a zip, in which archives are stored.
fn zipped(files: &Files) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let method = if name.ends_with(".zip") { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        writer.start_file(name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Packs files as a zip, and again these under the same names.
fn zipped_twice(files: &Files, again: Files) -> Vec<u8> {
    // The library rejects a second name.
    let again = again.into_iter().map(|(path, bytes)| (path.replacen("sb/", "SB/", 1), bytes));
    let mut bytes = zipped(&files.iter().cloned().chain(again).collect());
    while let Some(at) = memchr::memmem::find(&bytes, b"SB/") {
        bytes[at..at + 2].copy_from_slice(b"sb");
    }
    bytes
}

fn tarred(files: &Files) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // The library rejects names that lead out.
        match name.contains("..") {
            true => {
                header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
                header.set_cksum();
                archive.append(&header, bytes.as_slice()).unwrap();
            }
            false => archive.append_data(&mut header, name, bytes.as_slice()).unwrap(),
        }
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn samples_that_are_cut_conclude_nothing_from_what_is_lost() {
    for (number, name) in SAMPLES.iter().enumerate() {
        let files = files_of(name);
        let zip = zipped(&files);
        assert_nothing_lost_is_absent(name, &zip, &directory_flips(&zip, 10));
        let tar = || tarred(&files.iter().rev().cloned().collect());
        let packed = match number {
            0 => gzip(&tar()),
            1 => zstd::encode_all(tar().as_slice(), 1).unwrap(),
            2 => tar(),
            3 => liblzma::encode_all(tar().as_slice(), 0).unwrap(),
            _ => zip,
        };
        assert_nothing_lost_is_absent(name, &packed, &cuts(&packed, 30).collect::<Vec<_>>());
    }
}

#[test]
fn real_bundles_that_are_cut_conclude_nothing_from_what_is_lost() {
    for name in
        ["harvester-v1.0-single-node.zip", "rancher-rke2-server-2025-11-27.tar.gz", "troubleshoot-k3s-2022.tar.gz"]
    {
        let Some(path) = corpus(name) else { return };
        let whole = std::fs::read(&path).unwrap();
        let mut damaged: Vec<Damaged> = cuts(&whole, 30).collect();
        if Path::new(name).extension().is_some_and(|ending| ending == "zip") {
            damaged.extend(directory_flips(&whole, 10));
        }
        assert_nothing_lost_is_absent(name, &whole, &damaged);
    }
}

/// Returns the position of each name in the headers before the entries.
fn names(whole: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(whole)).unwrap();
    let count = archive.len();
    let range = |index| {
        let file = archive.by_index_raw(index).unwrap();
        let begin = usize::try_from(file.header_start()).unwrap() + 30;
        begin..begin + file.name_raw().len()
    };
    (0..count).map(range).collect()
}

/// The zip without its directory, so that the name before the data is the only one, with one wrong bit in each `step`th name:
/// in its folder, and anywhere.
fn name_flips(whole: &[u8], step: usize) -> impl Iterator<Item = Damaged> {
    let cut = directory(whole);
    let flips = names(whole).into_iter().enumerate().skip(step / 2).step_by(step).flat_map(move |(index, name)| {
        let anywhere = name.start + (index * 7) % name.len();
        [(name.start + index % 3, index), (anywhere, index / 3)]
    });
    flips.map(move |(at, bit)| Damaged::new(format!("wrong bit {bit} at {at}"), flipped(&whole[..cut], at, bit)))
}

#[test]
fn a_damaged_name_makes_no_second_bundle() {
    for name in SAMPLES {
        let zip = zipped(&files_of(name));
        let flips: Vec<Damaged> = name_flips(&zip, 1).collect();
        let faults = in_parallel(&flips, |flip| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            std::fs::write(&path, &flip.bytes).unwrap();
            let count = Bundle::open_all(&path, Limits::default()).unwrap().len();
            if count == 1 { Vec::new() } else { vec![format!("{name}, {}: {count} bundles", flip.what)] }
        });
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_nothing_lost_is_absent(name, &zip, &name_flips(&zip, 16).collect::<Vec<_>>());
    }
}

/// Entries in which the findings of a bundle have their evidence.
fn evidence(name: &str) -> Files {
    let [whole] = analyses(name, &zipped(&files_of(name))).unwrap().try_into().unwrap();
    let entries = whole.findings.iter().flat_map(|finding| &finding.evidence);
    let entries: BTreeSet<String> = entries.map(|evidence| format!("sb/{}", evidence.entry)).collect();
    files_of(name).into_iter().filter(|(path, _)| entries.contains(path)).collect()
}

/// Dumps of which the collector wrote only the beginning, and dumps behind whose list kubectl says that it is not all.
fn half_written(all: &Files, dumps: Files) -> Vec<Damaged> {
    let with = |path: &str, text: &[u8]| -> Files {
        let text = |own: &String, bytes: &Vec<u8>| if own == path { text.to_vec() } else { bytes.clone() };
        all.iter().map(|(own, bytes)| (own.clone(), text(own, bytes))).collect()
    };
    let mut damaged = Vec::new();
    for (path, bytes) in dumps {
        let lines: Vec<usize> =
            memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1).filter(|at| *at < bytes.len()).collect();
        let whole_lines = lines.iter().copied().step_by(lines.len().div_ceil(4));
        let halves = lines.iter().map(|at| at.saturating_sub(3)).skip(1).step_by(lines.len());
        for at in whole_lines.chain(halves) {
            damaged.push(Damaged::new(format!("{path} cut at {at}"), zipped(&with(&path, &bytes[..at]))));
        }
        for said in [
            "error: unable to retrieve the complete list of server APIs",
            "Error from server (Timeout): the list is cut",
        ] {
            let text = format!("apiVersion: v1\nitems: []\nkind: List\n{said}\n");
            damaged.push(Damaged::new(format!("{path} with {said}"), zipped(&with(&path, text.as_bytes()))));
        }
    }
    damaged
}

#[test]
fn half_written_dumps_conclude_nothing_from_what_is_lost() {
    let mut count = 0;
    for name in SAMPLES {
        let all = files_of(name);
        let dumps: Files = evidence(name).into_iter().filter(|(path, _)| path.ends_with(".yaml")).collect();
        let damaged = half_written(&all, dumps);
        assert_nothing_lost_is_absent(name, &zipped(&all), &damaged);
        count += damaged.len();
    }
    assert!(count > 50, "{count}");
}

/// Rewrites the records of these entries in a zip's directory.
fn in_directory(whole: &[u8], entries: &Files, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let (mut bytes, mut at) = (whole.to_vec(), directory(whole));
    while bytes[at..].starts_with(b"PK\x01\x02") {
        let length = |from: usize| usize::from(u16::from_le_bytes(whole[at + from..at + from + 2].try_into().unwrap()));
        let end = at + 46 + length(28);
        if entries.iter().any(|(path, _)| path.as_bytes() == &whole[at + 46..end]) {
            change(&mut bytes[at..end]);
        }
        at = end + length(30) + length(32);
    }
    bytes
}

/// Returns a zip whose directory does not have these entries.
fn unlisted(whole: &[u8], entries: &Files) -> Vec<u8> {
    let begin = directory(whole);
    let (mut records, mut count, mut at) = (Vec::new(), 0u16, begin);
    while whole[at..].starts_with(b"PK\x01\x02") {
        let length = |from: usize| usize::from(u16::from_le_bytes(whole[at + from..at + from + 2].try_into().unwrap()));
        let name = &whole[at + 46..at + 46 + length(28)];
        let end = at + 46 + length(28) + length(30) + length(32);
        if !entries.iter().any(|(path, _)| path.as_bytes() == name) {
            records.extend(&whole[at..end]);
            count += 1;
        }
        at = end;
    }
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    end.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    end.extend([(records.len() as u32).to_le_bytes(), (begin as u32).to_le_bytes()].concat());
    [&whole[..begin], &records, &end, &[0, 0]].concat()
}

/// Ways in which an archive may hold the entries that the findings need, and not give them.
fn hidden(all: &Files, needed: &Files) -> Vec<Damaged> {
    let others: Files = all.iter().filter(|file| !needed.contains(file)).cloned().collect();
    let renamed = |rename: &dyn Fn(&str) -> String| -> Files {
        let needed = needed.iter().map(|(path, bytes)| (rename(path), bytes.clone()));
        others.iter().cloned().chain(needed).collect()
    };
    let empty = || needed.iter().map(|(path, _)| (path.clone(), b"apiVersion: v1\nitems: []\nkind: List\n".to_vec()));
    let doubled: Files = all.iter().cloned().chain(empty()).collect();
    let zip = zipped(all);
    let u32_at = |from: usize, change: fn(u32) -> u32| {
        in_directory(&zip, needed, |record| {
            let field: [u8; 4] = record[from..from + 4].try_into().unwrap();
            record[from..from + 4].copy_from_slice(&change(u32::from_le_bytes(field)).to_le_bytes());
        })
    };
    let node =
        zipped(&vec![("n1/logs/kernel.log".to_owned(), vec![b'x'; 5000]), ("n1/hostname".to_owned(), vec![b'n'])]);
    let with_node = zipped(&others.iter().cloned().chain([("sb/nodes/n1.zip".to_owned(), node)]).collect());
    let before_node = with_node[..directory(&with_node)].to_vec();
    let mut zeros = vec![b'x'; 512];
    zeros.resize(5120, 0);
    let zeros: Files = others.iter().cloned().chain([("sb/logs/default/zero-0/zero.log".to_owned(), zeros)]).collect();
    let tar = tarred(&zeros);
    let at_member = &tar[..tar.len() - 1024];
    let far = |path: &str| path.replacen("sb/", &format!("{}/", "s".repeat(95)), 1);
    let long: Files = all.iter().map(|(path, bytes)| (far(path), bytes.clone())).collect();
    let mut misnamed = tarred(&long);
    for (path, _) in needed {
        let at = memchr::memmem::find(&misnamed, far(path).as_bytes()).unwrap();
        misnamed[at + 90] ^= 1;
    }
    let packed = gzip(&tarred(all));
    let cases = [
        ("a name that leads out", zipped(&renamed(&|path| path.replacen("sb/", "sb/../sb/", 1)))),
        ("a name that leads out of a tar", tarred(&renamed(&|path| path.replacen("sb/", "sb/../", 1)))),
        ("a name that is too long", zipped(&renamed(&|path| format!("sb/{}/{path}", "x".repeat(4200))))),
        ("a name with control characters", zipped(&renamed(&|path| format!("{path}\u{1}")))),
        ("a name like that of a folder", zipped(&renamed(&|path| format!("{path}/")))),
        ("a name like that of a folder in a tar", tarred(&renamed(&|path| format!("{path}/")))),
        ("another one behind it", zipped_twice(all, empty().collect())),
        ("another one behind it in a tar", tarred(&doubled)),
        ("not in the directory", unlisted(&zip, needed)),
        (
            "another name in the directory",
            in_directory(&zip, needed, |record| record[46 + (record.len() - 46) / 2] ^= 1),
        ),
        ("half the size", u32_at(24, |size| size / 2)),
        ("no size", u32_at(24, |_| 0)),
        ("twice the size", u32_at(24, |size| size * 2)),
        ("a size for zip64", u32_at(24, |_| u32::MAX)),
        ("half the compressed size", u32_at(20, |size| size / 2)),
        ("no checksum", u32_at(16, |_| 0)),
        ("links by their attributes", u32_at(38, |_| 0o120_644 << 16)),
        ("folders by their attributes", u32_at(38, |_| 0o40_755 << 16 | 0x10)),
        ("encrypted", in_directory(&zip, needed, |record| record[8] |= 1)),
        ("an unknown method", in_directory(&zip, needed, |record| record[10] = 98)),
        ("cut behind a stored zip", before_node.clone()),
        ("cut a little behind a stored zip", [before_node, b"PK\x03\x04\x14\0".to_vec()].concat()),
        ("cut behind zeros", at_member.to_vec()),
        ("cut behind zeros and compressed", gzip(at_member)),
        ("cut behind zeros, the first of two streams", liblzma::encode_all(at_member, 0).unwrap()),
        ("a wrong bit in long names of a tar", misnamed),
        ("without the checksum at the end", packed[..packed.len() - 8].to_vec()),
        (
            "compressed alone and cut",
            zipped(&renamed(&|path| path.to_owned()).into_iter().map(|file| cut_gz(file, needed)).collect()),
        ),
    ];
    cases.into_iter().map(|(what, bytes)| Damaged::new(what.to_owned(), bytes)).collect()
}

/// Compresses a file alone and cuts it, if it is one of these.
fn cut_gz((path, bytes): (String, Vec<u8>), needed: &Files) -> (String, Vec<u8>) {
    if !needed.iter().any(|(other, _)| *other == path) {
        return (path, bytes);
    }
    let packed = gzip(&bytes);
    (format!("{path}.gz"), packed[..packed.len() - 8].to_vec())
}

#[test]
fn what_an_archive_hides_is_not_absent() {
    for name in ["orphans-behind-webhook", "hook-deleted-configmap"] {
        let all = files_of(name);
        let needed = evidence(name);
        assert!(needed.len() >= 5, "{name}: {}", needed.len());
        assert_nothing_lost_is_absent(name, &zipped(&all), &hidden(&all, &needed));
    }
}
