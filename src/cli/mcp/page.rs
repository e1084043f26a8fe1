//! Answers of bounded size: whole items, and a cursor for the rest.

/// Bytes of an answer. Clients cut at 25,000 tokens or earlier, at places of their own.
pub const MAX_BYTES: usize = 16 << 10;

/// Bytes for what stands around the items.
const AROUND: usize = 512;

/// Place where a page begins: an item, and a line of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    item: usize,
    line: usize,
}

impl Cursor {
    /// Parses `12` or `12.40`.
    pub fn parse(text: &str) -> Option<Self> {
        let (item, line) = text.split_once('.').unwrap_or((text, "0"));
        Some(Self { item: item.parse().ok()?, line: line.parse().ok()? })
    }

    fn text(self) -> String {
        if self.line == 0 { self.item.to_string() } else { format!("{}.{}", self.item, self.line) }
    }
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub text: String,
    /// Cursor of the next part.
    pub next: Option<String>,
}

/// Returns the items from a place on that fit. An item that alone does not fit is divided between lines, and a line that
/// does not fit is cut.
pub fn page(items: &[String], from: Cursor) -> Page {
    let most = MAX_BYTES - AROUND;
    let mut text = String::new();
    let mut line = from.line;
    for (index, item) in items.iter().enumerate().skip(from.item) {
        let rest: Vec<&str> = item.lines().skip(line).collect();
        let size: usize = rest.iter().map(|line| line.len() + 1).sum();
        if text.len() + size > most {
            let next = if text.is_empty() {
                line += append(&mut text, &rest, most);
                if line < item.lines().count() {
                    Cursor { item: index, line }
                } else {
                    Cursor { item: index + 1, line: 0 }
                }
            } else {
                Cursor { item: index, line }
            };
            let next = (next.item < items.len()).then(|| next.text());
            return Page { text, next };
        }
        rest.iter().for_each(|line| push(&mut text, line));
        line = 0;
    }
    Page { text, next: None }
}

/// Appends the lines that fit, at least one; returns their number.
fn append(text: &mut String, lines: &[&str], most: usize) -> usize {
    for (index, line) in lines.iter().enumerate() {
        if text.len() + line.len() + 1 > most {
            if index > 0 {
                return index;
            }
            push(text, &format!("{} ... (cut)", line.get(..line.floor_char_boundary(most - 16)).unwrap_or_default()));
            return 1;
        }
        push(text, line);
    }
    lines.len()
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
