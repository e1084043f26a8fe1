//! The Markdown page in Jira's wiki markup, so that both say the same. A comment of Jira takes 32,767 characters.
//!
//! Markup: <https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all>.

mod escape;

use std::io::{self, Write};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::audience::Audience;
use super::lexicon::{Lexicon, phrase};
use super::{markdown, words};
use crate::model::Analysis;

/// Most characters of a comment. Characters outside of the Basic Multilingual Plane count twice in Jira.
const COMMENT: usize = 32_767;
/// Size in bytes of the Markdown page that is rewritten: markup grows by escapes.
const PAGE: usize = 28_000;

/// Writes the page.
///
/// # Errors
/// Errors of the writer.
pub fn write(analysis: &Analysis, audience: Audience, out: &mut dyn Write) -> io::Result<()> {
    let page = from_markdown(&markdown::page(analysis, audience, PAGE));
    out.write_all(fitting(&page, Lexicon::of(analysis.lang)).as_bytes())
}

/// Cuts a page at the end of a block, so that it fits into a comment, and counts the blocks left out.
fn fitting(blocks: &[String], t: Lexicon) -> String {
    let length = |text: &str| text.encode_utf16().count();
    let note = |left_out: usize| match left_out {
        0 => String::new(),
        n => format!("\n{}\n", t.fill(phrase::AndMoreInTheReport { n: &words::number(n as u64) })),
    };
    let room = COMMENT - length(&note(blocks.len().max(1)));
    let ends = blocks.iter().scan(0, |end, block| {
        *end += length(block) + 1;
        Some(*end)
    });
    let shown = ends.take_while(|end| *end <= room).count();
    blocks.get(..shown).unwrap_or_default().join("\n") + &note(blocks.len() - shown)
}

/// Rewrites Markdown as [`markdown`] writes it: headings, paragraphs, lists, emphasis, code, links, rulers. Returns the
/// blocks of the page, each with its line end.
pub fn from_markdown(markdown: &str) -> Vec<String> {
    let mut page = Page::default();
    Parser::new(markdown).for_each(|event| page.add(event));
    page.blocks
}

/// The blocks read so far.
#[derive(Default)]
struct Page {
    blocks: Vec<String>,
    block: String,
    /// Marks of the lists around this point, from the outside: `#*`.
    lists: String,
    /// Code of the block that is open.
    code: Option<String>,
    is_link: bool,
}

impl Page {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            // An address is shown once.
            Event::Text(_) if self.is_link => {}
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.block.push_str(&escape::text(&text, opens_line(&self.block))),
            },
            Event::Code(text) => {
                self.block.push_str("{{");
                self.block.push_str(&escape::text(&text, false));
                self.block.push_str("}}");
            }
            Event::SoftBreak | Event::HardBreak => self.block.push('\n'),
            Event::Rule => {
                self.block.push_str("----");
                self.close();
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.block.push_str(&format!("{level}. ")),
            Tag::List(first) => {
                self.end_line();
                self.lists.push(if first.is_some() { '#' } else { '*' });
            }
            Tag::Item => self.block.push_str(&format!("{} ", self.lists)),
            Tag::Strong => self.block.push('*'),
            Tag::Link { dest_url, .. } => {
                self.block.push_str(&format!("[{dest_url}]"));
                self.is_link = true;
            }
            Tag::CodeBlock(kind) => {
                self.end_line();
                self.block.push_str(match kind {
                    CodeBlockKind::Fenced(language) if &**language == "sh" => "{code:bash}\n",
                    _ => "{noformat}\n",
                });
                self.code = Some(String::new());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.block.push('*'),
            TagEnd::Link => self.is_link = false,
            TagEnd::Item => self.end_line(),
            TagEnd::CodeBlock => {
                let mark = if self.block.ends_with("{noformat}\n") { "{noformat}\n" } else { "{code}\n" };
                self.block.push_str(&escape::preformatted(&self.code.take().unwrap_or_default()));
                self.block.push_str(mark);
                self.close();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.close();
            }
            TagEnd::Paragraph | TagEnd::Heading(_) => self.close(),
            _ => {}
        }
    }

    fn end_line(&mut self) {
        if !self.block.is_empty() && !self.block.ends_with('\n') {
            self.block.push('\n');
        }
    }

    /// Ends a block; within a list it is a part of the item, which must not have blank lines.
    fn close(&mut self) {
        self.end_line();
        if self.lists.is_empty() && !self.block.is_empty() {
            self.blocks.push(std::mem::take(&mut self.block));
        }
    }
}

/// Returns true if nothing but marks of lists stands before this point on its line.
fn opens_line(block: &str) -> bool {
    let line = block.rsplit('\n').next().unwrap_or_default();
    line.chars().all(|c| matches!(c, '#' | '*' | ' '))
}

#[cfg(test)]
mod tests;
