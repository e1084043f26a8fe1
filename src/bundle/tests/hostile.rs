//! Tests of damaged and malicious bundles.

use std::collections::BTreeMap;
use std::path::Path;

use super::samples::{PACKERS, gzip, stored_zip, tar, tar_link, zip};
use super::{Given, borrowed, contents, contents_and_issues, kit, messages, node_zip, paths};
use crate::bundle::{Bundle, Limits, OpenError, Role};
use crate::model::{IssueKind, Origin};

#[test]
fn names_cannot_lead_out_and_are_reported() {
    let given = Given::new();
    let names: [(&str, &[u8]); 7] = [
        ("../../etc/evil.log", b"1"),
        ("/etc/passwd.log", b"2"),
        ("a\\..\\b.log", b"3"),
        ("ok//x.log", b"4"),
        ("ok/bell\u{7}.log", b"5"),
        ("win\\dows.log", b"6"),
        ("ok/.DS_Store", b"7"),
    ];
    for bytes in [zip(&names), tar(&names)] {
        let bundle = given.open(&bytes);
        assert_eq!(paths(&bundle), ["etc/passwd.log", "ok/bell\u{fffd}.log", "ok/x.log", "win/dows.log"]);
        let told = messages(&bundle);
        assert_eq!(bundle.issues().len(), 5, "{told}");
        assert!(told.contains("path : `../../etc/evil.log`: its name leads out of the bundle"), "{told}");
        assert!(bundle.issues().iter().all(|issue| issue.kind == IssueKind::Path));
    }
}

#[test]
fn many_bad_names_give_a_bounded_number_of_issues() {
    let given = Given::new();
    let names: Vec<String> = (0..400).map(|n| format!("../{n}.log")).collect();
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    files.push(("a.log", b"x"));
    let bundle = given.open(&zip(&files));
    assert_eq!(bundle.issues().len(), 101);
    assert!(messages(&bundle).contains("300 more entries with unsafe names"));
}

#[test]
fn of_duplicates_the_last_wins() {
    let given = Given::new();
    // The zip writer rejects duplicates, so one name is patched afterwards.
    let mut bytes = stored_zip(&[("t/a.log", b"first"), ("t/b.log", b"last")]);
    while let Some(at) = bytes.windows(7).position(|window| window == b"t/b.log") {
        bytes[at + 2] = b'a';
    }
    for bytes in [bytes, tar(&[("t/a.log", b"first"), ("t/a.log", b"last")])] {
        let bundle = given.open(&bytes);
        let (seen, issues) = contents_and_issues(&bundle);
        assert_eq!(seen, BTreeMap::from([("a.log".to_owned(), b"last".to_vec())]));
        assert_eq!(issues, bundle.issues(), "what the other one had is not known to its reader");
        assert_eq!(messages(&bundle), "path a.log: there several times in one archive; the last one is used\n");
    }
}

#[test]
fn links_are_reported_and_not_followed() {
    let given = Given::new();
    let mut bytes = tar_link("t/passwd.log", "/etc/passwd");
    bytes.truncate(512);
    bytes.extend(tar(&[("t/a.log", b"x")]));
    let bundle = given.open(&bytes);
    assert_eq!(paths(&bundle), ["t/a.log".trim_start_matches("t/")]);
    assert_eq!(messages(&bundle), "path passwd.log: a link to `/etc/passwd`; not followed\n");
}

#[test]
fn a_bomb_is_refused_and_the_rest_is_read() {
    let given = Given::new();
    let zeros = vec![0; 40 << 20];
    for bytes in [
        zip(&[("t/bomb.log", &zeros), ("t/a.log", b"fine")]),
        gzip(&tar(&[("t/a.log", b"fine"), ("t/bomb.log", &zeros)])),
    ] {
        let bundle = given.open(&bytes);
        let (seen, _) = contents_and_issues(&bundle);
        assert_eq!(seen["a.log"], b"fine");
        assert!(seen.values().all(|bytes| bytes.len() <= 17 << 20));
        assert!(messages(&bundle).contains("--max-ratio"), "{}", messages(&bundle));
        assert!(bundle.issues().iter().any(|issue| issue.kind == IssueKind::Limit));
    }
}

#[test]
fn a_nested_bomb_is_refused() {
    let given = Given::new();
    let bomb = zip(&[("n1/logs/bomb.log", &vec![0; 40 << 20]), ("n1/logs/kernel.log", b"fine")]);
    let bundle = given.open(&zip(&borrowed(&kit("", &bomb))));
    assert!(messages(&bundle).starts_with("limit nodes/n1.zip!/n1/logs/bomb.log: not read"));
    assert_eq!(contents(&bundle)["nodes/n1.zip!/n1/logs/kernel.log"], b"fine");
}

#[test]
fn limits_on_bytes_and_entries_stop_entries_and_not_the_run() {
    let given = Given::new();
    let files: [(&str, &[u8]); 3] = [("t/a.log", b"aaaa"), ("t/b.log", b"bbbbbbbbbb"), ("t/c.log", b"cccc")];
    for bytes in [zip(&files), tar(&files), gzip(&tar(&files))] {
        let path = given.file("x", &bytes);
        let open = |limits| Bundle::open(&path, limits).unwrap();
        let bundle = open(Limits { max_bytes: 9, ..Limits::default() });
        assert_eq!(paths(&bundle), ["a.log", "c.log"]);
        assert!(messages(&bundle).contains("--max-bytes"), "{}", messages(&bundle));
        let bundle = open(Limits { max_entries: 2, ..Limits::default() });
        assert_eq!(paths(&bundle), ["a.log", "c.log"]);
        assert!(messages(&bundle).contains("--max-entries"));
    }
}

#[test]
fn archives_are_opened_down_to_the_depth_limit() {
    let given = Given::new();
    let mut inner = zip(&[("deep.log", b"x")]);
    for level in (1..6).rev() {
        inner = zip(&[("beside.log", b"y"), (&format!("l{level}.zip"), &inner)]);
    }
    let bundle = given.open(&inner);
    assert_eq!(paths(&bundle).last(), Some(&"l1.zip!/l2.zip!/l3.zip!/l4.zip"));
    assert!(
        messages(&bundle)
            .starts_with("limit l1.zip!/l2.zip!/l3.zip!/l4.zip: a zip archive below 4 others (--max-depth)")
    );
    assert_eq!(contents(&bundle).len(), 4);
    let wrapped = (0..40).fold(zip(&[("a.log", b"x")]), |inner, _| zip(&[("inner.zip", &inner)]));
    assert!(matches!(given.refuse(&wrapped), OpenError::NotABundle { .. }));
    let inside_tar = given.open(&gzip(&tar(&[("a.log", b"x"), ("n.tgz", &gzip(&tar(&[("n/b.log", b"y")])))])));
    assert_eq!(contents(&inside_tar)["n.tgz!/n/b.log"], b"y");
    assert_eq!(&*inside_tar.entries()[2].logical, "n/b.log");
}

#[test]
fn nested_archives_that_cannot_be_read_are_reported() {
    let given = Given::new();
    let whole = node_zip();
    let bundle = given.open(&zip(&[
        ("t/nodes/cut.zip", &whole[..whole.len() / 2]),
        ("t/nodes/s.txz", b"\xfd7zXZ\0 and so on"),
        ("t/nodes/r.rar", b"Rar!\x1a\x07\x01\0"),
        ("t/logs/a/b/c.log", b"x"),
    ]));
    let told = messages(&bundle);
    assert!(told.contains("archive nodes/cut.zip: the zip archive is cut off"), "{told}");
    assert!(told.contains("archive nodes/s.txz: the xz archive cannot be expanded ("), "{told}");
    assert!(told.contains("archive nodes/r.rar: a rar archive, which is not read; unpack it"), "{told}");
    assert!(bundle.entries().iter().filter(|entry| entry.role == Role::Archive).count() == 3);
}

#[test]
fn there_are_not_more_bundles_than_anybody_sends() {
    let given = Given::new();
    let one = zip(&[("yamls/cluster/v1/nodes.yaml", b"items: []\n")]);
    let names: Vec<String> = (0..120).map(|n| format!("{n:03}.zip")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), one.as_slice())).collect();
    let bundles = Bundle::open_all(&given.file("pack.zip", &zip(&files)), Limits::default()).unwrap();
    assert_eq!(bundles.len(), 100);
    let told = messages(&bundles[0]);
    assert!(told.contains("holds 20 bundles more than the 100 that are analysed"), "{told}");
    assert!(told.contains("20 files in") && told.contains("were not analysed: `100.zip`, `101.zip`"), "{told}");
}

#[test]
fn damage_around_bundles_is_reported_in_each() {
    let given = Given::new();
    let one = zip(&borrowed(&kit("one/", &node_zip())));
    let pack = zip(&[("a.zip", &one), ("b.txz", b"\xfd7zXZ\0 and so on"), ("c.zip", &one)]);
    let path = given.file("pack.zip", &pack);
    for bundle in Bundle::open_all(&path, Limits::default()).unwrap() {
        let told = messages(&bundle);
        let damage = "`b.txz`: the xz archive cannot be expanded";
        assert!(told.contains("beside this bundle in `") && told.contains(damage), "{told}");
        assert_eq!(bundle.entries().len(), 8);
    }
}

#[test]
fn damaged_entries_are_reported_and_used() {
    let given = Given::new();
    let mut bytes = stored_zip(&[("t/a.log", b"hello world"), ("t/b.log", b"fine")]);
    let at = bytes.windows(5).position(|window| window == b"hello").unwrap();
    bytes[at] = b'j';
    let (seen, issues) = contents_and_issues(&given.open(&bytes));
    assert_eq!((seen["a.log"].as_slice(), seen["b.log"].as_slice()), (&b"jello world"[..], &b"fine"[..]));
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].message, "its checksum is wrong; what was read is used");
    assert_eq!(issues[0].origin, Some(Origin::entry("a.log")));
}

#[test]
fn a_cut_tar_gives_what_is_left() {
    let given = Given::new();
    let files: [(&str, &[u8]); 2] = [("t/a.log", b"fine"), ("t/b.log", &[b'b'; 3000])];
    let whole = tar(&files);
    let bundle = given.open(&whole[..512 * 3 + 700]);
    assert_eq!(bundle.entries()[1].size, 700);
    assert!(messages(&bundle).contains("member `t/b.log` is cut off"), "{}", messages(&bundle));
    let (seen, issues) = contents_and_issues(&bundle);
    assert_eq!(seen["b.log"], vec![b'b'; 700]);
    assert_eq!((issues.len(), issues[0].message.to_string().as_str()), (1, "cut off; what was read is used"));
    let bundle = given.open(&whole[..1024]);
    assert!(messages(&bundle).contains("no end mark"), "{}", messages(&bundle));
    let noise: Vec<u8> = (0..60_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let packed = gzip(&tar(&[("t/a.log", b"fine"), ("t/b.log", &noise)]));
    let bundle = given.open(&packed[..packed.len() / 2]);
    assert_eq!(contents_and_issues(&bundle).0["a.log"], b"fine");
    assert!(messages(&bundle).contains("cut off"), "{}", messages(&bundle));
}

#[test]
fn a_cut_log_behind_a_compression_gives_what_is_left() {
    let given = Given::new();
    let noise: Vec<u8> = (0..100_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for (packing, pack) in PACKERS {
        let packed = pack(&noise);
        let bundle = given.open(&zip(&[("t/syslog.1.gz", &packed[..packed.len() * 9 / 10]), ("t/b.log", b"fine")]));
        let cut = "archive syslog.1.gz!/syslog.1: cut off; what was read is used\n";
        assert_eq!(messages(&bundle), cut, "{}", packing.name());
        let (seen, issues) = contents_and_issues(&bundle);
        assert_eq!(issues, bundle.issues(), "whoever reads it is told the same");
        let left = &seen["syslog.1.gz!/syslog.1"];
        assert!(noise.starts_with(left) && !left.is_empty(), "{}", packing.name());
    }
}

#[test]
fn a_file_that_expands_too_far_is_refused() {
    let given = Given::new();
    let zeros = vec![0; 17 << 20];
    for (packing, pack) in PACKERS {
        let path = given.file("bundle.bin", &zip(&[("t/syslog.1", &pack(&zeros)), ("t/b.log", b"fine")]));
        for (limits, flag) in [
            (Limits { max_ratio: 2, ..Limits::default() }, "--max-ratio"),
            (Limits { max_bytes: 16 << 20, ..Limits::default() }, "--max-bytes"),
        ] {
            let bundle = Bundle::open(&path, limits).unwrap();
            let told = messages(&bundle);
            assert!(told.starts_with("limit syslog.1!/syslog.1: not read") && told.contains(flag), "{told}");
            assert_eq!(bundle.unreadable().iter().map(|file| &*file.logical).collect::<Vec<_>>(), ["syslog.1"]);
            assert_eq!(contents(&bundle).into_keys().collect::<Vec<_>>(), ["b.log"], "{}", packing.name());
        }
    }
}

#[test]
fn a_cut_zip_gives_what_is_left() {
    let given = Given::new();
    let node = node_zip();
    let files = kit("t/", &node[..node.len() - 40]);
    let whole = zip(&borrowed(&files));
    let everything = contents_and_issues(&given.open(&whole)).0;
    for cut in [whole.len() - 1, whole.len() - 100, whole.len() - 500] {
        let bundle = given.open(&whole[..cut]);
        assert!(bundle.is_kit());
        assert!(
            bundle.truncated().unwrap().to_string().contains("entries were read from their own headers"),
            "{}",
            messages(&bundle)
        );
        let (seen, _) = contents_and_issues(&bundle);
        for (path, bytes) in seen.iter().filter(|(path, _)| !path.starts_with("nodes")) {
            assert!(everything[path] == *bytes, "{path} of {cut}");
        }
    }
    let bundle = given.open(&whole);
    assert!(messages(&bundle).contains("archive nodes/n1.zip: the zip archive is cut off"), "{}", messages(&bundle));
    assert_eq!(bundle.truncated(), None);
    assert_eq!(bundle.truncated_nodes().iter().collect::<Vec<_>>(), ["n1"]);
    assert_eq!(contents(&bundle)["nodes/n1.zip!/n1/logs/kernel.log"], b"oops\n");
}

#[test]
fn a_zip_may_stand_behind_a_program_and_before_a_comment() {
    let given = Given::new();
    let whole = zip(&[("t/a.log", b"fine")]);
    let junk = [b"#!/bin/sh\nexec unzip $0\n", &[0x7f; 3000][..]].concat();
    let mut commented = [junk.as_slice(), &whole].concat();
    let comment = b"made for a test, PK\x05\x06 and all";
    let at = commented.len() - 2;
    commented[at..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    commented.extend(comment);
    for bytes in [[junk.as_slice(), &whole].concat(), commented, [&whole[..], &[0; 3000]].concat()] {
        let bundle = given.open(&bytes);
        assert_eq!((contents(&bundle)["a.log"].as_slice(), messages(&bundle).as_str()), (&b"fine"[..], ""));
    }
}

#[test]
fn encrypted_entries_are_reported() {
    let given = Given::new();
    let mut bytes = zip(&[("t/a.log", b"secret"), ("t/b.log", b"fine")]);
    let at = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[at + 8] |= 1;
    let bundle = given.open(&bytes);
    assert_eq!(messages(&bundle), "archive a.log: encrypted; not read\n");
    let at = bytes.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    bytes[at + 8] |= 1;
    assert!(matches!(given.refuse(&bytes), OpenError::Encrypted { entries: 2, .. }));
}

#[test]
fn the_last_part_of_a_split_zip_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let (first, last) = (folder.path().join("a.z01"), folder.path().join("a.zip"));
    std::fs::write(&last, b"\x9c\x02 the middle of an entry \x00\x01").unwrap();
    let refuse = || Bundle::open(&last, Limits::default()).err().unwrap();
    assert!(matches!(refuse(), OpenError::NotAnArchive { .. }));
    std::fs::write(first, b"PK\x07\x08PK\x03\x04").unwrap();
    assert!(refuse().to_string().ends_with("a.zip --out whole.zip`"), "{}", refuse());
}

#[test]
fn parts_of_a_split_archive_are_read_as_one() {
    let whole =
        gzip(&tar(&[("logs/demo/web-0/nginx.log", b"one line\n"), ("logs/demo/web-1/nginx.log", b"another\n")]));
    let folder = tempfile::tempdir().unwrap();
    let part = |n: usize| folder.path().join(format!("bundle.tar.gz.00{n}"));
    for (n, bytes) in whole.chunks(whole.len() / 2 - 3).enumerate() {
        std::fs::write(part(n + 1), bytes).unwrap();
    }
    let open = |path: &Path| Bundle::open(path, Limits::default());
    let (joined, beside) = (open(&part(1)).unwrap(), open(folder.path()).unwrap());
    for bundle in [&joined, &beside] {
        assert_eq!(paths(bundle), ["logs/demo/web-0/nginx.log", "logs/demo/web-1/nginx.log"]);
        assert_eq!(messages(bundle), "");
    }
    assert_eq!(joined.container().bytes, whole.len() as u64);
    assert_eq!(joined.content_id(), beside.content_id());
    let refused = open(&part(3)).err().unwrap().to_string();
    assert!(refused.contains("later part") && refused.contains("bundle.tar.gz.001"), "{refused}");
}

#[test]
fn inputs_that_are_no_bundle_are_rejected_with_advice() {
    let given = Given::new();
    let whole = zip(&[("t/a.log", b"x")]);
    assert!(matches!(given.refuse(b""), OpenError::Empty { .. }));
    assert!(matches!(given.refuse(b"<html>not found</html>"), OpenError::NotAnArchive { .. }));
    assert!(matches!(given.refuse(b"\x89PNG\r\n\x1a\n"), OpenError::NotAnArchive { .. }));
    assert!(matches!(given.refuse(&gzip(b"\x89PNG\r\n\x1a\n")), OpenError::NotABundle { .. }));
    assert!(matches!(given.refuse(&whole[..35]), OpenError::Damaged { .. }));
    assert!(matches!(given.refuse(b"\xfd7zXZ\0...."), OpenError::Damaged { format: "xz", .. }));
    assert!(matches!(given.refuse(&zip(&[("x.txz", b"\xfd7zXZ\0....")])), OpenError::Damaged { format: "xz", .. }));
    assert!(matches!(given.refuse(b"Rar!\x1a\x07\x01\0"), OpenError::Unsupported { .. }));
    assert!(matches!(given.refuse(&gzip(b"Rar!\x1a\x07\x01\0")), OpenError::Unsupported { .. }));
    assert!(matches!(given.refuse(&zip(&[])), OpenError::NothingReadable { .. }));
    let error = given.refuse(&zip(&[("cat.jpg", b"\xff\xd8 cat"), ("dog.jpg", b"\xff\xd8 dog")]));
    assert!(
        error.to_string().ends_with(
            "only `cat.jpg`, `dog.jpg`; give the archive that the support bundle page or the collector produced"
        ),
        "{error}"
    );
    let missing = Bundle::open(Path::new("/nonexistent/x.zip"), Limits::default()).err().unwrap();
    assert!(matches!(missing, OpenError::NotFound { .. }));
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Bundle::open(empty.path(), Limits::default()), Err(OpenError::NothingReadable { .. })));
}

#[test]
fn random_bytes_do_no_harm() {
    let given = Given::new();
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let samples = [
        zip(&borrowed(&kit("t/", &node_zip()))),
        gzip(&tar(&[("t/a.log", b"x")])),
        tar(&[("t/n.zip", &node_zip()), ("t/b.log", b"x")]),
    ];
    for round in 0..150 {
        let mut bytes = samples[round % samples.len()].clone();
        for _ in 0..8 {
            let at = random() as usize % bytes.len();
            bytes[at] = random() as u8;
        }
        if let Ok(bundle) = Bundle::open(&given.file("x", &bytes), Limits::default()) {
            contents_and_issues(&bundle);
            bundle.content_id();
        }
    }
}
