//! Filters of findings: each facet with its values and the number of findings per value, and the tokens by which the
//! script recognises the values of a finding.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Serialize;

use crate::model::{Confidence, Finding, FindingClass, NodeFacts, Severity};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank::Group;
use crate::report::words;

/// Maximum number of values listed per facet; those with the most findings come first.
const VALUES_SHOWN: usize = 200;

/// All facets.
#[derive(Serialize)]
pub struct Filters<'a> {
    facets: Vec<Facet<'a>>,
    /// Nodes that the bundle contains.
    #[serde(skip)]
    nodes: BTreeSet<&'a str>,
}

#[derive(Serialize)]
struct Facet<'a> {
    /// Name in links: `severity`.
    name: &'static str,
    label: &'a str,
    values: Vec<Choice<'a>>,
    /// Values not listed.
    left_out: usize,
    /// True if there is more than one choice.
    useful: bool,
    #[serde(skip)]
    tokens: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct Choice<'a> {
    /// Name in links.
    value: &'a str,
    label: &'a str,
    /// Token in the `data-in` attribute of a finding.
    token: String,
    /// Number of causes with this value.
    causes: String,
    /// Number of findings with it that causes explain; none if there are none.
    explained: Option<String>,
}

/// Number of findings.
#[derive(Clone, Copy, Default)]
struct Count {
    causes: u64,
    explained: u64,
}

impl Count {
    fn all(self) -> u64 {
        self.causes + self.explained
    }
}

/// Name in links, and the letter before the number in tokens.
const FACETS: [(&str, char); 7] = [
    ("severity", 's'),
    ("confidence", 'c'),
    ("role", 'r'),
    ("area", 'a'),
    ("namespace", 'n'),
    ("node", 'h'),
    ("kind", 'k'),
];

impl<'a> Filters<'a> {
    /// Collects the facets of all findings in `groups`, in a cluster with these nodes.
    pub fn of(groups: &[Group<'a>], nodes: &'a [NodeFacts], t: Lexicon) -> Self {
        let nodes = nodes.iter().map(|node| node.name.as_str()).collect();
        let mut counts: [BTreeMap<&str, Count>; FACETS.len()] = Default::default();
        let mut count = |finding: &'a Finding, under: Option<&'a Finding>| {
            for (facet, values) in counts.iter_mut().zip(values(finding, under, &nodes)) {
                for value in values {
                    let count = facet.entry(value).or_default();
                    let of = if under.is_some() { &mut count.explained } else { &mut count.causes };
                    *of += 1;
                }
            }
        };
        for cause in groups.iter().flat_map(Group::causes) {
            count(cause.finding, None);
            cause.symptoms.iter().for_each(|symptom| count(symptom, Some(cause.finding)));
        }
        let facets = FACETS.into_iter().zip(counts).map(|(facet, counts)| Facet::of(facet, counts, t)).collect();
        Self { facets, nodes }
    }

    /// Returns the values of a finding, and of the cause that it is folded under, as tokens: `s1 c0 r0 a3 n4 k2`.
    pub fn tokens(&self, finding: &Finding, under: Option<&Finding>) -> String {
        let mut text = String::new();
        for (facet, values) in self.facets.iter().zip(values(finding, under, &self.nodes)) {
            for token in values.into_iter().filter_map(|value| facet.tokens.get(value)) {
                // Writing to a String cannot fail.
                let _ = write!(text, "{}{token}", if text.is_empty() { "" } else { " " });
            }
        }
        text
    }
}

impl<'a> Facet<'a> {
    fn of((name, letter): (&'static str, char), counts: BTreeMap<&'a str, Count>, t: Lexicon) -> Self {
        let mut counts: Vec<(&str, Count)> = counts.into_iter().collect();
        let left_out = counts.len().saturating_sub(VALUES_SHOWN);
        counts.sort_by_key(|(value, count)| (Reverse(count.all()), *value));
        counts.truncate(VALUES_SHOWN);
        counts.sort_by_key(|(value, _)| (place_on_scale(name, value), *value));
        let token = |place: usize| format!("{letter}{place}");
        Self {
            name,
            label: label(name, t),
            tokens: counts.iter().enumerate().map(|(place, (value, _))| (*value, token(place))).collect(),
            useful: counts.len() > 1,
            values: counts
                .into_iter()
                .enumerate()
                .map(|(place, (value, count))| Choice {
                    value,
                    label: if is_name(name) { value } else { t.term(value) },
                    token: token(place),
                    causes: words::number(count.causes),
                    explained: (count.explained > 0).then(|| words::number(count.explained)),
                })
                .collect(),
            left_out,
        }
    }
}

/// Returns the displayed name of a facet.
fn label(facet: &str, t: Lexicon) -> &'static str {
    match facet {
        "severity" => t.say(phrase::SEVERITY),
        "confidence" => t.say(phrase::CONFIDENCE),
        "role" => t.say(phrase::CAUSE_OR_SYMPTOM),
        "area" => t.say(phrase::AREA),
        "namespace" => t.say(phrase::NAMESPACE),
        "node" => t.say(phrase::NODE_LABEL),
        _ => t.say(phrase::KIND_OF_OBJECT),
    }
}

/// Returns true if the values of a facet are names from the cluster, which are not translated.
fn is_name(facet: &str) -> bool {
    matches!(facet, "namespace" | "node" | "kind")
}

/// Returns the words by which causes are listed, the most urgent first: severities of faults, then the other classes. `info` is both.
fn labels() -> impl Iterator<Item = &'static str> {
    let severities =
        Severity::ALL.iter().filter(|severity| **severity != Severity::Info).map(|severity| severity.as_str());
    severities.chain(FindingClass::ALL.iter().map(|class| class.as_str()))
}

/// Returns the position of a severity or confidence, highest first; names have none.
fn place_on_scale(facet: &str, value: &str) -> Option<usize> {
    match facet {
        "severity" => labels().position(|one| one == value),
        "confidence" => Confidence::ALL.iter().position(|one| one.as_str() == value),
        _ => None,
    }
}

/// Returns the values of a finding, by facet. What a cause explains goes by the severity of the cause: so those of all
/// severities are all causes.
fn values<'f>(
    finding: &'f Finding,
    under: Option<&'f Finding>,
    nodes: &BTreeSet<&str>,
) -> [BTreeSet<&'f str>; FACETS.len()] {
    [
        [under.unwrap_or(finding).label()].into(),
        [finding.confidence.as_str()].into(),
        [if under.is_some() { phrase::SYMPTOM } else { phrase::CAUSE }.english()].into(),
        [finding.area.as_str()].into(),
        finding.objects.iter().filter_map(|object| object.namespace.as_deref()).collect(),
        nodes_of(finding, nodes),
        finding.objects.iter().map(|object| object.kind.as_str()).collect(),
    ]
}

/// Returns the nodes that a finding concerns: those among its objects, those whose files are its evidence, and those
/// that a field of its evidence names.
fn nodes_of<'f>(finding: &'f Finding, nodes: &BTreeSet<&str>) -> BTreeSet<&'f str> {
    let objects = finding.objects.iter().filter(|object| object.kind == "Node").map(|object| object.name.as_str());
    let evidence = finding.evidence.iter();
    let parts = evidence.flat_map(|piece| piece.entry.split('/').chain(piece.field_value()));
    let known = parts.map(|part| part.strip_suffix(".zip!").unwrap_or(part)).filter(|part| nodes.contains(part));
    objects.chain(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Analysis, EvidenceValue};
    use crate::report::{rank, specimen};

    fn filters(analysis: &Analysis) -> Filters<'_> {
        Filters::of(&rank::groups(&analysis.findings), &analysis.bundle.nodes, Lexicon::ENGLISH)
    }

    fn shape(filters: &Filters<'_>, name: &str) -> Vec<(String, String, String)> {
        let facet = filters.facets.iter().find(|facet| facet.name == name).unwrap();
        let count = |v: &Choice<'_>| match &v.explained {
            Some(explained) => format!("{}+{explained}", v.causes),
            None => v.causes.clone(),
        };
        facet.values.iter().map(|v| (v.value.to_owned(), v.token.clone(), count(v))).collect()
    }

    #[test]
    fn values_are_counted_and_named_by_tokens() {
        let analysis = specimen::small();
        let filters = filters(&analysis);
        let value = |value: &str, token: &str, count: &str| (value.to_owned(), token.to_owned(), count.to_owned());
        assert_eq!(shape(&filters, "severity"), [value("critical", "s0", "1+1"), value("low", "s1", "1")]);
        assert_eq!(shape(&filters, "role"), [value("cause", "r0", "2"), value("symptom", "r1", "0+1")]);
        assert_eq!(shape(&filters, "namespace"), [value("shop", "n0", "2+1")]);
        assert_eq!(shape(&filters, "node"), [value("alpha", "h0", "1+1")], "one by its object, one by its log");
        let cause = analysis.findings.iter().find(|finding| finding.severity == Severity::Critical);
        assert_eq!(filters.tokens(&analysis.findings[0], cause), "s0 c1 r1 a1 n0 h0 k2");
    }

    #[test]
    fn fields_name_nodes_and_one_value_is_no_choice() {
        let mut analysis = specimen::small();
        analysis.findings[1].evidence[0].value = Some(EvidenceValue::Text("beta".into()));
        let filters = filters(&analysis);
        assert_eq!(shape(&filters, "node").len(), 2);
        assert!(!filters.facets.iter().any(|facet| facet.name == "namespace" && facet.useful));
    }

    #[test]
    fn rare_values_are_left_out() {
        let mut analysis = specimen::small();
        let many = |n: usize| Finding {
            area: format!("area-{:03}", n / 2),
            fingerprint: format!("{n:016}"),
            ..specimen::finding()
        };
        analysis.findings.extend((0..2 * VALUES_SHOWN).map(many));
        let filters = filters(&analysis);
        let area = filters.facets.iter().find(|facet| facet.name == "area").unwrap();
        assert_eq!((area.values.len(), area.left_out), (VALUES_SHOWN, 2));
        assert!(!filters.tokens(&analysis.findings[1], None).contains('a'), "its area is one of those");
    }
}
