//! Templates of logs: the first byte chooses the kind of source, the rest is the log. Whatever it is, lines add up, first and last
//! lines are lines of the log, and the pieces in which it is read do not show.

use gleaner::internals::log::{Clock, LogQuery, LogSource, PatternSet, Selector, SourceGlob, SourceOrigin};
use std::io::{self, Read};
use std::sync::OnceLock;

static SET: OnceLock<PatternSet> = OnceLock::new();

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((choice, log)) = bytes.split_first() else { return };
    let set = SET.get_or_init(set);
    let source = LogSource { entry: "a.log".into(), origin: origin(*choice) };
    let scan = |log: &mut dyn Read| {
        let scanner = set.scanner(&source, "a.log", Clock::default()).expect("templates are wanted");
        scanner.max_line(1 << 10).scan(log).mined.expect("templates are wanted")
    };
    let mined = scan(&mut &*log);
    let lines: u64 = mined.templates.iter().map(|template| template.lines).sum();
    // Zeros, which a crash leaves in a file, separate lines that have one number.
    let zeros = log.iter().filter(|byte| **byte == 0).count() as u64;
    assert!(lines <= mined.lines + zeros && mined.first <= mined.last);
    for template in &mined.templates {
        let matched: u64 = template.matched.values().sum();
        assert!(template.lines > 0 && matched <= template.lines, "{template:?}");
        let (first, last) = (template.first.1, template.last.1);
        assert!((1..=mined.lines).contains(&first) && (1..=mined.lines).contains(&last), "{template:?}");
        assert!(template.first.0 <= template.last.0, "{template:?}");
        let dated: u64 = template.times.stretches().map(|(_, count)| count).sum();
        assert!(dated <= template.lines, "{template:?}");
        assert!(!template.text.contains(char::is_control) && !template.sample.contains(char::is_control));
    }
    assert_eq!(format!("{mined:?}"), format!("{:?}", scan(&mut Pieces { log, most: usize::from(*choice) + 1 })));
}

/// A log of which a read returns few bytes.
struct Pieces<'l> {
    log: &'l [u8],
    most: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(buffer.len());
        self.log.read(&mut buffer[..most])
    }
}

fn set() -> PatternSet {
    let query = LogQuery {
        selector: Selector { any: vec![SourceGlob::default()] },
        patterns: vec!["disk".to_owned()],
        ..LogQuery::default()
    };
    let mut set = PatternSet::compile(vec![query]).expect("it compiles");
    set.mine();
    set
}

fn origin(choice: u8) -> SourceOrigin {
    match choice & 3 {
        0 => SourceOrigin::File,
        1 => SourceOrigin::Container {
            namespace: "shop".to_owned(),
            pod: "web-0".to_owned(),
            container: "web".to_owned(),
            previous: false,
        },
        _ => SourceOrigin::Unit { node: "n1".to_owned(), unit: "kernel".to_owned() },
    }
}
