//! Calls functions of the rule language from templates.

use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};
use minijinja::{Error, ErrorKind, State};

use super::value::{unwrap, wrap};
use crate::expr::{self, World};

/// The name under which functions find the world; no template can write it.
pub(super) const WORLD: &str = "the world";

/// Gives functions access to the world.
#[derive(Debug)]
pub(super) struct WorldHandle(pub Arc<World>);

impl Object for WorldHandle {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}

/// Calls a function of the rule language.
pub(super) fn call(state: &State, name: &str, args: &[Value]) -> Result<Value, Error> {
    let handle = state.lookup(WORLD).and_then(|value| value.downcast_object::<WorldHandle>());
    let Some(handle) = handle else {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("{name} needs a bundle")));
    };
    let world: &Arc<World> = &handle.0;
    let values: Vec<expr::Value<'_>> = args.iter().map(unwrap).collect();
    match world.call(name, &values) {
        Ok(value) => Ok(wrap(world, &value)),
        Err(message) => Err(Error::new(ErrorKind::InvalidOperation, format!("{name}: {message}"))),
    }
}
