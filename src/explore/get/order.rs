//! The order of `--sort-by`: numbers and quantities by their value, other texts in natural order, as kubectl sorts.

use std::cmp::Ordering;

use serde_json::Value;

use crate::model::measure::quantity;

/// Compares two values of a field; an absent field comes first.
pub fn compared(left: Option<&Value>, right: Option<&Value>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => values(left, right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

fn values(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left.as_f64().zip(right.as_f64()).map_or(Ordering::Equal, |(left, right)| left.total_cmp(&right))
        }
        (Value::String(left), Value::String(right)) => match (quantity(left), quantity(right)) {
            (Some(left), Some(right)) => left.total_cmp(&right),
            _ => natural(left, right),
        },
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        _ => rank(left).cmp(&rank(right)).then_with(|| natural(&left.to_string(), &right.to_string())),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Compares texts with runs of digits by their number: `node2` before `node10`.
pub fn natural(left: &str, right: &str) -> Ordering {
    let (mut left_rest, mut right_rest) = (left, right);
    loop {
        let ((left_run, left_more), (right_run, right_more)) = (digits(left_rest), digits(right_rest));
        let order = match (left_run.is_empty(), right_run.is_empty()) {
            (false, false) => {
                let (left, right) = (left_run.trim_start_matches('0'), right_run.trim_start_matches('0'));
                left.len()
                    .cmp(&right.len())
                    .then_with(|| left.cmp(right))
                    .then_with(|| left_run.len().cmp(&right_run.len()))
            }
            _ => {
                let (mut left, mut right) = (left_rest.chars(), right_rest.chars());
                match (left.next(), right.next()) {
                    (None, None) => return Ordering::Equal,
                    (a, b) if a == b => {
                        (left_rest, right_rest) = (left.as_str(), right.as_str());
                        continue;
                    }
                    (a, b) => a.cmp(&b),
                }
            }
        };
        if order.is_ne() {
            return order;
        }
        (left_rest, right_rest) = (left_more, right_more);
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_sorted_as_in_kubectl() {
        let sorted = |mut values: Vec<Value>| {
            values.sort_by(|a, b| compared(Some(a), Some(b)));
            Value::from(values)
        };
        assert_eq!(sorted(vec![json!(10), json!(9), json!(0.5)]), json!([0.5, 9, 10]));
        assert_eq!(sorted(vec![json!("1Gi"), json!("500Mi"), json!("2k")]), json!(["2k", "500Mi", "1Gi"]));
        assert_eq!(sorted(vec![json!("n10"), json!("n2"), json!("a")]), json!(["a", "n2", "n10"]));
        assert_eq!(sorted(vec![json!("x"), json!(3), json!(true)]), json!([true, 3, "x"]));
        assert_eq!(compared(None, Some(&json!(0))), Ordering::Less);
        assert_eq!((natural("a01", "a1"), natural("a1b", "a1")), (Ordering::Greater, Ordering::Greater));
    }
}
