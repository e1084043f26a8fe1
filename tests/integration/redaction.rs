//! `--redact`: names of every form at every kind of place, searched for in every output in every encoding; and words
//! that must stay readable.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::{Value, json};

use crate::harness::{files_below, gleaner_in, tar_gz, zip};

/// Nodes: in the cluster, removed, known by a lease, by a claim of Longhorn, by their kernel alone, by a URL alone.
const NODES: [&str; 6] = ["qx-rack1", "qx-gone2", "qx-lease3", "qx-lhn4", "qx-sys5", "qx-url6"];

/// Texts of logs and messages, and the names in them that must not get out.
const FORMS: [(&str, &[&str]); 55] = [
    ("node qx-rack1 and QX-RACK1 are down", &["qx-rack1"]),
    ("pods kube-apiserver-qx-rack1, etcd-qx-gone2-1f2e3d4c", &["qx-rack1", "qx-gone2"]),
    ("lease holder qx-lease3_5f6c, instance-manager on qx-lhn4", &["qx-lease3", "qx-lhn4"]),
    (r"escaped\nqx-rack1\tqx-gone2", &["qx-rack1", "qx-gone2"]),
    ("path /var/lib/rancher/qx-rack1/qx-gone2.log, unit qx\\x2drack1.mount", &["qx-rack1", "qx-gone2", "qx\\x2drack1"]),
    ("query ?node=qx%2Drack1&ip=10%2E91%2E7%2E3", &["qx%2drack1", "10%2e91%2e7%2e3"]),
    ("member qx-rack1.zorbcorp.lan, fqdn QX-GONE2.ZORBCORP.LAN.", &["qx-rack1", "qx-gone2", "zorbcorp"]),
    ("static kube-proxy-qx-rack1.zorbcorp.lan", &["qx-rack1", "zorbcorp"]),
    ("vip rancher.zorb-inc.com, *.apps.zorb-inc.com, zorb-inc.com", &["zorb-inc"]),
    ("k8s.zorb.cloud, api.zorb2.dev, s3.zorb3.co.uk, zorb4.tech", &["zorb.cloud", "zorb2", "zorb3", "zorb4"]),
    ("www.zorb5.info and zorb5.info, git.zorb6.rs", &["zorb5", "zorb6"]),
    ("https://münzorb.de/x xn--mnzorb-n2a.de", &["münzorb", "mnzorb"]),
    ("join https://qx-url6:9345/ping", &["qx-url6"]),
    ("proxy http://zorbproxy:3128", &["zorbproxy"]),
    ("etcd https://jane:***@zorbdb:2379", &["zorbdb"]),
    ("backup s3://zorb-bucket@eu-central-1/", &["zorb-bucket"]),
    ("dial tcp: lookup zorbnas on 10.43.0.10:53: no such host", &["zorbnas"]),
    ("zorbfiler1:/export on /mnt type nfs4 (rw)", &["zorbfiler1"]),
    ("ssh: connect to host zorbjump port 22: refused", &["zorbjump"]),
    ("prompt root@zorbadm1:~# ls", &["zorbadm1"]),
    ("host ip-10-91-7-4.ec2.internal or ip-10-91-7-4", &["10-91-7-4"]),
    ("ec2-54-91-7-5.compute-1.amazonaws.com i-0ab1c2d3e4f5a6b7c", &["54-91-7-5", "i-0ab1c2d3e4f5a6b7c"]),
    ("pod 10-91-7-6.default.pod.cluster.local", &["10-91-7-6"]),
    (
        "ip 10.91.7.7, [10.91.7.8]:443, 10.91.7.9/24, 10.91.7.10-10.91.7.11",
        &["10.91.7.7", "10.91.7.8", "10.91.7.9", "10.91.7.1"],
    ),
    ("proc 0A5B0707:1F90 of 10.91.7.7, 0x0a5b0707", &["0a5b0707"]),
    ("odd 010.091.007.013", &["010.091.007.013"]),
    ("six fd91:7::13, [fd91:7::14]:443, fe80::91:7%eth0, ::ffff:10.91.7.15", &["fd91:7", "fe80::91", "10.91.7.15"]),
    ("cert listener.cattle.io/cn-fd91_7__13 for fd91:7::13", &["fd91_7__13"]),
    ("mac 52:54:91:ab:cd:01, 52-54-91-AB-CD-02, 5254.91ab.cd03", &["52:54:91", "52-54-91", "5254.91ab"]),
    ("nic enx525491abcd01 has 52:54:91:ab:cd:01, client 01:52:54:91:ab:cd:04", &["525491abcd01", "52:54:91"]),
    ("duid 00:03:00:01:52:54:91:ab:cd:05", &["52:54:91"]),
    ("wwpn 50:06:0e:80:91:34:56:78, 0x5000c50091b2c3d4, wwn-0x5000c50091b2c3d5", &["50:06:0e:80:91", "5000c50091"]),
    ("mpath 36001405911223344556677889900aabb", &["36001405911223344556677889900aabb"]),
    ("initiator iqn.1994-05.com.redhat:91a5c4f1e2", &["91a5c4f1e2"]),
    ("host nqn.2014-08.org.nvmexpress:uuid:91445444-0043-4d10", &["91445444"]),
    ("disk /dev/disk/by-id/nvme-SAMSUNG_91Z9NB0K1, ID_SERIAL_SHORT=91Z9NB0K1", &["91z9nb0k1"]),
    (r#"{"serialNumber":"VMware-91-4d-56"} Service Tag: 91ABCD2"#, &["vmware-91", "91abcd2"]),
    ("System UUID: 91c4c544-0043-4d10-8032-b7c04f565432", &["91c4c544"]),
    ("mail jane.doe@zorb-inc.com, Jane.Doe@sub.zorb-inc.com", &["jane.doe", "zorb-inc"]),
    ("ldap CN=svc,OU=it,DC=zorbdir,DC=example2", &["zorbdir", "example2"]),
    ("Mar  1 10:00:00 qx-sys5 kernel: oops", &["qx-sys5"]),
    ("service web.shop.svc.k8s.zorb-inc.com", &["zorb-inc"]),
    (r#"level=error node="zorbkv-7" hostname=zorbkv-8 "nodeName":"zorbkv-9""#, &["zorbkv"]),
    ("a customer's resource widgets.zorbapp.io", &["zorbapp"]),
    ("addresses 10.91.7.* and 10.91.7.x, range 10.91.7/24", &["10.91.7"]),
    ("colored 10.\x1b[1m91.7.16 and zorb-\x1b[1mvip.zorb-inc.com", &["91.7.16", "zorb-inc", "vip.zorb"]),
    ("Accepted publickey for root from zorbssh port 22 ssh2", &["zorbssh"]),
    ("no route to peer zorbpeer1", &["zorbpeer"]),
    ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIabc jane@zorblaptop", &["zorblaptop"]),
    ("ran ssh -i key root@zorbjump2 uptime; scp x zorbjump3:/tmp", &["zorbjump"]),
    ("NO_PROXY=localhost,zorbdb,10.0.0.0/8,.zorbint proxy=zorbpx:3128", &["zorbdb", "zorbint", "zorbpx"]),
    ("mount zorbnas1,zorbnas2:/cephfs failed", &["zorbnas"]),
    ("subject CN=zorbadm,O=Zorb Works GmbH,L=Ulm", &["zorbadm", "zorb works"]),
    ("issuer /C=DE/O=Zorb Unit/CN=zorbca", &["zorb unit", "zorbca"]),
    ("disk ata-Samsung_SSD_870_91SXNS0R700123X, Service Tag 91XK4LM", &["91sxns0r700123x", "91xk4lm"]),
];

/// Words that a report is useless without.
const KEPT: [&str; 16] = [
    "volumes.longhorn.io",
    "web.shop.svc.cluster.local",
    "http://longhorn-backend:9500/v1",
    "docker.io/rancher/rancher:v2.10.1",
    "k8s.io/client-go/tools/cache",
    "main.go:12",
    "metadata.name",
    "rke2-server.service",
    "org.opencontainers.image.name",
    "10.43.0.10",
    "v1.32.7+rke2r1",
    "pvc-5f6c1f5e-9a4f-4c07-8b7d-0d2f7f0e4a11",
    "O=system:masters",
    "CN=rke2-server-ca@1700000000",
    "CN=kube-apiserver",
    "O=Let's Encrypt",
];

const RULES: [(&str, &str); 4] = [
    ("pods", "{resource: pods, where: pod.status.message != null}"),
    ("lines", "{log: {path: '**'}, match: 'canary (?<text>.*)', by: [text]}"),
    ("nodes", "{resource: nodes}"),
    ("replicas", "{resource: replicas.longhorn.io}"),
];

fn rule(kind: &str, fact: &str) -> String {
    let name = kind.trim_end_matches('s');
    let said = match kind {
        "pods" => "{{ pod.status.message }} {{ pod.metadata.annotations.note }} on {{ pod.spec.nodeName }}",
        "lines" => "{{ line.text }} in {{ line.source }}",
        "nodes" => "{{ node.metadata.name }} {{ node.status.nodeInfo.systemUUID }}",
        _ => "{{ replica.metadata.name }} on {{ replica.spec.nodeID }}",
    };
    format!(
        "id: canary-{kind}\ntitle: \"{said}\"\nseverity: high\nconfidence: certain\narea: node\nfind: {{{name}: {fact}}}\nmessage: \"{said}\"\n\
         impact: \"{said}\"\ncause: \"{said}\"\nremedy: [{{do: \"See {said}\"}}]\n"
    )
}

/// A cluster with these names in dumps, tables, events, logs of pods and nodes, and paths.
fn bundle(folder: &Path) -> PathBuf {
    let list = |items: Vec<Value>| json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string().into_bytes();
    let object = |version: &str, kind: &str, namespace: Option<&str>, name: &str, more: Value| {
        let mut object =
            json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}});
        object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        object
    };
    let kept = KEPT.join(" ");
    let texts = FORMS.iter().map(|(text, _)| *text).chain([kept.as_str()]);
    let packed = |text: &str| base64::engine::general_purpose::STANDARD.encode(format!("the node {text} says so"));
    let pods = texts.clone().enumerate().map(|(number, text)| {
        let more = json!({"spec": {"nodeName": "qx-rack1"}, "status": {"phase": "Failed", "message": text}});
        let mut pod = object("v1", "Pod", Some("shop"), &format!("web-{number}-qx-rack1"), more);
        pod["metadata"]["annotations"] = json!({"note": format!("{text} {}", packed(text)), "host": text});
        pod
    });
    let events = texts.clone().enumerate().map(|(number, text)| {
        let about = json!({"kind": "Pod", "namespace": "shop", "name": format!("web-{number}-qx-rack1")});
        object("v1", "Event", Some("shop"), &format!("web.{number}"), json!({
            "type": "Warning", "reason": "Failed", "message": text, "involvedObject": about, "source": {"host": "qx-rack1"},
            "lastTimestamp": "2026-03-01T10:00:00Z", "count": 3
        }))
    });
    let node = object(
        "v1",
        "Node",
        None,
        "qx-rack1",
        json!({"status": {
            "nodeInfo": {"systemUUID": "91c4c544-0043-4d10-8032-b7c04f565432", "machineID": "91f00dcafe"},
            "addresses": [{"type": "Hostname", "address": "qx-rack1"}, {"type": "InternalIP", "address": "10.91.7.7"}]
        }}),
    );
    let replica = object(
        "longhorn.io/v1beta2",
        "Replica",
        Some("longhorn-system"),
        "pvc-1-r-qx-lhn4",
        json!({"spec": {"nodeID": "qx-lhn4"}}),
    );
    let lease = object("coordination.k8s.io/v1", "Lease", Some("kube-node-lease"), "qx-lease3", json!({"spec": {}}));
    let gone =
        object("storage.k8s.io/v1", "VolumeAttachment", None, "csi-1", json!({"spec": {"nodeName": "qx-gone2"}}));
    let lines: String = texts.clone().map(|text| format!("2026-03-01T10:00:00Z canary {text}\n")).collect();
    let journal: String = texts.map(|text| format!("Mar 01 10:00:00 qx-sys5 rke2[1]: canary {text}\n")).collect();
    let files = [
        ("metadata.yaml".to_owned(), b"projectName: Harvester\nbundleCreatedAt: '2026-03-01T12:00:00Z'\n".to_vec()),
        ("yamls/namespaced/shop/v1/pods.yaml".to_owned(), list(pods.collect())),
        ("yamls/namespaced/shop/v1/events.yaml".to_owned(), list(events.collect())),
        ("yamls/cluster/v1/nodes.yaml".to_owned(), list(vec![node])),
        ("yamls/cluster/storage.k8s.io/v1/volumeattachments.yaml".to_owned(), list(vec![gone])),
        ("yamls/namespaced/longhorn-system/longhorn.io/v1beta2/replicas.yaml".to_owned(), list(vec![replica])),
        ("yamls/namespaced/kube-node-lease/coordination.k8s.io/v1/leases.yaml".to_owned(), list(vec![lease])),
        ("logs/shop/web-0-qx-rack1/web.log".to_owned(), lines.into_bytes()),
        ("logs/kube-system/kube-proxy-qx-rack1/proxy-vip.zorb-inc.com.log".to_owned(), b"canary path\n".to_vec()),
        ("nodes/qx-rack1/logs/rke2-server.log".to_owned(), journal.into_bytes()),
        ("nodes/qx-rack1/logs/broken-10.91.7.16.yaml".to_owned(), b"a: [".to_vec()),
    ];
    let path = folder.join("qx-rack1.zip");
    zip(&path, "bundle", &files);
    for (kind, fact) in RULES {
        let file = folder.join(format!("rules/canary-{kind}.yaml"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, rule(kind, fact)).unwrap();
    }
    path
}

/// Returns a name in the encodings in which an output may have it, in lower case.
fn encodings(name: &str) -> Vec<String> {
    let bytes = |form: &dyn Fn(u8) -> String| name.bytes().map(form).collect::<String>();
    let escaped = |sign: &'static str| {
        bytes(&move |byte| {
            if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("{sign}{byte:02x}") }
        })
    };
    let mut all =
        vec![name.to_owned(), escaped("%"), escaped("\\x"), escaped("\\u00"), bytes(&|byte| format!("{byte:02x}"))];
    all.push(name.bytes().rev().map(char::from).collect());
    all.into_iter().map(|text| text.to_lowercase()).collect()
}

/// Returns the inner characters of a name in base64, at each of the three places within a group.
fn in_base64(name: &str) -> Vec<String> {
    (0..3)
        .map(|shift| {
            let text = STANDARD_NO_PAD.encode(format!("{}{name}", "x".repeat(shift)));
            let (from, to) = ([0, 2, 3][shift], (shift + name.len()) * 8 / 6);
            text[from..to].to_owned()
        })
        .filter(|text| text.len() >= 7)
        .collect()
}

#[test]
fn no_name_of_any_form_is_in_any_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    let outputs = ["r.html", "r.json", "r.md", "r.jira", "r.sarif", "r.xml", "r.txt"];
    for lang in ["en", "zh"] {
        let mut args = vec!["analyze", path.to_str().unwrap(), "--rules", "rules", "--redact", "--lang", lang];
        outputs.iter().for_each(|output| args.extend(["-o", *output]));
        let plain: Vec<&str> = args.iter().copied().filter(|arg| *arg != "--redact").collect();
        gleaner_in(folder.path(), plain);
        let plain = fs::read_to_string(folder.path().join("r.json")).unwrap();
        let unseen: Vec<&str> = NODES.into_iter().filter(|name| !plain.contains(name)).collect();
        assert!(unseen.is_empty(), "the test shows nothing about {unseen:?}");
        let answer = gleaner_in(folder.path(), args);
        let written = outputs.map(|output| (output, fs::read_to_string(folder.path().join(output)).unwrap()));
        let printed = [("stdout", answer.stdout.clone()), ("stderr", answer.stderr.clone())];
        let leaks: Vec<String> =
            written.iter().chain(&printed).flat_map(|(output, text)| leaks(output, text)).collect();
        assert!(leaks.is_empty(), "{lang}: {}", leaks.join("\n"));
        let lost: Vec<&str> = KEPT.into_iter().filter(|word| !written[1].1.contains(word)).collect();
        assert!(lost.is_empty(), "{lang}: {lost:?} are not readable any more");
    }
}

/// A Rancher collection: the same names in rows of tables and in descriptions.
fn collection(folder: &Path) -> PathBuf {
    let mut nodes = String::from("NAME         STATUS   ROLES    AGE   VERSION          INTERNAL-IP\n");
    NODES.iter().for_each(|name| nodes += &format!("{name:<13}Ready    <none>   7d    v1.30.6+rke2r1   10.91.7.7\n"));
    let kept = KEPT.join(" ");
    let texts = || FORMS.iter().map(|(text, _)| *text).chain([kept.as_str()]).enumerate();
    let rows: String = texts().map(|(number, text)| format!("shop        robot-{number:<5}7d    {text}\n")).collect();
    let described: String = texts()
        .map(|(number, text)| {
            format!(
                "Name:             web-{number}\nNamespace:        shop\nNode:             qx-rack1/10.91.7.7\nStart Time:       Sun, 01 Mar 2026 09:00:00 +0000\n\
                 Annotations:      note: {text}\nStatus:           Failed\nMessage:          {text}\nIP:\nIPs:              <none>\nEvents:           <none>\n\n\n"
            )
        })
        .collect();
    let files = [
        ("systeminfo/date", "Sun Mar  1 12:00:00 UTC 2026\n".to_owned()),
        ("systeminfo/hostname", "qx-rack1\n".to_owned()),
        ("networking/iproute", "default via 10.91.7.7 dev eth0\n".to_owned()),
        ("rke2/kubectl/nodes", nodes),
        ("rke2/kubectl/robots.example.org", format!("NAMESPACE   NAME       AGE   NOTE\n{rows}")),
        ("rke2/kubectl/poddescribe/shop", described),
    ];
    let path = folder.join("collection.tar.gz");
    tar_gz(&path, "qx-rack1-2026-03-01_12_00_00", &files.map(|(name, text)| (name.to_owned(), text.into_bytes())));
    path
}

/// A bundle with releases of Helm whose description has the names.
fn releases(folder: &Path) -> PathBuf {
    let release = |number: usize, text: &str| {
        let payload = json!({"name": format!("r{number}"), "namespace": "shop", "version": 1, "manifest": "", "hooks": [],
            "info": {"description": format!("Upgrade failed: {text}"), "status": "failed", "last_deployed": "2026-03-01T10:00:00Z"},
            "chart": {"metadata": {"name": "shop", "version": "1.0.0"}}});
        let packed = base64::engine::general_purpose::STANDARD.encode(payload.to_string());
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": format!("sh.helm.release.v1.r{number}.v1"),
            "labels": {"owner": "helm", "name": format!("r{number}"), "status": "failed", "version": "1"}}, "data": {"release": packed}})
    };
    let kept = KEPT.join(" ");
    let texts = FORMS.iter().map(|(text, _)| *text).chain([kept.as_str()]);
    let items: Vec<Value> = texts.enumerate().map(|(number, text)| release(number, text)).collect();
    let nodes: Vec<Value> =
        NODES.iter().map(|name| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})).collect();
    let list = |items: Vec<Value>| json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string().into_bytes();
    let files = [
        ("metadata.yaml".to_owned(), b"projectName: Harvester\nbundleCreatedAt: '2026-03-01T12:00:00Z'\n".to_vec()),
        ("yamls/cluster/v1/nodes.yaml".to_owned(), list(nodes)),
        ("yamls/namespaced/shop/v1/configmaps.yaml".to_owned(), list(items)),
    ];
    let path = folder.join("releases.zip");
    zip(&path, "bundle", &files);
    path
}

/// Rules that print cells, descriptions and releases.
const PRINTING: [(&str, &str, &str); 3] = [
    ("rows", "{resource: robots.example.org}", "{{ columns(row).NOTE }} {{ row }}"),
    (
        "described",
        "{resource: pods, where: described.status.message != null}",
        "{{ described.status.message }} {{ described.metadata.annotations }} on {{ described.spec.nodeName }}",
    ),
    ("releases", "{resource: helmreleases}", "{{ release.description }} {{ release.metadata }}"),
];

#[test]
fn no_name_of_a_table_a_description_or_a_release_is_in_any_output() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("rules")).unwrap();
    for (kind, fact, said) in PRINTING {
        let name = kind.trim_end_matches('s');
        let text = format!(
            "id: print-{kind}\ntitle: \"{said}\"\nseverity: high\nconfidence: certain\narea: node\nfind: {{{name}: {}}}\nmessage: \"{said}\"\n\
             impact: i\ncause: c\nremedy: [{{do: d}}]\n",
            fact.replace("self.", &format!("{name}."))
        );
        fs::write(folder.path().join(format!("rules/print-{kind}.yaml")), text).unwrap();
    }
    for bundle in [collection(folder.path()), releases(folder.path())] {
        let outputs = ["r.html", "r.json", "r.md", "r.jira", "r.sarif", "r.xml", "r.txt"];
        let mut args = vec!["analyze", bundle.to_str().unwrap(), "--rules", "rules", "--no-default-rules", "--redact"];
        outputs.iter().for_each(|output| args.extend(["-o", *output]));
        let answer = gleaner_in(folder.path(), args);
        let written = outputs.map(|output| (output, fs::read_to_string(folder.path().join(output)).unwrap()));
        let report: Value = serde_json::from_str(&written[1].1).unwrap();
        let fired = report["findings"].as_array().unwrap().len();
        assert!(fired >= FORMS.len(), "{}: {fired} findings, {}", bundle.display(), report["rules"]);
        let printed = [("stdout", answer.stdout.clone()), ("stderr", answer.stderr.clone())];
        let leaks: Vec<String> =
            written.iter().chain(&printed).flat_map(|(output, text)| leaks(output, text)).collect();
        assert!(leaks.is_empty(), "{}", leaks.join("\n"));
        let lost: Vec<&str> = KEPT.into_iter().filter(|word| !written[1].1.contains(word)).collect();
        assert!(lost.is_empty(), "{lost:?} are not readable any more");
    }
}

fn leaks(output: &str, text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    for (form, names) in FORMS {
        for name in names {
            let shown = encodings(name).into_iter().find(|encoded| lower.contains(encoded));
            let packed = in_base64(name).into_iter().find(|encoded| text.contains(encoded));
            found.extend(shown.or(packed).map(|shown| {
                let at = lower.find(&shown.to_lowercase()).unwrap_or_default();
                format!("{output}: {shown} of `{form}` in {:?}", lower.get(at.saturating_sub(60)..at + 60))
            }));
        }
    }
    found.extend(NODES.into_iter().filter(|name| lower.contains(name)).map(|name| format!("{output}: {name}")));
    found
}

#[test]
fn a_sample_has_no_name_of_any_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = bundle(folder.path());
    for kind in ["pods", "lines", "nodes", "replicas"] {
        let id = format!("canary-{kind}");
        let out = folder.path().join(kind);
        let args = ["sample", path.to_str().unwrap(), "--rules", "rules", "--rule", &id, "-o", out.to_str().unwrap()];
        let answer = gleaner_in(folder.path(), args);
        assert_eq!(answer.code, 0, "{kind}: {}", answer.stderr);
        for (name, bytes) in files_below(&out).into_iter().filter(|(name, _)| !name.starts_with("rules/")) {
            let text = format!("{name}\n{}", String::from_utf8_lossy(&bytes));
            assert!(leaks(&name, &text).is_empty(), "{kind}: {}\n{text}", leaks(&name, &text).join("\n"));
        }
    }
}
