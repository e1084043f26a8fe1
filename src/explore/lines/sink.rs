//! Where chosen lines go.

use std::ops::ControlFlow;

use super::line::{Block, Key};
use crate::log::Page;

/// Receives lines in their order; breaks if no more are wanted.
pub type Give<'g> = &'g (dyn Fn(Vec<Block>) -> ControlFlow<()> + Sync);

/// Receives the lines that are chosen, from several threads.
pub trait Sink: Sync {
    /// Returns true if the text of a block is wanted; asked once for each block.
    fn wants(&self, key: Key) -> bool;
    /// Takes blocks that are wanted, in the order of their text; breaks if no more are wanted.
    fn take(&self, blocks: Vec<Block>) -> ControlFlow<()>;
}

/// Chooses lines of one text.
pub trait Chooser {
    /// Returns the wanted blocks that end on a page.
    fn page(&mut self, page: &mut Page<'_>, wants: &dyn Fn(Key) -> bool) -> Vec<Block>;
    /// Returns the last block, if it is still open.
    fn end(&mut self) -> Option<Block>;
}
