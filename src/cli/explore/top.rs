//! `gleaner top`: prints what nodes and pods used.

use std::io::Write;

use super::notes::print_notes;
use super::session::Session;
use crate::cli::args::TopArgs;
use crate::cli::args::top::{Measure, Measured};
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_text;
use crate::explore::Opened;
use crate::explore::top::{self, By, NoMetrics, Of, Request};

/// Reads the metrics and prints them.
pub fn run(args: &TopArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    printed(args, out, err).unwrap_or_else(|code| code)
}

fn printed(args: &TopArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let session = Session::open(&args.bundle, err)?;
    let opened = session.install(|| Opened::read(&session.bundle, &()));
    let request = request(args);
    match session.viewed(false, |view| top::table(&opened, view, &request)) {
        Ok(table) => {
            // The guard of standard output reports errors at the end.
            let _ = print_text(out, &table.text(!args.no_headers));
            Ok(ExitCode::Success)
        }
        Err(NoMetrics::NotCollected(why)) => Ok(print_notes(err, vec![(ExitCode::Bundle, why.to_string())])),
        Err(NoMetrics::Absent) => {
            let note = "none of these was measured; metrics of others were collected".to_owned();
            Ok(print_notes(err, vec![(ExitCode::Findings, note)]))
        }
    }
}

fn request(args: &TopArgs) -> Request {
    let of = match args.of {
        Measured::Nodes => Of::Nodes,
        Measured::Pods if args.containers => Of::Containers,
        Measured::Pods => Of::Pods,
    };
    let by = match args.sort_by {
        None => By::Name,
        Some(Measure::Cpu) => By::Cpu,
        Some(Measure::Memory) => By::Memory,
    };
    Request { of, names: args.names.clone(), namespace: args.namespace.clone(), by }
}
