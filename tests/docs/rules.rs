//! Every rule, piece of a rule and rule test of the pages.

use gleaner::internals::rule::load::{Loaded, embedded};
use gleaner::internals::rule::{RuleError, RuleSet, Source, Streams, compile};
use gleaner::internals::verify;

use crate::page::{Block, Page};

/// Text around a piece of a rule.
const BEFORE: &str = "id: example\ntitle: x\nseverity: low\nconfidence: likely\narea: workload\n";
const AFTER: &str = "message: x\nimpact: x\ncause: x\nremedy: [{do: x}]\n";

pub fn streams() -> Streams {
    Streams::parse(embedded().streams).unwrap()
}

/// Compiles the part of a rule that begins with `find`.
pub fn piece(facts: &str) -> Result<RuleSet, Vec<RuleError>> {
    let text = format!("{BEFORE}{facts}{AFTER}");
    compile(vec![Source { file: "rules/example.yaml".to_owned(), text }], &streams())
}

/// A rule of a page with the file that its id names.
fn rule_source(block: &Block) -> Source {
    let id = block.text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    Source { file: format!("rules/page/{id}.yaml"), text: block.text.clone() }
}

/// Rules with one more.
fn with(rules: Loaded, source: Source) -> Loaded {
    rules.replaced_by(Loaded { sources: vec![source], ..Loaded::default() })
}

fn told(errors: &[RuleError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_rule_compiles_without_warning() {
    let mut rules = embedded();
    for block in Page::read("docs/rule-language.md").blocks("yaml rule") {
        rules = with(rules, rule_source(block));
        let set = compile(rules.sources.clone(), &streams());
        let set = set.unwrap_or_else(|errors| panic!("line {}:\n{}", block.line, told(&errors)));
        assert!(set.warnings.is_empty(), "line {}:\n{}", block.line, told(&set.warnings));
    }
}

#[test]
fn every_piece_of_a_rule_compiles_without_warning() {
    let page = Page::read("docs/rule-language.md");
    for block in page.blocks("yaml facts").into_iter().filter(|block| block.info == "yaml facts") {
        let set = piece(&block.text).unwrap_or_else(|errors| panic!("line {}:\n{}", block.line, told(&errors)));
        assert!(set.warnings.is_empty(), "line {}:\n{}", block.line, told(&set.warnings));
    }
}

#[test]
fn every_error_reads_as_shown() {
    let page = Page::read("docs/rule-language.md");
    let mut seen = 0;
    for pair in page.blocks.windows(2).filter(|pair| pair[0].is("yaml facts error")) {
        assert!(pair[1].is("text error"), "line {}: the output is missing", pair[0].line);
        let errors = piece(&pair[0].text).err().unwrap_or_default();
        assert_eq!(told(&errors), pair[1].text, "line {}", pair[1].line);
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn every_test_passes() {
    let page = Page::read("docs/rule-language.md");
    // A rule that the page writes twice is tested as it is at last.
    let rules = page.blocks("yaml rule").into_iter().map(rule_source).fold(embedded(), with);
    let (streams, set) = (streams(), compile(rules.sources, &streams()).unwrap());
    for block in page.blocks("yaml test") {
        let test = Source { file: format!("docs/rule-language.md:{}", block.line), text: block.text.clone() };
        let report = verify::run(&set, &streams, &[test]);
        let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(report.passed > 1, "line {}", block.line);
    }
}
