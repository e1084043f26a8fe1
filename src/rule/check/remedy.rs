//! Checks of remedies and texts: commands that do not work as printed, steps that can do harm, and sentences that do not fit
//! every bundle.

use std::sync::LazyLock;

use regex::Regex;

use crate::rule::error::{Code, Diagnostics};
use crate::rule::source::reader::Written;
use crate::rule::source::rule::RuleSource;
use crate::rule::source::texts::RemedySource;
use crate::rule::text;

/// Pattern that a text must not have.
struct TextCheck {
    bad: LazyLock<Option<Regex>>,
    /// A text with this, too, is fine.
    unless: LazyLock<Option<Regex>>,
    message: &'static str,
    hint: &'static str,
}

macro_rules! text_check {
    ($bad:literal, $message:literal, $hint:literal) => {
        text_check!($bad, unless "\\z\\A.", $message, $hint)
    };
    ($bad:literal, unless $unless:literal, $message:literal, $hint:literal) => {
        TextCheck {
            bad: LazyLock::new(|| Regex::new($bad).ok()),
            unless: LazyLock::new(|| Regex::new($unless).ok()),
            message: $message,
            hint: $hint,
        }
    };
}

/// Checks of commands, line by line; texts name commands, too.
static COMMANDS: [TextCheck; 5] = [
    text_check!(
        r"kubectl\b[^|;&]*\blogs\b[^|;&]*\s(?:-l|--selector)[ =]",
        unless r"--tail[ =]",
        "kubectl logs with a selector prints the last 10 lines of each pod only",
        "add --tail=-1, or the number of lines that is meant"
    ),
    text_check!(
        r"conditions\[-?\d+\]",
        "a position in a list of conditions is not always the same condition",
        r#"choose it by type: .status.conditions[?(@.type=="Ready")]"#
    ),
    text_check!(
        r#"(?:volumes|engines|replicas|clusters?|machines)\.[a-z.]+\b.*finalizers[^:]*:\s*(?:null|\[\])"#,
        "removing finalizers leaves data and processes behind that nothing cleans up",
        "name what holds the finalizer and how it ends"
    ),
    text_check!(
        r"(?:rollout restart|delete)\b[^|;&]*\{\{[^}]*(?:\bservice\.(?:metadata\.)?name|serviceName|clientConfig|split|replace)[^}]*\}\}",
        unless r"delete[^|;&]* (?:svc|services?)[ /]",
        "the name of a workload is guessed from another name",
        "find the workload as a fact (owner, workload or selects) and use its metadata.name"
    ),
    text_check!(
        r"\bdelete\b.*finalizers?\b.*--force",
        "deleting by force leaves data and processes behind that nothing cleans up",
        "name what holds the object and how it ends"
    ),
];

/// Checks of texts.
static TEXTS: [TextCheck; 2] = [
    text_check!(r"[a-z]\(e?s\)", "\"(s)\" is no plural", "write {{ n | plural('object', 'objects') }}"),
    text_check!(
        r"\bin the bundle: |\(in the bundle",
        "the bundle need not have this file",
        "name the file of a fact: {{ hits.source }} or {{ file.path }}"
    ),
];

/// Time of an object inside a sentence; the group is its path.
static SINCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:since|until) \{\{-? *([a-z_]+\.(?:metadata|spec|status)\.[A-Za-z0-9_.]*) *-?\}\}").ok()
});

/// Command that changes a cluster or a machine.
static CHANGES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\bkubectl\b[^|;&]*\s(?:delete|patch|edit|apply|replace|scale|annotate|label|drain|cordon|uncordon|taint|set|create|rollout (?:restart|undo))\s",
        r"|\bhelm\b[^|;&]*\s(?:upgrade|rollback|uninstall|delete|install)\s",
        r"|\bsystemctl (?:re)?(?:start|stop|load|enable|disable)|\b(?:reboot|shutdown|poweroff)\b|(?:^|[;&|]\s*|sudo )(?:rm|mv|dd|mkfs\S*|umount|truncate) ",
        r"|\bcrictl (?:rm|rmi|rmp|stop|stopp)\b|\betcdctl\b.*\b(?:defrag|compact|disarm|remove|member (?:add|update))\b|\bvirtctl (?:stop|restart|migrate)"
    ))
    .ok()
});

/// Command that only runs on a node of a cluster.
static ON_NODE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)(?:^|[;&|(]\s*)(?:crictl|etcdctl)\s").ok());

/// Environment that such a command needs on RKE2.
static NODE_ENV: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"node_env\(\)|CRI_CONFIG_FILE|--config[ =]/var/lib/rancher|k3s crictl|--runtime-endpoint").ok()
});

/// Warns of everything in the texts of one rule.
pub fn check(diagnostics: &mut Diagnostics, source: &RuleSource) {
    for step in &source.remedy {
        changes(diagnostics, step);
        environment(diagnostics, step);
        misplaced(diagnostics, step);
    }
    for text in source.templates() {
        run_checks(diagnostics, text, &COMMANDS, Code::Remedy);
        run_checks(diagnostics, text, &TEXTS, Code::Wording);
        unknown_times(diagnostics, source, text);
    }
}

/// A time that no condition asks for may be unknown; a sentence must not depend on it.
fn unknown_times(diagnostics: &mut Diagnostics, source: &RuleSource, text: &Written) {
    let Some(since) = SINCE.as_ref().filter(|_| !text.text.contains("{%")) else { return };
    let conditions: Vec<&str> = source.conditions().map(|written| written.text.as_str()).collect();
    for found in since.captures_iter(&text.text) {
        let (whole, path) = (found.get_match(), found.get(1).map_or("", |path| path.as_str()));
        let field = path.split_once('.').map_or(path, |(_, field)| field);
        if conditions.iter().any(|condition| condition.contains(field)) {
            continue;
        }
        let message = "the time may be unknown, and the sentence then ends with (unknown)";
        let hint = "put that part of the sentence between {% if ... %} and {% endif %}";
        let range = text.part(diagnostics.text(), whole.range());
        diagnostics.report(Code::Wording, range, message).hint(hint);
    }
}

fn run_checks(diagnostics: &mut Diagnostics, written: &Written, checks: &[TextCheck], code: Code) {
    let mut start = 0;
    for line in written.text.split_inclusive('\n') {
        for check in checks {
            let Some(found) = check.bad.as_ref().and_then(|bad| bad.find(line)) else { continue };
            if has(&check.unless, line) {
                continue;
            }
            let range = written.part(diagnostics.text(), start + found.start()..start + found.end());
            diagnostics.report(code, range, check.message).hint(check.hint);
        }
        start += line.len();
    }
}

/// A step that changes something says what may be lost.
fn changes(diagnostics: &mut Diagnostics, step: &RemedySource) {
    let Some(command) = step.run.as_ref().filter(|command| step.caution.is_none() && has(&CHANGES, &command.text))
    else {
        return;
    };
    let hint = "add caution: data or service that may be lost, and when the step is safe";
    diagnostics
        .report(Code::Remedy, command.range.clone(), "the command changes something, and the step has no caution")
        .hint(hint);
}

/// A value of a bundle must not say which program runs.
fn misplaced(diagnostics: &mut Diagnostics, step: &RemedySource) {
    let Some(command) = &step.run else { return };
    for place in text::misplaced(&command.text) {
        let range = command.part(diagnostics.text(), place..place + 2);
        let message = "a value cannot stand here: in place of a program, after $, in backquotes or in a here-document";
        let hint = "give it as an argument, and write $(...) for backquotes; in a report the command would be left out";
        diagnostics.report(Code::Remedy, range, message).hint(hint);
    }
}

/// On an RKE2 node neither crictl nor kubectl works without an environment.
fn environment(diagnostics: &mut Diagnostics, step: &RemedySource) {
    let Some(command) = &step.run else { return };
    if has(&ON_NODE, &command.text) && !has(&NODE_ENV, &command.text) {
        let message = "crictl does not work on an RKE2 node without PATH and CRI_CONFIG_FILE";
        let hint = "begin the command with a line {{ node_env() }}";
        diagnostics.report(Code::Remedy, command.range.clone(), message).hint(hint);
    }
}

fn has(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        for check in COMMANDS.iter().chain(&TEXTS) {
            assert!(check.bad.is_some() && check.unless.is_some(), "{}", check.message);
        }
        assert!(CHANGES.is_some() && ON_NODE.is_some() && NODE_ENV.is_some());
    }

    #[test]
    fn commands_that_change_something_are_known() {
        for command in [
            "kubectl -n x delete pod y",
            "kubectl rollout restart deployment/x",
            "helm -n x rollback y 3",
            "systemctl restart rke2-server",
            "cd /x; rm -rf y",
            "crictl rm -f x",
        ] {
            assert!(has(&CHANGES, command), "{command}");
        }
        for command in
            ["kubectl get pods", "kubectl describe node x", "helm history x", "crictl ps -a", "systemctl status x"]
        {
            assert!(!has(&CHANGES, command), "{command}");
        }
    }
}
