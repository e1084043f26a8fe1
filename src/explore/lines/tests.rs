//! Order, memory and choice of lines over bundles in memory.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::{Answer, Block, MEMORY, Period, Reading};
use crate::bundle::{Bundle, Limits};
use crate::explore::grep::{self, Context, Pattern, Search, Within};
use crate::explore::logs::{Choice, logs};
use crate::pipeline::BundleTexts;

/// Several pods that log every few seconds, one of them backwards, one without stamps.
fn bundle() -> Bundle {
    let line = |pod: usize, n: usize| {
        let second = n * (pod + 2);
        format!(
            "2024-03-06T{:02}:{:02}:{:02}.{pod}Z pod {pod} line {n} {}\n",
            second / 3600,
            second / 60 % 60,
            second % 60,
            "x".repeat(n % 50)
        )
    };
    let mut files: Vec<(String, Vec<u8>)> = (0..4)
        .map(|pod| {
            let lines: Vec<String> = (0..2000).map(|n| line(pod, if pod == 3 { 1999 - n } else { n })).collect();
            (format!("logs/demo/pod-{pod}/app.log"), lines.concat().into_bytes())
        })
        .collect();
    files.push(("logs/demo/bare/app.log".to_owned(), b"bare line 1\nbare line 2\n".to_vec()));
    Bundle::from_memory("demo", files, Limits::default())
}

fn answered(ask: impl Fn(super::Give<'_>) -> Answer) -> (Answer, Vec<String>) {
    let lines = Mutex::new(Vec::new());
    let answer = ask(&|blocks: Vec<Block>| {
        let shown = blocks
            .into_iter()
            .flat_map(|block| block.lines)
            .map(|line| format!("{}:{} {}", line.text, line.number, line.shown));
        lines.lock().unwrap().extend(shown);
        ControlFlow::Continue(())
    });
    (answer, lines.into_inner().unwrap())
}

#[test]
fn any_memory_gives_the_same_lines() {
    let bundle = bundle();
    let texts = BundleTexts::list(&bundle);
    let reading = Reading::new(&texts);
    let chosen: Vec<usize> = (0..texts.texts.len()).collect();
    let all = |memory, choice| answered(|give| logs(&reading, &chosen, choice, memory, give).answer);
    let (answer, lines) = all(MEMORY, Choice::default());
    assert_eq!((answer.chosen, answer.given, lines.len()), (8002, 8002, 8002));
    assert_eq!(lines[..2], ["0:1 bare line 1", "0:2 bare line 2"]);
    let stamp =
        |line: &String| line.split_once(' ').unwrap().1.split(' ').next().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(lines[2..].is_sorted_by_key(stamp));
    for memory in [200_000, 800_000] {
        assert_eq!(all(memory, Choice::default()), (answer.clone(), lines.clone()), "{memory}");
    }
    for tail in [1, 1500, 9000] {
        let (some, last) = all(800_000, Choice { tail: Some(tail), ..Choice::default() });
        assert_eq!(last, lines[8002_usize.saturating_sub(tail)..], "{tail}");
        assert_eq!((some.chosen, some.given), (8002, tail.min(8002) as u64));
    }
    let hour = Period { since: Some("2024-03-06T01:00:00Z".parse().unwrap()), until: None };
    let late: Vec<String> = lines[2..].iter().filter(|line| !line.contains("T00:")).cloned().collect();
    assert_eq!(all(800_000, Choice { period: hour, ..Choice::default() }).1, late);
}

#[test]
fn one_log_is_given_as_it_stands() {
    let bundle = bundle();
    let texts = BundleTexts::list(&bundle);
    let reading = Reading::new(&texts);
    let backwards = texts.texts.iter().position(|text| text.logical.contains("pod-3")).unwrap();
    let (_, lines) = answered(|give| logs(&reading, &[backwards], Choice::default(), MEMORY, give).answer);
    assert!(lines.len() == 2000 && lines[0].contains("line 1999 ") && lines[1999].contains("line 0 "));
    let tail = Choice { tail: Some(2), ..Choice::default() };
    let (answer, lines) = answered(|give| logs(&reading, &[backwards], tail, MEMORY, give).answer);
    assert!(lines.len() == 2 && lines[1].contains("line 0 ") && answer.given == 2);
    let stopped = Mutex::new(0);
    logs(&reading, &[backwards], Choice::default(), MEMORY, &|_| {
        *stopped.lock().unwrap() += 1;
        ControlFlow::Break(())
    });
    assert_eq!(stopped.into_inner().unwrap(), 1);
}

#[test]
fn matches_keep_their_context_with_any_memory() {
    let bundle = bundle();
    let texts = BundleTexts::list(&bundle);
    let reading = Reading::new(&texts);
    let chosen = grep::texts(&texts, Within::Logs, &[]);
    let pattern = Pattern::new("line (5|7|1000)( |$)", false, false).unwrap();
    let found = |memory, most| {
        let context = Context { before: 1, after: 1 };
        let search = Search { pattern: &pattern, period: Period::default(), context, most };
        answered(|give| grep::grep(&reading, &chosen, search, memory, give).answer)
    };
    let (answer, lines) = found(MEMORY, None);
    // 5 and 7 have a line between them; each of the four logs has two blocks.
    assert_eq!((answer.given, lines.len()), (8, 4 * (5 + 3)));
    for memory in [1, 500, 2_000] {
        assert_eq!(found(memory, None), (answer.clone(), lines.clone()), "{memory}");
    }
    let (first, some) = found(MEMORY, Some(3));
    assert_eq!((first.chosen, first.given), (8, 3));
    assert_eq!(some, lines[..15]);
}
