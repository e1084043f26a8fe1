//! Names that an expression may use, and the slots of their values.

/// Index of a name's value among the bindings of its rule.
pub type Slot = usize;

/// Names that an expression may use.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Facts by slot.
    pub names: &'a [String],
    /// Slot of `self`, if any.
    pub this: Option<Slot>,
    /// The expression was checked by the tests of this program, so its patterns are read at their first use.
    pub tested: bool,
}
