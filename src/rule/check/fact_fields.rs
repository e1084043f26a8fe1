//! Fields that the language gives to facts.

/// What a group of hits can be asked for.
pub const HIT_FIELDS: [&str; 8] = ["count", "first", "last", "node", "pod", "source", "lines", "all"];

/// What a group of events can be asked for.
pub const EVENT_FIELDS: [&str; 8] = ["count", "first", "last", "reason", "message", "object", "type", "all"];

/// What a sequence has beside its steps.
pub const SEQUENCE_FIELDS: [&str; 3] = ["count", "first", "last"];

/// What files have.
pub const FILE_FIELDS: [&str; 4] = ["path", "node", "text", "data"];
