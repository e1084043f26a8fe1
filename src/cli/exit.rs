//! How the program ends. The one table of exit codes: help, README and tests are made from it.

/// What the caller's script sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitCode {
    /// Nothing at or above `--fail-on`; without that option always.
    Success,
    /// Findings at or above `--fail-on`, folded ones included, or a rule test that failed.
    Findings,
    /// The command line is wrong, an output cannot be written, or there is nothing to take a sample of.
    Usage,
    /// A bundle cannot be analysed at all; the others were.
    Bundle,
    /// A rule is invalid, ours or the user's; nothing was read.
    Rule,
}

impl ExitCode {
    /// All of them with what they mean, by number.
    pub const TABLE: [(Self, &'static str); 5] = [
        (Self::Success, "nothing found at or above --fail-on (without it: always)"),
        (Self::Findings, "findings at or above --fail-on, or a rule test failed"),
        (Self::Usage, "wrong usage, an output cannot be written, or no sample can be made"),
        (Self::Bundle, "a bundle cannot be analysed (reports of the others are written)"),
        (Self::Rule, "a rule is invalid; nothing was read"),
    ];

    /// The number given to the operating system.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Bundle => 3,
            Self::Rule => 4,
        }
    }

    /// The one of two that must be told when both happened: 4, then 2, 3, 1.
    pub fn worst(self, other: Self) -> Self {
        if other.precedence() > self.precedence() { other } else { self }
    }

    fn precedence(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Bundle => 2,
            Self::Usage => 3,
            Self::Rule => 4,
        }
    }

    /// The table as printed at the end of help texts.
    pub fn help() -> String {
        let rows = Self::TABLE.map(|(code, meaning)| format!("  {}  {meaning}", code.code()));
        format!("Exit codes:\n{}", rows.join("\n"))
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_counts_from_zero() {
        let codes = ExitCode::TABLE.map(|(code, _)| code.code());
        assert_eq!(codes, [0, 1, 2, 3, 4]);
        assert!(ExitCode::help().contains("\n  4  a rule is invalid"));
    }

    #[test]
    fn precedence_is_four_two_three_one() {
        let order = [ExitCode::Rule, ExitCode::Usage, ExitCode::Bundle, ExitCode::Findings, ExitCode::Success];
        for (i, stronger) in order.iter().enumerate() {
            for weaker in &order[i..] {
                assert_eq!(stronger.worst(*weaker), *stronger);
                assert_eq!(weaker.worst(*stronger), *stronger);
            }
        }
    }
}
