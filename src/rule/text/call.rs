//! Calls functions of the rule language from templates.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};
use minijinja::{Error, ErrorKind, State};

use super::value::{unwrap, wrap};
use crate::expr::{self, World};

/// The name under which functions find the world; no template can write it.
pub(super) const WORLD: &str = "the world";

/// The function whose text is a part of a command.
pub(super) const NODE_ENV: &str = "node_env";

/// Text of the program that a command has as it is. Whatever a filter makes of it is an ordinary value.
#[derive(Debug)]
pub(super) struct ShellText(pub Arc<str>);

impl Object for ShellText {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn render(self: &Arc<Self>, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
        Ok(expr::Value::Str(text)) if name == NODE_ENV => Ok(Value::from_object(ShellText(text.as_str().into()))),
        Ok(value) => Ok(wrap(world, &value)),
        Err(message) => Err(Error::new(ErrorKind::InvalidOperation, format!("{name}: {message}"))),
    }
}
