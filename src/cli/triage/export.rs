//! `gleaner triage export`: a table of the store as a file for other programs.

use std::io::{self, Write};
use std::path::Path;

use super::args::ExportArgs;
use super::usage;
use crate::cli::exit::ExitCode;
use crate::place::Place;
use crate::triage::sink::{Csv, Lines};
use crate::triage::{QueryError, Store};

/// Writes the file, whole or not at all.
pub fn run(args: &ExportArgs, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let store = Store::open_to_read(&args.store).map_err(|error| usage(err, error))?;
    export(args, &store).map(|()| ExitCode::Success).map_err(|error| usage(err, error))
}

fn export(args: &ExportArgs, store: &Store) -> anyhow::Result<()> {
    let path = &args.output;
    let told = |error: io::Error| anyhow::anyhow!("cannot write `{}`: {error}", path.display());
    let place = || Place::open(path).map_err(told);
    let placed = match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => {
            let mut place = place()?;
            args.table.write(store, &mut Csv::new(place.writer())).map(|()| place)
        }
        Some("jsonl") => {
            let mut place = place()?;
            args.table.write(store, &mut Lines::new(place.writer())).map(|()| place)
        }
        Some("parquet") => return parquet(args, store, path),
        _ => anyhow::bail!("cannot tell a format from `{}`: name it .csv, .jsonl or .parquet", path.display()),
    };
    match placed {
        Ok(place) => Ok(place.finish().map_err(told)?),
        Err(QueryError::Write(error)) => Err(told(error)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(feature = "parquet")]
fn parquet(args: &ExportArgs, store: &Store, path: &Path) -> anyhow::Result<()> {
    let told = |error: io::Error| anyhow::anyhow!("cannot write `{}`: {error}", path.display());
    let mut place = Place::open(path).map_err(told)?;
    let file = place.file().map_err(told)?;
    match args.table.write(store, &mut crate::triage::sink::parquet::Parquet::new(file)) {
        Ok(()) => Ok(place.finish().map_err(told)?),
        Err(QueryError::Write(error)) => Err(told(error)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &ExportArgs, _: &Store, path: &Path) -> anyhow::Result<()> {
    anyhow::bail!(
        "cannot write `{}`: this gleaner was built without Parquet (cargo build --release --features parquet); .csv and .jsonl can be written",
        path.display()
    )
}
