//! Releases that may follow the running one.

use crate::model::Lang;
use crate::model::upgrade::{KnownRelease, UpgradeTarget};
use crate::rule::UpgradeTable;
use crate::rule::upgrades::Release;

/// Returns what the table says of the running release.
pub(super) fn known(table: &UpgradeTable, running: &Release, lang: Lang) -> KnownRelease {
    let line = line(&running.name);
    let support = table.lines.iter().find(|(known, _)| known == line);
    KnownRelease {
        released: running.released.clone(),
        line: line.to_owned(),
        support: support.map(|(_, label)| label.in_language(lang)),
        components: running.components.clone(),
    }
}

/// Returns the releases whose `from` the running one reaches, oldest first.
pub(super) fn targets(table: &UpgradeTable, running: &Release) -> Vec<UpgradeTarget> {
    let reaches = |target: &&Release| {
        target.version > running.version && target.from.as_ref().is_some_and(|from| *from <= running.version)
    };
    let target = |target: &Release| UpgradeTarget {
        version: target.name.clone(),
        released: target.released.clone(),
        documented: target.documented.iter().any(|from| covers(from, &running.name)),
        components: target.components.clone(),
    };
    table.releases.iter().filter(reaches).map(target).collect()
}

/// Returns true if `1.5.x` or `1.5.2` is about `1.5.2`.
fn covers(documented: &str, version: &str) -> bool {
    documented == version || documented.strip_suffix(".x").is_some_and(|known| known == line(version))
}

/// `1.5` of `1.5.2`.
fn line(version: &str) -> &str {
    version.rsplit_once('.').map_or(version, |(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(version: &str) -> Vec<String> {
        let table = UpgradeTable::embedded();
        let targets = targets(table, table.release(version).unwrap());
        targets.into_iter().map(|to| format!("{}{}", to.version, if to.documented { "" } else { "?" })).collect()
    }

    #[test]
    fn an_upgrade_goes_only_where_harvester_lets_it() {
        assert_eq!(told("1.2.2"), ["1.3.0?", "1.3.1"], "the documents name 1.3.1 only");
        assert_eq!(told("1.4.0"), ["1.4.1"], "1.4.2 needs 1.4.1");
        assert_eq!(told("1.4.1"), ["1.4.2", "1.4.3"]);
        assert_eq!(told("1.4.2"), ["1.4.3", "1.5.0", "1.5.1", "1.5.2"]);
        assert_eq!(told("1.6.1"), ["1.7.0", "1.7.1", "1.7.2", "1.7.3"]);
        assert!(told("1.8.2").is_empty(), "nothing later is in the table");
    }
}
