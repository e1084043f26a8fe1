//! Logs: one pass for several patterns finds in each line what the patterns alone find.
//!
//! The first lines are patterns up to an empty one, the rest is the log.

use gleaner::internals::log::{
    Clock, LogIndex, LogQuery, LogSource, PatternSet, Selector, SourceGlob, SourceOrigin, validate,
};
use regex::bytes::RegexBuilder;

/// More patterns only cost time.
const MOST_PATTERNS: usize = 6;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some(end) = bytes.windows(2).position(|pair| pair == b"\n\n") else { return };
    let Ok(head) = std::str::from_utf8(&bytes[..end]) else { return };
    let patterns: Vec<&str> =
        head.split('\n').filter(|p| p.len() < 100 && validate(p).is_ok()).take(MOST_PATTERNS).collect();
    // A letter before each line, so that none begins with a stamp, which patterns do not see; and nothing that is
    // cleaned away before.
    let whole = |line: &[u8]| !line.iter().any(|b| matches!(b, 0 | 0x1b | b'\r'));
    let lines = bytes[end + 2..].split(|b| *b == b'\n').filter(|line| whole(line));
    let lines: Vec<Vec<u8>> = lines.map(|line| [b"x", line].concat()).collect();
    if lines.is_empty() {
        return;
    }
    let Ok(set) = PatternSet::compile(patterns.iter().map(|pattern| query(pattern)).collect()) else { return };
    let source = LogSource { entry: "a.log".into(), origin: SourceOrigin::File };
    let Some(scanner) = set.scanner(&source, "a.log", Clock::default()) else { return };
    let hits = scanner.scan(&mut lines.join(&b'\n').as_slice());
    assert_eq!(hits.lines, lines.len() as u64);
    let index = LogIndex::build(&set, &[(source, "a.log".to_owned())], vec![hits], &|_, _| None);
    for (id, pattern) in patterns.iter().enumerate() {
        let Ok(slow) = RegexBuilder::new(pattern).unicode(false).build() else { continue };
        let wanted = lines.iter().filter(|line| slow.is_match(line)).count() as u64;
        let found: u64 = index.answer(id).groups.iter().map(|group| group.count).sum();
        assert_eq!(found, wanted, "{pattern:?}");
    }
}

fn query(pattern: &str) -> LogQuery {
    LogQuery {
        selector: Selector { any: vec![SourceGlob::default()] },
        patterns: vec![pattern.to_owned()],
        ..LogQuery::default()
    }
}
