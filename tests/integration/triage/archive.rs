//! Makes archives of tickets: bundles of all kinds as zip, tar.gz and folders, some damaged, some copies of others.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::harness::{Answer, gleaner_in, tar_gz, zip};
use crate::kinds::places::cases;

/// True if a pod is one of those in the bundles of [`Archive::of`].
pub const IS_WEB: &str = "pod.metadata.name.startsWith('web')";

/// Returns a rule that finds the pods for which a condition is true.
pub fn rule_about_pods(id: &str, title: &str, condition: &str) -> String {
    format!(
        "id: {id}\ntitle: {title}\nseverity: high\nconfidence: certain\narea: workload\nfind:\n  pod:\n    resource: pods\n    \
         where: {condition}\nmessage: It is.\nimpact: None.\ncause: Its own.\nremedy:\n  - do: Look at its log.\n"
    )
}

/// An archive and a place for stores.
pub struct Archive {
    pub folder: TempDir,
}

impl Archive {
    /// Makes an archive with that many tickets; of 100, about 3 are damaged and 5 are copies.
    pub fn of(tickets: usize) -> Self {
        let archive = Self::empty();
        let cases = cases();
        let mut made: Vec<PathBuf> = Vec::new();
        for number in 0..tickets {
            let case = &cases[number % cases.len()];
            let ticket = archive.tickets().join(format!("{}/{number:03}", 2020 + number % 5));
            fs::create_dir_all(&ticket).unwrap();
            if number % 20 == 19 {
                fs::copy(&made[number / 2], ticket.join(made[number / 2].file_name().unwrap())).unwrap();
                continue;
            }
            let mut files = case.files.clone();
            files.push((format!("ticket-{number}.md"), b"something of its own\n".to_vec()));
            if number % 10 == 7 {
                unpack(&ticket.join(&case.name), &files);
                continue;
            }
            let path = ticket.join(format!("{}.{}", case.name, if number % 3 == 0 { "tar.gz" } else { "zip" }));
            let pack = if number % 3 == 0 { tar_gz } else { zip };
            pack(&path, &case.name, &files);
            if number % 33 == 16 {
                let bytes = fs::read(&path).unwrap();
                fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
            }
            made.push(path);
        }
        archive
    }

    /// Without a ticket.
    pub fn empty() -> Self {
        let archive = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(archive.tickets()).unwrap();
        archive
    }

    pub fn tickets(&self) -> PathBuf {
        self.path("tickets")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file below the tickets.
    pub fn put(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.tickets().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Packs the bundle of a kind as a zip below the tickets.
    pub fn put_bundle(&self, path: &str, kind: &str) -> PathBuf {
        let path = self.put(path, b"");
        let case = cases().into_iter().find(|case| case.kind == kind).unwrap();
        zip(&path, &case.name, &case.files);
        path
    }

    /// Runs gleaner in the folder of the tickets.
    pub fn gleaner(&self, args: &[&str]) -> Answer {
        gleaner_in(self.folder.path(), args)
    }

    /// Analyses the tickets into a store and gives the summary; fails unless the program ends with 0.
    pub fn triage(&self, store: &str, more: &[&str]) -> String {
        let args = ["triage", "tickets", "--store", store];
        let answer = self.gleaner(&args.iter().chain(more).copied().collect::<Vec<_>>());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer.stdout
    }
}

/// Writes files below a folder.
pub fn unpack(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
