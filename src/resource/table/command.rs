//! Commands that were copied from a terminal with what they printed: `root@cp1:~# kubectl get nodes`.

/// Longest prompt, in bytes.
const LONGEST_PROMPT: usize = 100;
/// Programs that make a line a command without a prompt, or behind a bare sign that may mean something else.
const PROGRAMS: [&str; 7] = ["crictl", "helm", "journalctl", "k3s", "kubectl", "oc", "sudo"];

/// Returns what was typed at a prompt; empty if nothing was. None for a line that is no command.
pub fn typed(line: &str) -> Option<&str> {
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
        _ => {
            before.len() <= LONGEST_PROMPT && (is_place(before, sign) || is_name(before) && starts_with_program(typed))
        }
    };
    is_prompt.then_some(typed)
}

fn starts_with_program(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    let name = word.rsplit('/').next().unwrap_or_default();
    // The name of a pod in a table has more blanks behind it.
    let has_words = text.get(word.len()..).is_some_and(|rest| !rest.is_empty() && !rest.starts_with("  "));
    has_words && PROGRAMS.contains(&name) && (name == word || word.starts_with('/'))
}

/// Returns true for the name of a user, a host or a shell (`bash-5.1`).
fn is_name(text: &str) -> bool {
    let text = text.trim_end();
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// Recognises what stands before the sign of a prompt: `root@cp1:~`, `[rancher@cp1 ~]`, `harvester-1:/home # `, `PS C:\tmp`, each also behind
/// the name of an environment (`(base) PS C:\tmp`).
fn is_place(before: &str, sign: char) -> bool {
    let before = before.trim_end();
    let environment = before.strip_prefix('(').and_then(|rest| rest.split_once(") ")).filter(|(name, _)| is_name(name));
    let before = environment.map_or(before, |(_, before)| before);
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
            ("(base) PS D:\\x> kubectl get po", Some("kubectl get po")),
            ("(venv) me@laptop:~/x$ kubectl get po", Some("kubectl get po")),
            ("bash-5.1# kubectl get po", Some("kubectl get po")),
            ("bash-5.1# x", None),
            ("kubectl   1/1   Running   # 5", None),
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
            assert_eq!(typed(line), wanted, "{line}");
        }
    }
}
