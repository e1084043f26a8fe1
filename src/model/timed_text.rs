//! Text of a rule, rendered for a finding.

use std::fmt::{self, Display, Formatter};
use std::ops::{Deref, Range};

use jiff::Timestamp;

/// Length of the shortest time, and of the longest from its T to its Z.
const SHORTEST: usize = "2026-03-01T10:00:02Z".len();
const LONGEST_CLOCK: usize = "T10:00:02.123456789Z".len();

/// Text that knows which of its parts are times, so that reports can write them in their own form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimedText {
    /// Times are RFC 3339 in UTC.
    text: String,
    /// Places of the times in the text, in its order.
    times: Vec<(Range<usize>, Timestamp)>,
}

/// Part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPart<'t> {
    pub text: &'t str,
    /// Set if the part is a time.
    pub time: Option<Timestamp>,
}

impl TimedText {
    /// Creates a text and finds its times. Use it for texts that were stored; elsewhere add times with
    /// [`TimedText::push_time`].
    pub fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let (mut done, mut at) = (0, 0);
        while let Some(t) = text.get(at..).and_then(|rest| rest.find('T')).map(|found| at + found) {
            at = t + 1;
            let Some(begin) = t.checked_sub(10).filter(|begin| *begin >= done) else { continue };
            let clock = text.bytes().skip(t).take(LONGEST_CLOCK).position(|b| b == b'Z');
            let Some(end) = clock.map(|z| t + z + 1) else { continue };
            let found = text.get(begin..end).and_then(|part| Some((part, time_of(part)?)));
            if let (Some((part, time)), Some(before)) = (found, text.get(done..begin)) {
                parsed.push(before);
                parsed.push_time(part, time);
                (done, at) = (end, end);
            }
        }
        parsed.push(text.get(done..).unwrap_or_default());
        parsed
    }

    /// Appends a text without times.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a time, which is written as in `text`.
    pub fn push_time(&mut self, text: &str, time: Timestamp) {
        let start = self.text.len();
        self.text.push_str(text);
        self.times.push((start..self.text.len(), time));
    }

    /// Returns the whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the times and the parts between them.
    pub fn parts(&self) -> impl Iterator<Item = TextPart<'_>> {
        let ends = self.times.iter().map(|(place, time)| (place.clone(), Some(*time)));
        let end = self.text.len();
        let mut done = 0;
        ends.chain([(end..end, None)])
            .flat_map(move |(place, time)| {
                let before = TextPart { text: self.text.get(done..place.start).unwrap_or_default(), time: None };
                done = place.end;
                [before, TextPart { text: self.text.get(place).unwrap_or_default(), time }]
            })
            .filter(|part| !part.text.is_empty())
    }

    /// Replaces everything but the times.
    pub fn rewrite(&mut self, new: impl Fn(&str) -> String) {
        let mut rewritten = Self::default();
        for TextPart { text, time } in self.parts() {
            match time {
                Some(time) => rewritten.push_time(text, time),
                None => rewritten.push(&new(text)),
            }
        }
        *self = rewritten;
    }
}

/// Returns the time if the whole text is one, RFC 3339 in UTC.
pub fn time_of(text: &str) -> Option<Timestamp> {
    let fits = |c: char, place: usize| match place {
        4 | 7 => c == '-',
        10 => c == 'T',
        13 | 16 => c == ':',
        19 => c == '.' || c == 'Z',
        _ => c.is_ascii_digit() || (c == 'Z' && place + 1 == text.len()),
    };
    let is_time =
        text.len() >= SHORTEST && text.ends_with('Z') && text.chars().zip(0..).all(|(c, place)| fits(c, place));
    if is_time { text.parse().ok() } else { None }
}

impl Deref for TimedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Display for TimedText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text without times.
impl From<String> for TimedText {
    fn from(text: String) -> Self {
        Self { text, times: Vec::new() }
    }
}

/// A text without times.
impl From<&str> for TimedText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq<str> for TimedText {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for TimedText {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &TimedText) -> Vec<&str> {
        text.parts().filter(|part| part.time.is_some()).map(|part| part.text).collect()
    }

    #[test]
    fn times_of_a_stored_text_are_found() {
        let text = "Told at 2022-03-08T00:02:31Z and 2022-03-20T07:13:30.5Z, The Zoo T2022-03-08T00:02:31Z.";
        let parsed = TimedText::parse(text);
        assert_eq!(parsed, *text);
        assert_eq!(times(&parsed), ["2022-03-08T00:02:31Z", "2022-03-20T07:13:30.5Z", "2022-03-08T00:02:31Z"]);
        let parts: Vec<&str> = parsed.parts().map(|part| part.text).collect();
        assert_eq!((parts.concat().as_str(), parts.len()), (text, 7));
        for text in [
            "",
            "T",
            "no times: To Zion",
            "ä2022-03-0TZ",
            "2022-03-08T00:02:31+01:00",
            "20220308T000231Z",
            "2022-13-08T00:02:31Z",
        ] {
            let parsed = TimedText::parse(text);
            assert!(parsed == *text && times(&parsed).is_empty(), "{text}");
        }
    }

    #[test]
    fn times_stay_when_the_rest_is_replaced() {
        let mut text = TimedText::parse("alpha since 2022-03-08T00:02:31Z on alpha");
        text.rewrite(|part| part.replace("alpha", "host-1"));
        assert_eq!(text, *"host-1 since 2022-03-08T00:02:31Z on host-1");
        assert_eq!(times(&text), ["2022-03-08T00:02:31Z"]);
    }
}
