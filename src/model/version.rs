//! Versions of Kubernetes products and their ranges; they do not follow semver.
//!
//! A [`Version`] is numbers followed by parts such as `-rc1`, `+rke2r10` or `-hotfix-1`; a [`Range`] is written under
//! `affects` in rules: `>=1.2.0 <1.12.1 || 1.13.0`.

use std::cmp::Ordering;

/// First words of parts that sort *before* their release.
const BEFORE_RELEASE: [&str; 8] = ["alpha", "beta", "dev", "ea", "pre", "preview", "rc", "snapshot"];

/// Maximum length of a version.
const MAX_LENGTH: usize = 128;

/// Comparable version: `v1.21.7+rke2r1`, `1.30`, `v1.3.0-rc10`, `1.5.1-hotfix-1`.
///
/// Numbers that are not written are zero, so `1.30` equals `1.30.0`. A part after `-` or `+` sorts after the bare
/// version unless it begins with a word such as `rc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// Numbers without trailing zeros.
    numbers: Vec<u64>,
    parts: Vec<Part>,
}

/// Text after one `-` or `+`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Part {
    /// True if it follows a `+`.
    build: bool,
    tokens: Vec<Token>,
}

/// Run of digits or of letters; digits come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Token {
    /// Length without leading zeros, then the digits: sorts numbers of any length.
    Number(usize, String),
    Word(String),
}

impl Version {
    /// Parses a version; none if it has no comparable numbers (`master-head`, `v1.6.x-head`, `latest`).
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).map(|(version, _)| version)
    }

    /// Returns the version and the number of numbers written.
    fn read(text: &str) -> Option<(Self, usize)> {
        let text = text.trim();
        let body = text.strip_prefix(['v', 'V']).unwrap_or(text);
        if body.len() > MAX_LENGTH || !body.is_ascii() {
            return None;
        }
        let end = body.find(['-', '+']).unwrap_or(body.len());
        let (head, tail) = body.split_at(end);
        let mut numbers = head.split('.').map(number).collect::<Option<Vec<u64>>>()?;
        let written = numbers.len();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        let parts = parts(tail)?;
        Some((Self { numbers, parts }, written))
    }

    /// Returns the version without the part after `+`.
    fn without_build(&self) -> Self {
        let parts = self.parts.iter().take_while(|part| !part.build).cloned().collect();
        Self { numbers: self.numbers.clone(), parts }
    }

    fn has_build(&self) -> bool {
        self.parts.iter().any(|part| part.build)
    }

    fn number(&self, place: usize) -> u64 {
        self.numbers.get(place).copied().unwrap_or(0)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| compare_parts(&self.parts, &other.parts))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Part {
    fn before_release(&self) -> bool {
        matches!(self.tokens.first(), Some(Token::Word(word)) if BEFORE_RELEASE.contains(&word.as_str()))
    }

    /// Ranks pre-releases before no part (1), and additions after it.
    fn rank(part: Option<&Self>) -> u8 {
        part.map_or(1, |part| if part.before_release() { 0 } else { 2 })
    }
}

fn compare_parts(left: &[Part], right: &[Part]) -> Ordering {
    for place in 0..left.len().max(right.len()) {
        let (a, b) = (left.get(place), right.get(place));
        let tokens = |part: Option<&Part>| part.map(|part| (part.tokens.clone(), part.build));
        let order = Part::rank(a).cmp(&Part::rank(b)).then_with(|| tokens(a).cmp(&tokens(b)));
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn number(text: &str) -> Option<u64> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Parses the parts of `-hotfix-1+rke2r1`; none for a moving build (`-head`) and for unknown characters.
fn parts(tail: &str) -> Option<Vec<Part>> {
    let mut found = Vec::new();
    let mut rest = tail;
    while let Some(sign) = rest.chars().next() {
        let body = &rest[1..];
        let end = body.find(['-', '+']).unwrap_or(body.len());
        let tokens = tokens(&body[..end])?;
        if tokens.is_empty() || tokens.iter().any(|t| *t == Token::Word("head".to_owned())) {
            return None;
        }
        found.push(Part { build: sign == '+', tokens });
        rest = &body[end..];
    }
    Some(found)
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(['.', '_', '~']);
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits || !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        found.push(token(&rest[..end], digits));
        rest = rest[end..].trim_start_matches(['.', '_', '~']);
    }
    Some(found)
}

fn token(run: &str, digits: bool) -> Token {
    if !digits {
        return Token::Word(run.to_ascii_lowercase());
    }
    let significant = run.trim_start_matches('0');
    Token::Number(significant.len(), significant.to_owned())
}

/// Version range such as `>=1.2.0 <1.12.1 || 1.13.0`.
///
/// A space means *and*, `||` means *or*; operators are `= != < <= > >=`. A version without operator, or after `=` or
/// `!=`, matches itself; with fewer than three numbers it matches all versions with that prefix (`1.13` matches
/// 1.13.4). Text after `+` counts only if the range writes one: `<=1.24.7` matches `v1.24.7+rke2r1`. `*` matches every
/// version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    text: String,
    any_of: Vec<Vec<Bound>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Is,
    IsNot,
    Below,
    AtMost,
    Above,
    AtLeast,
    Any,
}

/// Longest first, so that a prefix test finds the right operator.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::IsNot),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("==", Operator::Is),
    ("=", Operator::Is),
    ("<", Operator::Below),
    (">", Operator::Above),
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    operator: Operator,
    version: Version,
    /// Number of numbers written.
    written: usize,
}

impl Range {
    /// Parses a range.
    ///
    /// # Errors
    ///
    /// Returns a description of the error with the correct form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let any_of = text.split("||").map(bounds).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), any_of })
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the range contains every version, also those that cannot be parsed.
    pub fn is_everything(&self) -> bool {
        self.any_of.iter().any(|all| all.iter().all(|bound| bound.operator == Operator::Any))
    }

    /// Returns true if later versions than those that it names are not in it.
    pub fn ends(&self) -> bool {
        let is_end = |bound: &Bound| matches!(bound.operator, Operator::Below | Operator::AtMost | Operator::Is);
        self.any_of.iter().all(|all| all.iter().any(is_end))
    }

    /// Returns true if the range contains the version; none for versions that cannot be parsed (`master-head`).
    pub fn contains(&self, version: &str) -> Option<bool> {
        if self.is_everything() {
            return Some(true);
        }
        let version = Version::parse(version)?;
        Some(self.any_of.iter().any(|all| all.iter().all(|bound| bound.holds(&version))))
    }
}

impl Bound {
    fn holds(&self, version: &Version) -> bool {
        match self.operator {
            Operator::Any => true,
            Operator::Is => self.stands_for(version),
            Operator::IsNot => !self.stands_for(version),
            Operator::Below => self.order(version).is_lt(),
            Operator::AtMost => self.order(version).is_le(),
            Operator::Above => self.order(version).is_gt(),
            Operator::AtLeast => self.order(version).is_ge(),
        }
    }

    /// Compares the version with the bound.
    fn order(&self, version: &Version) -> Ordering {
        if self.version.has_build() { version.cmp(&self.version) } else { version.without_build().cmp(&self.version) }
    }

    fn stands_for(&self, version: &Version) -> bool {
        if self.written < 3 && self.version.parts.is_empty() {
            return (0..self.written).all(|place| version.number(place) == self.version.number(place));
        }
        self.order(version).is_eq()
    }
}

fn bounds(text: &str) -> Result<Vec<Bound>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (operator, after) = operator(rest);
        let end = after.find(char::is_whitespace).unwrap_or(after.len());
        found.push(bound(operator, &after[..end])?);
        rest = after[end..].trim_start();
    }
    if found.is_empty() {
        return Err("a range needs a version, such as \">=1.2.0 <1.12.1 || 1.13.0\"".to_owned());
    }
    Ok(found)
}

fn operator(text: &str) -> (Operator, &str) {
    let found = OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?.trim_start())));
    found.unwrap_or((Operator::Is, text))
}

fn bound(operator: Operator, text: &str) -> Result<Bound, String> {
    if text == "*" {
        return Ok(Bound {
            operator: Operator::Any,
            version: Version { numbers: Vec::new(), parts: Vec::new() },
            written: 0,
        });
    }
    if let Some(advice) = advice(text) {
        return Err(format!("\"{text}\" is not a version: {advice}"));
    }
    let Some((version, written)) = Version::read(text) else {
        return Err(format!("\"{text}\" is not a version; write one such as 1.12.1, v1.21.7+rke2r1 or 1.3.0-rc1"));
    };
    Ok(Bound { operator, version, written })
}

/// Suggests the right form for syntax of other tools.
fn advice(text: &str) -> Option<&'static str> {
    match text.chars().next() {
        _ if text.contains(',') => Some("a space means \"and\", \"||\" means \"or\"; there are no commas"),
        Some('^' | '~') => Some("write the two ends, such as \">=1.2.0 <1.3.0\""),
        Some('&' | '|') => Some("a space means \"and\", \"||\" means \"or\""),
        None => Some("the version is missing after the operator"),
        _ if text.ends_with(".x") || text.ends_with(".*") => Some("write the beginning only, such as \"1.13\""),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn a_range_with_an_end_says_nothing_of_later_versions() {
        for (range, want) in
            [("<1.4.2", true), (">=1.2 <1.4 || 1.5.0", true), (">=1.2", false), ("<1.2 || >1.4", false), ("*", false)]
        {
            assert_eq!(Range::parse(range).unwrap().ends(), want, "{range}");
        }
    }

    #[test]
    fn versions_follow_each_other() {
        let ascending = [
            "0.9",
            "v1.0.0-alpha",
            "1.0.0-alpha.2",
            "1.0.0-alpha.10",
            "1.0.0-beta1",
            "1.0.0-rc9",
            "1.0.0-rc10",
            "1.0.0-rc10+rke2r1",
            "1.0.0",
            "1.0.0-hotfix-1",
            "1.0.0-hotfix-2",
            "1.0.0-hotfix-10",
            "1.0.1",
            "1.21.7+rke2r2-rc1",
            "v1.21.7+rke2r2",
            "v1.21.7+rke2r10",
            "1.21.07.1",
            "5.14.21-150400.24.63-default",
            "5.14.21-150400.24.100-default",
        ];
        for pair in ascending.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{} < {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn spelling_does_not_matter() {
        for (left, right) in [("v1.30", "1.30.0"), ("1.21.07", "1.21.7"), ("1.0-RC.1", "1.0.0-rc1")] {
            assert_eq!(version(left), version(right));
            assert_eq!(version(left).cmp(&version(right)), Ordering::Equal);
        }
    }

    #[test]
    fn versions_without_an_order_are_rejected() {
        for text in ["master-head", "v1.6.x-head", "1.4-head", "latest", "", "v", "1..2", "1.2-", "1.2.3-ä", "-1"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        assert_eq!(Version::parse(&"1.".repeat(100)), None);
        assert_eq!(Version::parse("99999999999999999999999"), None);
    }

    #[test]
    fn ranges_hold_what_they_say() {
        let cases = [
            (">=1.2.0 <1.12.1 || 1.13.0", "1.12.0", true),
            (">=1.2.0 <1.12.1 || 1.13.0", "1.12.1", false),
            (">=1.2.0 <1.12.1 || 1.13.0", "v1.13.0", true),
            (">=1.2.0 <1.12.1 || 1.13.0", "1.13.1", false),
            (">= 1.2.0   < 1.12.1", "1.1.9", false),
            ("<1.3.0", "1.3.0-rc1", true),
            (">=1.2.0", "1.3.0-rc1", true),
            ("1.13", "1.13.4", true),
            ("1.13", "1.13.0-rc1", true),
            ("1.13", "1.1.3", false),
            ("1", "1.99", true),
            ("1.13.0", "1.13.0+rke2r1", true),
            ("1.13.0", "1.13.0-hotfix-1", false),
            ("!=1.13", "1.13.4", false),
            ("!=1.13", "1.14.0", true),
            ("=1.13.0-rc1", "1.13.0-rc1", true),
            ("<=1.24.7", "v1.24.7+rke2r1", true),
            (">1.24.7", "v1.24.7+rke2r1", false),
            ("<1.24.7+rke2r10", "v1.24.7+rke2r2", true),
            ("<1.24.7+rke2r10", "v1.24.7+rke2r10", false),
            ("*", "0.1", true),
        ];
        for (range, version, holds) in cases {
            assert_eq!(Range::parse(range).unwrap().contains(version), Some(holds), "{range} {version}");
        }
    }

    #[test]
    fn an_unknown_version_is_undecided_unless_all_are_meant() {
        assert_eq!(Range::parse(">=1.2").unwrap().contains("master-head"), None);
        assert_eq!(Range::parse("*").unwrap().contains("master-head"), Some(true));
    }

    #[test]
    fn wrong_ranges_say_what_to_write() {
        for (text, says) in [
            ("", "needs a version"),
            ("1.2 ||", "needs a version"),
            (">=", "missing after the operator"),
            (">=1.2, <1.3", "no commas"),
            ("^1.2", "two ends"),
            ("1.13.x", "beginning only"),
            ("1.2 && 1.3", "a space means"),
            ("master-head", "is not a version"),
        ] {
            let message = Range::parse(text).unwrap_err();
            assert!(message.contains(says), "{text}: {message}");
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "v?[0-9]{1,2}(\\.[0-9]{1,2}){0,3}([-+](rc|alpha|hotfix|rke2r|k3s)?[.-]?[0-9]{1,2}){0,3}",
            "[-+.v0-9a-z]{0,12}",
        ]
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in texts(), b in texts(), c in texts()) {
            let (Some(a), Some(b), Some(c)) = (Version::parse(&a), Version::parse(&b), Version::parse(&c)) else {
                return Ok(());
            };
            prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            prop_assert_eq!(a == b, a.cmp(&b).is_eq());
            if a <= b && b <= c {
                prop_assert!(a <= c);
            }
        }

        #[test]
        fn any_text_is_read_without_panic(text in ".{0,40}") {
            let _ = Version::parse(&text);
            if let Ok(range) = Range::parse(&text) {
                let _ = range.contains(&text);
            }
        }
    }
}
