//! Collections of supportconfig, built in code: sections as logs and files, and facts about their host.

use serde_json::{Value, json};

use super::reason;

pub(super) const NAME: &str = "scc_web-1_250306_1015";

/// A section as supportconfig writes it; the content ends with a line end.
fn section(kind: &str, title: &str, content: &str) -> String {
    let head = format!("#==[ {kind} ]");
    format!("{head}{}#\n# {title}\n{content}\n", "=".repeat(51usize.saturating_sub(head.len())))
}

const BANNER: &str = "\
=============================================================================
                     Support Utilities - Supportconfig
                          Script Version: 3.2.8
=============================================================================

";

pub(super) fn files() -> Vec<(&'static str, String)> {
    let command = |line: &str, content: &str| section("Command", line, content);
    let file = |path: &str, content: &str| section("Configuration File", path, content);
    let basic = command("/usr/bin/date", "Thu Mar  6 10:15:30 UTC 2025\n")
        + &command(
            "/usr/bin/uname -a",
            "Linux web-1 5.14.21-150500.55-default #1 SMP x86_64 x86_64 x86_64 GNU/Linux\n",
        )
        + &file("/etc/os-release", "NAME=\"SLES\"\nPRETTY_NAME=\"SUSE Linux Enterprise Server 15 SP5\"\n");
    let health = command(
        "/usr/bin/df -h",
        "Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        78G   76G  2.0G  98% /\n",
    ) + &command(
        "/usr/bin/df -i",
        "Filesystem      Inodes  IUsed  IFree IUse% Mounted on\n/dev/vda1        10000   1000   9000   10% /\n",
    ) + &command("mpstat -P ALL 1 3", "ERROR: Command not found or not executable\n");
    let kernel =
        "EXT4-fs error (device sda1): ext4_find_entry:1658: inode #2: comm kubelet: reading directory lblock 0";
    let messages = format!(
        "2025-03-06T09:00:00+0000 web-1 systemd[1]: Started rke2.\n2025-03-06T09:00:01+0000 web-1 rke2[77]: t-rke2 started\n2025-03-06T09:00:02+0000 web-1 kernel: {kernel}\n"
    );
    vec![
        ("basic-environment.txt", format!("{BANNER}{basic}")),
        ("basic-health-check.txt", format!("{BANNER}{health}")),
        ("messages.txt", command("/usr/bin/journalctl --no-pager --output=short-iso --lines 200000", &messages)),
        (
            "boot.txt",
            command("/usr/bin/journalctl --no-pager --boot 0", "Mar 06 08:00:00 web-1 kernel: t-boot\n")
                + &command("/usr/bin/dmesg -T", &format!("[Thu Mar  6 09:00:02 2025] {kernel}\n")),
        ),
        (
            "messages_localwarn.txt",
            section("Log File", "/var/log/warn - Last 500 Lines", "2025-03-06T08:30:00.000000+00:00 web-1 t-warn: x\n"),
        ),
        (
            "ntp.txt",
            command("chronyc -n tracking", "ERROR: Command not found or not executable\n")
                + "#==[ Configuration File ]===========================#\n# /etc/ntp.conf - File not found\n\n"
                + &file("/etc/chrony.conf", "pool 10.0.0.254 iburst\n"),
        ),
        (
            "fs-diskio.txt",
            file("/proc/mounts", "/dev/vda1 / ext4 rw 0 0\n")
                + &command(
                    "/sbin/multipath -ll",
                    "\n# ERROR: Command did not complete within the timeout period.\nroot 7 multipath\n",
                ),
        ),
        ("etc.txt", file("/etc/x.conf", "password = *REMOVED BY SUPPORTCONFIG*\nuser = admin\n")),
        (
            "rpm.txt",
            command(
                "rpm -qa --queryformat \"%-35{NAME} %-35{DISTRIBUTION} %{VERSION}-%{RELEASE}\\n\" | sort",
                "NAME         DISTRIBUTION   VERSION\nrke2-server  SUSE           1.28.9~rke2r1-0\n",
            ),
        ),
        ("supportconfig.txt", BANNER.to_owned()),
        ("summary.xml", "<summary/>\n".to_owned()),
    ]
}

fn analysed(rules: &[(&str, &str)]) -> Value {
    super::analysed(NAME, &files(), rules)
}

fn finding<'a>(found: &'a Value, rule: &str) -> &'a Value {
    found["findings"].as_array().unwrap().iter().find(|f| f["rule"] == rule).unwrap_or(&Value::Null)
}

#[test]
fn a_collection_states_its_host() {
    let found = analysed(&[]);
    let bundle = &found["bundle"];
    assert_eq!(bundle["kind"], "supportconfig");
    assert_eq!(bundle["collector"]["name"], "supportconfig");
    assert_eq!(bundle["collector"]["why"], "has basic-environment.txt");
    assert_eq!(bundle["collected_at"], "2025-03-06T10:15:30Z");
    assert_eq!(
        bundle["versions"],
        json!({
            "kernel": "5.14.21-150500.55-default",
            "kubernetes": "v1.28.9+rke2r1",
            "os": "SUSE Linux Enterprise Server 15 SP5",
            "rke2": "v1.28.9+rke2r1",
        })
    );
    assert_eq!(bundle["nodes"], json!([{"name": "web-1", "ready": null, "roles": [], "collected": true}]));
    assert_eq!(bundle["logs"], json!({"from": "2025-03-06T08:00:00Z", "to": "2025-03-06T09:00:02Z"}));
    assert_eq!(found["issues"], json!([]));
}

#[test]
fn sections_are_logs_with_the_lines_of_their_text() {
    let rules = [
        ("t-rke2", "  said: {log: rke2, match: 't-rke2 started', where: said.node == 'web-1'}\n"),
        ("t-boot", "  said: {log: kernel, match: 't-boot'}\n"),
        ("t-warn", "  said: {log: kernel, match: 't-warn'}\n"),
    ];
    let found = analysed(&rules);
    let evidence = |rule: &str| {
        let proof = &finding(&found, rule)["evidence"][0];
        (
            proof["entry"].as_str().unwrap_or_default().to_owned(),
            proof["line"].clone(),
            proof["excerpt"][0]["text"].clone(),
        )
    };
    assert_eq!(evidence("t-rke2").0, "messages.txt");
    assert_eq!(evidence("t-rke2").1, 4);
    assert_eq!(finding(&found, "t-rke2")["last_seen"], "2025-03-06T09:00:01Z");
    assert_eq!((evidence("t-boot").0.as_str(), evidence("t-boot").1), ("boot.txt", json!(3)));
    assert_eq!(finding(&found, "t-boot")["last_seen"], "2025-03-06T08:00:00Z");
    assert_eq!(evidence("t-warn").1, 3);
}

#[test]
fn sections_are_files_with_a_path_of_their_own() {
    let rules = [
        (
            "t-os",
            "  os: {file: {path: '**/etc/os-release', as: keys}, where: os.data.NAME == 'SLES' && os.node == 'web-1'}\n",
        ),
        (
            "t-mounts",
            "  m: {file: {path: 'fs-diskio.txt/proc/mounts'}, where: \"m.text == '/dev/vda1 / ext4 rw 0 0\\n\\n'\"}\n",
        ),
        ("t-ntp", "  ntp: {file: {path: '**/etc/chrony.conf'}, where: ntp.path == 'ntp.txt/etc/chrony.conf'}\n"),
        ("t-removed", "  x: {file: {path: '**/etc/x.conf', as: keys}, where: \"x.data.password.startsWith('*')\"}\n"),
        ("t-absent", "  x: {file: {path: 'ntp.txt/chronyc_-n_tracking'}}\n"),
        ("t-gone", "  x: {file: {path: '**/etc/ntp.conf'}}\n"),
        (
            "t-late",
            "  x: {file: {path: 'fs-diskio.txt/{multipath_-ll,proc/mounts}'}, where: \"x.text.contains('mpatha')\"}\n",
        ),
    ];
    let found = analysed(&rules);
    let fired: Vec<_> = found["rules"]["fired"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let fired: Vec<_> = fired.into_iter().filter(|id| id.starts_with("t-")).collect();
    assert_eq!(fired, ["t-mounts", "t-ntp", "t-os", "t-removed"]);
    let proof = &finding(&found, "t-ntp")["evidence"][0];
    assert_eq!((&proof["entry"], &proof["line"]), (&json!("ntp.txt"), &json!(10)));
    assert_eq!(reason(&found, "t-absent"), "the bundle has no entry ntp.txt/chronyc_-n_tracking");
    assert_eq!(reason(&found, "t-gone"), "the bundle has no entry **/etc/ntp.conf");
    assert_eq!(
        reason(&found, "t-late"),
        "fs-diskio.txt/multipath_-ll contains only: Command did not complete within the timeout period"
    );
}

#[test]
fn rules_of_nodes_are_evaluated() {
    let found = analysed(&[]);
    assert_eq!(found["rules"]["fired"], json!(["node-kernel-ext4-error", "node-os-disk-usage-high"]));
    let disk = finding(&found, "node-os-disk-usage-high");
    assert_eq!(disk["title"], "/ of web-1 is 98% full");
    assert_eq!(
        (&disk["evidence"][0]["entry"], &disk["evidence"][0]["line"]),
        (&json!("basic-health-check.txt"), &json!(8))
    );
    let clean = found["rules"]["clean_partly"].to_string();
    for rule in ["hung-task", "mce", "oom-global", "panic-oops"] {
        assert!(clean.contains(&format!("node-kernel-{rule}")), "the kernel's log is there, events are not: {clean}");
    }
    let ext4 = finding(&found, "node-kernel-ext4-error");
    assert_eq!(ext4["count"], 1, "the same line in messages.txt and of dmesg is one");
}

#[test]
fn one_machine_cannot_prove_that_a_product_is_absent() {
    let found = analysed(&[]);
    assert_eq!(reason(&found, "harvester-node-join-token-mismatch"), "the bundle has no log of rancherd");
    let out_of_place = found["rules"]["not_applicable"].to_string();
    assert!(!out_of_place.contains("is not in this bundle"), "{out_of_place}");
}
