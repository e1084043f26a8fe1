//! Splits the text of an expression into tokens: the lexical grammar of CEL (<https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax>).

use std::ops::Range;

use crate::expr::error::ExprError;
use crate::expr::parse::refusal::{bad_token, refuse};

/// Longest text of an expression.
const MAX_BYTES: usize = 4096;
/// Maximum nesting of brackets, so that parsing can recurse on the 2 MiB stacks of worker threads.
const MAX_BRACKETS: usize = 64;
/// Conditionals nest to the right without brackets.
const MAX_CONDITIONALS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::expr) enum TokenKind {
    Name,
    /// A word that CEL reserves: allowed only as the name of a field.
    Reserved,
    Null,
    True,
    False,
    Int,
    Unsigned,
    Double,
    Text,
    Bytes,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Dot,
    Comma,
    Colon,
    Question,
    Not,
    Minus,
    Plus,
    Times,
    Divide,
    Remainder,
    Assign,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    And,
    Or,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::expr) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Splits a text into tokens, the last of which is its end; rejects what would be unsafe to parse, and what rules do not support.
pub(in crate::expr) fn tokens(text: &str) -> Result<Vec<Token>, ExprError> {
    if text.len() > MAX_BYTES {
        let message = format!("the expression is longer than {MAX_BYTES} bytes");
        return Err(refuse(0..text.len(), message, "split it: conditions of a fact may be named by `value` facts"));
    }
    // A token has three bytes and more on average.
    let mut tokens = Vec::with_capacity(text.len() / 3 + 2);
    let mut lexer = Lexer { text, at: 0 };
    loop {
        let token = lexer.next()?;
        tokens.push(token);
        if token.kind == TokenKind::End {
            break;
        }
    }
    check_nesting(&tokens)?;
    check_syntax(&tokens)?;
    Ok(tokens)
}

fn check_nesting(tokens: &[Token]) -> Result<(), ExprError> {
    let (mut depth, mut conditionals) = (0_usize, 0_usize);
    for token in tokens {
        match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                depth = depth.saturating_sub(1);
            }
            TokenKind::Question => conditionals += 1,
            _ => {}
        }
        if depth > MAX_BRACKETS || conditionals > MAX_CONDITIONALS {
            let message = "the expression nests too deeply".to_owned();
            return Err(refuse(token.range(), message, "split it into `value` facts"));
        }
    }
    Ok(())
}

/// Rejects CEL syntax that rules do not support, and syntax of other languages.
fn check_syntax(tokens: &[Token]) -> Result<(), ExprError> {
    for (token, next) in tokens.iter().zip(tokens.iter().skip(1)) {
        let (message, hint) = match (token.kind, next.kind) {
            (TokenKind::Dot | TokenKind::LeftBracket, TokenKind::Question) | (TokenKind::Question, TokenKind::Dot) => {
                ("optional fields are not part of the rule language", "write `a.b`: what is absent reads as null")
            }
            (TokenKind::Bytes, _) => ("bytes literals are not part of the rule language", "write a text without the b"),
            (TokenKind::Assign, _) => ("`=` is no operator", "write == to compare"),
            _ => continue,
        };
        return Err(refuse(token.range(), message.to_owned(), hint));
    }
    Ok(())
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    /// Returns the byte `ahead` bytes after the next.
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Returns how many of the next bytes are of a kind, and skips them.
    fn skip(&mut self, is_wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_wanted(*byte)).unwrap_or(rest.len());
        self.at += length;
        length
    }

    fn skip_byte(&mut self, is_wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(is_wanted);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            let blanks = self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C));
            let is_comment = (self.peek(), self.byte(1)) == (Some(b'/'), Some(b'/'));
            if is_comment {
                self.skip(|byte| byte != b'\n');
            } else if blanks == 0 {
                return;
            }
        }
    }

    fn next(&mut self) -> Result<Token, ExprError> {
        self.skip_blanks_and_comments();
        let start = self.at;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some(b'0'..=b'9') => self.number(start)?,
            Some(b'.') if self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(start)?,
            Some(b'\'' | b'"') => self.quoted(start, 0, TokenKind::Text)?,
            Some(b'`') => self.quoted_name(start)?,
            Some(b'_' | b'a'..=b'z' | b'A'..=b'Z') => match self.text_prefix() {
                Some((prefix, kind)) => self.quoted(start, prefix, kind)?,
                None => self.word(start),
            },
            Some(byte) => self.sign(byte)?,
        };
        Ok(Token { kind, start, end: self.at })
    }

    fn sign(&mut self, byte: u8) -> Result<TokenKind, ExprError> {
        let start = self.at;
        self.at += 1;
        let mut followed_by = |second: u8, double: TokenKind, single: TokenKind| {
            if self.skip_byte(|byte| byte == second) { double } else { single }
        };
        Ok(match byte {
            b'(' => TokenKind::LeftParen,
            b')' => TokenKind::RightParen,
            b'[' => TokenKind::LeftBracket,
            b']' => TokenKind::RightBracket,
            b'{' => TokenKind::LeftBrace,
            b'}' => TokenKind::RightBrace,
            b'.' => TokenKind::Dot,
            b',' => TokenKind::Comma,
            b':' => TokenKind::Colon,
            b'?' => TokenKind::Question,
            b'-' => TokenKind::Minus,
            b'+' => TokenKind::Plus,
            b'*' => TokenKind::Times,
            b'/' => TokenKind::Divide,
            b'%' => TokenKind::Remainder,
            b'!' => followed_by(b'=', TokenKind::NotEqual, TokenKind::Not),
            b'=' => followed_by(b'=', TokenKind::Equal, TokenKind::Assign),
            b'<' => followed_by(b'=', TokenKind::LessOrEqual, TokenKind::Less),
            b'>' => followed_by(b'=', TokenKind::GreaterOrEqual, TokenKind::Greater),
            b'&' if self.skip_byte(|byte| byte == b'&') => TokenKind::And,
            b'|' if self.skip_byte(|byte| byte == b'|') => TokenKind::Or,
            b'&' => return Err(bad_token(self.text, start..self.at, "unexpected single `&`, expected `&&`")),
            b'|' => return Err(bad_token(self.text, start..self.at, "unexpected single `|`, expected `||`")),
            _ => return Err(bad_token(self.text, start..self.at, "unexpected character")),
        })
    }

    fn word(&mut self, start: usize) -> TokenKind {
        self.skip(is_word);
        match self.text.get(start..self.at).unwrap_or_default() {
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            "null" => TokenKind::Null,
            "in" => TokenKind::In,
            "as" | "break" | "const" | "continue" | "else" | "for" | "function" | "if" | "import" | "let" | "loop"
            | "package" | "namespace" | "return" | "var" | "void" | "while" => TokenKind::Reserved,
            _ => TokenKind::Name,
        }
    }

    fn quoted_name(&mut self, start: usize) -> Result<TokenKind, ExprError> {
        self.at += 1;
        self.skip(|byte| byte != b'`');
        if !self.skip_byte(|byte| byte == b'`') {
            return Err(bad_token(self.text, start..self.at, "unterminated quoted identifier"));
        }
        Ok(TokenKind::Name)
    }

    /// Returns length and meaning of the letters before a quote: `r` for a raw text, `b` for bytes, or both.
    fn text_prefix(&self) -> Option<(usize, TokenKind)> {
        let letter = |ahead: usize| self.byte(ahead).map(|byte| byte.to_ascii_lowercase());
        let is_quote = |ahead: usize| matches!(self.byte(ahead), Some(b'\'' | b'"'));
        match (letter(0)?, letter(1)?) {
            (b'r', _) if is_quote(1) => Some((1, TokenKind::Text)),
            (b'b', _) if is_quote(1) => Some((1, TokenKind::Bytes)),
            (b'r', b'b') | (b'b', b'r') if is_quote(2) => Some((2, TokenKind::Bytes)),
            _ => None,
        }
    }

    /// Skips a text in single or triple quotes after `prefix` letters.
    fn quoted(&mut self, start: usize, prefix: usize, kind: TokenKind) -> Result<TokenKind, ExprError> {
        let is_raw = self.text.get(start..start + prefix).unwrap_or_default().contains(['r', 'R']);
        self.at += prefix;
        let quote = self.peek();
        let width = if self.byte(1) == quote && self.byte(2) == quote { 3 } else { 1 };
        self.at += width;
        loop {
            match self.peek() {
                None => {
                    let what = if kind == TokenKind::Bytes { "bytes" } else { "string" };
                    return Err(bad_token(self.text, start..self.at, &format!("unterminated {what} literal")));
                }
                Some(b'\\') if !is_raw => self.at = (self.at + 2).min(self.text.len()),
                found if found == quote && (1..width).all(|ahead| self.byte(ahead) == quote) => {
                    self.at += width;
                    return Ok(kind);
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn number(&mut self, start: usize) -> Result<TokenKind, ExprError> {
        let is_hexadecimal = self.peek() == Some(b'0') && matches!(self.byte(1), Some(b'x' | b'X'));
        if is_hexadecimal {
            self.at += 2;
        }
        let kind = if is_hexadecimal {
            let digits = self.skip(|byte| byte.is_ascii_hexdigit());
            (digits > 0).then(|| self.integer())
        } else {
            self.skip(|byte| byte.is_ascii_digit());
            self.decimal()
        };
        match kind {
            Some(kind) if !self.peek().is_some_and(is_word) => Ok(kind),
            _ => {
                self.skip(is_word);
                let range = start..self.at;
                let written = self.text.get(range.clone()).unwrap_or_default();
                Err(bad_token(self.text, range, &format!("`{written}` is no number")))
            }
        }
    }

    /// Reads what follows the digits of a number; none if digits are missing.
    fn decimal(&mut self) -> Option<TokenKind> {
        let has_fraction = self.peek() == Some(b'.') && self.byte(1).is_some_and(|byte| byte.is_ascii_digit());
        if has_fraction {
            self.at += 1;
            self.skip(|byte| byte.is_ascii_digit());
        }
        if self.skip_byte(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_byte(|byte| matches!(byte, b'+' | b'-'));
            return (self.skip(|byte| byte.is_ascii_digit()) > 0).then_some(TokenKind::Double);
        }
        Some(if has_fraction { TokenKind::Double } else { self.integer() })
    }

    fn integer(&mut self) -> TokenKind {
        if self.skip_byte(|byte| matches!(byte, b'u' | b'U')) { TokenKind::Unsigned } else { TokenKind::Int }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
