//! Text of a bundle in XML 1.0: escaped, and without the characters that XML forbids.

use crate::model::clean;
use crate::report::words;

/// Returns text between tags, of at most about `limit` characters.
pub fn text(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean::visible(&words::clipped(text, limit)).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // The other characters that XML forbids are replaced by `visible`.
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// Returns the value of an attribute on one line.
pub fn attribute(value: &str, limit: usize) -> String {
    text(&clean::one_line(&words::clipped(value, limit)), limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_ends_its_place() {
        assert_eq!(text("a<b>&\"'\n]]>", 99), "a&lt;b&gt;&amp;&quot;&apos;\n]]&gt;");
        assert_eq!(text("\u{0}\u{1b}[1mx\u{fffe}", 99), "&lt;U+0000&gt;x\u{fffd}");
        assert_eq!(attribute("a\n\tb", 99), "a b");
    }

    proptest! {
        #[test]
        fn all_characters_are_those_of_xml(hostile in any::<String>()) {
            let allowed = |c: char| matches!(c, '\t' | '\n' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
            prop_assert!(text(&hostile, 1000).chars().all(|c| allowed(c) && !matches!(c, '<' | '>' | '"' | '\'')));
        }
    }
}
