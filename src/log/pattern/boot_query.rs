//! The query that finds the boots of nodes.

use crate::log::pattern::query::{GroupKey, LogQuery};
use crate::log::source::selector::{Selector, SourceGlob};

/// Makes the query for lines that a boot leaves in the logs of nodes.
pub(in crate::log) fn boot_query() -> LogQuery {
    LogQuery {
        selector: Selector { any: vec![SourceGlob { unit: Some("*".to_owned()), ..SourceGlob::default() }] },
        patterns: vec![
            r"^(?:\S+ )?(?:kern +:[a-z ]+: )?(?:kernel: )?(?:\[[^\]]{1,40}\] )?Linux version \d".to_owned(),
            r"^-- Reboot --".to_owned(),
            r"^-- Boot [0-9a-f]{32} --".to_owned(),
        ],
        by: vec![GroupKey::Source],
        ..LogQuery::default()
    }
}
