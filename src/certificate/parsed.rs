//! A parsed certificate.

use jiff::Timestamp;

/// Maximum number of certificates read from one text.
pub const MOST: usize = 2000;

/// Content of a certificate.
#[derive(Debug, Default, PartialEq)]
pub struct Certificate {
    /// Subject as openssl prints it: `O=example, CN=web`.
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
