//! Text of an expression: its tokens, limits, and its parsed tree.
//!
//! The parser of crate `cel` expands macros and keeps no positions. Macro names are therefore turned to upper case,
//! which it parses as plain calls. Positions are recovered by walking its tree in source order together with the tokens
//! that become leaves ([`Source::leaves`]).

use std::ops::Range;

use cel::common::ast::IdedExpr;
use cel::parser::PrattParser;
use cel::parser::pratt_parser::{Lexer, Token, TokenKind};

use crate::expr::error::{ErrorKind, ExprError};

/// Longest text of an expression.
const MAX_BYTES: usize = 4096;
/// Maximum nesting of brackets; the parser itself has no limit.
const MAX_BRACKETS: usize = 64;
/// Conditionals nest to the right without brackets.
const MAX_CONDITIONALS: usize = 64;

/// Names that the parser would expand.
pub(in crate::expr) const MACROS: [&str; 7] = ["has", "exists", "all", "exists_one", "map", "filter", "sortBy"];

/// An expression's text with its tokens.
pub(in crate::expr) struct Source<'s> {
    pub text: &'s str,
    tokens: Vec<Token>,
    /// Tokens with a node in the tree, in source order: names, literals, openings of lists and maps.
    pub leaves: Vec<usize>,
}

impl<'s> Source<'s> {
    /// Splits a text and rejects input that is unsafe for the parser.
    pub fn tokenize(text: &'s str) -> Result<Self, ExprError> {
        if text.len() > MAX_BYTES {
            let message = format!("the expression is longer than {MAX_BYTES} bytes");
            return Err(error(0..text.len(), message, "split it: conditions of a fact may be named by `value` facts"));
        }
        // A token has three bytes and more on average.
        let room = text.len() / 3 + 1;
        let mut source = Self { text, tokens: Vec::with_capacity(room), leaves: Vec::with_capacity(room) };
        source.split()?;
        source.check_nesting()?;
        source.check_syntax()?;
        source.find_leaves();
        Ok(source)
    }

    fn split(&mut self) -> Result<(), ExprError> {
        let mut lexer = Lexer::new(self.text);
        loop {
            let token = lexer.lex();
            match token.kind {
                TokenKind::TokEnd => return Ok(()),
                TokenKind::TokWhitespace | TokenKind::TokComment => {}
                TokenKind::TokError => {
                    let message = lexer.get_error().map_or("unexpected character", |e| e.message.as_str());
                    return Err(self.bad_token(token, message));
                }
                _ => self.tokens.push(token),
            }
        }
    }

    fn bad_token(&self, token: Token, message: &str) -> ExprError {
        if let Some(found) = self.bare_duration(token.start) {
            return found;
        }
        // The lexer looks at bytes: a range that ends inside a character is widened to its end.
        let mut end = token.end.max(token.start + 1).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let hint = match self.text.get(token.start..).and_then(|rest| rest.chars().next()) {
            Some('&') => "`and` is written &&",
            Some('|') => "`or` is written ||",
            Some('\'' | '"') => "close the text with the same quote",
            _ => "texts stand in quotes",
        };
        error(token.start..end, message.replace('\'', "`"), hint)
    }

    /// Finds a number with a unit directly after it, as other languages write durations.
    fn bare_duration(&self, start: usize) -> Option<ExprError> {
        let rest = self.text.get(start..)?;
        let text = rest.get(..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()))?;
        crate::expr::eval::time::parse_duration(text).ok()?;
        let hint = format!("write duration('{text}')");
        Some(error(start..start + text.len(), format!("{text} is no value"), &hint))
    }

    fn check_nesting(&self) -> Result<(), ExprError> {
        let (mut depth, mut conditionals) = (0_usize, 0_usize);
        for token in &self.tokens {
            match token.kind {
                TokenKind::TokLeftParen | TokenKind::TokLeftBracket | TokenKind::TokLeftBrace => depth += 1,
                TokenKind::TokRightParen | TokenKind::TokRightBracket | TokenKind::TokRightBrace => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::TokQuestion => conditionals += 1,
                _ => {}
            }
            if depth > MAX_BRACKETS || conditionals > MAX_CONDITIONALS {
                return Err(error(
                    token.start..token.end,
                    "the expression nests too deeply".to_owned(),
                    "split it into `value` facts",
                ));
            }
        }
        Ok(())
    }

    /// Rejects CEL syntax that rules do not support, and syntax of other languages.
    fn check_syntax(&self) -> Result<(), ExprError> {
        for (at, token) in self.tokens.iter().enumerate() {
            let next = self.tokens.get(at + 1).map(|t| t.kind);
            let found = match (token.kind, next) {
                (TokenKind::TokDot | TokenKind::TokLeftBracket, Some(TokenKind::TokQuestion))
                | (TokenKind::TokQuestion, Some(TokenKind::TokDot)) => {
                    ("optional fields are not part of the rule language", "write `a.b`: what is absent reads as null")
                }
                (TokenKind::TokBytes, _) => {
                    ("bytes literals are not part of the rule language", "write a text without the b")
                }
                (TokenKind::TokEqual, _) => ("`=` is no operator", "write == to compare"),
                _ => continue,
            };
            return Err(error(token.start..token.end, found.0.to_owned(), found.1));
        }
        Ok(())
    }

    fn find_leaves(&mut self) {
        let mut previous: Option<TokenKind> = None;
        for (at, token) in self.tokens.iter().enumerate() {
            let leaf = match token.kind {
                TokenKind::TokLeftBracket | TokenKind::TokLeftBrace => !previous.is_some_and(ends_operand),
                kind => is_name(kind) || is_literal(kind),
            };
            if leaf {
                self.leaves.push(at);
            }
            previous = Some(token.kind);
        }
    }

    /// Parses the text to a tree in which macros are calls of upper-case names.
    pub fn parse(&self) -> Result<IdedExpr, ExprError> {
        let parser = PrattParser::new().enable_variadic_operator_asts(true).enable_ident_escape_syntax(true);
        parser.parse(&self.rename_macros()).map_err(|errors| match errors.errors.first() {
            Some(first) => self.syntax_error(first.pos, &first.msg),
            None => error(
                0..self.text.len(),
                "the expression cannot be read".to_owned(),
                "see the rule language, section 4",
            ),
        })
    }

    fn rename_macros(&self) -> String {
        let mut text = self.text.to_owned();
        for (token, next) in self.tokens.iter().zip(self.tokens.iter().skip(1)) {
            let name = self.text.get(token.start..token.end).unwrap_or_default();
            if token.kind == TokenKind::TokIdent && next.kind == TokenKind::TokLeftParen && MACROS.contains(&name) {
                text.replace_range(token.start..token.end, &name.to_ascii_uppercase());
            }
        }
        text
    }

    fn syntax_error(&self, position: (isize, isize), message: &str) -> ExprError {
        let offset = self.offset(position);
        let token = self.tokens.iter().find(|t| t.end > offset);
        let range = token.map_or(self.text.len()..self.text.len(), |t| t.start..t.end);
        let found = match self.text.get(range.clone()) {
            Some(text) if !text.is_empty() => format!("`{text}`"),
            _ => "the end".to_owned(),
        };
        let (message, hint) = explain(message, &found);
        error(range, message, hint)
    }

    /// Returns the byte offset of a line and column, both from 1; columns are bytes.
    fn offset(&self, (line, column): (isize, isize)) -> usize {
        let line = usize::try_from(line).unwrap_or(0).saturating_sub(1);
        let column = usize::try_from(column).unwrap_or(0).saturating_sub(1);
        let before: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
        before + column
    }

    /// Returns the text of a leaf; names in backquotes without them.
    pub fn leaf_text(&self, leaf: usize) -> &'s str {
        let range = self.token_range(self.leaves.get(leaf).copied().unwrap_or(usize::MAX));
        self.text.get(range).unwrap_or_default().trim_matches('`')
    }

    /// Returns the bytes of a token.
    pub fn token_range(&self, token: usize) -> Range<usize> {
        self.tokens.get(token).map_or(self.text.len()..self.text.len(), |t| t.start..t.end)
    }

    /// Returns the token of a leaf.
    pub fn leaf_token(&self, leaf: usize) -> usize {
        self.leaves.get(leaf).copied().unwrap_or(self.tokens.len())
    }

    /// Returns the bytes of the tokens `first..=last`, widened until their brackets match.
    pub fn span(&self, first: usize, last: usize) -> Range<usize> {
        let (mut first, mut last) = (first, last.min(self.tokens.len().saturating_sub(1)));
        let (mut unopened, mut open) = (0_usize, 0_usize);
        for token in self.tokens.get(first..=last).unwrap_or_default() {
            match bracket(token.kind) {
                1 => open += 1,
                -1 if open > 0 => open -= 1,
                -1 => unopened += 1,
                _ => {}
            }
        }
        while unopened > 0 && first > 0 {
            first -= 1;
            unopened = step(unopened, -self.bracket_at(first));
        }
        while open > 0 && last + 1 < self.tokens.len() {
            last += 1;
            open = step(open, self.bracket_at(last));
        }
        self.token_range(first).start..self.token_range(last).end
    }

    fn bracket_at(&self, token: usize) -> isize {
        self.tokens.get(token).map_or(0, |t| bracket(t.kind))
    }

    /// Returns the nearest `!` or `-` before a token, skipping brackets and other prefixes.
    pub fn prefix(&self, token: usize, negation: bool) -> usize {
        let wanted = if negation { TokenKind::TokExclamation } else { TokenKind::TokMinus };
        let mut at = token;
        while at > 0 {
            at -= 1;
            match self.tokens.get(at).map(|t| t.kind) {
                Some(kind) if kind == wanted => return at,
                Some(TokenKind::TokLeftParen | TokenKind::TokExclamation | TokenKind::TokMinus) => {}
                _ => break,
            }
        }
        token
    }
}

/// Makes an error with a hint.
pub(in crate::expr) fn error(range: Range<usize>, message: String, hint: &str) -> ExprError {
    ExprError { kind: ErrorKind::Wrong, range, message, hint: Some(hint.to_owned()) }
}

fn step(count: usize, by: isize) -> usize {
    count.saturating_add_signed(by)
}

fn bracket(kind: TokenKind) -> isize {
    match kind {
        TokenKind::TokLeftParen | TokenKind::TokLeftBracket | TokenKind::TokLeftBrace => 1,
        TokenKind::TokRightParen | TokenKind::TokRightBracket | TokenKind::TokRightBrace => -1,
        _ => 0,
    }
}

fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::TokIdent | TokenKind::TokReservedWord)
}

fn is_literal(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::TokNull
            | TokenKind::TokTrue
            | TokenKind::TokFalse
            | TokenKind::TokInt
            | TokenKind::TokUint
            | TokenKind::TokFloat
            | TokenKind::TokString
            | TokenKind::TokBytes
    )
}

/// Returns true if a `[` after such a token is an index.
fn ends_operand(kind: TokenKind) -> bool {
    is_name(kind)
        || is_literal(kind)
        || matches!(kind, TokenKind::TokRightParen | TokenKind::TokRightBracket | TokenKind::TokRightBrace)
}

/// Rewords the parser's message and adds advice.
fn explain(message: &str, found: &str) -> (String, &'static str) {
    let word = found.trim_matches('`');
    match word {
        "and" => return ("`and` is no operator".to_owned(), "write &&"),
        "or" => return ("`or` is no operator".to_owned(), "write ||"),
        "not" => return ("`not` is no operator".to_owned(), "write !"),
        _ => {}
    }
    if message.starts_with("reserved identifier") {
        return (format!("{found} is a reserved word of CEL"), "choose another name for the fact");
    }
    if message.contains("expecting <EOF>") {
        return (
            format!("{found} is not expected here"),
            "an operator is missing before it, or a bracket is closed too often",
        );
    }
    if message.contains("expecting expression") || message == "unexpected token" {
        return (format!("a value is expected, not {found}"), "write a name, a text in quotes, a number or a call");
    }
    if message.contains("unescape") {
        return (
            format!("{found} has an escape that CEL does not know"),
            "write patterns as r'...', in which \\ is nothing special",
        );
    }
    if message.contains("recursion limit") {
        return ("the expression nests too deeply".to_owned(), "split it into `value` facts");
    }
    let wanted =
        message.rsplit_once("expecting ").or_else(|| message.split_once("expected ")).map_or(message, |(_, w)| w);
    (format!("{} is expected, not {found}", wanted.replace('\'', "`")), "check brackets, commas and quotes")
}
