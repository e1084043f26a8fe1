//! A finding before it is folded.

use std::collections::BTreeSet;

use crate::eval::finding::names::Names;
use crate::eval::finding::reach::Reach;
use crate::eval::finding::span::Span;
use crate::eval::finding::times::Times;
use crate::model::{Component, Finding};
use crate::resource::ResourceId;

/// A finding with the data that folding needs in addition to what reports show.
#[derive(Debug)]
pub struct FoldableFinding {
    pub finding: Finding,
    /// Empty for rules that explain none and are explained by none.
    pub reach: Reach,
    /// What it names; empty where its reach is, unless it breaks or needs something.
    pub names: Names,
    /// Times at which it happened; empty for rules whose findings are not compared in time.
    pub times: Times,
    /// Positions of the entries of its rule's `explains` whose condition does not hold for it.
    pub explains_not: Vec<usize>,
    /// Components that it breaks.
    pub breaks: Vec<Component>,
    /// Components from which it suffers if they are broken.
    pub needs: Vec<Component>,
    /// From when to when it held; empty if it breaks and needs nothing.
    pub span: Span,
    /// Events that it is made of.
    pub events: BTreeSet<ResourceId>,
}
