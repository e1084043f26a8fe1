//! The syntax of patterns.

use regex_syntax::hir::Hir;

/// Deepest nesting of groups; it bounds the recursion of every walk over a pattern.
pub(super) const MAX_NESTING: u32 = 100;

/// A parsed pattern.
pub(in crate::log) struct Parsed {
    pub hir: Hir,
    pub unicode: bool,
}

/// Parses a pattern the way it will be compiled.
pub(in crate::log) fn parse(pattern: &str) -> Result<Parsed, String> {
    let parse = |unicode| {
        let mut parser =
            regex_syntax::ParserBuilder::new().unicode(unicode).utf8(false).nest_limit(MAX_NESTING).build();
        parser.parse(pattern).map(|hir| Parsed { hir, unicode }).map_err(Box::new)
    };
    parse(false).or_else(|_| parse(true)).map_err(|error| in_words(pattern, &error))
}

fn in_words(pattern: &str, error: &regex_syntax::Error) -> String {
    let (what, start) = match error {
        regex_syntax::Error::Parse(e) => (e.kind().to_string(), e.span().start.offset),
        regex_syntax::Error::Translate(e) => (e.kind().to_string(), e.span().start.offset),
        other => return format!("not a regular expression: {other}"),
    };
    let before = pattern.get(..start).map_or(0, |p| p.chars().count());
    match pattern.get(start..).and_then(|rest| rest.chars().next()) {
        Some(c) => format!("{what}, at character {} (`{c}`) of the pattern", before + 1),
        None => format!("{what}, at the end of the pattern"),
    }
}
