//! `gleaner rules list`: prints all rules.

use std::collections::BTreeMap;
use std::io::Write;

use super::loading::{compiled, loaded, test_counts};
use crate::cli::args::rules::{ListArgs, ListFormat, ProductRelease};
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::model::version::Range;
use crate::rule::listing::{ListedRule, listing};

/// Lists the rules.
pub fn run(args: &ListArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let loaded = loaded(&args.rules, true, err)?;
    let counts = test_counts(&loaded.tests);
    let set = compiled(loaded, err)?;
    let mut rules = listing(&set, &counts);
    if let Some(ProductRelease { product, version }) = &args.version {
        rules.retain(|rule| rule.is_about(product, version));
    }
    let _ = match args.format {
        ListFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &rules).map_err(Into::into).and_then(|()| writeln!(out))
        }
        ListFormat::Text => rules.iter().try_for_each(|rule| {
            let row = args.version.as_ref().map_or_else(|| row(rule), |release| row_of_release(rule, &release.product));
            print_line(out, format_args!("{row}"))
        }),
    };
    Ok(ExitCode::Success)
}

fn row(rule: &ListedRule) -> String {
    let tests = format!("{}+{}", rule.tests.firing, rule.tests.silent);
    format!("{:<48} {:<9} {:<13} {:>5}  {}", rule.id, rule.severity, rule.area, tests, rule.name)
}

/// Begins like [`row`], with the range of the product and the releases that fix it instead of area and tests.
fn row_of_release(rule: &ListedRule, product: &str) -> String {
    let text = |by_product: &BTreeMap<String, String>| by_product.get(product).cloned().unwrap_or_default();
    let fixed = Some(text(&rule.fixed_in)).filter(|fixed| !fixed.is_empty());
    let affects = text(&rule.affects);
    let ends = Range::parse(&affects).is_ok_and(|range| range.ends());
    let fixed = fixed.map_or_else(
        || if ends { "not in later ones" } else { "no fix known" }.to_owned(),
        |fixed| format!("fixed in {fixed}"),
    );
    format!("{:<48} {:<9} {:<18} {fixed:<24}  {}", rule.id, rule.severity, affects, rule.name)
}
