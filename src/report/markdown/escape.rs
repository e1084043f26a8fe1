//! Text of a bundle in GitHub Flavored Markdown (and Jira, as far as both agree), escaped so that it is shown
//! literally. Backslashes break Markdown syntax; zero-width spaces break mentions, references and emoji, which GitHub
//! looks for after Markdown.

use crate::model::clean;
use crate::report::words;

/// Zero-width space.
const GAP: char = '\u{200b}';
/// Characters that are always escaped.
const ALWAYS: &[char] = &['\\', '`', '*', '[', ']', '<', '|', '~', '{', '$'];

/// Returns one line of text of at most about `limit` characters.
pub fn text(text: &str, limit: usize) -> String {
    let line = clean::one_line(&words::clipped(text, limit));
    let mut out = String::with_capacity(line.len() + 16);
    for (at, c) in line.char_indices() {
        let (head, rest) = line.split_at(at);
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if opens_block(head, c) || is_special(head, c, after) {
            out.push('\\');
        }
        out.push(c);
        if is_reference(c, after) {
            out.push(GAP);
        }
    }
    out
}

/// Returns true if the character has a meaning in Markdown between `head` and `after`.
fn is_special(head: &str, c: char, after: &str) -> bool {
    let next = after.chars().next();
    let alphanumeric = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        // Has no meaning within a word.
        '_' => !alphanumeric(head.chars().next_back()) || !alphanumeric(next),
        // Entities.
        '&' => next.is_some_and(|n| n == '#' || n.is_ascii_alphanumeric()),
        // Images of Jira.
        '!' => next.is_some_and(|n| !n.is_whitespace()),
        // Addresses, which become links without markup.
        ':' => after.starts_with("//"),
        '.' => head.len() >= 3 && head.get(head.len() - 3..).is_some_and(|w| w.eq_ignore_ascii_case("www")),
        c => ALWAYS.contains(&c),
    }
}

/// Returns true if the character would begin a heading, a list or a quote; `head` is the text before it on its line.
fn opens_block(head: &str, c: char) -> bool {
    match c {
        '#' | '-' | '+' | '=' | '>' => head.is_empty(),
        '.' | ')' => !head.is_empty() && head.bytes().all(|b| b.is_ascii_digit()),
        _ => false,
    }
}

/// Returns true for the start of `@somebody`, `#12`, `:smile:`.
fn is_reference(c: char, after: &str) -> bool {
    let next = after.chars().next();
    match c {
        '@' => next.is_some_and(|n| n.is_alphanumeric() || matches!(n, '.' | '-' | '_')),
        '#' => next.is_some_and(|n| n.is_ascii_digit()),
        ':' => after.split_once(':').is_some_and(|(name, _)| names_emoji(name)),
        _ => false,
    }
}

/// Returns true for the name of an emoji. Times and addresses (`10:00:02`, `fe80::a:1`) are unchanged, since people
/// copy them.
fn names_emoji(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    name.chars().all(is_part) && name.chars().any(|c| !c.is_ascii_hexdigit())
}

/// Returns a code span, or nothing for blank text.
pub fn code(text: &str, limit: usize) -> String {
    let line = clean::one_line(&words::clipped(text, limit));
    if line.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&line) + 1);
    let blank = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{line}{blank}{fence}")
}

/// Returns a code block whose lines are indented by `indent` blanks; `language` must be trusted.
pub fn block(text: &str, language: &str, indent: usize) -> String {
    let text = clean::visible(text);
    let margin = " ".repeat(indent);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let lines: String = text.lines().map(|line| format!("{margin}{line}\n")).collect();
    format!("{margin}{fence}{language}\n{lines}{margin}{fence}\n")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use comrak::nodes::NodeValue;
    use comrak::{Arena, Options, parse_document};
    use proptest::prelude::*;

    /// Returns the nodes of a page except the root, as GitHub parses it, in order.
    pub fn nodes(markdown: &str) -> Vec<NodeValue> {
        let mut options = Options::default();
        let extensions = &mut options.extension;
        extensions.autolink = true;
        extensions.table = true;
        extensions.strikethrough = true;
        extensions.tasklist = true;
        extensions.footnotes = true;
        extensions.math_dollars = true;
        extensions.alerts = true;
        let arena = Arena::new();
        let root = parse_document(&arena, markdown, &options);
        root.descendants().skip(1).map(|node| node.data.borrow().value.clone()).collect()
    }

    /// Returns the text of a page that is one paragraph of plain text.
    fn read(markdown: &str) -> Option<String> {
        let nodes = nodes(markdown);
        let mut text = String::new();
        for (at, node) in nodes.iter().enumerate() {
            match node {
                NodeValue::Paragraph if at == 0 => {}
                NodeValue::Text(part) => text.push_str(part),
                _ => return None,
            }
        }
        Some(text.replace(GAP, ""))
    }

    #[test]
    fn readable_text_stays_readable() {
        for same in [
            "Claim shop/data has lost its volume",
            "spec.replicas is 3, not 2 (see kube-system)",
            "a_b and v1.30.2+rke2r1 >= 1.2",
            "it's 10:00:02 UTC, really: \"yes\"!",
        ] {
            assert_eq!(text(same, 100), same);
        }
    }

    #[test]
    fn signs_with_a_meaning_are_escaped() {
        for (hostile, shown) in [
            ("# title", "\\# title"),
            ("- item", "\\- item"),
            ("12. item", "12\\. item"),
            ("<b>&lt;", "\\<b>\\&lt;"),
            ("[a](http://b)", "\\[a\\](http\\://b)"),
            ("www.a.b", "www\\.a.b"),
            ("@team and #12", "@\u{200b}team and #\u{200b}12"),
            (":smile:", ":\u{200b}smile:"),
            ("![i](x) !i.png!", "\\!\\[i\\](x) \\!i.png!"),
            ("\u{1b}[31mred\u{202e}", "red\\<U+202E>"),
        ] {
            assert_eq!(text(hostile, 100), shown);
        }
    }

    #[test]
    fn code_cannot_be_left() {
        assert_eq!(code("a `b`` c", 100), "```a `b`` c```");
        assert_eq!(code("`", 100), "`` ` ``");
        assert_eq!(code(" \n", 100), "");
        assert_eq!(block("a\n```\nb", "sh", 2), "  ````sh\n  a\n  ```\n  b\n  ````\n");
    }

    proptest! {
        #[test]
        fn text_is_text(hostile in "([ -~]|[\\*_`~<>@#:|&!.\\[\\]()-]|é|\n|www\\.|http://|\\w+@\\w+\\.com){0,40}") {
            let plain = clean::one_line(&hostile);
            prop_assume!(!plain.is_empty());
            prop_assert_eq!(read(&text(&hostile, 1000)), Some(plain), "{}", text(&hostile, 1000));
        }

        #[test]
        fn code_is_code(hostile in "([ -~]|`|\n){0,20}") {
            let plain = clean::one_line(&hostile);
            prop_assume!(!plain.is_empty());
            let read = nodes(&code(&hostile, 1000));
            let [NodeValue::Paragraph, NodeValue::Code(span)] = read.as_slice() else { panic!("{read:?}") };
            prop_assert_eq!(&span.literal, &plain);
            let read = nodes(&block(&hostile, "sh", 0));
            let [NodeValue::CodeBlock(found)] = read.as_slice() else { panic!("{read:?}") };
            prop_assert_eq!(found.literal.trim_end(), hostile.trim_end());
        }
    }
}
