//! Functions on IP addresses: `cidr_contains cidr_free`.
//!
//! An address is a number of 128 bits with its family; a [`Span`] is a range of addresses. Ranges are written as CIDR
//! (`10.0.0.0/24`), as `10.0.0.5-10.0.0.9` with an optional prefix length as in whereabouts, or as one address.

use crate::expr::check::shape::Kind;
use std::net::IpAddr;

use crate::expr::eval::arithmetic::number;
use crate::expr::eval::elements::is_list;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;
use crate::expr::functions::arguments::text_arg;
use crate::expr::functions::function::{Caller, Function, LENIENT, Parameter, Returns, STRICT, Takes};
use crate::model::message::{Operand, WantedValue, WrongValue};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "cidr_contains",
        parameters: &[
            Parameter::required("range", Takes::Text).checked(check),
            Parameter::required("address", Takes::Text),
        ],
        returns: Returns::Kind(Kind::Bool),
        doc: "whether the range contains the address, or all of another range",
        run: contains,
        options: STRICT.example("cidr_contains('10.0.0.0/8', address)"),
    },
    Function {
        name: "cidr_free",
        parameters: &[
            Parameter::required("range", Takes::Text).checked(check),
            Parameter::required("excludes", Takes::Anything),
            Parameter::required("used", Takes::Anything),
        ],
        returns: Returns::Kind(Kind::Number),
        doc: "number of usable addresses that are neither excluded nor used; `used` is a list of addresses, a map whose keys are addresses or offsets from the first one (as in whereabouts), or a number of addresses",
        run: free,
        options: LENIENT,
    },
];

/// Addresses of one family from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    is_v6: bool,
    first: u128,
    last: u128,
}

impl Span {
    /// Parses a range, including the addresses that a CIDR reserves for network and broadcast.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((first, rest)) = text.split_once('-') {
            let (last, length) = rest.split_once('/').map_or((rest, None), |(last, length)| (last, Some(length)));
            let (first, last) = (Self::one(first)?, Self::one(last)?);
            length.map_or(Some(()), |length| {
                length.trim().parse::<u32>().ok().filter(|n| *n <= first.bits()).map(drop)
            })?;
            let span = Self { last: last.last, ..first };
            return (first.is_v6 == last.is_v6 && span.first <= span.last).then_some(span);
        }
        let Some((address, length)) = text.split_once('/') else { return Self::one(text) };
        let (one, length) = (Self::one(address)?, length.parse::<u32>().ok()?);
        let host_bits = one.bits().checked_sub(length)?;
        // A shift by all 128 bits overflows.
        let hosts = 1_u128.checked_shl(host_bits).map_or(u128::MAX, |count| count - 1);
        Some(Self { first: one.first & !hosts, last: one.first | hosts, ..one })
    }

    fn one(text: &str) -> Option<Self> {
        let (is_v6, value) = match text.trim().parse::<IpAddr>().ok()? {
            IpAddr::V4(address) => (false, u128::from(u32::from(address))),
            IpAddr::V6(address) => (true, u128::from(address)),
        };
        Some(Self { is_v6, first: value, last: value })
    }

    fn bits(self) -> u32 {
        if self.is_v6 { 128 } else { 32 }
    }

    fn contains(self, other: Self) -> bool {
        self.is_v6 == other.is_v6 && self.first <= other.first && other.last <= self.last
    }

    /// Removes the first and the last address, which are reserved; spans of two or fewer are usable as a whole.
    fn usable(self) -> Self {
        if self.last - self.first < 2 { self } else { Self { first: self.first + 1, last: self.last - 1, ..self } }
    }

    fn overlap(self, other: Self) -> Option<Self> {
        let span = Self { first: self.first.max(other.first), last: self.last.min(other.last), ..self };
        (self.is_v6 == other.is_v6 && span.first <= span.last).then_some(span)
    }
}

fn span(text: &str) -> Result<Span, Stop> {
    let wrong = || Stop::is_no(Operand::text(text), WantedValue::AddressOrRange);
    Span::parse(text).ok_or_else(wrong)
}

/// Checks a constant range; `Err` has message and hint.
pub(super) fn check(range: &str) -> Result<(), (String, Option<String>)> {
    let hint = "write a range such as 10.0.0.0/24 or 10.0.0.5-10.0.0.9";
    Span::parse(range).map(drop).ok_or_else(|| (format!("'{range}' is no range of addresses"), Some(hint.to_owned())))
}

/// `cidr_contains(range, address)`: true if a range contains an address or another range.
pub(super) fn contains<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let (range, inner) = (span(text_arg(args, 0)?)?, span(text_arg(args, 1)?)?);
    Ok(Value::Bool(range.contains(inner)))
}

/// `cidr_free(range, excludes, used)`: counts usable addresses of a range that are neither excluded nor used.
pub(super) fn free<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [Value::Str(range), excludes, used] = args else {
        return match args {
            [Value::Null, ..] => Ok(Value::Null),
            _ => Err(Stop::wrong(WrongValue::CidrFreeTakesRanges)),
        };
    };
    let range_text = range.as_str();
    let whole = span(range_text)?;
    let usable = if range_text.contains('-') { whole } else { whole.usable() };
    let mut taken = Vec::new();
    for item in members(caller.world, excludes)? {
        taken.extend(usable.overlap(span(&item)?));
    }
    let free = count(usable) - covered(&mut taken);
    if let Value::Int(number) = used {
        return Ok(left(free - *number as f64));
    }
    let mut addresses = Vec::new();
    for item in members(caller.world, used)? {
        addresses.extend(usable.overlap(used_address(whole, &item)?));
    }
    taken.extend(addresses);
    Ok(left(count(usable) - covered(&mut taken)))
}

/// Returns 0 if more addresses are used than exist.
fn left<'a>(free: f64) -> Value<'a> {
    number(free.max(0.0))
}

/// Returns the texts of a list or names of a map; empty for null.
fn members<'a>(world: &'a World, value: &Value<'a>) -> Result<Vec<String>, Stop> {
    let is_list = is_list(value);
    if let Value::Str(text) = value {
        return Ok(vec![text.as_str().to_owned()]);
    }
    let mut texts = Vec::new();
    let mut wrong = None;
    member::visit(world, value, &mut |element| {
        let item = if is_list { &element.value } else { &element.key };
        match (item, item.as_str()) {
            (_, Some(text)) => texts.push(text.to_owned()),
            (Value::Null, _) => {}
            (other, _) => wrong = Some(Stop::is_no(other.describe(), WantedValue::Address)),
        }
        std::ops::ControlFlow::Continue(())
    })?;
    wrong.map_or(Ok(texts), Err)
}

/// Parses an address, or the distance from the first address of the network as whereabouts writes it.
fn used_address(range: Span, text: &str) -> Result<Span, Stop> {
    match text.parse::<u128>() {
        Ok(distance) => {
            let at = range.first.saturating_add(distance);
            Ok(Span { first: at, last: at, ..range })
        }
        Err(_) => span(text),
    }
}

/// Counts addresses; numbers above 2^53 are rounded to a double.
fn count(span: Span) -> f64 {
    (span.last - span.first) as f64 + 1.0
}

/// Counts addresses that the spans cover together.
fn covered(spans: &mut [Span]) -> f64 {
    spans.sort_unstable();
    let mut total = 0.0;
    let mut current: Option<Span> = None;
    for next in spans.iter().copied() {
        match &mut current {
            Some(open) if next.first <= open.last => open.last = open.last.max(next.last),
            _ => total += current.replace(next).map_or(0.0, count),
        }
    }
    total + current.map_or(0.0, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_in_every_form() {
        let show = |text: &str| Span::parse(text).map(|s| (s.is_v6, s.first, s.last));
        let four = |a: u8, b: u8| {
            (false, u128::from(u32::from_be_bytes([10, 0, 0, a])), u128::from(u32::from_be_bytes([10, 0, 0, b])))
        };
        for (text, span) in [
            ("10.0.0.7", Some(four(7, 7))),
            ("10.0.0.77/28", Some(four(64, 79))),
            ("10.0.0.5-10.0.0.9", Some(four(5, 9))),
            (" 10.0.0.5 - 10.0.0.9/24", Some(four(5, 9))),
            ("0.0.0.0/0", Some((false, 0, u128::from(u32::MAX)))),
            ("::/0", Some((true, 0, u128::MAX))),
            ("fd00::/127", Some((true, 0xfd00 << 112, (0xfd00 << 112) + 1))),
            ("10.0.0.9-10.0.0.5", None),
            ("10.0.0.5-::1", None),
            ("10.0.0.1-10.0.0.2/33", None),
            ("10.0.0.0/33", None),
            ("10.0.0/8", None),
            ("ten", None),
            ("", None),
        ] {
            assert_eq!(show(text), span, "{text}");
        }
    }

    #[test]
    fn spans_that_overlap_count_once() {
        let spans = |texts: &[&str]| texts.iter().filter_map(|t| Span::parse(t)).collect::<Vec<_>>();
        assert_eq!(covered(&mut spans(&["10.0.0.0/28", "10.0.0.8/30", "10.0.0.20", "10.0.0.16-10.0.0.20"])), 21.0);
        assert_eq!(covered(&mut spans(&[])), 0.0);
        assert_eq!(count(spans(&["::/0"])[0]), 2f64.powi(128));
    }
}
