//! Exit codes. Help texts, README and tests are made from the table here.

/// Result of the program for the calling script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitCode {
    /// No finding at or above `--fail-on`; always without that flag.
    Success,
    /// Findings at or above `--fail-on`, including folded ones, a rule test that failed, a search without match, or an object that does not exist.
    Findings,
    /// The command line is wrong, an output cannot be written, or no sample can be made.
    Usage,
    /// A bundle cannot be analysed; the others were.
    Bundle,
    /// A rule is invalid, built in or not; nothing was read.
    Rule,
    /// The code of a command that the program ran.
    #[cfg(feature = "serve")]
    Command(u8),
}

/// Exit code with its meaning for one command.
pub type CodeMeaning = (ExitCode, &'static str);

impl ExitCode {
    /// Meanings for the program as a whole, by number.
    pub const TABLE: [CodeMeaning; 5] = [
        (Self::Success, "no finding at or above --fail-on (without --fail-on: always)"),
        (
            Self::Findings,
            "findings at or above --fail-on, a rule test failed, no line matches, or an object does not exist",
        ),
        (Self::Usage, "wrong usage, an output cannot be written, or no sample can be made"),
        (Self::Bundle, "a bundle cannot be analysed (reports of the others are written)"),
        (Self::Rule, "a rule is invalid; nothing was read"),
    ];

    /// Meaning of success where findings do not matter.
    pub const DONE: CodeMeaning = (Self::Success, "finished");
    /// Meaning of a wrong command line where files are written.
    pub const UNUSABLE: CodeMeaning = (Self::Usage, "wrong usage, or an output cannot be written");
    /// Meaning of a bundle that stops the command.
    pub const UNREADABLE: CodeMeaning = (Self::Bundle, "a bundle cannot be analysed");
    /// Meaning of a bundle without what was asked for.
    pub const NOT_THERE: CodeMeaning = (Self::Bundle, "the bundle cannot be read, or does not have what was asked for");
    /// Meaning of a search without result, as `grep` has it.
    pub const NO_MATCH: CodeMeaning = (Self::Findings, "no line matches");
    /// Meaning of an invalid rule.
    pub const INVALID: CodeMeaning = (Self::Rule, "a rule is invalid; nothing was read");

    /// Number given to the operating system.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Bundle => 3,
            Self::Rule => 4,
            #[cfg(feature = "serve")]
            Self::Command(code) => code,
        }
    }

    /// Returns the code to report when both happened: 4 before 2, 2 before 3, 3 before 1.
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
            #[cfg(feature = "serve")]
            Self::Command(_) => 5,
        }
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
    fn the_table_lists_all_codes_in_order() {
        let codes = ExitCode::TABLE.map(|(code, _)| code.code());
        assert_eq!(codes, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn code_4_precedes_2_then_3_then_1() {
        let order = [ExitCode::Rule, ExitCode::Usage, ExitCode::Bundle, ExitCode::Findings, ExitCode::Success];
        for (i, stronger) in order.iter().enumerate() {
            for weaker in &order[i..] {
                assert_eq!(stronger.worst(*weaker), *stronger);
                assert_eq!(weaker.worst(*stronger), *stronger);
            }
        }
    }
}
