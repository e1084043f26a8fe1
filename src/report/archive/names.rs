//! File names of pages: safe in every file system, and different for different subjects.

use sha2::{Digest, Sha256};

use super::facts::Bundle;

/// Maximum number of characters kept of a name.
const LONGEST: usize = 60;

/// File name of the first page.
pub const INDEX: &str = "index.html";

/// Returns the file name of the page of a rule.
pub fn rule(id: &str) -> String {
    let plain = shortened(id);
    let stem = if plain == id && !id.is_empty() { plain } else { hashed(&plain, &[id]) };
    format!("rules/{stem}.html")
}

/// Returns the file name of the page of a cluster.
pub fn cluster(uid: &str) -> String {
    format!("clusters/{}.html", hashed(&shortened(uid), &[uid]))
}

/// Returns the file name of the page of a customer, whatever the case of his name.
pub fn customer(name: &str) -> String {
    format!("customers/{}.html", hashed(&shortened(name), &[&name.to_ascii_lowercase()]))
}

/// Returns the file name of the page of a bundle.
pub fn bundle(bundle: &Bundle) -> String {
    format!("bundles/{}.html", stem(bundle))
}

/// Returns the file name of the report about a bundle that was analysed again.
pub fn report(bundle: &Bundle) -> String {
    format!("reports/{}.html", stem(bundle))
}

fn stem(bundle: &Bundle) -> String {
    let of = if bundle.place.is_empty() { &bundle.path } else { &bundle.place };
    let last = of.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    hashed(&shortened(last), &[&bundle.input, &bundle.path, &bundle.place])
}

/// Keeps letters in lower case and digits, and joins them by hyphens: safe in every file system and address.
fn shortened(name: &str) -> String {
    let mut plain = String::new();
    for c in name.chars().take(LONGEST).map(|c| c.to_ascii_lowercase()) {
        match c {
            'a'..='z' | '0'..='9' => plain.push(c),
            _ if plain.ends_with('-') => {}
            _ => plain.push('-'),
        }
    }
    plain.trim_matches('-').to_owned()
}

fn hashed(plain: &str, parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\0").as_bytes());
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    if plain.is_empty() { hash } else { format!("{plain}-{hash}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_keep_their_names() {
        assert_eq!(rule("volume-degraded"), "rules/volume-degraded.html");
    }

    #[test]
    fn hostile_names_are_safe_and_stay_different() {
        let names =
            ["../../etc/passwd", "A", "a ", "a\"><script>", "", "..", "\u{202e}", &"x".repeat(500), "CON", "a\0"];
        let mut pages: Vec<String> = names.iter().map(|name| rule(name)).collect();
        for page in &pages {
            let stem = page.strip_prefix("rules/").and_then(|page| page.strip_suffix(".html")).unwrap();
            assert!(!stem.is_empty() && stem.len() < 100, "{page}");
            assert!(stem.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{page}");
        }
        pages.sort();
        pages.dedup();
        assert_eq!(pages.len(), names.len());
    }

    #[test]
    fn bundles_of_one_name_have_pages_of_their_own() {
        let of = |input: &str, path: &str, place: &str| {
            bundle(&Bundle { input: input.into(), path: path.into(), place: place.into(), ..Bundle::default() })
        };
        let pages =
            [of("/t", "a/b.zip", ""), of("/t", "a/c/b.zip", ""), of("/u", "a/b.zip", ""), of("/t", "a", "b.zip")];
        assert!(pages.iter().all(|page| page.starts_with("bundles/b-zip-")));
        assert!((1..pages.len()).all(|i| !pages[..i].contains(&pages[i])));
    }
}
