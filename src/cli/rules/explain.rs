//! `gleaner rules explain`: shows texts and plan of a rule, and how far it got on a bundle.

use std::io::{self, Write};
use std::path::Path;

use super::loading::{compiled_around, with_checkout};
use crate::bundle::{Bundle, Limits};
use crate::cli::args::rules::ExplainArgs;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::cli::threads::thread_pool;
use crate::pipeline::{self, Options};
use crate::report;
use crate::report::wrap::{WIDTH, wrapped};
use crate::rule::listing::plain;
use crate::rule::plan::{Join, LookUp, Plan, PlanStep};
use crate::rule::{Explains, FactKind, Rule, RuleSet, StatedComponent, describe};

/// Smallest width of the labels.
const LABEL: usize = 13;

/// Explains one rule, alone or on a bundle.
pub fn run(args: &ExplainArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let set = compiled_around(&args.id, with_checkout(&args.rules, err)?, err)?;
    let one = set.subset(std::slice::from_ref(&args.id)).map_err(|error| usage_error(err, error))?;
    if let Some(bundle) = &args.bundle {
        return on_bundle(&one, bundle, out).map_err(|error| bundle_error(err, error));
    }
    if let Some(rule) = set.find(&args.id) {
        // The guard of standard output reports errors at the end.
        let longest = rule.names.iter().map(|name| name.chars().count() + "unless ".len() + 1).max().unwrap_or(0);
        let _ = RulePage { out, set: &set, rule, width: longest.max(LABEL) }.write();
    }
    Ok(ExitCode::Success)
}

fn on_bundle(set: &RuleSet, path: &Path, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bundle = Bundle::open(path, Limits::default())?;
    let (analysis, explanations) =
        thread_pool(None)?.install(|| pipeline::explain(&bundle, set, Options::default(), &()));
    for explanation in &explanations {
        let _ = out.write_all(report::explanation::text(explanation, &analysis).as_bytes());
    }
    Ok(ExitCode::Success)
}

struct RulePage<'p> {
    out: &'p mut dyn Write,
    set: &'p RuleSet,
    rule: &'p Rule,
    /// Width of the labels.
    width: usize,
}

impl RulePage<'_> {
    fn write(&mut self) -> io::Result<()> {
        let rule = self.rule;
        let (class, severity) = (rule.class.as_str(), rule.severity.as_str());
        print_line(
            self.out,
            format_args!("{} ({class}, {severity}, {}, {})", rule.id, rule.confidence.as_str(), rule.area),
        )?;
        rule.texts.own().name.as_ref().map_or(Ok(()), |name| self.labelled("name", name))?;
        self.texts()?;
        self.relations()?;
        writeln!(self.out)?;
        self.plan()
    }

    fn texts(&mut self) -> io::Result<()> {
        let width = self.width;
        let texts = self.rule.texts.own();
        let own =
            [("title", &texts.title), ("message", &texts.message), ("impact", &texts.impact), ("cause", &texts.cause)];
        for (label, text) in own {
            self.labelled(label, &plain(text.text()))?;
        }
        for (number, step) in texts.remedy.iter().enumerate() {
            let label = if number == 0 { "remedy" } else { "" };
            self.labelled(label, &format!("{}. {}", number + 1, plain(step.action.text())))?;
            if let Some(condition) = &step.condition {
                self.labelled("", &format!("   if {}", condition.text()))?;
            }
            let run = step.run.as_ref().map_or("", |run| run.text());
            for line in run.lines().map(plain).filter(|line| !line.trim().is_empty()) {
                print_line(self.out, format_args!("{:width$}   $ {line}", ""))?;
            }
            if let Some(caution) = &step.caution {
                self.labelled("", &format!("caution: {}", plain(caution.text())))?;
            }
        }
        texts.verify.as_ref().map_or(Ok(()), |verify| self.labelled("verify", &plain(verify.text())))
    }

    fn relations(&mut self) -> io::Result<()> {
        let rule = self.rule;
        let versions: Vec<String> = rule.affects.iter().map(|a| format!("{} {}", a.product, a.range.text())).collect();
        let fixed: Vec<String> =
            rule.fixed_in.iter().map(|(product, versions)| format!("{product} {versions}")).collect();
        let explains = rule.explains.iter().map(explained);
        let by = self.set.rules.iter().filter(|other| other.explains.iter().any(|e| e.rule == rule.id));
        let lists = [
            ("affects", versions),
            ("fixed in", fixed),
            ("explains", explains.collect()),
            ("explained by", by.map(|other| other.id.clone()).collect()),
            ("breaks", stated(&rule.breaks)),
            ("needs", stated(&rule.needs)),
            ("aliases", rule.aliases.clone()),
            ("links", rule.links.clone()),
            ("file", vec![rule.file.clone()]),
        ];
        for (label, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            self.labelled(label, &list.join(", "))?;
        }
        for (number, basis) in rule.basis.iter().enumerate() {
            let label = if number == 0 { "basis" } else { "" };
            let supports: Vec<&str> = basis.supports.iter().map(|name| name.text.as_str()).collect();
            self.labelled(label, &format!("{}: {}", supports.join(", "), basis.source))?;
        }
        Ok(())
    }

    fn plan(&mut self) -> io::Result<()> {
        let plan = Plan::of(self.rule);
        print_line(self.out, format_args!("plan"))?;
        for (number, step) in plan.find.iter().enumerate() {
            self.step(&format!("{}. ", number + 1), step)?;
        }
        for condition in &self.rule.when {
            self.labelled("when", condition.text())?;
        }
        for group in &plan.unless {
            for (number, step) in group.iter().enumerate() {
                self.step(if number == 0 { "unless " } else { "   and " }, step)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, label: &str, step: &PlanStep<'_>) -> io::Result<()> {
        let fact = &self.rule.facts[step.slot];
        let modifiers = describe::modifiers(fact).map(|text| format!(" ({text})")).unwrap_or_default();
        let label = format!("{label}{}", fact.name);
        let several = fact.alternatives.len() > 1;
        if several {
            self.labelled(&label, &format!("matches of one of these{modifiers}"))?;
        }
        for (kind, way) in fact.kinds().zip(&step.ways) {
            let looks_for = describe::sought(self.set, kind);
            match several {
                true => self.detail("any", &looks_for)?,
                false => self.labelled(&label, &format!("{looks_for}{modifiers}"))?,
            }
            self.way(kind, way)?;
        }
        step.then.iter().try_for_each(|condition| self.detail("then", condition.text()))
    }

    fn way(&mut self, kind: &FactKind, way: &LookUp<'_>) -> io::Result<()> {
        if let FactKind::Log(log) = kind {
            self.literals(log.query)?;
        }
        for condition in &way.alone {
            self.detail("once", condition.text())?;
        }
        match &way.join {
            Join::First | Join::Expression => {}
            Join::Once => self.detail("join", "one list for all combinations")?,
            Join::NestedLoop => self.detail("nested loop", "each is compared with each combination before it")?,
            Join::Hash(keys) => {
                for key in keys {
                    self.detail("hash", &key.condition)?;
                }
            }
        }
        let keys = if let Join::Hash(keys) = &way.join { keys.as_slice() } else { &[] };
        let mut tested = way.tested.iter().filter(|c| keys.iter().all(|key| key.condition != c.text()));
        tested.try_for_each(|condition| self.detail("test", condition.text()))
    }

    /// Prints the literals that a line must contain before a pattern is tried.
    fn literals(&mut self, query: usize) -> io::Result<()> {
        let Some(query) = self.set.queries.get(query) else { return Ok(()) };
        for (pattern, literals) in describe::literals(query) {
            let quoted: Vec<String> = literals.iter().map(|literal| format!("{literal:?}")).collect();
            let which = if query.patterns.len() > 1 { format!(" for {pattern}") } else { String::new() };
            self.detail("searched by", &format!("{}{which}", quoted.join(" or ")))?;
        }
        Ok(())
    }

    fn detail(&mut self, how: &str, text: &str) -> io::Result<()> {
        let width = self.width;
        let indent = self.width + how.chars().count() + 2;
        let mut parts = wrapped(text, WIDTH.saturating_sub(indent)).into_iter();
        let first = parts.next().unwrap_or_default();
        print_line(self.out, format_args!("{:width$}{how}: {first}", ""))?;
        parts.try_for_each(|part| print_line(self.out, format_args!("{:indent$}{part}", "")))
    }

    fn labelled(&mut self, label: &str, text: &str) -> io::Result<()> {
        let width = self.width;
        let mut parts = wrapped(text, WIDTH.saturating_sub(width)).into_iter();
        let first = parts.next().unwrap_or_default();
        print_line(self.out, format_args!("{label:<width$}{first}"))?;
        parts.try_for_each(|part| print_line(self.out, format_args!("{:width$}{part}", "")))
    }
}

/// Returns what a rule breaks or needs, with the objects and the condition.
fn stated(components: &[StatedComponent]) -> Vec<String> {
    components.iter().map(StatedComponent::to_string).collect()
}

/// Returns a symptom with what it must share with its cause in addition to objects.
fn explained(explained: &Explains) -> String {
    let on_node = explained.on_node.then(|| "on the node".to_owned());
    let within = explained.within.map(|within| format!("within {within:#}"));
    let condition = explained.condition.as_ref().map(|condition| format!("if {}", condition.text()));
    let common: Vec<String> = on_node.into_iter().chain(within).chain(condition).collect();
    if common.is_empty() { explained.rule.clone() } else { format!("{} ({})", explained.rule, common.join(", ")) }
}
