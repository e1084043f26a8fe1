//! Fields that the language gives to facts.

/// Fields of a group of hits.
pub const HIT_FIELDS: [&str; 8] = ["count", "first", "last", "node", "pod", "source", "lines", "all"];

/// Fields of a group of events.
pub const EVENT_FIELDS: [&str; 8] = ["count", "first", "last", "reason", "message", "object", "type", "all"];

/// Fields of a sequence next to its steps.
pub const SEQUENCE_FIELDS: [&str; 3] = ["count", "first", "last"];

/// Fields of files.
pub const FILE_FIELDS: [&str; 4] = ["path", "node", "text", "data"];
