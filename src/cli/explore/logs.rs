//! `gleaner logs`: shows the lines of a pod, a node or an entry.

use std::io::{self, BufWriter, Write};

use super::lines::{Names, names, time, write_columns, write_json};
use super::notes::{note, print_issues};
use super::session::Session;
use crate::cli::args::LogsArgs;
use crate::cli::args::explore::AnswerFormat;
use crate::cli::errors::{bundle_error, usage_error};
use crate::cli::exit::ExitCode;
use crate::explore::lines::{MEMORY, Reading, TextLine, short_labels};
use crate::explore::logs::{Choice, Instance, Missing, Target, find, logs};
use crate::pipeline::BundleTexts;
use crate::report::words::counted;

/// Shows the lines that the arguments ask for.
pub fn run(args: &LogsArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    shown(args, out, err).unwrap_or_else(|code| code)
}

fn shown(args: &LogsArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let session = Session::open(&args.bundle, err)?;
    let texts = session.install(|| BundleTexts::list(&session.bundle));
    let period = args.period.period(texts.clock.now).map_err(|error| usage_error(err, error))?;
    let instance = Instance {
        namespace: args.namespace.clone(),
        container: args.container.clone(),
        all_containers: args.all_containers,
        previous: args.previous,
    };
    let found = find(&texts, &Target::parse(&args.target), &instance).map_err(|missing| refused(missing, err))?;
    let levels = args.output == AnswerFormat::Json;
    let choice = Choice { period, level: args.level, levels, tail: args.tail, lines: None };
    let reading = Reading::new(&texts);
    let names = names(&session, &texts.texts);
    let page = LogPage::new(args, &found, &names);
    let mut out = BufWriter::new(out);
    let answer = session.printed(
        |give| logs(&reading, &found, choice, MEMORY, give),
        |blocks| blocks.iter().flat_map(|block| &block.lines).try_for_each(|line| page.write(&mut out, line)),
    );
    // The guard of standard output reports errors at the end.
    let _ = out.flush();
    if let Some(answer) = answer {
        print_issues(err, &answer.answer.issues);
        if answer.undated > 0 {
            note(err, &format!("{} without a time left out", counted(answer.undated, "line")));
        }
        if answer.answer.chosen == 0 {
            note(err, "no line is chosen");
        }
    }
    Ok(ExitCode::Success)
}

fn refused(missing: Missing, err: &mut dyn Write) -> ExitCode {
    if missing.is_usage() { usage_error(err, missing) } else { bundle_error(err, missing) }
}

/// How lines are written.
struct LogPage<'p> {
    format: AnswerFormat,
    timestamps: bool,
    names: &'p [Names],
    /// Names of sources by text, padded; empty if there is only one.
    labels: Vec<(usize, String)>,
}

impl<'p> LogPage<'p> {
    fn new(args: &LogsArgs, found: &[usize], names: &'p [Names]) -> Self {
        let sources: Vec<String> =
            found.iter().map(|index| names.get(*index).map(|names| names.source.clone()).unwrap_or_default()).collect();
        let is_one = sources.iter().all(|source| Some(source) == sources.first());
        let short = if is_one { Vec::new() } else { short_labels(&sources) };
        let width = short.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let labels = found.iter().zip(short).map(|(index, label)| (*index, format!("{label:<width$}"))).collect();
        Self { format: args.output, timestamps: args.timestamps, names, labels }
    }

    fn write(&self, out: &mut dyn Write, line: &TextLine) -> io::Result<()> {
        let names = self.names.get(line.text);
        if self.format == AnswerFormat::Json {
            return names.map_or(Ok(()), |names| write_json(out, line, names, false));
        }
        let time = if self.timestamps { Some(time(line.time)) } else { None };
        let label = self.labels.binary_search_by_key(&line.text, |(index, _)| *index);
        let label = label.ok().and_then(|at| self.labels.get(at)).map(|(_, label)| label.as_str());
        let columns: Vec<&str> = time.as_deref().into_iter().chain(label).chain([line.shown.as_str()]).collect();
        write_columns(out, &columns)
    }
}
