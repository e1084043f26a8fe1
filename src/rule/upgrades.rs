//! The table of Harvester's upgrades, `rules/harvester-upgrades.yaml`: releases, official checks, stages of an upgrade, and known issues.

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
    /// What known issues depend on.
    pub conditions: Vec<Condition>,
    pub known_issues: Vec<KnownIssue>,
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
    /// Name and version of what it brings, such as Longhorn, in the order of the table.
    pub components: Vec<(String, String)>,
}

/// What the documentation tells of upgrades between some releases.
#[derive(Debug)]
pub struct KnownIssue {
    pub id: String,
    /// Running versions.
    pub from: Range,
    /// Releases to which the cluster is upgraded.
    pub to: Range,
    /// Ids of conditions; all must hold.
    pub conditions: Vec<String>,
    pub means: Translated,
    /// Release of Harvester that no longer has it.
    pub fixed_in: Option<String>,
    /// Rule that finds it when it happened.
    pub rule: Option<String>,
    pub link: Option<String>,
}

/// Property of a cluster on which known issues depend.
#[derive(Debug)]
pub struct Condition {
    pub id: String,
    /// Continues a sentence: `the cluster has two nodes`.
    pub means: Translated,
    /// Holds if the cluster had one of these versions when it was installed: all up to some release.
    pub installed: Option<Range>,
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
            conditions: items("conditions").filter_map(condition).collect(),
            known_issues: items("known_issues").filter_map(known_issue).collect(),
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
        components: node
            .get("components")
            .into_iter()
            .flat_map(Node::entries)
            .map(|(name, version)| (name.into_owned(), version.text().to_owned()))
            .collect(),
    })
}

fn known_issue(node: Node<'_>) -> Option<KnownIssue> {
    Some(KnownIssue {
        id: text(node, "id")?,
        from: range(node, "from")?,
        to: range(node, "to")?,
        conditions: texts(node, "if"),
        means: translated(node, "means", "zh")?,
        fixed_in: text(node, "fixed_in"),
        rule: text(node, "rule"),
        link: text(node, "link"),
    })
}

fn condition(node: Node<'_>) -> Option<Condition> {
    Some(Condition {
        id: text(node, "id")?,
        means: translated(node, "means", "zh")?,
        installed: range(node, "installed"),
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
        let (checks, conditions, issues) = (table.checks.len(), table.conditions.len(), table.known_issues.len());
        assert_eq!(checks + conditions + issues, written("id: "));
        assert_eq!(table.stages.len() + conditions + issues, written("means: "));
        assert_eq!(table.lines.len(), written("'"));
        let installed = table.conditions.iter().filter(|condition| condition.installed.is_some());
        assert_eq!(installed.count(), written("installed: "));
        assert!(table.releases.iter().all(|release| release.components.len() == 4));
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
    fn rules_of_checks_and_known_issues_exist() {
        let rules = load::embedded().sources;
        let table = UpgradeTable::embedded();
        let of_checks = table.checks.iter().flat_map(|check| check.rules.iter().map(move |rule| (&check.id, rule)));
        let of_issues = table.known_issues.iter().filter_map(|issue| Some((&issue.id, issue.rule.as_ref()?)));
        for (id, rule) in of_checks.chain(of_issues) {
            assert!(rules.iter().any(|source| source.stem() == rule), "{id}: {rule}");
        }
    }

    #[test]
    fn known_issues_are_about_upgrades_that_harvester_allows() {
        let table = UpgradeTable::embedded();
        let within = |range: &Range, release: &Release| range.contains(&release.name) == Some(true);
        for issue in &table.known_issues {
            let allowed = table.releases.iter().any(|to| {
                let reaches = |from: &&Release| to.from.as_ref().is_some_and(|first| *first <= from.version);
                let earlier = table.releases.iter().filter(|from| from.version < to.version).filter(reaches);
                within(&issue.to, to) && earlier.into_iter().any(|from| within(&issue.from, from))
            });
            assert!(allowed, "{}", issue.id);
            for id in &issue.conditions {
                assert!(table.conditions.iter().any(|condition| condition.id == *id), "{}: {id}", issue.id);
            }
        }
        for condition in &table.conditions {
            let used = table.known_issues.iter().any(|issue| issue.conditions.contains(&condition.id));
            assert!(used, "no known issue depends on {}", condition.id);
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
