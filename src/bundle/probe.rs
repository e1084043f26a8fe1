//! Detection of archives, for callers that search for bundles among arbitrary files.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::bundle::containers::detect::{self, Format};
use crate::bundle::containers::guard::Window;
use crate::bundle::containers::zip;
use crate::bundle::path;

/// Returns true if the file's content is an archive or compressed, including known formats that are not supported. The
/// name does not matter.
///
/// # Errors
/// If the file cannot be read.
pub fn is_archive(file: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    detect::read_head(&mut File::open(file)?, &mut head)?;
    Ok(match detect::sniff(&head) {
        // A self-extracting archive begins with a program.
        Format::Other => !detect::is_text(&head) && zip::is_at_end(Window::new(File::open(file)?)?),
        _ => true,
    })
}

/// Returns true if these first bytes are of an archive or a compressed file; does not detect self-extracting archives.
pub fn begins_as_archive(head: &[u8]) -> bool {
    detect::sniff(head) != Format::Other
}

/// Returns true if the file name is that of an archive; if the content is not, the archive is damaged.
pub fn is_named_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    path::without_ending(&name) != name || name.ends_with(".7z") || name.ends_with(".rar")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::tests::samples::zip;

    #[test]
    fn content_decides_and_a_name_is_a_promise() {
        let folder = tempfile::tempdir().unwrap();
        let is = |bytes: &[u8]| {
            let path = folder.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            is_archive(&path).unwrap()
        };
        let archive = zip(&[("a.yaml", b"x: 1\n")]);
        assert!(is(&archive));
        assert!(is(&[b"MZ\x01\x02 a program \x00\x03".as_slice(), &archive].concat()), "it unpacks itself");
        assert!(is(b"7z\xbc\xaf\x27\x1c rest"));
        assert!(!is(b"just text\n") && !is(b"") && !is(&[0; 64]));
        assert!(is_named_archive("A.ZIP") && is_named_archive("b.tar.gz") && is_named_archive("c.7z"));
        assert!(!is_named_archive("notes.txt") && !is_named_archive("zip") && !is_named_archive(".zip"));
    }
}
