//! `prometheus(text)`: metrics in the text format of Prometheus, by name.
//!
//! A name has its samples, `{labels, value}` each. A histogram has under its own name one `{labels, count, sum, p50,
//! p90, p99}` for each set of labels, with quantiles computed like `histogram_quantile`: linear within a bucket.
//! Format: https://prometheus.io/docs/instrumenting/exposition_formats/

use std::collections::BTreeMap;

use crate::expr::eval::arithmetic::number;
use crate::expr::eval::limits::MAX_ITEMS;
use crate::expr::eval::stop::Answer;
use crate::expr::eval::value::{Text, Value};
use crate::expr::functions::arguments::text_arg;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::model::message::WrongValue;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "prometheus",
    parameters: &[Parameter::required("text", Takes::Text)],
    returns: Returns::Anything,
    doc: "[metrics](#tables-and-metrics) by name",
    run: prometheus,
    options: STRICT,
}];

/// Quantiles of histograms with the names of their fields.
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)];

type Labels = BTreeMap<String, String>;

/// Sample of one line.
#[derive(Debug, PartialEq)]
struct Sample {
    name: String,
    labels: Labels,
    value: f64,
}

/// Returns a map from names to lists.
pub(super) fn prometheus<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    caller.world.decodings.get("prometheus", text_arg(args, 0)?, |text| {
        let samples: Vec<Sample> = text.lines().filter_map(sample).take(MAX_ITEMS + 1).collect();
        if samples.len() > MAX_ITEMS {
            return Err(WrongValue::TooManyMetrics { most: MAX_ITEMS });
        }
        Ok(by_name(&samples))
    })
}

fn by_name(samples: &[Sample]) -> Value<'static> {
    let mut names: BTreeMap<&str, Vec<Value<'static>>> = BTreeMap::new();
    for sample in samples {
        let entry = record([("labels", labels(&sample.labels)), ("value", plain(sample.value))]);
        names.entry(&sample.name).or_default().push(entry);
    }
    for ((name, own), histogram) in histograms(samples) {
        names.entry(name).or_default().push(histogram.value(&own));
    }
    let entries = names.into_iter().map(|(name, list)| (Text::Shared(name.into()), Value::list(list)));
    Value::Map(entries.collect())
}

fn record<const N: usize>(fields: [(&'static str, Value<'static>); N]) -> Value<'static> {
    Value::Map(fields.map(|(name, value)| (Text::Borrowed(name), value)).into())
}

fn labels(labels: &Labels) -> Value<'static> {
    let entries = labels.iter().map(|(name, value)| (Text::Shared(name.as_str().into()), Value::text(value)));
    Value::Map(entries.collect())
}

/// Converts NaN to null.
fn plain(value: f64) -> Value<'static> {
    if value.is_infinite() { Value::Double(value) } else { number(value) }
}

/// Cumulated counts of one histogram.
#[derive(Default)]
struct Histogram {
    /// Upper bound, and the count at or below it.
    buckets: Vec<(f64, f64)>,
    sum: Option<f64>,
    count: Option<f64>,
}

/// Groups histograms by name and labels except `le`.
fn histograms(samples: &[Sample]) -> BTreeMap<(&str, Labels), Histogram> {
    let mut found: BTreeMap<(&str, Labels), Histogram> = BTreeMap::new();
    for sample in samples {
        let Some(name) = sample.name.strip_suffix("_bucket") else { continue };
        let Some(bound) = sample.labels.get("le").and_then(|le| float(le)) else { continue };
        let mut own = sample.labels.clone();
        own.remove("le");
        found.entry((name, own)).or_default().buckets.push((bound, sample.value));
    }
    for sample in samples {
        let (name, is_sum) = match (sample.name.strip_suffix("_sum"), sample.name.strip_suffix("_count")) {
            (Some(name), _) => (name, true),
            (None, Some(name)) => (name, false),
            (None, None) => continue,
        };
        if let Some(histogram) = found.get_mut(&(name, sample.labels.clone())) {
            *(if is_sum { &mut histogram.sum } else { &mut histogram.count }) = Some(sample.value);
        }
    }
    found
}

impl Histogram {
    fn value(mut self, own: &Labels) -> Value<'static> {
        self.buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let optional = |value: Option<f64>| value.map_or(Value::Null, plain);
        let mut fields = vec![("labels", labels(own)), ("count", optional(self.count)), ("sum", optional(self.sum))];
        fields.extend(QUANTILES.map(|(name, share)| (name, optional(self.quantile(share)))));
        Value::Map(fields.into_iter().map(|(name, value)| (Text::Borrowed(name), value)).collect())
    }

    /// Returns none for an empty histogram; for the last bucket its lower bound.
    fn quantile(&self, share: f64) -> Option<f64> {
        let total = self.buckets.last().filter(|(bound, _)| bound.is_infinite()).map(|(_, count)| *count)?;
        if total <= 0.0 {
            return None;
        }
        let rank = share * total;
        let at = self.buckets.partition_point(|(_, count)| *count < rank);
        let (upper, count) = *self.buckets.get(at)?;
        let (lower, below) = match at.checked_sub(1).and_then(|before| self.buckets.get(before)) {
            Some(before) => *before,
            None if upper <= 0.0 => return Some(upper),
            None => (0.0, 0.0),
        };
        if upper.is_infinite() || count <= below {
            return Some(lower);
        }
        Some(lower + (upper - lower) * (rank - below) / (count - below))
    }
}

fn float(text: &str) -> Option<f64> {
    match text {
        "+Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        other => other.parse().ok(),
    }
}

/// Parses `name{label="value",...} 1.5 1700000000000`; none for comments and other lines.
fn sample(line: &str) -> Option<Sample> {
    let line = line.trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'))?;
    let (name, rest) = line.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == ':') {
        return None;
    }
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => read_labels(inside)?,
        None => (Labels::new(), rest),
    };
    let value = float(rest.split_whitespace().next()?)?;
    Some(Sample { name: name.to_owned(), labels, value })
}

/// Reads labels; returns them and the text after their bracket.
fn read_labels(mut rest: &str) -> Option<(Labels, &str)> {
    let mut labels = Labels::new();
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((labels, behind));
        }
        let (name, value) = rest.split_once('=')?;
        let (value, behind) = quoted(value.trim_start().strip_prefix('"')?)?;
        labels.insert(name.trim().to_owned(), value);
        rest = behind;
    }
}

/// Reads a text up to its closing quote; returns it and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => match signs.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_every_form() {
        let shown = |line: &str| {
            sample(line).map(|s| {
                let labels: Vec<String> = s.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
                format!("{} [{}] {}", s.name, labels.join(" "), s.value)
            })
        };
        for (line, wanted) in [
            ("up 1", Some("up [] 1")),
            ("a:b_c{x=\"1\", y=\"q\\\"}\\n\"} 2.5e3 1700000000", Some("a:b_c [x=1 y=q\"}\n] 2500")),
            ("x{} +Inf", Some("x [] inf")),
            ("# HELP up text", None),
            ("x{a=\"b} 1", None),
            ("x{a} 1", None),
            ("x one", None),
            ("9 1", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(shown(line).as_deref(), wanted, "{line}");
        }
    }

    #[test]
    fn quantiles_are_linear_within_a_bucket() {
        let histogram = |buckets: &[(f64, f64)]| Histogram { buckets: buckets.to_vec(), sum: None, count: None };
        let inf = f64::INFINITY;
        let usual = histogram(&[(0.1, 50.0), (1.0, 90.0), (2.0, 100.0), (inf, 100.0)]);
        assert_eq!(usual.quantile(0.25), Some(0.05));
        assert_eq!(usual.quantile(0.5), Some(0.1));
        assert_eq!(usual.quantile(0.95), Some(1.5));
        assert_eq!(histogram(&[(1.0, 10.0), (inf, 100.0)]).quantile(0.5), Some(1.0));
        assert_eq!(histogram(&[(1.0, 0.0), (inf, 0.0)]).quantile(0.5), None);
        assert_eq!(histogram(&[(1.0, 5.0)]).quantile(0.5), None);
        assert_eq!(histogram(&[]).quantile(0.5), None);
    }
}
