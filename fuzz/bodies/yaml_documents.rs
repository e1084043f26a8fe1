//! Dumps: reading, mending and showing any text ends without a panic, and secrets stay out of excerpts.

use gleaner::internals::yaml::normalise::{Dialect, normalise};
use gleaner::internals::yaml::{self, Document, Node};

/// Excerpts of more nodes only cost time.
const MOST_NODES: usize = 2000;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    for dialect in [Dialect::Kit, Dialect::Plain] {
        let (mut document, _) = yaml::parse(bytes.to_vec());
        normalise(&mut document, dialect);
        let mut left = MOST_NODES;
        document.roots().for_each(|root| walk(&document, root, &mut left));
        for range in document.secret_ranges() {
            assert!(document.text().get(range.clone()).is_some(), "{range:?} is no part of the text");
        }
    }
}

fn walk(document: &Document, node: Node<'_>, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let excerpt = document.excerpt(node, 2);
    assert_eq!(excerpt.iter().filter(|line| line.hit && line.line == node.line()).count(), 1);
    assert!(excerpt.iter().all(|line| !line.text.contains('\n') && line.text.chars().count() <= 402));
    let _ = (node.as_i64(), node.as_f64(), node.as_bool(), node.text(), node.is_secret());
    let entries = node.entry_nodes().map(|(_, value)| value);
    let children: Vec<Node<'_>> = entries.chain(node.items()).collect();
    assert_eq!(children.len(), node.len());
    children.into_iter().for_each(|child| walk(document, child, left));
}
