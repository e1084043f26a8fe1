//! Required literals: strings of which every match of a pattern contains at least one.
//!
//! They are the cheap first test of a line. A [`RequiredLiteral`] may be too lax, but never too strict;
//! the property tests of the scanner check that.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::log::pattern::syntax;

/// Largest number of alternatives of a literal that is still cheap.
const MAX_ALTERNATIVES: usize = 32;
/// Largest total size of the strings while a pattern is walked, in bytes.
const MAX_BYTES: usize = 4096;
/// Largest size of a literal, in bytes; longer ones only make the automaton larger.
const MAX_LITERAL: usize = 48;
/// Largest number of copies to which a counted repetition is unrolled.
const MAX_COPIES: u32 = 4;

/// Words that nearly every log has many of: they make a poor first test, so they weigh one byte.
const COMMON: [&str; 14] = [
    "level=error msg=\"",
    "level=warning msg=\"",
    "level=info msg=\"",
    "\"level\":\"error\"",
    "\"level\":\"warn\"",
    "\"level\":\"info\"",
    "level=error",
    "level=warning",
    "level=info",
    "time=\"",
    " error",
    "error",
    "failed",
    " kernel: ",
];

/// Finds [`COMMON`] in one pass: looking for each word separately was most of the time to compile a pattern.
static COMMON_WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).ascii_case_insensitive(true).build(COMMON).ok()
});

/// Words that lines of any program have.
const GENERAL_WORDS: [&str; 47] = [
    "and",
    "caller",
    "cannot",
    "code",
    "controller",
    "could",
    "desc",
    "err",
    "error",
    "errors",
    "event",
    "fail",
    "failed",
    "failure",
    "false",
    "fatal",
    "for",
    "from",
    "has",
    "info",
    "kind",
    "kubernetes",
    "level",
    "logger",
    "message",
    "msg",
    "name",
    "namespace",
    "not",
    "null",
    "reason",
    "reconciler",
    "rpc",
    "source",
    "status",
    "that",
    "the",
    "this",
    "time",
    "true",
    "type",
    "unable",
    "warn",
    "warning",
    "was",
    "with",
    "without",
];
/// Letters of the other words that tell a program, and number of those words.
const TELLING: (usize, usize) = (12, 2);

/// Strings of which every match of a pattern contains at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredLiteral {
    /// No string is empty or contains another.
    pub alternatives: Vec<Vec<u8>>,
    /// True if ASCII letters match in either case; the alternatives are then in lower case.
    pub ignore_case: bool,
}

impl RequiredLiteral {
    /// Returns the bytes of the shortest alternative.
    pub fn min_len(&self) -> usize {
        self.alternatives.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// Returns true if each alternative has words enough that hardly another program writes it: a log of an unknown program is searched
    /// for such patterns only. With less, `level=fatal msg="` of one program was found in the logs of all.
    pub fn is_telling(&self) -> bool {
        let is_own = |word: &&[u8]| {
            word.len() > 2 && !GENERAL_WORDS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
        };
        let (letters, words) = TELLING;
        self.alternatives.iter().all(|text| {
            let own: Vec<&[u8]> = text.split(|byte| !byte.is_ascii_alphanumeric()).filter(is_own).collect();
            own.len() >= words && own.iter().map(|word| word.len()).sum::<usize>() >= letters
        })
    }

    /// Returns whether a text contains an alternative.
    pub fn is_in(&self, text: &[u8]) -> bool {
        let folded = |wanted: &[u8]| text.windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted));
        let is_there =
            |wanted: &Vec<u8>| if self.ignore_case { folded(wanted) } else { memmem::find(text, wanted).is_some() };
        self.alternatives.iter().any(is_there)
    }
}

/// Returns the best required literal of a pattern; `None` if it has none or is not valid.
pub fn required_literal(pattern: &str) -> Option<RequiredLiteral> {
    required_literal_of(&syntax::parse(pattern).ok()?.hir)
}

/// Returns the best required literal of a parsed pattern.
pub fn required_literal_of(hir: &Hir) -> Option<RequiredLiteral> {
    let found = walk(hir);
    let best = stronger(found.exact, found.inner)?;
    Some(finish(best))
}

/// One string; `fold` if some of its letters stand for both cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LiteralText {
    bytes: Vec<u8>,
    fold: bool,
}

impl LiteralText {
    fn then(&self, next: &Self) -> Self {
        Self { bytes: [self.bytes.as_slice(), &next.bytes].concat(), fold: self.fold || next.fold }
    }
}

/// Literals of a part of a pattern.
struct PartLiterals {
    /// All strings that the part can match, if they are few.
    exact: Option<Vec<LiteralText>>,
    /// Strings of which each match of the part contains one.
    inner: Option<Vec<LiteralText>>,
}

impl PartLiterals {
    fn nothing() -> Self {
        Self { exact: None, inner: None }
    }

    fn exactly(texts: Vec<LiteralText>) -> Self {
        Self { exact: Some(texts), inner: None }
    }
}

fn walk(hir: &Hir) -> PartLiterals {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => PartLiterals::exactly(vec![LiteralText::default()]),
        HirKind::Literal(literal) => {
            PartLiterals::exactly(vec![LiteralText { bytes: literal.0.to_vec(), fold: false }])
        }
        HirKind::Class(class) => class_texts(class).map_or_else(PartLiterals::nothing, PartLiterals::exactly),
        HirKind::Repetition(repetition) => walk_repetition(repetition),
        HirKind::Capture(capture) => walk(&capture.sub),
        HirKind::Concat(parts) => walk_concat(parts),
        HirKind::Alternation(branches) => walk_alternation(branches),
    }
}

fn walk_repetition(repetition: &Repetition) -> PartLiterals {
    let sub = walk(&repetition.sub);
    match (repetition.min, repetition.max) {
        (0, Some(1)) => {
            let exact = sub.exact.and_then(|texts| union(vec![vec![LiteralText::default()], texts]));
            PartLiterals { exact, inner: None }
        }
        (0, _) => PartLiterals::nothing(),
        (min, max) => walk_copies(sub, min, max == Some(min)),
    }
}

/// Joins at least `min` copies of a part; exactly `min` if `fixed`.
fn walk_copies(sub: PartLiterals, min: u32, fixed: bool) -> PartLiterals {
    let Some(texts) = &sub.exact else {
        return PartLiterals { exact: None, inner: sub.inner };
    };
    let mut run = texts.clone();
    for _ in 1..min.min(MAX_COPIES) {
        let Some(longer) = product(&run, texts) else {
            return PartLiterals { exact: None, inner: Some(run) };
        };
        run = longer;
    }
    if fixed && min <= MAX_COPIES { PartLiterals::exactly(run) } else { PartLiterals { exact: None, inner: Some(run) } }
}

fn walk_concat(parts: &[Hir]) -> PartLiterals {
    let mut run = vec![LiteralText::default()];
    let mut best = None;
    let mut whole = true;
    for part in parts {
        let found = walk(part);
        let longer = found.exact.as_ref().and_then(|texts| product(&run, texts));
        if let Some(longer) = longer {
            run = longer;
            continue;
        }
        whole = false;
        best = stronger(best, Some(run));
        best = stronger(best, found.inner);
        run = found.exact.unwrap_or_else(|| vec![LiteralText::default()]);
    }
    if whole { PartLiterals::exactly(run) } else { PartLiterals { exact: None, inner: stronger(best, Some(run)) } }
}

fn walk_alternation(branches: &[Hir]) -> PartLiterals {
    let found: Vec<PartLiterals> = branches.iter().map(walk).collect();
    let exact: Option<Vec<Vec<LiteralText>>> = found.iter().map(|f| f.exact.clone()).collect();
    if let Some(texts) = exact.and_then(union) {
        return PartLiterals::exactly(texts);
    }
    let inner: Option<Vec<Vec<LiteralText>>> = found.into_iter().map(|f| stronger(f.exact, f.inner)).collect();
    PartLiterals { exact: None, inner: inner.and_then(union) }
}

/// Returns the strings of a class of at most four characters; a letter in both cases is one folded string.
fn class_texts(class: &Class) -> Option<Vec<LiteralText>> {
    let chars: Vec<char> = match class {
        Class::Bytes(bytes) => {
            if bytes.ranges().iter().map(|r| usize::from(r.end() - r.start()) + 1).sum::<usize>() > MAX_COPIES as usize
            {
                return None;
            }
            let all = bytes.ranges().iter().flat_map(|r| r.start()..=r.end());
            all.map(|b| b.is_ascii().then_some(char::from(b))).collect::<Option<_>>()?
        }
        Class::Unicode(unicode) => {
            if unicode.ranges().iter().map(|r| r.len()).sum::<usize>() > MAX_COPIES as usize {
                return None;
            }
            unicode.ranges().iter().flat_map(|r| r.start()..=r.end()).collect()
        }
    };
    if let [upper, lower] = chars.as_slice()
        && upper.is_ascii_uppercase()
        && upper.to_ascii_lowercase() == *lower
    {
        return Some(vec![LiteralText { bytes: vec![*lower as u8], fold: true }]);
    }
    Some(chars.iter().map(|c| LiteralText { bytes: c.to_string().into_bytes(), fold: false }).collect())
}

fn product(left: &[LiteralText], right: &[LiteralText]) -> Option<Vec<LiteralText>> {
    let all: Vec<LiteralText> = if left.len() * right.len() <= MAX_ALTERNATIVES {
        left.iter().flat_map(|l| right.iter().map(|r| l.then(r))).collect()
    } else {
        return None;
    };
    (total(&all) <= MAX_BYTES).then_some(all)
}

fn union(sets: Vec<Vec<LiteralText>>) -> Option<Vec<LiteralText>> {
    let mut all: Vec<LiteralText> = Vec::new();
    for text in sets.into_iter().flatten() {
        if !all.contains(&text) {
            all.push(text);
        }
        if all.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    (total(&all) <= MAX_BYTES).then_some(all)
}

fn total(texts: &[LiteralText]) -> usize {
    texts.iter().map(|t| t.bytes.len()).sum()
}

/// Returns the set that makes the better first test; a set with an empty string is useless.
fn stronger(left: Option<Vec<LiteralText>>, right: Option<Vec<LiteralText>>) -> Option<Vec<LiteralText>> {
    let left = left.filter(|set| usable(set));
    let right = right.filter(|set| usable(set));
    match (left, right) {
        (Some(left), Some(right)) => Some(if weight(&right) > weight(&left) { right } else { left }),
        (left, right) => left.or(right),
    }
}

fn usable(set: &[LiteralText]) -> bool {
    !set.is_empty() && set.iter().all(|t| !t.bytes.is_empty())
}

/// Weighs a set: four points for each uncommon byte of the weakest string, less one for each further alternative.
fn weight(set: &[LiteralText]) -> usize {
    let weakest = set.iter().map(|t| uncommon(&t.bytes)).min().unwrap_or(0);
    (4 * weakest).saturating_sub(set.len())
}

fn uncommon(bytes: &[u8]) -> usize {
    let text = bytes.get(..MAX_LITERAL).unwrap_or(bytes);
    let Some(common) = &*COMMON_WORDS else { return text.len() };
    common.find_iter(text).fold(text.len(), |length, word| length - word.len() + 1)
}

fn finish(set: Vec<LiteralText>) -> RequiredLiteral {
    let ignore_case = set.iter().any(|t| t.fold);
    let mut all: Vec<Vec<u8>> = set.into_iter().map(|t| shorten(t.bytes, ignore_case)).collect();
    all.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut alternatives: Vec<Vec<u8>> = Vec::new();
    for text in all {
        if !alternatives.iter().any(|kept| memmem::find(&text, kept).is_some()) {
            alternatives.push(text);
        }
    }
    RequiredLiteral { alternatives, ignore_case }
}

fn shorten(mut bytes: Vec<u8>, ignore_case: bool) -> Vec<u8> {
    bytes.truncate(MAX_LITERAL);
    if ignore_case {
        bytes.make_ascii_lowercase();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn literals(pattern: &str) -> Vec<String> {
        let literal = required_literal(pattern).map(|l| l.alternatives).unwrap_or_default();
        literal.into_iter().map(|b| String::from_utf8_lossy(&b).into_owned()).collect()
    }

    #[test]
    fn longest_part_is_chosen() {
        assert_eq!(literals(r"ab\d+volume not found .*x"), ["volume not found "]);
        assert_eq!(literals(r"(?<dev>sd[a-z]): rejecting I/O"), [": rejecting I/O"]);
    }

    #[test]
    fn alternatives_stay_together() {
        assert_eq!(literals(r"EXT4-fs (error|warning) \(device"), ["EXT4-fs error (device", "EXT4-fs warning (device"]);
        assert_eq!(literals("alpha|beta|alphabet"), ["beta", "alpha"]);
        assert_eq!(literals(r"\w+ (?:lost \d+ leader|elected\s+leader)"), [" leader", "elected"]);
    }

    #[test]
    fn optional_parts_are_not_required() {
        assert_eq!(literals("(?:very long optional text)*ok!!"), ["ok!!"]);
        assert_eq!(literals("replicas? gone"), ["replica gone", "replicas gone"]);
        assert_eq!(literals("a*|b"), Vec::<String>::new());
        assert_eq!(literals(r"\d+"), Vec::<String>::new());
    }

    #[test]
    fn repeated_parts_are_required() {
        assert_eq!(literals("(?:abc)+x"), ["abc"]);
        assert_eq!(literals("(?:ab){2}c"), ["ababc"]);
        assert_eq!(literals("(?:abc){2,}x"), ["abcabc"]);
    }

    #[test]
    fn case_is_folded() {
        let literal = required_literal("(?i)Medium Error|(?-i)x-Y Z").unwrap();
        assert!(literal.ignore_case);
        assert_eq!(literal.alternatives, [b"x-y z".to_vec(), b"medium error".to_vec()]);
        assert_eq!(literals("[Mm]edium [Ee]rror"), ["medium error"]);
        assert_eq!(required_literal("abcd").unwrap().min_len(), 4);
    }

    #[test]
    fn common_words_are_avoided() {
        assert_eq!(literals(r"level=error msg=.*lost lease"), ["lost lease"]);
    }

    #[test]
    fn huge_patterns_stay_small() {
        let literal = required_literal("((((abcdefgh){4}){4}){4}){4}tail|(x{4}){4}").unwrap();
        assert!(literal.alternatives.iter().all(|a| a.len() <= MAX_LITERAL));
        let many: Vec<String> = (0..100).map(|n| format!("word{n}")).collect();
        assert_eq!(literals(&format!("(?:{}) and more", many.join("|"))), [" and more"]);
    }

    /// Patterns of every kind of part, over few letters so that texts often match.
    fn patterns() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "a", "b", "ab", "AB", "ca", " ", "[ab]", "[Aa]", "[a-z]", ".", r"\w", "", "^", "$", r"\b", "(?i:ab)",
            "(?i)c", "ba+", "(?-i:B)",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
            let tail = prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{3,}", "{5}", "*?", ""]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (inner, tail).prop_map(|(part, tail)| format!("(?:{part}){tail}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_match_holds_a_literal(pattern in patterns(), texts in prop::collection::vec("[abcABC ]{0,12}", 12)) {
            let Some(literal) = required_literal(&pattern) else { return Ok(()) };
            prop_assert!(literal.min_len() > 0);
            let expression = crate::log::pattern::expression::Expression::new(&pattern).unwrap();
            for text in texts.iter().filter(|text| expression.is_match(text.as_bytes())) {
                let seen = if literal.ignore_case { text.to_ascii_lowercase() } else { text.clone() };
                let holds = literal.alternatives.iter().any(|l| memmem::find(seen.as_bytes(), l).is_some());
                prop_assert!(holds, "{} in {:?}: {:?}", pattern, text, literal);
            }
        }
    }
}
