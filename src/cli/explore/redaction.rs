//! Pseudonyms in the answers to questions.

use crate::cli::args::explored::ExploredArgs;
use crate::cli::loaders;
use crate::explore::{Opened, Redaction, View};

/// Calls `make` with the view that the arguments ask for; with pseudonyms it is called before, to learn what its texts tell by
/// themselves.
///
/// # Errors
/// The key cannot be read, or `make` fails.
pub fn viewed<T>(
    args: &ExploredArgs,
    opened: &Opened<'_>,
    managed_fields: bool,
    make: impl Fn(&View<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    if !args.redact {
        return make(&View { redact: None, managed_fields });
    }
    let key = args.redact_key.as_deref().map(loaders::redact_key).transpose()?;
    let redaction = Redaction::of(opened.bundle, key);
    let listen = |text: &str| {
        redaction.learn(text);
        text.to_owned()
    };
    make(&View { redact: Some(&listen), managed_fields })?;
    make(&View { redact: Some(&|text| redaction.redacted(text)), managed_fields })
}
