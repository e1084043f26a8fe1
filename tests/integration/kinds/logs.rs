//! Logs in all forms in which collectors store them, in the files of one node, through the whole program.

use serde_json::json;

use super::reason;

/// A journal as `journalctl -r` writes it.
const REVERSED: &str = "-- Logs begin at Sun 2025-03-02 22:45:10 UTC, end at Thu 2025-03-06 10:20:00 UTC. --\n\
    Mar 06 10:00:05 n1 kubelet[7]: ended step\n\
    Mar 06 10:00:05 n1 kubelet[7]: begun step\n\
    -- Reboot --\n\
    Mar 05 09:00:00 n1 kubelet[7]: \u{1b}[31mold\u{1b}[0m fault\n";

fn files() -> Vec<(&'static str, String)> {
    let cut = "ar 06 09:59:59 n1 x[7]: torn fault time=\"2021-01-01T00:00:00Z\"\n";
    let syslog = "2025-03-06T08:00:00.1+00:00 n1 app[1]: up\n2025-03-06T09:00:00.1+00:00 n1 app[1]: 10%\r20%\rerror: no space\n\
                  1970-01-01T00:00:09+00:00 n1 app[1]: odd fault\n";
    vec![
        ("hostinfos/hostinfo", "hostname : \n \tn1\n".to_owned()),
        ("logs/kubelet.log", REVERSED.to_owned()),
        ("logs/k3s-service.log", "-- No entries --\n".to_owned()),
        ("logs/iscsid.log", format!("{cut}2025-03-06T10:00:00Z n1 x[7]: fine\n")),
        ("logs/syslog", syslog.to_owned()),
    ]
}

fn log(unit: &str, rest: &str) -> String {
    format!("  it: {{log: {{path: '**/{unit}'}}, {rest}}}\n")
}

#[test]
fn logs_are_read_in_whatever_state_they_are() {
    let step =
        |name: &str| format!("        - {{name: {name}, log: {{path: '**/kubelet.log'}}, match: '{name} step'}}\n");
    let sequence =
        |a: &str, b: &str| format!("  it:\n    sequence:\n      within: 1m\n      steps:\n{}{}", step(a), step(b));
    let rules = [
        ("t-order", sequence("begun", "ended")),
        ("t-reverse", sequence("ended", "begun")),
        ("t-coloured", log("kubelet.log", "match: 'old fault'")),
        ("t-notes", log("kubelet.log", "match: '(Reboot|No entries|Logs begin at) '")),
        ("t-bar", log("syslog", "match: '^error: no space'")),
        ("t-torn", log("iscsid.log", "match: 'torn fault', at_least: 1, within: 1h")),
        ("t-empty", log("k3s-service.log", "match: 'some fault'")),
    ];
    let rules: Vec<(&str, &str)> = rules.iter().map(|(id, find)| (*id, find.as_str())).collect();
    let found = super::analysed("n1", &files(), &rules);
    let own = |list: &str| -> Vec<String> {
        let ids = found["rules"][list].as_array().unwrap().iter().filter_map(|id| id.as_str());
        ids.filter(|id| id.starts_with("t-")).map(str::to_owned).collect()
    };
    assert_eq!(own("fired"), ["t-bar", "t-coloured", "t-order"]);
    assert_eq!(own("clean"), ["t-empty", "t-notes", "t-reverse"]);
    assert!(reason(&found, "t-torn").contains("time"), "{}", reason(&found, "t-torn"));
    assert_eq!(found["bundle"]["logs"], json!({"from": "2025-03-05T09:00:00Z", "to": "2025-03-06T10:00:05Z"}));
    let bar = found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "t-bar").unwrap();
    assert_eq!(bar["evidence"][0]["line"], 2);
}

#[test]
fn a_log_of_all_programs_tells_about_those_that_wrote_in_it() {
    let line = |program: &str| format!("Mar 06 10:00:05 n1 {program}[7]: up\n");
    let rules =
        ["k3s", "rke2", "iscsid"].map(|stream| (stream, format!("  it: {{log: {stream}, match: 'some fault'}}\n")));
    let rules: Vec<(&str, &str)> = rules.iter().map(|(id, find)| (*id, find.as_str())).collect();
    let reasons = |programs: &[&str]| {
        let messages: String = programs.iter().map(|program| line(program)).collect();
        let found = super::analysed("n1", &[("messages.log", messages)], &rules);
        ["k3s", "rke2", "iscsid"].map(|rule| reason(&found, rule).contains("has no log of"))
    };
    assert_eq!(reasons(&["systemd", "rke2"]), [true, false, false]);
    assert_eq!(reasons(&["k3s", "rke2"]), [false, false, false]);
    assert_eq!(reasons(&["systemd"]), [true, true, false]);
}
