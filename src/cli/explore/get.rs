//! `gleaner get`: prints objects of a bundle.

use std::io::Write;

use crate::cli::args::GetArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_text;
use crate::explore::Opened;
use crate::explore::get::output::Output;
use crate::explore::get::{self, Filter, Format, Request};
use crate::explore::types::TypeCatalogue;

use super::notes::{self, print_notes};
use super::session::Session;

/// Finds the objects, prints them, and says what is missing.
pub fn run(args: &GetArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    listed(args, out, err).unwrap_or_else(|code| code)
}

fn listed(args: &GetArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let format = Format::parse(&args.output).map_err(|error| usage_error(err, error))?;
    let filter = Filter::new(args.namespace.clone(), &args.selector, &args.field_selector);
    let filter = filter.map_err(|error| usage_error(err, error))?;
    let session = Session::open(&args.bundle, err)?;
    let opened = session.install(|| Opened::read(&session.bundle, &()));
    let catalogue = TypeCatalogue::of(opened.resources());
    let request =
        get::asked(&catalogue, &args.asked).and_then(|asked| Request::new(asked, filter, args.sort_by.as_deref()));
    let request = request.map_err(|error| usage_error(err, error))?;
    let made = session.viewed(args.show_managed_fields, |view| {
        let answer = get::answer(&opened, &request, view)?;
        let output = Output {
            opened: &opened,
            view,
            format: &format,
            with_headers: !args.no_headers,
            with_labels: args.show_labels,
        };
        let text = output.text(&request, &answer)?;
        let notes = notes::of(&request, &answer, args.ignore_not_found, view);
        anyhow::Ok((text, notes))
    });
    let (text, notes) = made.map_err(|error| usage_error(err, error))?;
    // The guard of standard output reports errors at the end.
    let _ = match format {
        // Escapes are part of these formats, so nothing in them can control a terminal.
        Format::Json | Format::Yaml => out.write_all(text.as_bytes()),
        _ => print_text(out, &text),
    };
    Ok(print_notes(err, notes))
}
