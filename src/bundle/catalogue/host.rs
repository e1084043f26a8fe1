//! Host name of a collection from its own files, which takes precedence over the names around it.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use crate::bundle::bundle::Bundle;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, HostFile};
use crate::bundle::collectors::table::{logical_path, role};
use crate::bundle::path::logical;

/// Bytes to search; the name is on the first lines.
const HEAD: u64 = 64 << 10;

impl Bundle {
    /// Sets the host from the bundle's own files, and the roles of the entries for that name.
    pub(crate) fn with_host(mut self) -> Self {
        let Some(spec) = self.spec else { return self };
        let Some(host) = self.stated_host(spec).filter(|host| self.host.as_ref() != Some(host)) else { return self };
        let of = |old: &Role, path: &str| {
            let logical = logical_path(Some(spec), logical(path), &host);
            (role(Some(spec), &logical, *old == Role::Archive, &host), logical.into())
        };
        self.entries.iter_mut().for_each(|entry| (entry.role, entry.logical) = of(&entry.role, &entry.path));
        self.unreadable.iter_mut().for_each(|file| (file.role, file.logical) = of(&file.role, &file.path));
        // Other collections can contain several nodes.
        if spec.host.by_name.is_some() {
            self.host = Some(host);
        }
        self
    }

    fn stated_host(&self, spec: &CollectorSpec) -> Option<String> {
        let host_file = |path: &str| -> Option<&HostFile> { spec.host.files.iter().find(|file| file.path == path) };
        let stated: Mutex<Vec<(u8, String)>> = Mutex::default();
        // An unreadable file is reported when it is read for its content.
        self.read(&|entry| host_file(&entry.path).is_some(), &|entry, reader| {
            let Some(file) = host_file(&entry.path) else { return };
            let mut head = Vec::new();
            let _ = reader.take(HEAD).read_to_end(&mut head);
            let text = String::from_utf8_lossy(&head);
            if let Some(name) = (file.name_in)(&text).filter(|name| is_host_name(name) && *name != "localhost") {
                stated.lock().unwrap_or_else(PoisonError::into_inner).push((file.rank, name.to_owned()));
            }
        });
        stated.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().min().map(|(_, name)| name)
    }
}

fn is_host_name(name: &str) -> bool {
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    name.len() <= 253 && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(is_sign)
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
    fn files_of_the_host_take_precedence_over_names() {
        let uname = "#==[ Command ]===#\n# /bin/uname -a\nLinux web-1 5.14.21 #1 SMP x86_64\n";
        let found = bundle("scc_other_240306_1015.tgz", &[("basic-environment.txt", uname), ("ntp.txt", "")]);
        assert_eq!(found.host(), Some("web-1"));
        assert!(found.entries().iter().all(|e| e.role == Role::Supportconfig { node: "web-1".into() }));
        let named = bundle("scc_other_240306_1015.tgz", &[("basic-environment.txt", "")]);
        assert_eq!(named.host(), Some("other"));
    }

    #[test]
    fn generic_host_names_are_skipped() {
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
