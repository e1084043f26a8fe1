//! In how many clusters of an archive each template is: what most clusters log is no news in any of them.

use std::collections::BTreeMap;

use crate::model::unexplained::Level;

/// A template is common from this share of the clusters on, if there are enough of them to tell.
const COMMON: f64 = 0.5;
const CLUSTERS: u64 = 5;

/// Templates of many bundles.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// Number of clusters whose templates are known.
    pub clusters: u64,
    /// Number of clusters by level and text of the template, not merged with similar ones.
    pub templates: BTreeMap<(Level, String), u64>,
}

impl Archive {
    /// Returns the number of clusters that have a template.
    pub fn clusters_with(&self, level: Level, text: &str) -> u64 {
        self.templates.get(&(level, text.to_owned())).copied().unwrap_or_default()
    }

    /// Returns true if so many clusters are most of them.
    pub fn is_common(&self, clusters: u64) -> bool {
        self.clusters >= CLUSTERS && clusters as f64 >= COMMON * self.clusters as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_few_clusters_says_nothing() {
        let archive = |clusters| Archive { clusters, ..Archive::default() };
        assert!(!archive(4).is_common(4));
        assert!(archive(5).is_common(3) && !archive(5).is_common(2));
        assert_eq!(archive(5).clusters_with(Level::Error, "lost"), 0);
    }
}
