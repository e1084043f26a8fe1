//! CRE rules: any text becomes rules that compile, or is refused.

#![no_main]

use gleaner::internals::cre;
use gleaner::internals::rule::Source;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let import = cre::import(&[Source { file: "cre.yaml".to_owned(), text: text.to_owned() }]);
    assert!(import.invalid.iter().all(|invalid| invalid.line > 0 && !invalid.message.is_empty()));
});
