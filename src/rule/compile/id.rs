//! Ids of rules: kebab-case, and the name of the file.

use crate::rule::error::{Code, Diagnostics};
use crate::rule::source::reader::Written;

/// The id is kebab-case and the name of the file.
pub fn check_id(diagnostics: &mut Diagnostics, id: &Written) {
    let stem = diagnostics.stem().to_owned();
    if !is_kebab(&id.text) {
        diagnostics.report(Code::Id, id.range.clone(), not_kebab(&id.text)).hint(KEBAB);
    } else if id.text != stem {
        let message = format!("id \"{}\" differs from the name of its file", id.text);
        let hint = format!("rename the file to {}.yaml, or write id: {stem}", id.text);
        diagnostics.report(Code::Id, id.range.clone(), message).hint(hint);
    }
}

/// Advice on the form of an id.
const KEBAB: &str = "use lower-case letters, digits and single dashes, such as volume-without-replica";

fn not_kebab(id: &str) -> String {
    format!("id \"{id}\" is not kebab-case")
}

/// Returns the mistake in an id with advice.
pub fn id_mistake(id: &str) -> Option<String> {
    (!is_kebab(id)).then(|| format!("{}; {KEBAB}", not_kebab(id)))
}

fn is_kebab(id: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    id.split('-').all(part)
}
