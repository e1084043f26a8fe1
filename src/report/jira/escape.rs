//! Text of a bundle in Jira's wiki markup, escaped so that it is shown literally. A backslash before another one is a line
//! break, so that backslashes are entities.

/// Zero-width space.
const GAP: char = '\u{200b}';
/// What opens a macro, a link, a column of a table.
const ALWAYS: &[char] = &['{', '}', '[', ']', '|'];
/// What opens a phrase in bold, italics, ... before a word.
const PHRASE: &[char] = &['*', '_', '-', '+', '^', '~', '?', '!'];
/// Names of icons in parentheses.
const ICONS: &[&str] =
    &["y", "n", "i", "/", "x", "!", "+", "-", "?", "on", "off", "*", "*r", "*g", "*b", "*y", "flag", "flagoff"];

/// Returns a text with escapes; `opens_line` if nothing stands before it on its line.
pub fn text(text: &str, opens_line: bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let (head, rest) = text.split_at(at);
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' => out.push_str("&#92;"),
            '&' if after.starts_with(|n: char| n == '#' || n.is_ascii_alphanumeric()) => out.push_str("&amp;"),
            // Addresses become links without markup.
            ':' if after.starts_with("//") => out.push_str("&#58;"),
            c => {
                if is_special(before, c, after) || opens_line && opens_block(head, c, after) {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        before = Some(c);
    }
    out
}

/// Returns true if the character has a meaning between its neighbours.
fn is_special(before: Option<char>, c: char, after: &str) -> bool {
    let next = after.chars().next();
    match c {
        c if ALWAYS.contains(&c) => true,
        // `--` is a dash, too.
        c if PHRASE.contains(&c) => next == Some(c) || !before.is_some_and(char::is_alphanumeric),
        '(' => after.split_once(')').is_some_and(|(name, _)| ICONS.contains(&name)),
        ':' => after.starts_with([')', '(', 'P', 'D']),
        ';' => after.starts_with(')'),
        _ => false,
    }
}

/// Returns true if the character would begin a heading, a list or a quote; `head` is the text before it.
fn opens_block(head: &str, c: char, after: &str) -> bool {
    match c {
        '#' | '*' | '-' => head.is_empty(),
        '.' => matches!(head, "bq" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6") && after.starts_with(' '),
        _ => false,
    }
}

/// Returns the text of a block of code. Only the mark of its end means anything there.
pub fn preformatted(code: &str) -> String {
    code.replace("{noformat}", &format!("{{{GAP}noformat}}")).replace("{code", &format!("{{{GAP}code"))
}
