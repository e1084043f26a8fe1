//! Templates that mean no harm in these products: rows of `benign.csv`, with the source that writes them and why.
//!
//! A row is a run of words in a template. What ends a program ([`crate::model::unexplained::Level::Fatal`]) is never benign, and rules
//! read the lines themselves, so no row can hide a finding.

const ROWS: &str = include_str!("benign.csv");

/// Returns true for a template with the words of a row.
pub fn is_benign(template: &str) -> bool {
    let template = format!(" {template} ");
    rows().any(|[words, ..]| template.contains(&format!(" {words} ")))
}

/// Returns words, source and reason of each row.
fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    ROWS.lines().skip(1).filter_map(|row| {
        let mut fields = row.splitn(3, ',');
        Some([fields.next()?, fields.next()?, fields.next()?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_sorted_and_long_enough_to_mean_one_thing() {
        let words: Vec<&str> = rows().map(|[words, ..]| words).collect();
        assert_eq!(words.len(), ROWS.lines().count() - 1);
        assert!(words.is_sorted());
        for [words, source, why] in rows() {
            assert!(words.split(' ').filter(|word| *word != "<*>").count() >= 3, "{words}");
            assert!(source.contains(['/', ' ']) && why.ends_with('.'), "{words}");
        }
    }

    #[test]
    fn whole_words_are_compared() {
        assert!(is_benign("msg Operation cannot be fulfilled on <*> the object has been modified please apply"));
        assert!(!is_benign("msg the object has been modifiedly"));
        assert!(!is_benign("dial tcp <*> connect connection refused"));
    }
}
