//! `gleaner timeline`: shows what happened when.

use std::io::{self, BufWriter, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::events::JsonObject;
use super::lines::{time, write_columns};
use super::notes::note;
use super::session::Session;
use crate::cli::args::TimelineArgs;
use crate::cli::args::explore::AnswerFormat;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::cli::rules;
use crate::explore::timeline::{NoHistory, Occurrence, Occurrences, of_cluster, of_object};
use crate::pipeline::{self, Options};
use crate::report::words::counted;

/// Shows the occurrences that the arguments ask for.
pub fn run(args: &TimelineArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    shown(args, out, err).unwrap_or_else(|code| code)
}

fn shown(args: &TimelineArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let loaded = rules::chosen(&args.rules, err)?;
    let set = rules::compiled(loaded, err)?;
    let session = Session::open(&args.bundle, err)?;
    let options = Options { inventory: true, ..Options::default() };
    let (analysis, input) = session.install(|| pipeline::examine(&session.bundle, &set, options, &()));
    let period = args.period.period(input.world.now).map_err(|error| usage_error(err, error))?;
    let found = match &args.object {
        None => of_cluster(&analysis, period),
        Some(object) => {
            of_object(&analysis, &input, object, args.namespace.as_deref(), period).map_err(|why| match why {
                NoHistory::Unknown => bundle_error(err, why),
                NoHistory::Several(_) => usage_error(err, why),
            })?
        }
    };
    remarks(&found, err);
    let rows: Vec<Row> = session.answer(|text| found.items.iter().map(|item| Row::of(item, text)).collect());
    let mut out = BufWriter::new(out);
    // The guard of standard output reports errors at the end.
    let _ = rows.iter().try_for_each(|row| match args.output {
        AnswerFormat::Json => row.write_json(&mut out),
        AnswerFormat::Text => row.write(&mut out),
    });
    let _ = out.flush();
    Ok(ExitCode::Success)
}

fn remarks(found: &Occurrences, err: &mut dyn Write) {
    if let Some(why) = &found.not_collected {
        note(err, &format!("events may be missing: {why}"));
    }
    if found.left_out > 0 {
        note(err, &format!("{} left out, because there are too many", counted(found.left_out, "earlier occurrence")));
    }
    if found.undated > 0 {
        note(err, &format!("{} without a time left out", counted(found.undated, "occurrence")));
    }
    if found.items.is_empty() {
        note(err, "nothing is known for that time");
    }
}

/// An occurrence as it is written.
#[derive(Serialize)]
struct Row {
    from: Timestamp,
    to: Timestamp,
    count: u64,
    kind: &'static str,
    object: Option<JsonObject>,
    text: String,
    entry: Option<String>,
    line: Option<u64>,
}

impl Row {
    fn of(item: &Occurrence, text: &dyn Fn(&str) -> String) -> Self {
        Self {
            from: item.from,
            to: item.to,
            count: item.count,
            kind: item.kind.as_str(),
            object: item.object.as_ref().map(|object| JsonObject::of(object, text)),
            text: text(&item.text),
            entry: item.place.as_ref().map(|place| text(&place.entry)),
            line: item.place.as_ref().and_then(|place| place.line),
        }
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        writeln!(out)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let object = self.object.as_ref().map(JsonObject::short).unwrap_or_default();
        let again = match self.count {
            0 | 1 => String::new(),
            count => format!(" ({count} times until {})", time(Some(self.to)).trim_end()),
        };
        let text = format!("{}{again}", crate::model::clean::one_line(&self.text));
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = self.entry.as_ref().map(|entry| format!("{entry}{line}"));
        let when = time(Some(self.from));
        let kind = format!("{:<9}", self.kind);
        let columns: [&str; 4] = [&when, &kind, &object, &text];
        write_columns(out, &columns.into_iter().chain(place.as_deref()).collect::<Vec<_>>())
    }
}
