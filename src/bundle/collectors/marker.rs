//! Entries that identify collectors: [`Marker`], and the [`Marks`] of a folder.

use std::fmt;

/// Entry that only certain collectors write.
pub struct Marker {
    /// Path of the entry in reports.
    name: &'static str,
    /// Tests the segments of a path from a possible root.
    at_root: fn(&[&str]) -> bool,
    /// Tests the same for a first folder of any name.
    below_any_folder: fn(&[&str]) -> bool,
    is_weak: bool,
}

impl Marker {
    /// Creates a marker at a fixed path below the root.
    pub const fn at_root(name: &'static str, at_root: fn(&[&str]) -> bool) -> Self {
        Self { name, at_root, below_any_folder: |_| false, is_weak: false }
    }

    /// Creates a marker below a folder of any name. It counts only if no marker at the root matches the path.
    pub const fn below_any_folder(name: &'static str, below: fn(&[&str]) -> bool) -> Self {
        Self { name, at_root: |_| false, below_any_folder: below, is_weak: false }
    }

    /// Returns the same marker, also matched below a folder of any name.
    pub const fn or_below_any_folder(self, below: fn(&[&str]) -> bool) -> Self {
        Self { below_any_folder: below, ..self }
    }

    /// Returns the same marker as weak: bundles of other collectors can also contain such an entry.
    pub const fn weak(self) -> Self {
        Self { is_weak: true, ..self }
    }
}

impl fmt::Debug for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Markers found in one folder, each once. A folder has few, so searching a list is faster than a map.
#[derive(Clone, Debug, Default)]
pub struct Marks(Vec<&'static Marker>);

impl Marks {
    /// Returns the markers among `known` that match a path, passed as segments from the possible root.
    pub fn of_path(known: &[&'static Marker], segments: &[&str]) -> Self {
        let at_root: Vec<_> = known.iter().copied().filter(|marker| (marker.at_root)(segments)).collect();
        if !at_root.is_empty() {
            return Self(at_root);
        }
        Self(known.iter().copied().filter(|marker| (marker.below_any_folder)(segments)).collect())
    }

    /// Adds the markers of `other`; returns true if any is new.
    pub fn merge(&mut self, other: &Self) -> bool {
        let before = self.0.len();
        other.0.iter().for_each(|&marker| {
            if !self.has(marker) {
                self.0.push(marker);
            }
        });
        self.0.len() > before
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, marker: &Marker) -> bool {
        self.0.iter().any(|known| std::ptr::eq(*known, marker))
    }

    pub fn any(&self, markers: &[&Marker]) -> bool {
        markers.iter().any(|marker| self.has(marker))
    }

    pub fn all(&self, markers: &[&Marker]) -> bool {
        markers.iter().all(|marker| self.has(marker))
    }

    /// Returns the markers that no bundle of another collector contains.
    pub fn strong(&self) -> Self {
        Self(self.0.iter().copied().filter(|marker| !marker.is_weak).collect())
    }

    /// Returns the markers for reports, in the order of `known`.
    pub fn names(&self, known: impl Iterator<Item = &'static Marker>) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for marker in known.filter(|marker| self.has(marker)) {
            if !names.contains(&marker.name) {
                names.push(marker.name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PODS: Marker = Marker::below_any_folder("<namespace>/pods.json", |path| matches!(path, [_, "pods.json"]));
    static LISTS: Marker = Marker::at_root("lists/", |path| matches!(path, ["lists", ..])).weak();

    fn marks(path: &[&str]) -> Marks {
        Marks::of_path(&[&PODS, &LISTS], path)
    }

    #[test]
    fn a_marker_at_the_root_hides_those_below_any_folder() {
        assert!(marks(&["demo", "pods.json"]).has(&PODS));
        let lists = marks(&["lists", "pods.json"]);
        assert!(lists.has(&LISTS) && !lists.has(&PODS));
        assert!(marks(&["demo", "nodes.json"]).is_empty());
    }

    #[test]
    fn markers_are_kept_once_and_weak_ones_can_be_left_out() {
        let mut all = marks(&["demo", "pods.json"]);
        assert!(all.merge(&marks(&["lists", "x"])) && !all.merge(&marks(&["lists", "y"])));
        assert!(all.all(&[&PODS, &LISTS]) && !all.strong().any(&[&LISTS]));
        assert_eq!(all.names([&LISTS, &PODS, &LISTS].into_iter()), ["lists/", "<namespace>/pods.json"]);
    }
}
