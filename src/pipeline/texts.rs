//! Small texts that are read first, because they describe the bundle as a whole.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bundle::{Bundle, Entry, Role};
use crate::model::message::DocumentProblem;
use crate::model::{Issue, IssueKind, Origin, encoding};
use crate::resource::content;
use crate::resource::metadata::host::HostFile;

/// Limit for all texts that describe the bundle, in bytes.
const MAX_TEXTS: u64 = 64 << 20;

/// Files that rules ask for are kept up to this size.
pub const MAX_FILE: u64 = 16 << 20;

/// A text with its entry.
pub type Text = (Arc<str>, Role, String);

/// Small texts by entry.
pub struct Texts {
    /// Sorted by path.
    pub texts: Vec<(Arc<str>, Role, String)>,
    pub issues: Vec<Issue>,
}

/// Reads entries as texts, up to 16 MiB each and 64 MiB in all, the smallest first.
pub fn read_texts(bundle: &Bundle, wanted: &(dyn Fn(&Entry) -> bool + Sync)) -> Texts {
    let mut asked: Vec<&Entry> = bundle.entries().iter().filter(|entry| wanted(entry)).collect();
    asked.sort_by_key(|entry| (entry.size, &entry.path));
    let mut left = MAX_TEXTS;
    let fits = |entry: &&&Entry| {
        let after = left.checked_sub(entry.size.min(MAX_FILE));
        left = after.unwrap_or_default();
        after.is_some()
    };
    let admitted: BTreeSet<&str> = asked.iter().take_while(fits).map(|entry| &*entry.path).collect();
    let texts = Mutex::new(Vec::new());
    let mut issues = bundle.read(&|entry| admitted.contains(&*entry.path), &|entry, reader| {
        let text = text_of(bytes_of(reader).0);
        texts.lock().unwrap_or_else(PoisonError::into_inner).push((entry.path.clone(), entry.role.clone(), text));
    });
    for entry in asked.iter().skip(admitted.len()) {
        let problem = DocumentProblem::TooManyTexts { most: MAX_TEXTS };
        issues.push(Issue::at(Origin::entry(entry.path.clone()), IssueKind::Limit, problem));
    }
    issues.sort();
    let mut texts = texts.into_inner().unwrap_or_else(PoisonError::into_inner);
    texts.sort_by(|a, b| a.0.cmp(&b.0));
    Texts { texts, issues }
}

/// Returns true if the name of a file has one of these words (lower case), between signs: `get-po-A.json` has `po`.
pub fn has_word(path: &str, wanted: &[&str]) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    file.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| wanted.contains(&word))
}

/// Reads the first bytes, which identify the content of a file.
pub fn head_of(reader: &mut dyn Read) -> Vec<u8> {
    let mut head = Vec::with_capacity(content::HEAD);
    // The reader of a bundle ends early instead of failing; the pass reports why.
    let _ = reader.take(content::HEAD as u64).read_to_end(&mut head);
    head
}

/// Reads all bytes up to a limit; returns true as well if they are truncated.
pub fn bytes_of(reader: &mut dyn Read) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let _ = reader.take(MAX_FILE + 1).read_to_end(&mut bytes);
    let cut = bytes.len() as u64 > MAX_FILE;
    bytes.truncate(MAX_FILE as usize);
    (bytes, cut)
}

/// Converts bytes to text; invalid UTF-8 is replaced.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(encoding::utf8(bytes)).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Returns the files in which the host states facts about itself.
pub fn host_files(texts: &[Text]) -> Vec<HostFile<'_>> {
    let own = texts.iter().filter(|(_, role, _)| *role == Role::Metadata);
    own.map(|(entry, _, text)| (&**entry, text.as_str())).collect()
}
