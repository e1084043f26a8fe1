//! Archives of single nodes, built as support-bundle-kit writes them.

use std::io::Write;

use serde_json::{Value, json};

use super::reason;

pub(super) fn files() -> Vec<(&'static str, String)> {
    let note = "# Note: this file is re-formatted by support-bundle-kit collector.\n";
    let owned = str::to_owned;
    vec![
        ("configs/etc/hostname", owned("n1\n")),
        ("configs/etc/os-release", owned("NAME=\"SLE Micro\"\nPRETTY_NAME=\"Harvester v1.4.1\"\n")),
        (
            "configs/etc/harvester-release.yaml",
            format!("{note}harvester: v1.4.1\nkubernetes: v1.29.9+rke2r1\nrancher: v2.9.2\n"),
        ),
        (
            "configs/oem/harvester.config",
            format!("{note}{{\"install\": {{\"device\": \"/dev/sda\", \"password\": \"***\"}}}}\n"),
        ),
        ("configs/oem/99_empty.yaml", owned(note)),
        ("configs/oem/grubenv", owned("# GRUB Environment Block\nsaved_entry=cos\n#######")),
        ("configs/etc/rancher/installer/env", owned("ROLE=\"server\"\nTOKEN=\"abc\"\n")),
        ("configs/etc/rancher/rke2/config.yaml.d/90-b.yaml", format!("{note}cni: canal\n")),
        ("configs/etc/rancher/rke2/config.yaml.d/10-a.yaml", format!("{note}token: '***'\n")),
        (
            "logs/containerd-images.log",
            owned(
                "REF                            TYPE                                                 DIGEST      SIZE      PLATFORMS   LABELS                          \ndocker.io/rancher/rke2:v1.29.9 application/vnd.docker.distribution.manifest.v2+json sha256:a1b2 412.1 MiB linux/amd64 io.cri-containerd.image=managed \n",
            ),
        ),
        (
            "logs/kernel.log",
            owned(
                "Mar 06 09:00:00.000001 n1 kernel: Linux version 5.14.21\nMar 06 09:00:02.000001 n1 kernel: EXT4-fs error (device sda1): ext4_find_entry:1658: inode #2: comm x: reading directory lblock 0\n",
            ),
        ),
        (
            "logs/rke2-server.log",
            owned("Mar 06 10:00:00.000001 n1 rke2[1]: time=\"2025-03-06T10:00:00Z\" level=info msg=\"t-rke2\"\n"),
        ),
        ("logs/console.log", owned("\u{1b}[2Jtime=\"2025-03-06T09:30:00Z\" level=info msg=\"t-console\"\n")),
    ]
}

/// Packs the archive of a node; `top` is the folder that names it, empty for none.
fn packed(name: &str, top: &str, files: &[(&str, String)], rules: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (file, text) in files {
        writer.start_file(format!("{top}{file}"), zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    super::with_rules(folder.path(), &path, rules)
}

#[test]
fn a_node_has_facts_and_reports_the_rest_as_missing() {
    for (name, top) in [("n1.zip", "n1/"), ("n1.zip", ""), ("download.zip", "")] {
        let found = packed(name, top, &files(), &[]);
        let bundle = &found["bundle"];
        assert_eq!(bundle["kind"], "node", "{name} {top}");
        assert_eq!(bundle["collected_at"], "2025-03-06T10:00:00Z");
        assert_eq!(
            bundle["versions"],
            json!({
                "harvester": "v1.4.1", "kubernetes": "v1.29.9+rke2r1", "os": "Harvester v1.4.1", "rancher": "v2.9.2",
                "rke2": "v1.29.9+rke2r1",
            })
        );
        assert_eq!(bundle["nodes"], json!([{"name": "n1", "ready": null, "roles": [], "collected": true}]));
        assert_eq!(found["issues"], json!([]));
        let gaps: Vec<_> =
            bundle["not_collected"].as_array().unwrap().iter().map(|gap| gap["what"].as_str().unwrap()).collect();
        assert_eq!(gaps, ["objects of the cluster, logs of pods, other nodes", "time of collection"]);
        assert_eq!(found["rules"]["fired"], json!(["node-kernel-ext4-error"]));
    }
}

#[test]
fn rules_read_the_files_of_a_node_as_in_a_bundle() {
    let rules = [
        (
            "t-config",
            "  c: {file: {path: 'nodes/*/configs/oem/harvester.config', as: yaml}, where: c.data.install.device == '/dev/sda' && c.node == 'n1'}\n",
        ),
        ("t-empty", "  c: {file: {path: 'nodes/*/configs/oem/99_empty.yaml', as: yaml}, where: c.data == null}\n"),
        (
            "t-env",
            "  e: {file: {path: 'nodes/*/configs/etc/rancher/installer/env', as: keys}, where: e.data.ROLE == 'server' && e.data.TOKEN != 'abc'}\n",
        ),
        (
            "t-grub",
            "  g: {file: {path: 'nodes/*/configs/oem/grubenv', as: keys}, where: g.data.saved_entry == 'cos'}\n",
        ),
        (
            "t-order",
            "  all: {file: {path: 'nodes/*/configs/etc/rancher/rke2/config.yaml.d/*', as: yaml}, collect: true}\nwhen: \"size(all) == 2 && all[1].data.cni == 'canal'\"\n",
        ),
        (
            "t-images",
            "  i: {file: {path: 'nodes/*/logs/containerd-images.log', as: table}, where: \"i.data.exists(row, row.SIZE == '412.1 MiB')\"}\n",
        ),
        ("t-console", "  said: {log: console, match: 't-console'}\n"),
        ("t-rke2", "  said: {log: rke2, match: 't-rke2'}\n"),
        ("t-none", "  pod: {resource: pods}\n"),
    ];
    let found = packed("n1.zip", "n1/", &files(), &rules);
    let fired: Vec<_> = found["rules"]["fired"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let own: Vec<_> = fired.iter().filter(|id| id.starts_with("t-")).copied().collect();
    assert_eq!(own, ["t-config", "t-console", "t-empty", "t-env", "t-grub", "t-images", "t-order", "t-rke2"]);
    assert_ne!(reason(&found, "t-none"), "");
}

#[test]
fn supportconfig_in_a_node_states_the_time() {
    let mut files = files();
    let text = "#==[ Command ]===#\n# /usr/bin/date\nThu Mar  6 10:15:30 UTC 2025\n\n#==[ Command ]===#\n# /usr/bin/df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        78G   76G  2.0G  98% /\n";
    files.push(("scc/scc_supportconfig_n1/basic-environment.txt", text.to_owned()));
    files.push(("scc/scc_supportconfig_n1/basic-health-check.txt", text.to_owned()));
    let found = packed("n1.zip", "n1/", &files, &[]);
    assert_eq!(found["bundle"]["kind"], "node");
    assert_eq!(found["bundle"]["collected_at"], "2025-03-06T10:15:30Z");
    let fired = found["rules"]["fired"].as_array().unwrap();
    assert!(fired.contains(&json!("node-os-disk-usage-high")));
}
