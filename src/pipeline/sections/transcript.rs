//! The outputs in a transcript of a terminal, which people paste into one file:
//!
//! ```text
//! root@cp1:~# kubectl get pods -n shop
//! NAME    READY   STATUS    RESTARTS   AGE
//! web-0   1/1     Running   0          5h
//! root@cp1:~# journalctl -u rke2-server
//! ```
//!
//! Each output is a section that has the command as its name. Commands whose output holds neither objects nor a log have no section.

use std::sync::Arc;

use super::section::{self, Line, Section, SplitText};
use crate::bundle::Role;
use crate::resource::table::command;

/// Most outputs of one file, and most lines before them in all: these are made up for, so that places stay the same.
const MOST: usize = 500;
const MOST_LINES: u64 = 8 << 20;
/// Longest name of a section, in characters.
const LONGEST_NAME: usize = 120;
/// Commands of kubectl that print objects.
const VERBS: [&str; 4] = ["describe", "events", "get", "top"];
/// Options of kubectl whose value is a word of its own.
const VALUED: [&str; 12] = [
    "--context",
    "--field-selector",
    "--kubeconfig",
    "--output",
    "--selector",
    "--since",
    "--sort-by",
    "--tail",
    "-L",
    "-l",
    "-o",
    "--since-time",
];
/// Programs that print a file.
const PAGERS: [&str; 6] = ["cat", "head", "less", "more", "tail", "zcat"];

/// Returns true if a file begins with a command, or with text before the first one. It must not begin with a document.
pub(super) fn is_one(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let known = |line: &str| command::typed(line).is_some_and(|typed| output(typed).is_some());
    text.lines().any(known)
}

/// Splitter of one transcript.
pub(super) struct Splitter<'e> {
    /// Path of the file without archive layers.
    logical: &'e str,
    found: SplitText,
    open: Option<Section>,
    /// Lines before the outputs, in all.
    before: u64,
}

impl<'e> Splitter<'e> {
    pub fn new(logical: &'e str) -> Self {
        Self { logical, found: SplitText::default(), open: None, before: 0 }
    }

    fn open(&mut self, typed: &str, line: &Line<'_>) {
        let Some(role) = output(typed) else { return };
        self.before = self.before.saturating_add(line.number);
        if self.found.sections.len() >= MOST || self.before > MOST_LINES {
            self.found.dropped = true;
            return;
        }
        let name: String = typed.replace('/', "_").chars().take(LONGEST_NAME).collect();
        self.open = Some(Section {
            logical: Arc::from(format!("{}/{name}", self.logical)),
            name,
            role,
            line: line.number + 1,
            start: line.end,
            length: 0,
            lines: 0,
            has_no_entries: true,
            error: None,
        });
    }

    /// Ends the open section before that byte and that line; one without lines is none.
    fn close(&mut self, end: u64, line: u64) {
        let Some(mut section) = self.open.take() else { return };
        section.length = end.saturating_sub(section.start);
        section.lines = line.saturating_sub(section.line);
        if !section.has_no_entries {
            self.found.sections.push(section);
        }
    }
}

impl section::Splitter for Splitter<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let typed = command::typed(line.text);
        if typed.is_some() || line.text.starts_with("```") {
            self.close(line.start, line.number);
            typed.into_iter().for_each(|typed| self.open(typed, line));
        } else if let Some(section) = &mut self.open {
            section.has_no_entries &= line.text.trim().is_empty();
        }
    }

    fn finish(mut self: Box<Self>, end: u64, line: u64) -> SplitText {
        self.close(end, line);
        self.found
    }
}

/// Returns the role of what a command prints; none if it is neither objects nor a log.
fn output(typed: &str) -> Option<Role> {
    let own = typed.split('|').next().unwrap_or_default();
    let is_setup = |word: &&str| *word == "sudo" || *word == "k3s" || word.contains('=') && !word.starts_with('-');
    let mut words = own.split_whitespace().skip_while(is_setup);
    let program = words.next()?.rsplit('/').next()?;
    let words: Vec<&str> = words.collect();
    match program {
        "kubectl" | "oc" | "k" => of_kubectl(&words),
        "journalctl" => Some(Role::node_log("", journal(&words), 0)),
        "dmesg" => Some(Role::node_log("", "dmesg", 0)),
        _ if PAGERS.contains(&program) => {
            let file =
                words.iter().find(|word| word.starts_with('/') && word.contains("/log") || word.ends_with(".log"))?;
            let name = file.rsplit('/').next()?.split('.').next()?;
            Some(Role::node_log("", name, 0))
        }
        _ => None,
    }
}

/// Returns the unit of a journal: `-u rke2-server.service`, `-k`.
fn journal<'w>(words: &[&'w str]) -> &'w str {
    if words.iter().any(|word| ["-k", "--dmesg"].contains(word)) {
        return "kernel";
    }
    let apart =
        words.windows(2).find_map(|pair| if ["-u", "--unit"].contains(&pair[0]) { Some(pair[1]) } else { None });
    let joined = || words.iter().find_map(|word| word.strip_prefix("--unit=").or_else(|| word.strip_prefix("-u")));
    let unit = apart.or_else(joined).filter(|unit| !unit.is_empty()).unwrap_or("journal");
    unit.strip_suffix(".service").unwrap_or(unit)
}

fn of_kubectl(words: &[&str]) -> Option<Role> {
    let (mut named, mut namespace, mut container, mut previous, mut selects) = (Vec::new(), "", "", false, false);
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-n" | "--namespace" => namespace = words.next().unwrap_or_default(),
            "-c" | "--container" => container = words.next().unwrap_or_default(),
            "-p" | "--previous" => previous = true,
            _ if VALUED.contains(&word) => {
                selects |= ["-l", "--selector"].contains(&word);
                words.next();
            }
            _ if word.starts_with('-') => {
                let value = |option: &str| word.strip_prefix(option);
                namespace = value("--namespace=").or_else(|| value("-n=")).unwrap_or(namespace);
                container = value("--container=").or_else(|| value("-c=")).unwrap_or(container);
            }
            _ => named.push(word),
        }
    }
    match named.as_slice() {
        [verb, ..] if VERBS.contains(verb) => Some(Role::Unplaced),
        ["logs" | "log", pod, rest @ ..] if !selects => {
            let pod = pod.strip_prefix("pod/").unwrap_or(pod);
            let container = rest.first().copied().unwrap_or(container);
            (!pod.contains('/')).then(|| Role::pod_log(namespace, pod, container, previous))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_the_roles_of_their_commands() {
        for (typed, wanted) in [
            ("kubectl get po -n shop", Some(Role::Unplaced)),
            ("sudo k3s kubectl -n shop describe po web-0", Some(Role::Unplaced)),
            ("KUBECONFIG=/x kubectl get po | grep web", Some(Role::Unplaced)),
            (
                "kubectl logs -n shop web-0 -c app --previous --tail 5",
                Some(Role::pod_log("shop", "web-0", "app", true)),
            ),
            ("kubectl -n=shop logs pod/web-0 app", Some(Role::pod_log("shop", "web-0", "app", false))),
            ("kubectl logs deploy/web", None),
            ("kubectl logs -l app=web", None),
            ("kubectl apply -f x.yaml", None),
            ("journalctl -u rke2-server.service --no-pager", Some(Role::node_log("", "rke2-server", 0))),
            ("journalctl -k -b", Some(Role::node_log("", "kernel", 0))),
            ("journalctl -xe", Some(Role::node_log("", "journal", 0))),
            ("dmesg -T", Some(Role::node_log("", "dmesg", 0))),
            ("tail -n 50 /var/lib/rancher/rke2/agent/logs/kubelet.log", Some(Role::node_log("", "kubelet", 0))),
            ("cat /etc/hosts", None),
            ("sudo", None),
        ] {
            assert_eq!(output(typed), wanted, "{typed}");
        }
    }

    #[test]
    fn what_must_be_made_up_for_is_bounded() {
        let mut splitter = Box::new(Splitter::new("a.txt"));
        for number in [MOST_LINES / 2, MOST_LINES / 2 + 1] {
            for text in ["$ dmesg", "a"] {
                section::Splitter::line(&mut *splitter, &Line { text, number, start: 0, end: 1 });
            }
        }
        let found = section::Splitter::finish(splitter, 1, MOST_LINES);
        assert!(found.dropped && found.sections.len() == 1);
    }

    #[test]
    fn each_output_has_its_lines() {
        let text =
            "see:\n```\n$ kubectl get po\nNAME   READY\nweb-0   1/1\n```\nand\n$ kubectl logs web-0\n\n$ dmesg\na\n";
        let mut splitter = Box::new(Splitter::new("a.md"));
        let (mut start, mut number) = (0, 1);
        for line in text.lines() {
            let end = start + line.len() as u64 + 1;
            section::Splitter::line(&mut *splitter, &Line { text: line, number, start, end });
            (start, number) = (end, number + 1);
        }
        let found = section::Splitter::finish(splitter, start, number).sections;
        let shown = |s: &Section| {
            let range = usize::try_from(s.start).unwrap()..usize::try_from(s.start + s.length).unwrap();
            (s.logical.to_string(), s.line, text[range].to_owned())
        };
        assert_eq!(
            found.iter().map(shown).collect::<Vec<_>>(),
            [
                ("a.md/kubectl get po".to_owned(), 4, "NAME   READY\nweb-0   1/1\n".to_owned()),
                ("a.md/dmesg".to_owned(), 11, "a\n".to_owned()),
            ]
        );
    }
}
