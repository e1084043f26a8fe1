//! The little of protobuf that reviews need: fields of a message that hold bytes.

use crate::model::protobuf::{Value, fields};

/// What Kubernetes writes before its messages.
const MAGIC: &[u8] = b"k8s\0";

/// Returns the object in the envelope of Kubernetes (`runtime.Unknown`, field 2).
pub fn unwrapped(body: &[u8]) -> Option<&[u8]> {
    field(body.strip_prefix(MAGIC)?, 2)
}

/// Returns the bytes of a field, if the message is whole up to it.
pub fn field(message: &[u8], wanted: u64) -> Option<&[u8]> {
    let mut whole = fields(message).map_while(Result::ok);
    whole.find_map(|(number, value)| match value {
        Value::Bytes(bytes) if number == wanted => Some(bytes),
        Value::Bytes(_) | Value::Number(_) => None,
    })
}

/// Returns the text of a field; the empty one if it is absent.
pub fn text(message: &[u8], wanted: u64) -> String {
    String::from_utf8_lossy(field(message, wanted).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_bytes_are_found() {
        // 1: varint 150, 2: "ab", 3: fixed32, 4: "c"
        let message = b"\x08\x96\x01\x12\x02ab\x1d\0\0\0\0\x22\x01c";
        assert_eq!(
            (field(message, 2), field(message, 4), field(message, 5)),
            (Some(&b"ab"[..]), Some(&b"c"[..]), None)
        );
        assert_eq!(text(message, 4), "c");
        for cut in 0..message.len() {
            field(&message[..cut], 9);
        }
        assert_eq!(field(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 2), None);
        assert_eq!(field(b"\x12\x05ab", 2), None);
        assert_eq!(unwrapped(b"k8s\0\x12\x01x"), Some(&b"x"[..]));
        assert_eq!(unwrapped(b"{}"), None);
    }
}
