//! Lines in a log that are no messages: the help that a program prints after a wrong command, and source code that somebody searched.

use memchr::memchr;

/// Bytes in which the path before a line of source code ends.
const LONGEST_PATH: usize = 256;
/// Endings of the names of files with source code.
const SOURCES: [&[u8]; 16] = [
    b".c", b".cc", b".cpp", b".go", b".h", b".java", b".js", b".md", b".proto", b".py", b".rs", b".sh", b".toml",
    b".ts", b".yaml", b".yml",
];

/// Returns true for an option in the help of a program: `      --profiling   If true ...`, `  -h, --help   ...`.
pub(super) fn is_option(message: &[u8]) -> bool {
    let option = message.trim_ascii_start();
    let long = match option {
        [b'-', sign, b',', b' ', rest @ ..] if sign.is_ascii_alphanumeric() => rest,
        _ => option,
    };
    let is_long = matches!(long, [b'-', b'-', sign, ..] if sign.is_ascii_lowercase());
    option.len() < message.len() && is_long
}

/// Returns true for a line that `grep -r` found in source code: `src/pkg/main.go:12:\treturn err`. Programs put a blank between the place in their code
/// and a message.
pub(super) fn is_source(line: &[u8]) -> bool {
    let head = line.get(..LONGEST_PATH).unwrap_or(line);
    let Some(end) = memchr(b':', head) else { return false };
    let (path, rest) = line.split_at(end);
    let is_path = !path.starts_with(b"/") && path.contains(&b'/') && !path.contains(&b' ');
    let behind = rest.get(1..).unwrap_or_default();
    let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let code = match behind.get(digits) {
        Some(b':') if digits > 0 => behind.get(digits + 1..).unwrap_or_default(),
        _ => behind,
    };
    let is_code = !matches!(code, [b' ', next, ..] if *next != b' ');
    is_path && is_code && SOURCES.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_indented() {
        for line in ["      --profiling   If true, errors are fatal", "  -h, --help   show errors", "\t--a-b\tx"] {
            assert!(is_option(line.as_bytes()), "{line}");
        }
        for line in ["--profiling failed", "  failed", "  - failed", "  -- failed", ""] {
            assert!(!is_option(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn code_follows_its_path_at_once() {
        for line in ["src/a/b.go:\tlog.Fatal(err)", "pkg/b.py:12:    raise Error", "docs/a.md:3:An error", "a/b.rs:7:"]
        {
            assert!(is_source(line.as_bytes()), "{line}");
        }
        for line in [
            "main.go:12: cannot open",
            "pkg/main.go:12: cannot open",
            "/go/src/main.go:12:x failed",
            "a/b: failed",
            "GET a/b.go:12:x",
            "failed",
        ] {
            assert!(!is_source(line.as_bytes()), "{line}");
        }
    }
}
