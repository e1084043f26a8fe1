//! CRE rules: any text becomes rules that compile, or is refused.

use gleaner::internals::cre;
use gleaner::internals::rule::Source;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let import = cre::import(&[Source { file: "cre.yaml".to_owned(), text: text.to_owned() }]);
    assert!(import.invalid.iter().all(|invalid| invalid.line > 0 && !invalid.message.is_empty()));
}
