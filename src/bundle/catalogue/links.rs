//! Links inside an archive: collectors link one log to several paths, and it is read at the target.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::bundle::containers::layer::{ContainerLayer, MemberPlace, ReadRequest};
use crate::bundle::containers::listing::{Listing, MemberKind, Store};
use crate::bundle::path::{Name, clean};
use crate::bundle::read;

/// Maximum length of a chain of links.
const MOST_HOPS: usize = 8;
/// Maximum number of links of a zip whose targets are read.
const MOST_LINKS: usize = 10_000;
/// Maximum length of a target in bytes.
const LONGEST: u64 = 4096;

/// Reads the link targets of a zip, which are stored as content; the zip is the last layer.
pub(crate) fn read_targets(layers: &[ContainerLayer], listing: &mut Listing, disk: &Path) {
    let Some(layer) = layers.len().checked_sub(1) else { return };
    if !layers.last().is_some_and(|layer| matches!(layer.store, Store::Zip(_))) {
        return;
    }
    let unknown = |what: &MemberKind| matches!(what, MemberKind::Link(target) if target.is_empty());
    let links =
        listing.members.iter().enumerate().filter(|(_, member)| unknown(&member.what) && member.size <= LONGEST);
    let requests: Vec<ReadRequest> = links
        .take(MOST_LINKS)
        .map(|(member, link)| ReadRequest { place: MemberPlace { layer, member }, size: link.size, held: None })
        .collect();
    let targets = Mutex::new(Vec::new());
    // An unreadable link is reported as a link without a target.
    let _ = read::run(layers, disk, &requests, &|index, reader| {
        let mut target = Vec::new();
        let _ = reader.read_to_end(&mut target);
        targets.lock().unwrap_or_else(PoisonError::into_inner).push((index, target));
    });
    for (index, target) in targets.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let link = requests.get(index).and_then(|request| listing.members.get_mut(request.place.member));
        if let Some(link) = link {
            link.what = MemberKind::Link(String::from_utf8_lossy(&target).into_owned());
        }
    }
}

/// Files of one container, and its links with their targets, by clean path.
#[derive(Default)]
pub(crate) struct Links<'a> {
    pub files: BTreeSet<&'a str>,
    pub links: BTreeMap<&'a str, &'a str>,
}

impl Links<'_> {
    /// Returns the members that are links to files of the same container.
    pub fn leading_inside(listing: &Listing) -> BTreeSet<usize> {
        if !listing.members.iter().any(|member| matches!(member.what, MemberKind::Link(_))) {
            return BTreeSet::new();
        }
        let path = |name: &str| match clean(name) {
            Name::Path(path, _) => Some(path),
            _ => None,
        };
        let paths: Vec<Option<String>> = listing.members.iter().map(|member| path(&member.name)).collect();
        let mut links = Links::default();
        for (member, path) in listing.members.iter().zip(&paths) {
            match (&member.what, path) {
                (MemberKind::File, Some(path)) => drop(links.files.insert(path)),
                // An unknown target leads nowhere; joined with its folder, it would be that folder.
                (MemberKind::Link(target), Some(path)) if !target.is_empty() => drop(links.links.insert(path, target)),
                _ => {}
            }
        }
        let inside =
            paths.iter().enumerate().filter(|(_, path)| path.as_ref().is_some_and(|path| links.leads_inside(path)));
        inside.map(|(member, _)| member).collect()
    }

    /// Returns true if the link at `path` leads to a file of the same container, or to a folder with files.
    pub fn leads_inside(&self, path: &str) -> bool {
        let mut at = path.to_owned();
        for _ in 0..MOST_HOPS {
            let Some(target) = self.links.get(at.as_str()) else { return false };
            // A symbolic link is relative to its folder, a hard link to the root of the archive.
            let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
            let places = [join(folder, target), join("", target)];
            let mut places = places.into_iter().flatten();
            let Some(next) = places.find(|place| self.holds(place) || self.links.contains_key(place.as_str())) else {
                return false;
            };
            if self.holds(&next) {
                return true;
            }
            at = next;
        }
        false
    }

    fn holds(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.contains(path)
            || self.files.range(folder.as_str()..).next().is_some_and(|file| file.starts_with(&folder))
    }
}

/// Resolves `target` in `folder`; returns none if it is absolute or leads out.
fn join(folder: &str, target: &str) -> Option<String> {
    if target.starts_with(['/', '\\']) {
        return None;
    }
    let mut path: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in target.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => drop(path.pop()?),
            segment => path.push(segment),
        }
    }
    (!path.is_empty()).then(|| path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::containers::listing::Member;

    #[test]
    fn targets_are_found_in_the_same_container() {
        let listing = |target: &str| Listing {
            store: Store::Memory,
            members: [("t/a.log", MemberKind::File), ("t/b.log", MemberKind::Link(target.to_owned()))]
                .map(|(name, what)| Member {
                    name: name.into(),
                    size: 1,
                    crc: None,
                    what,
                    format: None,
                    held: None,
                    is_cut: false,
                })
                .into(),
            stored: None,
            trouble: Vec::new(),
            remarks: Vec::new(),
        };
        assert_eq!(Links::leading_inside(&listing("a.log")).len(), 1);
        assert_eq!(Links::leading_inside(&listing("")).len(), 0, "a target that could not be read leads nowhere");
        let links = Links {
            files: ["t/cluster-resources/pods/logs/a/p/c.log", "t/x.log"].into(),
            links: [
                ("t/collector/p/c.log", "../../cluster-resources/pods/logs/a/p/c.log"),
                ("t/collector/folder", "../cluster-resources/pods/logs"),
                ("t/hard.log", "t/x.log"),
                ("t/chain", "./hard.log"),
                ("t/out.log", "../../x.log"),
                ("t/absolute.log", "/t/x.log"),
                ("t/gone.log", "y.log"),
                ("t/loop", "loop"),
                ("t/prefix", "x.lo"),
            ]
            .into(),
        };
        for path in ["t/collector/p/c.log", "t/collector/folder", "t/hard.log", "t/chain"] {
            assert!(links.leads_inside(path), "{path}");
        }
        for path in ["t/out.log", "t/absolute.log", "t/gone.log", "t/loop", "t/prefix", "t/x.log"] {
            assert!(!links.leads_inside(path), "{path}");
        }
    }
}
