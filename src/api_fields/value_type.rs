//! Types of fields, and the values that a field takes.

/// One type that a field has in some version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaseType {
    String,
    Integer,
    Number,
    Boolean,
    List,
    /// A map whose keys are free.
    Map,
    /// A map whose fields are declared.
    Object,
    /// A map without declared fields, or one that contains itself.
    Open,
    /// A text in RFC 3339.
    Time,
    /// A text such as `10Gi`.
    Quantity,
    /// A text such as `1m30s`.
    Duration,
    /// `metadata`, whose fields [`super::object_meta`] has.
    ObjectMeta,
    /// Any value, with any content.
    Any,
    Null,
}

impl BaseType {
    /// Returns the type of that name in the data.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "list" => Self::List,
            "map" => Self::Map,
            "object" => Self::Object,
            "open" => Self::Open,
            "time" => Self::Time,
            "quantity" => Self::Quantity,
            "duration" => Self::Duration,
            "ObjectMeta" => Self::ObjectMeta,
            "any" => Self::Any,
            "null" => Self::Null,
            _ => return None,
        })
    }
}

/// The texts that a field may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// The API rejects all others, in some version.
    Enforced(Vec<&'static str>),
    /// The product defines these, but others are allowed.
    Defined(Vec<&'static str>),
}

/// Type and values of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// More than one if versions differ.
    pub bases: Vec<BaseType>,
    pub values: Option<Values>,
}

impl ValueType {
    /// Reads `BASE|BASE\tMARK\tVALUE|VALUE`.
    pub(super) fn parse(line: &'static str) -> Option<Self> {
        let mut columns = line.splitn(3, '\t');
        let bases = columns.next()?.split('|').map(BaseType::parse).collect::<Option<Vec<_>>>()?;
        let (mark, values) = (columns.next()?, columns.next()?.split('|').collect());
        let values = match mark {
            "" => None,
            "enforced" => Some(Values::Enforced(values)),
            "defined" => Some(Values::Defined(values)),
            _ => return None,
        };
        Some(Self { bases, values })
    }
}
