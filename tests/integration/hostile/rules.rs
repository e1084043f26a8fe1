//! Rules of others that would take all memory or all time: each ends *not evaluated*, with its reason, in little memory.

use std::fs;
use std::path::Path;

use super::{MOST_MEMORY, watched_with};

/// A rule that must not be evaluated: facts after the configmap `c`, a message, and a part of the reason.
struct Hostile {
    name: &'static str,
    facts: fn() -> String,
    message: fn() -> String,
    reason: &'static str,
}

const MADE: &str = "makes more than 32 MiB of values";
const KEPT: &str = "keeps more than 64 MiB of values and texts";
const STEPS: &str = "steps on this bundle";
/// Such a value is not known, and the rule is evaluated without it.
const UNKNOWN: &str = "(it was evaluated)";
const LONG: &str = "a text of the rule grows beyond 256 KiB";

fn nothing() -> String {
    String::new()
}

fn printed() -> String {
    "{{ v | length }}".to_owned()
}

/// `start` and then forty times `step`, with the numbers of two values in a row in place of `A` and `B`.
fn chain(start: &str, step: &str) -> String {
    let one = |n: usize| step.replace('A', &format!("v{n}")).replace('B', &format!("v{}", n + 1));
    start.to_owned() + &(0..40).map(one).collect::<String>()
}

const ALL: &[Hostile] = &[
    // Texts
    Hostile {
        name: "text-doubled",
        facts: nothing,
        message: || chain("{% set v0 = 'xxxxxxxxxxxxxxxx' %}", "{% set B = A ~ A %}") + "{{ v40 | length }}",
        reason: MADE,
    },
    Hostile {
        name: "text-of-texts",
        facts: nothing,
        message: || chain("{% set v0 = 'x' %}", "{% set B = [A, A] | join(A) %}") + "{{ v40 | length }}",
        reason: MADE,
    },
    Hostile {
        name: "text-replaced",
        facts: nothing,
        message: || chain("{% set v0 = 'xxxx' %}", "{% set B = A | replace('x', 'xxxx') %}") + "{{ v40 | length }}",
        reason: "a text grows beyond 1048576 bytes",
    },
    Hostile {
        name: "lists-added",
        facts: nothing,
        message: || chain("{% set v0 = [1, 2] %}", "{% set B = A + A %}") + "{{ v40 | length }}",
        reason: "a list grows beyond 100000 items",
    },
    Hostile {
        name: "lists-of-lists",
        facts: nothing,
        message: || chain("{% set v0 = [1, 2] %}", "{% set B = [A, A] %}") + "{{ v40 | unique | length }}",
        reason: MADE,
    },
    Hostile {
        name: "lists-compared",
        facts: nothing,
        message: || {
            chain("{% set v0 = [1] %}{% set w = [1] %}", "{% set B = [A, A] %}") + "{% if v40 == v40 %}x{% endif %}"
        },
        reason: MADE,
    },
    Hostile {
        name: "lists-as-json",
        facts: nothing,
        message: || chain("{% set v0 = [1, 2] %}", "{% set B = [A, A] %}") + "{{ v40 | tojson }}",
        reason: MADE,
    },
    Hostile {
        name: "loops",
        facts: nothing,
        message: || {
            "{% set l = lists.range(1000) %}{% for a in l %}{% for b in l %}{% for d in l %}{% endfor %}{% endfor %}{% endfor %}"
                .to_owned()
        },
        reason: STEPS,
    },
    Hostile {
        name: "loop-that-joins",
        facts: nothing,
        message: || {
            chain("{% set v0 = 'xxxxxxxxxxxxxxxx' %}", "").replace("A", "")
                + "{% set t = lists.range(20000).join('0123456789') %}{% for a in lists.range(1000) %}{% set u = t ~ t %}{% endfor %}"
        },
        reason: MADE,
    },
    Hostile {
        name: "long",
        facts: nothing,
        message: || "{% for a in lists.range(1000) %}{{ lists.range(1000).join('0123456789') }}{% endfor %}".to_owned(),
        reason: LONG,
    },
    Hostile {
        name: "split-of-split",
        facts: nothing,
        message: || {
            "{% for a in lists.range(1000) %}{% set x = lists.range(9000).join('0123456789').split('') %}{% endfor %}"
                .to_owned()
        },
        reason: MADE,
    },
    // Expressions
    Hostile {
        name: "split-in-map",
        facts: || {
            "\n  v: {value: \"lists.range(1000).map(a, lists.range(9000).join('0123456789').split(''))\"}".to_owned()
        },
        message: printed,
        reason: MADE,
    },
    Hostile {
        name: "maps-of-maps",
        facts: || {
            "\n  v: {value: \"lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000).map(d, a)))\"}"
                .to_owned()
        },
        message: printed,
        reason: MADE,
    },
    Hostile {
        name: "texts-doubled",
        facts: || chain("\n  v0: {value: \"'xxxxxxxxxxxxxxxx'\"}", "\n  B: {value: A + A}"),
        message: || "{{ v40 }}".to_owned(),
        reason: UNKNOWN,
    },
    Hostile {
        name: "lists-doubled",
        facts: || chain("\n  v0: {value: \"[1, 2]\"}", "\n  B: {value: A + A}"),
        message: || "{{ v40 }}".to_owned(),
        reason: UNKNOWN,
    },
    Hostile {
        name: "lists-nested",
        facts: || chain("\n  v0: {value: \"[1, 2]\"}", "\n  B: {value: \"[A, A]\"}") + "\n  v: {value: v40 == v40}",
        message: printed,
        reason: MADE,
    },
    Hostile {
        name: "lists-nested-and-distinct",
        facts: || chain("\n  v0: {value: \"[1, 2]\"}", "\n  B: {value: \"[A, A]\"}") + "\n  v: {value: v40.distinct()}",
        message: printed,
        reason: MADE,
    },
    Hostile {
        name: "kept",
        facts: || {
            let filler = "0123456789".repeat(10);
            format!(
                "\n  e: {{each: lists.range(1000)}}\n  v: {{value: \"lists.range(4000).join('{filler}') + string(e)\"}}"
            )
        },
        message: printed,
        reason: KEPT,
    },
    Hostile {
        name: "exists-of-exists",
        facts: || {
            "\n  v: {value: \"lists.range(9000).exists(a, lists.range(9000).exists(b, lists.range(9000).exists(d, a + b + d < 0)))\"}"
                .to_owned()
        },
        message: printed,
        reason: MADE,
    },
    Hostile {
        name: "cartesian",
        facts: || "\n  a: {each: lists.range(3000)}\n  b: {each: lists.range(3000), where: a + b < 0}".to_owned(),
        message: || "m".to_owned(),
        reason: STEPS,
    },
    Hostile {
        name: "patterns",
        facts: || {
            "\n  v: {value: \"lists.range(2000).map(a, lists.range(9000).join('aaaaaaaaaaaa').matches('(a|b|aa|bb|aaa)*(c|d){50}$'))\"}"
                .to_owned()
        },
        message: printed,
        reason: MADE,
    },
    Hostile {
        name: "findings",
        facts: || "\n  e: {each: lists.range(1000)}".to_owned(),
        message: || {
            let filler = "0123456789".repeat(10);
            format!("{{% for a in lists.range(60) %}}{{{{ lists.range(40).join('{filler}') }}}}{{% endfor %}}")
        },
        reason: KEPT,
    },
];

fn write_rule(folder: &Path, hostile: &Hostile) {
    let about = if matches!(hostile.name, "findings" | "kept") { "[c, e]" } else { "[c]" };
    let message = serde_json::Value::from((hostile.message)());
    let rule = format!(
        "id: {}\ntitle: t\nseverity: low\nconfidence: certain\narea: node\nfind:\n  c: {{resource: nodes}}{}\nabout: {about}\nmessage: {message}\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n",
        hostile.name,
        (hostile.facts)(),
    );
    fs::write(folder.join(format!("{}.yaml", hostile.name)), rule).unwrap();
}

#[test]
fn hostile_rules_are_not_evaluated_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).unwrap();
    ALL.iter().for_each(|hostile| write_rule(&rules, hostile));
    let (_bundle, path) = super::written(&super::with_nodes(&[]));
    fs::copy(path, folder.path().join("bundle.zip")).unwrap();
    let outcome = watched_with(folder.path(), "bundle.zip", &["--rules", "rules", "--no-default-rules"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("r.json")).unwrap()).unwrap();
    let reasons = report["rules"]["not_evaluated"].as_array().unwrap();
    for hostile in ALL {
        let reason = reasons.iter().find(|entry| entry["rule"] == hostile.name).map(|entry| &entry["reason"]);
        let told = reason.and_then(serde_json::Value::as_str).unwrap_or(UNKNOWN);
        assert!(told.contains(hostile.reason), "{}: {told}", hostile.name);
    }
    assert!(outcome.memory < MOST_MEMORY / 2, "{} MiB", outcome.memory >> 20);
}
