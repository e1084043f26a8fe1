//! Texts with several sections: these are in their order within the text, with the right lines.
//!
//! The first byte selects the format in which the text is read.

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::encoding::utf8;
use gleaner::internals::pipeline::heads::Heads;
use gleaner::internals::pipeline::sections::Sections;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Some((&form, text)) = bytes.split_first() else { return };
    let logs = form.is_multiple_of(2);
    let path = if logs { "cluster-info.dump.log" } else { "scc_n1_250210_0700/boot.txt" };
    let mut files = vec![(path.to_owned(), text.to_vec())];
    if !logs {
        let environment = b"#==[ Command ]===#\n# /bin/uname -a\nLinux n1\n".to_vec();
        files.push(("scc_n1_250210_0700/basic-environment.txt".to_owned(), environment));
    }
    let bundle = Bundle::from_memory("demo", files, Limits::default());
    let sections = Sections::read(&bundle, &Heads::read(&bundle), &|_| true);
    let text = utf8(text.to_vec());
    let entry = bundle.entries().iter().find(|entry| entry.path.ends_with(path.rsplit('/').next().expect("a name")));
    let lines = |from: usize, to: usize| text[from..to].iter().filter(|b| **b == b'\n').count() as u64;
    let mut before = 0;
    for section in entry.map_or(&[][..], |entry| sections.of(&entry.path)) {
        let (start, end) = (section.start as usize, (section.start + section.length) as usize);
        assert!(before <= start && start <= end && end <= text.len());
        // A heading at the end of the text has no line behind it.
        assert_eq!(section.line, lines(0, start) + 1 + u64::from(start > 0 && text[start - 1] != b'\n'));
        assert_eq!(section.lines, lines(start, end));
        assert!(!section.name.is_empty());
        before = end;
    }
    assert!(sections.issues.iter().all(|issue| !issue.message.to_string().is_empty()));
}
