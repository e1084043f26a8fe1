//! Tests of all readers: properties over generated values, and the corpus.

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::normalise::{Dialect, normalise};
use super::*;

/// Converts a node to the value that crate `serde_json` would read.
fn value(node: Node<'_>) -> serde_json::Value {
    use serde_json::Value;
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap()),
        Kind::Number => node.as_i64().map_or_else(|| node.as_f64().into(), Value::from),
        Kind::String => node.text().into(),
        Kind::Sequence => node.items().map(value).collect(),
        Kind::Mapping => node.entries().map(|(key, node)| (key.into_owned(), value(node))).collect(),
    }
}

/// Generates values with strings that are hard for readers.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let word = prop_oneof![
        "[ -~äß日\u{1F600}\n\t\"\\\\:#'-]{0,12}",
        Just("null".to_owned()),
        Just("1e+09".to_owned()),
        Just("- a: |".to_owned()),
        Just("yes".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1.0e6..1.0e6f64).prop_map(Into::into),
        word.clone().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map(word.clone(), inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn only_root(text: &str) -> (Document, Vec<Problem>) {
    let (document, problems) = parse(text.as_bytes().to_vec());
    assert_eq!(problems, [], "{text}");
    assert_eq!(document.roots().count(), 1, "{text}");
    (document, problems)
}

/// Checks that the first word of every scalar is at its offset, after its quote.
fn assert_offsets(node: Node<'_>) {
    if node.kind().is_scalar() {
        let from = &node.document().text()[node.offset()..];
        let from = match from.as_bytes().first() {
            Some(b'"' | b'\'') => &from[1..],
            _ => from,
        };
        let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '"' | '\'' | '\\');
        let word = node.text().split(odd).next().unwrap();
        assert!(from.trim_start().starts_with(word), "{word:?} is not at the beginning of {:?}", from.get(..80));
    }
    node.items().chain(node.entry_nodes().flat_map(|(key, value)| [key, value])).for_each(assert_offsets);
}

/// Configures the same cases in every run, and no files of past failures.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x67_6c_65_61),
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn json_reads_back_equal(expected in any_value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&expected) } else { serde_json::to_string(&expected) }.unwrap();
        let (tape, problem) = json::read(&text, u64::MAX);
        prop_assert_eq!(problem, None);
        let document = Document::new(text, tape);
        let root = document.roots().next().unwrap();
        assert_offsets(root);
        prop_assert_eq!(value(root), expected);
    }

    #[test]
    fn yaml_reads_back_equal(expected in any_value()) {
        let text = serde_yaml::to_string(&expected).unwrap();
        let (document, _) = only_root(&text);
        let root = document.roots().next().unwrap();
        assert_offsets(root);
        prop_assert_eq!(value(root), expected);
    }

    #[test]
    fn both_readers_agree_on_json(expected in any_value()) {
        let text = serde_json::to_string(&expected).unwrap();
        let (tape, problems) = full::read(&text, u64::MAX);
        prop_assert_eq!(problems, []);
        let document = Document::new(text, tape);
        prop_assert_eq!(value(document.roots().next().unwrap()), expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"{}[]:,-&*!|>\n \"'?#%".to_vec())], 0..200)) {
        let length = bytes.len();
        let (mut document, _) = parse(bytes);
        normalise(&mut document, Dialect::Kit);
        prop_assert!(document.text().is_empty() || document.text().len() == length);
        for root in document.roots() {
            let _ = format!("{root:?}");
            prop_assert!(!document.excerpt(root, 2).is_empty());
        }
    }

    #[test]
    fn lines_are_counted_right(text in "[a\n]{0,20000}", part in 0.0..1.0f64) {
        let offset = (text.len() as f64 * part) as usize;
        let document = Document::new(text.clone(), tape::Tape::default());
        prop_assert_eq!(document.line_of(offset), 1 + text[..offset].matches('\n').count() as u64);
    }
}

#[test]
fn json_is_chosen_only_where_it_is_json() {
    let (document, problems) = parse(b"{a: 1, b: [x]}\n".to_vec());
    assert_eq!(problems, []);
    assert_eq!(document.roots().next().unwrap().get("a").unwrap().as_i64(), Some(1));
    let (document, problems) = parse(b"{\"a\":1}\n{\"b\":2}\n{\"c\"".to_vec());
    assert_eq!(document.roots().count(), 2);
    assert!(problems[0].message.to_string().contains("JSON"), "{problems:?}");
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let (document, _) = only_root("\u{feff}apiVersion: v1\nkind: List\n");
    let root = document.roots().next().unwrap();
    assert_eq!(root.str_at(&["apiVersion"]), Some("v1"));
    assert!(document.text()[root.get("kind").unwrap().offset()..].starts_with("List"));
}

#[test]
fn numbers_read_as_what_they_were() {
    let (document, _) = only_root("[1e+09, 2.31131136e+08, 1.5, 9223372036854775807, 1e300, '5']");
    let numbers: Vec<_> = document.roots().next().unwrap().items().map(|n| (n.as_i64(), n.as_f64())).collect();
    assert_eq!(
        numbers,
        [
            (Some(1_000_000_000), Some(1e9)),
            (Some(231_131_136), Some(231_131_136.0)),
            (None, Some(1.5)),
            (Some(i64::MAX), Some(i64::MAX as f64)),
            (None, Some(1e300)),
            (None, None),
        ]
    );
}

/// Every dump of the archive as name and bytes.
fn dumps(archive: PathBuf) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(archive).unwrap()).unwrap();
    let mut dumps = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        if name.contains("/yamls/") && name.ends_with(".yaml") {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            dumps.push((name, bytes));
        }
    }
    dumps
}

#[test]
fn every_dump_of_the_corpus_is_read() {
    let Some(corpus) = std::env::var_os("GLEANER_CORPUS") else {
        eprintln!("skipped: GLEANER_CORPUS is not set");
        return;
    };
    let dumps = dumps(PathBuf::from(corpus).join("harvester-v1.0-single-node.zip"));
    assert_eq!(dumps.len(), 1139);
    let mut items = 0;
    for (name, bytes) in dumps {
        let (text, _) = source::text(bytes.clone());
        fast::tests::same(&text);
        assert!(fast::tests::takes(&text), "{name} is left to the event parser");
        let (mut document, problems) = parse(bytes);
        assert_eq!(problems, [], "{name}");
        document.roots().for_each(assert_offsets);
        normalise(&mut document, Dialect::Kit);
        let list = document.roots().next().unwrap();
        assert_eq!(list.str_at(&["kind"]), Some("List"), "{name}");
        items += list.get("items").unwrap().len();
    }
    assert_eq!(items, 1246);
}

#[test]
fn rules_without_anchors_are_read_line_by_line() {
    let files = walkdir::WalkDir::new(concat!(env!("CARGO_MANIFEST_DIR"), "/rules"));
    let paths = files.into_iter().map(|file| file.unwrap().into_path());
    let rules: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|found| found == "yaml")).collect();
    assert!(rules.len() > 200);
    for path in rules {
        let text = std::fs::read_to_string(&path).unwrap();
        fast::tests::same(&text);
        let has_anchor = text.contains(": &") || text.contains("- &");
        assert!(fast::tests::takes(&text) || has_anchor, "{} is left to the event parser", path.display());
    }
}

/// Every reader tells repeated keys, with the line of the first that does not count: block and flow style, YAML and JSON.
#[test]
fn repeated_keys_are_told() {
    use crate::model::message::DocumentProblem::{KeyRepeated, KeysRepeated};
    let rows = [
        ("a: 1\nb: 2\n", None),
        ("b: 2\na: 1\n", None),
        ("x: 0\na: 1\na: 2\n", Some((2, KeyRepeated))),
        ("- a: 1\n- a: 2\n", None),
        ("x:\n  b: 1\n  a: 2\n  b: 3\n", Some((2, KeyRepeated))),
        ("x: {a: 1, a: 2}\n", Some((1, KeyRepeated))),
        ("x: 1\n---\ny: 1\ny: 2\n---\nz: 1\nz: 2\nz: 3\n", Some((3, KeysRepeated { count: 3 }))),
        ("\"a\": 1\na: 2\n", Some((1, KeyRepeated))),
        ("{\"a\": 1,\n \"b\": 1, \"b\": 2}", Some((2, KeyRepeated))),
        ("a: &x {c: 1, c: 2}\n", Some((1, KeyRepeated))),
        // A collector hid what told them apart.
        ("s:\n  tcp://***HIDDEN***:10000:\n    error: a\n  tcp://***HIDDEN***:10000:\n    error: b\n", None),
        ("{\"s\": {\"***TOKEN_A_1***\": 1, \"***TOKEN_A_1***\": 2}}", None),
    ];
    for (text, wanted) in rows {
        let problems = parse_text(text.to_owned(), u64::MAX).1;
        let told: Vec<_> = problems.into_iter().map(|problem| (problem.line, problem.message)).collect();
        assert_eq!(told, Vec::from_iter(wanted), "{text}");
        let (fast, full) = (fast::read(text, u64::MAX).0, full::read(text, u64::MAX).0);
        assert_eq!(fast.repeated, full.repeated, "{text}");
    }
}
