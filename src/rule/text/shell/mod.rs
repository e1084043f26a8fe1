//! Puts values of a bundle into commands that people copy into a POSIX shell.
//!
//! A rendered command is read once, with the state of the shell. Its values are marked. A value of the characters that names, addresses,
//! images, versions and numbers have ([`is_plain`]) means nothing to a shell, in quotes or not, nor to JSON, YAML or a program
//! inside. A path may have other characters; it is quoted where the text around it is not, and so is a placeholder for a name that nobody
//! knows. With any other value there is no command. Sentences that name a command are not quoted: such a value is left out of them.

use minijinja::machinery::{Span, Token, tokenize};

use super::marks::{NODE_ENV, TIME_BEGINS, TIME_ENDS, UNKNOWN, VALUE_BEGINS, VALUE_ENDS};
use super::value::MASKED;
use crate::model::clean::is_hidden;
use crate::model::message::{Beginning, CommandProblem};

#[cfg(test)]
#[cfg(unix)]
mod tests;

/// Longest value in a command, in bytes: more than any name or usual path.
const MAX_VALUE: usize = 1024;
/// Longest name of an object, in bytes (a DNS subdomain).
const MAX_NAME: usize = 253;
/// Longest name of a namespace, in bytes (a DNS label).
const MAX_NAMESPACE: usize = 63;

/// Programs whose commands stand in sentences.
const PROGRAMS: [&str; 10] =
    ["crictl", "ctr", "curl", "etcdctl", "helm", "journalctl", "kubectl", "openssl", "systemctl", "virtctl"];

/// Words in place of a program after which the next word is one.
const BEFORE_PROGRAMS: [&str; 21] = [
    "!", "{", ".", "builtin", "command", "do", "elif", "else", "env", "eval", "exec", "if", "nice", "nohup", "source",
    "sudo", "then", "time", "until", "while", "xargs",
];

/// Part of a rendered template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'t> {
    Literal(&'t str),
    Value(&'t str),
}

/// Splits a rendered template at the marks of its values.
fn parts(rendered: &str) -> impl Iterator<Item = Part<'_>> {
    rendered.split(VALUE_BEGINS).enumerate().flat_map(|(number, piece)| match piece.split_once(VALUE_ENDS) {
        Some((value, literal)) if number > 0 => [Part::Value(value), Part::Literal(literal)],
        _ => [Part::Literal(piece), Part::Literal("")],
    })
}

/// Fills a rendered command, whose values are marked; each value is one argument, or a part of one.
///
/// # Errors
/// Fails with the reason if a value cannot stand in it.
pub fn fill(rendered: &str) -> Result<String, CommandProblem> {
    let mut shell = Shell::default();
    let mut command = String::with_capacity(rendered.len());
    for part in parts(rendered) {
        match part {
            Part::Literal(text) => {
                text.chars().for_each(|c| shell.literal(c));
                command.push_str(text);
            }
            Part::Value(value) => command.push_str(&shell.value(value)?),
        }
    }
    Ok(command)
}

/// Returns true if a sentence names a program that people run.
pub(super) fn names_a_command(sentence: &str) -> bool {
    sentence.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| PROGRAMS.contains(&word))
}

/// Fills rendered sentences, whose values are marked; in those with a command, only names, paths, numbers and plain words can
/// be copied, and every other value is `left_out`.
pub(super) fn fill_sentences(rendered: &str, left_out: &str) -> String {
    let mut text = String::with_capacity(rendered.len());
    let mut sentence = String::new();
    for part in parts(rendered) {
        match part {
            Part::Value(value) if names_a_command(&sentence) && !is_harmless(value) => text.push_str(left_out),
            Part::Value(value) => text.push_str(value),
            Part::Literal(literal) => {
                let end = literal.rfind(['\n', '。']).max(literal.rfind(". "));
                if let Some(end) = end {
                    sentence.clear();
                    sentence.push_str(literal.get(end..).unwrap_or_default());
                } else {
                    sentence.push_str(literal);
                }
                text.push_str(literal);
            }
        }
    }
    text
}

/// Returns true for values that a shell takes as plain words, none of them an option.
fn is_harmless(value: &str) -> bool {
    let words = value.trim_matches([TIME_BEGINS, TIME_ENDS]);
    words == UNKNOWN || words == MASKED || words.split([' ', ',']).all(|word| is_plain(word) && !word.starts_with('-'))
}

/// Returns the offsets of values in a command as written that can never be filled in. Both branches of an `if` count as
/// text in turn.
pub fn misplaced(template: &str) -> Vec<usize> {
    let mut shell = Shell::default();
    let mut places = Vec::new();
    let tokens: Vec<(Token<'_>, Span)> = tokenize(template, false, Default::default()).filter_map(Result::ok).collect();
    for (at, (token, span)) in tokens.iter().enumerate() {
        match (token, tokens.get(at + 1)) {
            (Token::TemplateData(text), _) => text.chars().for_each(|c| shell.literal(c)),
            (Token::VariableStart, Some((Token::Ident(NODE_ENV), _))) => {}
            (Token::VariableStart, _) => {
                if !shell.allows_value() {
                    places.push(span.start_offset as usize);
                }
                shell.push('n');
            }
            _ => {}
        }
    }
    places
}

/// Returns true if the value has only characters without meaning to a shell: those of names, addresses, images, versions and
/// numbers.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || "._:/@%+=-".contains(c)) && names_something(value)
}

/// Returns false for a path that leaves its folder or stays in it: `rm -r /var/lib/longhorn/replicas/{{ name }}` must not mean all
/// replicas, neither with one value nor with two that stand together.
fn names_something(value: &str) -> bool {
    !value.split('/').any(|name| matches!(name, "." | ".."))
}

fn is_path(value: &str) -> bool {
    value.starts_with('/') && names_something(value) && !value.chars().any(|c| is_hidden(c) || matches!(c, '\n' | '\t'))
}

/// Returns true for what kubectl may be told as a type, a name or a number: a DNS subdomain, the name of a kind, or of a role
/// with its colons. The API has no object of another name (`%` and `_` among others), so such a value is not from a cluster.
fn is_object_name(value: &str) -> bool {
    value.len() <= MAX_NAME && is_between_alphanumerics(value, |b| b.is_ascii_alphanumeric() || b"-.:".contains(&b))
}

fn is_namespace(value: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    value.len() <= MAX_NAMESPACE && is_between_alphanumerics(value, allowed)
}

fn is_between_alphanumerics(value: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let ends = [value.bytes().next(), value.bytes().next_back()];
    ends.iter().flatten().all(u8::is_ascii_alphanumeric) && value.bytes().all(allowed)
}

/// Returns true for a name that nobody knows, `<pod>`: the reader fills it in. In quotes, a shell takes it as it is.
fn is_placeholder(value: &str) -> bool {
    let word = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    word.is_some_and(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
}

/// What the text around a place means to the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// In no quotes.
    Words,
    Single,
    Double,
    Comment,
    /// Between backquotes, which are not followed.
    Backquotes,
    /// A here-document and all that comes after it.
    HereDocument,
}

/// State inside a command: of the whole text, or of a substitution or subshell in it.
#[derive(Clone, Debug)]
struct Frame {
    context: Context,
    /// Word so far, without its quotes.
    word: String,
    in_word: bool,
    /// True if the word is the program.
    program: bool,
    /// True after a word of [`BEFORE_PROGRAMS`], whose options come before the program.
    before_program: bool,
    /// True if the word is the file of a redirection.
    redirected: bool,
    /// True behind the program `kubectl`.
    kubectl: bool,
    /// True if the word before says that this one is a namespace.
    namespace: bool,
}

impl Frame {
    fn new(context: Context) -> Self {
        Self {
            context,
            word: String::new(),
            in_word: false,
            program: true,
            before_program: false,
            redirected: false,
            kubectl: false,
            namespace: false,
        }
    }

    fn push(&mut self, text: &str) {
        self.word.push_str(text);
        self.in_word = true;
    }

    fn end_word(&mut self) {
        if !self.in_word {
            return;
        }
        let assignment = self.program && self.word.contains('=');
        let prefix = BEFORE_PROGRAMS.contains(&self.word.as_str());
        let option = self.before_program && self.word.starts_with('-');
        self.before_program = self.program && (prefix || option);
        self.namespace = matches!(self.word.as_str(), "-n" | "--namespace");
        // The file of a redirection before the program is not the program.
        let program_follows = self.program && (prefix || option || assignment || self.redirected);
        if self.program && !program_follows {
            self.kubectl = self.word == "kubectl";
        }
        self.program = self.word == "--" || program_follows;
        self.word.clear();
        (self.in_word, self.redirected) = (false, false);
    }

    fn end_command(&mut self) {
        self.end_word();
        (self.program, self.before_program, self.redirected) = (true, false, false);
        (self.kubectl, self.namespace) = (false, false);
    }

    /// Returns false for a value that stands here as the name of an object, and that no object has.
    fn may_name(&self, value: &str) -> bool {
        match self.word.as_str() {
            _ if !self.kubectl || self.redirected || is_placeholder(value) => true,
            "" if self.namespace => is_namespace(value),
            "-n=" | "--namespace=" => is_namespace(value),
            "" if value.contains('/') => true,
            "" => is_object_name(value),
            _ => true,
        }
    }
}

/// Reads a command as a shell does, as far as the meaning of values depends on it.
#[derive(Debug)]
struct Shell {
    /// Innermost last; never empty, and the first is [`Context::Words`].
    frames: Vec<Frame>,
    escaped: bool,
    last: char,
}

impl Default for Shell {
    fn default() -> Self {
        Self { frames: vec![Frame::new(Context::Words)], escaped: false, last: '\n' }
    }
}

impl Shell {
    fn context(&self) -> Context {
        self.frames.last().map_or(Context::HereDocument, |frame| frame.context)
    }

    fn enter(&mut self, context: Context) {
        self.frames.push(Frame::new(context));
    }

    fn leave(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    /// Runs on the command that the current place belongs to.
    fn command(&mut self, change: impl FnOnce(&mut Frame)) {
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.context == Context::Words) {
            change(frame);
        }
    }

    /// Reads one character of the template.
    fn literal(&mut self, c: char) {
        let last = std::mem::replace(&mut self.last, c);
        if std::mem::take(&mut self.escaped) {
            self.last = ' ';
            return self.push(c);
        }
        match (self.context(), c) {
            (Context::Words | Context::Double, '\\') => self.escaped = true,
            (Context::Words | Context::Double, '`') => self.enter(Context::Backquotes),
            (Context::Words | Context::Double, '(') if last == '$' => self.enter(Context::Words),
            (Context::Words, _) => self.word(last, c),
            (Context::Single, '\'') | (Context::Double, '"') | (Context::Backquotes, '`') => self.leave(),
            (Context::Single | Context::Double, _) => self.push(c),
            (Context::Comment, '\n') => {
                self.leave();
                self.command(Frame::end_command);
            }
            (Context::Comment | Context::Backquotes | Context::HereDocument, _) => {}
        }
    }

    fn push(&mut self, c: char) {
        self.command(|frame| frame.push(c.encode_utf8(&mut [0; 4])));
    }

    /// Reads a character in no quotes.
    fn word(&mut self, last: char, c: char) {
        let begins = self.frames.last().is_some_and(|frame| !frame.in_word);
        match c {
            '\'' | '"' => {
                self.command(|frame| frame.push(""));
                self.enter(if c == '"' { Context::Double } else { Context::Single });
            }
            '#' if begins => self.enter(Context::Comment),
            '<' if last == '<' => self.enter(Context::HereDocument),
            '(' => self.enter(Context::Words),
            ')' => {
                self.leave();
                self.command(|frame| frame.push(""));
            }
            ';' | '|' | '&' | '\n' => self.command(Frame::end_command),
            '<' | '>' => self.command(|frame| {
                frame.end_word();
                frame.redirected = true;
            }),
            ' ' | '\t' => self.command(Frame::end_word),
            _ => self.push(c),
        }
    }

    /// Returns false where a value would be a program, or where the text is not followed.
    fn allows_value(&mut self) -> bool {
        let mut program = false;
        self.command(|frame| program = frame.program && !frame.redirected && !frame.word.contains('='));
        match self.context() {
            Context::Backquotes | Context::HereDocument => false,
            Context::Comment => true,
            Context::Words | Context::Single | Context::Double => !program && self.last != '$',
        }
    }

    /// Returns the value as it is written here.
    fn value(&mut self, value: &str) -> Result<String, CommandProblem> {
        let told = || Beginning(value.to_owned());
        if value.is_empty() || value == UNKNOWN || value == MASKED {
            return Err(CommandProblem::NotKnown);
        }
        if !self.allows_value() {
            return Err(CommandProblem::NoArgument { value: told() });
        }
        let (mut begins, mut redirected, mut is_name) = (false, false, true);
        self.command(|frame| {
            (begins, redirected, is_name) = (frame.word.is_empty(), frame.redirected, frame.may_name(value));
            frame.push(value);
        });
        // A shell or a program takes these for an option, an assignment or a job.
        let signed = begins && value.starts_with(['-', '+', '=', '%', '@']);
        // `/` is a path of its own, and behind another one the folder itself.
        let is_nothing = !begins && !value.chars().any(char::is_alphanumeric);
        if value.len() > MAX_VALUE || signed || is_nothing || !is_name || (redirected && value.contains('/')) {
            return Err(CommandProblem::NoName { value: told() });
        }
        let bare = self.context() == Context::Words && !std::mem::take(&mut self.escaped);
        self.last = ' ';
        match value {
            plain if is_plain(plain) => Ok(plain.to_owned()),
            unknown if bare && is_placeholder(unknown) => Ok(format!("'{unknown}'")),
            path if bare && is_path(path) => Ok(format!("'{}'", path.replace('\'', r"'\''"))),
            _ => Err(CommandProblem::NoName { value: told() }),
        }
    }
}
