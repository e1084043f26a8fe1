//! `gleaner triage query`: prints an answer.

use std::io::Write;

use crate::cli::args::triage::{AnswerFormat, QueryArgs};
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::rules::{known_lines, loaded};
use crate::triage::query::question::run_sql;
use crate::triage::query::sink::{Csv, Json, Sink, Table};
use crate::triage::query::{Question, TemplateFilter};
use crate::triage::{QueryError, Store};

/// Runs a built-in query or SQL.
pub fn run(args: &QueryArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let mut store = Store::open_to_read(&args.store).map_err(|error| usage_error(err, error))?;
    let mut sink: Box<dyn Sink> = match args.format {
        AnswerFormat::Table => Box::new(Table::new(out)),
        AnswerFormat::Csv => Box::new(Csv::new(out)),
        AnswerFormat::Json => Box::new(Json::new(out)),
    };
    let answered = match &args.sql {
        Some(sql) => run_sql(&mut store, sql, args.max_time, sink.as_mut()),
        None => question(args, err)?.answer(&store, sink.as_mut()),
    };
    match answered {
        // A closed pipe is no error; the guard of standard output reports other errors at the end.
        Ok(()) | Err(QueryError::Write(_)) => Ok(ExitCode::Success),
        Err(error) => Err(usage_error(err, error)),
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
        since: args.since.clone(),
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
