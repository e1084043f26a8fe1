//! Names of months in stamps of journals: `journalctl` writes them in the language of the terminal.

/// Names of each month as the locales of glibc abbreviate them (`abmon`): Spanish, Portuguese, Italian, French, German, Dutch, Swedish, Polish,
/// Czech, Turkish and Russian. In lower case, without the point that French and Russian add.
const NAMES: [&str; 12] = [
    "jan ene gen janv sty led oca янв",
    "feb fev févr lut úno şub фев",
    "mar mars mär mrt bře мар",
    "apr abr avril kwi dub nis апр",
    "may mai mag mei maj kvě мая май",
    "jun giu juin cze čen haz июн",
    "jul lug juil lip čec tem июл",
    "aug ago août sie srp ağu авг",
    "sep set sept wrz zář eyl сен",
    "oct out ott okt paź říj eki окт",
    "nov lis kas ноя",
    "dec dic dez déc gru pro ara дек",
];

/// Longest name, in bytes: `févr.`, `10月`.
pub const LONGEST: usize = 8;

/// Returns the number of a month by its name in one of these languages; Chinese, Japanese and Korean number them: `1月`, `1월`.
pub fn number_of(name: &[u8]) -> Option<i32> {
    let name = std::str::from_utf8(name).ok()?;
    if let Some(digits) = name.strip_suffix('月').or_else(|| name.strip_suffix('월')) {
        return digits.parse().ok().filter(|month| (1..=12).contains(month));
    }
    let name = name.strip_suffix('.').unwrap_or(name).to_lowercase();
    let month = NAMES.iter().position(|names| names.split(' ').any(|known| known == name))?;
    i32::try_from(month + 1).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn months_have_names_in_other_languages() {
        for (name, month) in [("1月", 1), ("12월", 12), ("févr.", 2), ("Mär", 3), ("дек", 12), ("ago", 8), ("Şub", 2)]
        {
            assert_eq!(number_of(name.as_bytes()), Some(month), "{name}");
        }
        for other in ["13月", "月", "level", ""] {
            assert_eq!(number_of(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_name_is_of_one_month() {
        let names: Vec<&str> = NAMES.iter().flat_map(|names| names.split(' ')).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(names.iter().all(|name| name.len() < LONGEST));
    }
}
