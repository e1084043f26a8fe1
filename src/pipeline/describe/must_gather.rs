//! The description of a must-gather.

use super::descriptions::Descriptions;
use crate::bundle::{Bundle, Role};
use crate::pipeline::texts::Text;
use crate::resource::Metadata;

/// Reads the files `version` and `timestamp`.
pub fn read_must_gather(_: &Bundle, texts: &[Text]) -> Descriptions {
    let own = texts.iter().filter(|(_, role, _)| *role == Role::Metadata);
    let metadata = Some(Metadata::of_must_gather(own.map(|(_, _, text)| text.as_str())));
    Descriptions { metadata, ..Descriptions::default() }
}
