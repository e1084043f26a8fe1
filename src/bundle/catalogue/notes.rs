//! Issues found during listing, limited: a hostile archive can have a million invalid names.

use std::collections::BTreeMap;

use crate::bundle::path::printable;
use crate::model::message::{ArchiveProblem, NameProblem};
use crate::model::{Issue, IssueKind, Origin};

/// Maximum number of issues of one sort that are reported individually.
const EACH: u64 = 100;

/// Sort of issue that can occur many times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    Name,
    Duplicate,
    Link,
    /// Link between files of the kernel's own file systems.
    KernelLink,
    Special,
    Encrypted,
    Method,
    Refused,
    Nested,
    Container,
}

impl Sort {
    fn kind(self) -> IssueKind {
        match self {
            Self::Name | Self::Duplicate | Self::Link | Self::KernelLink | Self::Special => IssueKind::Path,
            Self::Encrypted | Self::Method | Self::Nested | Self::Container => IssueKind::Archive,
            Self::Refused => IssueKind::Limit,
        }
    }

    /// Returns the maximum number of issues that are reported individually; nobody misses what the kernel links to.
    fn each(self) -> u64 {
        if self == Self::KernelLink { 0 } else { EACH }
    }

    /// Returns the message for issues that are not reported individually.
    fn more(self, count: u64) -> ArchiveProblem {
        match self {
            Self::Name => ArchiveProblem::MoreNames { count },
            Self::Duplicate => ArchiveProblem::MoreDuplicates { count },
            Self::Link => ArchiveProblem::MoreLinks { count },
            Self::KernelLink => ArchiveProblem::KernelLinks { count },
            Self::Special => ArchiveProblem::MoreSpecial { count },
            Self::Encrypted => ArchiveProblem::MoreEncrypted { count },
            Self::Method => ArchiveProblem::MoreMethods { count },
            Self::Refused => ArchiveProblem::MoreRefused { count },
            Self::Nested => ArchiveProblem::MoreNested { count },
            Self::Container => ArchiveProblem::MoreFaults { count },
        }
    }
}

/// Issues found so far.
#[derive(Default)]
pub(crate) struct Notes {
    issues: Vec<Issue>,
    counts: BTreeMap<Sort, u64>,
}

impl Notes {
    /// Adds an issue of an entry whose path is valid.
    pub fn entry(&mut self, sort: Sort, path: &str, problem: ArchiveProblem) {
        self.push(sort, Issue::at(Origin::entry(path), sort.kind(), problem));
    }

    /// Adds an issue of a name that cannot be a path; the name is shown escaped.
    pub fn name(&mut self, name: &str, problem: NameProblem) {
        let problem = ArchiveProblem::NotAPath { name: printable(name), problem };
        self.push(Sort::Name, Issue::general(Sort::Name.kind(), problem));
    }

    /// Adds an issue of a container; `path` is empty for the outermost.
    pub fn container(&mut self, kind: IssueKind, path: &str, problem: ArchiveProblem) {
        let issue =
            if path.is_empty() { Issue::general(kind, problem) } else { Issue::at(Origin::entry(path), kind, problem) };
        self.push(Sort::Container, issue);
    }

    fn push(&mut self, sort: Sort, issue: Issue) {
        let count = self.counts.entry(sort).or_insert(0);
        *count += 1;
        if *count <= sort.each() {
            self.issues.push(issue);
        }
    }

    /// Adds the issues of another part.
    pub fn extend(&mut self, other: Self) {
        self.issues.extend(other.issues);
        for (sort, count) in other.counts {
            *self.counts.entry(sort).or_insert(0) += count;
        }
    }

    /// Returns the number of issues of a sort.
    pub fn count(&self, sort: Sort) -> u64 {
        self.counts.get(&sort).copied().unwrap_or(0)
    }

    /// Returns all issues, sorted, with totals for those beyond the maximum.
    pub fn finish(mut self) -> Vec<Issue> {
        let left_out = self.counts.iter().filter(|(sort, count)| **count > sort.each());
        let sums = left_out.map(|(sort, count)| Issue::general(sort.kind(), sort.more(count - sort.each())));
        self.issues.extend(sums.collect::<Vec<_>>());
        self.issues.sort();
        self.issues.dedup();
        self.issues
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_of_a_sort_become_a_sum() {
        let mut notes = Notes::default();
        for n in 0..250 {
            notes.name(&format!("../{n}"), NameProblem::LeadsOut);
        }
        notes.entry(Sort::Link, "a/b", ArchiveProblem::Link);
        notes.entry(Sort::KernelLink, "sys/a", ArchiveProblem::Link);
        notes.entry(Sort::KernelLink, "sys/b", ArchiveProblem::Link);
        let issues = notes.finish();
        assert_eq!(issues.len(), 103);
        assert!(issues.iter().any(|issue| issue.message == "2 links below sys/ and proc/, which lead to no file here"));
        assert!(issues.iter().any(|issue| issue.message == "150 more entries with unsafe names"));
        assert!(issues.iter().all(|issue| issue.kind == IssueKind::Path));
    }
}
