//! Marks in rendered templates, and words in place of values.

/// Text of null.
pub(super) const UNKNOWN: &str = "(unknown)";

/// Characters around times in a rendered template. Unicode reserves them for use within a program; text between them
/// that is no time stays text.
pub(super) const TIME_BEGINS: char = '\u{fdd0}';
pub(super) const TIME_ENDS: char = '\u{fdd1}';

/// Stands for a time that is not known.
pub(super) const NO_TIME: char = '\u{fdd4}';

/// Characters around the values of a rendered command; no value has them.
pub(super) const VALUE_BEGINS: char = '\u{fdd2}';
pub(super) const VALUE_ENDS: char = '\u{fdd3}';

/// The function whose text is a part of a command.
pub(super) const NODE_ENV: &str = "node_env";
