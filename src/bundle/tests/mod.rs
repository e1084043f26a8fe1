//! Tests of whole bundles in every container: the same files must give the same entries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::TempDir;

use self::samples::{PACKERS, bzip2, gzip, stored_zip, tar, xz, zip, zstd};
use super::*;
use crate::model::{BundleKind, Issue, IssueKind};

mod hostile;
pub(super) mod samples;
mod several;

/// Returns the readable content of a bundle: bytes by path.
fn contents(bundle: &Bundle) -> BTreeMap<String, Vec<u8>> {
    let (contents, issues) = contents_and_issues(bundle);
    assert_eq!(issues, []);
    contents
}

fn contents_and_issues(bundle: &Bundle) -> (BTreeMap<String, Vec<u8>>, Vec<Issue>) {
    let seen = Mutex::new(BTreeMap::new());
    let issues = bundle.read(&|entry| entry.role != Role::Archive, &|entry, reader| {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        let before = seen.lock().unwrap().insert(entry.path.to_string(), bytes);
        assert_eq!(before, None, "{} was visited twice", entry.path);
    });
    (seen.into_inner().unwrap(), issues)
}

fn paths(bundle: &Bundle) -> Vec<&str> {
    bundle.entries().iter().map(|entry| &*entry.path).collect()
}

fn messages(bundle: &Bundle) -> String {
    let line = |issue: &Issue| {
        let place = issue.origin.as_ref().map(|origin| origin.entry.to_string()).unwrap_or_default();
        format!("{} {place}: {}\n", issue.kind.as_str(), issue.message)
    };
    bundle.issues().iter().map(line).collect()
}

struct Given {
    folder: TempDir,
}

impl Given {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn open(&self, bytes: &[u8]) -> Bundle {
        Bundle::open(&self.file("bundle.bin", bytes), Limits::default()).unwrap()
    }

    fn refuse(&self, bytes: &[u8]) -> OpenError {
        Bundle::open(&self.file("bundle.bin", bytes), Limits::default()).err().unwrap()
    }
}

fn node_zip() -> Vec<u8> {
    zip(&[("n1/logs/kernel.log", b"oops\n"), ("n1/configs/etc/harvester-release.yaml", b"harvester: v9\n")])
}

/// Creates a small kit bundle in the folder `top`, with a node archive.
fn kit(top: &str, node: &[u8]) -> Vec<(String, Vec<u8>)> {
    let large: Vec<u8> = (0..300_000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let files: [(&str, &[u8]); 6] = [
        ("metadata.yaml", b"bundlename: x\n"),
        ("bundleGenerationError.log", b""),
        ("yamls/cluster/v1/nodes.yaml", b"apiVersion: v1\nitems: []\nkind: List\n"),
        ("yamls/namespaced/demo/apps/v1/deployments.yaml", b"apiVersion: v1\nitems: []\nkind: List\n"),
        ("logs/demo/web-0/nginx.log", &large),
        ("nodes/n1.zip", node),
    ];
    files.iter().map(|(path, bytes)| (format!("{top}{path}"), bytes.to_vec())).collect()
}

fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
}

fn as_folder(given: &Given, files: &[(String, Vec<u8>)]) -> PathBuf {
    for (path, bytes) in files {
        given.file(&format!("tree/{path}"), bytes);
    }
    given.folder.path().join("tree")
}

/// Creates bundles of the same files as folder, zip, stored zip, tar, tar.gz, and archives that wrap one archive.
fn everywhere(given: &Given, files: &[(String, Vec<u8>)]) -> Vec<(&'static str, Bundle)> {
    let files_in_reverse: Vec<_> = files.iter().rev().cloned().collect();
    let (plain, reversed) = (borrowed(files), borrowed(&files_in_reverse));
    let archives = [
        ("zip", zip(&plain)),
        ("stored zip in other order", stored_zip(&reversed)),
        ("tar", tar(&plain)),
        ("tar.gz in other order", gzip(&tar(&reversed))),
        ("tar.xz", xz(&tar(&plain))),
        ("tar.bz2 in other order", bzip2(&tar(&reversed))),
        ("tar.zst", zstd(&tar(&plain))),
        ("zip around tar.gz", zip(&[("x.tar.gz", &gzip(&tar(&plain)))])),
        ("gzip around zip", gzip(&zip(&plain))),
        ("zip around xz around tar around bzip2 around zip", zip(&[("x", &xz(&tar(&[("y", &bzip2(&zip(&plain)))])))])),
        ("tar around zip", tar(&[("./x", &zip(&plain)), ("__MACOSX/._x", b"junk")])),
    ];
    let mut bundles = vec![("folder", Bundle::open(&as_folder(given, files), Limits::default()).unwrap())];
    for (name, bytes) in archives {
        let path = given.file(&name.replace(' ', "-"), &bytes);
        bundles.push((name, Bundle::open(&path, Limits::default()).unwrap()));
    }
    bundles
}

#[test]
fn every_container_gives_the_same_bundle() {
    let given = Given::new();
    let files = kit("supportbundle_x/", &node_zip());
    let bundles = everywhere(&given, &files);
    let (_, first) = &bundles[0];
    assert_eq!(
        paths(first),
        [
            "bundleGenerationError.log",
            "logs/demo/web-0/nginx.log",
            "metadata.yaml",
            "nodes/n1.zip",
            "nodes/n1.zip!/n1/configs/etc/harvester-release.yaml",
            "nodes/n1.zip!/n1/logs/kernel.log",
            "yamls/cluster/v1/nodes.yaml",
            "yamls/namespaced/demo/apps/v1/deployments.yaml",
        ]
    );
    let (id, issues) = first.content_id();
    assert_eq!((id.len(), issues), (64, vec![]));
    let roles =
        |bundle: &Bundle| bundle.entries().iter().map(|entry| (entry.role.clone(), entry.size)).collect::<Vec<_>>();
    for (name, bundle) in &bundles {
        assert_eq!(messages(bundle), "", "{name}");
        assert_eq!((paths(bundle), roles(bundle)), (paths(first), roles(first)), "{name}");
        assert_eq!(bundle.content_id(), (id.clone(), vec![]), "{name}");
        assert_eq!(contents(bundle), contents(first), "{name}");
        assert_eq!(bundle.kind(), BundleKind::HARVESTER, "{name}");
        assert_eq!(bundle.collector().unwrap().name, "support-bundle-kit");
        assert_eq!(bundle.container().is_directory, *name == "folder");
        assert_eq!(bundle.sha256().unwrap().is_none(), *name == "folder");
    }
}

#[test]
fn archives_below_others_may_be_compressed_in_any_way() {
    let given = Given::new();
    for (packing, pack) in PACKERS {
        let inner = pack(&tar(&[("s/messages.txt", b"of the host\n"), ("s/old.txt.gz", &gzip(b"older\n"))]));
        let node = zip(&[("n1/scc/s.txz", &inner), ("n1/logs/kernel.log", b"oops\n")]);
        for (name, bundle) in everywhere(&given, &kit("", &node)) {
            let seen = contents(&bundle);
            assert_eq!(messages(&bundle), "", "{name}");
            let at = |path: &str| seen.get(&format!("nodes/n1.zip!/n1/scc/s.txz!/s/{path}")).map(Vec::as_slice);
            assert_eq!(at("messages.txt"), Some(&b"of the host\n"[..]), "{} in {name}", packing.name());
            assert_eq!(at("old.txt.gz!/old.txt"), Some(&b"older\n"[..]), "{} in {name}", packing.name());
        }
    }
}

#[test]
fn a_file_that_was_compressed_alone_is_an_entry() {
    let given = Given::new();
    let long: Vec<u8> = (0..30_000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    for (packing, pack) in PACKERS {
        let files = [("n1/logs/syslog.2.gz", pack(&long)), ("n1/logs/messages-20240306", pack(b"short\n"))];
        let files = files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
        for node in [zip(&files), gzip(&tar(&files))] {
            for (name, bundle) in everywhere(&given, &kit("", &node)) {
                let seen = contents(&bundle);
                let at = |path: &str| bundle.entries().iter().find(|entry| entry.path.ends_with(path)).unwrap();
                let log = at("syslog.2.gz!/syslog.2");
                assert_eq!((messages(&bundle).as_str(), log.size), ("", long.len() as u64), "{name}");
                assert_eq!(&*log.logical, "nodes/n1/logs/syslog.2");
                assert_eq!(log.role, Role::NodeLog { node: "n1".into(), unit: "syslog".into(), generation: 2 });
                assert_eq!(seen[&*log.path], long, "{} in {name}", packing.name());
                let short = at("messages-20240306!/messages-20240306");
                assert_eq!(&*short.logical, "nodes/n1/logs/messages-20240306");
                assert_eq!(seen[&*short.path], b"short\n");
            }
        }
    }
}

#[test]
fn a_single_file_is_a_bundle_of_one_entry() {
    let given = Given::new();
    let text = b"==== START logs for container c of pod demo/web-0 ====\nstarted\n";
    for (name, bytes) in [("cluster-info_dump", text.to_vec()), ("cluster-info_dump.gz", gzip(text))] {
        let bundle = Bundle::open(&given.file(name, &bytes), Limits::default()).unwrap();
        assert_eq!((paths(&bundle), messages(&bundle)), (vec!["cluster-info_dump"], String::new()));
        assert_eq!(contents(&bundle)["cluster-info_dump"], text);
        assert_eq!((bundle.container().bytes, bundle.container().is_directory), (bytes.len() as u64, false));
        assert!(bundle.sha256().unwrap().is_some());
        assert_eq!(bundle.content_id(), given.open(&zip(&[("cluster-info_dump", text)])).content_id());
    }
}

#[test]
fn content_id_is_the_documented_hash() {
    let given = Given::new();
    use sha2::{Digest, Sha256};
    let bundle = given.open(&zip(&[("t/b.log", b"abc"), ("t/a.yaml", b"")]));
    let mut expected = Sha256::new();
    expected.update(b"a.yaml\x000\x0000000000\nb.log\x003\x00352441c2\n");
    assert_eq!(bundle.content_id().0, expected.finalize().iter().map(|b| format!("{b:02x}")).collect::<String>());
}

#[test]
fn threads_do_not_change_what_is_seen() {
    let given = Given::new();
    let large = kit("", &zip(&[("n1/logs/kernel.log", &vec![b'x'; 9 << 20]), ("n1/logs/b.log", b"y")]));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let many = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    for (name, bundle) in everywhere(&given, &large) {
        assert_eq!(one.install(|| contents(&bundle)), many.install(|| contents(&bundle)), "{name}");
    }
}

#[test]
fn many_archives_are_opened_within_bounds() {
    let given = Given::new();
    let noise =
        |n: u32| (0..400u32).flat_map(|k| (n + k).wrapping_mul(2_654_435_761).to_le_bytes()).collect::<Vec<u8>>();
    let node = |n: u32| {
        let inner = zip(&[("deep/x.log", &noise(n + 7)), ("deep/y.log", b"y")]);
        let packed = gzip(&tar(&[("s/z.log", &noise(n + 9)), ("s/w.zip", &inner)]));
        zip(&[("k.log", &noise(n)), ("inner.zip", &inner), ("inner.tgz", &packed)])
    };
    let files: Vec<(String, Vec<u8>)> = (0..12).map(|n| (format!("t/nodes/n{n}.zip"), node(n * 1000))).collect();
    let bundles = everywhere(&given, &files);
    let first = contents(&bundles[0].1);
    assert_eq!(first.len(), 12 * 6);
    for (name, bundle) in &bundles {
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| contents(bundle)), first, "{name} on {threads} threads");
            assert_eq!((messages(bundle), bundle.content_id().0), (String::new(), bundles[0].1.content_id().0));
        }
    }
}

#[test]
fn memory_lists_nested_members_by_name() {
    let files = vec![
        ("nodes/n1.zip!/n1/logs/kernel.log.1".to_owned(), b"old\n".to_vec()),
        ("yamls/namespaced/harvester-system/v1/pods.yaml".to_owned(), b"items: []\n".to_vec()),
    ];
    let bundle = Bundle::from_memory("case", files, Limits::default());
    let first = &bundle.entries()[0];
    assert_eq!(&*first.logical, "nodes/n1/logs/kernel.log.1");
    assert_eq!(first.role, Role::NodeLog { node: "n1".into(), unit: "kernel".into(), generation: 1 });
    assert_eq!((bundle.kind(), bundle.issues().len()), (BundleKind::HARVESTER, 0));
    assert_eq!(contents(&bundle)["nodes/n1.zip!/n1/logs/kernel.log.1"], b"old\n");
    assert_eq!(bundle.content_id().0.len(), 64);
    assert_eq!(bundle.sha256().unwrap(), None);
}

#[test]
fn a_visit_may_stop_early_and_use_rayon_itself() {
    let given = Given::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let files = kit("", &zip(&[("n1/logs/kernel.log", &vec![b'x'; 1 << 20]), ("n1/logs/b.log", b"yyyy")]));
    for (name, bundle) in everywhere(&given, &files) {
        let visits = std::sync::atomic::AtomicUsize::new(0);
        let issues = pool.install(|| {
            bundle.read(&|_| true, &|_, reader| {
                reader.read_exact(&mut [0; 1]).ok();
                rayon::join(|| visits.fetch_add(1, std::sync::atomic::Ordering::Relaxed), || std::hint::black_box(2));
            })
        });
        assert_eq!((visits.into_inner(), issues), (bundle.entries().len(), vec![]), "{name}");
    }
}

/// Returns a file in the folder of real bundles; without such a folder, prints a note and returns none.
fn corpus(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("GLEANER_CORPUS");
    if folder.is_none() {
        eprintln!("skipped: GLEANER_CORPUS is not set");
    }
    folder.map(|folder| Path::new(&folder).join(name))
}

#[test]
fn a_real_harvester_bundle_is_read_whole() {
    let Some(path) = corpus("harvester-v1.0-single-node.zip") else { return };
    let bundle = Bundle::open(&path, Limits::default()).unwrap();
    assert_eq!((bundle.kind(), messages(&bundle)), (BundleKind::HARVESTER, String::new()));
    let count = |wanted: &dyn Fn(&Role) -> bool| bundle.entries().iter().filter(|entry| wanted(&entry.role)).count();
    assert_eq!(count(&|role| matches!(role, Role::Dump { .. })), 1139);
    assert_eq!(count(&|role| matches!(role, Role::Archive)), 1);
    assert_eq!(count(&|role| matches!(role, Role::NodeLog { node, generation: 0, .. } if node == "node1")), 8);
    let contents = contents(&bundle);
    let size: usize = contents.values().map(Vec::len).sum();
    let listed: u64 = bundle.entries().iter().filter(|entry| entry.role != Role::Archive).map(|entry| entry.size).sum();
    assert_eq!(size as u64, listed);
    assert!(contents.contains_key("nodes/node1.zip!/node1/logs/kernel.log"));
}

#[test]
fn other_real_bundles_are_recognised() {
    let cases = [
        ("rancher-rke2-server-2025-11-27.tar.gz", BundleKind::RANCHER),
        ("troubleshoot-k3s-2022.tar.gz", BundleKind::TROUBLESHOOT),
    ];
    for (name, kind) in cases {
        let Some(path) = corpus(name) else { return };
        let bundle = Bundle::open(&path, Limits::default()).unwrap();
        assert_eq!(bundle.kind(), kind);
        assert!(bundle.issues().iter().all(|issue| issue.kind == IssueKind::Path), "{}", messages(&bundle));
        assert!(contents_and_issues(&bundle).1.is_empty());
    }
}
