//! `gleaner rules test --watch`: reruns affected tests whenever a file of the folder changes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::loading::{TestFolder, compiled_without_broken, streams};
use crate::cli::args::rules::TestArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::lines::print_line;
use crate::report::words::counted;
use crate::rule::Source;
use crate::rule::load::{self, Stamp};
use crate::verify::{self, TestSource};

/// Interval between looks at the folder: feels immediate and costs almost nothing.
const POLL: Duration = Duration::from_millis(250);
/// A file that is being written changes again within this time; after `MOMENTS` changes waiting ends.
const MOMENT: Duration = Duration::from_millis(40);
const MOMENTS: u32 = 10;
/// Clears the terminal and moves the cursor to the top.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Watches until the user stops the program or standard output is closed.
pub fn run(args: &TestArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let Some(folder) = folder(args) else {
        let error = anyhow::anyhow!("--watch needs a folder to watch: gleaner rules test DIR --watch");
        return Err(usage_error(err, error));
    };
    let mut state = WatchState::default();
    let mut stamps = None;
    loop {
        let mut now = load::stamps(&folder);
        if stamps.as_ref() != Some(&now) {
            now = settled(&folder, now);
            if io::stdout().is_terminal() {
                let _ = out.write_all(CLEAR.as_bytes());
            }
            state.round(args, out, err);
            if print_line(out, format_args!("watching {}; stop with Ctrl-C", folder.display()))
                .and_then(|()| out.flush())
                .is_err()
            {
                return Ok(ExitCode::Success);
            }
            stamps = Some(now);
        }
        pause(POLL);
    }
}

/// Waits until nothing changes for a moment, because editors write in several steps.
fn settled(folder: &Path, mut before: Vec<Stamp>) -> Vec<Stamp> {
    for _ in 0..MOMENTS {
        pause(MOMENT);
        let now = load::stamps(folder);
        if now == before {
            break;
        }
        before = now;
    }
    before
}

#[expect(clippy::disallowed_methods, reason = "watching means waiting for changes")]
fn pause(time: Duration) {
    thread::sleep(time);
}

/// Returns the given folder, otherwise the checkout.
fn folder(args: &TestArgs) -> Option<PathBuf> {
    let here = Path::new(".");
    args.path.clone().or_else(|| here.join("rules").is_dir().then(|| here.to_owned()))
}

/// Files as they were in the previous round.
#[derive(Default)]
struct WatchState {
    files: BTreeMap<String, String>,
    /// Test files with failed cases; they run again until they pass.
    failing: BTreeSet<String>,
}

impl WatchState {
    /// Runs tests that changed, whose rules changed, or that failed before. Errors are printed; the next change tries
    /// again.
    fn round(&mut self, args: &TestArgs, out: &mut dyn Write, err: &mut dyn Write) {
        let Ok(subject) = TestFolder::open(args.path.as_deref(), err) else { return };
        let all = subject.tests.len();
        let shared = self.take_changed(std::slice::from_ref(&subject.loaded.streams));
        let rules = self.take_changed(&subject.loaded.sources);
        let tests = self.take_changed(&subject.tests);
        let concerned = |test: &Source| {
            !shared.is_empty()
                || tests.contains(&test.file)
                || self.failing.contains(&test.file)
                || TestSource::parse(test).is_ok_and(|source| source.rules.iter().any(|id| rules.contains(id)))
        };
        let chosen: Vec<Source> = subject.tests.iter().filter(|test| concerned(test)).cloned().collect();
        // If rules do not compile, these tests have not passed.
        self.failing.extend(chosen.iter().map(|test| test.file.clone()));
        let Ok(streams) = streams(&subject.loaded, err) else { return };
        let Ok((set, _)) = compiled_without_broken(subject.loaded, err) else { return };
        let report = verify::run(&set, &streams, &chosen);
        self.failing = report.failures.iter().map(|failure| failure.file.clone()).collect();
        for failure in &report.failures {
            let _ = print_line(out, format_args!("{failure}"));
        }
        let ran = format!("{} of {all} ran", counted(chosen.len(), "test file"));
        let _ = print_line(out, format_args!("{} passed, {} failed ({ran})", report.passed, report.failures.len()));
    }

    /// Returns paths and stems (ids of rules) of files that are new or changed.
    fn take_changed(&mut self, sources: &[Source]) -> BTreeSet<String> {
        let mut changed = BTreeSet::new();
        for source in sources {
            if self.files.get(&source.file) != Some(&source.text) {
                self.files.insert(source.file.clone(), source.text.clone());
                changed.extend([source.file.clone(), source.stem().to_owned()]);
            }
        }
        changed
    }
}
