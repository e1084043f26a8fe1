//! Lines of logs, and messages of events, whose meaning is known although no rule looks for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::version::Range;

/// What the author of a known line says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownLine {
    /// Programs that write it; that of an event begins with `event`.
    pub component: String,
    /// Product whose version counts, of [`super::PRODUCTS`] or another one.
    pub product: String,
    /// Versions of the product that write it; none if all do.
    pub versions: Option<Range>,
    /// True if it is harmless as a rule.
    pub benign: bool,
    /// True for what any program may report: it counts only where no other line is known.
    pub general: bool,
    /// One sentence.
    pub means: String,
    /// What to check next; none if it is harmless.
    pub look: Option<String>,
    /// Product, and its versions with the fix as written.
    pub fixed_in: Option<(String, String)>,
    /// Where the line and its meaning are found.
    pub link: String,
}

/// A known line in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub line: Arc<KnownLine>,
    /// Version that the cluster runs of the product that has a fix.
    pub running: Option<String>,
}

impl KnownLine {
    /// Returns false if the version of the product is known, and this version does not write the line.
    pub fn fits(&self, versions: &BTreeMap<String, String>) -> bool {
        let running = versions.get(&self.product);
        self.versions.as_ref().zip(running).is_none_or(|(range, running)| range.contains(running) != Some(false))
    }

    /// Returns the line beside the versions of a bundle; an empty version is unknown.
    pub fn known(self: &Arc<Self>, versions: &BTreeMap<String, String>) -> Known {
        let running = self.fixed_in.as_ref().and_then(|(product, _)| versions.get(product));
        Known { line: Arc::clone(self), running: running.filter(|version| !version.is_empty()).cloned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_other_versions_is_another_line() {
        let line = Arc::new(KnownLine {
            component: "kubelet".into(),
            product: "kubernetes".into(),
            versions: Some(Range::parse("<1.28").unwrap()),
            benign: false,
            general: false,
            means: "It stopped.".into(),
            look: Some("Check it.".into()),
            fixed_in: Some(("longhorn".into(), "1.6.3".into())),
            link: "https://example.com".into(),
        });
        let of = |product: &str, version: &str| BTreeMap::from([(product.to_owned(), version.to_owned())]);
        assert!(line.fits(&of("kubernetes", "v1.27.3+rke2r1")) && !line.fits(&of("kubernetes", "v1.28.0")));
        assert!(line.fits(&of("kubernetes", "")) && line.fits(&of("longhorn", "9")), "an unknown version may write it");
        assert_eq!(line.known(&of("longhorn", "v1.6.2")).running.as_deref(), Some("v1.6.2"));
        assert_eq!(line.known(&of("longhorn", "")).running, None);
    }
}
