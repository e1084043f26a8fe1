//! Certificates in PEM, in the output of `openssl x509 -text`, or in base64. They are parsed, not verified.

mod openssl;
mod parsed;
mod x509;

use crate::model::decode_base64;
pub use parsed::{Certificate, MOST};

/// First line of a certificate in PEM.
pub const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// Reads the certificates in a text: PEM, output of openssl, or PEM in base64 as in `caBundle`. An unreadable one gives
/// the reason. The result has one more than [`MOST`] if there are more.
pub fn read_certificates(text: &str) -> Vec<Result<Certificate, String>> {
    if text.contains(BEGIN) {
        return blocks(text).take(MOST + 1).map(of_block).collect();
    }
    let printed = openssl::parse_printed(text);
    if !printed.is_empty() {
        return printed.into_iter().map(Ok).collect();
    }
    let decoded = decode_base64(text).and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded {
        Some(inner) if inner.contains(BEGIN) => blocks(&inner).take(MOST + 1).map(of_block).collect(),
        _ => Vec::new(),
    }
}

/// Returns the texts between the PEM markers.
fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split(BEGIN).skip(1).map(|rest| rest.split_once(END).map_or(rest, |(block, _)| block))
}

fn of_block(block: &str) -> Result<Certificate, String> {
    let bytes = decode_base64(block).ok_or("the certificate is no base64")?;
    x509::parse_der(&bytes).map_err(|error| format!("the certificate cannot be read: {error}"))
}
