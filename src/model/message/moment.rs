//! Times in a bundle that states none: only how long before the collection they were is known.

use jiff::Timestamp;

use super::messages;
use crate::model::age;

messages! {
    /// A time, or a period, without a date.
    pub enum Moment {
        Before { age: String } = "{age} before the collection", "收集前 {age}";
        Between { from: String, to: String } = "{from} to {to} before the collection", "收集前 {from} 至 {to}";
    }
}

impl Moment {
    /// Returns a time by its distance to the collection.
    pub fn at(time: Timestamp, now: Timestamp) -> Self {
        Self::Before { age: before(time, now) }
    }

    /// Returns a period by the distances of its ends.
    pub fn between(from: Timestamp, to: Timestamp, now: Timestamp) -> Self {
        let (from, to) = (before(from, now), before(to, now));
        if from == to { Self::Before { age: to } } else { Self::Between { from, to } }
    }
}

fn before(time: Timestamp, now: Timestamp) -> String {
    age::human(now.duration_since(time).max(jiff::SignedDuration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Lang;
    use crate::model::message::Message;

    #[test]
    fn times_are_told_by_their_distance() {
        let at = |time: &str| format!("2026-03-01T{time}Z").parse::<Timestamp>().unwrap();
        let now = at("10:00:00");
        assert_eq!(Moment::at(at("09:57:29"), now).to_string(), "2m31s before the collection");
        assert_eq!(Moment::at(at("10:00:01"), now).to_string(), "0s before the collection");
        let period = Moment::between(at("09:00:00"), at("09:57:29"), now);
        assert_eq!(period.to_string(), "60m to 2m31s before the collection");
        assert_eq!(period.in_language(Lang::Zh).to_string(), "收集前 60m 至 2m31s");
        assert_eq!(Moment::between(now, now, now).to_string(), "0s before the collection");
    }
}
