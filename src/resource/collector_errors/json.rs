//! Errors of troubleshoot.sh: JSON files next to the collected ones, and the summary of its run.

use super::collected_failures::CollectorErrors;
use super::failure::Target;
use crate::model::message::CollectedFile;
use crate::resource::types::{self, TypeName};
use crate::yaml::{self, Kind, Node};

/// Subject of the messages in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Lists of a type, one per namespace: messages by namespace, or a list of messages for cluster-scoped types.
    Objects(TypeName),
    /// Objects of all defined types: messages by `PLURAL.GROUP` or `PLURAL.GROUP/NAMESPACE`; other keys name earlier steps.
    CustomResources,
    /// The log of a container; its pod with the namespace, as `NAMESPACE/POD`.
    PodLog { pod: String, container: String },
    /// Something else.
    File(CollectedFile),
}

impl CollectorErrors {
    /// Adds the messages of a JSON file: a mapping, a list, or one text. Text that is not JSON is one message.
    pub fn add_json(&mut self, about: &About, text: &str) {
        let (document, problems) = yaml::parse(text.as_bytes().to_vec());
        if !problems.is_empty() {
            return self.add_text(about, text);
        }
        for root in document.roots() {
            match root.kind() {
                Kind::Mapping => root.entries().for_each(|(key, value)| self.add_message(about, &key, value)),
                Kind::Sequence => root.items().for_each(|item| self.add_message(about, "", item)),
                _ => self.add_message(about, "", root),
            }
        }
    }

    /// Adds a text as one message: its first line that is not blank.
    pub fn add_text(&mut self, about: &About, text: &str) {
        if let Some((at, line)) = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty()) {
            self.push(at as u64 + 1, about.target(""), line.trim());
        }
    }

    /// Adds the collectors that failed according to `execution-data/summary.txt`: lines `NAME (F) : 12ms` below the title of
    /// collectors. Analyzers, which have a title of their own, collect nothing.
    pub fn add_summary(&mut self, text: &str) {
        let mut of_collectors = false;
        for (at, line) in text.lines().enumerate() {
            if line.starts_with("====") && line.contains("summary") {
                of_collectors = line.contains("Collectors");
            }
            let status = [("(F)", "the collector failed"), ("(X)", "the collector was excluded")];
            let told = status.iter().find_map(|(mark, why)| Some((line.split_once(mark)?.0.trim(), why)));
            if let Some((name, why)) =
                told.filter(|(name, _)| of_collectors && !name.is_empty() && !name.contains(", "))
            {
                self.push(at as u64 + 1, Target::File(CollectedFile::OfCollector { name: name.to_owned() }), why);
            }
        }
    }

    fn add_message(&mut self, about: &About, key: &str, value: Node<'_>) {
        let message = match value.kind() {
            Kind::Null => return,
            Kind::Mapping => ["error", "message"].iter().find_map(|name| value.str_at(&[name])),
            Kind::Sequence => value.items().next().map(Node::text),
            _ => Some(value.text()),
        };
        let message = message.map_or("", str::trim);
        if !message.is_empty() {
            self.push(value.line(), about.target(key), message);
        }
    }
}

impl About {
    fn target(&self, key: &str) -> Target {
        let objects = |name: &TypeName, namespace: &str| Target::Objects {
            name: name.clone(),
            namespace: Some(namespace).filter(|namespace| !namespace.is_empty()).map(str::to_owned),
        };
        match self {
            Self::Objects(name) if types::known(name).is_some_and(|known| !known.namespaced) => objects(name, ""),
            Self::Objects(name) => objects(name, key),
            Self::CustomResources => {
                let (name, namespace) = key.split_once('/').unwrap_or((key, ""));
                match name.contains('.') && !name.contains(' ') {
                    true => objects(&TypeName::parse(name), namespace),
                    false => Target::CustomResources,
                }
            }
            Self::PodLog { pod, container } => Target::PodLog { pod: pod.clone(), container: container.clone() },
            Self::File(file) if key.is_empty() => Target::File(file.clone()),
            Self::File(file) => Target::File(CollectedFile::Part { of: Box::new(file.clone()), key: key.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Target and message of each failure.
    fn told(about: &About, text: &str) -> Vec<(String, String)> {
        let mut errors = CollectorErrors::default();
        errors.add_json(about, text);
        errors.failures.iter().map(|f| (f.target.described().unwrap().to_string(), f.error.clone())).collect()
    }

    fn pair(what: &str, why: &str) -> (String, String) {
        (what.to_owned(), why.to_owned())
    }

    #[test]
    fn messages_by_namespace_are_of_the_lists_of_a_type() {
        let pods = About::Objects(TypeName::parse("pods"));
        let text = "{\"shop\": \"pods is forbidden\", \"demo\": \"timed out\"}";
        assert_eq!(
            told(&pods, text),
            [pair("pods of namespace shop", "pods is forbidden"), pair("pods of namespace demo", "timed out")]
        );
        assert_eq!(told(&pods, "{\"\": \"no discovery\"}"), [pair("pods", "no discovery")]);
        let nodes = About::Objects(TypeName::parse("nodes"));
        assert_eq!(told(&nodes, "[\"nodes is forbidden\"]"), [pair("nodes", "nodes is forbidden")]);
        for fine in ["", "null", "{}", "[]", "{\"shop\": null}", "\"\""] {
            assert_eq!(told(&pods, fine), [], "{fine}");
        }
    }

    #[test]
    fn messages_of_custom_resources_name_their_definition() {
        let text = "{\"volumes.longhorn.io\": \"a\", \"engines.longhorn.io/lh\": \"b\", \"crdList\": \"c\"}";
        assert_eq!(
            told(&About::CustomResources, text),
            [
                pair("volumes.longhorn.io", "a"),
                pair("engines.longhorn.io of namespace lh", "b"),
                pair("custom resources", "c")
            ]
        );
    }

    #[test]
    fn other_messages_name_the_file() {
        let file = About::File(CollectedFile::Path { path: "secrets/demo/login".to_owned() });
        assert_eq!(told(&file, "[\"not found\"]"), [pair("secrets/demo/login", "not found")]);
        assert_eq!(told(&file, "{\"a\": {\"error\": \"x\"}}"), [pair("secrets/demo/login: a", "x")]);
        assert_eq!(told(&file, "[unfinished\nsecond"), [pair("secrets/demo/login", "[unfinished")]);
        let log = About::PodLog { pod: "demo/web-0".to_owned(), container: "app".to_owned() };
        assert_eq!(
            told(&log, "failed to get log stream"),
            [pair("log of pod demo/web-0, container app", "failed to get log stream")]
        );
    }

    #[test]
    fn the_summary_names_collectors_that_failed_or_did_not_run() {
        let text = "\n============ Collectors summary =============\nSuceeded (S), eXcluded (X), Failed (F)\n\
            =============================================\nall-logs (S) : 60,000ms\nhelm (F) : 1ms\nnetwork (X) : 2ms\n\
            ============ Analyzers summary ==============\ncluster-version (F) : 1ms\n";
        let mut errors = CollectorErrors::default();
        errors.add_summary(text);
        let told: Vec<_> =
            errors.failures.iter().map(|f| (f.line, f.target.described().unwrap().to_string())).collect();
        assert_eq!(
            told,
            [(6, "what collector helm collects".to_owned()), (7, "what collector network collects".to_owned())]
        );
    }
}
