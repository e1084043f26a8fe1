//! `gleaner serve` with the programs that use it: kubectl, and the Python client of Kubernetes. Without them the tests say that they are skipped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{corpus, gleaner_in, kubectl, python, sample};

const CORPUS: [&str; 3] =
    ["harvester-v1.0-single-node.zip", "rancher-rke2-server-2025-11-27.tar.gz", "troubleshoot-k3s-2022.tar.gz"];

/// A bundle that is served until the end of the test.
struct Served {
    child: Child,
    kubeconfig: PathBuf,
    /// Address of the report, which is that of the API with a slash.
    report: String,
    /// Where kubectl keeps its cache.
    home: TempDir,
}

impl Served {
    fn new(bundle: &Path) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
            .arg("serve")
            .arg(bundle)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut after = |start: &str, end: &str| -> String {
            let line = lines.find(|line| line.trim().starts_with(start)).unwrap();
            line.trim().strip_prefix(start).unwrap().strip_suffix(end).unwrap().to_owned()
        };
        let kubeconfig = after("KUBECONFIG=", " kubectl get pods -A").into();
        let report = after("report: ", "");
        Self { child, kubeconfig, report, home: TempDir::new().unwrap() }
    }

    /// Runs a program as a user would.
    fn run(&self, program: &Path, args: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(args).env("KUBECONFIG", &self.kubeconfig).env("HOME", self.home.path()).stdin(Stdio::null());
        command.output().unwrap()
    }

    /// Returns what kubectl prints; it must succeed.
    fn kubectl(&self, kubectl: &Path, line: &str) -> String {
        let output = self.run(kubectl, &line.split_whitespace().collect::<Vec<_>>());
        assert!(output.status.success(), "kubectl {line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns what kubectl says when it fails.
    fn refused(&self, kubectl: &Path, line: &str) -> String {
        let output = self.run(kubectl, &line.split_whitespace().collect::<Vec<_>>());
        assert!(!output.status.success(), "kubectl {line}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Returns status line, headers and body of the answer to a request; `path` begins behind the secret.
    fn raw(&self, method: &str, path: &str, headers: &str) -> String {
        let (host, secret) = self.report.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let target = format!("/{}{path}", secret.trim_end_matches('/'));
        exchange(host, &format!("{method} {target} HTTP/1.1\r\n{headers}"), !headers.contains("Host:"))
    }

    fn host(&self) -> &str {
        self.report.strip_prefix("http://").unwrap().split_once('/').unwrap().0
    }

    /// Ends as Ctrl-C does.
    fn interrupt(mut self) -> (i32, PathBuf) {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        (self.child.wait().unwrap().code().unwrap(), self.kubeconfig.clone())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A killed program cannot remove it.
        let _ = std::fs::remove_file(&self.kubeconfig);
    }
}

fn exchange(host: &str, head: &str, with_host: bool) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    let own = if with_host { format!("Host: {host}\r\n") } else { String::new() };
    stream.write_all(format!("{head}{own}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

/// Lines without the blanks at their ends, which only kubectl writes.
fn trimmed(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

#[test]
fn kubectl_lists_what_get_lists() {
    let Some(kubectl) = kubectl() else { return };
    let bundles: Vec<PathBuf> =
        [sample("healthy")].into_iter().chain(CORPUS.iter().filter_map(|f| corpus(f))).collect();
    for bundle in bundles {
        let served = Served::new(&bundle);
        let served_types = served.kubectl(&kubectl, "api-resources -o name --verbs=list");
        let mut compared = 0;
        for type_ in
            ["nodes", "pods", "services", "deployments.apps", "persistentvolumes", "events", "volumes.longhorn.io"]
        {
            if !served_types.lines().any(|line| line.trim_end_matches('.') == type_) {
                continue;
            }
            let args = ["get", bundle.to_str().unwrap(), type_, "-A", "-o", "wide"];
            let own = gleaner_in(Path::new("."), args);
            let line = format!("get {type_} -A -o wide");
            if own.code != 0 {
                let said = served.refused(&kubectl, &line);
                assert!(said.contains("were not collected") && said.contains("NotFound"), "{line}: {said}");
                continue;
            }
            let theirs = served.kubectl(&kubectl, &line);
            assert_eq!(trimmed(&theirs), trimmed(&own.stdout), "{}: {line}", bundle.display());
            compared += usize::from(!theirs.is_empty());
        }
        assert!(compared > 1, "{}", bundle.display());
    }
}

#[test]
fn kubectl_finds_a_cluster() {
    let Some(kubectl) = kubectl() else { return };
    let served = Served::new(&sample("healthy"));
    let said = |line: &str| served.kubectl(&kubectl, line);
    let pods = said("get pods -n longhorn-system -o name");
    let pod = pods.lines().find(|pod| pod.contains("longhorn-manager")).unwrap();
    let count = pods.lines().count();
    let list: Value = serde_json::from_str(&said("get pods -n longhorn-system -o json")).unwrap();
    assert_eq!(list["items"].as_array().unwrap().len(), count);
    assert!(said("get pods -n longhorn-system -o yaml").contains("kind: Pod"));
    assert_eq!(said("get pods -n longhorn-system -o jsonpath={.items[*].metadata.name}").split(' ').count(), count);
    assert_eq!(
        said("get pods -n longhorn-system --no-headers -o custom-columns=N:.metadata.name").lines().count(),
        count
    );
    assert!(said("get pods -A -l longhorn.io/component=instance-manager").contains("instance-manager-"));
    assert!(
        said("get pods -A --field-selector spec.nodeName=hv-node-1 --sort-by .metadata.name -o wide")
            .contains("hv-node-1")
    );
    assert!(said("get all -n longhorn-system").contains("pod/longhorn-manager"));

    assert!(said("describe node hv-node-1").contains("Allocatable:"));
    assert!(said(&format!("describe -n longhorn-system {pod}")).contains("Containers:"));
    assert!(said("describe vm -A").contains("Kind:         VirtualMachine"));
    assert!(said("describe volumes.longhorn.io -A").contains("Kind:         Volume"));
    assert!(said("describe services,pvc,deployments -A").contains("Selector:"));

    let all = said(&format!("logs -n longhorn-system {pod} --all-containers"));
    assert_eq!(said(&format!("logs -n longhorn-system {pod} --all-containers --tail 1")).lines().count(), 1);
    assert!(all.lines().count() > 1);
    assert!(
        said("top nodes").contains("hv-node-1") && said("top pods -n longhorn-system").contains("longhorn-manager")
    );
    assert!(said("get events -A").contains("LAST SEEN"));
    assert!(said("api-resources").contains("virtualmachines"));
    assert!(said("wait --for=condition=Ready node/hv-node-1 --timeout=20s").contains("condition met"));
    assert_eq!(said("auth can-i list pods").trim(), "yes");

    for (line, why) in [
        ("get secrets -A", "not collected"),
        ("get pods -n nowhere", "pods of namespace nowhere were not collected"),
        ("get node nowhere", "nodes \"nowhere\" not found"),
        ("delete node hv-node-1", "can only be read"),
        ("label node hv-node-1 a=b", "can only be read"),
        ("create namespace x", "can only be read"),
        ("annotate node hv-node-1 a=b", "can only be read"),
        (&format!("exec -n longhorn-system {pod} -- ls"), "can only be read"),
    ] {
        let told = served.refused(&kubectl, line);
        assert!(told.contains(why), "{line}: {told}");
    }
    assert!(served.run(&kubectl, &["auth", "can-i", "delete", "pods"]).stdout.starts_with(b"no"));
    let (code, kubeconfig) = served.interrupt();
    assert_eq!((code, kubeconfig.exists()), (0, false));
}

#[test]
fn a_command_runs_with_the_bundle() {
    let Some(kubectl) = kubectl() else { return };
    let bundle = sample("healthy");
    let run = |rest: &[&str]| {
        let args = ["serve", bundle.to_str().unwrap(), "--"].into_iter().chain(rest.iter().copied());
        gleaner_in(Path::new("."), args)
    };
    let nodes = run(&[kubectl.to_str().unwrap(), "get", "nodes", "-o", "name"]);
    assert_eq!((nodes.code, nodes.stdout.lines().next()), (0, Some("node/hv-node-1")), "{}", nodes.stderr);
    assert_eq!(run(&["/bin/sh", "-c", "test -f \"$KUBECONFIG\" && exit 7"]).code, 7);
    let missing = run(&["/no/such/program"]);
    assert!(missing.code == 2 && missing.stderr.contains("cannot run `/no/such/program`"), "{}", missing.stderr);
}

#[cfg(unix)]
#[test]
fn only_who_knows_the_path_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let served = Served::new(&sample("healthy"));
    let mode = std::fs::metadata(&served.kubeconfig).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let first = |answer: String| answer.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(served.raw("GET", "/api/v1/nodes", "")), "HTTP/1.1 200 OK");
    for headers in
        ["Host: example.org\r\n", "Host: 127.0.0.1\r\n", "Origin: http://example.org\r\n", "Origin: null\r\n"]
    {
        assert_eq!(first(served.raw("GET", "/api/v1/nodes", headers)), "HTTP/1.1 403 Forbidden", "{headers}");
    }
    for target in ["/", "/api/v1/nodes", "/b/0123456789abcdef0123456789abcdef/api/v1/nodes", "/b/"] {
        let answer = exchange(served.host(), &format!("GET {target} HTTP/1.1\r\n"), true);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{target}: {answer}");
    }
    let long = format!("Content-Length: {}\r\n", 1 << 20);
    let (host, _) = served.report.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let _ =
        stream.write_all(format!("POST /b/x HTTP/1.1\r\nHost: {host}\r\n{long}Connection: close\r\n\r\n").as_bytes());
    let _ = stream.write_all(&vec![b'x'; 1 << 20]);
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[test]
fn evidence_leads_to_its_line() {
    let served = Served::new(&sample("stale-managed-chart"));
    let page = served.raw("GET", "/", "Accept: text/html\r\n");
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("stale-managed-chart"));
    let link = page.split("href=\"").filter_map(|part| part.split('"').next()).find(|link| link.contains("?line="));
    let link = link.expect("evidence has links").replace("&amp;", "&");
    let (target, line) = link.split_once('#').unwrap();
    let entry = exchange(served.host(), &format!("GET {target} HTTP/1.1\r\n"), true);
    assert!(
        entry.starts_with("HTTP/1.1 200 OK") && entry.contains(&format!("<mark id=\"{line}\">")),
        "{link}: {entry}"
    );
    assert!(served.raw("GET", "/entry/no/such.log?line=3", "").starts_with("HTTP/1.1 404 "));
    assert!(served.raw("GET", "/entry/../../etc/passwd", "").starts_with("HTTP/1.1 404 "));
}

#[test]
fn a_watch_sends_all_and_says_so() {
    let served = Served::new(&sample("healthy"));
    let query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    let answer = served.raw("GET", &format!("/api/v1/nodes?{query}"), "");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    let events: Vec<Value> =
        body.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, nodes) = events.split_last().unwrap();
    assert!(nodes.len() > 1 && nodes.iter().all(|event| event["type"] == "ADDED"));
    assert_eq!(last["type"], "BOOKMARK");
    assert_eq!(last["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
}

#[test]
fn names_are_pseudonyms_if_asked_for() {
    let Some(kubectl) = kubectl() else { return };
    let bundle = sample("healthy");
    let run = |rest: &[&str]| {
        let args = ["serve", "--redact", bundle.to_str().unwrap(), "--", kubectl.to_str().unwrap()];
        gleaner_in(Path::new("."), args.into_iter().chain(rest.iter().copied()))
    };
    let nodes = run(&["get", "nodes", "-o", "name"]);
    assert!(nodes.code == 0 && !nodes.stdout.contains("hv-node"), "{}{}", nodes.stdout, nodes.stderr);
    let node = nodes.stdout.lines().next().unwrap();
    let found = run(&["get", node, "-o", "jsonpath={.metadata.labels.kubernetes\\.io/hostname}"]);
    assert_eq!(format!("node/{}", found.stdout), node, "{}", found.stderr);
    let selector = format!("spec.nodeName={}", node.strip_prefix("node/").unwrap());
    let pods = run(&["get", "pods", "-A", "-o", "wide", "--field-selector", &selector]);
    assert!(pods.stdout.lines().count() > 1 && !pods.stdout.contains("hv-node"), "{}{}", pods.stdout, pods.stderr);
}

#[test]
fn the_python_client_reads_a_bundle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(python) = python() else { return };
    let served = Served::new(&sample("healthy"));
    let script = root.join("tests/python/serve_client.py");
    let output = served.run(&python, &[script.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
