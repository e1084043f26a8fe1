//! The value of `known`: what a line or a message means.

use serde::Serialize;

use crate::model::known_line::Known;

#[derive(Serialize)]
pub(super) struct KnownOut<'a> {
    means: &'a str,
    look: Option<&'a str>,
    component: &'a str,
    product: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<&'a str>,
    /// Product and versions.
    fixed_in: Option<String>,
    running: Option<&'a str>,
    link: &'a str,
}

impl<'a> KnownOut<'a> {
    pub(super) fn of(known: &'a Known) -> Self {
        let Known { line, running } = known;
        Self {
            means: &line.means,
            look: line.look.as_deref(),
            component: &line.component,
            product: &line.product,
            versions: line.versions.as_ref().map(|range| range.text()),
            fixed_in: line.fixed_in.as_ref().map(|(product, versions)| format!("{product} {versions}")),
            running: running.as_deref(),
            link: &line.link,
        }
    }
}
