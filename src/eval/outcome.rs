//! Outcomes: the five answers that a rule can give on a bundle.

use crate::eval::facts::candidate::Assumed;
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::input::Input;
use crate::eval::join::combination::{Combination, Joined};
use crate::expr::World;
use crate::model::message::{Caveat, Reason};
use crate::resource::{Collected, TypeName};
use crate::rule::Rule;

/// Exactly one for each rule.
#[derive(Debug)]
pub enum Outcome {
    /// With the part that was not collected and may hold more.
    Fired(Vec<FoldableFinding>, Option<Reason>),
    Clean,
    /// Clean where collected, with the part that was not collected.
    CleanPartly(Reason),
    /// With the reason.
    NotEvaluated(Reason),
    /// With the product and range.
    NotApplicable(Reason),
}

/// Relation of the bundle's products to the rule's ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applicability {
    Yes,
    /// A version is not known: findings are likely at most, and say so.
    Unknown(Caveat),
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
                None if answer == Applicability::Yes => {
                    answer = Applicability::Unknown(caveat(product, version, affects.range.text()));
                }
                None => {}
            },
        }
    }
    answer
}

fn caveat(product: String, version: &str, range: &str) -> Caveat {
    let (version, range) = (version.to_owned(), range.to_owned());
    match version.is_empty() {
        true => Caveat::VersionUnknown { product, range },
        false => Caveat::VersionUnordered { product, version, range },
    }
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

/// Returns the outcome of a rule without findings. It is clean where collected if every undecided combination assumes a match in
/// what was not collected of a fact of which another part was collected: a combination needs all of its facts.
pub fn without_findings(joined: &Joined<'_>) -> Outcome {
    if joined.overflow {
        return Outcome::NotEvaluated(Reason::TooManyCombinations);
    }
    // The smallest reason, because the order of rows is not fixed.
    let Some(reason) = joined.combinations.iter().filter_map(|row| row.undecided.as_ref()).min() else {
        return Outcome::Clean;
    };
    let reason = (**reason).clone();
    match joined.combinations.iter().all(|row| row.assumed == Assumed::InUncollectedPart) {
        true => Outcome::CleanPartly(reason),
        false => Outcome::NotEvaluated(reason),
    }
}

/// Returns the part that was not collected in which undecided combinations assume a match; none if no part is missing.
pub fn uncollected(undecided: &[Combination<'_>]) -> Option<Reason> {
    let rows = undecided.iter().filter(|row| row.assumed != Assumed::Nothing);
    rows.filter_map(|row| row.undecided.as_ref())
        .filter(|reason| reason.is_gap())
        .min()
        .map(|reason| (**reason).clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::join::bind::{apply_unless, join_find};
    use crate::eval::testing::{input, object, rules};

    /// Answer of a rule on a bundle, with its reason, and where a rule that fired may have more.
    fn answer(body: &str, objects: &[String], missing: &[&str]) -> String {
        let (set, input) = (rules(&[("asked", body)]), input(objects, missing));
        let mut joined = join_find(&input, &set.rules[0], &mut ());
        apply_unless(&input, &set.rules[0], &mut joined, &mut ());
        let (fired, undecided): (Vec<_>, Vec<_>) =
            joined.combinations.iter().cloned().partition(|row| row.undecided.is_none());
        if !fired.is_empty() {
            return uncollected(&undecided).map_or("fired".to_owned(), |why| format!("fired; {why}"));
        }
        match without_findings(&joined) {
            Outcome::CleanPartly(why) => format!("clean where collected: {why}"),
            Outcome::NotEvaluated(why) => format!("not evaluated: {why}"),
            _ => "clean".to_owned(),
        }
    }

    const EITHER: &str =
        "find: {bad: {any: [{resource: configmaps, where: self.v == 2}, {resource: secrets, where: self.v == 2}]}}";

    #[test]
    fn an_uncollected_part_is_told_apart_from_nothing_collected() {
        let (good, bad) = ([object("ConfigMap", "x", "v: 1")], object("ConfigMap", "x", "v: 2"));
        let missing = "secrets were not collected";
        assert_eq!(answer(EITHER, &good, &[]), "clean");
        assert_eq!(answer(EITHER, &good, &["secrets"]), format!("clean where collected: {missing}"));
        assert_eq!(answer(EITHER, &[bad], &["secrets"]), format!("fired; {missing}"));
        let nothing = answer(EITHER, &[], &["configmaps", "secrets"]);
        assert_eq!(nothing, "not evaluated: configmaps were not collected");
        let all =
            "find: {c: {resource: configmaps}, s: {resource: secrets, where: s.metadata.name == c.metadata.name}}";
        assert_eq!(answer(all, &good, &["secrets"]), format!("not evaluated: {missing}"));
    }

    #[test]
    fn volumes_that_no_workload_uses_were_looked_for() {
        let body = "find: {bad: {resource: volumes.longhorn.io, where: self.v == 2}}";
        let missing = "volumes.longhorn.io were not collected";
        let without = ["volumes.longhorn.io"];
        assert_eq!(answer(body, &[], &without), format!("clean where collected: {missing}"));
        let used = ["{apiVersion: v1, kind: PersistentVolume, metadata: {name: x}}".to_owned()];
        assert_eq!(answer(body, &used, &without), format!("not evaluated: {missing}"));
        let unknown = ["persistentvolumes", "volumes.longhorn.io"];
        assert_eq!(answer(body, &[], &unknown), format!("not evaluated: {missing}"));
    }

    #[test]
    fn facts_that_are_all_needed_are_clean_where_one_was_searched() {
        let both = format!("{EITHER}\n").replace("}}\n", "}, other: {resource: services}}");
        let good = [object("ConfigMap", "x", "v: 1")];
        let found = answer(&both, &good, &["secrets", "services"]);
        assert_eq!(found, "clean where collected: secrets were not collected");
        assert!(answer(&both, &[], &["configmaps", "secrets", "services"]).starts_with("not evaluated"));
    }

    #[test]
    fn what_is_withheld_or_may_forbid_is_not_clean_where_collected() {
        let hidden = object("ConfigMap", "x", "v: '***HIDDEN***'");
        assert!(answer(EITHER, &[hidden], &["secrets"]).starts_with("not evaluated"));
        let unless = "find: {c: {resource: configmaps}}\nunless: {s: {any: [{resource: secrets}, {resource: pods}]}}";
        let objects = [object("ConfigMap", "x", "v: 1")];
        assert_eq!(answer(unless, &objects, &["secrets"]), "not evaluated: secrets were not collected");
    }
}
