//! X.509 certificates in DER, parsed by crate x509-cert.

use std::net::IpAddr;

use jiff::Timestamp;
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::der::{Decode, Error};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, SubjectAltName};
use x509_cert::name::Name;
use x509_cert::time::Time;

use super::parsed::Certificate;

/// Attributes of names with the letters that openssl prints.
const ATTRIBUTES: [(&str, &str); 10] = [
    ("2.5.4.3", "CN"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "street"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
];

/// Reads one certificate; unusual serial numbers and times are accepted.
pub(super) fn parse_der(bytes: &[u8]) -> Result<Certificate, Error> {
    let certificate = CertificateInner::<Raw>::from_der(bytes)?;
    let own = certificate.tbs_certificate();
    let names = own.get_extension::<SubjectAltName>()?.map(|(_, names)| names.0).unwrap_or_default();
    let constraints = own.get_extension::<BasicConstraints>()?;
    let serial: String = own.serial_number().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Certificate {
        subject: distinguished(own.subject()),
        issuer: distinguished(own.issuer()),
        not_before: Some(time(own.validity().not_before)),
        not_after: Some(time(own.validity().not_after)),
        names: names.iter().filter_map(name).collect(),
        is_ca: constraints.is_some_and(|(_, constraints)| constraints.ca),
        serial: serial.trim_start_matches('0').to_owned(),
    })
}

/// Certificates that never expire name the last second of year 9999, which is a day too late for a [`Timestamp`].
fn time(time: Time) -> Timestamp {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}

fn distinguished(name: &Name) -> String {
    let parts = name.iter().map(|attribute| {
        let oid = attribute.oid.to_string();
        let letters = ATTRIBUTES.iter().find(|(number, _)| *number == oid).map_or(oid.as_str(), |(_, letters)| letters);
        format!("{letters}={}", String::from_utf8_lossy(attribute.value.value()))
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn name(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(text) | GeneralName::Rfc822Name(text) | GeneralName::UniformResourceIdentifier(text) => {
            Some(text.to_string())
        }
        GeneralName::IpAddress(bytes) => match bytes.as_bytes() {
            four if four.len() == 4 => <[u8; 4]>::try_from(four).ok().map(|ip| IpAddr::from(ip).to_string()),
            six => <[u8; 16]>::try_from(six).ok().map(|ip| IpAddr::from(ip).to_string()),
        },
        _ => None,
    }
}
