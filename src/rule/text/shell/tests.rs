//! Commands with values of every kind, read by the shell of this machine.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use minijinja::machinery::{Token, tokenize};
use proptest::prelude::*;

use super::*;
use crate::rule::{Streams, compile, load};

/// Values that are more than one word, an option, a pattern, or a command to a shell, and one that JSON would take as more.
const HOSTILE: [&str; 24] = [
    "$(canary)",
    "`canary`",
    "; canary #",
    "a\ncanary",
    "' canary '",
    "\" canary \"",
    "'\"'; canary",
    "-o yaml",
    "--zz9",
    "-zz9",
    "*",
    "?",
    "[a-z]",
    "~",
    "~root",
    "!!",
    "!canary",
    "ü",
    "a\0b",
    "a b",
    "$HOME",
    "\\",
    "a\",\"finalizers\":null,\"x\":\"b",
    "> canary",
];

/// Characters of hostile values.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned),
        prop::sample::select(vec![
            "a", "-", "/", ".", "..", " ", "\t", "'", "\"", "$(", ")", "{", "}", "\u{202e}", "\u{fdd2}", "\u{fdd3}",
            "=", "#", "%"
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

/// Returns the command with each `{{ }}` replaced by a value, marked as the formatter does.
fn marked(template: &str, value: &str) -> String {
    let value = value.replace([VALUE_BEGINS, VALUE_ENDS], "\u{fffd}");
    let mut text = String::new();
    for (at, token) in tokens(template).iter().enumerate() {
        match (token, tokens(template).get(at + 1)) {
            (Token::TemplateData(data), _) => text.push_str(data),
            (Token::VariableStart, Some(Token::Ident(NODE_ENV))) => {}
            (Token::VariableStart, _) => text.push_str(&format!("{VALUE_BEGINS}{value}{VALUE_ENDS}")),
            _ => {}
        }
    }
    text
}

fn tokens(template: &str) -> Vec<Token<'_>> {
    tokenize(template, false, Default::default()).filter_map(|token| Some(token.ok()?.0)).collect()
}

/// Returns the template without statements: of each, the first branch, or the last.
fn branch(template: &str, last: bool) -> String {
    let mut open: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut rest = template;
    while let Some((text, after)) = rest.split_once("{%") {
        let Some((statement, after)) = after.split_once("%}") else { break };
        let word = statement.trim_matches(['-', ' ']).split(' ').next().unwrap_or_default();
        open.last_mut().unwrap().last_mut().unwrap().push_str(text);
        match word {
            "if" | "for" => open.push(vec![String::new()]),
            "else" | "elif" => open.last_mut().unwrap().push(String::new()),
            "endif" | "endfor" => {
                let branches = open.pop().unwrap();
                let chosen = if last { branches.last() } else { branches.first() };
                open.last_mut().unwrap().last_mut().unwrap().push_str(chosen.unwrap());
            }
            _ => {}
        }
        rest = after;
    }
    format!("{}{rest}", open[0][0])
}

/// Returns the commands of all rules of the program that have values.
fn templates() -> BTreeSet<String> {
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams).unwrap();
    let rules = compile(loaded.sources, &streams).unwrap_or_else(|errors| panic!("{} errors", errors.len())).rules;
    let commands = rules.iter().flat_map(|rule| rule.texts.own().remedy.iter().filter_map(|step| step.run.as_ref()));
    let branches = commands.flat_map(|run| [true, false].map(|last| branch(run.text(), last)));
    branches.filter(|branch| branch.replace("{{ node_env() }}", "").contains("{{")).collect()
}

/// A folder in which each program is a stub that writes its arguments into a file of its own.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new(programs: &BTreeSet<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [bin, calls] = ["bin", "calls"].map(|name| folder.path().join(name));
        [&bin, &calls].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        let stub = bin.join("stub");
        fs::write(&stub, "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" > \"$CALLS/$$\"\n").unwrap();
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        for program in programs {
            std::os::unix::fs::symlink(&stub, bin.join(program)).unwrap();
        }
        Self { folder }
    }

    /// Returns the calls of programs that a command makes, and what the shell says.
    fn run(&self, command: &str, arguments: &[&str]) -> (Vec<Vec<String>>, String) {
        let path = |name: &str| self.folder.path().join(name);
        let output = Command::new("/bin/sh")
            .args(arguments)
            .args(["-c", command])
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", path("bin"))
            .env("CALLS", path("calls"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let mut calls: Vec<Vec<String>> =
            fs::read_dir(path("calls")).unwrap().map(|file| call(&file.unwrap().path())).collect();
        calls.sort();
        (calls, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Reads and removes the file of a call.
fn call(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    fs::remove_file(path).unwrap();
    text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
}

/// Programs that commands of rules begin with.
fn programs(commands: &BTreeSet<String>) -> BTreeSet<String> {
    let words =
        commands.iter().flat_map(|command| command.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)));
    let builtin = ["export", "if", "for", "do", "done", "while", "echo", "then", "fi", "read", "stub", ".", "..", "cd"];
    let names = words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && !builtin.contains(word));
    names.map(str::to_owned).chain(["canary".to_owned()]).collect()
}

#[test]
fn a_shell_takes_each_value_of_each_command_as_part_of_one_argument() {
    const PLAIN: &str = "/zq7";
    let commands = templates();
    let machine = Machine::new(&programs(&commands));
    let (mut filled, mut quoted) = (0, 0);
    for template in &commands {
        assert!(!template.contains("until "), "a loop may never end: {template}");
        let Ok(plain) = fill(&marked(template, PLAIN)) else { continue };
        let (calls, told) = machine.run(&plain, &[]);
        assert!(!calls.is_empty() && !told.contains("yntax"), "{plain}\n{told}");
        filled += 1;
        for value in ["/a b'$(canary)`canary`", "/;canary&canary|canary>c<d\"*?[a-z]~!#\\", "/-ü {x} '' $HOME "] {
            let Ok(command) = fill(&marked(template, value)) else { continue };
            assert_eq!(machine.run(&command, &["-n"]).1, "", "{command}");
            let expected: Vec<Vec<String>> =
                calls.iter().map(|call| call.iter().map(|word| word.replace(PLAIN, value)).collect()).collect();
            assert_eq!(machine.run(&command, &[]).0, expected, "{command}");
            quoted += 1;
        }
    }
    assert!(filled > 150 && quoted > 300, "{filled} {quoted}");
}

#[test]
fn what_is_no_name_or_path_is_in_no_command() {
    let commands = templates();
    assert!(commands.len() > 150, "{}", commands.len());
    let machine = Machine::new(&programs(&commands));
    for template in &commands {
        for value in HOSTILE {
            let Ok(command) = fill(&marked(template, value)) else { continue };
            // Behind other characters of its word, a dash begins no option.
            let calls = machine.run(&command, &[]).0;
            let is_word = calls.iter().flatten().any(|word| word.starts_with(value));
            assert!(value.starts_with('-') && !is_word, "{value:?} in {template}");
        }
        let name = fill(&marked(template, "name-1")).unwrap_or_else(|problem| panic!("{problem}: {template}"));
        assert_eq!(name, marked(template, "name-1").replace([VALUE_BEGINS, VALUE_ENDS], ""));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A value never changes what the rest of a command is: not its program, its other arguments, its files.
    #[test]
    fn a_value_stays_within_its_argument(value in hostile(), position in 0_usize..9) {
        let value = value.replace([VALUE_BEGINS, VALUE_ENDS], "\u{fffd}");
        let template = [
            "canary-ok {{x}}", "canary-ok a{{x}}b c", "canary-ok '{\"a\":\"{{x}}\"}'", "canary-ok \"a {{x}}\"", "canary-ok $(inner {{x}})",
            "canary-ok \"$(inner '{{x}}')\"", "canary-ok x # {{x}}", "A={{x}} canary-ok | inner {{x}}", "canary-ok \\{{x}} {{x}}",
        ][position];
        let programs = ["canary", "canary-ok", "inner"].map(str::to_owned).into();
        if let Ok(command) = fill(&marked(template, &value)) {
            let machine = Machine::new(&programs);
            prop_assert_eq!(machine.run(&command, &["-n"]).1, "", "{}", command);
            let plain = fill(&marked(template, "/zq7")).unwrap();
            let wanted: Vec<Vec<String>> =
                machine.run(&plain, &[]).0.iter().map(|call| call.iter().map(|word| word.replace("/zq7", &value)).collect()).collect();
            let mut wanted = wanted;
            wanted.sort();
            prop_assert_eq!(machine.run(&command, &[]).0, wanted, "{}", command);
        }
    }

    #[test]
    fn sentences_have_no_hostile_value_behind_a_command(value in hostile()) {
        let value = value.replace([VALUE_BEGINS, VALUE_ENDS], "\u{fffd}");
        let text = fill_sentences(&marked("kubectl get pod {{x}} shows Running. It is {{x}}.", &value), "(left out)");
        let command = text.split(" shows Running").next().unwrap_or_default();
        prop_assert!(command.ends_with("(left out)") || is_harmless(&value), "{}", text);
let whole = text.ends_with(&format!("It is {value}.")) || value.contains([VALUE_BEGINS, VALUE_ENDS]);
        prop_assert!(whole, "{}", text);
    }
}

#[test]
fn values_are_filled_in_by_their_place() {
    let rows: [(&str, &str, Result<&str, &str>); 47] = [
        ("kubectl -n {{x}} get pod", "<namespace>", Ok("kubectl -n '<namespace>' get pod")),
        ("kubectl get pod '{{x}}'", "<pod>", Err("no name or path")),
        ("cat {{x}}", "</etc/passwd>", Err("no name or path")),
        ("kubectl get pod {{x}}", "a.b-1", Ok("kubectl get pod a.b-1")),
        ("kubectl get clusterrole {{x}}", "system:node", Ok("kubectl get clusterrole system:node")),
        ("kubectl get pod {{x}}", "A_B", Err("no name or path")),
        ("kubectl get pod '{{x}}'", "a%0Ab", Err("no name or path")),
        ("x | kubectl get pod {{x}}", "a-", Err("no name or path")),
        ("kubectl get pod -n {{x}}", "Demo", Err("no name or path")),
        ("kubectl get pod --namespace={{x}}", "a.b", Err("no name or path")),
        ("kubectl exec a -- cat {{x}}", "A_B", Ok("kubectl exec a -- cat A_B")),
        ("kubectl get a; cat {{x}}", "A_B", Ok("kubectl get a; cat A_B")),
        ("kubectl get pod -l app={{x}}", "A_B", Ok("kubectl get pod -l app=A_B")),
        ("cat {{x}}/a", "/var/lib/x", Ok("cat /var/lib/x/a")),
        ("cat {{x}}/a", "/mnt/my disk", Ok("cat '/mnt/my disk'/a")),
        ("cat '{{x}}/a'", "/mnt/my disk", Err("no name or path")),
        ("cat \\{{x}}", "/mnt/my disk", Err("no name or path")),
        ("cat {{x}}", "/it's", Ok(r"cat '/it'\''s'")),
        ("cat {{x}}", "/a/../b", Err("no name or path")),
        ("cat /dev/{{x}}", "..", Err("no name or path")),
        ("rm -r /var/lib/x/{{x}}", ".", Err("no name or path")),
        ("rm -r /var/lib/x/{{x}}", "/", Err("no name or path")),
        ("du -x {{x}}", "/", Ok("du -x /")),
        ("rm -r /var/lib/x/{{x}}", "a/.", Err("no name or path")),
        ("rm -r /var/lib/x/{{x}}{{x}}", ".", Err("no name or path")),
        ("rm -r /var/lib/x/{{x}}", ".a", Ok("rm -r /var/lib/x/.a")),
        ("cat {{x}}", "-x", Err("no name or path")),
        ("cat '{{x}}'", "-x", Err("no name or path")),
        ("set n=a{{x}}", "-1", Ok("set n=a-1")),
        ("{{x}} -f", "rm", Err("allows no value")),
        ("sudo {{x}} -f", "rm", Err("allows no value")),
        ("a; b && {{x}}", "rm", Err("allows no value")),
        ("a | xargs {{x}}", "rm", Err("allows no value")),
        ("a | xargs -n1 {{x}}", "rm", Err("allows no value")),
        ("sudo -E env -i A=1 {{x}}", "rm", Err("allows no value")),
        ("a | xargs -n1 kubectl get {{x}}", "p", Ok("a | xargs -n1 kubectl get p")),
        ("get -n {{x}}", "p", Ok("get -n p")),
        ("kubectl exec p -- {{x}}", "rm", Err("allows no value")),
        ("kubectl exec {{x}} -- ls", "p", Ok("kubectl exec p -- ls")),
        ("a `b {{x}}`", "c", Err("allows no value")),
        ("cat <<E\n{{x}}\nE", "c", Err("allows no value")),
        ("echo ${{x}}", "HOME", Err("allows no value")),
        ("get x > {{x}}.yaml", "name", Ok("get x > name.yaml")),
        ("get x > {{x}}.yaml", "/root/.ssh/y", Err("no name or path")),
        ("X={{x}} get", "v", Ok("X=v get")),
        ("get {{x}}", "(unknown)", Err("not known")),
        ("get {{x}}", "", Err("not known")),
    ];
    for (template, value, wanted) in rows {
        let filled = fill(&marked(template, value)).map_err(|problem| problem.to_string());
        match wanted {
            Ok(command) => assert_eq!(filled.as_deref(), Ok(command), "{template}"),
            Err(part) => {
                assert!(filled.as_ref().is_err_and(|problem| problem.contains(part)), "{template}: {filled:?}")
            }
        }
    }
}

#[test]
fn places_without_values_are_found_in_templates() {
    let rows: [(&str, &[usize]); 6] = [
        ("kubectl get {{ a }} '{{ b }}'", &[]),
        ("{{ node_env() }}\ncrictl rm {{ a }}", &[]),
        ("{{ a }} x", &[0]),
        ("x | {{ a }}", &[4]),
        ("x `y {{ a }}`", &[5]),
        ("{% for p in pods %}{{ p }} {{ p }}{% endfor %}", &[19]),
    ];
    for (template, wanted) in rows {
        assert_eq!(misplaced(template), wanted, "{template}");
    }
}
