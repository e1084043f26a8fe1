//! Reads the fields of a protobuf message without its schema: enough for the releases of Helm 2 and the reviews that kubectl posts.
//!
//! [`fields`] gives each field's number and [`Value`] in file order and stops at the first byte
//! that is invalid; it never recurses and never allocates.

/// Value of a field on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Any number or enum value, its bits as written.
    Number(u64),
    /// A string, a message or packed numbers.
    Bytes(&'a [u8]),
}

/// Error for a message that is truncated or not protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub usize);

/// Returns the fields of a message; an error is the last item.
pub fn fields(message: &[u8]) -> impl Iterator<Item = Result<(u64, Value<'_>), Malformed>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = message.len() - rest.len();
        let Some((number, value, behind)) = field(rest) else {
            rest = &[];
            return Some(Err(Malformed(at)));
        };
        rest = behind;
        Some(Ok((number, value)))
    })
}

/// Returns the numbers of a repeated field, packed or alone.
pub fn numbers(value: Value<'_>) -> Vec<u64> {
    let mut rest = match value {
        Value::Number(number) => return vec![number],
        Value::Bytes(bytes) => bytes,
    };
    let mut all = Vec::new();
    while let Some((number, behind)) = varint(rest) {
        all.push(number);
        rest = behind;
    }
    all
}

fn field(bytes: &[u8]) -> Option<(u64, Value<'_>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let (value, rest) = match tag & 7 {
        0 => varint(rest).map(|(number, rest)| (Value::Number(number), rest))?,
        1 => fixed::<8>(rest)?,
        2 => {
            let (length, rest) = varint(rest)?;
            let (body, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Value::Bytes(body), rest)
        }
        5 => fixed::<4>(rest)?,
        _ => return None,
    };
    Some((tag >> 3, value, rest))
}

fn fixed<const N: usize>(bytes: &[u8]) -> Option<(Value<'_>, &[u8])> {
    let (body, rest) = bytes.split_at_checked(N)?;
    let number = body.iter().rev().fold(0, |number, &byte| (number << 8) | u64::from(byte));
    Some((Value::Number(number), rest))
}

/// Parses a number of at most ten bytes, seven bits each.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (position, &byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * position);
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(position + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_wire_type() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let found: Result<Vec<_>, _> = fields(&message).collect();
        let expected =
            vec![(1, Value::Number(150)), (2, Value::Bytes(b"hi")), (3, Value::Number(1)), (4, Value::Number(2))];
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn stops_where_it_makes_no_sense() {
        for broken in [&[0x12u8, 9, b'x'][..], &[0x0b], &[0x80; 12], &[0x1d, 1]] {
            let found: Vec<_> = fields(broken).collect();
            assert_eq!(found, [Err(Malformed(0))], "{broken:?}");
        }
    }

    #[test]
    fn repeated_numbers_may_be_packed() {
        assert_eq!(numbers(Value::Bytes(&[1, 0x96, 0x01])), [1, 150]);
        assert_eq!(numbers(Value::Number(7)), [7]);
    }
}
