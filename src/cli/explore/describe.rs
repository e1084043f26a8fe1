//! `gleaner describe`: prints objects with everything around them.

use std::io::Write;

use super::notes::{self, print_notes};
use super::session::Session;
use crate::cli::args::DescribeArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_text;
use crate::cli::rules;
use crate::explore::get::{self, Filter, Request};
use crate::explore::types::TypeCatalogue;
use crate::explore::{Opened, describe};
use crate::pipeline::{self, Options};

/// Analyses the bundle, and prints the objects.
pub fn run(args: &DescribeArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    described(args, out, err).unwrap_or_else(|code| code)
}

fn described(args: &DescribeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let filter = Filter::new(args.namespace.clone(), &args.selector, "").map_err(|error| usage_error(err, error))?;
    let loaded = rules::chosen(&args.rules, err)?;
    let set = rules::compiled(loaded, err)?;
    let session = Session::open(&args.bundle, err)?;
    let options = Options { inventory: true, ..Options::default() };
    let (analysis, input) = session.install(|| pipeline::examine(&session.bundle, &set, options, &()));
    let opened = Opened::of(&session.bundle, input);
    let catalogue = TypeCatalogue::of(opened.resources());
    let request = get::asked(&catalogue, &args.asked).and_then(|asked| Request::new(asked, filter, None));
    let request = request.map_err(|error| usage_error(err, error))?;
    let made = session.viewed(false, |view| {
        let answer = describe::subjects(&opened, &request, view)?;
        let ids = answer.listings.iter().flat_map(|listing| &listing.ids);
        let pages = ids.map(|id| {
            let lines = session.install(|| describe::last_lines(&opened, *id));
            describe::page(&opened, &analysis, view, *id, &lines)
        });
        anyhow::Ok((pages.collect::<Vec<_>>().join("\n\n"), notes::of(&request, &answer, false, view)))
    });
    let (text, notes) = made.map_err(|error| usage_error(err, error))?;
    // The guard of standard output reports errors at the end.
    let _ = print_text(out, &text);
    Ok(print_notes(err, notes))
}
