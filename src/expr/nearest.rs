//! Suggests a known name for an unknown one.

use strsim::damerau_levenshtein;

/// Returns the nearest of some names, if one is near enough.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.to_lowercase();
    // A third of the letters may be wrong, but not all letters of a short name.
    let limit = (name.chars().count() / 3).max(1);
    let scored = known.map(|candidate| (damerau_levenshtein(&name, &candidate.to_lowercase()), candidate));
    scored.filter(|(distance, c)| *distance <= limit && *distance < c.chars().count()).min().map(|(_, c)| c)
}
