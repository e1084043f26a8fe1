//! `gleaner version`: which program this is, and which rules it has. Everything is known when it is built, so nothing is read.

use std::io::Write;

use serde::Serialize;

use super::args::VersionArgs;
use super::exit::ExitCode;
use super::lines::print_line;
use crate::rule::load::{BUILT_IN, BuiltIn};

/// The program and its rules.
#[derive(Serialize)]
struct Program {
    name: &'static str,
    version: &'static str,
    /// First 12 digits of the commit that was checked out; none in a build for development, and elsewhere without `GLEANER_COMMIT`.
    commit: Option<&'static str>,
    /// Machine, system and C library that it was built for, as Rust names them.
    target: &'static str,
    /// Optional parts that it has, sorted.
    features: Vec<&'static str>,
    rules: Rules,
}

/// The embedded collection of rules.
#[derive(Serialize)]
struct Rules {
    name: &'static str,
    version: &'static str,
    language: u32,
    count: usize,
}

impl Program {
    const FEATURES: [(&'static str, bool); 3] =
        [("parquet", cfg!(feature = "parquet")), ("s3", cfg!(feature = "s3")), ("serve", cfg!(feature = "serve"))];

    fn this() -> Self {
        let BuiltIn { name, version, language, rules } = BUILT_IN;
        Self {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            commit: Some(env!("GLEANER_BUILT_COMMIT")).filter(|commit| !commit.is_empty()),
            target: env!("GLEANER_BUILT_TARGET"),
            features: Self::FEATURES.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect(),
            rules: Rules { name, version, language, count: rules },
        }
    }

    /// Returns one line for the program and one for its rules.
    fn lines(&self) -> [String; 2] {
        let Self { name, version, target, rules, .. } = self;
        let commit = self.commit.map(|commit| format!("commit {commit}, ")).unwrap_or_default();
        let with =
            if self.features.is_empty() { String::new() } else { format!(", with {}", self.features.join(", ")) };
        [
            format!("{name} {version} ({commit}{target}{with})"),
            format!("rules {} {}: {} rules, rule language {}", rules.name, rules.version, rules.count, rules.language),
        ]
    }
}

/// Prints the version.
pub fn run(args: &VersionArgs, out: &mut dyn Write) -> ExitCode {
    let program = Program::this();
    // The guard of standard output reports errors at the end.
    let _ = if args.json {
        serde_json::to_writer_pretty(&mut *out, &program).map_err(Into::into).and_then(|()| writeln!(out))
    } else {
        program.lines().iter().try_for_each(|line| print_line(out, format_args!("{line}")))
    };
    ExitCode::Success
}
