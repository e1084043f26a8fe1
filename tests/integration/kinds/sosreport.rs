//! Archives of sosreport, built in code: journals, copies of the host's files, outputs of commands and of kubectl.

use serde_json::{Value, json};

use super::reason;

pub(super) const NAME: &str = "sosreport-cp1-4711-2025-03-06-abcdefg";

const EXT4: &str =
    "EXT4-fs error (device sda1): ext4_find_entry:1658: inode #2: comm kubelet: reading directory lblock 0";

pub(super) fn files() -> Vec<(&'static str, String)> {
    let owned = str::to_owned;
    let node = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cp1"}, "spec": {"unschedulable": true},
         "status": {"conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": {"kubeletVersion": "v1.28.9"}}}]});
    vec![
        ("version.txt", owned("sosreport: 4.5.6\n")),
        ("sos_commands/date/date", owned("Thu Mar  6 10:15:30 UTC 2025\n")),
        ("sos_commands/host/hostname", owned("cp1\n")),
        ("sos_commands/kernel/uname_-a", owned("Linux cp1 5.14.0-362.el9.x86_64 #1 SMP x86_64 GNU/Linux\n")),
        ("sos_commands/kernel/dmesg_-T", format!("[Thu Mar  6 09:00:02 2025] {EXT4}\n")),
        (
            "sos_commands/logs/journalctl_--no-pager_--boot",
            format!("Mar 06 09:00:01 cp1 systemd[1]: t-journal\nMar 06 09:00:02 cp1 kernel: {EXT4}\n"),
        ),
        ("sos_commands/logs/journalctl_--disk-usage", owned("Archived and active journals take up 8.0M.\n")),
        ("var/log/messages", owned("Mar  6 08:59:00 cp1 rke2[7]: t-rke2\n")),
        ("etc/os-release", owned("NAME=\"Some Linux\"\nPRETTY_NAME=\"Some Linux 9.3\"\n")),
        ("proc/mounts", owned("/dev/vda1 / xfs rw 0 0\n")),
        (
            "sos_commands/filesys/df_-al_-x_autofs",
            owned(
                "Filesystem     1K-blocks    Used Available Use% Mounted on\nproc                   0       0         0    - /proc\n/dev/vda1       81788928 78517371   3271557  96% /\n",
            ),
        ),
        ("sos_commands/kubernetes/cluster-info/kubectl_get_-o_json_nodes", node.to_string()),
        (
            "sos_commands/kubernetes/cluster-info/kubectl_get_--all-namespaces_true_pods",
            owned(
                "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nshop        web-0   1/1     Running   0          7d3h\n",
            ),
        ),
        (
            "sos_commands/kubernetes/cluster-info/shop/podlogs/web-0/kubectl_--namespace_shop_logs_web-0_-c_nginx",
            owned("t-pod said\n"),
        ),
    ]
}

fn analysed(rules: &[(&str, &str)]) -> Value {
    super::analysed(NAME, &files(), rules)
}

#[test]
fn an_archive_states_its_host() {
    let found = analysed(&[]);
    let bundle = &found["bundle"];
    assert_eq!(bundle["kind"], "sosreport");
    assert_eq!(bundle["collected_at"], "2025-03-06T10:15:30Z");
    assert_eq!(
        bundle["versions"],
        json!({"kernel": "5.14.0-362.el9.x86_64", "kubernetes": "v1.28.9", "os": "Some Linux 9.3"})
    );
    assert_eq!(bundle["nodes"], json!([{"name": "cp1", "ready": true, "roles": [], "collected": true}]));
    assert_eq!(found["issues"], json!([]));
    let gaps: Vec<_> = bundle["not_collected"].as_array().unwrap().iter().map(|gap| &gap["what"]).collect();
    assert!(gaps.contains(&&json!("most objects of the cluster, and logs of pods")), "{gaps:?}");
}

#[test]
fn journals_files_and_kubectl_are_read() {
    let rules = [
        ("t-journal", "  said: {log: units, match: 't-journal', where: said.node == 'cp1'}\n"),
        ("t-rke2", "  said: {log: rke2, match: 't-rke2'}\n"),
        ("t-pod", "  said: {log: {namespace: shop, container: nginx}, match: 't-pod said'}\n"),
        ("t-node", "  node: {resource: nodes, where: node.spec.unschedulable == true}\n"),
        ("t-row", "  pod: {resource: pods, name: web-0}\n"),
        ("t-file", "  m: {file: {path: '**/proc/mounts'}, where: \"m.text.contains('xfs') && m.node == 'cp1'\"}\n"),
        ("t-other", "  service: {resource: services}\n"),
    ];
    let found = analysed(&rules);
    let fired: Vec<_> = found["rules"]["fired"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let own: Vec<_> = fired.iter().filter(|id| id.starts_with("t-")).collect();
    assert_eq!(own, [&"t-file", &"t-journal", &"t-node", &"t-pod", &"t-rke2", &"t-row"]);
    assert_eq!(reason(&found, "t-other"), "services were not collected");
}

#[test]
fn rules_of_nodes_are_evaluated() {
    let found = analysed(&[]);
    assert_eq!(
        found["rules"]["fired"],
        json!(["node-kernel-ext4-error", "node-os-disk-usage-high", "precheck-node-cordoned"])
    );
    let findings = found["findings"].as_array().unwrap();
    let ext4 = findings.iter().find(|f| f["rule"] == "node-kernel-ext4-error").unwrap();
    assert_eq!(ext4["count"], 1, "the journal's line and that of dmesg are one");
    let disk = findings.iter().find(|f| f["rule"] == "node-os-disk-usage-high").unwrap();
    assert_eq!(disk["title"], "/ of cp1 is 96% full");
}
