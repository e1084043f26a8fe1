//! `gleaner triage query`: prints an answer.

use std::io::Write;
use std::path::Path;

use crate::bundle::Limits;
use crate::cli::args::triage::{AnswerFormat, QueryArgs};
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::rules::{compiled, known_lines, loaded};
use crate::cli::screen::table_width;
use crate::triage::query::like::Likeness;
use crate::triage::query::sink::{Csv, Json, Sink, Table};
use crate::triage::query::sql::run_sql;
use crate::triage::query::{Question, TemplateFilter};
use crate::triage::worker::analyse_here;
use crate::triage::worker::message::Outcome;
use crate::triage::{QueryError, Store};

/// Bundles shown by `--like`.
const LIKE: usize = 10;

/// Runs a built-in query or SQL.
pub fn run(args: &QueryArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let mut store = Store::open_to_read(&args.store).map_err(|error| usage_error(err, error))?;
    let mut sink: Box<dyn Sink> = match args.format {
        AnswerFormat::Table => Box::new(Table::new(out, table_width())),
        AnswerFormat::Csv => Box::new(Csv::new(out)),
        AnswerFormat::Json => Box::new(Json::new(out)),
    };
    let answered = match (&args.sql, &args.like) {
        (Some(sql), _) => run_sql(&mut store, sql, args.max_time, sink.as_mut()),
        (None, Some(name)) => {
            let top = args.top.map_or(LIKE, |top| usize::try_from(top).unwrap_or(usize::MAX));
            likeness(name, args, &store, err)?.answer(&store, top, sink.as_mut())
        }
        (None, None) => question(args, err)?.answer(&store, sink.as_mut()),
    };
    match answered {
        // A closed pipe is no error; the guard of standard output reports other errors at the end.
        Ok(()) | Err(QueryError::Write(_)) => Ok(ExitCode::Success),
        Err(error) => Err(usage_error(err, error)),
    }
}

/// Describes a bundle of the store, or one that is analysed now.
fn likeness(name: &str, args: &QueryArgs, store: &Store, err: &mut dyn Write) -> Result<Likeness, ExitCode> {
    if let Some(found) = Likeness::of_stored(store, name).map_err(|error| usage_error(err, error))? {
        return Ok(found);
    }
    let path = Path::new(name);
    if !path.exists() {
        let error = anyhow::anyhow!("the store has no bundle or ticket `{name}`, and there is no such file");
        return Err(usage_error(err, error));
    }
    let set = compiled(loaded(&args.rules, true, err)?, err)?;
    match analyse_here(path, set, Limits::default()) {
        Outcome::Analysed(bundles) => match bundles.as_slice() {
            [only] => Ok(Likeness::of_analysed(only)),
            several => {
                let places = several.iter().map(|bundle| bundle.place.as_str()).collect::<Vec<_>>().join(", ");
                Err(usage_error(err, anyhow::anyhow!("`{name}` holds several bundles: {places}; give one of them")))
            }
        },
        Outcome::NoBundle(why) | Outcome::Unreadable(why) => Err(usage_error(err, anyhow::anyhow!("`{name}`: {why}"))),
    }
}

fn question(args: &QueryArgs, err: &mut dyn Write) -> Result<Question, ExitCode> {
    let known = args.known.then(|| known_lines(loaded(&args.rules, true, err)?, err));
    let version = args.version.as_ref().map(|version| match version.split_once('=') {
        Some((product, version)) => (Some(product.to_owned()), version.to_owned()),
        None => (None, version.clone()),
    });
    Ok(Question {
        rule: args.rule.clone(),
        version,
        since: args.period.as_ref().map(|period| period.since.clone()).or_else(|| args.since.clone()),
        until: args.period.as_ref().map(|period| period.until.clone()).or_else(|| args.until.clone()),
        product: args.product.clone(),
        customer: args.customer.clone(),
        ticket: args.ticket.clone(),
        cluster: args.cluster.clone(),
        top: args.top,
        templates: args.templates.then(|| TemplateFilter {
            new_since: args.new_since.clone(),
            clusters: args.min_clusters,
            no_rule: args.no_rule,
        }),
        known: known.transpose()?,
    })
}
