//! Readers of a report.

/// Whom a report is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// People who know the products: everything that was found, with evidence.
    #[default]
    Support,
    /// The people whose cluster it is: what is wrong, what to do, what to send next.
    Customer,
}

impl Audience {
    /// All audiences, the default first.
    pub const ALL: [Self; 2] = [Self::Support, Self::Customer];

    /// Returns the name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Support => "support",
            Self::Customer => "customer",
        }
    }

    /// Returns the audience with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|audience| audience.as_str() == name)
    }
}
