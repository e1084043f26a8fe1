//! Lets the template engine read and compare a [`TemplateValue`].

use std::cmp::Ordering;
use std::sync::Arc;

use minijinja::value::{DynObject, Enumerator, Object, ObjectRepr, Value};

use super::print;
use super::value::{MAX_ITEMS, Repr, TemplateValue};
use crate::expr;

impl Object for TemplateValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        match &self.repr {
            Repr::Whole(expr::Value::Time(_) | expr::Value::Duration(_)) => ObjectRepr::Plain,
            _ if self.is_list() => ObjectRepr::Seq,
            _ => ObjectRepr::Map,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = match (key.as_str(), key.as_usize()) {
            (Some(name), _) if !self.is_list() => self.named(name),
            (None, Some(position)) if self.is_list() => self.at(position),
            _ => return None,
        };
        (!found.is_undefined()).then_some(found)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        if self.is_list() { Enumerator::Values(self.items(MAX_ITEMS)) } else { Enumerator::Values(self.names()) }
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.len())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        matches!(self.repr, Repr::Whole(_)) || self.len() > 0
    }

    /// Times and durations compare as such; as texts 8s would be more than 60s.
    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        match (&self.repr, &other.downcast_ref::<Self>()?.repr) {
            (Repr::Whole(expr::Value::Time(own)), Repr::Whole(expr::Value::Time(other))) => Some(own.cmp(other)),
            (Repr::Whole(expr::Value::Duration(own)), Repr::Whole(expr::Value::Duration(other))) => {
                Some(own.cmp(other))
            }
            _ => None,
        }
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print::template_value(self))
    }
}
