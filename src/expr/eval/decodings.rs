//! Texts that functions decode: each is decoded once per bundle, within bounds.
//!
//! One bound limits the decoded texts that a bundle keeps, another those that one rule may request. Only the second can
//! change an answer: rules run in parallel, so with a common bound the last rule would be refused, and the outcome
//! would depend on threads. Beyond the first bound, texts are decoded again for the next rule.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use sha2::{Digest, Sha256};

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::model::message::{Reason, WrongValue};

/// Longest text that is decoded.
pub(in crate::expr) const MAX_TEXT: usize = 8 << 20;
/// Maximum bytes of all texts that one rule decodes, results included.
const MAX_OF_RULE: u64 = 64 << 20;
/// Maximum bytes of decoded texts that a bundle keeps for all rules.
const MAX_KEPT: u64 = 128 << 20;

/// Function (with its constant arguments) and digest of the text.
type Key = (&'static str, [u8; 32]);

/// Decoded text, or the reason why it cannot be decoded.
type Outcome = Result<Value<'static>, Arc<WrongValue>>;

/// Decoded texts of a bundle, as one rule sees them.
#[derive(Debug, Default)]
pub(in crate::expr) struct Decodings {
    kept: Arc<Mutex<DecodedTexts>>,
    account: Mutex<RuleAccount>,
}

#[derive(Debug, Default)]
struct DecodedTexts {
    cells: BTreeMap<Key, Arc<OnceLock<Outcome>>>,
    bytes: u64,
}

/// Texts that one rule has requested.
#[derive(Debug, Default)]
struct RuleAccount {
    outcomes: BTreeMap<Key, Outcome>,
    bytes: u64,
    refused: bool,
}

impl Decodings {
    /// Shares the same texts with another rule, which has requested none yet.
    pub fn for_rule(&self) -> Self {
        Self { kept: Arc::clone(&self.kept), account: Mutex::default() }
    }

    /// Decodes a text with `decode`; `how` names the function.
    pub fn get<'a>(
        &self,
        how: &'static str,
        text: &str,
        decode: impl FnOnce(&str) -> Result<Value<'static>, WrongValue>,
    ) -> Answer<'a> {
        if text.len() > MAX_TEXT {
            return Err(Stop::wrong(WrongValue::TooLongToDecode { mebibytes: MAX_TEXT >> 20 }));
        }
        let key = (how, Sha256::digest(text).into());
        let mut account = lock(&self.account);
        if let Some(known) = account.outcomes.get(&key) {
            return answer(known.clone());
        }
        if account.bytes + text.len() as u64 > MAX_OF_RULE {
            account.refused = true;
            return Err(Stop::undecided(refusal()));
        }
        let outcome = self.shared(key, text, decode);
        account.bytes += text.len() as u64 + outcome.as_ref().map_or(0, weight);
        account.outcomes.insert(key, outcome.clone());
        answer(outcome)
    }

    fn shared(&self, key: Key, text: &str, decode: impl FnOnce(&str) -> Result<Value<'static>, WrongValue>) -> Outcome {
        let cell = lock(&self.kept).cell(key);
        let mut fresh = false;
        let outcome = cell.get_or_init(|| {
            fresh = true;
            decode(text).map_err(Arc::new)
        });
        if fresh {
            lock(&self.kept).charge(&key, outcome.as_ref().map_or(0, weight));
        }
        outcome.clone()
    }

    /// Returns the reason if texts were refused.
    pub fn refused(&self) -> Option<Reason> {
        lock(&self.account).refused.then(refusal)
    }
}

impl DecodedTexts {
    fn cell(&mut self, key: Key) -> Arc<OnceLock<Outcome>> {
        Arc::clone(self.cells.entry(key).or_default())
    }

    /// Drops texts that do not fit; the next rule decodes them again.
    fn charge(&mut self, key: &Key, bytes: u64) {
        if self.bytes + bytes > MAX_KEPT {
            self.cells.remove(key);
        } else {
            self.bytes += bytes;
        }
    }
}

fn answer<'a>(outcome: Outcome) -> Answer<'a> {
    outcome.map_err(|problem| Stop::wrong(WrongValue::clone(&problem)))
}

fn refusal() -> Reason {
    Reason::TooMuchDecoded { mebibytes: MAX_OF_RULE >> 20 }
}

/// Estimates the bytes of a computed value; functions nest results only a few levels deep.
fn weight(value: &Value<'static>) -> u64 {
    let own = size_of::<Value<'static>>() as u64;
    own + match value {
        Value::Decoded { document, .. } => document.bytes() as u64,
        Value::Str(text) => text.as_str().len() as u64,
        Value::List(items) => items.iter().map(weight).sum(),
        Value::Map(entries) => entries.iter().map(|(name, value)| name.as_str().len() as u64 + weight(value)).sum(),
        _ => 0,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn upper(count: &Cell<u32>, decodings: &Decodings, text: &str) -> Option<String> {
        let made = decodings.get("upper", text, |text| {
            count.set(count.get() + 1);
            Ok(Value::text(&text.to_ascii_uppercase()))
        });
        made.ok().and_then(|value| value.as_str().map(str::to_owned))
    }

    #[test]
    fn a_text_is_decoded_once_for_all_rules() {
        let (count, first) = (Cell::new(0), Decodings::default());
        let second = first.for_rule();
        for decodings in [&first, &second, &first] {
            assert_eq!(upper(&count, decodings, "a").as_deref(), Some("A"));
        }
        assert_eq!(count.get(), 1);
        assert_eq!(upper(&count, &second, "b").as_deref(), Some("B"));
        assert_eq!(count.get(), 2);
    }

    #[test]
    fn failures_are_kept_as_well() {
        let (count, decodings) = (Cell::new(0), Decodings::default());
        for _ in 0..3 {
            let answer = decodings.get("x", "text", |_| {
                count.set(count.get() + 1);
                Err(WrongValue::NotBase64)
            });
            assert!(matches!(answer, Err(Stop::Wrong(wrong)) if wrong.problem == WrongValue::NotBase64));
        }
        assert_eq!(count.get(), 1);
    }

    #[test]
    fn decoded_texts_are_bounded_per_rule() {
        let first = Decodings::default();
        let ask = |decodings: &Decodings, from: char| {
            let texts =
                (0..MAX_OF_RULE / MAX_TEXT as u64 + 1).map(|n| format!("{n}{from}{}", "x".repeat(MAX_TEXT - 9)));
            texts.filter(|text| decodings.get("drop", text, |_| Ok(Value::Null)).is_ok()).count()
        };
        let (one, second) = (ask(&first, 'a'), first.for_rule());
        assert!(first.refused() == Some(Reason::TooMuchDecoded { mebibytes: 64 }) && second.refused().is_none());
        assert_eq!(ask(&second, 'b'), one);
        assert!(one > 5 && second.refused().is_some());
    }

    #[test]
    fn long_texts_are_refused() {
        let long = "x".repeat(MAX_TEXT + 1);
        assert!(matches!(Decodings::default().get("x", &long, |_| Ok(Value::Null)), Err(Stop::Wrong(_))));
    }

    #[test]
    fn decoded_texts_over_the_limit_are_released() {
        let mut kept = DecodedTexts::default();
        let key = ("x", [0; 32]);
        kept.cell(key);
        kept.charge(&key, MAX_KEPT);
        assert_eq!(kept.cells.len(), 1);
        let other = ("y", [0; 32]);
        kept.cell(other);
        kept.charge(&other, 1);
        assert_eq!((kept.cells.len(), kept.bytes), (1, MAX_KEPT));
    }
}
