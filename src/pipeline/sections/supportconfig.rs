//! The sections of supportconfig's texts:
//!
//! ```text
//! #==[ Command ]======================================#
//! # /bin/df -h
//! Filesystem      Size  Used Avail Use% Mounted on
//! ```
//!
//! A command's section has the name that sosreport gives the command's file (`df_-h`), a file's section has its path.
//! Commands that could not run and files that do not exist have no section.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::section::{self, Line, MOST_SECTIONS, Section, SplitText};
use crate::bundle::Role;
use crate::log::is_note;

const NO_COMMAND: &str = "ERROR: Command not found or not executable";
const TIMED_OUT: &str = "# ERROR: Command did not complete within the timeout period.";
const NO_TEXT: &str = "ERROR: Not a normal text file, excluding it.";
const NO_FILE: &str = " - File not found";
/// Limit for all descriptions in one text, in bytes.
const MOST_DESCRIPTION: usize = 64 << 10;

/// Splitter of one text.
pub(super) struct Splitter<'e> {
    /// Path of the text without archive layers.
    logical: &'e str,
    node: &'e str,
    /// True if the text describes the whole collection.
    describes: bool,
    found: SplitText,
    /// The kind in the heading above this line.
    headed: Option<String>,
    open: Option<Open>,
    /// Number of sections with each name.
    names: BTreeMap<String, u32>,
}

/// A section whose end is not known yet.
struct Open {
    section: Section,
    /// True if the section reports that its file or command does not exist on the host.
    missing: bool,
    /// True until a line is not empty.
    fresh: bool,
    /// Its lines that describe the collection, if any.
    tells: Option<Tells>,
}

/// Lines of a section that describe the collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tells {
    All,
    /// Only lines about Kubernetes distributions, out of all packages.
    Packages,
}

impl<'e> Splitter<'e> {
    pub fn new(logical: &'e str, node: &'e str, describes: bool) -> Self {
        Self { logical, node, describes, found: SplitText::default(), headed: None, open: None, names: BTreeMap::new() }
    }

    fn file(&self) -> &'e str {
        self.logical.rsplit('/').next().unwrap_or_default()
    }

    fn open(&mut self, kind: &str, title: &str, line: u64, start: u64) {
        let Some((name, role)) = self.named(kind, title) else { return };
        let times = self.names.entry(name.clone()).or_default();
        let name = if *times == 0 { name } else { format!("{name}.{times}") };
        *times += 1;
        if self.found.sections.len() >= MOST_SECTIONS {
            self.found.dropped = true;
            return;
        }
        let logical = Arc::from(format!("{}/{name}", self.logical));
        let tells = self.describes.then(|| tells(self.file(), &name)).flatten();
        let section =
            Section { name, logical, role, line, start, length: 0, lines: 0, has_no_entries: true, error: None };
        self.open = Some(Open { section, missing: false, fresh: true, tells });
    }

    /// Returns the name and role of a section; none if its title states that there is no content.
    fn named(&self, kind: &str, title: &str) -> Option<(String, Role)> {
        let file = || Role::NodeFile { node: self.node.to_owned() };
        let log = |unit: &str| Role::NodeLog { node: self.node.to_owned(), unit: unit.to_owned(), generation: 0 };
        if title.ends_with(NO_FILE) {
            return None;
        }
        let last = title.rfind(" - Last ").and_then(|at| title.get(..at)).unwrap_or(title);
        Some(match kind {
            "Log File" if last.starts_with('/') && !last.contains(' ') => (path(last)?, log(&unit_of(last))),
            "Configuration File" if title.starts_with('/') => {
                let as_log = title.strip_prefix("/var/log/").map(|_| log(&unit_of(title)));
                (path(title)?, as_log.unwrap_or_else(file))
            }
            "Command" => {
                let name = command(title);
                let role = journal(&name, self.file()).map_or_else(file, log);
                (name, role)
            }
            _ => (command(title), file()),
        })
        .filter(|(name, _)| !name.is_empty())
    }

    /// Ends the open section before that byte and that line.
    fn close(&mut self, end: u64, line: u64) {
        let Some(mut open) = self.open.take() else { return };
        open.section.length = end.saturating_sub(open.section.start);
        open.section.lines = line.saturating_sub(open.section.line);
        if !open.missing {
            self.found.sections.push(open.section);
        }
    }

    fn content(&mut self, line: &Line<'_>) {
        let Some(open) = &mut self.open else { return };
        let text = line.text.trim_end();
        open.section.has_no_entries &= text.is_empty() || is_note(text.as_bytes());
        if text == TIMED_OUT {
            open.section.error = Some("Command did not complete within the timeout period".to_owned());
        }
        if open.fresh && !text.is_empty() {
            open.fresh = false;
            open.missing = text == NO_COMMAND;
        }
        if text == NO_TEXT {
            open.section.error = Some("Not a normal text file".to_owned());
        }
        let told = match open.tells {
            Some(Tells::All) => !text.is_empty(),
            Some(Tells::Packages) => ["rke2-server ", "rke2-agent ", "k3s "].iter().any(|name| text.starts_with(name)),
            None => false,
        };
        if told && self.found.description.len() + text.len() < MOST_DESCRIPTION {
            self.found.description.push_str(text);
            self.found.description.push('\n');
        }
    }
}

impl section::Splitter for Splitter<'_> {
    fn line(&mut self, line: &Line<'_>) {
        if let Some(kind) = heading(line.text) {
            self.close(line.start, line.number);
            self.headed = Some(kind.to_owned());
        } else if let Some(kind) = self.headed.take() {
            match line.text.strip_prefix("# ") {
                Some(title) => self.open(&kind, title.trim(), line.number + 1, line.end),
                None => {
                    self.open("", &kind, line.number, line.start);
                    self.content(line);
                }
            }
        } else {
            self.content(line);
        }
    }

    fn finish(mut self: Box<Self>, end: u64, line: u64) -> SplitText {
        self.close(end, line);
        self.found
    }
}

/// Returns the kind of section in `#==[ Command ]=====#`.
fn heading(line: &str) -> Option<&str> {
    let (kind, rest) = line.trim_end().strip_prefix("#==[ ")?.split_once(" ]=")?;
    let is_rule = rest.strip_suffix('#').is_some_and(|rule| rule.bytes().all(|b| b == b'='));
    (is_rule && !kind.is_empty()).then_some(kind)
}

/// Returns a path without its leading slash; none if one of its parts is empty, `.` or `..`.
fn path(text: &str) -> Option<String> {
    let path = text.trim_start_matches('/');
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(is_plain).then(|| path.to_owned())
}

/// Returns the name that sosreport gives the file of a command: without the program's folder, with dots for slashes,
/// and one underscore for other characters than letters, digits, dashes and dots.
fn command(line: &str) -> String {
    const FOLDERS: [&str; 4] = ["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"];
    let bare = FOLDERS.iter().find_map(|folder| line.strip_prefix(folder)).unwrap_or(line);
    let mut name = String::with_capacity(bare.len());
    for sign in bare.chars() {
        match sign {
            '/' => name.push('.'),
            sign if sign.is_alphanumeric() || "-._".contains(sign) => name.push(sign),
            _ if !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    name.trim_matches([' ', '.', '_', '-']).to_owned()
}

/// Returns the unit of a command that prints a log, from the name of its section.
fn journal<'n>(name: &'n str, file: &str) -> Option<&'n str> {
    if matches!(name, "dmesg" | "dmesg_-T") {
        return Some("dmesg");
    }
    let words: Vec<&str> = name.strip_prefix("journalctl")?.split('_').filter(|word| !word.is_empty()).collect();
    let of_unit = words.iter().position(|word| matches!(*word, "-u" | "--unit")).and_then(|at| words.get(at + 1));
    if let Some(unit) = of_unit {
        return Some(unit.strip_suffix(".service").unwrap_or(unit));
    }
    let lists = words.iter().any(|word| matches!(*word, "--disk-usage" | "--list-boot" | "--list-boots" | "grep"));
    match words.contains(&"--boot") || words.contains(&"-b") {
        _ if lists => None,
        true => Some("boot"),
        false => Some(if file == "messages.txt" { "messages" } else { "journal" }),
    }
}

/// Returns the unit of a log from its path: `/var/log/messages`, `/var/log/zypper.log`. The console output of the boot
/// is not the journal since boot.
fn unit_of(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".log").filter(|stem| !matches!(*stem, "" | "boot")).unwrap_or(file).to_owned()
}

fn tells(file: &str, name: &str) -> Option<Tells> {
    match (file, name) {
        ("basic-environment.txt", "date" | "uname_-a" | "etc/os-release" | "etc/harvester-release.yaml") => {
            Some(Tells::All)
        }
        ("rpm.txt", name) if name.starts_with("rpm_-qa_--queryformat_-35") => Some(Tells::Packages),
        (file, _) if file.starts_with("plugin-harvester") => Some(Tells::All),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(file: &str, text: &str) -> SplitText {
        super::super::split(Box::new(Splitter::new(file, "n1", true)), &mut text.as_bytes())
    }

    fn section(kind: &str, title: &str, content: &str) -> String {
        format!("#==[ {kind} ]======================================#\n# {title}\n{content}\n")
    }

    /// Returns name, unit, first line and content of each section.
    fn shown(file: &str, text: &str) -> Vec<(String, String, u64, String)> {
        let show = |s: Section| {
            let unit = match &s.role {
                Role::NodeLog { unit, .. } => unit.clone(),
                _ => String::new(),
            };
            let content = text[s.start as usize..(s.start + s.length) as usize].to_owned();
            let name = s.logical.strip_prefix(file).unwrap().trim_start_matches('/').to_owned();
            (name, unit, s.line, content)
        };
        split(file, text).sections.into_iter().map(show).collect()
    }

    #[test]
    fn sections_have_names_lines_and_content() {
        let text = section("Command", "/bin/df -h", "Filesystem\n# no heading\n")
            + &section("Configuration File", "/etc/os-release", "ID=sles\n")
            + "#==[ Checking Health of Processes ]=================#\nnone\n";
        let owned = |name: &str, line, content: &str| (name.to_owned(), String::new(), line, content.to_owned());
        assert_eq!(
            shown("basic-health-check.txt", &text),
            [
                owned("df_-h", 3, "Filesystem\n# no heading\n\n"),
                owned("etc/os-release", 8, "ID=sles\n\n"),
                owned("Checking_Health_of_Processes", 11, "none\n"),
            ]
        );
    }

    #[test]
    fn logs_have_the_names_of_units() {
        for (file, kind, title, unit) in [
            ("messages.txt", "Log File", "/var/log/messages", "messages"),
            ("messages.txt", "Log File", "/var/log/messages - Last 200000 Lines", "messages"),
            ("messages.txt", "Command", "/usr/bin/journalctl --no-pager --output=short-iso --lines 200000", "messages"),
            ("messages_localwarn.txt", "Log File", "/var/log/warn - Last 500 Lines", "warn"),
            ("boot.txt", "Command", "/usr/bin/journalctl --no-pager --boot 0", "boot"),
            ("boot.txt", "Command", "/usr/bin/dmesg -T", "dmesg"),
            ("boot.txt", "Command", "/usr/bin/dmesg", "dmesg"),
            ("plugin-x.txt", "Command", "/usr/bin/journalctl -u rke2-server.service", "rke2-server"),
            ("boot.txt", "Configuration File", "/var/log/boot.log", "boot.log"),
            ("y2log.txt", "Log File", "/var/log/YaST2/y2log - Last 500 Lines", "y2log"),
            ("boot.txt", "Command", "/usr/bin/journalctl --no-pager --disk-usage", ""),
            ("basic-health-check.txt", "Command", "/usr/bin/dmesg -T | grep taint", ""),
            ("updates.txt", "Log File", "grep -i x /var/log/messages - Last 500 Lines", ""),
        ] {
            let found = shown(file, &section(kind, title, "x\n"));
            assert_eq!(found[0].1, unit, "{title}");
        }
    }

    #[test]
    fn missing_files_are_no_sections() {
        let text = section("Command", "chronyc tracking", "ERROR: Command not found or not executable\n")
            + "#==[ Configuration File ]===#\n# /etc/chrony.conf - File not found\n\n"
            + &section("Configuration File", "/etc/../x", "x\n")
            + &section("Command", "df -h", "\n\n# ERROR: Command did not complete within the timeout period.\n");
        let found = split("ntp.txt", &text).sections;
        let names: Vec<_> = found.iter().map(|s| (&*s.logical, s.error.is_some())).collect();
        assert_eq!(names, [("ntp.txt/df_-h", true)]);
    }

    #[test]
    fn a_name_that_comes_again_is_numbered() {
        let text = section("Command", "date", "a\n") + &section("Command", "/bin/date", "b\n");
        let names: Vec<_> = shown("x.txt", &text).into_iter().map(|found| found.0).collect();
        assert_eq!(names, ["date", "date.1"]);
    }

    #[test]
    fn the_collection_is_described() {
        let text = section("Command", "/bin/date", "Wed Mar  6 10:15:30 UTC 2024\n") + &section("Command", "x", "y\n");
        assert_eq!(split("a/basic-environment.txt", &text).description, "Wed Mar  6 10:15:30 UTC 2024\n");
        let format = "rpm -qa --queryformat \"%-35{NAME} %-35{DISTRIBUTION} %{VERSION}-%{RELEASE}\\n\" | sort";
        let packages = section("Command", format, "bash   SLE  5\nrke2-server  SUSE  1.28.9~rke2r1-0\n");
        assert_eq!(split("rpm.txt", &packages).description, "rke2-server  SUSE  1.28.9~rke2r1-0\n");
    }

    #[test]
    fn sections_are_bounded() {
        let found = split("x.txt", &section("Command", "date", "").repeat(MOST_SECTIONS + 5));
        assert_eq!((found.sections.len(), found.dropped), (MOST_SECTIONS, true));
    }
}
