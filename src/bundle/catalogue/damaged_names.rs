//! Damaged names in a damaged archive. Its entries were found without the directory, so one wrong byte in the name of a
//! folder looks like a folder of its own, and often like a bundle of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::collectors::root::Root;
use crate::bundle::containers::listing::{Listing, MemberKind};
use crate::bundle::path::{Name, clean};

/// Maximum number of entries of a folder that is no bundle beside a much larger one.
const HANDFUL: usize = 3;
/// Minimum ratio of the entries of the larger one to these.
const OUTWEIGHS: usize = 10;
/// Maximum number of characters in which a damaged name differs.
const DIFFERENCES: usize = 2;

/// Entry that was renamed.
pub(super) struct Renamed {
    /// Path that the entry has now.
    pub path: String,
    /// Its name in the archive.
    pub name: String,
}

/// Gives entries of a damaged archive that are beside the folder of most others, in one whose name differs by little, a
/// name in that folder. However many they are: a second bundle has files with the same paths as the first (the
/// collector's metadata, the lists of the cluster), and the parts of one bundle have none in common.
pub(super) fn fold(listing: &mut Listing) -> Vec<Renamed> {
    if listing.trouble.is_empty() {
        return Vec::new();
    }
    let files = || listing.members.iter().enumerate().filter(|(_, member)| matches!(member.what, MemberKind::File));
    let paths: Vec<(usize, String)> =
        files().filter_map(|(index, member)| Some((index, path(&member.name)?))).collect();
    let home = home(&paths);
    let (inside, beside): (Vec<_>, Vec<_>) = paths.iter().partition(|(_, path)| path.starts_with(&home));
    let inside: BTreeSet<&str> = inside.into_iter().map(|(_, path)| path.as_str()).collect();
    let mut by_folder: BTreeMap<&str, Vec<(usize, String)>> = BTreeMap::new();
    for (index, path) in beside {
        if let Some((folder, rest)) = resembling(path, &home) {
            by_folder.entry(folder).or_default().push((*index, format!("{home}{rest}")));
        }
    }
    let is_damaged = |group: &Vec<(usize, String)>| {
        group.len() < inside.len() && group.iter().all(|(_, path)| !inside.contains(path.as_str()))
    };
    let damaged: Vec<(usize, String)> = by_folder.into_values().filter(is_damaged).flatten().collect();
    let rename = |(index, path): (usize, String)| {
        let member = listing.members.get_mut(index)?;
        let name = std::mem::replace(&mut member.name, path.clone());
        Some(Renamed { path, name })
    };
    damaged.into_iter().filter_map(rename).collect()
}

/// Removes the bundles of a damaged archive that are nothing beside another one; returns their folders and sizes.
pub(super) fn drop_remnants(roots: &mut Vec<Root>, listing: &Listing) -> Vec<(String, usize)> {
    if listing.trouble.is_empty() || roots.len() < 2 {
        return Vec::new();
    }
    let paths = listing.paths();
    let size = |root: &Root| paths.iter().filter(|path| path.starts_with(&root.prefix)).count();
    let most = roots.iter().map(size).max().unwrap_or(0);
    let is_remnant = |root: &mut Root| is_outweighed(size(root), most);
    roots.extract_if(.., is_remnant).map(|root| (root.prefix.clone(), size(&root))).collect()
}

fn is_outweighed(few: usize, many: usize) -> bool {
    few <= HANDFUL && few * OUTWEIGHS <= many
}

fn path(name: &str) -> Option<String> {
    match clean(name) {
        Name::Path(path, _) => Some(path),
        _ => None,
    }
}

/// Returns the folder with the most entries, with `/` at the end: of the bundles if there are any, else of the first folders.
fn home(paths: &[(usize, String)]) -> String {
    let paths = || paths.iter().map(|(_, path)| path.as_str());
    let mut folders: Vec<String> = Root::find(paths()).into_iter().map(|root| root.prefix).collect();
    if folders.is_empty() {
        let first: BTreeSet<&str> = paths().filter_map(|path| path.split_inclusive('/').next()).collect();
        folders = first.into_iter().filter(|folder| folder.ends_with('/')).map(str::to_owned).collect();
    }
    let size = |folder: &String| paths().filter(|path| path.starts_with(folder.as_str())).count();
    folders.into_iter().max_by_key(size).unwrap_or_default()
}

/// Splits a path after a folder that differs from `home` in a few characters, slashes included.
fn resembling<'p>(path: &'p str, home: &str) -> Option<(&'p str, &'p str)> {
    let length = home.chars().count();
    let end = path.char_indices().nth(length)?.0;
    let (folder, rest) = path.split_at_checked(end)?;
    let differences = folder.chars().zip(home.chars()).filter(|(a, b)| a != b).count();
    (differences <= DIFFERENCES).then_some((folder, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::containers::listing::{Member, Store};
    use crate::model::IssueKind;
    use crate::model::message::ArchiveProblem;

    fn listing(paths: &[String]) -> Listing {
        let member = |name: &String| Member {
            name: name.clone(),
            size: 1,
            crc: None,
            what: MemberKind::File,
            format: None,
            held: None,
            is_cut: false,
        };
        Listing {
            store: Store::Memory,
            members: paths.iter().map(member).collect(),
            stored: None,
            trouble: vec![(IssueKind::Archive, ArchiveProblem::TarWithoutEnd)],
            remarks: Vec::new(),
        }
    }

    fn dumps(folder: &str, count: usize) -> Vec<String> {
        (0..count).map(|n| format!("{folder}/yamls/namespaced/n{n}/v1/pods.yaml")).collect()
    }

    fn renamed(paths: &[String]) -> Vec<String> {
        fold(&mut listing(paths)).into_iter().map(|renamed| format!("{} was {}", renamed.path, renamed.name)).collect()
    }

    #[test]
    fn one_wrong_character_is_folded_into_the_bundle() {
        for wrong in ["suppnrt", "supp/rt", "s\u{e9}pport"] {
            let name = format!("{wrong}/yamls/cluster/v1/nodes.yaml");
            let paths = [dumps("support", 10), vec![name.clone()]].concat();
            assert_eq!(renamed(&paths), [format!("support/yamls/cluster/v1/nodes.yaml was {name}")]);
        }
        let no_slash = "supportoyamls/cluster/v1/nodes.yaml".to_owned();
        assert_eq!(renamed(&[dumps("support", 10), vec![no_slash]].concat()).len(), 1);
        let whole = Listing { trouble: Vec::new(), ..listing(&[dumps("a", 10), dumps("b", 1)].concat()) };
        assert!(fold(&mut { whole }).is_empty());
    }

    #[test]
    fn any_number_of_entries_with_one_wrong_character_is_folded() {
        let whole = dumps("support", 40);
        let damage =
            |(n, path): (usize, &String)| if n % 5 < 2 { path.replacen("supp", "sup`", 1) } else { path.clone() };
        let damaged: Vec<String> = whole.iter().enumerate().map(damage).collect();
        let mut listing = listing(&damaged);
        assert_eq!(fold(&mut listing).len(), 16);
        assert!(listing.paths().iter().eq(&whole));
    }

    #[test]
    fn another_bundle_stays_what_it_is() {
        let first = dumps("host-1", 20);
        assert!(renamed(&[first.clone(), dumps("host-2", 1)].concat()).is_empty(), "the first one has that file");
        assert!(renamed(&[dumps("host-1", 20), dumps("host-2", 19)].concat()).is_empty(), "they have files in common");
        let stranger = vec!["mail-1/yamls/cluster/v1/nodes.yaml".to_owned()];
        assert!(renamed(&[first, stranger].concat()).is_empty());
    }

    #[test]
    fn a_remnant_is_no_bundle() {
        let roots = |paths: &[String]| {
            let listing = listing(paths);
            let mut roots = Root::find(paths.iter().map(String::as_str));
            let dropped = drop_remnants(&mut roots, &listing);
            (roots.into_iter().map(|root| root.prefix).collect::<Vec<_>>(), dropped)
        };
        let (kept, dropped) = roots(&[dumps("host-1", 30), dumps("other", 3)].concat());
        assert_eq!((kept, dropped), (vec!["host-1/".to_owned()], vec![("other/".to_owned(), 3)]));
        let (kept, dropped) = roots(&[dumps("host-1", 29), dumps("other", 3)].concat());
        assert_eq!((kept.len(), dropped.len()), (2, 0));
        assert_eq!(roots(&dumps("host-1", 1)).0.len(), 1);
    }
}
