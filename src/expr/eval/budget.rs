//! What one rule may use: steps, bytes that one evaluation makes, and bytes that the rule keeps.
//!
//! Rules come from others, and a few lines can double a text forty times. A rule past its bounds is not evaluated, with
//! this reason. The counts depend on the rule and the bundle only, so that the answer is the same on every machine.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::expr::eval::value::{Text, Value};
use crate::model::message::{Reason, SharedReason};

/// Steps that a rule may take on any bundle: nodes of expressions, elements, pairs, and texts by their length. The costliest shipped
/// rule takes 0.2 million on the largest bundle of the corpus; a step takes 10 to 100 ns.
const BASE_STEPS: u64 = 5_000_000;
/// Steps for each object of the bundle beside them: shipped rules take up to 700, where every object is broken.
const STEPS_AN_OBJECT: u64 = 1_000;
/// Most bytes that one evaluation or one text makes.
const MAX_MADE: u64 = 32 << 20;
/// Most bytes of values and texts that a rule keeps for its combinations and findings.
const MAX_KEPT: u64 = 64 << 20;
/// Bytes that are copied or searched in one step.
const BYTES_A_STEP: u64 = 64;
/// Items that are looked at in one step.
const ITEMS_A_STEP: u64 = 4;
/// Bytes of an item of a list, and of a text beside its characters.
const ITEM: u64 = size_of::<Value<'static>>() as u64;
const TEXT: u64 = 32;

/// Counters of one rule, which runs on one thread.
#[derive(Debug)]
pub(in crate::expr) struct Budget {
    most_steps: u64,
    steps: AtomicU64,
    made: AtomicU64,
    kept: AtomicU64,
    spent: OnceLock<SharedReason>,
}

/// Adds without a locked instruction, because no other thread writes.
fn add(counter: &AtomicU64, count: u64) -> u64 {
    let sum = counter.load(Ordering::Relaxed).saturating_add(count);
    counter.store(sum, Ordering::Relaxed);
    sum
}

impl Budget {
    /// Budget of one rule on a bundle with so many objects: a cost that grows with their square ends soon.
    pub fn new(objects: usize) -> Self {
        Self {
            most_steps: BASE_STEPS + STEPS_AN_OBJECT * objects as u64,
            steps: AtomicU64::default(),
            made: AtomicU64::default(),
            kept: AtomicU64::default(),
            spent: OnceLock::new(),
        }
    }

    /// Begins an evaluation: what earlier ones made is gone, or kept.
    pub fn begin(&self) {
        self.made.store(0, Ordering::Relaxed);
    }

    /// Takes steps; the error is the reason why the rule cannot be evaluated.
    pub fn step(&self, count: u64) -> Result<(), SharedReason> {
        if add(&self.steps, count) > self.most_steps {
            return Err(self.refuse(Reason::TooManySteps { most: self.most_steps }));
        }
        Ok(())
    }

    /// Takes the steps to read a text, or a list with all that is in it. Lists share their parts, so that one written in a few
    /// lines may be read without end.
    pub fn read(&self, value: &Value<'_>) -> Result<(), SharedReason> {
        match value {
            Value::Str(text) => self.step(text.as_str().len() as u64 / BYTES_A_STEP),
            Value::List(_) | Value::Map(_) => match weight(value, MAX_MADE) {
                MAX_MADE.. => Err(self.refuse(Reason::TooMuchMade { mebibytes: MAX_MADE >> 20 })),
                bytes => self.step(bytes / ITEM / ITEMS_A_STEP),
            },
            value => self.step(value.as_node().map_or(0, |node| node.len() as u64 / ITEMS_A_STEP)),
        }
    }

    /// Accounts for bytes that the evaluation made.
    pub fn make(&self, bytes: u64) -> Result<(), SharedReason> {
        if add(&self.made, bytes) > MAX_MADE {
            return Err(self.refuse(Reason::TooMuchMade { mebibytes: MAX_MADE >> 20 }));
        }
        self.step(bytes / BYTES_A_STEP)
    }

    /// Accounts for one item of a list that the evaluation makes.
    pub fn item(&self) -> Result<(), SharedReason> {
        self.make(ITEM)
    }

    /// Accounts for a value that a function made.
    pub fn value(&self, value: &Value<'_>) -> Result<(), SharedReason> {
        self.make(weight(value, MAX_MADE + 1))
    }

    /// Accounts for a value that is kept after its evaluation; parts of documents are kept anyway.
    pub fn keep_value(&self, value: &Value<'_>) -> Result<(), SharedReason> {
        self.keep(weight(value, self.made.load(Ordering::Relaxed)))
    }

    /// Accounts for bytes that are kept.
    pub fn keep(&self, bytes: u64) -> Result<(), SharedReason> {
        if add(&self.kept, bytes) > MAX_KEPT {
            return Err(self.refuse(Reason::TooMuchKept { mebibytes: MAX_KEPT >> 20 }));
        }
        Ok(())
    }

    /// Ends the rule: every further step is refused.
    pub fn refuse(&self, reason: Reason) -> SharedReason {
        self.steps.store(u64::MAX, Ordering::Relaxed);
        self.spent.get_or_init(|| reason.into()).clone()
    }

    /// Returns the reason if the rule is past a bound.
    pub fn spent(&self) -> Option<&SharedReason> {
        self.spent.get()
    }

    /// Returns the steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }
}

/// Estimates the bytes of a computed value, at most `most`: lists share their parts, so a walk through all of them may not end.
fn weight(value: &Value<'_>, most: u64) -> u64 {
    let mut room = most;
    weigh(value, &mut room);
    most - room
}

fn weigh(value: &Value<'_>, room: &mut u64) {
    match value {
        Value::Str(Text::Shared(text)) => *room = room.saturating_sub(TEXT + text.len() as u64),
        Value::List(items) => weigh_all(items.iter(), ITEM, room),
        Value::Map(entries) => weigh_all(entries.iter().map(|(_, value)| value), 2 * ITEM, room),
        _ => {}
    }
}

fn weigh_all<'v, 'a: 'v>(values: impl Iterator<Item = &'v Value<'a>>, own: u64, room: &mut u64) {
    for value in values {
        *room = room.saturating_sub(own);
        if *room == 0 {
            return;
        }
        weigh(value, room);
    }
}
