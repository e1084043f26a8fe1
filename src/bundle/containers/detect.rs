//! Detection of file formats by their first bytes, never by name: [`Format`].

use std::io::{self, Read};

use crate::bundle::containers::packing::Packing;
use crate::bundle::path::is_text_name;

/// Number of first bytes that detection needs: a tar header has 512.
pub(crate) const HEAD: usize = 4096;

/// Size of a tar header.
const BLOCK: usize = 512;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Zip,
    Tar,
    /// Compressed file, often a tar; expansion shows its content.
    Packed(Packing),
    SevenZip,
    Rar,
    /// None of these formats.
    Other,
}

impl Format {
    /// Returns true if the file has members that can be listed.
    pub fn is_archive(self) -> bool {
        matches!(self, Self::Zip | Self::Tar | Self::Packed(_))
    }

    /// Returns true for an archive in a known format that is not supported.
    pub fn is_unread(self) -> bool {
        matches!(self, Self::SevenZip | Self::Rar)
    }

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Packed(packing) => packing.name(),
            Self::SevenZip => "7z",
            Self::Rar => "rar",
            Self::Other => "unknown",
        }
    }
}

/// Reads the first bytes of `reader`, as many as [`sniff`] needs.
///
/// # Errors
/// If `reader` fails; `head` then holds the bytes before the failure.
pub(crate) fn read_head(reader: &mut dyn Read, head: &mut Vec<u8>) -> io::Result<()> {
    // A buffer that grows from nothing would ask for 32 bytes first, and eight times.
    head.reserve(HEAD);
    reader.take(HEAD as u64).read_to_end(head).map(|_| ())
}

/// Detects the format from up to [`HEAD`] first bytes.
pub(crate) fn sniff(head: &[u8]) -> Format {
    const MAGIC: [(&[u8], Format); 9] = [
        (b"PK\x03\x04", Format::Zip),
        (b"PK\x05\x06", Format::Zip),
        (b"PK\x07\x08PK\x03\x04", Format::Zip),
        (b"\xfd7zXZ\0", Format::Packed(Packing::Xz)),
        (b"BZh", Format::Packed(Packing::Bzip2)),
        (b"\x28\xb5\x2f\xfd", Format::Packed(Packing::Zstd)),
        (b"7z\xbc\xaf\x27\x1c", Format::SevenZip),
        (b"Rar!\x1a\x07", Format::Rar),
        (b"\x1f\x8b\x08", Format::Packed(Packing::Gzip)),
    ];
    match MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        Some((_, format)) => *format,
        None if is_tar(head) => Format::Tar,
        None => Format::Other,
    }
}

/// Same as [`sniff`], but a file with a text name may be compressed text and is never an archive: a zip named `.yaml`
/// is a broken dump.
pub(crate) fn sniff_named(head: &[u8], name: &str) -> Format {
    match sniff(head) {
        format @ (Format::Packed(_) | Format::Other) => format,
        _ if is_text_name(name) => Format::Other,
        format => format,
    }
}

/// Returns true for a header with a valid checksum; the oldest tar format has no `ustar`.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.get(..BLOCK) else { return false };
    let Some(stated) = header.get(148..156).and_then(octal) else { return false };
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let blank = 8 * u32::from(b' ');
    let found = sum(header) - header.get(148..156).map_or(0, sum) + blank;
    stated != blank && found == stated
}

fn octal(field: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(field).ok()?;
    u32::from_str_radix(text.trim_matches(|c| c == ' ' || c == '\0'), 8).ok()
}

/// Returns true if a file with these first bytes may be a dump or a log. Logs can contain zero bytes after a power
/// loss and garbage from programs; other formats have a signature or many control characters.
pub(crate) fn is_text(head: &[u8]) -> bool {
    const BINARY: [&[u8]; 8] =
        [b"\x7fELF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"MZ", b"SQLite", b"\xd0\xcf\x11\xe0"];
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return true;
    }
    let control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\0' | b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let told = head.iter().any(|byte| !byte.is_ascii_whitespace() && *byte != 0);
    told && head.iter().filter(control).count() * 50 < head.len() && !BINARY.iter().any(|magic| head.starts_with(magic))
}

/// Returns true if the text begins like HTML or another markup document.
pub(crate) fn is_markup(head: &[u8]) -> bool {
    let mut text = head.iter().skip_while(|byte| byte.is_ascii_whitespace());
    // `<6>[    0.000000] Linux version` is a line of the kernel.
    text.next() == Some(&b'<') && text.next().is_none_or(|byte| !byte.is_ascii_digit())
}

/// Describes bytes that are neither archive nor dump nor log, for an error message.
pub(crate) fn looks_like(head: &[u8]) -> String {
    let head = head.get(..head.len().min(BLOCK)).unwrap_or(head);
    if is_markup(head) {
        "html or xml, perhaps an error page that was saved instead of the bundle".into()
    } else if head.iter().all(|byte| *byte == 0) {
        "nothing but zero bytes, a download that never finished".into()
    } else if head.iter().all(u8::is_ascii_whitespace) {
        "blank".into()
    } else {
        let bytes: Vec<String> = head.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("unknown binary data ({})", bytes.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::tests::samples::{PACKERS, old_tar_header, tar, zip};

    #[test]
    fn containers_are_recognised_by_content() {
        let files = [("a/b.yaml", &b"x: 1\n"[..])];
        assert_eq!(sniff(&zip(&files)), Format::Zip);
        assert_eq!(sniff(&tar(&files)), Format::Tar);
        for (packing, pack) in PACKERS {
            assert_eq!(sniff(&pack(&tar(&files))), Format::Packed(packing));
        }
        assert_eq!(sniff(b""), Format::Other);
    }

    #[test]
    fn old_tar_without_magic_is_tar_and_blank_blocks_are_not() {
        let mut header = old_tar_header("x");
        assert_eq!(sniff(&header), Format::Tar);
        if let Some(byte) = header.first_mut() {
            *byte = b'y';
        }
        assert_eq!(sniff(&header), Format::Other);
        assert_eq!(sniff(&[0; 1024]), Format::Other);
        assert_eq!(sniff(&[b' '; 1024]), Format::Other);
    }

    #[test]
    fn head_of_something_else_is_described() {
        assert!(looks_like(b"<!DOCTYPE html>").starts_with("html"));
        assert_eq!(looks_like(b" \n"), "blank");
        assert!(looks_like(&[0; 64]).starts_with("nothing but zero"));
        assert_eq!(looks_like(&[0x7f, b'E', 0, 1]), "unknown binary data (7f 45 00 01)");
    }

    #[test]
    fn logs_with_garbage_are_text_and_pictures_are_not() {
        let lost_power = [b"Mar  6 10:15:30 n1 kernel: ok\n".as_slice(), &[0; 400]].concat();
        for text in [b"a: 1\n".as_slice(), &lost_power, b"\x1b[31mred\x1b[0m \xff\xfe\n", b"\xff\xfea\0:\0"] {
            assert!(is_text(text), "{text:?}");
        }
        for other in [b"\x89PNG\r\n".as_slice(), b"\xff\xd8\xff\xe0 JFIF", &[0; 64], b" \n", b"\x01\x02\x03abc"] {
            assert!(!is_text(other), "{other:?}");
        }
    }
}
