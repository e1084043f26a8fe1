//! The sections of a file of logs of several containers, as `kubectl cluster-info dump` writes them:
//!
//! ```text
//! ==== START logs for container c of pod ns/pod ====
//! ...
//! ==== END logs for container c of pod ns/pod ====
//! ```
//!
//! Logs are copied byte by byte, so the last heading can follow an unfinished line directly. If a log was not
//! collected, the file has a line `Request log error: ...` instead.

use std::io::Read;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem};

use super::section::{MOST_SECTIONS, Section, SplitText};
use crate::bundle::Role;

const MARK: &[u8] = b"==== ";
const NO_LOG: &[u8] = b"Request log error:";
/// Bytes examined from the beginning of a heading; the names in one have at most 600.
const AHEAD: usize = 2048;
const CHUNK: u64 = 256 << 10;
/// Finds the sections in one pass; damage ends it early. `logical` is the path of the file without archive layers.
pub(super) fn find(logical: &Arc<str>, input: &mut dyn Read) -> SplitText {
    let mut finder = Finder { logical, found: SplitText::default(), open: None, at: 0, line: 1, previous: b'\n' };
    let mut buffer = Vec::new();
    loop {
        let read = Read::take(&mut *input, CHUNK).read_to_end(&mut buffer);
        let last = !matches!(read, Ok(read) if read as u64 == CHUNK);
        let used = finder.chunk(&buffer, last);
        buffer.drain(..used);
        if last {
            return finder.finish();
        }
    }
}

/// Returns true if a file of any name may be the output of `kubectl cluster-info dump`, which begins with the nodes.
pub(super) fn is_dump(head: &[u8]) -> bool {
    // Zeros: PowerShell writes UTF-16.
    let solid: Vec<u8> =
        head.iter().copied().filter(|byte| *byte != 0 && !byte.is_ascii_whitespace()).take(64).collect();
    memmem::find(&solid, br#"{"kind":"NodeList""#).is_some_and(|at| at <= 3)
}

struct Finder<'p> {
    logical: &'p Arc<str>,
    found: SplitText,
    open: Option<Section>,
    /// Offset, line and last byte passed.
    at: u64,
    line: u64,
    previous: u8,
}

/// A heading.
struct Heading<'t> {
    begins: bool,
    container: &'t str,
    namespace: &'t str,
    pod: &'t str,
    /// Its bytes, with the line end.
    length: usize,
}

impl Finder<'_> {
    /// Scans bytes; returns how many of them are done.
    fn chunk(&mut self, bytes: &[u8], last: bool) -> usize {
        let mut used = 0;
        while let Some(found) = bytes.get(used..).and_then(|rest| memmem::find(rest, MARK)) {
            if !last && bytes.len() - (used + found) < AHEAD {
                return used + self.pass(bytes, used, used + found);
            }
            used += self.pass(bytes, used, used + found);
            let rest = bytes.get(used..).unwrap_or_default();
            let length = match Heading::read(rest) {
                Some(heading) if self.is_one(&heading) => {
                    self.take(&heading, rest);
                    heading.length
                }
                _ => MARK.len(),
            };
            used += self.pass(bytes, used, used + length);
        }
        let end = if last { bytes.len() } else { bytes.len().saturating_sub(MARK.len() - 1).max(used) };
        used + self.pass(bytes, used, end)
    }

    /// Passes the bytes in `from..to`; returns their number.
    fn pass(&mut self, bytes: &[u8], from: usize, to: usize) -> usize {
        let passed = bytes.get(from..to).unwrap_or_default();
        self.line += memchr_iter(b'\n', passed).count() as u64;
        self.previous = passed.last().copied().unwrap_or(self.previous);
        self.at += passed.len() as u64;
        passed.len()
    }

    /// Returns true if the heading counts: a log begins on its own line, and its end names the container of its
    /// beginning.
    fn is_one(&self, heading: &Heading<'_>) -> bool {
        let same = |open: &Section| open.name == heading.name();
        if heading.begins { self.previous == b'\n' } else { self.open.as_ref().is_some_and(same) }
    }

    fn take(&mut self, heading: &Heading<'_>, rest: &[u8]) {
        self.close();
        if heading.begins {
            let log = rest.get(heading.length..).unwrap_or_default();
            self.open = Some(Section {
                name: heading.name(),
                logical: Arc::clone(self.logical),
                role: heading.role(),
                start: self.at + heading.length as u64,
                length: 0,
                line: self.line + 1,
                lines: 0,
                has_no_entries: false,
                error: error_in(log),
            });
        }
    }

    /// Ends the open section.
    fn close(&mut self) {
        let Some(mut section) = self.open.take() else { return };
        section.length = self.at.saturating_sub(section.start);
        section.lines = self.line.saturating_sub(section.line);
        if self.found.sections.len() < MOST_SECTIONS {
            self.found.sections.push(section);
        } else {
            self.found.dropped = true;
        }
    }

    fn finish(mut self) -> SplitText {
        self.close();
        self.found
    }
}

impl<'t> Heading<'t> {
    /// Reads a heading at the beginning of the bytes.
    fn read(bytes: &'t [u8]) -> Option<Self> {
        let ahead = bytes.get(..AHEAD).unwrap_or(bytes);
        let end = memchr(b'\n', ahead);
        let line = std::str::from_utf8(ahead.get(..end.unwrap_or(ahead.len()))?).ok()?;
        let rest = line.strip_prefix("==== ")?.trim_end().strip_suffix(" ====")?;
        let (word, rest) = rest.split_once(" logs for container ")?;
        let begins = match word {
            "START" => true,
            "END" => false,
            _ => return None,
        };
        let (container, pod) = rest.split_once(" of pod ")?;
        let (namespace, pod) = pod.split_once('/')?;
        let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '/']);
        let named = [container, namespace, pod].into_iter().all(is_name);
        named.then_some(Self { begins, container, namespace, pod, length: line.len() + usize::from(end.is_some()) })
    }

    /// Returns a name that is unique for each container.
    fn name(&self) -> String {
        format!("{}/{}/{}", self.namespace, self.pod, self.container)
    }

    fn role(&self) -> Role {
        Role::PodLog {
            namespace: self.namespace.to_owned(),
            pod: self.pod.to_owned(),
            container: self.container.to_owned(),
            previous: false,
        }
    }
}

fn error_in(log: &[u8]) -> Option<String> {
    log.starts_with(NO_LOG).then(|| {
        let line = log.split(|byte| *byte == b'\n').next().unwrap_or_default();
        String::from_utf8_lossy(line).trim().chars().take(200).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(word: &str, container: &str, pod: &str) -> String {
        format!("==== {word} logs for container {container} of pod {pod} ====")
    }

    fn sections(text: &str) -> SplitText {
        find(&Arc::from("a/logs.txt"), &mut text.as_bytes())
    }

    /// Container, line and text of each section.
    fn found(text: &str) -> Vec<(String, u64, String)> {
        let shown = |s: Section| {
            let log = text[s.start as usize..(s.start + s.length) as usize].to_owned();
            assert_eq!(s.lines, log.matches('\n').count() as u64);
            assert_eq!(s.line, 1 + text[..s.start as usize].matches('\n').count() as u64);
            (s.name, s.line, log)
        };
        sections(text).sections.into_iter().map(shown).collect()
    }

    #[test]
    fn each_container_has_its_lines() {
        let (a, b) = (heading("START", "init", "shop/web-0"), heading("END", "init", "shop/web-0"));
        let (c, d) = (heading("START", "web", "shop/web-0"), heading("END", "web", "shop/web-0"));
        let text = format!("{a}\none\ntwo{b}\r\n{c}\r\n{d}\n");
        let owned = |name: &str, line, text: &str| (name.to_owned(), line, text.to_owned());
        assert_eq!(found(&text), [owned("shop/web-0/init", 2, "one\ntwo"), owned("shop/web-0/web", 5, "")]);
    }

    #[test]
    fn only_the_own_heading_ends_a_log() {
        let (start, end) = (heading("START", "a", "n/p"), heading("END", "a", "n/p"));
        let other = heading("END", "b", "n/p");
        let text = format!("{start}\nsaid: {start}\n{other}\n==== x\n{end}\nbehind\n");
        assert_eq!(found(&text)[0].2, format!("said: {start}\n{other}\n==== x\n"));
        assert_eq!(found(&text).len(), 1);
        let cut = format!("{start}\nx\n{}\ny\n", heading("START", "b", "n/p"));
        assert_eq!(found(&cut).iter().map(|s| s.2.as_str()).collect::<Vec<_>>(), ["x\n", "y\n"]);
        assert_eq!(found(&format!("{end}\n==== START logs for container a of pod p ====\n")), []);
    }

    #[test]
    fn sections_across_chunks_are_found() {
        let (start, end) = (heading("START", "a", "n/p"), heading("END", "a", "n/p"));
        for length in [CHUNK as usize - 60, CHUNK as usize - 3, CHUNK as usize * 2 + 17] {
            let log = "x".repeat(length) + "\n";
            let text = format!("{start}\n{log}{end}\n{start}\n{log}{end}\n");
            let logs: Vec<_> = found(&text).into_iter().map(|(_, line, text)| (line, text.len())).collect();
            assert_eq!(logs, [(2, length + 1), (5, length + 1)]);
        }
    }

    #[test]
    fn a_dump_is_known_by_its_beginning() {
        assert!(is_dump(b"{\r\n    \"kind\": \"NodeList\",\r\n"));
        assert!(is_dump(b"\xff\xfe{\0\n\0\"\0k\0i\0n\0d\0\"\0:\0 \0\"\0N\0o\0d\0e\0L\0i\0s\0t\0\"\0,\0"));
        assert!(!is_dump(b"{\"kind\": \"List\", \"of\": {\"kind\":\"NodeList\"}}"));
    }

    #[test]
    fn a_request_that_failed_is_no_log() {
        let text = format!("{}\nRequest log error: container is waiting\n", heading("START", "a", "n/p"));
        assert_eq!(sections(&text).sections[0].error.as_deref(), Some("Request log error: container is waiting"));
    }

    #[test]
    fn any_bytes_are_bounded() {
        let odd = "==== ".repeat(100_000);
        assert_eq!(found(&odd), []);
        let many = format!("{}\n", heading("START", "a", "n/p")).repeat(MOST_SECTIONS + 5);
        let SplitText { sections, dropped, .. } = sections(&many);
        assert_eq!((sections.len(), dropped), (MOST_SECTIONS, true));
    }
}
