//! Outcomes: the five answers that a rule can give on a bundle.

use crate::eval::facts::candidate::Assumed;
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::input::Input;
use crate::eval::join::combination::{Combination, Joined};
use crate::expr::World;
use crate::model::message::{Caveat, Reason};
use crate::model::secret;
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
    /// A collector hid what would tell, with the reason: nothing is evaluated.
    Withheld(Reason),
    No(Reason),
}

/// Compares `affects` with the products of the bundle; all of its products must be in range.
pub fn applicability(input: &Input, rule: &Rule) -> Applicability {
    let mut answer = Applicability::Yes;
    for affects in &rule.affects {
        let product = affects.product.clone();
        let hides = matches!(answer, Applicability::Withheld(_));
        match input.world.versions.get(&product) {
            None => match absence(&input.world, product) {
                absent @ Reason::ProductAbsent { .. } => return Applicability::No(absent),
                unknown if unknown.is_withheld() => answer = Applicability::Withheld(unknown),
                _ if hides => {}
                unknown => answer = Applicability::Undecided(unknown),
            },
            Some(version) if secret::is_withheld(version) && !affects.range.is_everything() => {
                answer = Applicability::Withheld(Reason::Withheld);
            }
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
        None if world.hides_products => Reason::Withheld,
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
            matches!(world.resources.collected_by_name(&TypeName::parse(name), None), Collected::Yes | Collected::Empty)
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

/// Returns why a rule that fired may have more: the part that was not collected in which undecided combinations assume a match, or what
/// a collector hid of them or of lists; none if no part is missing.
pub fn uncollected(fired: &[Combination<'_>], undecided: &[Combination<'_>]) -> Option<Reason> {
    let in_doubt = |row: &&Combination<'_>| row.undecided.as_ref().is_some_and(|reason| reason.is_withheld());
    let missed = |row: &&Combination<'_>| row.assumed != Assumed::Nothing || in_doubt(row);
    let left_open = undecided.iter().filter(missed).filter_map(|row| row.undecided.as_ref());
    left_open
        .chain(fired.iter().filter_map(|row| row.partial.as_ref()))
        .filter(|reason| reason.is_gap() || reason.is_withheld())
        .min()
        .map(|reason| (**reason).clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::join::bind::join;
    use crate::eval::testing::{input, object, rules};

    /// Answer of a rule on a bundle, with its reason, and where a rule that fired may have more.
    fn answer(body: &str, objects: &[String], missing: &[&str]) -> String {
        let (set, input) = (rules(&[("asked", body)]), input(objects, missing));
        let joined = join(&input, &set.rules[0], &mut ());
        let (fired, undecided): (Vec<_>, Vec<_>) =
            joined.combinations.iter().cloned().partition(|row| row.is_decided());
        if !fired.is_empty() {
            return uncollected(&fired, &undecided).map_or("fired".to_owned(), |why| format!("fired; {why}"));
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

    const HIDDEN: &str = "'***HIDDEN***'";

    #[test]
    fn a_hidden_name_matters_only_where_the_name_is_asked_for() {
        let bad = [object("ConfigMap", HIDDEN, "v: 2")];
        assert_eq!(answer(EITHER, &bad, &[]), "fired");
        let named = "find: {bad: {resource: configmaps, name: x, where: self.v == 2}}";
        assert!(answer(named, &bad, &[]).starts_with("not evaluated"));
        assert_eq!(answer(named, &[object("ConfigMap", HIDDEN, "v: 1")], &[]), "clean");
        let here = "find: {bad: {resource: configmaps, namespace: a, where: self.v == 2}}";
        let elsewhere =
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: '***HIDDEN***'}, v: 2}".to_owned();
        assert!(answer(here, &[elsewhere], &[]).starts_with("not evaluated"));
    }

    /// Each of two hidden names is an object of its own.
    #[test]
    fn absence_is_open_while_a_hidden_object_may_be_the_wanted_one() {
        let absent = "find: {s: {resource: secrets}}\nwhen: get('configmaps', 'a', s.metadata.name) == null";
        let unless = "find: {s: {resource: secrets}}\nunless: {c: {resource: configmaps, where: c.metadata.name == s.metadata.name}}";
        let secret = || object("Secret", "x", "v: 1");
        for body in [absent, unless] {
            assert_eq!(answer(body, &[secret(), object("ConfigMap", "y", "v: 1")], &[]), "fired", "{body}");
            for name in ["x", "y"] {
                let objects = [secret(), object("ConfigMap", HIDDEN, "v: 1"), object("ConfigMap", name, "v: 1")];
                let open = answer(body, &objects, &[]).starts_with("not evaluated");
                assert_eq!(open, name == "y", "{body} with {name}");
            }
        }
        let two = [object("ConfigMap", HIDDEN, "v: 1"), object("ConfigMap", HIDDEN, "v: 2")];
        let both =
            "find: {a: {resource: configmaps, where: self.v == 1}, b: {resource: configmaps, where: self.v == 2}}";
        assert_eq!(answer(both, &two, &[]), "fired");
    }

    #[test]
    fn an_owner_is_open_while_a_uid_is_hidden() {
        let owned = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, ownerReferences: \
                     [{apiVersion: v1, kind: ConfigMap, name: x, uid: u1, controller: true}]}}";
        let body = "find: {p: {resource: pods}}\nunless: {o: {value: owner(p)}}";
        let with = |uid: &str| {
            let owner = format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x, namespace: a, uid: {uid}}}}}");
            answer(body, &[owned.to_owned(), owner], &[])
        };
        assert_eq!((with("u1").as_str(), with("u2").as_str()), ("clean", "fired"));
        assert!(with(HIDDEN).starts_with("not evaluated"));
    }

    #[test]
    fn a_list_that_only_texts_show_takes_nothing_from_a_finding() {
        let body = "find: {s: {resource: secrets}, all: {resource: configmaps, where: self.v == s.v, collect: true}}"
            .to_owned();
        let objects = [
            object("Secret", "x", "v: 1"),
            object("ConfigMap", "y", "v: 1"),
            object("ConfigMap", "z", "v: '***HIDDEN***'"),
        ];
        assert_eq!(answer(&body, &objects, &[]), format!("fired; {}", Reason::Withheld));
        let counted = body + "\nwhen: size(all) > 0";
        assert!(answer(&counted, &objects, &[]).starts_with("not evaluated"));
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
