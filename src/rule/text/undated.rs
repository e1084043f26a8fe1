//! Leaves out of sentences what would only tell a time that nobody knows: `, the last at <time>`, `from <time> to <time>`.
//!
//! Many logs have no times, and what remains is a whole sentence. Nearly all texts of rules tell times in these forms; where another form
//! does, words stand in place of the time.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::marks::NO_TIME;
use crate::model::Lang;
use crate::model::message::{AbsentValue, Message};

/// Clauses in English and in Chinese, longer ones first; `@` is a time that is not known. What the groups `before` and `begins` match stays, the
/// latter as the beginning of a sentence.
const CLAUSES: &[&str] = &[
    r" \((?:the )?(?:last|newest|latest)?(?: (?:one|line|time))?(?: ?at)? ?@(?:, @)?(?: before the collection)?\)",
    concat!(
        r"[,;:]? (?:and )?(?:the )?(?:last|newest|latest)(?: (?:one|line|time|attempt|error|failure))?(?: was)?(?: at)? @",
        r"(?:,? \(?@ before the collection\)?| before the collection)?"
    ),
    r",? @ before the collection",
    r",? (?:from @ to @|between @ and @|from @ on)",
    r"(?m)(?<before>^|[.:] )(?:From @ to @|Up to @|Until @|At @|Since @)[,;]? (?<begins>.)",
    r",? (?:at|up to|until|since) @",
    r"（(?:最近一次是?|最后一次)?在?(?:收集之?前)? ?@）",
    r"[，；]?(?:其中)?(?:最近|最后)(?:一次|一行|一条|一个)?是?在?(?:收集之?前)? ?@(?:，在?收集之?前 @)?",
    r"，在?收集之?前 @",
    r"[从自在]? ?@ ?(?:到|至) @ ?(?:期间|之间)?[，：]?",
    r"(?:截至|直到|自从|自|从|到) ?@ ?(?:为止|起|以来)?，?",
    r"[在于] ?@[，：]? ?",
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let time = NO_TIME.to_string();
    CLAUSES.iter().filter_map(|clause| Regex::new(&clause.replace('@', &time)).ok()).collect()
});

/// Returns a rendered text without clauses that tell a time marked as not known; where other words mention one, a phrase takes its place.
pub(super) fn without_unknown_times(rendered: String, lang: Lang) -> String {
    if !rendered.contains(NO_TIME) {
        return rendered;
    }
    let text = PATTERNS.iter().fold(rendered, |text, clause| clause.replace_all(&text, remainder).into_owned());
    text.replace(NO_TIME, &AbsentValue::Time.in_language(lang).to_string())
}

/// Returns what stays of a clause.
fn remainder(clause: &Captures<'_>) -> String {
    let group = |name| clause.name(name).map_or("", |found| found.as_str());
    format!("{}{}", group("before"), group("begins").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_is_a_pattern() {
        assert_eq!(PATTERNS.len(), CLAUSES.len());
    }
}
