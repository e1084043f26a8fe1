//! Entry and line of a place in a bundle.

use serde::Serialize;

use crate::model::Origin;

#[derive(Serialize)]
pub(super) struct Place<'a> {
    entry: &'a str,
    line: Option<u64>,
}

impl<'a> Place<'a> {
    pub(super) fn of(origin: &'a Origin) -> Self {
        Self { entry: &origin.entry, line: origin.line }
    }
}
