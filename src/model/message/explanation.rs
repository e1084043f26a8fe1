//! Values that an explanation of a rule shows.

use super::{Reason, messages};

messages! {
    /// Value of a field.
    pub enum FieldValue {
        Text { text: String } = "{text}", "{text}";
        /// The object does not have the field.
        Absent = "absent", "不存在";
        Unknown { why: Reason } = "not known: {why}", "未知：{why}";
        OneItem = "1 item", "1 项";
        Items { count: usize } = "{count} items", "{count} 项";
    }
}

impl FieldValue {
    /// Returns the value of a list or mapping.
    pub fn items(count: usize) -> Self {
        if count == 1 { Self::OneItem } else { Self::Items { count } }
    }
}

messages! {
    /// Match of a fact.
    pub enum Match {
        /// Object, file, event or element.
        Named { name: String } = "{name}", "{name}";
        OneLine = "1 line", "1 行";
        /// Lines of a log.
        Lines { count: u64 } = "{count} lines", "{count} 行";
    }
}

impl Match {
    /// Returns the match of a log.
    pub fn lines(count: u64) -> Self {
        if count == 1 { Self::OneLine } else { Self::Lines { count } }
    }
}
