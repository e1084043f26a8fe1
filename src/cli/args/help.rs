//! Text below the options of a command: examples and exit codes.

use crate::cli::exit::CodeMeaning;

/// Examples shown by `-h`; `--help` shows all.
const SHORT: usize = 3;

/// Examples of a command, the best first, and the exit codes that it can return.
pub struct HelpEnd {
    pub examples: &'static [&'static str],
    /// Paragraph between examples and exit codes; may be empty.
    pub note: &'static str,
    pub codes: &'static [CodeMeaning],
}

impl HelpEnd {
    /// Text for `-h`.
    pub fn short(&self) -> String {
        listed("Examples", self.examples.iter().take(SHORT))
    }

    /// Text for `--help`.
    pub fn long(&self) -> String {
        let examples = listed("Examples", self.examples.iter());
        let codes = self.codes.iter().map(|(code, meaning)| format!("{}  {meaning}", code.code()));
        let codes = listed("Exit codes", codes);
        let parts = [examples.as_str(), self.note, codes.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

fn listed(title: &str, lines: impl Iterator<Item = impl std::fmt::Display>) -> String {
    let lines: Vec<String> = lines.map(|line| format!("\n  {line}")).collect();
    if lines.is_empty() { String::new() } else { format!("{title}:{}", lines.concat()) }
}
