//! The table of Harvester's upgrades, `rules/harvester-upgrades.yaml`: releases, official checks, and the stages of an upgrade.

use std::sync::OnceLock;

use crate::model::Lang;
use crate::model::version::{Range, Version};
use crate::rule::load;
use crate::yaml::{self, Node};

/// The whole table.
#[derive(Debug, Default)]
pub struct UpgradeTable {
    /// Date of its sources.
    pub as_of: String,
    /// Releases, oldest first.
    pub releases: Vec<Release>,
    /// Minor lines such as `1.4`, with what the project says of them.
    pub lines: Vec<(String, Translated)>,
    pub checks: Vec<Check>,
    /// Phases of an upgrade, then states of its nodes.
    pub stages: Vec<(String, Translated)>,
}

/// Text of the table in each language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    english: String,
    chinese: String,
}

/// One release.
#[derive(Debug)]
pub struct Release {
    /// Version as written, such as `1.4.2`.
    pub name: String,
    pub version: Version,
    pub released: String,
    /// The oldest release from which Harvester lets it be installed; none for the first one.
    pub from: Option<Version>,
    /// Releases and lines (`1.5.x`) from which an upgrade to it is documented.
    pub documented: Vec<String>,
}

/// One official check.
#[derive(Debug)]
pub struct Check {
    pub id: String,
    /// What it looks at.
    pub name: Translated,
    /// Running versions whose webhook makes it.
    pub webhook: Option<Range>,
    /// Name in the pre-check script.
    pub script: Option<String>,
    /// Running versions for which the script makes it; none for all.
    pub script_for: Option<Range>,
    pub rules: Vec<String>,
    /// True if objects answer what its rules do not.
    pub by_objects: bool,
    /// What its rules leave alone.
    pub except: Option<Translated>,
}

impl UpgradeTable {
    /// Returns the table of this program, read when it is first asked for.
    pub fn embedded() -> &'static Self {
        static TABLE: OnceLock<UpgradeTable> = OnceLock::new();
        TABLE.get_or_init(|| Self::read(load::upgrades()))
    }

    /// Returns a release by its version, with or without `v`; none for release candidates and development versions.
    pub fn release(&self, version: &str) -> Option<&Release> {
        let version = Version::parse(version)?;
        self.releases.iter().find(|release| release.version == version)
    }

    /// Reads the table; entries with a fault are left out, which the tests of this file find.
    fn read(source: &str) -> Self {
        let (document, _) = yaml::parse(source.as_bytes().to_vec());
        let Some(root) = document.roots().next() else { return Self::default() };
        let items = |key: &str| root.get(key).into_iter().flat_map(Node::items);
        let entries = |key: &str| root.get(key).into_iter().flat_map(Node::entries);
        Self {
            as_of: root.get("as_of").map(|date| date.text().to_owned()).unwrap_or_default(),
            releases: entries("releases").filter_map(|(name, node)| release(&name, node)).collect(),
            lines: entries("lines")
                .filter_map(|(line, node)| Some((line.into_owned(), translated(node, "label", "zh")?)))
                .collect(),
            checks: items("checks").filter_map(check).collect(),
            stages: items("phases")
                .chain(items("node_states"))
                .filter_map(|node| Some((text(node, "name")?, translated(node, "means", "zh")?)))
                .collect(),
        }
    }
}

impl Translated {
    /// Returns the text in a language.
    pub fn in_language(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.english.clone(),
            Lang::Zh => self.chinese.clone(),
        }
    }
}

fn text(node: Node<'_>, key: &str) -> Option<String> {
    node.get(key).map(|value| value.text().to_owned())
}

fn texts(node: Node<'_>, key: &str) -> Vec<String> {
    node.get(key).into_iter().flat_map(Node::items).map(|item| item.text().to_owned()).collect()
}

fn translated(node: Node<'_>, english: &str, chinese: &str) -> Option<Translated> {
    Some(Translated { english: text(node, english)?, chinese: text(node, chinese)? })
}

fn range(node: Node<'_>, key: &str) -> Option<Range> {
    Range::parse(node.get(key)?.text()).ok()
}

fn release(name: &str, node: Node<'_>) -> Option<Release> {
    Some(Release {
        name: name.to_owned(),
        version: Version::parse(name)?,
        released: text(node, "released")?,
        from: node.get("from").and_then(|from| Version::parse(from.text())),
        documented: texts(node, "documented"),
    })
}

fn check(node: Node<'_>) -> Option<Check> {
    Some(Check {
        id: text(node, "id")?,
        name: translated(node, "name", "zh")?,
        webhook: range(node, "webhook"),
        script: text(node, "script"),
        script_for: range(node, "script_for"),
        rules: texts(node, "rules"),
        by_objects: text(node, "answered_by").as_deref() == Some("objects"),
        except: translated(node, "except", "except_zh"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the keys of this name in the file, to find entries that were left out.
    fn written(key: &str) -> usize {
        load::upgrades().lines().filter(|line| line.trim_start().trim_start_matches("- ").starts_with(key)).count()
    }

    #[test]
    fn nothing_of_the_table_is_left_out() {
        let table = UpgradeTable::embedded();
        assert!(table.as_of.parse::<jiff::civil::Date>().is_ok());
        assert_eq!(table.checks.len(), written("id: "));
        assert_eq!(table.stages.len(), written("means: "));
        assert_eq!(table.lines.len(), written("'"));
        let releases = load::upgrades().lines().filter(|line| line.contains("{released: ")).count();
        assert_eq!(table.releases.len(), releases);
        let ranges = table
            .checks
            .iter()
            .map(|check| usize::from(check.webhook.is_some()) + usize::from(check.script_for.is_some()));
        assert_eq!(ranges.sum::<usize>(), written("webhook: ") + written("script_for: "));
        assert!(table.checks.iter().all(|check| check.webhook.is_some() || check.script.is_some()));
        assert!(table.checks.iter().all(|check| check.by_objects || !check.rules.is_empty()));
    }

    #[test]
    fn releases_are_in_order_and_name_releases() {
        let table = UpgradeTable::embedded();
        assert!(table.releases.is_sorted_by(|a, b| a.version < b.version));
        for release in &table.releases {
            assert!(release.released.parse::<jiff::civil::Date>().is_ok(), "{release:?}");
            assert!(release.from.is_some() || release.name == "1.0.0", "{release:?}");
            assert!(release.from.as_ref().is_none_or(|from| *from < release.version), "{release:?}");
            for from in &release.documented {
                let line = from.strip_suffix(".x");
                let known = match line {
                    Some(line) => table.lines.iter().any(|(known, _)| known == line),
                    None => table.release(from).is_some(),
                };
                assert!(known, "{}: {from}", release.name);
            }
        }
    }

    #[test]
    fn rules_of_checks_exist() {
        let rules = load::embedded().sources;
        for check in &UpgradeTable::embedded().checks {
            for rule in &check.rules {
                assert!(rules.iter().any(|source| source.stem() == rule), "{}: {rule}", check.id);
            }
        }
    }

    #[test]
    fn candidates_are_no_releases() {
        let table = UpgradeTable::embedded();
        assert_eq!(table.release("v1.4.2").map(|release| release.name.as_str()), Some("1.4.2"));
        for unknown in ["v1.4.2-rc1", "master-head", "v1.99.0", ""] {
            assert!(table.release(unknown).is_none(), "{unknown}");
        }
    }
}
