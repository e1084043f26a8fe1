//! A page taken apart: fenced blocks with their info strings, and tables.

use std::fs;
use std::path::{Path, PathBuf};

/// A page of documentation.
pub struct Page {
    pub text: String,
    pub blocks: Vec<Block>,
    pub tables: Vec<Table>,
}

/// A fenced block.
pub struct Block {
    /// Info string after the fence.
    pub info: String,
    pub text: String,
    /// 1-based line of the fence.
    pub line: usize,
}

/// A table without its ruler.
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// A path relative to the root of the project.
pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The pages for readers: those of the root, of docs/ and of deploy/release, without those of rules; sorted.
pub fn pages() -> Vec<String> {
    let markdown = |folder: &str| {
        let names = fs::read_dir(root(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{prefix}{name}")).collect::<Vec<_>>()
    };
    let mut pages: Vec<String> = ["", "docs", "deploy/release"].iter().flat_map(|folder| markdown(folder)).collect();
    pages.sort();
    pages
}

impl Page {
    /// Reads a page; the path is relative to the root of the project.
    pub fn read(path: &str) -> Self {
        let text = fs::read_to_string(root(path)).unwrap();
        let (blocks, prose) = split(&text);
        Self { tables: tables(&prose), text, blocks }
    }

    /// The tables with that head.
    pub fn tables(&self, head: &[&str]) -> Vec<&Table> {
        let found: Vec<&Table> = self.tables.iter().filter(|table| table.head == head).collect();
        assert!(!found.is_empty(), "no table has the head {head:?}");
        found
    }

    /// The one table with that head.
    pub fn table(&self, head: &[&str]) -> &Table {
        let found = self.tables(head);
        assert_eq!(found.len(), 1, "tables with the head {head:?}");
        found[0]
    }

    /// Blocks whose info begins with these words.
    pub fn blocks(&self, info: &str) -> Vec<&Block> {
        let found: Vec<&Block> = self.blocks.iter().filter(|block| block.is(info)).collect();
        assert!(!found.is_empty(), "no block is a {info}");
        found
    }
}

impl Block {
    /// Returns true if the info string begins with these words.
    pub fn is(&self, info: &str) -> bool {
        self.info == info || self.info.strip_prefix(info).is_some_and(|rest| rest.starts_with(' '))
    }

    /// Returns the rest of the info string after these words.
    pub fn beyond(&self, info: &str) -> Option<&str> {
        self.info.strip_prefix(info).map(str::trim).filter(|rest| !rest.is_empty())
    }
}

/// Blocks, and the lines outside them.
fn split(text: &str) -> (Vec<Block>, Vec<String>) {
    let (mut blocks, mut prose): (Vec<Block>, Vec<String>) = (Vec::new(), Vec::new());
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block { info: info.trim().to_owned(), text: String::new(), line: number + 1 })
            }
            (None, None) => prose.push(line.to_owned()),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    (blocks, prose)
}

fn tables(prose: &[String]) -> Vec<Table> {
    let mut found = Vec::new();
    for lines in prose.split(|line| !line.starts_with('|')).filter(|lines| lines.len() > 1) {
        let mut rows = lines.iter().map(|line| cells(line));
        let head = rows.next().unwrap();
        assert!(rows.next().unwrap().iter().all(|cell| cell == "---"), "a table has no ruler: {head:?}");
        let rows: Vec<Vec<String>> = rows.collect();
        rows.iter().for_each(|row| assert_eq!(row.len(), head.len(), "{row:?}"));
        found.push(Table { head, rows });
    }
    found
}

/// Cells of `| a | b |`; `\|` is a bar.
fn cells(line: &str) -> Vec<String> {
    let bare = line.replace("\\|", "\0");
    let inside = bare.trim().strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).expect("a table row ends in |");
    inside.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Returns the texts in backticks.
pub fn codes(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the only text in backticks of a cell.
pub fn code(cell: &str) -> &str {
    let inside = cell.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inside.unwrap_or_else(|| panic!("not in backticks: {cell}"))
}
