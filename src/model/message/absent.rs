//! Words in texts of rules in place of values that are absent.

use super::messages;

messages! {
    /// What stands in place of an absent value.
    pub enum AbsentValue {
        Time = "an unknown time", "未知时间";
    }
}
