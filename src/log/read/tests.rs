//! Numbers, times and secrets of lines, wherever pages end.

use std::ops::ControlFlow;

use super::LineReader;
use crate::log::{Clock, LogSource, SourceOrigin};

fn source(unit: &str) -> LogSource {
    let origin = SourceOrigin::Unit { node: "n1".to_owned(), unit: unit.to_owned() };
    LogSource { entry: "x.log".into(), origin }
}

/// All lines as `number time text`, and the number of pages.
fn lines(reader: LineReader<'_>, text: &str) -> (Vec<String>, u32) {
    let (mut found, mut pages) = (Vec::new(), 0);
    reader.read(&mut text.as_bytes(), &mut |page| {
        pages += 1;
        let all: Vec<_> = page.lines().collect();
        let places: Vec<_> = all.iter().map(|line| page.place(line)).collect();
        for (place, shown) in places.iter().zip(page.shown(&all)) {
            let time = place.time.map_or_else(|| "-".to_owned(), |time| time.to_string());
            found.push(format!("{} {time} {shown}", place.number));
        }
        ControlFlow::Continue(())
    });
    (found, pages)
}

#[test]
fn keys_are_masked_across_pages() {
    let filler = |n: usize| format!("2024-01-01T00:00:00Z filler {n} {}\n", "y".repeat(100));
    // The key lies at every place around the end of the first page.
    for before in [1_900, 1_910, 1_920, 1_930, 1_940] {
        let key = format!(
            "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n",
            "MIIhorseHORSE0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP\n".repeat(25)
        );
        let text = format!(
            "{}{key}run --token\nhorse7Battery\n{}",
            (0..before).map(filler).collect::<String>(),
            (0..900).map(filler).collect::<String>()
        );
        let node = source("x");
        let (shown, pages) = lines(LineReader::new(&node, Clock::default()), &text);
        assert!(pages > 1 && shown.len() == text.lines().count());
        let leak = shown.iter().find(|line| line.contains("horse"));
        assert_eq!(leak, None, "{before}");
        for (at, line) in shown.iter().enumerate() {
            assert!(line.starts_with(&format!("{} ", at + 1)), "{line}");
        }
    }
}

#[test]
fn lines_of_more_than_a_year_have_their_years() {
    let log = "Feb 01 10:00:00 n1 kernel: old\nJun 01 10:00:00 n1 kernel: new\nMar 05 10:00:00 n1 kernel: newer\n";
    let (node, clock) = (source("kernel"), Clock { now: "2024-03-06T00:00:00Z".parse().ok(), ..Clock::default() });
    let years = LineReader::new(&node, clock).read(&mut log.as_bytes(), &mut |page| {
        assert!(page.watches_years());
        ControlFlow::Continue(())
    });
    assert_eq!(years, 1);
    let (shown, _) = lines(LineReader::new(&node, clock).years(years), log);
    let times: Vec<&str> = shown.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(times, ["2023-02-01T10:00:00Z", "2023-06-01T10:00:00Z", "2024-03-05T10:00:00Z"]);
}

#[test]
fn files_are_read_as_a_whole() {
    let secret = "kind: Secret\ndata:\n  user: Z3JhY2VmdWxob3JzZQ==\nname: login\n";
    let text = format!("{}{secret}", "- item: 1\n".repeat(60_000));
    let file = source("x");
    let (shown, pages) = lines(LineReader::new(&file, Clock::default()).whole(text.len()), &text);
    assert_eq!((pages, shown.len()), (1, 60_004));
    assert!(shown[60_002].starts_with("60003 - ") && !shown[60_002].contains("Z3Jh"), "{}", shown[60_002]);
    assert_eq!(shown[60_003], "60004 - name: login");
}

#[test]
fn long_lines_and_sections() {
    let text = format!("2024-01-01T00:00:00Z {}\nnext\n", "x".repeat(5_000));
    let file = source("x");
    let (shown, _) = lines(LineReader::new(&file, Clock::default()).max_line(100).start_at_line(8), &text);
    assert_eq!(shown[0].chars().count(), "8 2024-01-01T00:00:00Z ".len() + 101);
    assert!(shown[0].ends_with("x…") && shown[1] == "9 2024-01-01T00:00:00Z next", "{}", shown[1]);
}
