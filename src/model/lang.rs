//! Languages of findings.

/// Language of the texts of findings; rules are written in English.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lang {
    #[default]
    En,
    Zh,
}

impl Lang {
    /// All languages, the language of rules first.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Returns the ISO 639-1 code, as used in rules and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// Returns the language with that code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.as_str() == code)
    }

    /// Returns the languages that rules are translated to.
    pub fn translations() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|lang| *lang != Self::default())
    }
}
