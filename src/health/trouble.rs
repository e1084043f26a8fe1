//! One thing that an object reports to be wrong.

use crate::model::Severity;
use crate::yaml::Node;

/// Trouble with the place that shows it.
pub struct Trouble<'w> {
    /// In the words of the cluster.
    pub text: String,
    pub severity: Severity,
    /// None if the whole object shows it.
    pub node: Option<Node<'w>>,
}

impl<'w> Trouble<'w> {
    pub fn at(node: Node<'w>, severity: Severity, text: impl Into<String>) -> Self {
        Self { text: text.into(), severity, node: Some(node) }
    }

    /// Makes a trouble that no single field shows.
    pub fn of_object(severity: Severity, text: impl Into<String>) -> Self {
        Self { text: text.into(), severity, node: None }
    }
}
