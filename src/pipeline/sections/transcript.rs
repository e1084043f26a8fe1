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

use super::outputs::Outputs;
use super::section::{self, Line, SplitText};
use crate::bundle::Role;
use crate::resource::table::command;

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
pub(super) fn is_one(text: &str) -> bool {
    let known = |line: &str| command::typed(line).is_some_and(|typed| output(typed).is_some());
    text.lines().any(known)
}

/// Splitter of one transcript.
pub(super) struct Splitter<'e>(Outputs<'e>);

impl<'e> Splitter<'e> {
    /// `logical` is the path of the file without archive layers.
    pub fn new(logical: &'e str) -> Self {
        Self(Outputs::new(logical))
    }
}

impl section::Splitter for Splitter<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let typed = command::typed(line.text);
        if typed.is_some() || line.text.starts_with("```") {
            self.0.close(line.start, line.number);
            let known = typed.and_then(|typed| Some((typed, output(typed)?)));
            known.into_iter().for_each(|(typed, role)| self.0.open(typed, role, line));
        } else {
            self.0.line(line);
        }
    }

    fn finish(self: Box<Self>, end: u64, line: u64) -> SplitText {
        self.0.finish(end, line)
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
    use crate::pipeline::sections::section::Section;

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
