//! Input of the search for the nearest miss.

use crate::eval::input::Input;
use crate::rule::{Rule, RuleSet};

pub(super) struct Search<'i, 'r> {
    pub input: &'i Input,
    pub set: &'r RuleSet,
    pub rule: &'r Rule,
}
