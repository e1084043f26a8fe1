//! Names of entries, one a line: none may lead out of the bundle, whatever it looks like.

use gleaner::internals::bundle::{Bundle, Limits};

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Ok(names) = std::str::from_utf8(bytes) else { return };
    let files = names.split('\n').map(|name| (name.to_owned(), b"x".to_vec())).collect();
    let bundle = Bundle::from_memory("fuzz", files, Limits::default());
    let paths: Vec<&str> = bundle.entries().iter().map(|entry| &*entry.path).collect();
    assert!(paths.is_sorted(), "{paths:?}");
    for entry in bundle.entries() {
        for path in [&entry.path, &entry.logical] {
            let whole = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            assert!(whole && !path.contains('\\') && !path.contains(char::is_control), "{path:?}");
        }
    }
}
