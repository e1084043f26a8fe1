//! The state of compiling one rule, and how its expressions are compiled.

use std::sync::Arc;

use crate::expr::{Conjuncts, ErrorKind, Expr, ExprError, Scope, Slot};
use crate::log::LogQuery;
use crate::rule::check::knowledge::Knowledge;
use crate::rule::compile::scan;
use crate::rule::error::{Code, Diagnostics, Source};
use crate::rule::source::reader::Written;
use crate::rule::source::rule::RuleSource;
use crate::rule::source::yaml_pitfalls;
use crate::rule::streams::Streams;

/// Inputs that all rules are compiled with.
pub struct Surroundings<'c> {
    pub streams: &'c Streams,
    pub known: &'c Knowledge,
    /// Names and sources are demanded.
    pub strict: bool,
    /// Returns whether a rule file was checked by the tests of this program.
    pub tested: fn(&Source) -> bool,
}

/// Compiles one rule.
pub struct Compiler<'c> {
    pub diagnostics: &'c mut Diagnostics,
    pub streams: &'c Streams,
    /// Known fields of objects.
    pub known: &'c Knowledge,
    /// The file was checked by the tests of this program.
    pub tested: bool,
    pub source: &'c RuleSource,
    /// Names by slot: facts of `find`, then of `unless`.
    pub names: Arc<[String]>,
    /// The number of names of `find`.
    pub find: usize,
    pub queries: Vec<LogQuery>,
    /// All expressions, also those with errors, for the checks that need all facts.
    pub understood: Vec<Understood>,
}

/// An expression as far as it was understood, with its place.
pub struct Understood {
    pub written: Written,
    pub expr: Expr,
    /// The slot that `self` refers to.
    pub this: Option<Slot>,
    /// True if it must be true or false.
    pub is_condition: bool,
}

impl Compiler<'_> {
    /// An expression outside the facts, which sees those of `find`.
    pub fn outside(&mut self, written: &Written) -> Option<Expr> {
        self.expr(written, self.find, None)
    }

    /// A condition outside the facts, which sees those of `find`.
    pub fn condition_outside(&mut self, written: &Written) -> Option<Expr> {
        self.condition(written, self.find, None)
    }

    /// An expression that sees the first `visible` names.
    pub fn expr(&mut self, written: &Written, visible: usize, this: Option<Slot>) -> Option<Expr> {
        self.understand(written, visible, this, false)
    }

    /// A condition that sees the first `visible` names.
    pub fn condition(&mut self, written: &Written, visible: usize, this: Option<Slot>) -> Option<Expr> {
        self.understand(written, visible, this, true)
    }

    /// The terms of a condition that sees the first `visible` names.
    pub fn conjuncts(&mut self, written: &Written, visible: usize, this: Option<Slot>) -> Option<Conjuncts> {
        if self.tested {
            return Some(Conjuncts::tested(&written.text, &self.names, visible, this));
        }
        self.condition(written, visible, this).map(Conjuncts::of)
    }

    fn understand(
        &mut self,
        written: &Written,
        visible: usize,
        this: Option<Slot>,
        is_condition: bool,
    ) -> Option<Expr> {
        if self.tested {
            return Some(Expr::tested(&written.text, &self.names, visible, this));
        }
        let scope = Scope { names: self.names.get(..visible).unwrap_or_default(), this, tested: false };
        let (expr, errors) = Expr::attempt(&written.text, scope);
        let understood = expr.clone().map(|expr| Understood { written: written.clone(), expr, this, is_condition });
        self.understood.extend(understood);
        let too_large = expr.iter().flat_map(Expr::patterns).find_map(|pattern| pattern.regex().err());
        too_large.into_iter().for_each(|message| {
            self.diagnostics.report(Code::Expression, written.range.clone(), message);
        });
        let good = errors.is_empty();
        for error in errors {
            self.expression_error(written, visible, error);
        }
        expr.filter(|_| good)
    }

    pub fn expression_error(&mut self, written: &Written, visible: usize, error: ExprError) {
        let start = error.range.start;
        let range = written.part(self.diagnostics.text(), error.range);
        let comment = yaml_pitfalls::comment(self.diagnostics.text(), written.range.clone());
        let unbound = matches!(error.kind, ErrorKind::Unbound(_));
        let key = unbound.then(|| scan::key_with_sign(&written.text, start)).flatten();
        let key = key.map(|key| format!("write a name with - or / in brackets: ['{key}']"));
        let comment = comment.map(str::to_owned);
        let hint = comment.or_else(|| self.hidden(visible, &error.kind)).or(key).or(error.hint);
        self.report_inner(Code::Expression, &error.kind, range, &error.message, hint);
    }

    /// Reports the errors of an expression or template in the form of all diagnostics.
    pub fn report_inner(
        &mut self,
        code: Code,
        kind: &ErrorKind,
        range: std::ops::Range<usize>,
        message: &str,
        hint: Option<String>,
    ) {
        let code = match kind {
            ErrorKind::Unbound(_) => Code::UnboundName,
            ErrorKind::Wrong => code,
        };
        let quoted = |text: &str| text.replace('`', "\"");
        match hint {
            Some(hint) if hint.starts_with("did you mean") => {
                self.diagnostics.report(code, range, format!("{}; {}", quoted(message), quoted(&hint)));
            }
            Some(hint) => self.diagnostics.report(code, range, quoted(message)).hint(quoted(&hint)),
            None => {
                self.diagnostics.report(code, range, quoted(message));
            }
        }
    }

    /// Explains why a name is not visible although a fact has it.
    pub fn hidden(&self, visible: usize, kind: &ErrorKind) -> Option<String> {
        let ErrorKind::Unbound(name) = kind else { return None };
        let slot = self.names.iter().position(|known| known == name)?;
        (slot >= visible)
            .then(|| format!("\"{name}\" is a fact of unless: it must not be found, so it is usable only in unless"))
    }
}
