//! Secrets with a form of their own, found by how they begin: a few passes look for all beginnings, and a pattern is
//! tried only where one stands.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, Input, Match, Span};
use memchr::memmem;
use regex::Regex;

use super::form_table::{Check, FORMS, Form};
use super::value::{is_plain, looks_generated};
use super::{argument, encoded, login_list, manifest, private_key};
use crate::model::decode_base64;

/// Bytes in which a pattern must match, so that many beginnings in one word do not cost its length each.
const HEAD: usize = 512;

/// Longest text of one form, in bytes; a longer one is masked as far.
const LONGEST: usize = 64 << 10;

/// Bytes of a beginning that are looked for, at most.
const LOOKED_FOR: usize = 4;
/// At least: with three, vector instructions find little else.
#[cfg(test)]
const SHORTEST: usize = 3;

/// Beginnings of one pass: a second pass costs less than more of them in the first (see [`Finder`]).
const IN_ONE_PASS: usize = 32;

/// Finds the beginnings: of forms, of options with a value, and the marks of other secrets.
static BEGINNINGS: LazyLock<Vec<Finder>> =
    LazyLock::new(|| looked_for().chunks(IN_ONE_PASS).map(Finder::new).collect());

fn looked_for() -> Vec<&'static str> {
    let forms = FORMS.iter().flat_map(|form| form.begins).map(|begin| begin.trim_start_matches('~'));
    let marks = [private_key::MARK, login_list::MARK, manifest::MARK];
    let all = forms.chain(argument::BEGINNINGS).chain(marks).chain(super::packed::MARKS);
    let mut all: Vec<&str> = all.map(|begin| begin.get(..LOOKED_FOR).unwrap_or(begin)).collect();
    // Those of three bytes are in one pass: the shortest one decides how much a pass compares at once.
    all.sort_unstable_by_key(|begin| (begin.len(), *begin));
    all.dedup();
    all
}

/// Finds encoded separators.
static ENCODED: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(encoded::MARK));

/// Finds texts with vector instructions where the processor has them: 1.5 instructions a byte with up to 32 texts, 2.5 with
/// 40, 6 with 75.
enum Finder {
    Packed(Searcher),
    Automaton(Option<AhoCorasick>),
}

impl Finder {
    fn new(all: &[&str]) -> Self {
        let packed = packed::Config::new().heuristic_pattern_limits(false).builder().extend(all).build();
        packed.map_or_else(|| Self::Automaton(AhoCorasick::new(all).ok()), Self::Packed)
    }

    /// Adds the positions of the texts, at most as many as there is room.
    fn find(&self, text: &[u8], room: usize, found: &mut Vec<usize>) {
        match self {
            Self::Packed(searcher) => {
                found.extend(starts(room, |from| searcher.find_in(text, Span::from(from..text.len()))));
            }
            Self::Automaton(searcher) => {
                found.extend(starts(room, |from| searcher.as_ref()?.find(Input::new(text).range(from..))));
            }
        }
    }
}

/// Returns where the matches start; one may begin within another: `-token-x7k2p`.
fn starts(room: usize, find: impl Fn(usize) -> Option<Match>) -> impl Iterator<Item = usize> {
    let mut from = 0;
    let next = move || {
        let at = find(from)?.start();
        from = at + 1;
        Some(at)
    };
    std::iter::from_fn(next).take(room)
}

static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| FORMS.iter().map(|_| OnceLock::new()).collect());

/// Numbers of the forms that may begin with each byte, in their order: trying all forms at each beginning was a fiftieth of a run.
static BY_BYTE: LazyLock<[Vec<usize>; 256]> = LazyLock::new(|| {
    let begins_with = |byte: usize, form: &Form| {
        form.begins.iter().any(|begin| begin.trim_start_matches('~').bytes().next().map(usize::from) == Some(byte))
    };
    std::array::from_fn(|byte| (0..).zip(FORMS).filter(|(_, form)| begins_with(byte, form)).map(|(at, _)| at).collect())
});

/// Returns where a secret may begin, in order; more than `most` if there are more.
pub(super) fn beginnings(text: &[u8], most: usize) -> Vec<usize> {
    let mut found: Vec<usize> = ENCODED.find_iter(text).take(most + 1).collect();
    for finder in &*BEGINNINGS {
        finder.find(text, most + 1, &mut found);
    }
    found.sort_unstable();
    found
}

/// Returns the secrets that begin at these positions.
pub(super) fn find(text: &str, beginnings: &[usize]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for &at in beginnings {
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let secret = match text.as_bytes().get(at) {
            Some(b'-') => argument::at(text, at),
            Some(b'%') => encoded::at(text, at),
            _ if text.get(at..).is_some_and(|rest| rest.starts_with(argument::INSIDE)) => argument::at(text, at),
            _ => at_beginning(text, at),
        };
        found.extend(secret);
    }
    found
}

fn at_beginning(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let rest = text.get(at..)?;
    let begins = |begin: &&str| match begin.strip_prefix('~') {
        Some(inside) => rest.starts_with(inside),
        None => rest.starts_with(*begin) && stands_apart(bytes, at),
    };
    let fits = |form: &Form| form.begins.iter().any(&begins);
    let possible = BY_BYTE.get(usize::from(*bytes.get(at)?))?.iter();
    let mut forms = possible.filter_map(|at| FORMS.get(*at).filter(|form| fits(form)).zip(PATTERNS.get(*at)));
    forms.find_map(|(form, pattern)| {
        let pattern = pattern.get_or_init(|| Regex::new(form.pattern).ok()).as_ref()?;
        let found = matched(pattern, rest, HEAD).filter(|found| found.end == HEAD.min(rest.len()));
        let found = found.and_then(|_| matched(pattern, rest, LONGEST)).or_else(|| matched(pattern, rest, HEAD))?;
        form.check.passes(rest.get(found.clone())?).then(|| at + found.start..at + found.end)
    })
}

/// Returns the secret that a pattern finds in the first bytes of a text.
fn matched(pattern: &Regex, text: &str, bytes: usize) -> Option<Range<usize>> {
    let captures = pattern.captures(text.get(..text.floor_char_boundary(bytes))?)?;
    captures.get(1).or_else(|| captures.get(0)).map(|found| found.range())
}

/// Returns true if no word goes on here. Escapes (`\n`) and encoded blanks (`%20`) end with letters and digits.
fn stands_apart(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| bytes.get(before)) else { return true };
    let is_escape = matches!(before, b'n' | b'r' | b't') && at > 1 && bytes.get(at - 2) == Some(&b'\\');
    let is_encoded = at > 2 && bytes.get(at - 3) == Some(&b'%');
    !before.is_ascii_alphanumeric() || is_escape || is_encoded
}

impl Check {
    fn passes(self, text: &str) -> bool {
        match self {
            Self::Pattern => true,
            Self::Generated => looks_generated(text),
            Self::NotPlain => !is_plain(text),
            Self::UserPassword => decode_base64(text).is_some_and(|bytes| bytes.contains(&b':') && bytes.is_ascii()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MASK, redact};
    use super::*;

    /// Replaces `{w:36}` by as many characters, always the same ones.
    fn filled(line: &str) -> String {
        let placeholder = Regex::new(r"\{([wluh]):(\d+)\}").unwrap();
        let filled = placeholder.replace_all(line, |found: &regex::Captures<'_>| {
            let alphabet: &[u8] = match &found[1] {
                "l" => b"4x7m2q9p0k3v",
                "u" => b"4XQ7M2VZ5PKB",
                "h" => b"4f0a91c7e3b2",
                _ => b"7gQ2x5Zm9RkV",
            };
            let count: usize = found[2].parse().unwrap();
            (0..count).map(|at| char::from(alphabet[at % alphabet.len()])).collect::<String>()
        });
        filled.into_owned()
    }

    #[test]
    fn each_form_masks_its_line_and_not_its_near_miss() {
        for form in FORMS {
            let secret = filled(form.secret);
            let shown = redact(&secret);
            assert!(shown.contains(MASK), "{}: {shown}", form.name);
            for part in secret
                .split(|c: char| !c.is_ascii_alphanumeric())
                .filter(|part| part.contains("7gQ2x5") || part.contains("4x7m2q9") || part.contains("4f0a91c"))
            {
                assert!(!shown.contains(part), "{}: {shown}", form.name);
            }
            let near = filled(form.near);
            assert_eq!(redact(&near), near, "{}", form.name);
        }
    }

    #[test]
    fn all_patterns_compile_and_fit_into_four_passes() {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            assert!(BEGINNINGS.iter().all(|finder| matches!(finder, Finder::Packed(_))));
        }
        assert!(BEGINNINGS.len() <= 4, "each pass over all dumps costs time: {:?}", looked_for());
        for form in FORMS {
            assert!(form.begins.iter().all(|begin| begin.trim_start_matches('~').len() >= SHORTEST), "{}", form.name);
        }
        let all = ["-token", "ghp_", "token-"];
        for finder in [Finder::new(&all), Finder::Automaton(AhoCorasick::new(all).ok())] {
            let mut found = Vec::new();
            finder.find(b"my-token-x7k2p and ghp_x in a text that is long enough for vectors", 9, &mut found);
            found.sort_unstable();
            assert_eq!(found, [2, 3, 19]);
        }
        for form in FORMS {
            assert!(Regex::new(form.pattern).is_ok(), "{}", form.name);
        }
    }
}
