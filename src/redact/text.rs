//! Finds names in text and replaces them with pseudonyms.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::names::{HOST, Names};
use super::public;
use crate::model::message::Message;
use crate::model::{Origin, TimedText};

/// Most groups of an IPv6 address between colons, including empty ones.
const GROUPS: usize = 9;

/// File endings after a name (`vip.acme.com.yaml`).
const FILES: &[&str] =
    &[".conf", ".crt", ".gz", ".json", ".key", ".log", ".pem", ".tar", ".txt", ".xml", ".yaml", ".yml", ".zip"];

static MAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9._%+-]+@([A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,})").ok());
static MAC: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}").ok());
static V6: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*").ok());
static V4: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{1,3}(?:\.\d{1,3}){3}").ok());
static DOMAIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(://)?(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\.)+[A-Za-z]{2,}").ok());

/// Source of replacements for names.
pub trait Pseudonyms {
    /// Returns the pseudonym of a lower-case name of a kind (`host`, `ip`, `dns`, `mail`, `mac`); none if the name
    /// stays.
    fn of(&self, kind: &str, name: &str) -> Option<String>;
}

/// Replaces names with pseudonyms.
pub struct Redactor<'a> {
    pseudonyms: &'a dyn Pseudonyms,
    names: &'a Names,
}

impl<'a> Redactor<'a> {
    /// Creates a redactor with the known machine names.
    pub fn new(pseudonyms: &'a dyn Pseudonyms, names: &'a Names) -> Self {
        Self { pseudonyms, names }
    }

    /// Applies [`Redactor::redacted`] in place.
    pub fn replace(&self, text: &mut String) {
        *text = self.redacted(text);
    }

    /// Applies [`Redactor::redacted`] to each text.
    pub fn replace_all<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        texts.into_iter().for_each(|text| self.replace(text));
    }

    /// Applies [`Redactor::redacted`] to the parts of a text that are no times.
    pub fn replace_between_times(&self, text: &mut TimedText) {
        text.rewrite(|part| self.redacted(part));
    }

    /// Applies [`Redactor::redacted`] to each name and text of a message.
    pub fn replace_in(&self, message: &mut impl Message) {
        message.texts(&mut |text| self.replace(text));
    }

    /// Applies [`Redactor::redacted`] to the path of an entry.
    pub fn replace_entry(&self, origin: &mut Origin) {
        let Origin { entry, line: _ } = origin;
        *entry = self.redacted(entry).into();
    }

    /// Returns the text with pseudonyms. A word truncated at an end of the text may be part of a name and is left out.
    pub fn redacted(&self, text: &str) -> String {
        let text = without_cut_words(text);
        let text = each(&MAIL, &text, |found, _| {
            let domain = found.get(1)?.as_str();
            (!public::is_unit(domain)).then(|| self.pseudonym("mail", found.get(0)?.as_str()))?
        });
        let text = each(&MAC, &text, |found, text| {
            let mac = found.get(0)?;
            let alone = !in_row(text, mac.start(), mac.end());
            let says = mac.as_str().bytes().filter(|b| b.is_ascii_hexdigit()).any(|b| !matches!(b, b'0' | b'f' | b'F'));
            (alone && says).then(|| self.pseudonym("mac", &mac.as_str().replace('-', ":")))?
        });
        let text = each(&V6, &text, |found, text| {
            let run = found.get(0)?;
            Some(self.v6(text, run.start(), run.as_str()))
        });
        let text = each(&V4, &text, |found, text| {
            let word = found.get(0)?;
            let address: Ipv4Addr = word.as_str().parse().ok()?;
            let is_kept = public::is_public_address(address.into()) || is_version(text, word.start(), word.end());
            (!is_kept).then(|| self.pseudonym("ip", word.as_str()))?
        });
        let text = each(&DOMAIN, &text, |found, _| self.domain(found.get(0)?.as_str()));
        self.machines(&text)
    }

    fn pseudonym(&self, kind: &str, name: &str) -> Option<String> {
        self.pseudonyms.of(kind, &name.to_ascii_lowercase())
    }

    /// Replaces the addresses in a run that looks like an IPv6 address; it is at `start` of the text.
    fn v6(&self, text: &str, start: usize, run: &str) -> String {
        let mut starts: Vec<usize> = std::iter::once(0).chain(run.match_indices(':').map(|(at, _)| at + 1)).collect();
        starts.push(run.len() + 1);
        let mut out = String::new();
        let (mut group, mut done) = (0, 0);
        while group + 1 < starts.len() {
            let from = starts.get(group).copied().unwrap_or(run.len());
            let found = (group + 2..=(group + GROUPS).min(starts.len() - 1)).rev().find_map(|last| {
                let to = starts.get(last)?.checked_sub(1)?;
                let word = run.get(from..to)?;
                let word = word.strip_suffix('.').unwrap_or(word);
                let to = from + word.len();
                let address: Ipv6Addr = word.parse().ok()?;
                let says = word.bytes().any(|b| b.is_ascii_digit())
                    && !is_path(text, start + from, start + to)
                    && !(word.split(':').all(|pair| pair.len() == 2) && in_row(text, start + from, start + to));
                (says && from >= done).then_some((last, to, address, word))
            });
            match found {
                Some((last, to, address, word)) if !public::is_public_address(address.into()) => {
                    out.push_str(run.get(done..from).unwrap_or_default());
                    let hidden = self.pseudonym("ip", &canonical(address, word));
                    out.push_str(hidden.as_deref().unwrap_or(word));
                    (done, group) = (to, last);
                }
                Some((last, ..)) => group = last,
                None => group += 1,
            }
        }
        out.push_str(run.get(done..).unwrap_or_default());
        out
    }

    /// Redacts a dotted word, possibly after `://`, if it is a private name. Machine and domain are replaced
    /// separately,
    /// so that a machine has the same pseudonym with and without its domain.
    fn domain(&self, word: &str) -> Option<String> {
        let (scheme, word) = word.strip_prefix("://").map_or(("", word), |rest| ("://", rest));
        let name = FILES.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
        let rest = word.get(name.len()..)?;
        let lower = name.to_ascii_lowercase();
        let (first, domain) = lower.split_once('.')?;
        if self.names.has(first) && (self.names.has(&lower) || public::is_private_domain(domain)) {
            let hidden = (self.pseudonym(HOST, first), self.pseudonym("dns", domain));
            let (first, domain) = (hidden.0.as_deref().unwrap_or(first), hidden.1.as_deref().unwrap_or(domain));
            return Some(format!("{scheme}{first}.{domain}{rest}"));
        }
        let is_hidden = self.names.has(&lower)
            || public::is_private_domain(&lower)
            || (!scheme.is_empty() && public::is_private_host(&lower));
        is_hidden.then(|| Some(format!("{scheme}{}{rest}", self.pseudonym("dns", &lower)?)))?
    }

    /// Replaces known names that are words, also within other names (`etcd-alpha`).
    fn machines(&self, text: &str) -> String {
        let lower = text.to_ascii_lowercase();
        let mut out = String::with_capacity(text.len());
        let (mut done, mut at) = (0, 0);
        while at < lower.len() {
            let found = if begins_word(&lower, at) { self.names.at(&lower, at) } else { None };
            let found = found.and_then(|end| {
                let name = lower.get(at..end)?;
                Some((end, self.pseudonym(self.names.kind(name), name)?))
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
}

/// Replaces each match for which `replaced` returns a text.
fn each(
    pattern: &LazyLock<Option<Regex>>,
    text: &str,
    replaced: impl Fn(&Captures<'_>, &str) -> Option<String>,
) -> String {
    let Some(pattern) = pattern.as_ref() else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for found in pattern.captures_iter(text) {
        let (Some(whole), Some(new)) = (found.get(0), replaced(&found, text)) else { continue };
        out.push_str(text.get(done..whole.start()).unwrap_or_default());
        out.push_str(&new);
        done = whole.end();
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Returns true if the text around a part continues with letters, digits or more pairs, as in hashes of keys
/// (`aa:bb:...`).
fn in_row(text: &str, start: usize, end: usize) -> bool {
    fn goes_on<'a>(mut beside: impl Iterator<Item = &'a u8>) -> bool {
        match beside.next() {
            Some(b':' | b'-') => {
                let digits = beside.by_ref().take(3).take_while(|b| b.is_ascii_hexdigit()).count();
                digits == 2
            }
            Some(b) => b.is_ascii_alphanumeric(),
            None => false,
        }
    }
    let bytes = text.as_bytes();
    goes_on(bytes.iter().take(start).rev()) || goes_on(bytes.iter().skip(end))
}

/// Returns true if four numbers are a version: `v1.2.3.4`, `1.2.3.4.5`.
fn is_version(text: &str, start: usize, end: usize) -> bool {
    let mut before = text.get(..start).unwrap_or_default().chars().rev();
    let mut after = text.get(end..).unwrap_or_default().chars();
    let marked = match before.next() {
        Some('v' | 'V') => !before.next().is_some_and(char::is_alphanumeric),
        Some('.') => before.next().is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    };
    marked || (after.next() == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit()))
}

/// Returns true for a part of a path of a programming language: `std::a1::b`.
fn is_path(text: &str, start: usize, end: usize) -> bool {
    let (head, tail) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    head.ends_with("::") || tail.starts_with("::") || head.ends_with(in_word) || tail.starts_with(in_word)
}

/// Returns one spelling of an address; an IPv4 address is the same as its IPv6 form.
fn canonical(address: Ipv6Addr, word: &str) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) if word.contains('.') => v4.to_string(),
        _ => address.to_string(),
    }
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
