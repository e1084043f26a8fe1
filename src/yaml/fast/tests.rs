use proptest::prelude::*;

use super::block::{BlockReader, MAX_KEY};
use super::*;
use crate::yaml::tape::MAX_DEPTH;

/// Lists the nodes that a reader made of a text, with their places.
fn shown((tape, problems): (Tape, Vec<Problem>)) -> String {
    let nodes: Vec<String> = tape.nodes.iter().map(|raw| format!("{raw:?}")).collect();
    format!("{}\n{:?}\n{:?}\n{:?}\n{problems:?}", nodes.join("\n"), tape.roots, tape.arena, tape.arena_ends)
}

pub fn same(text: &str) {
    assert_eq!(shown(read(text, u64::MAX)), shown(full::read(text, u64::MAX)), "{text:?}");
}

/// Returns true if the fast reader reads all of a text without the event parser.
pub fn takes(text: &str) -> bool {
    let mut builder = Builder::new(text);
    let mut reader = BlockReader::new(text, 0..text.len(), &mut builder);
    loop {
        match reader.document() {
            Ok(true) => {
                let at = reader.cursor.at();
                reader = BlockReader::new(text, at..text.len(), reader.builder);
            }
            Ok(false) => return true,
            Err(_) => return false,
        }
    }
}

#[test]
fn dumps_of_clusters_are_taken_and_agree_with_the_full_reader() {
    for text in [
        "",
        "# only a comment\n",
        "a: 1\nb: x y\n",
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: \"x\"\n- kind: Node\nkind: List\n",
        "a:\n  - x\n  - y: 1\n    z: 2\nb:\n-   c\n-\n- - p\n  - q\n- k: v\n  m:   \n",
        "a:\n-\n  b\nc:\n  -\n    d: e\n",
        "a:\nb:\n  c:\nd:\n",
        "a: {}\nb: []\nc:\n- {}\n- []\n",
        "a: [1, x y ,'it''s', \"b\\n\"] # c\nb: {c: d, 'e f': [], g: {h: ~}}\n",
        "- {any: [{pod: \"x-*\", b: a:b}, {c: -1, d: x#y}]}\n-   [a]\n- [ [ ], { } ]\n",
        "links: [\"https://x/y?z\"]\nb:\n  [c, d]\ne: {b: 1, a: 2, b: 3}\n",
        "a: null\nb: ~\nc: true\nd: 1.5\ne: -\u{e4}\nf: 0x1F\n",
        "f:metadata:\n  .: {}\n  k:{\"type\":\"Ready\"}:\n    f:x: {}\n",
        "'a b': 1\n\"c\": 2\n'd' : 3\ne : 4\n",
        "a: x # comment\n# comment\n  # another\nb: # value below\n  c: 1\nd: a#b\ne: a:b\n",
        "m: 'one\n  two\n\n  three'\nn: \"a \\n b\n  c \\\n   d\\\n  \\ e\"\no: plain\n  goes on\n\n  and on\np: 'it''s'\n",
        "m: \"tab\\t \\u00e4\\x41\\U0001F600\\e \\/\"\n",
        "l: |\n  one\n    two\n\n  three\ns: |-\n  x\nk: |+\n  y\n\n\nn: |2\n    z\n   w\nt: |\n  one\n\n",
        "f: >\n  one\n  two\n\n  three\n    more\n  four\n\n\n  five\ng: >-\n  x\n  y\nh: >+\n  z\n\n",
        "l: |\n\n  begins late\nm:\n  n: |\n    deep\n   \n  o: 1\n",
        "- a\n- 'b'\n- |\n  c\n- d: |-\n    e\n  f: g\n",
        "---\na: 1\n---\nb: 2\n",
        "a: 1\n---\n# Source: x\nb: 2\n",
        "---\n- x\n---\n'root'\n---\nplain\n",
        "b: 1\na: 2\nb: 3\nnull: 4\nnull: 5\n1: x\n",
        "a: b\n\n\n\nc: d\n\n",
        "\n\n  a: 1\n  b:\n    - c\n",
        "a: http://x/y?z\nb: -1\nd: a, b\ne: x]\n",
        "a: x\n  - y\nb: (z)\n  - on(c)\n  < 0\n",
        "a: :x\nb: ?x\n:c: d\n?e: f\n",
        "a: no line end at the end",
        "a:\n  no line end",
    ] {
        same(text);
        assert!(takes(text), "{text:?}");
    }
}

#[test]
fn everything_else_is_declined_and_reads_the_same() {
    for text in [
        "a: &x 1\nb: *x\n",
        "a:\n  <<: {b: 1}\n  c: 2\n",
        "a: {<<: {b: 1}, c: 2}\n",
        "a: !!str 1\n",
        "%YAML 1.2\n---\na: 1\n",
        "a: [1,\n  2]\n",
        "a: {b: c} d\n",
        "a: [b, ]\n",
        "a: [b,, c]\n",
        "a: {b}\n",
        "a: {b: }\n",
        "a: {b:c}\n",
        "a: {\"b\":c}\n",
        "a: [b: c]\n",
        "a: [b:]\n",
        "a: [b #c]\n",
        "a: [b[0]]\n",
        "a: [-]\n",
        "a: [- b]\n",
        "a: [&x b, *x]\n",
        "a: {? b : c}\n",
        "a: [b}\n",
        "a: [\"b\n",
        "[a]: b\n",
        "? a\n: b\n",
        "a:\tb\n",
        "a: b\tc\n",
        "\ta: b\n",
        "a: b: c\n",
        "a: 'x' y\n",
        "a: 1\n b: 2\n",
        "  a: 1\n b: 2\n",
        "a: 1\n- b\n",
        "- a\nb: 1\n",
        "a: x\n  y: z\n",
        "a: 'not closed\n",
        "a: \"bad \\q\"\n",
        "a: 'x\ny'\n",
        "a: |\n  x\n y\n",
        "a: |\n    \n  x\n",
        "a: |\n",
        "a: |\n  no line end",
        "a: | # comment\n  x\n",
        "a: x\n  y # z\n",
        "--- x\n",
        "---\n---\na: 1\n",
        "---\n",
        "a: 1\n...\nb: 2\n",
        "a: @x\n",
        "a: `x`\n",
        "a: 1\n---\nb: [1\n---\nc: 3\n",
        "\"a\\n\": 1\n",
    ] {
        same(text);
        assert!(!takes(text), "{text:?}");
    }
    same("a: 1\r\nb: 2\r\n");
    let long = format!("{}: 1\n", "k".repeat(MAX_KEY + 2));
    same(&long);
    assert!(!takes(&long));
}

#[test]
fn depth_is_bounded() {
    for depth in [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1] {
        same(&format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth)));
        same(&format!("a: {}b{}\n", "{c: ".repeat(depth), "}".repeat(depth)));
    }
    for text in ["- ".repeat(MAX_DEPTH) + "x\n", "- ".repeat(MAX_DEPTH + 1) + "x\n", "- ".repeat(100_000) + "x\n"] {
        same(&text);
    }
}

#[test]
fn control_characters_are_gone_before_anyone_reads() {
    let (text, problems) = crate::yaml::source::text(b"a: b.\x7f\0\0\x01c\nd: \xc2\x80\n".to_vec());
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(read(&text, u64::MAX).0.roots(), 1);
    same(&text);
}

#[test]
fn a_document_without_room_costs_only_itself() {
    let big = format!("a:\n{}", "- x\n".repeat(5000));
    let text = format!("{big}---\nb: 1\n---\n{big}");
    let (tape, problems) = read(&text, text.len() as u64 + 20_000);
    assert_eq!((tape.roots(), problems.len()), (1, 2), "{problems:?}");
    assert!(problems.iter().all(Problem::is_memory));
    assert!((1000..5002).contains(&problems[0].line) && problems[1].line > 6000, "{problems:?}");
}

#[test]
fn the_yaml_test_suite_reads_the_same() {
    let cases = include_str!("../../../tests/conformance/yaml-test-suite/cases.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(cases).unwrap();
    let texts: Vec<&str> = cases.iter().filter_map(|case| case["yaml"].as_str()).collect();
    texts.iter().for_each(|text| same(text));
    let taken = texts.iter().filter(|text| takes(text)).count();
    assert_eq!((texts.len(), taken), (402, 85));
}

/// Generates collections that are mostly on one line.
fn flow() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "1", "x y", "'s'", "'it''s'", "\"d\"", "\"e\\n\"", "~", "", "a:b", "b: c", "c:", "#d", "e #f", "-1", "-",
        "- g", "é", "?h", "? i", "&j k", "*l", "!m n", "\"o\\", "p]", "{q", "\tr",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        let pairs =
            prop::collection::vec(("[ab\"'k ]{0,3}", prop::sample::select(vec![": ", ":", " : "]), inner), 0..4);
        let pair = |(key, colon, value): (String, &str, String)| format!("{key}{colon}{value}");
        prop_oneof![
            (list, prop::sample::select(vec![", ", ",", " , ", ",,"]))
                .prop_map(|(list, comma)| format!("[{}]", list.join(comma))),
            pairs.prop_map(move |pairs| format!("{{{}}}", pairs.into_iter().map(pair).collect::<Vec<_>>().join(", "))),
        ]
    })
}

/// Generates lines that often form valid YAML.
fn line() -> impl Strategy<Value = String> {
    let begin = prop::sample::select(vec![
        "a: ", "b:", "- ", "-", "- - ", "- k: ", "'q': ", "\"r\": ", "---", "# c", "", "a : ", "- |", "x: |-",
        "y: |2+", "z: |+", "f: >", "g: >-", "h: >1+", "  more",
    ]);
    let value = prop::sample::select(vec![
        "",
        "x",
        "1",
        "x y",
        "'s'",
        "'it''s",
        "\"d\"",
        "\"e\\n",
        "{}",
        "[]",
        "|",
        "x # c",
        "a:b",
        "a#b",
        "~",
        "\"\\",
        "'",
        "\\\"",
        "\\",
        "é",
        "- z",
        "#",
        ":v",
        "?v",
        "[a, b: c]",
        "{d: e, f: [g]}",
        "[h, 'i', \"j\\n\"]",
        "[",
        "]",
        "{",
        "}",
        ",",
        "[-, k]",
        "{l: {m: n}, l: 1}",
        "{o:p}",
        "{\"q\": r} # s",
    ]);
    (0..5usize, begin, value).prop_map(|(indent, begin, value)| format!("{}{begin}{value}\n", "  ".repeat(indent)))
}

/// Generates documents as Go's writer makes them, with long lines folded.
fn written() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![
        "[a-zA-Z0-9./:_-]{0,12}",
        "[ -~]{0,40}",
        "([a-z'\":#]{1,9} ){5,30}",
        "([ -~]{0,20}\n){1,4}",
        "\\PC{0,9}",
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        text.prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            prop::collection::btree_map("[a-z:/.]{1,9}", inner, 0..6)
                .prop_map(|map| serde_json::Value::from(map.into_iter().collect::<serde_json::Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_read_the_same(lines in prop::collection::vec(line(), 0..14)) {
        let text = lines.concat();
        prop_assert_eq!(shown(read(&text, u64::MAX)), shown(full::read(&text, u64::MAX)));
    }

    #[test]
    fn any_flow_reads_the_same(flow in flow(), begin in prop::sample::select(vec!["", "a: ", "- ", "a:\n  ", "- - ", "? "])) {
        for text in [format!("{begin}{flow}\n"), format!("{begin}{flow} # c\nb: 1\n"), format!("{begin}{flow}: d")] {
            prop_assert_eq!(shown(read(&text, u64::MAX)), shown(full::read(&text, u64::MAX)));
        }
    }

    #[test]
    fn written_documents_read_the_same(value in written()) {
        let text = serde_yaml::to_string(&value).unwrap();
        prop_assert_eq!(shown(read(&text, u64::MAX)), shown(full::read(&text, u64::MAX)));
    }
}
