//! Programs that wrote lines of a log of all programs of a host: `Mar 06 22:45:28 n1 k3s[812]: text`.

use std::collections::BTreeSet;

use memchr::memmem::Finder;

/// Programs that are looked for in one source, each up to its first line.
#[derive(Debug, Default)]
pub(super) struct Programs {
    wanted: Vec<(String, Finder<'static>)>,
    pub found: BTreeSet<String>,
}

impl Programs {
    pub fn of(names: BTreeSet<&str>) -> Self {
        let finder = |name: &str| (name.to_owned(), Finder::new(&format!(" {name}")).into_owned());
        Self { wanted: names.into_iter().map(finder).collect(), found: BTreeSet::new() }
    }

    /// Looks through further lines.
    pub fn look(&mut self, lines: &[u8]) {
        let found = &mut self.found;
        self.wanted.retain(|(name, finder)| {
            let is_program = |at: usize| matches!(lines.get(at + 1 + name.len()), Some(b'[' | b':'));
            let wrote = finder.find_iter(lines).any(is_program);
            found.extend(wrote.then(|| name.clone()));
            !wrote
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_first_line() {
        let mut programs = Programs::of(BTreeSet::from(["k3s", "rke2", "iscsid"]));
        programs.look(
            b"Mar 06 22:45:28 n1 systemd[1]: Started k3s server, k3s-agent[2]: no\nMar 06 22:45:28 n1 rke2[7]: up\n",
        );
        programs.look(b"Mar 06 22:45:29 n1 iscsid: up\n");
        assert_eq!(programs.found, BTreeSet::from(["iscsid".to_owned(), "rke2".to_owned()]));
    }
}
