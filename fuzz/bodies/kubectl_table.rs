//! Tables of kubectl: the first line is what was requested, the rest is the output.

use gleaner::internals::resource::IndexBuilder;
use gleaner::internals::resource::table::{kubectl_message, names, read_table};

/// Memory for a table and its rows.
const ROOM: u64 = 16 << 20;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Some((word, table)) = text.split_once('\n') else { return };
    assert!(names(table).all(|(_, name)| !name.is_empty() && !name.contains(char::is_whitespace)));
    let _ = (kubectl_message::first_error(table), kubectl_message::is_only_messages(table));
    let now = "2024-03-06T22:53:45Z".parse().ok();
    let mut builder = IndexBuilder::default();
    builder.add(read_table("rke2/kubectl/x".into(), word, table.as_bytes().to_vec(), now, ROOM));
    let (_, issues) = builder.finish();
    assert!(issues.iter().all(|issue| !issue.message.to_string().is_empty()));
}
