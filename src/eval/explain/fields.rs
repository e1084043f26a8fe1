//! Fields that a condition read, with their places, for the nearest miss.

use std::collections::BTreeSet;

use crate::eval::explain::search::Search;
use crate::eval::finding::evidence::{field_path, shown_value};
use crate::eval::identity::identity;
use crate::expr::{Expr, Slot, TracedField, Value, display};
use crate::model::Origin;
use crate::model::explanation::FieldAt;
use crate::model::message::{FieldValue, Reason};
use crate::resource::ResourceId;
use crate::rule::FactKind;
use crate::yaml::Node;

/// Largest number of fields of a condition that are shown.
pub(super) const MAX_FIELDS: usize = 6;

impl<'i> Search<'i, '_> {
    /// Returns the place of the value that a fact is bound to.
    pub(super) fn place(&self, value: &Value<'i>) -> Option<Origin> {
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

    /// Returns the place of a field; for a derived object, the beginning of the object that it was derived from.
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

    /// Returns the fields that a condition read when it failed, with absent ones and those from which its values were computed.
    pub(super) fn fields(&self, condition: &Expr, values: &[Value<'i>]) -> Vec<FieldAt> {
        let mut reads = Vec::new();
        condition.trace_failed(&self.input.world, values, &mut reads);
        let mut fields = self.read(condition, reads, values);
        if fields.is_empty() {
            let mentioned = condition.slots().iter();
            fields.extend(mentioned.map(|&slot| FieldAt {
                field: self.rule.names[slot].clone(),
                value: self.shown(&values[slot]),
                place: self.place(&values[slot]),
            }));
        }
        self.add_behind(condition, values, &mut fields);
        fields.truncate(MAX_FIELDS);
        fields
    }

    /// Returns the fields that an element is taken from.
    pub(super) fn fields_of_list(&self, list: &Expr, values: &[Value<'i>]) -> Vec<FieldAt> {
        let mut fields = self.read_by(list, values);
        self.add_behind(list, values, &mut fields);
        fields
    }

    /// Adds the fields of the values that an expression mentions, also through other values.
    fn add_behind(&self, expr: &Expr, values: &[Value<'i>], fields: &mut Vec<FieldAt>) {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![expr];
        while let Some(expr) = waiting.pop() {
            let slots = expr.slots().iter().filter(|&&slot| self.rule.facts[slot].is_value() && seen.insert(slot));
            let behind = slots.flat_map(|&slot| self.rule.facts[slot].kinds().filter_map(FactKind::expression));
            for value in behind {
                let more = self.read_by(value, values);
                let new: Vec<FieldAt> = more.into_iter().filter(|field| !fields.contains(field)).collect();
                fields.extend(new);
                waiting.push(value);
            }
        }
    }

    /// Returns the fields from which a value or list was computed.
    fn read_by(&self, expr: &Expr, values: &[Value<'i>]) -> Vec<FieldAt> {
        let mut reads = Vec::new();
        expr.reads(&self.input.world, values, &mut reads);
        self.read(expr, reads, values)
    }

    fn read(&self, expr: &Expr, reads: Vec<TracedField>, values: &[Value<'i>]) -> Vec<FieldAt> {
        let mut fields = Vec::new();
        let mut shown = BTreeSet::new();
        for (slot, path) in expr.field_paths().into_iter().filter(|(_, path)| !path.contains(['[', '*'])) {
            fields.push(self.field(slot, &path, &values[slot], &mut shown));
        }
        for read in reads.into_iter().filter(|read| !shown.contains(&(read.resource, read.node))) {
            self.add_read(&read, values, &mut fields);
        }
        fields
    }

    /// Adds a field that the condition reached through loops or functions.
    fn add_read(&self, read: &TracedField, values: &[Value<'i>], fields: &mut Vec<FieldAt>) {
        let resource = self.input.world.resources.resource(read.resource);
        let node = resource.document.node(read.node);
        let path = field_path(resource.body(), read.node);
        let text = shown_value(node).map(|text| FieldValue::Text { text });
        let Some(value) = text.or_else(|| fields.is_empty().then(|| count(node))) else { return };
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

    fn shown(&self, value: &Value<'i>) -> FieldValue {
        match value {
            Value::Null => FieldValue::Absent,
            Value::Undecided(reason) => FieldValue::Unknown { why: Reason::clone(reason) },
            Value::List(items) => FieldValue::items(items.len()),
            other => match (display(other), other.as_node()) {
                (Some(text), _) => FieldValue::Text { text },
                (None, Some(node)) => count(node),
                (None, None) => FieldValue::Text { text: identity(&self.input.world, other) },
            },
        }
    }
}

fn dotted(owner: &str, path: &str) -> String {
    if path.is_empty() { owner.to_owned() } else { format!("{owner}.{path}") }
}

fn count(node: Node<'_>) -> FieldValue {
    FieldValue::items(node.entries().count() + node.items().count())
}
