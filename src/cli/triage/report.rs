//! `gleaner triage report`: writes a folder of pages.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::progress::Line;
use super::setup::checked;
use super::setup::worker_limits;
use crate::atomic_file::{self, AtomicFile};
use crate::cli::args::triage::ReportArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::cli::rules;
use crate::report::RenderError;
use crate::report::archive::{Again, ClusterLine, Pages, names};
use crate::report::words::counted;
use crate::triage::overview::Snapshot;
use crate::triage::run::reanalyze::{Originals, WantedReport};
use crate::triage::{RunProgress, Store};
use anyhow::{Context, ensure};

/// Subfolders of a report.
const FOLDERS: [&str; 5] = ["bundles", "clusters", "customers", "reports", "rules"];

/// Bundles that are analysed again at once, before their pages are written.
const AT_ONCE: usize = 1000;

/// Writes all pages, the overview last.
pub fn run(args: &ReportArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let worker_limits = worker_limits(&args.workers).map_err(|error| usage_error(err, error))?;
    let again = if args.reports {
        let rules = checked(rules::loaded(&args.rules, !args.no_default_rules, err)?, err)?;
        Some(Originals::new(&rules, args.limits.0, &worker_limits))
    } else {
        None
    };
    let store = Store::open_to_read(&args.store).map_err(|error| usage_error(err, error))?;
    let snapshot = Snapshot::of(store).map_err(|error| usage_error(err, error))?;
    let mut folder = ReportFolder::open(&args.html).map_err(|error| usage_error(err, error))?;
    let line = Line::new(args.quiet);
    let written = write(&snapshot, again, &mut folder, &line);
    drop(line);
    let failed = written.map_err(|error| usage_error(err, error))?;
    folder.sweep().map_err(|error| usage_error(err, error))?;
    if failed > 0 {
        let originals = counted(failed, "original");
        let _ = print_line(err, format_args!("warning: {originals} could not be analysed again; see their pages"));
    }
    if !args.quiet {
        let pages = counted(folder.pages.len() as u64, "page");
        // The guard of standard output reports errors at the end.
        let _ = print_line(
            out,
            format_args!("wrote {pages} to {}; open {}", args.html.display(), args.html.join(names::INDEX).display()),
        );
    }
    Ok(ExitCode::Success)
}

/// Writes the pages; returns how many originals could not be analysed again.
fn write(
    snapshot: &Snapshot,
    mut again: Option<Originals<'_>>,
    folder: &mut ReportFolder,
    progress: &dyn RunProgress,
) -> anyhow::Result<u64> {
    let pages = Pages::new()?;
    let contents = snapshot.contents()?;
    progress.begin(contents.len() as u64, 0);
    let mut failed = 0;
    for some in contents.chunks(AT_ONCE) {
        let reports = match &mut again {
            Some(originals) => reports(originals, snapshot, some, folder, progress)?,
            None => some.iter().map(|_| Again::Not).collect(),
        };
        for (content, report) in some.iter().zip(&reports) {
            let detail = snapshot.bundle(*content)?;
            folder.page(&names::bundle(&detail.bundle), |out| pages.bundle(&detail, report, out))?;
            match report {
                Again::Not => progress.done(0),
                Again::Failed(_) => failed += 1,
                Again::Report => {}
            }
        }
    }
    let mut clusters: Vec<ClusterLine> = Vec::new();
    for line in snapshot.clusters()? {
        let cluster = snapshot.cluster(line)?;
        folder.page(&names::cluster(&cluster.line.uid), |out| pages.cluster(&cluster, out))?;
        clusters.push(cluster.line);
    }
    let overview = snapshot.overview(clusters)?;
    for rule in &overview.rules {
        let detail = snapshot.rule(&rule.id)?;
        folder.page(&names::rule(&rule.id), |out| pages.rule(&overview, rule, &detail, out))?;
    }
    for customer in &overview.customers {
        let bundles = snapshot.customer(&customer.name)?;
        folder.page(&names::customer(&customer.name), |out| pages.customer(customer, &bundles, out))?;
    }
    folder.page(names::INDEX, |out| pages.index(&overview, out))?;
    Ok(failed)
}

/// Lets workers write the reports of some bundles.
fn reports(
    originals: &mut Originals<'_>,
    snapshot: &Snapshot,
    contents: &[i64],
    folder: &mut ReportFolder,
    progress: &dyn RunProgress,
) -> anyhow::Result<Vec<Again>> {
    let wanted = |content: &i64| -> anyhow::Result<WantedReport> {
        let page = names::report(&snapshot.named(*content)?);
        Ok(WantedReport { locations: snapshot.locations(*content)?, to: folder.path.join(page) })
    };
    let wanted = contents.iter().map(wanted).collect::<Result<Vec<_>, _>>()?;
    let failures = originals.reports(&wanted, progress)?;
    let again = |(one, failure): (WantedReport, Option<String>)| match failure {
        Some(why) => Again::Failed(why),
        None => {
            folder.pages.insert(one.to);
            Again::Report
        }
    };
    Ok(wanted.into_iter().zip(failures).map(again).collect())
}

/// ReportFolder of a report, with the pages written so far.
struct ReportFolder {
    path: PathBuf,
    pages: BTreeSet<PathBuf>,
}

impl ReportFolder {
    /// Opens a folder that is new, empty, or has pages of an earlier report.
    fn open(path: &Path) -> anyhow::Result<Self> {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries.flatten().map(|entry| entry.file_name()).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot use the folder `{}`", path.display())),
        };
        // An interrupted report has no overview.
        let is_known = |name: &OsString| match name.to_str() {
            Some(names::INDEX) => is_ours(&path.join(names::INDEX)),
            Some(name) => FOLDERS.contains(&name),
            None => false,
        };
        ensure!(
            entries.iter().all(is_known),
            "the folder `{}` contains other files; give a new or empty folder, or one with an earlier report",
            path.display()
        );
        Ok(Self { path: path.to_owned(), pages: BTreeSet::new() })
    }

    fn page(&mut self, name: &str, fill: impl FnOnce(&mut dyn Write) -> Result<(), RenderError>) -> anyhow::Result<()> {
        let path = self.path.join(name);
        let context = || format!("cannot write `{}`", path.display());
        let mut file = AtomicFile::create(&path).with_context(context)?;
        fill(file.writer()).with_context(context)?;
        file.finish().with_context(context)?;
        self.pages.insert(path);
        Ok(())
    }

    /// Removes pages of an earlier report that are not part of this one.
    fn sweep(&self) -> anyhow::Result<()> {
        for folder in FOLDERS.map(|name| self.path.join(name)) {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot list `{}`", folder.display())),
            };
            for entry in entries.flatten() {
                let path = entry.path();
                if !self.pages.contains(&path) && (is_ours(&path) || atomic_file::is_unfinished(&path)) {
                    fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns true for pages that this program wrote, recognised by their `<head>`.
fn is_ours(path: &Path) -> bool {
    const HEAD: u64 = 4096;
    const MARK: &[u8] = b"<meta name=\"generator\" content=\"gleaner ";
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && head.windows(MARK.len()).any(|part| part == MARK)
}
