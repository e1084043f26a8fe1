//! Ids of tickets in names of folders and files, and in addresses of issues.

use std::sync::LazyLock;

use regex::Regex;

/// Longest id that is taken from an address, in bytes.
const LONGEST: usize = 60;

/// A key of an issue tracker (`HARV-77`), or a number after a word of support portals.
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "SURE|CASE|TICKET|SUPPORT|INCIDENT|INC|SR|RFE|ISSUE";
    Regex::new(&format!(
        r"(?:^|[^A-Za-z0-9])((?:(?i:{words})[-_ #]{{0,2}}|[A-Z]{{1,10}}-)\d{{1,12}})(?:$|[^A-Za-z0-9])"
    ))
    .ok()
});

/// Returns the id of a ticket in a path: of its folders from the innermost to the outermost, then of its own name.
pub(super) fn of_path(path: &str) -> Option<String> {
    let mut parts = path.split('/').rev();
    let name = parts.next();
    parts.chain(name).find_map(|part| key(part).or_else(|| number(part)))
}

/// Returns the id at the end of the address of an issue: `.../harvester/harvester/issues/1234` is `harvester/harvester#1234`.
pub(super) fn of_url(url: &str) -> Option<String> {
    let bare = url.split(['?', '#']).next()?.trim().trim_end_matches('/');
    let mut parts = bare.rsplit('/');
    let last = parts.next().filter(|last| last.bytes().any(|byte| byte.is_ascii_digit()))?;
    let issue = (parts.next(), parts.next(), parts.next());
    let id = match issue {
        (Some("issues"), Some(repository), Some(owner)) if last.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{owner}/{repository}#{last}")
        }
        _ => key(last).unwrap_or_else(|| last.to_owned()),
    };
    (id.len() <= LONGEST).then_some(id)
}

fn key(part: &str) -> Option<String> {
    KEY.as_ref()?.captures(part)?.get(1).map(|found| found.as_str().to_owned())
}

/// A part that is a number of five digits or more, and no date: `01234567`, not `20250318`.
fn number(part: &str) -> Option<String> {
    let is_number = (5..=12).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = part.len() == 8 && (part.starts_with("19") || part.starts_with("20"));
    (is_number && !is_date).then(|| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_names_have_ids() {
        for (path, id) in [
            ("SURE-1234/bundle.zip", "SURE-1234"),
            ("acme/Case 00012345 network/2025-03-18/x.zip", "Case 00012345"),
            ("T-1/T-2/a.zip", "T-2"),
            ("01234567/supportbundle_2025-03-18T10-20-30Z.zip", "01234567"),
            ("supportbundle-SR12345678.zip", "SR12345678"),
            ("HARV-77/a.zip", "HARV-77"),
        ] {
            assert_eq!(of_path(path).as_deref(), Some(id), "{path}");
        }
        for path in
            ["20250318/a.zip", "2025/001/a.zip", "node-1x/a.zip", "supportbundle_5f3c_2025-03-18.zip", "a.zip", ""]
        {
            assert_eq!(of_path(path), None, "{path}");
        }
    }

    #[test]
    fn addresses_have_ids() {
        for (url, id) in [
            ("https://github.com/harvester/harvester/issues/1234", Some("harvester/harvester#1234")),
            ("https://github.com/longhorn/longhorn/issues/77/?x#issuecomment-5", Some("longhorn/longhorn#77")),
            ("https://jira.example.com/browse/SURE-1234", Some("SURE-1234")),
            ("SURE-1234", Some("SURE-1234")),
            ("https://example.com/", None),
            ("", None),
        ] {
            assert_eq!(of_url(url).as_deref(), id, "{url}");
        }
    }
}
