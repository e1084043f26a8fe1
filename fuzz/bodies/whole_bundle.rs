//! Whole bundles under narrow limits: what was not read is never taken for healthy, and the order of entries and threads
//! changes nothing.
//!
//! The first byte selects which limits are narrow and which rules run. Then come files: a line `### PATH`, and its
//! content up
//! to the next.

use std::path::Path;
use std::sync::OnceLock;

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::pipeline::{self, Options};
use gleaner::internals::report::{Audience, Format, render};
use gleaner::internals::rule::{RuleSet, Streams, compile, load};
use gleaner::model::Analysis;

/// More files only cost time.
const MOST_FILES: usize = 12;
const HEADING: &str = "\n### ";

/// Number of sets of rules; patterns for all of them take long to compile.
const SETS: usize = 8;

static RULES: OnceLock<Vec<RuleSet>> = OnceLock::new();

type Files = Vec<(String, Vec<u8>)>;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((&narrow, text)) = bytes.split_first() else { return };
    let Some(files) = files(text) else { return };
    let rules = &RULES.get_or_init(rules)[usize::from(narrow >> 5)];
    let wide = Limits { max_bytes: 8 << 20, max_entries: 500, max_line: 1 << 12, ..Limits::default() };
    let whole = analysis(files.clone(), rules, wide);
    if narrow % 32 == 0 && names_once(&files) {
        let turned = analysis(files.into_iter().rev().collect(), rules, wide);
        assert_eq!(written(&whole), written(&turned), "the order of entries shows");
        return;
    }
    let seen = analysis(files, rules, limits(narrow, wide));
    for id in &seen.rules.clean {
        assert!(!whole.rules.fired.contains(id), "{id} is clean where less was read");
    }
    let least = |analysis: &Analysis| analysis.issues.iter().all(|issue| !issue.message.to_string().is_empty());
    assert!(least(&whole) && least(&seen));
}

/// Those of the language's own tests, which use all of it.
fn rules() -> Vec<RuleSet> {
    // Both the package of the fuzz targets and the one of the smoke test compile this file.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = if package.ends_with("fuzz") { "../tests/language" } else { "tests/language" };
    let folder = package.join(folder);
    let streams = Streams::parse(load::embedded().streams).expect("streams");
    let all = compile(load::folder(&folder).expect("a folder").sources, &streams).expect("rules");
    let ids: Vec<String> = all.rules.iter().map(|rule| rule.id.clone()).collect();
    let set = |at: usize| ids.iter().skip(at).step_by(SETS).cloned().collect::<Vec<_>>();
    (0..SETS).map(|at| all.subset(&set(at)).expect("known rules")).collect()
}

fn files(text: &[u8]) -> Option<Files> {
    let text = [b"\n", text].concat();
    let finder = |from: usize| text[from..].windows(HEADING.len()).position(|w| w == HEADING.as_bytes());
    let mut at = finder(0)?;
    let mut files = Vec::new();
    while files.len() < MOST_FILES {
        let begin = at + HEADING.len();
        let end = finder(begin).map_or(text.len(), |found| begin + found);
        let file = &text[begin..end];
        let (path, content) = file.split_at(file.iter().position(|b| *b == b'\n').unwrap_or(file.len()));
        let content = content.strip_prefix(b"\n").unwrap_or(content);
        files.push((String::from_utf8(path.to_vec()).ok()?, content.to_vec()));
        if end == text.len() {
            break;
        }
        at = end;
    }
    Some(files)
}

/// Of entries with the same path, the first counts.
fn names_once(files: &Files) -> bool {
    let mut names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}

/// Each bit makes one limit narrow.
fn limits(narrow: u8, wide: Limits) -> Limits {
    let mut limits = wide;
    if narrow & 1 != 0 {
        limits.max_dump = 300;
    }
    if narrow & 2 != 0 {
        limits.max_memory = 24 << 10;
    }
    if narrow & 4 != 0 {
        limits.max_bytes = 2000;
    }
    if narrow & 8 != 0 {
        limits.max_entries = 3;
    }
    if narrow & 16 != 0 {
        limits.max_depth = 1;
    }
    limits
}

fn analysis(files: Files, rules: &RuleSet, limits: Limits) -> Analysis {
    let bundle = Bundle::from_memory("demo", files, limits);
    pipeline::analyze(&bundle, rules, Options { inventory: true, ..Options::default() }, &())
}

fn written(analysis: &Analysis) -> Vec<u8> {
    let mut out = Vec::new();
    render(analysis, Format::Json, Audience::Support, None, &mut out).expect("a report");
    out
}
