//! Output of `openssl x509 -text`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::parsed::{Certificate, MOST};

/// Reads the certificates in a text, one for each line `Certificate:`.
pub(super) fn parse_printed(text: &str) -> Vec<Certificate> {
    let mut found: Vec<Certificate> = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line == "Certificate:" {
            if found.len() > MOST {
                break;
            }
            found.push(Certificate::default());
            continue;
        }
        let Some(certificate) = found.last_mut() else { continue };
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match name.trim() {
            "Issuer" => certificate.issuer = distinguished(value),
            "Subject" => certificate.subject = distinguished(value),
            "Not Before" => certificate.not_before = time(value),
            "Not After" => certificate.not_after = time(value),
            // A long number is on the next line, in pairs of digits.
            "Serial Number" if value.is_empty() => {
                certificate.serial = pairs(lines.peek().copied().unwrap_or_default())
            }
            "Serial Number" => certificate.serial = short(value),
            "X509v3 Subject Alternative Name" => certificate.names = names(lines.peek().copied().unwrap_or_default()),
            "CA" => certificate.is_ca = value.starts_with("TRUE"),
            _ => {}
        }
    }
    found
}

/// Older versions write `CN = x`, newer ones `CN=x`.
fn distinguished(value: &str) -> String {
    let parts = value.split(", ").map(|part| match part.split_once('=') {
        Some((name, value)) => format!("{}={}", name.trim(), value.trim()),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// `Mar  2 09:00:00 2024 GMT`.
fn time(value: &str) -> Option<Timestamp> {
    let words: Vec<&str> = value.split_whitespace().take_while(|word| *word != "GMT").collect();
    let time = DateTime::strptime("%b %d %H:%M:%S %Y", words.join(" ")).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn pairs(line: &str) -> String {
    line.split(':')
        .flat_map(str::chars)
        .filter(char::is_ascii_hexdigit)
        .collect::<String>()
        .to_lowercase()
        .trim_start_matches('0')
        .to_owned()
}

/// `4660 (0x1234)`.
fn short(value: &str) -> String {
    let hex = value.split_once("(0x").map_or("", |(_, rest)| rest.trim_end_matches(')'));
    hex.to_lowercase().trim_start_matches('0').to_owned()
}

/// `DNS:web, IP Address:10.0.0.1`.
fn names(line: &str) -> Vec<String> {
    let names = line.split(", ").filter_map(|part| match part.split_once(':')? {
        ("IP Address", address) => {
            Some(address.parse::<std::net::IpAddr>().map_or_else(|_| address.to_owned(), |ip| ip.to_string()))
        }
        ("DNS" | "URI" | "email", name) => Some(name.to_owned()),
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_openssl() {
        let text = "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number:\n            00:9a:Bc:01\n        Issuer: CN = demo-ca, O = Example\n        Validity\n            Not Before: Mar  2 09:00:00 2024 GMT\n            Not After : Mar  2 09:00:00 2025 GMT\n        Subject: O=system:masters, CN=admin\n        X509v3 extensions:\n            X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0\n            X509v3 Subject Alternative Name: \n                DNS:web, DNS:*.example.org, IP Address:0:0:0:0:0:0:0:1, email:a@b\nCertificate:\n        Serial Number: 4660 (0x1234)\n        Subject: CN=other\n";
        let time = |text: &str| text.parse().ok();
        let expected = [
            Certificate {
                subject: "O=system:masters, CN=admin".to_owned(),
                issuer: "CN=demo-ca, O=Example".to_owned(),
                not_before: time("2024-03-02T09:00:00Z"),
                not_after: time("2025-03-02T09:00:00Z"),
                names: ["web", "*.example.org", "::1", "a@b"].map(str::to_owned).into(),
                is_ca: true,
                serial: "9abc01".to_owned(),
            },
            Certificate { subject: "CN=other".to_owned(), serial: "1234".to_owned(), ..Certificate::default() },
        ];
        assert_eq!(parse_printed(text), expected);
        assert!(parse_printed("Subject: CN=x\n").is_empty());
    }
}
