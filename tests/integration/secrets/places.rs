//! A bundle with secrets in every kind of place, and the rules that look at them.

use std::fs;
use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::forms::{DOCUMENTS, Secrets};

/// Files of a bundle.
pub type Files = Vec<(String, Vec<u8>)>;

/// Rule, fact, what must be true, and what its texts print.
pub const RULES: [(&str, &str, &str); 13] = [
    (
        "c-configmap",
        "{resource: configmaps, where: self.data.text != null}",
        "{{ f.data }} {{ f.data.text }} {{ f.metadata.annotations }}",
    ),
    (
        "c-pod",
        "{resource: pods, where: \"self.spec.containers.exists(c, c.args.exists(a, a != null) && c.env.exists(e, e.value != null))\"}",
        "{{ f.spec.containers }}",
    ),
    (
        "c-status",
        "{resource: pods, where: \"self.status.containerStatuses[0].lastState.terminated.message != null && self.status.conditions[0].message != null\"}",
        "{{ f.status }} {{ f.status.containerStatuses[0].lastState.terminated.message }}",
    ),
    ("c-event", "{event: {reason: FailedMount}}", "{{ f.message }}"),
    ("c-release", "{resource: helmreleases, where: self.description != null}", "{{ f.description }}"),
    ("c-secret", "{resource: secrets, where: self.data != null}", "{{ f.data }} {{ f.metadata }}"),
    (
        "c-log",
        "{log: {namespace: demo, pod: web, container: app}, match: 'canary (?<n>\\d+) (?<what>.*)', by: [n]}",
        "{{ f.what }} {{ f.n }} {{ f.lines }}",
    ),
    ("c-node", "{log: kernel, match: 'canary (?<n>\\d+) (?<what>.*)', by: [n]}", "{{ f.what }} {{ f.lines }}"),
    (
        "c-file",
        "{file: {path: 'nodes/*/configs/*.yaml', as: yaml}, where: f.text != null}",
        "{{ f.text }} {{ f.data }}",
    ),
    ("c-setting", "{resource: settings.harvesterhci.io, where: self.value != null}", "{{ f.value }} {{ f.default }}"),
    (
        "c-decoded",
        "{resource: configmaps, where: \"self.data.packed != null && base64(self.data.packed) != null\"}",
        "{{ f.data.plain }} {{ decoded }} {{ json(f.data.inner) }}",
    ),
    ("c-table", "{resource: robots.example.org, where: columns(self).NOTE != null}", "{{ f }} {{ f.metadata }}"),
    ("c-described", "{resource: pods, where: self.status.message != null}", "{{ f.status.message }} {{ f.metadata }}"),
];

pub fn rules(folder: &Path) {
    fs::create_dir(folder).unwrap();
    for (id, fact, message) in RULES {
        let value = if id == "c-decoded" { "  decoded: {value: base64(f.data.packed)}\n" } else { "" };
        let fact = fact.replace("self.", "f.").replace("(self)", "(f)");
        let texts = format!(
            "message: \"{message}\"\nimpact: i\ncause: \"{message}\"\nremedy: [{{do: \"{message}\", run: \"echo {message}\"}}]\n"
        );
        let head = format!("id: {id}\ntitle: \"{id} {message}\"\nseverity: high\nconfidence: certain\narea: node\n");
        fs::write(folder.join(format!("{id}.yaml")), format!("{head}find:\n  f: {fact}\n{value}about: [f]\n{texts}"))
            .unwrap();
    }
}

/// A bundle of support-bundle-kit with these forms in each place.
pub fn kit(secrets: &mut Secrets, forms: &[usize]) -> Files {
    let mut files = vec![
        text("metadata.yaml", "bundlecreatedat: \"2024-05-06T07:08:09Z\"\nharvesterversion: v1.3.1\n"),
        text(
            "yamls/cluster/v1/nodes.yaml",
            &list(&[json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})]),
        ),
    ];
    let each = |make: &mut dyn FnMut(usize) -> Value| forms.iter().map(|form| make(*form)).collect::<Vec<Value>>();
    let mut objects = each(&mut |form| configmap(secrets, form));
    objects.extend(DOCUMENTS.iter().map(|(name, text)| {
        let text = secrets.document(text);
        object("ConfigMap", name, json!({"data": {"text": text, "packed": STANDARD.encode(gzip(text.as_bytes())), "plain": STANDARD.encode(text.as_bytes())}}))
    }));
    files.push(text("yamls/namespaced/demo/v1/configmaps.yaml", &list(&objects)));
    files.push(text(
        "yamls/namespaced/json/v1/configmaps.yaml",
        &json!({"apiVersion": "v1", "kind": "List", "items": each(&mut |form| configmap(secrets, form))}).to_string(),
    ));
    let quoted: Vec<String> = DOCUMENTS.iter().map(|(name, text)| {
        let text = serde_json::to_string(&secrets.document(text)).unwrap();
        format!("- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: q-{name}, namespace: quoted}}\n  data:\n    text: {text}\n    mode: open\n")
    }).collect();
    files.push(text(
        "yamls/namespaced/quoted/v1/configmaps.yaml",
        &format!("apiVersion: v1\nkind: List\nitems:\n{}", quoted.concat()),
    ));
    files.push(text("yamls/namespaced/demo/v1/pods.yaml", &list(&each(&mut |form| pod(secrets, form)))));
    files.push(text("yamls/namespaced/demo/v1/events.yaml", &list(&each(&mut |form| event(secrets, form)))));
    files.push(text("yamls/namespaced/demo/v1/secrets.yaml", &list(&each(&mut |form| secret(secrets, form)))));
    files.push(text("yamls/namespaced/helm/v1/configmaps.yaml", &list(&each(&mut |form| release(secrets, form)))));
    files.push(text(
        "yamls/cluster/harvesterhci.io/v1beta1/settings.yaml",
        &list(&each(&mut |form| setting(secrets, form))),
    ));
    let mut lines = |lead: &str| {
        forms.iter().map(|form| format!("{lead}canary {form} {}\n", secrets.line(*form))).collect::<String>()
    };
    files.push(text("logs/demo/web/app.log", &lines("2024-05-06T06:00:00.1Z ")));
    // No rule reads these: they are errors that no rule explains, and the last lines of a container that is not ready.
    files.push(text("logs/demo/p0/c.log", &lines("2024-05-06T07:00:00.1Z ERROR upload failed: ")));
    let kernel = lines("May 06 06:00:00 n1 kernel: ");
    files.push(("nodes/n1.zip".to_owned(), zipped(&[("n1/logs/kernel.log", kernel.as_bytes())])));
    for (name, document) in DOCUMENTS {
        files.push(text(&format!("nodes/n1/configs/{name}.yaml"), &secrets.document(document)));
    }
    files
}

/// A Rancher collection: tables and descriptions.
pub fn rancher(secrets: &mut Secrets, forms: &[usize]) -> Files {
    let mut table = String::from("NAMESPACE   NAME       AGE   NOTE\n");
    let mut described = String::new();
    for form in forms {
        table += &format!("shop        robot-{form:<5}7d    {}\n", secrets.line(*form));
        described += &format!(
            "Name:             web-{form}\nNamespace:        shop\nNode:             n1/10.0.0.1\nAnnotations:      note: {}\nStatus:           Failed\nMessage:          {}\nIP:\nIPs:              <none>\nContainers:\n  web:\n    Image:        web:1\n    Args:\n      --token\n      {}\n    State:        Waiting\n      Reason:     CrashLoopBackOff\n    Environment:\n      DB_PASSWORD:  {}\nEvents:   <none>\n\n\n",
            secrets.line(*form),
            secrets.line(*form),
            secrets.document("{}"),
            secrets.document("{}")
        );
    }
    vec![
        text("systeminfo/date", "Thu Mar  6 10:15:30 UTC 2025\n"),
        text("networking/iproute", "x\n"),
        text("rke2/kubectl/robots.example.org", &table),
        text("rke2/kubectl/poddescribe/shop", &described),
    ]
}

fn text(path: &str, text: &str) -> (String, Vec<u8>) {
    (path.to_owned(), text.as_bytes().to_vec())
}

fn list(items: &[Value]) -> String {
    serde_yaml::to_string(&json!({"apiVersion": "v1", "kind": "List", "items": items})).unwrap()
}

fn object(kind: &str, name: &str, mut body: Value) -> Value {
    let is_setting = kind == "Setting";
    body["apiVersion"] = json!(if is_setting { "harvesterhci.io/v1beta1" } else { "v1" });
    body["kind"] = json!(kind);
    body["metadata"]["name"] = json!(name);
    if !is_setting {
        body["metadata"]["namespace"] = json!("demo");
    }
    body
}

fn configmap(secrets: &mut Secrets, form: usize) -> Value {
    let applied = json!({"data": {"text": secrets.line(form)}}).to_string();
    let packed = STANDARD.encode(gzip(format!("canary {form} {}", secrets.line(form)).as_bytes()));
    object(
        "ConfigMap",
        &format!("c{form}"),
        json!({
            "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied, "note": secrets.line(form)}},
            "data": {"text": format!("first line\n{}\nlast line\n", secrets.line(form)), "packed": packed, "inner": json!({"a": secrets.line(form)}).to_string()}
        }),
    )
}

fn pod(secrets: &mut Secrets, form: usize) -> Value {
    let name = format!("p{form}");
    let container = json!({"name": "c", "args": ["run", secrets.line(form), "--token", secrets.document("{}"), "last"],
        "env": [{"name": "DB_PASSWORD", "value": secrets.document("{}")}, {"name": "NOTE", "value": secrets.line(form)}]});
    let ended =
        json!({"terminated": {"reason": "Error", "exitCode": 1, "message": format!("log\n{}", secrets.line(form))}});
    object(
        "Pod",
        &name,
        json!({"spec": {"containers": [container]}, "status": {"phase": "Running",
        "containerStatuses": [{"name": "c", "lastState": ended}],
        "conditions": [{"type": "Ready", "status": "False", "message": format!("not ready: {}", secrets.line(form))}]}}),
    )
}

fn event(secrets: &mut Secrets, form: usize) -> Value {
    object(
        "Event",
        &format!("e{form}"),
        json!({"type": "Warning", "reason": "FailedMount", "message": secrets.line(form),
        "involvedObject": {"kind": "Pod", "name": format!("p{form}"), "namespace": "demo"}, "lastTimestamp": "2024-05-06T07:00:00Z"}),
    )
}

fn secret(secrets: &mut Secrets, form: usize) -> Value {
    object(
        "Secret",
        &format!("s{form}"),
        json!({"data": {"color": STANDARD.encode(secrets.line(form))}, "stringData": {"shape": secrets.line(form)},
        "metadata": {"annotations": {"note": secrets.line(form)}}}),
    )
}

fn setting(secrets: &mut Secrets, form: usize) -> Value {
    object(
        "Setting",
        &format!("setting-{form}"),
        json!({"value": json!({"note": secrets.line(form)}).to_string(), "default": secrets.line(form)}),
    )
}

/// A release of Helm 3 in a ConfigMap.
fn release(secrets: &mut Secrets, form: usize) -> Value {
    let manifest = serde_yaml::to_string(&configmap(secrets, form)).unwrap();
    let payload = json!({"name": format!("r{form}"), "namespace": "demo", "version": 1, "manifest": manifest, "hooks": [],
        "info": {"description": format!("Upgrade failed: {}", secrets.line(form)), "status": "failed", "last_deployed": "2024-05-01T10:00:00Z"},
        "config": {"note": secrets.line(form)},
        "chart": {"metadata": {"name": "shop", "version": "1.0.0"}}});
    let labels = json!({"owner": "helm", "name": format!("r{form}"), "status": "failed", "version": "1"});
    object(
        "ConfigMap",
        &format!("sh.helm.release.v1.r{form}.v1"),
        json!({"metadata": {"labels": labels}, "data": {"release": STANDARD.encode(gzip(payload.to_string().as_bytes()))}}),
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
