//! Where a known line is looked up: by two words that follow each other in few of them.

use std::collections::HashMap;

use super::template::Template;

/// Returns the key of each template: its pair of words that the fewest of all have, else its longest word.
pub fn keys<'t>(templates: impl Iterator<Item = &'t Template> + Clone) -> Vec<u64> {
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for pair in templates.clone().flat_map(Template::pairs) {
        *seen.entry(key(pair)).or_default() += 1;
    }
    let of = |template: &Template| {
        let rarest = template.pairs().map(key).min_by_key(|pair| seen.get(pair).copied());
        rarest.unwrap_or_else(|| key([template.longest(), ""]))
    };
    templates.map(of).collect()
}

/// Returns the keys of all lines that may stand in a template, given its words.
pub fn possible_keys<'w>(words: &'w [&str]) -> impl Iterator<Item = u64> + 'w {
    let pairs = words.array_windows().map(|[first, second]| key([first, second]));
    pairs.chain(words.iter().map(|word| key([word, ""])))
}

/// A hash: lines that have it by chance are compared in vain.
fn key([first, second]: [&str; 2]) -> u64 {
    let bytes = first.bytes().chain([b' ']).chain(second.bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
