//! Object as status functions read it: paths of fields, absent ones null.

use std::ops::ControlFlow;

use crate::expr::eval::elements::is_list;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::eval::world::World;

/// Value with fields.
#[derive(Clone)]
pub(super) struct ObjectView<'a> {
    pub world: &'a World,
    pub value: Value<'a>,
}

impl<'a> ObjectView<'a> {
    pub fn new(world: &'a World, value: &Value<'a>) -> Self {
        Self { world, value: value.clone() }
    }

    /// Returns the value under a path of fields.
    pub fn get(&self, path: &[&str]) -> Answer<'a> {
        let mut value = self.value.clone();
        for name in path {
            value = member::field(self.world, &value, name)?;
        }
        match value {
            Value::Undecided(reason) => Err(Stop::Undecided(reason)),
            value => Ok(value),
        }
    }

    pub fn at(&self, path: &[&str]) -> Result<Self, Stop> {
        Ok(Self { world: self.world, value: self.get(path)? })
    }

    pub fn has(&self, path: &[&str]) -> Result<bool, Stop> {
        Ok(!self.get(path)?.is_null())
    }

    /// Returns a text; empty if it is absent or has another type.
    pub fn text(&self, path: &[&str]) -> Result<String, Stop> {
        Ok(self.get(path)?.as_str().unwrap_or_default().to_owned())
    }

    /// Returns true if the field is that text.
    pub fn is(&self, path: &[&str], text: &str) -> Result<bool, Stop> {
        Ok(self.get(path)?.as_str() == Some(text))
    }

    /// Returns an integer.
    pub fn int(&self, path: &[&str]) -> Result<Option<i64>, Stop> {
        match self.get(path)? {
            Value::Int(number) => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    pub fn int_or(&self, path: &[&str], default: i64) -> Result<i64, Stop> {
        Ok(self.int(path)?.unwrap_or(default))
    }

    /// Returns the items of a list.
    pub fn items(&self, path: &[&str]) -> Result<Vec<Self>, Stop> {
        let list = self.get(path)?;
        if !is_list(&list) {
            return Ok(Vec::new());
        }
        let items = member::values(self.world, &list)?;
        Ok(items.into_iter().map(|value| Self { world: self.world, value }).collect())
    }

    /// Returns the entries of a map.
    pub fn entries(&self, path: &[&str]) -> Result<Vec<(String, Self)>, Stop> {
        let map = self.get(path)?;
        let mut entries = Vec::new();
        member::visit(self.world, &map, &mut |element| {
            if let Some(name) = element.key.as_str() {
                entries.push((name.to_owned(), Self { world: self.world, value: element.value }));
            }
            ControlFlow::Continue(())
        })?;
        Ok(entries)
    }

    /// Returns the entry of `status.conditions` of that type.
    pub fn condition(&self, type_: &str) -> Result<Option<Self>, Stop> {
        let mut doubt = None;
        for condition in self.items(&["status", "conditions"])? {
            match condition.is(&["type"], type_) {
                Ok(true) => return Ok(Some(condition)),
                Ok(false) => {}
                // It may be another one; a later entry decides.
                Err(stop) => doubt = Some(stop),
            }
        }
        doubt.map_or(Ok(None), Err)
    }

    /// Returns true if the condition of that type has that status.
    pub fn holds(&self, type_: &str, status: &str) -> Result<bool, Stop> {
        match self.condition(type_)? {
            Some(condition) => condition.is(&["status"], status),
            None => Ok(false),
        }
    }

    /// Returns API group and kind.
    pub fn identity(&self) -> Result<(String, String), Stop> {
        if let Value::Resource(id) = &self.value {
            let resource = self.world.resources.resource(*id);
            return Ok((resource.group.to_string(), resource.kind.to_string()));
        }
        let version = self.text(&["apiVersion"])?;
        Ok((crate::resource::types::split_api_version(&version).0.to_owned(), self.text(&["kind"])?))
    }
}
