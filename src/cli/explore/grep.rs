//! `gleaner grep`: finds lines in the texts of a bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};

use serde_json::{Map, Value};

use super::lines::{Names, names, time, write_columns, write_json};
use super::notes::{note, print_issues};
use super::session::Session;
use super::table;
use crate::cli::args::GrepArgs;
use crate::cli::args::explore::AnswerFormat;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::explore::grep::{By, Context, Counts, Pattern, Search, count, grep, texts};
use crate::explore::lines::{MEMORY, Reading, TextLine};
use crate::pipeline::BundleTexts;
use crate::report::words::counted;

/// Shows the lines that match, or how many there are.
pub fn run(args: &GrepArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    searched(args, out, err).unwrap_or_else(|code| code)
}

fn searched(args: &GrepArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let pattern = Pattern::new(&args.pattern, args.fixed_strings, args.ignore_case);
    let pattern = pattern.map_err(|error| usage_error(err, error))?;
    let session = Session::open(&args.bundle, err)?;
    let all = session.install(|| BundleTexts::list(&session.bundle));
    let period = args.period.period(all.clock.now).map_err(|error| usage_error(err, error))?;
    let chosen = texts(&all, args.texts, &args.source);
    if chosen.is_empty() {
        note(err, "no text of the bundle has such a source");
    }
    let around = args.context.unwrap_or(0);
    let context =
        Context { before: args.before_context.unwrap_or(around), after: args.after_context.unwrap_or(around) };
    let run = GrepRun {
        args,
        session: &session,
        reading: &Reading::new(&all),
        chosen: &chosen,
        search: Search { pattern: &pattern, period, context, most: args.max },
        names: names(&session, &all.texts),
    };
    let only_counts = args.count || args.files_with_matches || !args.by.is_empty();
    let found = if only_counts { run.counts(out, err) } else { run.lines(out, err) };
    Ok(if found { ExitCode::Success } else { ExitCode::NO_MATCH.0 })
}

struct GrepRun<'r> {
    args: &'r GrepArgs,
    session: &'r Session,
    reading: &'r Reading<'r>,
    chosen: &'r [usize],
    search: Search<'r>,
    names: Vec<Names>,
}

impl GrepRun<'_> {
    /// Writes matches; returns true if there are any.
    fn lines(&self, out: &mut dyn Write, err: &mut dyn Write) -> bool {
        let mut out = BufWriter::new(out);
        let mut page = MatchPage { run: self, last: None };
        let answer = self.session.printed(
            |give| grep(self.reading, self.chosen, self.search, MEMORY, give),
            |blocks| blocks.iter().flat_map(|block| &block.lines).try_for_each(|line| page.write(&mut out, line)),
        );
        // The guard of standard output reports errors at the end.
        let _ = out.flush();
        let Some(found) = answer else { return false };
        print_issues(err, &found.answer.issues);
        undated(err, found.undated);
        if self.args.max.is_some() && found.answer.given < found.answer.chosen {
            note(err, &format!("the first {} of {} matches", found.answer.given, found.answer.chosen));
        }
        found.answer.chosen > 0
    }

    /// Writes how many matches there are, or where; returns true if there are any.
    fn counts(&self, out: &mut dyn Write, err: &mut dyn Write) -> bool {
        // The finest part of the time tells the others.
        let time = self.args.by.iter().copied().filter(|by| by.is_time()).min();
        let counts = self.session.install(|| count(self.reading, self.chosen, self.search, time));
        print_issues(err, &counts.issues);
        undated(err, counts.undated);
        let all: u64 = counts.matches.values().sum();
        // The guard of standard output reports errors at the end.
        let _ = if self.args.count {
            writeln!(out, "{all}")
        } else if self.args.files_with_matches {
            self.entries(&counts, out)
        } else {
            self.table(&counts, time, out)
        };
        all > 0
    }

    fn entries(&self, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
        let entries: BTreeSet<&str> =
            counts.matches.keys().filter_map(|(text, _)| Some(self.names.get(*text)?.entry.as_str())).collect();
        entries.into_iter().try_for_each(|entry| print_line(out, format_args!("{entry}")))
    }

    fn table(&self, counts: &Counts, time: Option<By>, out: &mut dyn Write) -> io::Result<()> {
        let by = &self.args.by;
        let mut rows: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for ((text, begin), count) in &counts.matches {
            let names = self.names.get(*text);
            let cell = |by: &By| match by {
                By::Source => names.map(|names| names.source.clone()).unwrap_or_default(),
                By::Entry => names.map(|names| names.entry.clone()).unwrap_or_default(),
                _ => begin.map_or_else(|| "-".to_owned(), |begin| by.name(begin)),
            };
            *rows.entry(by.iter().map(cell).collect()).or_default() += count;
        }
        let mut rows: Vec<(Vec<String>, u64)> = rows.into_iter().collect();
        if time.is_none() {
            // The sort keeps the order of equal counts.
            rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        }
        let columns = by.iter().filter_map(|by| By::ALL.iter().find(|(_, known)| known == by)).map(|(name, _)| *name);
        let columns: Vec<&str> = columns.collect();
        if self.args.output == AnswerFormat::Json {
            return rows.into_iter().try_for_each(|(cells, count)| write_count(out, &columns, cells, count));
        }
        let heads = columns.iter().map(|name| name.to_uppercase()).chain(["COUNT".to_owned()]).collect();
        let lines = rows.into_iter().map(|(cells, count)| cells.into_iter().chain([count.to_string()]).collect());
        table::write(out, &[heads].into_iter().chain(lines).collect::<Vec<_>>())
    }
}

fn undated(err: &mut dyn Write, count: u64) {
    if count > 0 {
        note(err, &format!("{} that match without a time left out", counted(count, "line")));
    }
}

fn write_count(out: &mut dyn Write, columns: &[&str], cells: Vec<String>, count: u64) -> io::Result<()> {
    let cells = columns.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), Value::from(cell)));
    let row: Map<String, Value> = cells.chain([("count".to_owned(), count.into())]).collect();
    serde_json::to_writer(&mut *out, &row)?;
    writeln!(out)
}

/// Writes matches and their context.
struct MatchPage<'p> {
    run: &'p GrepRun<'p>,
    /// Text and number of the last line.
    last: Option<(usize, u64)>,
}

impl MatchPage<'_> {
    fn write(&mut self, out: &mut dyn Write, line: &TextLine) -> io::Result<()> {
        let GrepRun { args, search, names, .. } = self.run;
        let Some(names) = names.get(line.text) else { return Ok(()) };
        let has_context = search.context != Context::default();
        if args.output == AnswerFormat::Json {
            return write_json(out, line, names, has_context);
        }
        let goes_on = |(text, number): (usize, u64)| text == line.text && number + 1 >= line.number;
        if has_context && self.last.is_some_and(|last| !goes_on(last)) {
            writeln!(out, "--")?;
        }
        self.last = Some((line.text, line.number));
        let place = format!("{}:{}", names.entry, line.number);
        let source = if args.places { &place } else { &names.source };
        // As grep does, lines of context have a dash.
        let source = if has_context && !line.is_match { format!("{source} -") } else { source.clone() };
        write_columns(out, &[&time(line.time), &source, &line.shown])
    }
}
