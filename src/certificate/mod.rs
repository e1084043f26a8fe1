//! What certificates say: in PEM, as `openssl x509 -text` prints them, in base64. They are read, not verified.

mod openssl;
mod x509;

use jiff::Timestamp;

use crate::model::decode_base64;

/// So many certificates of one text are read.
pub const MOST: usize = 2000;

/// How a certificate in PEM begins.
pub const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// What a certificate says.
#[derive(Debug, Default, PartialEq)]
pub struct Certificate {
    /// As openssl prints it: `O=example, CN=web`.
    pub subject: String,
    pub issuer: String,
    pub not_before: Option<Timestamp>,
    pub not_after: Option<Timestamp>,
    /// DNS names, addresses, mail addresses and URIs of the subject.
    pub names: Vec<String>,
    pub is_ca: bool,
    /// Hexadecimal, lower case, without leading zeros.
    pub serial: String,
}

/// The certificates of a text: PEM, what openssl prints, or PEM in base64 as `caBundle` has it. Of one that cannot be read
/// the reason; one more than [`MOST`] where there are more.
pub fn read(text: &str) -> Vec<Result<Certificate, String>> {
    if text.contains(BEGIN) {
        return blocks(text).take(MOST + 1).map(of_block).collect();
    }
    let printed = openssl::read(text);
    if !printed.is_empty() {
        return printed.into_iter().map(Ok).collect();
    }
    let decoded = decode_base64(text).and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded {
        Some(inner) if inner.contains(BEGIN) => blocks(&inner).take(MOST + 1).map(of_block).collect(),
        _ => Vec::new(),
    }
}

/// What stands between the marks.
fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split(BEGIN).skip(1).map(|rest| rest.split_once(END).map_or(rest, |(block, _)| block))
}

fn of_block(block: &str) -> Result<Certificate, String> {
    let bytes = decode_base64(block).ok_or("the certificate is no base64")?;
    x509::read(&bytes).map_err(|error| format!("the certificate cannot be read: {error}"))
}
