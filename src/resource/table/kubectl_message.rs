//! Messages that kubectl writes instead of a table or around it: errors, warnings, "No resources found".

use super::command;

/// Line that is not a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KubectlMessage<'t> {
    /// There are no objects.
    NoObjects,
    /// Some or all objects were not returned; the line.
    Error(&'t str),
    /// A remark that does not concern the objects.
    Remark,
}

/// First words of errors of kubectl, of the kubelet in place of a log, and of the shell without kubectl.
const ERRORS: [&str; 10] = [
    "error:",
    "Error:",
    "Error from server",
    "Error in configuration",
    "The connection to the server",
    "Unable to connect to the server",
    "Unable to ",
    "unable to ",
    "timeout: ",
    "failed to try resolving symlinks in path",
];

/// How kubectl, the API server and the kubelet begin what they say in place of a container's log. Other words may be the log of a
/// program that ended at once: `Error: no such file`.
const NO_LOG: [&str; 9] = [
    "Error from server",
    "The connection to the server",
    "Unable to connect to the server",
    "unable to retrieve container logs for ",
    "failed to try resolving symlinks in path ",
    "error: a container name must be specified",
    "error: You must be logged in to the server",
    "error: timed out waiting for the condition",
    "timeout: failed to run command",
];

impl<'t> KubectlMessage<'t> {
    /// Parses a line; none if it is not a message of kubectl.
    pub fn parse(line: &'t str) -> Option<Self> {
        let line = line.trim();
        if line == "No resources found" || line.starts_with("No resources found in ") {
            return Some(Self::NoObjects);
        }
        // A row of a table, with blanks between its cells, may end so, too: an image that is not found.
        let of_shell = ["command not found", ": not found", "No such file or directory"];
        let fails = ERRORS.iter().any(|error| line.starts_with(error))
            || of_shell.iter().any(|end| line.ends_with(end)) && !line.contains("  ");
        if fails {
            return Some(Self::Error(line));
        }
        let is_remark = line.is_empty()
            || line.starts_with("Warning:")
            || line.starts_with("Defaulted container")
            || line.starts_with("nohup: ignoring input")
            || is_klog(line)
            || is_command(line);
        is_remark.then_some(Self::Remark)
    }
}

/// Finds an error of kubectl in the first lines of an entry that holds no document.
pub fn first_error(text: &str) -> Option<&str> {
    let mut said = text.lines().take(20).map_while(KubectlMessage::parse);
    said.find_map(|said| match said {
        KubectlMessage::Error(line) => Some(line),
        _ => None,
    })
}

/// Blanks out remarks of kubectl before a document, so that places in it stay the same.
pub fn without_remarks(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut start = 0;
    while let Some(length) = bytes.get(start..).and_then(|rest| memchr::memchr(b'\n', rest)) {
        let line = bytes.get_mut(start..start + length).unwrap_or_default();
        let is_remark =
            std::str::from_utf8(line).is_ok_and(|line| KubectlMessage::parse(line) == Some(KubectlMessage::Remark));
        if !is_remark {
            break;
        }
        line.fill(b' ');
        start += length + 1;
    }
    bytes
}

/// Returns true if a text holds an error of kubectl and no requested data.
pub fn is_only_messages(text: &str) -> bool {
    first_error(text).is_some() && text.lines().all(|line| KubectlMessage::parse(line).is_some())
}

/// Returns true if a text in place of a container's log only says why there is none.
pub fn is_no_log(text: &str) -> bool {
    let says_why = |line: &str| {
        NO_LOG.iter().any(|begin| line.starts_with(begin)) || line.contains("kubectl") && line.ends_with("not found")
    };
    let is_remark = |line: &str| KubectlMessage::parse(line) == Some(KubectlMessage::Remark);
    let mut lines = text.lines().map(str::trim);
    lines.clone().any(says_why) && lines.all(|line| says_why(line) || is_remark(line))
}

/// Recognises a command of kubectl that was copied with what it printed.
fn is_command(line: &str) -> bool {
    command::typed(line).is_some_and(|typed| typed.contains("kubectl ") || typed.starts_with("oc "))
}

/// Recognises kubectl's own log: `I0306 22:51:41.211378    1 request.go:668] ...`.
fn is_klog(line: &str) -> bool {
    let mut signs = line.chars();
    signs.next().is_some_and(|level| "IWEF".contains(level))
        && signs.by_ref().take(4).filter(char::is_ascii_digit).count() == 4
        && signs.next() == Some(' ')
        && line.contains("] ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_remarks_and_empty_answers_are_distinguished() {
        let refused = [
            "error: the server doesn't have a resource type \"helmcharts\"",
            "Error from server (Forbidden): nodes is forbidden: User \"x\" cannot list resource \"nodes\"",
            "The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?",
            "bash: kubectl: command not found",
        ];
        for line in refused {
            assert_eq!(KubectlMessage::parse(line), Some(KubectlMessage::Error(line)));
        }
        for line in ["", "Warning: v1 ComponentStatus is deprecated in v1.19+", "I0806 22:51:41.2  7 request.go:668] x"]
        {
            assert_eq!(KubectlMessage::parse(line), Some(KubectlMessage::Remark), "{line}");
        }
        for line in [
            "kubectl get pods --all-namespaces",
            "root@cp1:~# kubectl -n shop describe pods web-0",
            "[rancher@cp1 ~]$ sudo k3s kubectl get nodes",
            "$ kubectl get pods",
            "PS C:\\> kubectl get pods",
        ] {
            assert_eq!(KubectlMessage::parse(line), Some(KubectlMessage::Remark), "{line}");
        }
        for line in [
            "shop   2m   Warning   Failed   pod/web-0   x/y:1: not found",
            "shop   2m   Warning   BackOff   pod/web-0   run # kubectl logs web-0",
            "kubectl-debug-x7k2p   1/1",
        ] {
            assert_eq!(KubectlMessage::parse(line), None, "{line}");
        }
        for line in ["No resources found", "No resources found in demo namespace."] {
            assert_eq!(KubectlMessage::parse(line), Some(KubectlMessage::NoObjects));
        }
        for line in ["demo   web-0   1/1", "NAME   AGE", "I0 x"] {
            assert_eq!(KubectlMessage::parse(line), None);
        }
    }

    #[test]
    fn the_only_line_of_a_program_is_a_log() {
        for text in [
            "Error from server (BadRequest): previous terminated container \"c\" in pod \"p\" not found\n",
            "Defaulted container \"a\" out of: a, b\nError from server: Get \"https://192.0.2.1:10250/containerLogs\": EOF\n",
            "unable to retrieve container logs for containerd://0a1b2c\n\n",
            "failed to try resolving symlinks in path \"/var/log/pods/x/0.log\": lstat /var/log/pods/x/0.log: no such file or directory",
            "bash: kubectl: command not found\n",
        ] {
            assert!(is_no_log(text), "{text}");
        }
        for text in [
            "Error: open /etc/app/config.yaml: no such file or directory\n",
            "error: unable to load configuration\n",
            "Unable to open the database\n",
            "sh: /app/run.sh: not found\n",
            "Error from server (NotFound): pods \"x\" not found\nretrying in 5s\n",
            "",
        ] {
            assert!(!is_no_log(text), "{text}");
        }
    }

    #[test]
    fn remarks_in_front_of_a_document_are_blanked() {
        let text = b"Defaulted container \"a\" out of: a, b\n{\"x\": 1}\nWarning: y\n".to_vec();
        let blank = String::from_utf8(without_remarks(text.clone())).unwrap();
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.trim_start(), "{\"x\": 1}\nWarning: y\n");
        assert_eq!(without_remarks(b"{}".to_vec()), b"{}");
    }

    #[test]
    fn a_refusal_stands_in_front() {
        assert_eq!(first_error("Warning: old\nerror: no such type\n"), Some("error: no such type"));
        assert_eq!(first_error("apiVersion: v1\nerror: x\n"), None);
        assert_eq!(first_error(""), None);
    }
}
