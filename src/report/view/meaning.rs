//! What a line or a message means, if it is known.

use serde::Serialize;

use super::bundle::products;
use crate::model::known_line::Known;
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words::is_web_address;

/// Below a template or a message.
#[derive(Serialize)]
pub struct Meaning {
    means: String,
    /// What to check next; none if it is harmless.
    look: Option<String>,
    fixed: Option<String>,
    link: String,
    href: Option<String>,
}

impl Meaning {
    pub fn of(known: &Known, t: Lexicon) -> Self {
        let line = &known.line;
        Self {
            means: line.means.clone(),
            look: line.look.clone(),
            fixed: fixed(known, t),
            link: line.link.clone(),
            href: is_web_address(&line.link).then(|| line.link.clone()),
        }
    }
}

/// Returns which version has a fix, and which one runs.
fn fixed(known: &Known, t: Lexicon) -> Option<String> {
    let (product, versions) = known.line.fixed_in.as_ref()?;
    let version = products([(product.as_str(), versions.as_str())].into_iter(), t)?;
    Some(match &known.running {
        Some(running) => t.fill(phrase::FixedInHere { version: &version, running }),
        None => t.fill(phrase::FixedInRelease { version: &version }),
    })
}

/// Returns what it means, what to check next, and which version has a fix, for reports without sections.
pub fn sentences(known: &Known, t: Lexicon) -> String {
    let next = known.line.look.as_ref().map(|look| format!("{} {look}", t.say(phrase::NEXT)));
    let parts = [Some(known.line.means.clone()), next, fixed(known, t)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
