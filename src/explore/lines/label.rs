//! Names of the sources of lines.

use crate::log::{LogSource, SourceOrigin};
use crate::model::Glob;
use crate::pipeline::BundleText;

/// Returns the name of a source: `namespace/pod/container`, with `:previous` for the instance before the last restart, `node/NAME/UNIT`, or
/// the path of the entry.
pub fn label(source: &LogSource) -> String {
    match &source.origin {
        SourceOrigin::Container { namespace, pod, container, previous } => {
            let previous = if *previous { ":previous" } else { "" };
            let parts = [namespace, pod, container].map(String::as_str);
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            format!("{}{previous}", parts.join("/"))
        }
        SourceOrigin::Unit { node, unit } if node.is_empty() => unit.clone(),
        SourceOrigin::Unit { node, unit } => format!("node/{node}/{unit}"),
        SourceOrigin::Refusal | SourceOrigin::Unknown { .. } | SourceOrigin::File => source.entry.to_string(),
    }
}

/// Returns names without the folders that all of them begin with: `nginx` and `sidecar` for two containers of one pod.
pub fn short_labels(labels: &[String]) -> Vec<String> {
    let folders = |label: &str| label.rmatch_indices('/').map(|(at, _)| at + 1).collect::<Vec<_>>();
    let first = labels.first().map(String::as_str).unwrap_or_default();
    let is_common = |at: &usize| labels.iter().all(|label| label.get(..*at) == first.get(..*at));
    let common = folders(first).into_iter().find(is_common).unwrap_or(0);
    labels.iter().map(|label| label.get(common..).unwrap_or_default().to_owned()).collect()
}

/// Returns true if a glob matches the name of a text's source, a part of it (`longhorn-manager*`, `kernel`), or the path of its entry.
pub fn is_named(text: &BundleText, glob: &Glob) -> bool {
    let label = label(&text.source);
    let name = label.strip_suffix(":previous").unwrap_or(&label);
    let paths = [&label, name, &*text.logical, &*text.source.entry];
    paths.iter().any(|path| glob.is_match(path)) || name.split('/').any(|part| glob.is_match(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_leave_out_what_all_have() {
        let short = |labels: &[&str]| short_labels(&labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>());
        assert_eq!(short(&["demo/web-0/a", "demo/web-0/b:previous"]), ["a", "b:previous"]);
        assert_eq!(short(&["demo/web-0/a", "demo/web-1/a"]), ["web-0/a", "web-1/a"]);
        assert_eq!(short(&["node/n1/kernel", "demo/web-1/a"]), ["node/n1/kernel", "demo/web-1/a"]);
        assert_eq!(short(&["demo/web-0/a", "demo/web-0/a"]), ["a", "a"]);
        assert_eq!(short(&[]), Vec::<String>::new());
    }

    #[test]
    fn sources_have_names() {
        let container = |container: &str, previous| SourceOrigin::Container {
            namespace: "demo".to_owned(),
            pod: "web-0".to_owned(),
            container: container.to_owned(),
            previous,
        };
        let unit = |node: &str| SourceOrigin::Unit { node: node.to_owned(), unit: "kernel".to_owned() };
        for (origin, name) in [
            (container("nginx", false), "demo/web-0/nginx"),
            (container("nginx", true), "demo/web-0/nginx:previous"),
            (container("", false), "demo/web-0"),
            (unit("n1"), "node/n1/kernel"),
            (unit(""), "kernel"),
            (SourceOrigin::File, "a/b.log"),
        ] {
            assert_eq!(label(&LogSource { entry: "a/b.log".into(), origin }), name);
        }
    }
}
