//! Outcomes: the four answers that a rule can give on a bundle.

use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::input::Input;
use crate::eval::join::combination::Joined;
use crate::expr::World;
use crate::model::message::Reason;
use crate::resource::{Collected, TypeName};
use crate::rule::Rule;

/// Exactly one for each rule.
#[derive(Debug)]
pub enum Outcome {
    Fired(Vec<FoldableFinding>),
    Clean,
    /// With the reason.
    NotEvaluated(Reason),
    /// With the product and range.
    NotApplicable(Reason),
}

/// Relation of the bundle's products to the rule's ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applicability {
    Yes,
    /// A version is not known: findings are hints.
    Unknown,
    /// The bundle does not show whether a product is there, with the reason: findings are hints, and no finding proves nothing.
    Undecided(Reason),
    No(Reason),
}

/// Compares `affects` with the products of the bundle; all of its products must be in range.
pub fn applicability(input: &Input, rule: &Rule) -> Applicability {
    let mut answer = Applicability::Yes;
    for affects in &rule.affects {
        let product = affects.product.clone();
        match input.world.versions.get(&product) {
            None => match absence(&input.world, product) {
                absent @ Reason::ProductAbsent { .. } => return Applicability::No(absent),
                unknown => answer = Applicability::Undecided(unknown),
            },
            Some(version) => match affects.range.contains(version) {
                Some(true) => {}
                Some(false) => {
                    let (version, range) = (version.clone(), affects.range.text().to_owned());
                    return Applicability::No(Reason::OutsideRange { product, version, range });
                }
                None if answer == Applicability::Yes => answer = Applicability::Unknown,
                None => {}
            },
        }
    }
    answer
}

/// Returns what it means that the bundle does not show a product.
fn absence(world: &World, product: String) -> Reason {
    match world.resources.truncated() {
        Some(why) => Reason::ProductLost { product, why: why.clone() },
        None if tells_products(world) => Reason::ProductAbsent { product },
        None => Reason::ProductUnknown { product },
    }
}

/// Returns whether the bundle would show an installed product: by its types, its namespace, or its API. The collection of one
/// machine has none of them.
fn tells_products(world: &World) -> bool {
    ["customresourcedefinitions.apiextensions.k8s.io", "namespaces", "apiservices.apiregistration.k8s.io"]
        .into_iter()
        .any(|name| {
            matches!(world.resources.collected(&TypeName::parse(name), None), Collected::Yes | Collected::Empty)
        })
}

/// Returns the outcome of a rule without findings: clean, or not evaluated for a reason.
pub fn without_findings(joined: &Joined<'_>) -> Outcome {
    if joined.overflow {
        return Outcome::NotEvaluated(Reason::TooManyCombinations);
    }
    // The smallest reason, because the order of rows is not fixed.
    match joined.combinations.iter().filter_map(|row| row.undecided.as_ref()).min() {
        Some(reason) => Outcome::NotEvaluated((**reason).clone()),
        None => Outcome::Clean,
    }
}
