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
use crate::resource::content::Shape;

/// Most outputs of one file, and most lines before them in all: these are made up for, so that places stay the same.
const MOST: usize = 500;
const MOST_LINES: u64 = 8 << 20;
/// Longest prompt and longest name of a section, in bytes.
const LONGEST_PROMPT: usize = 100;
const LONGEST_NAME: usize = 120;
/// Programs that make a line a command without a prompt, or behind a bare sign that may mean something else.
const PROGRAMS: [&str; 7] = ["crictl", "helm", "journalctl", "k3s", "kubectl", "oc", "sudo"];
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

/// Returns true if a file begins with a command, or with text before the first one, and with no document.
pub(super) fn is_one(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let known = |line: &str| command(line).is_some_and(|typed| output(typed).is_some());
    Shape::of(head) != Some(Shape::Objects) && text.lines().any(known)
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
        let typed = command(line.text);
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

/// Returns what was typed at a prompt; empty if nothing was. None for a line that is no command.
fn command(line: &str) -> Option<&str> {
    let line = line.trim_end();
    if starts_with_program(line) {
        return Some(line);
    }
    let signs = line.char_indices().filter(|(_, sign)| "$#>%".contains(*sign));
    let mut prompts =
        signs.map(|(at, sign)| (line.get(..at).unwrap_or_default(), sign, line.get(at + 1..).unwrap_or_default()));
    let (before, sign, behind) = prompts.find(|(.., behind)| behind.is_empty() || behind.starts_with(' '))?;
    let typed = behind.trim_start();
    let is_prompt = match before {
        "" => sign == '$' || starts_with_program(typed),
        _ => before.len() <= LONGEST_PROMPT && is_place(before, sign),
    };
    is_prompt.then_some(typed)
}

fn starts_with_program(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    let name = word.rsplit('/').next().unwrap_or_default();
    text.len() > word.len() && PROGRAMS.contains(&name) && (name == word || word.starts_with('/'))
}

/// Recognises what stands before the sign of a prompt: `root@cp1:~`, `[rancher@cp1 ~]`, `harvester-1:/home # `, `PS C:\tmp`.
fn is_place(before: &str, sign: char) -> bool {
    let is_name =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    let before = before.trim_end();
    if let Some(folder) = before.strip_prefix("PS ") {
        return sign == '>' && folder.get(1..2) == Some(":");
    }
    let (inside, is_boxed) = match before.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inside) => (inside, true),
        None => (before, false),
    };
    if let Some((user, rest)) = inside.split_once('@') {
        let host = rest.split([':', ' ']).next().unwrap_or_default();
        return is_name(user) && is_name(host) && (is_boxed || !rest.contains(' '));
    }
    let place = inside.split_once(':').filter(|(host, _)| is_name(host)).map(|(_, place)| place);
    place.is_some_and(|place| {
        !place.contains(' ') && (place.starts_with('~') || place.starts_with('/') && !place.starts_with("//"))
    })
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
    fn commands_are_known_by_their_prompts() {
        for (line, wanted) in [
            ("root@cp1:~# kubectl get nodes", Some("kubectl get nodes")),
            ("[rancher@cp1 ~]$ sudo journalctl -u k3s", Some("sudo journalctl -u k3s")),
            ("harvester-1:~ # kubectl get vm -A", Some("kubectl get vm -A")),
            ("rancher@harvester-1:~> ls", Some("ls")),
            ("PS C:\\Users\\x> kubectl get po", Some("kubectl get po")),
            ("$ cat x", Some("cat x")),
            ("# kubectl get po", Some("kubectl get po")),
            ("kubectl get po -A", Some("kubectl get po -A")),
            ("/var/lib/rancher/rke2/bin/kubectl get po", Some("/var/lib/rancher/rke2/bin/kubectl get po")),
            ("root@cp1:~#", Some("")),
            ("# A heading", None),
            ("> a quotation", None),
            ("web-0   1/1   Running # 5", None),
            ("shop   2m   Warning   BackOff   pod/web-0   run # kubectl logs web-0", None),
            ("https://example.com/x # y", None),
            ("kubectl", None),
            ("kubectl-debug-x   1/1", None),
            ("time=\"x\" level=error msg=\"a > b\"", None),
        ] {
            assert_eq!(command(line), wanted, "{line}");
        }
    }

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
