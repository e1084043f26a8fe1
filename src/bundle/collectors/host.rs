//! The host that a collection of one machine is of: by the names around it, or surer by the file in it that says so.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use super::{rancher, sosreport, supportconfig, windows};
use crate::bundle::collectors::layout::{Layout, placed, role};
use crate::bundle::path::{logical, without_ending};
use crate::bundle::{Bundle, Role};

/// The name stands on the first lines.
const HEAD: u64 = 64 << 10;

/// The host by the folders around a collection, else by the name of its container; none if the layout is not that of
/// one host.
pub(crate) fn by_name(layout: Option<Layout>, prefix: &str, container: &str) -> Option<String> {
    let folder = prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let named = |host_of: Finder| {
        let host = [folder, container].into_iter().find_map(host_of);
        let fallback = if folder.is_empty() { without_ending(container) } else { folder };
        host.unwrap_or(fallback).to_owned()
    };
    match layout? {
        Layout::Rancher | Layout::RancherPods => Some(rancher::host_of(prefix, container)),
        Layout::RancherWindows => Some(windows::host_of(prefix, container)),
        Layout::Supportconfig => Some(named(supportconfig::host_of)),
        Layout::Sosreport => Some(named(sosreport::host_of)),
        _ => None,
    }
}

/// Finds the name of the host in a text.
type Finder = fn(&str) -> Option<&str>;

/// How a file says the name of its host, the surest first.
fn says(layout: Layout, path: &str) -> Option<(u8, Finder)> {
    match (layout, path) {
        (Layout::Supportconfig, "basic-environment.txt") => Some((0, of_uname)),
        (Layout::Sosreport, "sos_commands/host/hostname") => Some((0, of_hostname)),
        (Layout::Sosreport, "hostname" | "sos_commands/general/hostname" | "etc/hostname") => Some((1, of_hostname)),
        (Layout::Sosreport, "sos_commands/kernel/uname_-a") => Some((2, of_uname)),
        (Layout::Node, "hostname" | "configs/etc/hostname" | "hostinfos/hostname") => Some((0, of_hostname)),
        _ => None,
    }
}

/// `Linux HOST 5.14.21-... #1 SMP ...`
fn of_uname(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("Linux ")?.split_whitespace().next())
}

fn of_hostname(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

fn is_name(name: &str) -> bool {
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    name.len() <= 253 && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(is_sign)
}

impl Bundle {
    /// Names the host as its own files do, and gives the entries their roles anew.
    pub(crate) fn with_host(mut self) -> Self {
        let Some(layout) = self.layout else { return self };
        let Some(host) = self.said_host(layout).filter(|host| self.host.as_ref() != Some(host)) else { return self };
        let of = |old: &Role, path: &str| {
            let logical = placed(Some(layout), logical(path), &host);
            (role(Some(layout), &logical, *old == Role::Archive, &host), logical.into())
        };
        self.entries.iter_mut().for_each(|entry| (entry.role, entry.logical) = of(&entry.role, &entry.path));
        self.lost.iter_mut().for_each(|lost| (lost.role, lost.logical) = of(&lost.role, &lost.path));
        // In a folder there may be several nodes.
        if layout != Layout::Node {
            self.host = Some(host);
        }
        self
    }

    fn said_host(&self, layout: Layout) -> Option<String> {
        let said: Mutex<Vec<(u8, String)>> = Mutex::default();
        // What cannot be read here is told when it is read for its content.
        self.read(&|entry| says(layout, &entry.path).is_some(), &|entry, reader| {
            let Some((rank, name_of)) = says(layout, &entry.path) else { return };
            let mut head = Vec::new();
            let _ = reader.take(HEAD).read_to_end(&mut head);
            let text = String::from_utf8_lossy(&head);
            if let Some(name) = name_of(&text).filter(|name| is_name(name) && *name != "localhost") {
                said.lock().unwrap_or_else(PoisonError::into_inner).push((rank, name.to_owned()));
            }
        });
        said.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().min().map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    fn bundle(name: &str, files: &[(&str, &str)]) -> Bundle {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Bundle::from_memory(name, files, Limits::default())
    }

    #[test]
    fn what_the_host_says_itself_counts_more_than_names() {
        let uname = "#==[ Command ]===#\n# /bin/uname -a\nLinux web-1 5.14.21 #1 SMP x86_64\n";
        let found = bundle("scc_other_240306_1015.tgz", &[("basic-environment.txt", uname), ("ntp.txt", "")]);
        assert_eq!(found.host(), Some("web-1"));
        assert!(found.entries().iter().all(|e| e.role == Role::Supportconfig { node: "web-1".into() }));
        let named = bundle("scc_other_240306_1015.tgz", &[("basic-environment.txt", "")]);
        assert_eq!(named.host(), Some("other"));
    }

    #[test]
    fn names_that_name_nobody_are_passed_over() {
        for text in ["Linux localhost 5.14\n", "Linux ../x 5.14\n", "Linux \n", ""] {
            assert_eq!(bundle("scc_n1_240306_1015", &[("basic-environment.txt", text)]).host(), Some("n1"), "{text}");
        }
    }

    #[test]
    fn a_node_without_its_folder_is_named_by_its_file() {
        let found =
            bundle("download.zip", &[("configs/oem/90_custom.yaml", "a: b\n"), ("configs/etc/hostname", "n7\n")]);
        assert!(found.entries().iter().all(|entry| entry.role == Role::NodeFile { node: "n7".into() }));
        assert_eq!(found.host(), None);
    }
}
