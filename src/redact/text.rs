//! Finds names in text and replaces them with pseudonyms.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::dotted::Dotted;
use super::names::{DNS, HOST, Known, Names, SERIAL};
use super::position::Place;
use super::segments::{segments, without_sequences};
use super::{address, encoded, position, public};

/// File endings after a name (`vip.acme.com.yaml`).
const FILES: &[&str] =
    &[".conf", ".crt", ".gz", ".json", ".key", ".log", ".pem", ".tar", ".txt", ".xml", ".yaml", ".yml", ".zip"];

static MAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\p{L}\p{N}._%+-]+@([\p{L}\p{N}][\p{L}\p{N}.-]*\.\p{L}{2,})").ok());

/// Source of replacements for names.
pub trait Pseudonyms {
    /// Returns the pseudonym of a lower-case name of a kind (`host`, `ip`, `dns`, `mail`, `mac`, ...); none if the name
    /// stays.
    fn of(&self, kind: &str, name: &str) -> Option<String>;
}

/// Replaces names with pseudonyms.
pub struct Redactor<'a> {
    pseudonyms: &'a dyn Pseudonyms,
    names: &'a Names,
}

impl<'a> Redactor<'a> {
    /// Creates a redactor with the known names.
    pub fn new(pseudonyms: &'a dyn Pseudonyms, names: &'a Names) -> Self {
        Self { pseudonyms, names }
    }

    /// Returns the text with pseudonyms. A word truncated at an end of the text may be part of a name and is left out.
    pub fn redacted(&self, text: &str) -> String {
        self.within(&without_cut_words(text), encoded::DEEPEST)
    }

    fn within(&self, text: &str, deepest: usize) -> String {
        let text = without_sequences(text);
        let text = match deepest {
            0 => text.into_owned(),
            _ => encoded::rewritten(&text, &|meaning| self.within(meaning, deepest - 1)),
        };
        segments(&text).map(|(separator, part)| format!("{separator}{}", self.part(part))).collect()
    }

    fn part(&self, text: &str) -> String {
        let text = self.mails(text);
        let hosts = position::hosts(&text).into_iter().map(|range| (range, ())).collect();
        let text = rewritten(&text, hosts, |(), word| self.host(word));
        let text = self.kinds(&text, "iqn", position::qualified);
        let text = self.kinds(&text, "org", position::owners);
        let text = rewritten(&text, position::directories(&text), |name, _| self.pseudonym(DNS, name));
        let text = self.kinds(&text, SERIAL, position::serials);
        let text = self.addresses(&text, address::hardware);
        let text = self.addresses(&text, address::v6);
        let text = self.addresses(&text, address::v4);
        let places = position::dotted(&text).map(|place| (place.range.clone(), place)).collect();
        let text = rewritten(&text, places, |place, _| self.domain(place));
        self.known(&text)
    }

    fn pseudonym(&self, kind: &str, name: &str) -> Option<String> {
        self.pseudonyms.of(kind, &name.to_ascii_lowercase())
    }

    fn mails(&self, text: &str) -> String {
        let captures = MAIL.iter().flat_map(|mail| mail.captures_iter(text));
        let customers = captures.filter(|found| !found.get(1).is_some_and(|domain| public::is_unit(domain.as_str())));
        let found = customers.filter_map(|found| Some((found.get(0)?.range(), ()))).collect();
        rewritten(text, found, |(), word| self.pseudonym("mail", word))
    }

    fn kinds(&self, text: &str, kind: &str, find: fn(&str) -> Vec<Range<usize>>) -> String {
        let found = find(text).into_iter().map(|range| (range, ())).collect();
        rewritten(text, found, |(), word| match self.names.get(&word.to_ascii_lowercase()) {
            Some(known) => self.of_known(known, word),
            None => self.pseudonym(kind, word),
        })
    }

    fn addresses(&self, text: &str, find: fn(&str) -> Vec<address::Found>) -> String {
        let found = find(text).into_iter().map(|found| (found.range.clone(), found)).collect();
        // Names of machines contain addresses, too: `ip-10-0-0-1`.
        let is_host = |range: &Range<usize>| self.is_in_host(text, range);
        let found: Vec<(Range<usize>, address::Found)> = found;
        let found = found.into_iter().filter(|(range, _)| !is_host(range)).collect();
        rewritten(text, found, |found, word| {
            let hidden = self.pseudonym(found.kind, &found.name)?;
            Some(if word.contains('-') { hidden.replace(['.', ':'], "-") } else { hidden })
        })
    }

    /// Returns true if an address is part of the name of a machine.
    fn is_in_host(&self, text: &str, range: &Range<usize>) -> bool {
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-';
        let before = text.as_bytes().get(..range.start).unwrap_or_default().iter().rev().take_while(|b| is_part(b));
        let after = text.as_bytes().get(range.end..).unwrap_or_default().iter().take_while(|b| is_part(b));
        let word = range.start - before.count()..range.end + after.count();
        word != *range && text.get(word).is_some_and(|word| self.names.has_host(&word.to_ascii_lowercase()))
    }

    /// Redacts a dotted word if it is a name of the customer. Machine and domain are replaced separately, so that a
    /// machine has the same pseudonym with and without its domain.
    fn domain(&self, place: &Place<'_>) -> Option<String> {
        let word = place.word;
        if let Some(at) = word.to_ascii_lowercase().find(".svc.") {
            // The domain of a cluster may be the customer's, the service keeps its name.
            let (service, domain) = (word.get(..at + 5)?, word.get(at + 5..)?);
            return Some(format!("{service}{}", self.domain(&Place { word: domain, ..place.clone() })?));
        }
        let name = FILES.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
        let rest = word.get(name.len()..)?;
        let lower = name.to_ascii_lowercase();
        let (first, domain) = lower.split_once('.')?;
        let is_customers = self.names.has_domain(&lower) || Dotted::of(name) == Dotted::Private;
        // Pods on a node have its name at the end: `kube-apiserver-alpha.acme.de`.
        let is_known = |name: Option<&str>| name.is_some_and(|name| self.names.has_host(name));
        let is_customers = is_customers || is_known(Some(&lower));
        let is_host = |at: &usize| is_known(first.get(*at..)) && (is_customers || is_known(lower.get(*at..)));
        let starts = std::iter::once(0).chain(first.match_indices(['-', '_']).map(|(at, _)| at + 1));
        if let Some(at) = starts.into_iter().find(is_host).filter(|_| Dotted::of(name) != Dotted::Public) {
            let hidden = (self.pseudonym(HOST, first.get(at..)?), self.pseudonym(DNS, domain));
            let (host, domain) =
                (hidden.0.as_deref().unwrap_or(first.get(at..)?), hidden.1.as_deref().unwrap_or(domain));
            return Some(format!("{}{host}.{domain}{rest}", name.get(..at)?));
        }
        let is_hidden = match Dotted::of(name) {
            Dotted::Public => false,
            Dotted::Private => place.is_whole || place.is_host,
            Dotted::Unclear => place.is_host,
        };
        let is_hidden = is_hidden || is_known(Some(&lower)) || self.names.has_domain(&lower);
        is_hidden.then(|| Some(format!("{}{rest}", self.pseudonym(DNS, &lower)?)))?
    }

    /// Redacts a word in the place of a machine name.
    fn host(&self, word: &str) -> Option<String> {
        let is_name = !word.contains('.') && self.names.is_host(word);
        is_name.then(|| self.pseudonym(HOST, word))?
    }

    /// Replaces known names that are words, also within other names (`etcd-alpha`).
    fn known(&self, text: &str) -> String {
        let lower = text.to_ascii_lowercase();
        let mut out = String::with_capacity(text.len());
        let (mut done, mut at) = (0, 0);
        while at < lower.len() {
            let found = if begins_word(&lower, at) { self.names.at(&lower, at) } else { None };
            let found = found.and_then(|end| {
                let word = lower.get(at..end)?;
                Some((end, self.of_known(self.names.get(word)?, word)?))
            });
            match found {
                // A name that stays may contain one that is replaced.
                None => at += 1,
                Some((end, hidden)) => {
                    out.push_str(text.get(done..at).unwrap_or_default());
                    out.push_str(&hidden);
                    (done, at) = (end, end);
                }
            }
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }

    /// Returns the pseudonym for a spelling of a known name; it has dots and colons only if the spelling has them.
    fn of_known(&self, known: &Known, spelling: &str) -> Option<String> {
        let hidden = self.pseudonym(&known.kind, &known.name)?;
        let is_spelled = spelling.contains(['.', ':']) || spelling == known.name;
        Some(if is_spelled { hidden } else { hidden.replace(['.', ':'], "-") })
    }
}

/// Replaces the ranges for which `replaced` returns a text; those that overlap an earlier one stay.
fn rewritten<T>(text: &str, found: Vec<(Range<usize>, T)>, replaced: impl Fn(&T, &str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, what) in found.iter().filter(|(range, _)| !range.is_empty()) {
        let word = text.get(range.clone()).unwrap_or_default();
        let Some(new) = (range.start >= done).then(|| replaced(what, word)).flatten() else { continue };
        out.push_str(text.get(done..range.start).unwrap_or_default());
        out.push_str(&new);
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Returns true if a word may begin here: not after a letter or digit, except after a terminal sequence whose beginning
/// is truncated (`[31malpha`).
fn begins_word(text: &str, at: usize) -> bool {
    let head = text.as_bytes().get(..at).unwrap_or_default();
    let Some(before) = head.last().filter(|b| b.is_ascii_alphanumeric()) else { return true };
    let parameters = head.iter().rev().skip(1).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    *before == b'm' && head.len().checked_sub(parameters + 2).and_then(|i| head.get(i)) == Some(&b'[')
}

/// Returns the text without truncated words at its ends.
fn without_cut_words(text: &str) -> Cow<'_, str> {
    let mut kept = text;
    if let Some(rest) = kept.strip_prefix('…') {
        kept = rest.find(char::is_whitespace).and_then(|end| rest.get(end..)).unwrap_or_default();
    }
    if let Some(rest) = kept.strip_suffix('…') {
        let start = rest
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + rest.get(at..).and_then(|r| r.chars().next()).map_or(1, char::len_utf8));
        kept = rest.get(..start).unwrap_or_default();
    }
    if kept.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let (first, last) = (text.starts_with('…'), text.ends_with('…'));
    Cow::Owned(format!("{}{kept}{}", if first { "…" } else { "" }, if last { "…" } else { "" }))
}
