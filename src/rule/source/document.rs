//! Finds the one YAML document of a file.

use crate::rule::error::{Code, Diagnostics};
use crate::rule::source::yaml_pitfalls;
use crate::yaml::{Document, Node, Problem};

/// Returns the only document of a file. `single` is the message for several documents, `expected` that for an empty
/// file.
pub fn only_root<'d>(
    diagnostics: &mut Diagnostics,
    document: &'d Document,
    problems: &[Problem],
    single: &str,
    expected: &str,
) -> Option<Node<'d>> {
    let mut broken = problems.iter().filter(|problem| !problem.is_repetition()).peekable();
    let is_broken = broken.peek().is_some();
    for problem in broken {
        yaml_pitfalls::syntax(diagnostics, problem);
    }
    let roots: Vec<Node<'_>> = document.roots().collect();
    match roots.as_slice() {
        _ if is_broken => None,
        [root] if !root.is_null() => Some(*root),
        [_, second, ..] => {
            let range = second.offset()..second.offset() + 1;
            diagnostics.report(Code::Shape, range, single).hint("write each rule in its own file");
            None
        }
        _ => {
            diagnostics.report(Code::Shape, 0..0, format!("the file is empty; {expected}"));
            None
        }
    }
}
