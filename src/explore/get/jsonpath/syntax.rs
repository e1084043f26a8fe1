//! Parts of a template, and steps of its paths.

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Steps from the current value; they begin at this character.
    Path(Vec<Step>, usize),
    /// The parts for each value that a path finds.
    Range { of: Vec<Step>, at: usize, body: Vec<Part> },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Text(String),
    Number(serde_json::Number),
    Bool(bool),
    Field(String),
    /// All values of a map or a list.
    All,
    /// A value and all below it that have values themselves.
    Below,
    Slice(Slice),
    /// All values of several paths.
    Union(Vec<Vec<Step>>),
    Filter(Filter),
}

/// `[from:to:by]` of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    pub from: i64,
    /// None for the end of the list.
    pub to: Option<i64>,
    pub by: i64,
    /// True for a single index.
    pub is_index: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub left: Vec<Step>,
    /// None if the left side need only exist.
    pub compared: Option<(Comparison, Vec<Step>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}
