//! The names that an expression may use, and the slots of their values.

/// Index of a name's value among the bindings of its rule.
pub type Slot = usize;

/// The names an expression may use.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Facts by slot.
    pub names: &'a [String],
    /// The slot that `self` stands for, where there is one.
    pub this: Option<Slot>,
}
