//! What `--rules` and the commands about rules open: a folder, one rule, or any container in which bundles come.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::bundle::{Bundle, Entry, Limits, OpenError};
use crate::rule::load::{self, LoadError, Loaded, MAX_FILE};

/// Bounds of an archive of rules. The built-in rules with their tests are 9 MB in 1,600 files.
const LIMITS: Limits = Limits { max_bytes: 256 << 20, max_entries: 40_000, ..Limits::DEFAULT };

/// Error that stops rules from being opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenRulesError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("cannot read rules from {}: {cause}", path.display())]
    Archive { path: PathBuf, cause: OpenError },
    #[error("cannot read all rules from {}: {}: {what}", path.display(), entry.as_deref().unwrap_or("the archive"))]
    Incomplete { path: PathBuf, entry: Option<String>, what: String },
}

/// Opens what each path names.
///
/// # Errors
/// The first that cannot be read, or not whole.
pub fn opened_all(paths: &[PathBuf]) -> Result<Vec<Loaded>, OpenRulesError> {
    paths.iter().map(|path| opened(path)).collect()
}

/// Opens a folder, a rule, or an archive with rules. Rules that cannot all be read are not used at all: nobody would notice those that are
/// missing.
///
/// # Errors
/// If it cannot be read, or not whole, or has no rules.
pub fn opened(path: &Path) -> Result<Loaded, OpenRulesError> {
    let is_rule = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    if is_rule || !path.is_file() {
        return Ok(load::folder(path)?);
    }
    let cause = |cause| OpenRulesError::Archive { path: path.to_owned(), cause };
    let bundle = Bundle::open(path, LIMITS).map_err(cause)?;
    Ok(load::archive(path, files(&bundle, path)?)?)
}

/// Reads the files that may be rules, sorted by path.
fn files(bundle: &Bundle, path: &Path) -> Result<Vec<(String, Vec<u8>)>, OpenRulesError> {
    let read = Mutex::new(Vec::new());
    let is_wanted = |entry: &Entry| load::is_rule_file(&entry.logical);
    let issues = bundle.read(&is_wanted, &|entry, reader| {
        let mut bytes = Vec::new();
        // A fault of the reader becomes an issue. One byte more than allowed shows that a file is too large.
        let _ = reader.take(MAX_FILE + 1).read_to_end(&mut bytes);
        read.lock().unwrap_or_else(PoisonError::into_inner).push((entry.logical.to_string(), bytes));
    });
    if let Some(issue) = bundle.issues().iter().chain(&issues).next() {
        let entry = issue.origin.as_ref().map(|origin| origin.entry.to_string());
        return Err(OpenRulesError::Incomplete { path: path.to_owned(), entry, what: issue.message.to_string() });
    }
    let mut files = read.into_inner().unwrap_or_else(PoisonError::into_inner);
    files.sort();
    Ok(files)
}
