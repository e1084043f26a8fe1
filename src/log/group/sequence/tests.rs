//! Order, windows, counts and absent steps, a sentence each.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Absent, Chosen, MAX_TRIES, Sequence, StepPresence, StepVerdict, find};
use crate::log::group::single_hits::LogHit;

/// A log: `a` in the `n`th place is a line of step `a` at second `n`; several letters make a line of several steps.
fn hits(steps: &str, log: &[&str]) -> Vec<Vec<LogHit>> {
    let of = |step: char| {
        let lines = log.iter().enumerate().filter(move |(_, line)| line.contains(step));
        lines.map(|(at, _)| hit(at as i64, at as u64)).collect()
    };
    steps.chars().map(of).collect()
}

fn hit(second: i64, line: u64) -> LogHit {
    let time = Timestamp::from_second(second).unwrap();
    let (text, captures) = (String::new(), BTreeMap::new());
    LogHit {
        time,
        entry: "x.log".into(),
        order: line as i64,
        line,
        text,
        captures,
        node: None,
        pod: None,
        matched: String::new(),
    }
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

fn ordered(counts: &[usize], within: i64) -> Sequence {
    let steps = counts.iter().map(|count| StepPresence::Present(*count)).collect();
    Sequence { steps, within: seconds(within), ordered: true }
}

fn set(counts: &[usize], within: i64) -> Sequence {
    Sequence { ordered: false, ..ordered(counts, within) }
}

/// The same with one more step that must be absent.
fn without(mut sequence: Sequence, anchor: usize, slide: i64, within: i64) -> Sequence {
    sequence.steps.push(StepPresence::Absent(Absent { anchor, slide: seconds(slide), within: seconds(within) }));
    sequence
}

/// The seconds of the lines of each match, by step.
fn matches(sequence: &Sequence, hits: &[Vec<LogHit>]) -> Vec<String> {
    matches_if(sequence, hits, false, &mut |_, _| StepVerdict::Yes)
}

fn matches_if(
    sequence: &Sequence,
    hits: &[Vec<LogHit>],
    conditions: bool,
    holds: &mut dyn FnMut(usize, &Chosen) -> StepVerdict,
) -> Vec<String> {
    let lists: Vec<Vec<&LogHit>> = hits.iter().map(|list| list.iter().collect()).collect();
    let found = find(sequence, &lists, conditions, &mut MAX_TRIES.clone(), holds);
    assert!(!found.gave_up);
    let second = |step: usize, index: &usize| hits[step][*index].time.as_second().to_string();
    let steps = |lines: &Chosen| {
        let present = lines.iter().enumerate().filter(|(_, lines)| !lines.is_empty());
        let shown = present.map(|(step, lines)| lines.iter().map(|i| second(step, i)).collect::<Vec<_>>().join("+"));
        shown.collect::<Vec<_>>().join(" ")
    };
    found.list.iter().map(|one| format!("{}{}", steps(&one.lines), if one.doubtful { "?" } else { "" })).collect()
}

fn in_order(within: i64, log: &[&str]) -> Vec<String> {
    matches(&ordered(&[1, 1], within), &hits("ab", log))
}

#[test]
fn steps_come_in_their_order() {
    assert_eq!(in_order(9, &["a", "b"]), ["0 1"]);
    assert_eq!(in_order(9, &["b", "a"]), [""; 0]);
    assert_eq!(matches(&ordered(&[1, 1, 1], 9), &hits("abc", &["a", "c", "b", "c"])), ["0 2 3"]);
}

#[test]
fn a_set_has_no_order() {
    assert_eq!(matches(&set(&[1, 1], 9), &hits("ab", &["b", "a"])), ["1 0"]);
}

#[test]
fn the_window_is_inclusive() {
    let log = ["a", "-", "-", "b"];
    assert_eq!(in_order(3, &log), ["0 3"]);
    assert_eq!(in_order(2, &log), [""; 0]);
    assert_eq!(matches(&set(&[1, 1], 3), &hits("ab", &log)), ["0 3"]);
    assert_eq!(matches(&set(&[1, 1], 2), &hits("ab", &log)), [""; 0]);
}

#[test]
fn beyond_the_window_the_earliest_line_is_dropped() {
    assert_eq!(in_order(2, &["a", "a", "-", "b"]), ["1 3"]);
    assert_eq!(matches(&set(&[1, 1, 1], 2), &hits("abc", &["a", "-", "b", "c", "a"])), ["4 2 3"]);
}

#[test]
fn lines_of_equal_time_count_as_ordered() {
    let mut hits = hits("ab", &["a", "b"]);
    hits[1][0].time = hits[0][0].time;
    assert_eq!(matches(&ordered(&[1, 1], 0), &hits), ["0 0"]);
    (hits[0][0].line, hits[0][0].order) = (2, 2);
    assert_eq!(matches(&ordered(&[1, 1], 0), &hits), [""; 0], "one log tells the order by its lines");
    hits[0][0].entry = "y.log".into();
    assert_eq!(matches(&ordered(&[1, 1], 0), &hits), ["0 0"], "of several logs nothing tells it");
}

#[test]
fn a_line_advances_one_step_only() {
    assert_eq!(in_order(9, &["ab"]), [""; 0]);
    assert_eq!(in_order(9, &["ab", "ab"]), ["0 1"]);
}

#[test]
fn a_line_of_a_set_may_feed_several_steps() {
    assert_eq!(matches(&set(&[1, 1], 9), &hits("ab", &["ab"])), ["0 0"]);
}

#[test]
fn steps_take_so_many_lines() {
    let counted = ordered(&[3, 1], 9);
    assert_eq!(matches(&counted, &hits("ab", &["a", "a", "b", "a", "b"])), ["0+1+3 4"]);
    assert_eq!(matches(&counted, &hits("ab", &["a", "a", "b"])), [""; 0]);
    assert_eq!(matches(&set(&[2, 1], 2), &hits("ab", &["a", "b", "-", "a", "a"])), [""; 0]);
    assert_eq!(matches(&set(&[2, 1], 3), &hits("ab", &["a", "b", "-", "a", "a"])), ["0+3 1"]);
    assert_eq!(matches(&ordered(&[3], 2), &hits("a", &["a", "-", "a", "a", "a"])), ["2+3+4"]);
}

#[test]
fn a_line_is_part_of_one_match_only() {
    assert_eq!(in_order(9, &["a", "a", "b", "b", "b"]), ["0 2", "1 3"]);
    assert_eq!(in_order(9, &["a", "b", "b", "a", "b"]), ["0 1", "3 4"]);
    assert_eq!(matches(&set(&[1, 1], 9), &hits("ab", &["a", "b", "b", "a"])), ["0 1", "3 2"]);
    assert_eq!(matches(&ordered(&[1], 0), &hits("a", &["a", "a"])), ["0", "1"]);
}

fn absent(sequence: Sequence, log: &[&str]) -> Vec<String> {
    matches(&sequence, &hits("abn", log))
}

#[test]
fn an_absent_step_lies_between_the_first_and_the_last_line() {
    let plain = || without(ordered(&[1, 1], 9), 0, 0, 0);
    assert_eq!(absent(plain(), &["n", "a", "b", "n"]), ["1 2"]);
    for log in [["a", "n", "b"], ["an", "-", "b"], ["a", "-", "bn"]] {
        assert_eq!(absent(plain(), &log), [""; 0], "{log:?}: both ends belong to it");
    }
    let other = without(set(&[1, 1], 9), 0, 0, 0);
    assert_eq!(absent(other, &["b", "n", "a", "a", "b"]), ["2 4"]);
}

#[test]
fn a_window_makes_the_interval_longer_and_a_slide_moves_it() {
    let log = ["a", "b", "-", "-", "n"];
    assert_eq!(absent(without(ordered(&[1, 1], 9), 0, 0, 2), &log), ["0 1"]);
    assert_eq!(absent(without(ordered(&[1, 1], 9), 0, 0, 3), &log), [""; 0]);
    assert_eq!(absent(without(ordered(&[1, 1], 9), 1, 0, 2), &log), [""; 0], "counted from the second line");
    assert_eq!(absent(without(ordered(&[1, 1], 9), 0, 3, 0), &log), [""; 0]);
    let log = ["n", "-", "a", "b"];
    assert_eq!(absent(without(ordered(&[1, 1], 9), 0, -2, 0), &log), [""; 0]);
    assert_eq!(absent(without(ordered(&[1, 1], 9), 0, -1, 0), &log), ["2 3"]);
}

#[test]
fn an_absent_step_strikes_out_the_line_it_is_counted_from() {
    let log = ["a", "n", "a", "b"];
    assert_eq!(absent(without(ordered(&[1, 1], 9), 0, 0, 0), &log), ["2 3"]);
    let log = ["a", "b", "n", "-", "-", "b"];
    assert_eq!(absent(without(ordered(&[1, 1], 9), 1, 0, 0), &log), ["0 5"]);
}

#[test]
fn one_line_alone_is_refuted_by_a_line_of_its_time() {
    let alone = || without(ordered(&[1], 0), 0, 0, 0);
    assert_eq!(matches(&alone(), &hits("an", &["a", "n"])), ["0"]);
    assert_eq!(matches(&alone(), &hits("an", &["an", "a"])), ["1"]);
}

#[test]
fn conditions_choose_among_lines() {
    // The second line must be three seconds after the first.
    let log = hits("ab", &["a", "b", "-", "b", "-", "-", "b"]);
    let mut apart = |step: usize, chosen: &Chosen| match chosen[step].last() {
        Some(index) if step == 1 && log[1][*index].time.as_second() != 3 => StepVerdict::No,
        _ => StepVerdict::Yes,
    };
    assert_eq!(matches_if(&ordered(&[1, 1], 9), &log, true, &mut apart), ["0 3"]);
}

#[test]
fn a_refused_line_is_replaced_by_the_next() {
    // c only goes with the second b.
    let log = hits("abc", &["a", "b", "b", "c"]);
    let mut second = |step: usize, chosen: &Chosen| match (step, chosen[1].first()) {
        (2, Some(0)) => StepVerdict::No,
        _ => StepVerdict::Yes,
    };
    assert_eq!(matches_if(&ordered(&[1, 1, 1], 9), &log, true, &mut second), ["0 2 3"]);
}

#[test]
fn an_undecided_line_is_no_present_step_but_may_be_an_absent_one() {
    let log = hits("abn", &["a", "b", "b"]);
    let mut unknown = |step: usize, chosen: &Chosen| match chosen[step].last() {
        Some(0) if step == 1 => StepVerdict::Unknown,
        _ => StepVerdict::Yes,
    };
    assert_eq!(matches_if(&ordered(&[1, 1], 9), &log[..2], true, &mut unknown), ["0 2"]);
    let log = hits("abn", &["a", "n", "b"]);
    let mut unknown = |step: usize, _: &Chosen| if step == 2 { StepVerdict::Unknown } else { StepVerdict::Yes };
    assert_eq!(matches_if(&without(ordered(&[1, 1], 9), 0, 0, 0), &log, true, &mut unknown), ["0 2?"]);
}

#[test]
fn a_sequence_that_joins_by_nothing_is_given_up() {
    let many: Vec<LogHit> = (0..1500).map(|n| hit(0, n)).collect();
    let lists = [many.iter().collect(), many.iter().collect()];
    let mut budget = MAX_TRIES;
    let mut never = |step: usize, _: &Chosen| if step == 1 { StepVerdict::No } else { StepVerdict::Yes };
    let found = find(&ordered(&[1, 1], 9), &lists, true, &mut budget, &mut never);
    assert!(found.gave_up && found.list.is_empty());
}
