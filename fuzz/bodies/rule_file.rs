//! Rule files and files of known lines: any text is accepted or gives errors that can be shown.

use gleaner::internals::rule::{Source, Streams, check_known_lines, compile, load};
use std::sync::OnceLock;

static STREAMS: OnceLock<Streams> = OnceLock::new();

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let streams = STREAMS.get_or_init(|| Streams::parse(load::embedded().streams).unwrap());
    let source = Source { file: "rules/fuzz/a.yaml".to_owned(), text: text.to_owned() };
    let (_, wrong) = check_known_lines(&[source.file.clone()].into(), std::slice::from_ref(&source));
    assert!(wrong.iter().all(|error| !error.to_string().is_empty()));
    if let Err(errors) = compile(vec![source], streams) {
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|error| !error.to_string().is_empty()));
    }
}
