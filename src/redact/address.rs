//! Finds addresses of networks in text: IPv4, IPv6, hardware addresses and rows of hexadecimal pairs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::public;

/// Most groups of an IPv6 address between colons, including empty ones.
const GROUPS: usize = 9;
/// Pairs of an EUI-48 and of an EUI-64, as World Wide Names are.
const MAC: usize = 6;
const WWN: usize = 8;
/// Rows that are hashes: MD5, SHA-1 (also the hardware addresses of InfiniBand). Longer ones are hashes, too.
const HASHES: [usize; 2] = [16, 20];
const LONGEST: usize = 20;

static PAIRS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5,}|(?:-[0-9A-Fa-f]{2}){5,})").ok());
static QUADS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}").ok());
static V6: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*").ok());
static V4: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{1,3}(?:\.\d{1,3}){3}").ok());
/// Subnets whose last number is left out: `10.0.0.*`, `10.0.0.x`, `10.0.0/24`.
static SUBNETS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\d{1,3}(?:\.\d{1,3}){2})(?:\.(?:\*|[xX]{1,3}\b)|/(?:[89]|[12]\d|3[0-2])\b)").ok());
/// `ip-10-0-0-1`, `ec2-54-1-2-3`, `10-42-0-7.default.pod`.
static DASHED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)((?:ip|ec2)-)?(\d{1,3}(?:[-_]\d{1,3}){3})").ok());
/// Sockets as the kernel lists them in `/proc/net/tcp`: the bytes of the address in reverse order, and the port.
static SOCKETS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b([0-9A-F]{8}):[0-9A-F]{4}\b").ok());

/// Address in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Bytes in the text.
    pub range: Range<usize>,
    /// `ip`, `mac`, `wwn` or `serial`.
    pub kind: &'static str,
    /// One spelling for all forms of an address.
    pub name: String,
}

/// Finds hardware addresses (`aa:bb:cc:dd:ee:ff`, `aa-bb-...`, `aabb.ccdd.eeff`), World Wide Names and identifiers of
/// DHCP clients, which contain a hardware address. Longer rows of pairs are hashes of keys.
pub fn hardware(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = matches(&PAIRS, text).filter_map(|range| row(text, range)).collect();
    found.extend(matches(&QUADS, text).filter(|range| is_alone(text, range)).filter_map(|range| {
        let digits = text.get(range.clone())?.replace('.', "");
        says(&digits).then(|| Found { range, kind: "mac", name: mac(&digits) })
    }));
    found.sort_by_key(|found| found.range.start);
    found
}

/// Recognises a row of pairs by their number; pairs that belong to a neighbouring word are left out.
fn row(text: &str, range: Range<usize>) -> Option<Found> {
    let bytes = text.as_bytes();
    let alphanumeric = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let start = if alphanumeric(range.start.checked_sub(1)) { range.start + 3 } else { range.start };
    let end = if alphanumeric(Some(range.end)) { range.end.checked_sub(3)? } else { range.end };
    let digits: String = text.get(start..end)?.chars().filter(char::is_ascii_hexdigit).collect();
    let pairs = digits.len() / 2;
    if !says(&digits) || !(MAC..LONGEST).contains(&pairs) || HASHES.contains(&pairs) {
        return None;
    }
    Some(match pairs {
        // The first pair of seven is the type of the hardware, in identifiers of DHCP clients.
        7 => Found { range: start + 3..end, kind: "mac", name: mac(digits.get(2..)?) },
        MAC => Found { range: start..end, kind: "mac", name: mac(&digits) },
        WWN => Found { range: start..end, kind: "wwn", name: digits.to_ascii_lowercase() },
        _ => Found { range: start..end, kind: "serial", name: digits.to_ascii_lowercase() },
    })
}

fn mac(digits: &str) -> String {
    let pairs = digits.as_bytes().chunks(2).map(|pair| String::from_utf8_lossy(pair).to_ascii_lowercase());
    pairs.collect::<Vec<_>>().join(":")
}

/// Returns false for addresses of nobody: all zeros, all ones.
fn says(digits: &str) -> bool {
    digits.bytes().any(|b| !matches!(b, b'0' | b'f' | b'F'))
}

/// Finds IPv6 addresses.
pub fn v6(text: &str) -> Vec<Found> {
    matches(&V6, text).flat_map(|range| v6_in(text, range)).collect()
}

/// Finds the addresses in a run that looks like an IPv6 address.
fn v6_in(text: &str, run: Range<usize>) -> Vec<Found> {
    let begin = run.start;
    let run = text.get(run).unwrap_or_default();
    let mut starts: Vec<usize> = std::iter::once(0).chain(run.match_indices(':').map(|(at, _)| at + 1)).collect();
    starts.push(run.len() + 1);
    let mut found = Vec::new();
    let (mut group, mut done) = (0, 0);
    while group + 1 < starts.len() {
        let from = starts.get(group).copied().unwrap_or(run.len());
        let longest = (group + 2..=(group + GROUPS).min(starts.len() - 1)).rev().find_map(|last| {
            let word = run.get(from..starts.get(last)?.checked_sub(1)?)?;
            let word = word.strip_suffix('.').unwrap_or(word);
            let range = begin + from..begin + from + word.len();
            let address: Ipv6Addr = word.parse().ok()?;
            let pairs = word.split(':').all(|pair| pair.len() == 2) && is_in_row(text, &range);
            let says = word.bytes().any(|b| b.is_ascii_digit()) && !is_path(text, &range) && !pairs;
            (says && from >= done).then_some((last, range, address))
        });
        match longest {
            Some((last, range, address)) if !public::is_public_address(address.into()) => {
                (done, group) = (range.end - begin, last);
                let name = canonical(address, text.get(range.clone()).unwrap_or_default());
                found.push(Found { range, kind: "ip", name });
            }
            Some((last, ..)) => group = last,
            None => group += 1,
        }
    }
    found
}

/// Finds IPv4 addresses, also with dashes where these cannot be anything else.
pub fn v4(text: &str) -> Vec<Found> {
    let dotted = matches(&V4, text).filter(|range| !is_version(text, range));
    let dotted = dotted.filter_map(|range| Some((v4_of(text.get(range.clone())?, '.')?, range)));
    let mut found: Vec<Found> = dotted.map(|(address, range)| of_v4(address, range)).collect();
    found.extend(dashed(text).chain(subnets(text)).chain(sockets(text)));
    found.sort_by_key(|found| found.range.start);
    found.retain(|found| !public::is_public_address(found.name.parse().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))));
    found
}

fn dashed(text: &str) -> impl Iterator<Item = Found> {
    let captures = DASHED.as_ref().into_iter().flat_map(|pattern| pattern.captures_iter(text));
    captures.filter_map(|captures| {
        let (whole, word) = (captures.get(0)?, captures.get(2)?);
        let separator = word.as_str().chars().find(|c| !c.is_ascii_digit())?;
        let address = v4_of(word.as_str(), separator)?;
        let marked = captures.get(1).is_some() || address.is_private();
        let is_prefix = captures.get(1).is_some_and(|prefix| prefix.as_str().eq_ignore_ascii_case("ip-"));
        let range = if is_prefix { whole.range() } else { word.range() };
        (marked && is_alone(text, &whole.range())).then(|| of_v4(address, range))
    })
}

fn subnets(text: &str) -> impl Iterator<Item = Found> {
    let captures = SUBNETS.as_ref().into_iter().flat_map(|pattern| pattern.captures_iter(text));
    let found = captures.filter_map(|captures| captures.get(1)).filter(|numbers| is_alone(text, &numbers.range()));
    found.filter_map(|numbers| Some(of_v4(v4_of(&format!("{}.0", numbers.as_str()), '.')?, numbers.range())))
}

fn sockets(text: &str) -> impl Iterator<Item = Found> {
    let captures = SOCKETS.as_ref().into_iter().flat_map(|pattern| pattern.captures_iter(text));
    captures.filter_map(|captures| captures.get(1)).filter_map(|digits| {
        let bytes = u32::from_str_radix(digits.as_str(), 16).ok()?.swap_bytes();
        Some(of_v4(Ipv4Addr::from_bits(bytes), digits.range()))
    })
}

fn of_v4(address: Ipv4Addr, range: Range<usize>) -> Found {
    Found { range, kind: "ip", name: address.to_string() }
}

/// Parses four numbers, also with leading zeros (`010.001.002.003`).
fn v4_of(word: &str, separator: char) -> Option<Ipv4Addr> {
    let parts: Vec<u8> = word.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let octets: [u8; 4] = parts.try_into().ok()?;
    Some(octets.into())
}

fn matches(pattern: &'static LazyLock<Option<Regex>>, text: &str) -> impl Iterator<Item = Range<usize>> {
    pattern.as_ref().into_iter().flat_map(move |pattern| pattern.find_iter(text)).map(|found| found.range())
}

/// Returns true if no letter, digit or part with dots or dashes goes on around a word.
fn is_alone(text: &str, range: &Range<usize>) -> bool {
    let goes_on = |mut beside: std::iter::Copied<&mut dyn Iterator<Item = &u8>>| match beside.next() {
        Some(b'.' | b'-' | b'_') => beside.next().is_some_and(|b| b.is_ascii_digit()),
        Some(b) => b.is_ascii_alphanumeric(),
        None => false,
    };
    let bytes = text.as_bytes();
    let before: &mut dyn Iterator<Item = &u8> = &mut bytes.iter().take(range.start).rev();
    let after: &mut dyn Iterator<Item = &u8> = &mut bytes.iter().skip(range.end);
    !goes_on(before.copied()) && !goes_on(after.copied())
}

/// Returns true if the text around a part continues with letters, digits or more pairs, as in hashes of keys
/// (`aa:bb:...`).
fn is_in_row(text: &str, range: &Range<usize>) -> bool {
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
    goes_on(bytes.iter().take(range.start).rev()) || goes_on(bytes.iter().skip(range.end))
}

/// Returns true if four numbers are a version: `v1.2.3.4`, `1.2.3.4.5`.
fn is_version(text: &str, range: &Range<usize>) -> bool {
    let mut before = text.get(..range.start).unwrap_or_default().chars().rev();
    let mut after = text.get(range.end..).unwrap_or_default().chars();
    let marked = match before.next() {
        Some('v' | 'V') => !before.next().is_some_and(char::is_alphanumeric),
        Some('.') => before.next().is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    };
    marked || (after.next() == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit()))
}

/// Returns true for a part of a path of a programming language: `std::a1::b`.
fn is_path(text: &str, range: &Range<usize>) -> bool {
    let (head, tail) = (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
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

/// Returns the other spellings of an address that a word of a log may be: with dashes or underscores, in hexadecimal
/// digits as in `/proc/net`, and in names of interfaces.
pub fn spellings(found: &Found) -> Vec<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match (found.kind, found.name.parse::<IpAddr>()) {
        (_, Ok(IpAddr::V4(v4))) => {
            let [a, b, c, d] = v4.octets();
            let (big, little) = (hex(&[a, b, c, d]), hex(&[d, c, b, a]));
            let dashed = ["-", "_"].map(|separator| found.name.replace('.', separator));
            dashed.into_iter().chain([format!("0x{big}"), big, little, format!("::ffff:{}", v4)]).collect()
        }
        (_, Ok(IpAddr::V6(v6))) => {
            let digits = hex(&v6.octets());
            let groups = v6.segments().map(|group| format!("{group:04x}")).join("-");
            let dashed = ["-", "_"].map(|separator| found.name.replace(':', separator));
            dashed.into_iter().chain([digits, groups]).collect()
        }
        ("mac", _) => {
            let digits = found.name.replace(':', "");
            let underlined = found.name.replace(':', "_");
            vec![format!("enx{digits}"), format!("wlx{digits}"), format!("0x{digits}"), underlined, digits]
        }
        ("wwn", _) => vec![format!("0x{}", found.name), found.name.clone()],
        _ => Vec::new(),
    }
}
