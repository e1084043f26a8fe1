//! `gleaner events`: shows events by time.

use std::io::{self, BufWriter, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::notes::note;
use super::session::Session;
use super::table;
use crate::cli::args::EventsArgs;
use crate::cli::args::explore::AnswerFormat;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::explore::Opened;
use crate::explore::events::{EventChoice, ShownEvent, events, not_collected};
use crate::model::{ObjectRef, age};
use crate::report::words::counted;

/// Shows the events that the arguments ask for.
pub fn run(args: &EventsArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    shown(args, out, err).unwrap_or_else(|code| code)
}

fn shown(args: &EventsArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let session = Session::open(&args.bundle, err)?;
    let opened = session.install(|| Opened::read(&session.bundle, &()));
    let (resources, now) = (opened.resources(), opened.now());
    let period = args.period.period(now).map_err(|error| usage_error(err, error))?;
    let choice = EventChoice {
        namespace: args.namespace.clone(),
        object: args.object.clone(),
        types: args.types.clone(),
        period,
    };
    let missing = not_collected(resources, args.namespace.as_deref());
    if let Some(why) = missing {
        if resources.events().is_empty() {
            return Err(bundle_error(err, anyhow::anyhow!("the bundle has no events: {why}")));
        }
        note(err, &format!("events may be missing: {why}"));
    }
    let found = events(resources, &choice);
    if found.undated > 0 {
        note(err, &format!("{} without a time left out", counted(found.undated, "event")));
    }
    if found.events.is_empty() {
        note(err, "no event is chosen");
        return Ok(ExitCode::Success);
    }
    let rows: Vec<Row> = session.answer(|text| found.events.iter().map(|event| Row::of(event, text)).collect());
    let mut out = BufWriter::new(out);
    // The guard of standard output reports errors at the end.
    let _ = match args.output {
        AnswerFormat::Json => rows.iter().try_for_each(|row| row.write_json(&mut out)),
        AnswerFormat::Text => write_table(&mut out, &rows, args.namespace.is_none(), now),
    };
    let _ = out.flush();
    Ok(ExitCode::Success)
}

/// An event as it is written.
#[derive(Serialize)]
struct Row {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    #[serde(rename = "type")]
    type_: String,
    reason: String,
    namespace: Option<String>,
    object: JsonObject,
    count: u64,
    source: Option<String>,
    host: Option<String>,
    message: String,
    entry: String,
    line: Option<u64>,
}

/// An object in JSON.
#[derive(Serialize)]
pub struct JsonObject {
    kind: String,
    group: String,
    namespace: Option<String>,
    name: String,
}

impl JsonObject {
    /// Takes the names of an object as `text` shows them.
    pub fn of(object: &ObjectRef, text: &dyn Fn(&str) -> String) -> Self {
        let ObjectRef { kind, group, namespace, name } = object;
        let (kind, group) = (kind.clone(), group.clone());
        Self { kind, group, namespace: namespace.as_deref().map(text), name: text(name) }
    }

    /// Formats as kubectl does: `pod/web-0`.
    pub fn short(&self) -> String {
        format!("{}/{}", self.kind.to_lowercase(), self.name)
    }
}

impl Row {
    fn of(shown: &ShownEvent<'_>, text: &dyn Fn(&str) -> String) -> Self {
        let event = shown.event;
        Self {
            first: event.first,
            last: event.last,
            type_: event.type_.clone(),
            reason: event.reason.clone(),
            namespace: shown.namespace.map(text),
            object: JsonObject::of(&event.object, text),
            count: event.count,
            source: event.source.clone(),
            host: event.host.as_deref().map(text),
            message: text(&shown.message),
            entry: text(&shown.place.entry),
            line: shown.place.line,
        }
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        writeln!(out)
    }

    /// Returns the cells; times are ages where the time of the collection is known.
    fn cells(&self, with_namespace: bool, now: Option<Timestamp>) -> Vec<String> {
        let last = match (self.last, now) {
            (Some(last), Some(now)) => age::human(now.duration_since(last)),
            (Some(last), None) => last.to_string(),
            (None, _) => "<unknown>".to_owned(),
        };
        let namespace = with_namespace.then(|| self.namespace.clone().unwrap_or_default());
        let cells = [
            last,
            self.type_.clone(),
            self.reason.clone(),
            self.object.short(),
            self.count.to_string(),
            self.message.clone(),
        ];
        namespace.into_iter().chain(cells).collect()
    }
}

fn write_table(out: &mut dyn Write, rows: &[Row], with_namespace: bool, now: Option<Timestamp>) -> io::Result<()> {
    let heads = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "COUNT", "MESSAGE"];
    let heads = with_namespace.then_some("NAMESPACE").into_iter().chain(heads).map(str::to_owned).collect();
    let lines = rows.iter().map(|row| row.cells(with_namespace, now));
    table::write(out, &[heads].into_iter().chain(lines).collect::<Vec<_>>())
}
