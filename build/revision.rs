//! The commit that is built.

use std::env;
use std::path::Path;
use std::process::Command;

/// Overrides what git says, for sources that are not in a checkout.
pub const VARIABLE: &str = "GLEANER_COMMIT";

/// Digits of a commit; git's own abbreviation depends on the checkout.
const DIGITS: usize = 12;

/// Returns the commit, empty if there is neither the variable nor a checkout, and the files that change with it.
///
/// Only optimised builds ask git: while a program is developed, each commit would compile it anew. Changes that are not committed do not
/// show: most of them would not make cargo run this again.
pub fn revision(root: &Path) -> (String, Vec<String>) {
    if let Ok(given) = env::var(VARIABLE) {
        return (digits(&given), Vec::new());
    }
    // Sources that were unpacked inside another project's checkout are not of its commit.
    if env::var("PROFILE").as_deref() != Ok("release") || !root.join(".git").exists() {
        return (String::new(), Vec::new());
    }
    // The log of HEAD is written by each commit and each switch of branches, also in a worktree.
    let watched = ["HEAD", "logs/HEAD"].iter().filter_map(|file| git(root, &["rev-parse", "--git-path", file]));
    let watched = watched.filter(|file| root.join(file).exists()).collect();
    (digits(&git(root, &["rev-parse", "HEAD"]).unwrap_or_default()), watched)
}

/// Returns the first digits of a commit; empty if it is none.
fn digits(commit: &str) -> String {
    let is_commit = commit.len() >= DIGITS && commit.chars().all(|c| c.is_ascii_hexdigit());
    if is_commit { commit.chars().take(DIGITS).collect::<String>().to_ascii_lowercase() } else { String::new() }
}

/// Returns what git prints; none without git, and where it refuses the checkout.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
