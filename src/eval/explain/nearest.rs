//! Nearest miss: the combination that met most conditions of a rule that did not fire.

use crate::eval::explain::fields::MAX_FIELDS;
use crate::eval::explain::record::{JoinRecord, RecordedStep};
use crate::eval::explain::search::Search;
use crate::eval::facts::lookup::{look_up, select};
use crate::eval::identity::identity;
use crate::eval::input::Input;
use crate::eval::join::combination::Combination;
use crate::expr::{Expr, Slot, Truth, Value};
use crate::model::explanation::{Bound, FieldAt, NearMiss, Why};
use crate::model::message::Match;
use crate::rule::plan::Plan;
use crate::rule::{Alternative, Fact, FactKind, Rule, RuleSet, describe, order};

/// Largest number of pairs of a combination and a candidate that are compared.
const MAX_PAIRS: usize = 20_000;
/// Largest number of facts of `unless` that are shown.
const MAX_FOUND: usize = 3;

/// Returns the nearest miss of a rule that has no combination left.
pub fn nearest_miss(input: &Input, set: &RuleSet, rule: &Rule, record: &JoinRecord<'_>) -> Option<NearMiss> {
    let search = Search { input, set, rule };
    let Some(last) = record.steps.iter().rev().find(
        |step| !matches!(step, RecordedStep::Bound { before, .. } | RecordedStep::Filtered { before, .. } if before.count == 0),
    ) else {
        return search.absent();
    };
    match last {
        RecordedStep::Bound { slot, conditions, before, .. } => {
            Some(search.unmatched(*slot, &conditions.iter().collect::<Vec<_>>(), &before.kept))
        }
        RecordedStep::Filtered { condition, before, .. } => search.filtered(condition, &before.kept),
        RecordedStep::Forbidden { group, found, .. } => search.forbidden(group, found.kept.first()?),
    }
}

/// Returns the conditions that a match of an alternative must meet: first those that mention no other fact.
fn asked<'r>(fact: &'r Fact, alternative: &'r Alternative, slot: Slot, joining: &[&'r Expr]) -> Vec<&'r Expr> {
    let (own, joined): (Vec<&Expr>, Vec<&Expr>) =
        alternative.conditions.iter().partition(|condition| order::is_alone(condition, slot));
    let alone: Vec<&Expr> = fact.conditions.iter().filter(|condition| order::is_alone(condition, slot)).collect();
    // Another fact may have a condition on this one alone.
    let is_new = |condition: &&Expr| alone.iter().all(|known| known.text() != condition.text());
    let joining: Vec<&Expr> = joining.iter().copied().filter(is_new).collect();
    [alone, own, joining, joined].concat()
}

impl<'i> Search<'i, '_> {
    /// Returns the miss of a required fact without a match: the first one that has fields to show.
    fn absent(&self) -> Option<NearMiss> {
        let plan = Plan::of(self.rule);
        let unfound = |slot: &Slot| {
            let fact = &self.rule.facts[*slot];
            let found = look_up(self.input, fact, *slot, &mut vec![Value::Null; self.rule.names.len()]);
            let nothing = found.iter().all(|found| found.list.is_empty() && found.incomplete.is_none());
            fact.is_lookup() && fact.is_required() && nothing
        };
        let slots: Vec<Slot> = plan.find.iter().map(|step| step.slot).filter(unfound).collect();
        let empty = Combination::empty(self.rule.names.len());
        let mut misses = slots.into_iter().map(|slot| self.unmatched(slot, &[], std::slice::from_ref(&empty)));
        let first = misses.next()?;
        match first.why {
            Why::Nothing { .. } => misses.find(|miss| !matches!(miss.why, Why::Nothing { .. })).or(Some(first)),
            _ => Some(first),
        }
    }

    /// Returns the miss of a fact of which no candidate fits any combination.
    fn unmatched(&self, slot: Slot, joining: &[&Expr], rows: &[Combination<'i>]) -> NearMiss {
        let fact = &self.rule.facts[slot];
        let ways: Vec<Vec<&Expr>> = fact.alternatives.iter().map(|one| asked(fact, one, slot, joining)).collect();
        let own: Vec<Vec<Value<'i>>> = fact.kinds().map(|kind| self.values(kind)).collect();
        let mut best: Option<(Rank, Vec<Value<'i>>, &[&Expr])> = None;
        let mut tried = 0;
        for row in rows {
            let mut values = row.values.clone();
            for ((kind, conditions), own) in fact.kinds().zip(&ways).zip(&own) {
                let elements = self.elements(kind, &row.values);
                for value in own.iter().chain(&elements) {
                    tried += 1;
                    if tried > MAX_PAIRS {
                        break;
                    }
                    values[slot] = value.clone();
                    let rank = self.rank(slot, conditions, &values);
                    if best.as_ref().is_none_or(|(known, best, _)| self.is_nearer((rank, &values), (*known, best))) {
                        best = Some((rank, values.clone(), conditions));
                    }
                }
            }
        }
        match best {
            Some((_, values, conditions)) => {
                let objects = self.bound(&values, Some(slot));
                NearMiss { objects, why: self.failed(conditions, &values) }
            }
            None => {
                let Some(row) = rows.first() else { return self.nothing(fact, Vec::new(), Vec::new()) };
                let lists = fact.kinds().filter_map(FactKind::expression);
                let fields = lists.flat_map(|list| self.fields_of_list(list, &row.values)).take(MAX_FIELDS).collect();
                self.nothing(fact, self.bound(&row.values, None), fields)
            }
        }
    }

    fn nothing(&self, fact: &Fact, objects: Vec<Bound>, fields: Vec<FieldAt>) -> NearMiss {
        let wanted = describe::looks_for(self.set, fact);
        NearMiss { objects, why: Why::Nothing { fact: fact.name.clone(), wanted, fields } }
    }

    /// Returns the miss of a condition of `when` that held for no combination.
    fn filtered(&self, condition: &Expr, rows: &[Combination<'i>]) -> Option<NearMiss> {
        let first = rows.iter().min_by_key(|row| self.identities(&row.values))?;
        let before = self.rule.when.iter().position(|c| c.text() == condition.text());
        let (met, of) = before.map_or((0, 1), |met| (met, self.rule.when.len()));
        let why = Why::Failed {
            condition: condition.text().to_owned(),
            fields: self.fields(condition, &first.values),
            met,
            of,
        };
        Some(NearMiss { objects: self.bound(&first.values, None), why })
    }

    fn forbidden(&self, group: &[Slot], row: &Combination<'i>) -> Option<NearMiss> {
        let found = group.iter().filter_map(|&slot| self.binding(slot, &row.values[slot])).take(MAX_FOUND).collect();
        Some(NearMiss { objects: self.bound(&row.values, None), why: Why::Forbidden { found } })
    }

    fn values(&self, kind: &FactKind) -> Vec<Value<'i>> {
        select(self.input, kind).list.into_iter().map(|candidate| candidate.value).collect()
    }

    /// Returns the elements of an `each`, or the value of a `value`.
    fn elements(&self, kind: &FactKind, values: &[Value<'i>]) -> Vec<Value<'i>> {
        match kind {
            FactKind::Each(expr) => expr.eval(&self.input.world, values).elements(),
            FactKind::Value(expr) => vec![expr.eval(&self.input.world, values)],
            _ => Vec::new(),
        }
    }

    fn rank(&self, slot: Slot, conditions: &[&Expr], values: &[Value<'i>]) -> Rank {
        let holds = |c: &&&Expr| c.test(&self.input.world, values) == Truth::True;
        let met = conditions.iter().filter(holds).count();
        let joined = conditions.iter().filter(|c| !order::is_alone(c, slot)).filter(holds).count();
        (met, joined)
    }

    /// Returns whether a combination is nearer; of equally near ones the first by name, independent of the order of entries.
    fn is_nearer(&self, (rank, values): (Rank, &[Value<'i>]), (known, best): (Rank, &[Value<'i>])) -> bool {
        rank > known || (rank == known && self.identities(values) < self.identities(best))
    }

    fn identities(&self, values: &[Value<'i>]) -> Vec<String> {
        values.iter().map(|value| identity(&self.input.world, value)).collect()
    }

    /// Returns the first condition that does not hold.
    fn failed(&self, conditions: &[&Expr], values: &[Value<'i>]) -> Why {
        let fails = |c: &&&Expr| c.test(&self.input.world, values) != Truth::True;
        let failing = conditions.iter().filter(fails).count();
        let Some(condition) = conditions.iter().find(fails) else {
            return Why::Failed {
                condition: String::new(),
                fields: Vec::new(),
                met: conditions.len(),
                of: conditions.len(),
            };
        };
        Why::Failed {
            condition: condition.text().to_owned(),
            fields: self.fields(condition, values),
            met: conditions.len() - failing,
            of: conditions.len(),
        }
    }

    /// Returns the bindings of the required facts of `find`, without values; the fact that did not match is last.
    fn bound(&self, values: &[Value<'i>], last: Option<Slot>) -> Vec<Bound> {
        let rest = (0..self.rule.find).filter(|&slot| Some(slot) != last && self.rule.facts[slot].is_required());
        let mut rest: Vec<Slot> = rest.filter(|&slot| !self.rule.facts[slot].is_value()).collect();
        rest.sort_by_key(|slot| (!self.rule.about.contains(slot), &self.rule.names[*slot]));
        let last = last.filter(|&slot| !self.rule.facts[slot].is_value());
        rest.into_iter().chain(last).filter_map(|slot| self.binding(slot, &values[slot])).collect()
    }

    fn binding(&self, slot: Slot, value: &Value<'i>) -> Option<Bound> {
        let what = match value {
            Value::Null | Value::Undecided(_) => return None,
            Value::Hits(group) => Match::lines(group.count),
            other => Some(identity(&self.input.world, other))
                .filter(|name| !name.is_empty())
                .map(|name| Match::Named { name })?,
        };
        Some(Bound { fact: self.rule.names[slot].clone(), what, place: self.place(value) })
    }
}

/// Number of conditions that are met, and how many of them join.
type Rank = (usize, usize);

#[cfg(test)]
mod tests {
    use crate::eval::explain::explanation::explain;
    use crate::eval::testing::input;
    use crate::eval::testing::object;
    use crate::eval::testing::rules;
    use crate::model::explanation::Step;

    /// The nearest miss in one line.
    fn near(body: &str, objects: &[String], missing: &[&str]) -> String {
        let (set, input) = (rules(&[("near", body)]), input(objects, missing));
        explain(&input, &set, &set.rules[0]).near.map_or_else(String::new, |near| near.to_string())
    }

    fn configs() -> Vec<String> {
        vec![
            object("ConfigMap", "a", "v: 1, w: 1, s: x"),
            object("ConfigMap", "b", "v: 2, w: 1, s: y"),
            object("ConfigMap", "c", "v: 3, w: 3, s: z"),
        ]
    }

    #[test]
    fn the_candidate_that_meets_most_conditions_is_nearest() {
        let body = "find: {c: {resource: configmaps, where: c.v == 9 && c.w == 1 && c.s == 'y'}}";
        let told = "c ConfigMap/a/b: not c.v == 9: c.v is 2 (objects.yaml:3)";
        assert_eq!(near(body, &configs(), &[]), told);
        let reversed: Vec<String> = configs().into_iter().rev().collect();
        assert_eq!(near(body, &reversed, &[]), told, "the order of entries has no say");
    }

    #[test]
    fn a_partner_that_fails_its_own_condition_is_nearer_than_a_stranger() {
        let secrets = [object("Secret", "x", "state: well"), object("Secret", "other", "state: ill")];
        let objects = [configs(), secrets.to_vec()].concat();
        let body = "find: {c: {resource: configmaps, where: c.v == 1}, \
                    s: {resource: secrets, where: s.metadata.name == c.s && s.state == 'ill'}}";
        assert_eq!(near(body, &objects, &[]), "s Secret/a/x: not s.state == 'ill': s.state is well (objects.yaml:7)");
    }

    #[test]
    fn the_condition_that_ended_the_rule_is_shown() {
        let body = "find: {c: {resource: configmaps, where: c.v == 1}}\nwhen: c.w == 1 && c.gone == 5";
        let told = "c ConfigMap/a/a: not c.gone == 5: c.gone is absent (objects.yaml:1)";
        assert_eq!(near(body, &configs(), &[]), told);
        let objects = [configs(), vec![object("Secret", "x", "")]].concat();
        let body = "find: {c: {resource: configmaps, where: c.v == 1}}\n\
                    unless: {s: {resource: secrets, where: s.metadata.name == c.s}}";
        assert_eq!(near(body, &objects, &[]), "c ConfigMap/a/a: unless forbids s Secret/a/x");
        let body = "find: {c: {resource: configmaps}, e: {each: c.list}}";
        let told = "c ConfigMap/a/a: no e: each element of `c.list`: c.list is absent (objects.yaml:1)";
        assert_eq!(near(body, &configs(), &[]), told);
    }

    /// A value always exists: the condition that needed it is the one that failed.
    #[test]
    fn a_value_is_not_blamed_for_the_condition_on_it() {
        let cases = [
            (
                "find: {c: {resource: configmaps, where: c.w == 1 && n == 9}, n: {value: c.v + 1}}",
                "c ConfigMap/a/a: not n == 9: n is 2; c.v is 1 (objects.yaml:1)",
            ),
            (
                "find: {c: {resource: configmaps, where: c.w == 1}, n: {value: c.gone}}\nwhen: n != null",
                "c ConfigMap/a/a: not n != null: n is absent; c.gone is absent (objects.yaml:1)",
            ),
            (
                "find: {c: {resource: configmaps}, n: {value: 'c.list.filter(x, x == 1)'}, e: {each: n}}",
                "c ConfigMap/a/a: no e: each element of `n`: c.list is absent (objects.yaml:1)",
            ),
            (
                "find: {c: {resource: configmaps}, n: {value: c.s}, m: {value: n + '!'}}\nwhen: m == 'a'",
                "c ConfigMap/a/a: not m == 'a': m is x!; c.s is x (objects.yaml:1)",
            ),
        ];
        for (body, told) in cases {
            assert_eq!(near(body, &configs(), &[]), told, "{body}");
        }
    }

    #[test]
    fn conditions_on_another_fact_alone_are_shown() {
        let objects = [configs(), vec![object("Secret", "x", "state: well")]].concat();
        let body = "find: {c: {resource: configmaps, where: c.v == 1 && s.state == 'ill'}, \
                    s: {resource: secrets, where: s.metadata.name == c.s}}";
        assert_eq!(near(body, &objects, &[]), "s Secret/a/x: not s.state == 'ill': s.state is well (objects.yaml:7)");
    }

    #[test]
    fn without_objects_the_search_itself_is_shown() {
        let body = "find: {s: {resource: secrets, namespace: shop}}";
        assert_eq!(near(body, &configs(), &[]), "no s: objects of type `secrets` in namespace `shop`");
    }

    #[test]
    fn fired_and_undecided_rules_have_no_nearest_miss() {
        let body = "find: {c: {resource: configmaps, where: c.v == 1}}";
        assert_eq!(near(body, &configs(), &[]), "");
        assert_eq!(near(body, &[], &["configmaps"]), "");
    }

    #[test]
    fn a_condition_that_waits_for_a_value_is_a_step() {
        let body = "find: {c: {resource: configmaps, where: c.w == 1 && n == 3}, n: {value: c.v + 1}}";
        let (set, input) = (rules(&[("counted", body)]), input(&configs(), &[]));
        let steps = explain(&input, &set, &set.rules[0]).steps;
        let left =
            crate::model::explanation::Left { condition: "n == 3".to_owned(), count: 1, undecided: 0, refuted: None };
        assert_eq!(steps.last(), Some(&Step::Condition(left)));
    }

    #[test]
    fn every_step_counts_what_it_left() {
        let body = "find: {c: {resource: configmaps, where: c.w == 1 && c.v == 1}, \
                    d: {resource: configmaps, where: d.w == c.w && d.v > c.v}}\nwhen: d.s == 'y'";
        let (set, input) = (rules(&[("counted", body)]), input(&configs(), &[]));
        let steps = explain(&input, &set, &set.rules[0]).steps;
        let shown: Vec<String> = steps
            .iter()
            .map(|step| match step {
                Step::Fact(fact) => {
                    let counts = |list: &[crate::model::explanation::Left]| -> Vec<usize> {
                        list.iter().map(|left| left.count).collect()
                    };
                    let join = fact.join.as_ref().unwrap();
                    let (alone, joined) = (counts(&fact.alone), counts(&join.conditions));
                    format!("{} {:?} {alone:?} {} {joined:?} {}", fact.name, fact.found, join.tried, join.combinations)
                }
                other => format!("{other:?}"),
            })
            .collect();
        let when = "Condition(Left { condition: \"d.s == 'y'\", count: 1, undecided: 0, refuted: None })";
        assert_eq!(shown, ["c Some(3) [2, 1] 1 [] 1", "d Some(3) [] 2 [2, 1] 1", when]);
    }
}
