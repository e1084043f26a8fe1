//! Describes keys of rule files: a [`Key`] is a row, a [`KeyTable`] holds the keys of one mapping.
//!
//! The rows are in [`super::key_table`]. The reader takes allowed and required keys and its suggestions from them,
//! `rules schema` its properties, `docs/rule-language.md` its tables.

/// One key of a mapping.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub shape: Shape,
    /// The mapping is incomplete without it.
    pub required: bool,
    pub fit: Fit,
    /// Meaning in one sentence, in Markdown.
    pub doc: &'static str,
}

/// Variants of its mapping that a key fits: kinds of facts, or present and absent steps of a sequence.
#[derive(Debug)]
pub enum Fit {
    Everywhere,
    /// The key decides the kind of the fact.
    IsKind,
    Only(&'static [&'static str]),
    /// Often written here by mistake; the reader reports where it belongs.
    Nowhere,
}

/// Values that a key may have.
#[derive(Debug)]
pub enum Shape {
    /// A rule id: kebab-case.
    Id,
    /// A text that is not blank.
    Text,
    /// A string.
    Word,
    /// A string, or a number that is read as one.
    Scalar,
    /// A CEL expression, which may look like any scalar.
    Expression,
    Flag,
    /// A whole number from 1.
    Count,
    OneOf(fn() -> Vec<&'static str>),
    /// The name of a log stream.
    Stream,
    /// One value or a list with at least one.
    OneOrMore(&'static Shape),
    /// One string or a list of strings, which may be empty.
    OneOrList,
    /// A list with at least one entry.
    List(&'static Shape),
    Either(&'static Shape, &'static Shape),
    Mapping(&'static KeyTable),
    /// Texts by product.
    Products,
    /// Facts by name.
    Facts,
    /// Translations by language.
    Translations(&'static KeyTable),
    /// A count, or one capture with a count.
    AtLeast,
    /// A label selector, or labels with values.
    Labels,
    /// Read by code of its own; the schema does not describe it.
    Open,
}

/// The keys of one mapping.
#[derive(Debug)]
pub struct KeyTable {
    /// The mapping as messages name it, with an article where it has one: `a rule`, `log`.
    pub what: &'static str,
    pub keys: &'static [Key],
    /// At least this many keys are needed, whichever they are.
    pub least: usize,
}

impl Key {
    /// A key that is optional and fits everywhere.
    pub const fn new(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self { name, shape, required: false, fit: Fit::Everywhere, doc }
    }

    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    #[must_use]
    pub const fn fits(self, fit: Fit) -> Self {
        Self { fit, ..self }
    }

    /// Returns whether the key may be in that variant of its mapping.
    pub fn is_for(&self, variant: &str) -> bool {
        match self.fit {
            Fit::Everywhere => true,
            Fit::IsKind => self.name == variant,
            Fit::Only(variants) => variants.contains(&variant),
            Fit::Nowhere => false,
        }
    }

    /// Returns the variants that the key is for; none when it is for all.
    pub fn variants(&self) -> &'static [&'static str] {
        match self.fit {
            Fit::Only(variants) => variants,
            _ => &[],
        }
    }

    /// The only value that a switch may have: `optional: true`, `boot: current`.
    pub fn only_value(&self) -> Option<&'static str> {
        match self.shape {
            Shape::Flag => Some("true"),
            Shape::OneOf(values) => match values().as_slice() {
                [one] => Some(*one),
                _ => None,
            },
            _ => None,
        }
    }
}

impl KeyTable {
    pub const fn new(what: &'static str, keys: &'static [Key]) -> Self {
        Self { what, keys, least: 0 }
    }

    #[must_use]
    pub const fn at_least(self, least: usize) -> Self {
        Self { least, ..self }
    }

    pub fn get(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Keys that may be written, in the order of the table.
    pub fn allowed(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().filter(|key| !matches!(key.fit, Fit::Nowhere))
    }

    /// Names of the keys that may be written.
    pub fn names(&self) -> Vec<&'static str> {
        self.allowed().map(|key| key.name).collect()
    }

    /// Names of the keys that must be there.
    pub fn required(&self) -> Vec<&'static str> {
        self.keys.iter().filter(|key| key.required).map(|key| key.name).collect()
    }

    /// Keys that say the kind of a fact.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().filter(|key| matches!(key.fit, Fit::IsKind)).map(|key| key.name)
    }

    /// Names of the keys of one variant.
    pub fn names_for(&self, variant: &str) -> Vec<&'static str> {
        self.keys.iter().filter(|key| key.is_for(variant)).map(|key| key.name).collect()
    }

    /// Returns whether the variant has the key.
    pub fn fits(&self, name: &str, variant: &str) -> bool {
        self.get(name).is_some_and(|key| key.is_for(variant))
    }
}
