//! The nearest miss: of what did not make the rule fire, the combination that met most conditions.

use std::collections::BTreeSet;

use super::Input;
use super::candidates::{look_up, select};
use super::evidence::{field_path, shown_value};
use super::identity::identity;
use super::join::Combination;
use super::record::{Record, Recorded};
use crate::expr::{Expr, Read, Slot, Truth, Value, display};
use crate::model::Origin;
use crate::model::explanation::{Bound, FieldAt, NearMiss, Why};
use crate::resource::ResourceId;
use crate::rule::plan::Plan;
use crate::rule::{Alternative, Fact, FactKind, Rule, RuleSet, describe, order};
use crate::yaml::Node;

/// So many pairs of a combination and a candidate are compared at most.
const MAX_PAIRS: usize = 20_000;
/// Fields of the condition that failed.
const MAX_FIELDS: usize = 6;
/// Facts of `unless` that were found.
const MAX_FOUND: usize = 3;

/// What came nearest, for a rule of which no combination is left.
pub fn nearest(input: &Input, set: &RuleSet, rule: &Rule, record: &Record<'_>) -> Option<NearMiss> {
    let search = Search { input, set, rule };
    let Some(last) = record.steps.iter().rev().find(
        |step| !matches!(step, Recorded::Bound { before, .. } | Recorded::Filtered { before, .. } if before.count == 0),
    ) else {
        return search.absent();
    };
    match last {
        Recorded::Bound { slot, conditions, before, .. } => {
            Some(search.unmatched(*slot, &conditions.iter().collect::<Vec<_>>(), &before.kept))
        }
        Recorded::Filtered { condition, before, .. } => search.filtered(condition, &before.kept),
        Recorded::Forbidden { group, found, .. } => search.forbidden(group, found.kept.first()?),
    }
}

/// What a match of an alternative must meet: first what mentions no other fact.
fn asked<'r>(fact: &'r Fact, alternative: &'r Alternative, slot: Slot, joining: &[&'r Expr]) -> Vec<&'r Expr> {
    let (own, joined): (Vec<&Expr>, Vec<&Expr>) =
        alternative.conditions.iter().partition(|condition| order::is_alone(condition, slot));
    let alone = fact.conditions.iter().filter(|condition| order::is_alone(condition, slot));
    let joining = joining.iter().copied().filter(|condition| !order::is_alone(condition, slot));
    alone.chain(own).chain(joining).chain(joined).collect()
}

struct Search<'i, 'r> {
    input: &'i Input,
    set: &'r RuleSet,
    rule: &'r Rule,
}

impl<'i> Search<'i, '_> {
    /// A required fact had no match by itself: of those, the first that has anything to show.
    fn absent(&self) -> Option<NearMiss> {
        let plan = Plan::of(self.rule);
        let unfound = |slot: &Slot| {
            let fact = &self.rule.facts[*slot];
            let found = look_up(self.input, fact, *slot, &mut vec![Value::Null; self.rule.names.len()]);
            let nothing = found.iter().all(|found| found.list.is_empty() && found.missing.is_none());
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

    /// Nothing that a fact may be went with any combination.
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
                let objects = rows.first().map_or_else(Vec::new, |row| self.bound(&row.values, None));
                let wanted = describe::looks_for(self.set, fact);
                NearMiss { objects, why: Why::Nothing { fact: fact.name.clone(), wanted } }
            }
        }
    }

    /// A condition on the whole held for nothing.
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

    /// What an `each` goes through.
    fn elements(&self, kind: &FactKind, values: &[Value<'i>]) -> Vec<Value<'i>> {
        match kind {
            FactKind::Each(expr) => expr.eval(&self.input.world, values).elements(),
            _ => Vec::new(),
        }
    }

    fn rank(&self, slot: Slot, conditions: &[&Expr], values: &[Value<'i>]) -> Rank {
        let holds = |c: &&&Expr| c.test(&self.input.world, values) == Truth::True;
        let met = conditions.iter().filter(holds).count();
        let joined = conditions.iter().filter(|c| !order::is_alone(c, slot)).filter(holds).count();
        (met, joined)
    }

    /// Of what came as far, the first by name is shown, so that the order of entries has no say.
    fn is_nearer(&self, (rank, values): (Rank, &[Value<'i>]), (known, best): (Rank, &[Value<'i>])) -> bool {
        rank > known || (rank == known && self.identities(values) < self.identities(best))
    }

    fn identities(&self, values: &[Value<'i>]) -> Vec<String> {
        values.iter().map(|value| identity(&self.input.world, value)).collect()
    }

    /// The first condition that does not hold.
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

    /// What the required facts of `find` are bound to; the one that did not match is last.
    fn bound(&self, values: &[Value<'i>], last: Option<Slot>) -> Vec<Bound> {
        let rest = (0..self.rule.find).filter(|&slot| Some(slot) != last && self.rule.facts[slot].is_required());
        let mut rest: Vec<Slot> = rest.filter(|&slot| !self.rule.facts[slot].is_value()).collect();
        rest.sort_by_key(|slot| (!self.rule.about.contains(slot), &self.rule.names[*slot]));
        rest.into_iter().chain(last).filter_map(|slot| self.binding(slot, &values[slot])).collect()
    }

    fn binding(&self, slot: Slot, value: &Value<'i>) -> Option<Bound> {
        let what = match value {
            Value::Null | Value::Undecided(_) => return None,
            Value::Hits(group) => format!("{} line{}", group.count, if group.count == 1 { "" } else { "s" }),
            other => Some(identity(&self.input.world, other)).filter(|text| !text.is_empty())?,
        };
        Some(Bound { fact: self.rule.names[slot].clone(), what, place: self.place(value) })
    }

    /// Where the thing begins that a fact is bound to.
    fn place(&self, value: &Value<'i>) -> Option<Origin> {
        match value {
            Value::Resource(id) => {
                let body = self.input.world.resources.resource(*id).body();
                Some(self.origin(*id, body.path(&["metadata", "name"]).unwrap_or(body)))
            }
            Value::Hits(group) => Some(Origin::line(group.last_hit.entry.clone(), group.last_hit.line)),
            Value::Events(group) => self.place(&Value::Resource(*group.events.last()?)),
            Value::File(file) => Some(file.origin.clone()),
            Value::Node { node, resource: Some(id) } => Some(self.origin(*id, *node)),
            Value::List(items) => self.place(items.first()?),
            _ => None,
        }
    }

    /// A field of an object that we made stands where the object begins that it was made from.
    fn origin(&self, id: ResourceId, node: Node<'_>) -> Origin {
        let resources = &self.input.world.resources;
        let resource = resources.resource(id);
        match resource.source.map(|source| resources.resource(source)) {
            Some(source) => {
                let body = source.body();
                Origin::line(source.entry.clone(), body.path(&["metadata", "name"]).unwrap_or(body).line())
            }
            None => Origin::line(resource.entry.clone(), node.line()),
        }
    }

    /// The fields that a condition read when it failed, those included that are absent.
    fn fields(&self, condition: &Expr, values: &[Value<'i>]) -> Vec<FieldAt> {
        let mut fields = Vec::new();
        let mut shown = BTreeSet::new();
        for (slot, path) in condition.field_paths().into_iter().filter(|(_, path)| !path.contains(['[', '*'])) {
            fields.push(self.field(slot, &path, &values[slot], &mut shown));
        }
        let mut reads = Vec::new();
        condition.trace_failed(&self.input.world, values, &mut reads);
        for read in reads.into_iter().filter(|read| !shown.contains(&(read.resource, read.node))) {
            self.add_read(&read, values, &mut fields);
        }
        if fields.is_empty() {
            let mentioned = condition.slots().iter();
            fields.extend(mentioned.map(|&slot| FieldAt {
                field: self.rule.names[slot].clone(),
                value: self.shown(&values[slot]),
                place: self.place(&values[slot]),
            }));
        }
        fields.truncate(MAX_FIELDS);
        fields
    }

    /// Adds a field that the condition went through loops or functions to.
    fn add_read(&self, read: &Read, values: &[Value<'i>], fields: &mut Vec<FieldAt>) {
        let resource = self.input.world.resources.resource(read.resource);
        let node = resource.document.node(read.node);
        let path = field_path(resource.body(), read.node);
        let Some(value) = shown_value(node).or_else(|| fields.is_empty().then(|| count(node))) else { return };
        let place = Some(self.origin(read.resource, node));
        let last = |path: &str| path.rsplit('.').next().map(str::to_owned);
        let known = fields.iter_mut().find(|f| f.place.is_none() && f.value == value && last(&f.field) == last(&path));
        if let Some(known) = known {
            known.place = place;
            return;
        }
        let bound = read.slot.filter(|&slot| matches!(values[slot], Value::Resource(id) if id == read.resource));
        let owner = bound.map_or_else(|| resource.object().to_string(), |slot| self.rule.names[slot].clone());
        fields.push(FieldAt { field: dotted(&owner, &path), value, place });
    }

    fn field(&self, slot: Slot, path: &str, value: &Value<'i>, shown: &mut BTreeSet<(ResourceId, u32)>) -> FieldAt {
        let field = dotted(&self.rule.names[slot], path);
        let keys: Vec<&str> = path.split('.').collect();
        let mut place = self.place(value);
        if let Value::Resource(id) = value
            && let Some(node) = self.input.world.resources.resource(*id).body().path(&keys)
        {
            shown.insert((*id, node.index()));
            place = Some(self.origin(*id, node));
        }
        let read = keys.iter().fold(value.clone(), |value, key| self.input.world.field(&value, key));
        FieldAt { field, value: self.shown(&read), place }
    }

    fn shown(&self, value: &Value<'i>) -> String {
        match value {
            Value::Null => "absent".to_owned(),
            Value::Undecided(reason) => format!("not known: {reason}"),
            Value::List(items) => items_of(items.len()),
            other => match (display(other), other.as_node()) {
                (Some(text), _) => text,
                (None, Some(node)) => count(node),
                (None, None) => identity(&self.input.world, other),
            },
        }
    }
}

/// How many conditions are met, and how many of them join.
type Rank = (usize, usize);

fn dotted(owner: &str, path: &str) -> String {
    if path.is_empty() { owner.to_owned() } else { format!("{owner}.{path}") }
}

fn count(node: Node<'_>) -> String {
    items_of(node.entries().count() + node.items().count())
}

fn items_of(count: usize) -> String {
    format!("{count} item{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use crate::eval::explain;
    use crate::eval::testing::{input, object, rules};
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
    fn what_ended_the_whole_is_told() {
        let body = "find: {c: {resource: configmaps, where: c.v == 1}}\nwhen: c.w == 1 && c.gone == 5";
        let told = "c ConfigMap/a/a: not c.gone == 5: c.gone is absent (objects.yaml:1)";
        assert_eq!(near(body, &configs(), &[]), told);
        let objects = [configs(), vec![object("Secret", "x", "")]].concat();
        let body = "find: {c: {resource: configmaps, where: c.v == 1}}\n\
                    unless: {s: {resource: secrets, where: s.metadata.name == c.s}}";
        assert_eq!(near(body, &objects, &[]), "c ConfigMap/a/a: unless forbids s Secret/a/x");
        let body = "find: {c: {resource: configmaps}, e: {each: c.list}}";
        assert_eq!(near(body, &configs(), &[]), "c ConfigMap/a/a: no e: each element of `c.list`");
    }

    #[test]
    fn without_any_object_the_search_itself_is_told() {
        let body = "find: {s: {resource: secrets, namespace: shop}}";
        assert_eq!(near(body, &configs(), &[]), "no s: objects of type `secrets` in namespace `shop`");
    }

    #[test]
    fn what_fired_or_cannot_be_told_has_no_nearest_miss() {
        let body = "find: {c: {resource: configmaps, where: c.v == 1}}";
        assert_eq!(near(body, &configs(), &[]), "");
        assert_eq!(near(body, &[], &["configmaps"]), "");
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
        let when = "Condition(Left { condition: \"d.s == 'y'\", count: 1 })";
        assert_eq!(shown, ["c Some(3) [2, 1] 1 [] 1", "d Some(3) [] 2 [2, 1] 1", when]);
    }
}
