//! Files and folders that a run reads, which no output may replace: [`Inputs`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::args::rule_folders::RuleArgs;

/// The reason why an output is refused.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("the output `{}` would overwrite {what} `{}`; give it another name", .output.display(), .input.display())]
    Same { output: PathBuf, what: &'static str, input: PathBuf },
    #[error("the output `{}` would overwrite a file of {what} `{}`; write it elsewhere", .output.display(), .input.display())]
    Inside { output: PathBuf, what: &'static str, input: PathBuf },
}

/// What a run reads, by what the file system calls it: links, other spellings and other mounts of a file are that file.
#[derive(Debug, Default)]
pub struct Inputs {
    inputs: Vec<Input>,
}

#[derive(Debug)]
struct Input {
    what: &'static str,
    path: PathBuf,
    identity: Identity,
}

impl Inputs {
    /// Adds a file or folder; one that does not exist cannot be overwritten.
    pub fn add(&mut self, what: &'static str, path: &Path) {
        if let Ok(identity) = identity(path) {
            self.inputs.push(Input { what, path: path.to_owned(), identity });
        }
    }

    pub fn add_all<'p>(&mut self, what: &'static str, paths: impl IntoIterator<Item = &'p PathBuf>) {
        paths.into_iter().for_each(|path| self.add(what, path));
    }

    pub fn add_rules(&mut self, rules: &RuleArgs) {
        self.add_all("the rules in", &rules.folders);
    }

    /// Returns what a path is an input as, if it is one.
    pub fn what(&self, path: &Path) -> Option<&'static str> {
        let identity = identity(path).ok()?;
        self.inputs.iter().find(|input| input.identity == identity).map(|input| input.what)
    }

    /// Fails if a file is an input or, unless it is a report of an earlier run, a file of a folder that is one.
    ///
    /// # Errors
    /// Names the output and the input.
    pub fn check(&self, output: &Path) -> Result<(), InputError> {
        // A file that does not exist overwrites nothing.
        let Ok(real) = output.canonicalize() else { return Ok(()) };
        let is_report = || real.file_name().is_some_and(|name| name.to_string_lossy().contains(".gleaner."));
        for (depth, place) in real.ancestors().enumerate() {
            let Some(input) = identity(place).ok().and_then(|place| self.inputs.iter().find(|i| i.identity == place))
            else {
                continue;
            };
            let (output, what, path) = (output.to_owned(), input.what, input.path.clone());
            match depth {
                0 => return Err(InputError::Same { output, what, input: path }),
                _ if is_report() => {}
                _ => return Err(InputError::Inside { output, what, input: path }),
            }
        }
        Ok(())
    }
}

/// Device and number of a file.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// The whole path, in the spelling of the file system.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Identity> {
    fs::canonicalize(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_input_is_known_by_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("rules/own")).unwrap();
        for name in ["a.json", "rules/own/x.md", "rules/old.gleaner.html"] {
            fs::write(at(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(at("a.json"), at("link.json")).unwrap();
        std::os::unix::fs::symlink(at("rules"), at("other")).unwrap();
        fs::hard_link(at("a.json"), at("hard.json")).unwrap();
        let mut inputs = Inputs::default();
        inputs.add("the bundle", &at("a.json"));
        inputs.add_all("the rules in", [&at("rules")]);
        inputs.add("the key", &at("not-there"));
        for name in ["a.json", "./a.json", "rules/../a.json", "link.json", "hard.json", "other/../a.json"] {
            let error = inputs.check(&at(name)).unwrap_err();
            assert!(matches!(error, InputError::Same { .. }), "{name}: {error}");
        }
        for name in ["rules/own/x.md", "other/own/x.md", "rules/own/../own/x.md"] {
            let error = inputs.check(&at(name)).unwrap_err();
            assert!(matches!(error, InputError::Inside { .. }), "{name}: {error}");
        }
        for name in ["new.json", "rules/new.md", "rules/old.gleaner.html", "not-there"] {
            assert!(inputs.check(&at(name)).is_ok(), "{name}");
        }
    }
}
