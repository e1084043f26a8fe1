//! Languages that findings can speak.

/// A language of the texts of findings; English is what rules are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lang {
    #[default]
    En,
    Zh,
}

impl Lang {
    /// All of them, that of rules first.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Its ISO 639-1 code, as rules and the command line have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The language of that code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.as_str() == code)
    }

    /// Those that rules are translated to.
    pub fn translations() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|lang| *lang != Self::default())
    }
}
