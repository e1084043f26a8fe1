//! Finds the logs of a bundle that the products of CRE rules write, with the table in `sources.yaml`.

use crate::yaml::{self, Document, Kind, Node};

/// The table.
#[derive(Debug)]
pub struct Products(Document);

/// A product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// An area of our rules.
    pub area: String,
    /// The value of `log:` of a fact, in flow style.
    pub log: String,
}

/// Prefixes of the product in `event.source`.
const PREFIXES: [&str; 4] = ["cre.log.", "cre.config.", "cre.prometheus.", "cre."];

impl Products {
    /// The table that the program has.
    pub fn ours() -> Self {
        Self(yaml::parse(include_bytes!("sources.yaml").to_vec()).0)
    }

    /// The product of an `event.source`. One that the table does not name is looked for in pods and containers whose
    /// names hold its name, so that it never reads the log of anything else.
    pub fn of(&self, source: &str) -> Product {
        let name = PREFIXES.iter().find_map(|prefix| source.strip_prefix(prefix)).unwrap_or(source);
        let entries = self.0.roots().flat_map(Node::entries);
        let named = entries.filter(|(key, _)| is_of(name, key)).max_by_key(|(key, _)| key.len());
        match named {
            Some((_, node)) => Product {
                area: node.str_at(&["area"]).unwrap_or("workload").to_owned(),
                log: node.get("log").map(flow).unwrap_or_default(),
            },
            None => Product { area: "workload".to_owned(), log: by_name(name) },
        }
    }
}

/// Returns whether a product is the named one or a part of it: `redis`, `redis-on-kubernetes`, `redpanda.consumer`.
fn is_of(product: &str, name: &str) -> bool {
    product.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

fn by_name(product: &str) -> String {
    let word: String =
        product.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let word = word.trim_matches('-');
    let word = if word.is_empty() { "unknown" } else { word };
    format!("[{{pod: \"*{word}*\"}}, {{container: \"*{word}*\"}}]")
}

/// A node in flow style; the table nests three levels deep.
fn flow(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Mapping => {
            let entries = node.entries().map(|(key, value)| format!("{key}: {}", flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Kind::Sequence => format!("[{}]", node.items().map(flow).collect::<Vec<_>>().join(", ")),
        _ => format!("\"{}\"", node.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::AREAS;

    #[test]
    fn every_product_has_an_area_and_logs() {
        let products = Products::ours();
        let entries: Vec<_> = products.0.roots().flat_map(Node::entries).collect();
        assert!(entries.len() > 30);
        for (name, node) in entries {
            assert!(node.str_at(&["area"]).is_some_and(|area| AREAS.contains(&area)), "{name}");
            assert!(node.get("log").is_some_and(|log| !log.is_empty()), "{name}");
        }
    }

    #[test]
    fn products_follow_from_the_longest_name() {
        let products = Products::ours();
        let log = |source: &str| products.of(source).log;
        assert_eq!(log("cre.log.redis-on-kubernetes-by-someone"), log("cre.log.redis"));
        assert_ne!(log("cre.log.kafka"), log("cre.log.strimzi-kafka-operator"));
        assert_eq!(log("cre.log.coredns"), "[\"coredns\"]");
        assert_eq!(log("cre.log.Some.Product"), r#"[{pod: "*some-product*"}, {container: "*some-product*"}]"#);
    }
}
