//! Tests of several bundles in one archive or folder, and of links inside a bundle.

use super::samples::{gzip, tar, tar_link, zip};
use super::{Given, borrowed, contents, kit, messages, node_zip, paths};
use crate::bundle::{Bundle, Limits, OpenError};
use crate::model::BundleKind;

/// Creates a collection of one host.
fn collection(host: &str) -> Vec<(String, Vec<u8>)> {
    let files: [(&str, &[u8]); 3] = [
        ("collector-output.log", b""),
        ("systeminfo/uname", b"Linux\n"),
        ("rke2/kubectl/pods", b"No resources found\n"),
    ];
    files.iter().map(|(path, bytes)| (format!("./{host}-2024-03-06_10_15_30/{path}"), bytes.to_vec())).collect()
}

/// Opens all bundles and returns each with its path.
fn all(given: &Given, name: &str, bytes: &[u8]) -> Vec<(String, Bundle)> {
    let path = given.file(name, bytes);
    let place = |bundle: &Bundle| bundle.container().path.replacen(&path.display().to_string(), "", 1);
    let bundles = Bundle::open_all(&path, Limits::default()).unwrap();
    bundles.into_iter().map(|bundle| (place(&bundle), bundle)).collect()
}

#[test]
fn a_pack_of_bundles_gives_each_as_if_it_came_alone() {
    let given = Given::new();
    let (one, two) = (zip(&borrowed(&kit("sb/", &node_zip()))), gzip(&tar(&borrowed(&collection("cp1")))));
    let alone = [("one.zip", &one), ("two.tgz", &two)]
        .map(|(name, bytes)| Bundle::open(&given.file(name, bytes), Limits::default()).unwrap());
    let pack: [(&str, &[u8]); 3] =
        [("ticket/one.zip", &one), ("ticket/two.tgz", &two), ("ticket/readme.txt", b"hello")];
    let wrapped = gzip(&tar(&[("ticket/all.tar", &tar(&pack)), ("notes.txt", b"call back")]));
    for (bytes, top) in [(zip(&pack), "!/ticket/"), (tar(&pack), "!/ticket/"), (wrapped, "!/ticket/all.tar!/ticket/")] {
        let bundles = all(&given, "x", &bytes);
        let places: Vec<&str> = bundles.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, [format!("{top}one.zip"), format!("{top}two.tgz")]);
        for ((_, bundle), alone) in bundles.iter().zip(&alone) {
            assert_eq!((bundle.kind(), bundle.spec(), paths(bundle)), (alone.kind(), alone.spec(), paths(alone)));
            assert_eq!((bundle.host(), contents(bundle)), (alone.host(), contents(alone)));
            assert_eq!((bundle.sha256().unwrap(), bundle.content_id()), (alone.sha256().unwrap(), alone.content_id()));
            assert_eq!(bundle.container().bytes, alone.container().bytes);
            let told = messages(bundle);
            assert!(told.contains("to none of its bundles and w") && told.contains("txt`"), "{told}");
        }
        assert_eq!(bundles[1].1.host(), Some("cp1"));
        let refused = Bundle::open(&given.file("x", &bytes), Limits::default()).err().unwrap();
        assert!(matches!(refused, OpenError::Several { count: 2, .. }), "{refused}");
    }
}

#[test]
fn folders_side_by_side_are_bundles_of_their_own() {
    let given = Given::new();
    let files: Vec<_> = [collection("cp1"), collection("wk1"), kit("sb/", &node_zip())].concat();
    let bundles = all(&given, "ticket.tar", &tar(&borrowed(&files)));
    let seen: Vec<_> = bundles.iter().map(|(place, bundle)| (place.as_str(), bundle.kind())).collect();
    let expected = [
        ("!/cp1-2024-03-06_10_15_30", BundleKind::RANCHER),
        ("!/sb", BundleKind::HARVESTER),
        ("!/wk1-2024-03-06_10_15_30", BundleKind::RANCHER),
    ];
    assert_eq!(seen, expected);
    for (_, bundle) in &bundles {
        assert_eq!((messages(bundle), bundle.sha256().unwrap()), (String::new(), None));
        assert!(bundle.container().is_directory);
    }
    assert_eq!(bundles[0].1.host(), Some("cp1"));
    assert_eq!(paths(&bundles[2].1), ["collector-output.log", "rke2/kubectl/pods", "systeminfo/uname"]);
    assert!(paths(&bundles[1].1).contains(&"nodes/n1.zip!/n1/logs/kernel.log"));
}

#[test]
fn a_folder_of_downloads_is_looked_through() {
    let given = Given::new();
    given.file("ticket/a.zip", &zip(&borrowed(&kit("sb/", &node_zip()))));
    given.file("ticket/node.zip", &node_zip());
    for (path, bytes) in collection("cp1") {
        given.file(&format!("ticket/{path}"), &bytes);
    }
    let bundles = Bundle::open_all(&given.folder.path().join("ticket"), Limits::default()).unwrap();
    let name = |bundle: &Bundle| bundle.container().path.rsplit_once("ticket/").unwrap().1.to_owned();
    let seen: Vec<_> = bundles.iter().map(|bundle| (name(bundle), bundle.kind())).collect();
    let expected = [
        ("a.zip".to_owned(), BundleKind::HARVESTER),
        ("cp1-2024-03-06_10_15_30".to_owned(), BundleKind::RANCHER),
        ("node.zip".to_owned(), BundleKind::NODE),
    ];
    assert_eq!(seen, expected);
    let alone = Bundle::open(&given.folder.path().join("ticket/a.zip"), Limits::default()).unwrap();
    assert_eq!(bundles[0].sha256().unwrap(), alone.sha256().unwrap());
    assert_eq!(contents(&bundles[0]), contents(&alone));
}

#[test]
fn an_archive_with_the_logs_of_a_node_is_a_part_of_what_lies_around_it() {
    let given = Given::new();
    let pack = zip(&[("t/node.zip", &node_zip()), ("t/pods.yaml", b"items: []\n")]);
    let bundle = Bundle::open(&given.file("x.zip", &pack), Limits::default()).unwrap();
    assert_eq!(
        paths(&bundle)[1..],
        ["node.zip!/n1/configs/etc/harvester-release.yaml", "node.zip!/n1/logs/kernel.log", "pods.yaml"]
    );
}

#[test]
fn depth_counts_from_each_bundle() {
    let given = Given::new();
    let scc = gzip(&tar(&[("s/messages.txt.gz", &gzip(b"deep\n")), ("s/basic-environment.txt", b"x")]));
    let bundle = zip(&borrowed(&kit("sb/", &zip(&[("n1/scc/s.txz", &scc), ("n1/logs/kernel.log", b"oops\n")]))));
    let pack = zip(&[("pack.zip", &zip(&[("a.zip", &bundle), ("b.zip", &bundle)])), ("c.zip", &bundle)]);
    let bundles = all(&given, "t.zip", &pack);
    assert_eq!(bundles.len(), 3);
    for (place, bundle) in &bundles {
        let seen = contents(bundle);
        assert_eq!(seen["nodes/n1.zip!/n1/scc/s.txz!/s/messages.txt.gz!/messages.txt"], b"deep\n", "{place}");
        assert_eq!(messages(bundle), "");
    }
}

#[test]
fn the_limits_are_shared() {
    let given = Given::new();
    let log = vec![b'x'; 60_000];
    let one = zip(&[("yamls/cluster/v1/nodes.yaml", b"items: []\n"), ("logs/a/b/c.log", &log)]);
    let path = given.file("pack.zip", &zip(&[("a.zip", &one), ("b.zip", &one)]));
    let bundles = Bundle::open_all(&path, Limits { max_bytes: 100_000, ..Limits::default() }).unwrap();
    assert_eq!((messages(&bundles[0]).as_str(), bundles[0].entries().len()), ("", 2));
    assert!(messages(&bundles[1]).contains("limit logs/a/b/c.log: not read"), "{}", messages(&bundles[1]));
    assert_eq!(bundles[1].unreadable().len(), 1);
}

#[test]
fn a_link_to_what_is_read_anyway_is_no_issue() {
    let given = Given::new();
    let end = |bytes: Vec<u8>| bytes[..bytes.len() - 1024].to_vec();
    let links = [
        ("t/collector/p/c.log", "../../cluster-resources/pods/logs/a/p/c.log"),
        ("t/all-logs", "cluster-resources/pods/logs"),
        ("t/out.log", "../../etc/passwd"),
    ];
    let files = end(tar(&[("t/cluster-resources/pods/logs/a/p/c.log", b"x\n"), ("t/version.yaml", b"kind: x\n")]));
    let linked = links.iter().flat_map(|(name, target)| end(tar_link(name, target)));
    let bytes: Vec<u8> = linked.chain(files).chain(vec![0; 1024]).collect();
    let bundle = given.open(&bytes);
    assert_eq!(messages(&bundle), "path out.log: a link to `../../etc/passwd`; not followed\n");
    assert_eq!(bundle.unreadable().iter().map(|file| &*file.path).collect::<Vec<_>>(), ["out.log"]);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(zip(&[])));
    let options = zip::write::SimpleFileOptions::default();
    for (name, target) in links {
        archive.add_symlink(name, target, options).unwrap();
    }
    archive.start_file("t/cluster-resources/pods/logs/a/p/c.log", options).unwrap();
    let bundle = given.open(&archive.finish().unwrap().into_inner());
    assert_eq!(messages(&bundle), "path out.log: a link to `../../etc/passwd`; not followed\n");
}
