//! Search plan for one class of sources: the queries that read it, and one automaton over the
//! literals of all their patterns.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use crate::log::pattern::expression::ExpressionId;
use crate::log::pattern::grams::{Grams, SHORTEST};
use crate::log::pattern::literal_table::{Literal, LiteralTable};
use crate::log::pattern::query::QueryId;

/// Number of literals up to which the packed searcher of an automaton beats sampling, unless case is ignored.
const FEW_LITERALS: usize = 16;
/// Number of literals up to which an automaton can have a packed searcher.
const PACKED_LITERALS: usize = 64;

/// Index of a query in its [`Plan`].
pub(in crate::log) type Slot = usize;

/// The queries of one class of sources.
#[derive(Debug)]
pub(in crate::log) struct Plan {
    /// Ascending.
    pub queries: Vec<QueryId>,
    /// Each expression of the queries once, with the queries that use it.
    pub tests: Vec<(ExpressionId, Vec<Slot>)>,
    /// Tests of each query, in the order of its patterns.
    pub patterns: Vec<Vec<usize>>,
    /// Tests without a literal: they are tried on every line.
    pub always: Vec<usize>,
    literals: Option<Literals>,
}

/// Finds literals: many by sampling, few or very short ones with an automaton.
#[derive(Debug)]
struct Literals {
    known: Vec<Literal>,
    /// Where in `tests` those of each literal begin, and the end of the last ones.
    begins: Vec<usize>,
    /// Tests that need a literal.
    tests: Vec<usize>,
    grams: Option<Grams>,
    automaton: Option<Automaton>,
}

#[derive(Debug)]
struct Automaton {
    searcher: Searcher,
    /// The literal of each of its patterns.
    literals: Vec<usize>,
}

/// Ways to find the literals of an automaton.
#[derive(Debug)]
enum Searcher {
    /// The leftmost one, with a packed search of the text. All literals of a line are found by restarting after the beginning of each: a
    /// search for overlapping literals reads every byte separately and took a fifth of the whole scan.
    Packed(AhoCorasick),
    /// All of them, byte by byte.
    Overlapping(AhoCorasick),
}

impl Plan {
    /// Makes a plan for queries and the expressions that they use, in the order of slots.
    pub fn new(queries: Vec<QueryId>, used: &[Cow<'_, [ExpressionId]>], table: &LiteralTable) -> Self {
        let mut tests: Vec<(ExpressionId, Vec<Slot>)> = Vec::new();
        let mut patterns = Vec::with_capacity(used.len());
        let mut by_expression = vec![None; table.expressions()];
        for (slot, ids) in used.iter().enumerate() {
            let mut own = Vec::with_capacity(ids.len());
            for id in &**ids {
                let Some(known) = by_expression.get_mut(*id) else { continue };
                let at = *known.get_or_insert(tests.len());
                own.push(at);
                match tests.get_mut(at) {
                    Some((_, slots)) => slots.push(slot),
                    None => tests.push((*id, vec![slot])),
                }
            }
            patterns.push(own);
        }
        let mut plan = Self { queries, tests, patterns, always: Vec::new(), literals: None };
        plan.gather(table);
        plan
    }

    fn gather(&mut self, table: &LiteralTable) {
        let mut known = Vec::new();
        let mut numbers = vec![None; table.len()];
        let mut needed = Vec::new();
        for (test, (id, _)) in self.tests.iter().enumerate() {
            let Some(literals) = table.of(*id) else {
                self.always.push(test);
                continue;
            };
            for id in literals {
                let Some((number, literal)) = numbers.get_mut(*id).zip(table.get(*id)) else { continue };
                let number = *number.get_or_insert_with(|| {
                    known.push(literal.clone());
                    known.len() - 1
                });
                needed.push((number, test));
            }
        }
        if known.is_empty() {
            return;
        }
        self.literals = Literals::new(known, needed);
        if self.literals.is_none() {
            self.always = (0..self.tests.len()).collect();
        }
    }

    /// Begins a search for lines with literals.
    pub fn search<'p>(&'p self, text: &'p [u8]) -> Search<'p> {
        Search { literals: self.literals.as_ref(), text, sampled: Next::Unknown, automatic: Next::Unknown }
    }

    /// Calls `each` with the tests whose literals a text contains, possibly several times with the same one.
    pub fn tests_of(&self, text: &[u8], mut each: impl FnMut(usize)) {
        self.always.iter().for_each(|test| each(*test));
        let Some(literals) = &self.literals else { return };
        let mut tell = |literal: usize| {
            literals.tests_of(literal).iter().for_each(|test| each(*test));
        };
        if let Some(grams) = &literals.grams {
            grams.each(&literals.known, text, &mut tell);
        }
        if let Some(automaton) = &literals.automaton {
            automaton.each(&literals.known, text, &mut tell);
        }
    }
}

/// A search through one text, from line to line.
pub(in crate::log) struct Search<'p> {
    literals: Option<&'p Literals>,
    text: &'p [u8],
    sampled: Next,
    automatic: Next,
}

/// Next find of one searcher; kept while the other one is behind, otherwise both would read everything twice.
#[derive(Clone, Copy)]
enum Next {
    Unknown,
    At(usize),
    Nowhere,
}

impl Next {
    fn from(self, from: usize, find: impl FnOnce() -> Option<usize>) -> Self {
        match self {
            Self::At(at) if at >= from => self,
            Self::Nowhere => self,
            Self::At(_) | Self::Unknown => find().map_or(Self::Nowhere, Self::At),
        }
    }

    fn position(self) -> Option<usize> {
        match self {
            Self::At(at) => Some(at),
            Self::Unknown | Self::Nowhere => None,
        }
    }
}

impl Search<'_> {
    /// Returns a literal on the first line that has one, at or after the start of a line.
    pub fn next(&mut self, from: usize) -> Option<usize> {
        let literals = self.literals?;
        let sample = || literals.grams.as_ref()?.find(&literals.known, self.text, from);
        self.sampled = self.sampled.from(from, sample);
        let find = || literals.automaton.as_ref()?.find(self.text, from);
        self.automatic = self.automatic.from(from, find);
        [self.sampled, self.automatic].into_iter().filter_map(Next::position).min()
    }
}

impl Literals {
    /// Builds an automaton; `None` if there are too many literals. `needed` are tests by the number of a literal that they need.
    fn new(known: Vec<Literal>, mut needed: Vec<(usize, usize)>) -> Option<Self> {
        let sampled = known.len() > FEW_LITERALS || known.iter().any(|literal| literal.ignore_case);
        let grams = if sampled { Grams::new(&known) } else { None };
        let rest = known.iter().enumerate().filter(|(_, l)| !sampled || l.bytes.len() < SHORTEST);
        let rest: Vec<usize> = rest.map(|(index, _)| index).collect();
        let automaton = if rest.is_empty() { None } else { Some(Automaton::new(&known, rest)?) };
        needed.sort_unstable();
        let begins = (0..=known.len()).map(|number| needed.partition_point(|(of, _)| *of < number)).collect();
        let tests = needed.into_iter().map(|(_, test)| test).collect();
        Some(Self { known, begins, tests, grams, automaton })
    }

    /// Returns the tests that need a literal.
    fn tests_of(&self, literal: usize) -> &[usize] {
        let bounds = self.begins.get(literal).zip(self.begins.get(literal + 1));
        bounds.and_then(|(begin, end)| self.tests.get(*begin..*end)).unwrap_or_default()
    }
}

impl Automaton {
    fn new(known: &[Literal], literals: Vec<usize>) -> Option<Self> {
        let chosen = || literals.iter().filter_map(|index| known.get(*index));
        let ignore_case = chosen().any(|literal| literal.ignore_case);
        let build = |matches: MatchKind| {
            let mut builder = AhoCorasick::builder();
            builder.match_kind(matches).ascii_case_insensitive(ignore_case).kind(Some(AhoCorasickKind::DFA));
            builder.build(chosen().map(|literal| &*literal.bytes)).ok()
        };
        let packed = literals.len() <= PACKED_LITERALS && !ignore_case;
        let packed = if packed { build(MatchKind::LeftmostFirst).map(Searcher::Packed) } else { None };
        let searcher = packed.or_else(|| build(MatchKind::Standard).map(Searcher::Overlapping))?;
        Some(Self { searcher, literals })
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let (Searcher::Packed(searcher) | Searcher::Overlapping(searcher)) = &self.searcher;
        searcher.find(Input::new(text).range(from..)).map(|found| found.start())
    }

    /// Calls `each` with every literal in a text, possibly several times.
    fn each(&self, known: &[Literal], text: &[u8], mut tell: impl FnMut(usize)) {
        match &self.searcher {
            Searcher::Packed(searcher) => {
                let mut at = 0;
                while let Some(found) = searcher.find(Input::new(text).range(at..)) {
                    let there = text.get(found.start()..).unwrap_or_default();
                    let begins =
                        |index: &&usize| known.get(**index).is_some_and(|known| there.starts_with(&known.bytes));
                    self.literals.iter().filter(begins).for_each(|index| tell(*index));
                    at = found.start() + 1;
                }
            }
            Searcher::Overlapping(searcher) => {
                for found in searcher.find_overlapping_iter(text) {
                    let Some(index) = self.literals.get(found.pattern().as_usize()) else { continue };
                    let Some(literal) = known.get(*index) else { continue };
                    // One automaton serves both kinds of literals and ignores case if any does.
                    if literal.ignore_case || text.get(found.range()) == Some(&*literal.bytes) {
                        tell(*index);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::pattern::expression::Expression;

    fn plan(patterns: &[&str]) -> Plan {
        let expressions: Vec<Expression> = patterns.iter().map(|p| Expression::new(p).unwrap()).collect();
        let used: Vec<Cow<'_, [ExpressionId]>> = (0..patterns.len()).map(|id| vec![id].into()).collect();
        Plan::new((0..patterns.len()).collect(), &used, &LiteralTable::new(&expressions))
    }

    fn tests_of(plan: &Plan, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        plan.tests_of(text.as_bytes(), |test| found.push(test));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn every_literal_of_a_line_is_seen() {
        let plan = plan(&["lost leader", "leader elected", r"lead\w+ at", "(?i)ERROR", r"\d+"]);
        assert_eq!(plan.always, [4]);
        assert_eq!(tests_of(&plan, "lost leader elected"), [0, 1, 2, 4]);
        assert_eq!(tests_of(&plan, "Lost Leader: Error"), [3, 4]);
        assert_eq!(plan.search(b"nothing\nleader elected").next(0), Some(8));
        assert_eq!(plan.search(b"nothing").next(0), None);
    }

    #[test]
    fn shared_expressions_are_tested_once() {
        let expressions = [Expression::new("shared text").unwrap(), Expression::new("own text").unwrap()];
        let plan = Plan::new(vec![3, 7], &[vec![0].into(), vec![0, 1].into()], &LiteralTable::new(&expressions));
        assert_eq!(plan.tests, [(0, vec![0, 1]), (1, vec![1])]);
    }

    #[test]
    fn many_literals_need_no_packed_searcher() {
        let patterns: Vec<String> = (0..3000).map(|n| format!("literal number {n} of many")).collect();
        let plan = plan(&patterns.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(tests_of(&plan, "literal number 2999 of many"), [2999]);
        assert_eq!(plan.search(b"..literal number 17 of many").next(0), Some(2));
    }
}
