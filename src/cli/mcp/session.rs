//! The bundles that are asked about, and what is known of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use super::super::args::McpArgs;
use super::super::exit::ExitCode;
use super::command::{Output, Runner};

/// A bundle. Its name says nothing of its file, which may be named after a customer.
#[derive(Debug)]
pub struct OpenBundle {
    pub name: String,
    pub path: PathBuf,
    /// Its JSON report, made when it is first asked for.
    report: OnceLock<Result<Value, String>>,
}

/// What all answers share.
#[derive(Debug)]
pub struct Session {
    pub bundles: Vec<OpenBundle>,
    runner: Runner,
    /// Flags of every command that reads a bundle.
    flags: Vec<OsString>,
    /// Flags of every command that uses rules.
    rules: Vec<OsString>,
}

impl Session {
    /// # Errors
    /// Fails if a bundle does not exist.
    pub fn new(args: &McpArgs, runner: Runner) -> anyhow::Result<Self> {
        let missing = args.bundles.iter().find(|path| !path.exists());
        if let Some(path) = missing {
            anyhow::bail!("cannot open `{}`: there is no such file or folder", path.display());
        }
        let bundles = args.bundles.iter().enumerate().map(|(index, path)| OpenBundle {
            name: format!("bundle-{}", index + 1),
            path: path.clone(),
            report: OnceLock::new(),
        });
        let mut flags = Vec::new();
        if !args.no_redact {
            flags.push("--redact".into());
        }
        if let Some(key) = &args.redact_key {
            flags.extend(["--redact-key".into(), key.into()]);
        }
        let mut rules: Vec<OsString> =
            args.rules.folders.iter().flat_map(|folder| ["--rules".into(), folder.into()]).collect();
        if args.rules.no_default_rules {
            rules.push("--no-default-rules".into());
        }
        Ok(Self { bundles: bundles.collect(), runner, flags, rules })
    }

    /// Returns the bundle of a name; without a name, the only one.
    ///
    /// # Errors
    /// Fails if there is no such bundle, or several.
    pub fn bundle(&self, name: Option<&str>) -> Result<&OpenBundle, String> {
        let names = || self.bundles.iter().map(|bundle| bundle.name.as_str()).collect::<Vec<_>>().join(", ");
        match (name, self.bundles.as_slice()) {
            (None, [only]) => Ok(only),
            (None, _) => Err(format!("say which bundle: {}", names())),
            (Some(name), all) => all
                .iter()
                .find(|bundle| bundle.name == name)
                .ok_or_else(|| format!("no bundle {name:?}; there are: {}", names())),
        }
    }

    /// Runs a command of this program.
    pub fn run(&self, arguments: impl IntoIterator<Item = OsString>) -> Output {
        (self.runner)(arguments.into_iter().collect())
    }

    /// Returns the flags of a command that reads a bundle, and uses rules or not.
    pub fn flags(&self, rules: bool) -> Vec<OsString> {
        let rules = if rules { self.rules.as_slice() } else { &[] };
        self.flags.iter().chain(rules).cloned().collect()
    }

    /// Returns the flags that name rules.
    pub fn rule_flags(&self) -> &[OsString] {
        &self.rules
    }

    /// Returns the JSON report of a bundle.
    ///
    /// # Errors
    /// Fails with what the analysis said.
    pub fn report<'b>(&self, bundle: &'b OpenBundle) -> Result<&'b Value, String> {
        bundle.report.get_or_init(|| self.analyze(&bundle.path)).as_ref().map_err(Clone::clone)
    }

    fn analyze(&self, path: &Path) -> Result<Value, String> {
        let fixed = ["analyze", "--format", "json", "-o", "-", "--quiet"].map(OsString::from);
        let arguments = fixed.into_iter().chain(self.flags(true)).chain(["--".into(), path.into()]);
        let output = self.run(arguments);
        match serde_json::from_str(&output.text) {
            Ok(report) if matches!(output.code, ExitCode::Success | ExitCode::Findings) => Ok(report),
            _ => Err(output.said.trim().to_owned()),
        }
    }
}
