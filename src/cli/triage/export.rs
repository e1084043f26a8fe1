//! `gleaner triage export`: writes a table of the store for other programs.

use std::io::{self, Write};
use std::path::Path;

use crate::atomic_file::AtomicFile;
use crate::cli::args::triage::ExportArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::inputs::Inputs;
use crate::cli::output::check_file;
use crate::triage::query::sink::{Csv, Lines};
use crate::triage::{QueryError, Store};

/// Writes the file completely or not at all.
pub fn run(args: &ExportArgs, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    check(args).map_err(|error| usage_error(err, error))?;
    let store = Store::open_to_read(&args.store).map_err(|error| usage_error(err, error))?;
    export(args, &store).map(|()| ExitCode::Success).map_err(|error| usage_error(err, error))
}

/// Fails if the table would replace the store.
fn check(args: &ExportArgs) -> anyhow::Result<()> {
    let mut inputs = Inputs::default();
    inputs.add("the store", &args.store);
    inputs.check(&args.output)?;
    Ok(check_file(&args.output)?)
}

fn export(args: &ExportArgs, store: &Store) -> anyhow::Result<()> {
    let path = &args.output;
    let failed = |error: io::Error| anyhow::anyhow!("cannot write `{}`: {error}", path.display());
    let create = || AtomicFile::create(path).map_err(failed);
    let written = match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => {
            let mut file = create()?;
            args.table.write(store, &mut Csv::new(file.writer())).map(|()| file)
        }
        Some("jsonl") => {
            let mut file = create()?;
            args.table.write(store, &mut Lines::new(file.writer())).map(|()| file)
        }
        Some("parquet") => return parquet(args, store, path),
        _ => anyhow::bail!(
            "cannot derive a format from the name `{}`: end it in .csv, .jsonl or .parquet",
            path.display()
        ),
    };
    match written {
        Ok(file) => Ok(file.finish().map_err(failed)?),
        Err(QueryError::Write(error)) => Err(failed(error)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(feature = "parquet")]
fn parquet(args: &ExportArgs, store: &Store, path: &Path) -> anyhow::Result<()> {
    let failed = |error: io::Error| anyhow::anyhow!("cannot write `{}`: {error}", path.display());
    let mut file = AtomicFile::create(path).map_err(failed)?;
    let handle = file.file().map_err(failed)?;
    match args.table.write(store, &mut crate::triage::query::sink::parquet::Parquet::new(handle)) {
        Ok(()) => Ok(file.finish().map_err(failed)?),
        Err(QueryError::Write(error)) => Err(failed(error)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &ExportArgs, _: &Store, path: &Path) -> anyhow::Result<()> {
    anyhow::bail!(
        "cannot write `{}`: this gleaner was built without Parquet; write .csv or .jsonl, or build it with `cargo build --release --features parquet`",
        path.display()
    )
}
