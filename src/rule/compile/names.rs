//! Names of facts: which are allowed, who needs whom, who is never used.

use std::collections::BTreeSet;

use crate::expr::Slot;
use crate::rule::error::{Code, Diagnostics};
use crate::rule::source::fact::FactSource;

/// Names that mean something else everywhere.
const OURS: [&str; 4] = ["self", "now", "nodes", "rows"];

/// Words of CEL and of templates.
const WORDS: [&str; 32] = [
    "and",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "is",
    "let",
    "loop",
    "namespace",
    "none",
    "not",
    "null",
    "or",
    "package",
    "return",
    "set",
    "true",
    "var",
    "void",
    "while",
    "False",
    "None",
    "True",
    "math",
    "lists",
];

/// Maximum number of facts of a rule; recursion over what they need goes no deeper.
const MAX_FACTS: usize = 64;

/// The names of all facts by slot; reports those that must not be.
pub fn bind(diagnostics: &mut Diagnostics, facts: &[&FactSource]) -> Vec<String> {
    if let Some(fact) = facts.get(MAX_FACTS) {
        let message = format!("a rule has at most {MAX_FACTS} facts");
        diagnostics.report(Code::WrongValue, fact.range.clone(), message);
    }
    let mut seen = BTreeSet::new();
    for fact in facts {
        check(diagnostics, fact);
        if !seen.insert(fact.name.as_str()) {
            let message = format!("\"{}\" is already a fact of find", fact.name);
            diagnostics.report(Code::ReservedName, fact.range.clone(), message).hint("give it another name");
        }
    }
    facts.iter().map(|fact| fact.name.clone()).collect()
}

/// Reports a name that a fact, or a step of a sequence, must not have.
pub fn check(diagnostics: &mut Diagnostics, fact: &FactSource) {
    let name = fact.name.as_str();
    let (message, hint) = if OURS.contains(&name) {
        (format!("\"{name}\" is reserved in every rule"), format!("call the fact something else, such as {name}_found"))
    } else if WORDS.contains(&name) {
        (
            format!("\"{name}\" is a reserved word of expressions"),
            format!("call the fact something else, such as {name}_found"),
        )
    } else if !is_name(name) {
        let message = format!("\"{name}\" cannot name a fact");
        (message, "a name consists of letters, digits and _, and begins with a letter".to_owned())
    } else {
        return;
    };
    diagnostics.report(Code::ReservedName, fact.range.clone(), message).hint(hint);
}

/// Returns whether a name is reserved, so that no fact can have it.
pub fn is_reserved(name: &str) -> bool {
    OURS.contains(&name) || WORDS.contains(&name)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Reports facts that can only be found once they are found. `needs[slot]` are the slots that
/// must be bound before the fact of that slot can be.
pub fn cycles(diagnostics: &mut Diagnostics, facts: &[&FactSource], needs: &[Vec<Slot>]) {
    if facts.len() > MAX_FACTS {
        return;
    }
    let mut told: BTreeSet<Slot> = BTreeSet::new();
    for (start, fact) in facts.iter().enumerate() {
        if told.contains(&start) {
            continue;
        }
        let Some(path) = way_back(needs, start) else { continue };
        told.extend(&path);
        let names: Vec<&str> = path.iter().filter_map(|slot| facts.get(*slot)).map(|f| f.name.as_str()).collect();
        let message = match names.as_slice() {
            [one] => format!("\"{one}\" needs itself"),
            _ => format!("facts need each other: {} -> {}", names.join(" -> "), fact.name),
        };
        let hint = "an each or value needs the facts that its expression names; an optional or collected fact, or an alternative of any, those that its where names; move one condition to when";
        diagnostics.report(Code::FactCycle, fact.range.clone(), message).hint(hint);
    }
}

/// A shortest way from a slot back to itself.
fn way_back(needs: &[Vec<Slot>], start: Slot) -> Option<Vec<Slot>> {
    let mut paths = vec![vec![start]];
    let mut seen = BTreeSet::new();
    let mut at = 0;
    while let Some(path) = paths.get(at).cloned() {
        at += 1;
        let next = path.last().and_then(|slot| needs.get(*slot)).into_iter().flatten();
        for &slot in next {
            if slot == start {
                return Some(path);
            }
            if seen.insert(slot) {
                paths.push(path.iter().copied().chain([slot]).collect());
            }
        }
    }
    None
}

/// Slots from `first` on in groups: those of one group mention each other, directly or through others.
pub fn groups(first: Slot, mentions: &[Vec<Slot>]) -> Vec<Vec<Slot>> {
    let mut group_of: Vec<Slot> = (0..mentions.len()).collect();
    for (slot, mentioned) in mentions.iter().enumerate().skip(first) {
        for &other in mentioned.iter().filter(|other| **other >= first) {
            let (from, to) = (group_of[slot].max(group_of[other]), group_of[slot].min(group_of[other]));
            group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        }
    }
    let leaders = (first..mentions.len()).filter(|slot| group_of[*slot] == *slot);
    leaders.map(|leader| (first..mentions.len()).filter(|slot| group_of[*slot] == leader).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_shortest() {
        let needs = vec![vec![1], vec![2, 0], vec![1], vec![0], vec![4]];
        assert_eq!(way_back(&needs, 0), Some(vec![0, 1]));
        assert_eq!(way_back(&needs, 2), Some(vec![2, 1]));
        assert_eq!(way_back(&needs, 3), None);
        assert_eq!(way_back(&needs, 4), Some(vec![4]));
    }

    #[test]
    fn facts_that_mention_each_other_are_one_group() {
        let mentions = vec![vec![], vec![0], vec![], vec![5], vec![2], vec![0]];
        assert_eq!(groups(1, &mentions), [vec![1], vec![2, 4], vec![3, 5]]);
        assert_eq!(groups(6, &mentions), Vec::<Vec<Slot>>::new());
    }
}
