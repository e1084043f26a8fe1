//! The file that tells clients where the bundles are. Only its owner can read it, and it vanishes with the program.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::site::Site;

/// A kubeconfig on disk.
pub struct Kubeconfig(NamedTempFile);

impl Kubeconfig {
    /// Writes a context for each bundle; the first one is current.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(site: &Site) -> anyhow::Result<Self> {
        let context = || "cannot write the kubeconfig into the folder for temporary files";
        let mut file =
            tempfile::Builder::new().prefix("gleaner-").suffix(".kubeconfig").tempfile().with_context(context)?;
        // JSON is YAML.
        file.write_all(format!("{:#}\n", content(site)).as_bytes())
            .and_then(|()| file.flush())
            .with_context(context)?;
        Ok(Self(file))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

fn content(site: &Site) -> Value {
    let names: Vec<&str> = site.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
    let cluster = |(name, bundle)| json!({"name": name, "cluster": {"server": site.server_url(bundle)}});
    let of_context = |name: &&str| json!({"name": name, "context": {"cluster": name, "user": "gleaner"}});
    json!({
        "apiVersion": "v1", "kind": "Config", "preferences": {},
        "clusters": names.iter().zip(&site.bundles).map(cluster).collect::<Vec<_>>(),
        "users": [{"name": "gleaner", "user": {}}],
        "contexts": names.iter().map(of_context).collect::<Vec<_>>(),
        "current-context": names.first(),
    })
}

/// Returns the name of a file without its ends, with a number if another bundle has it.
pub fn context_name(path: &Path, taken: &[&str]) -> String {
    let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = file.file_name().map_or_else(|| "bundle".to_owned(), |name| name.to_string_lossy().into_owned());
    let ends = [".zip", ".tar.gz", ".tgz", ".tar.xz", ".tar"];
    let stem = ends.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(&file);
    let others = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(others);
    names.find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_named_after_files() {
        for (path, taken, wanted) in [
            ("/t/bundle.zip", vec![], "bundle"),
            ("/t/a.b.tar.gz", vec![], "a.b"),
            ("/t/folder", vec![], "folder"),
            ("/t/bundle.zip", vec!["bundle", "bundle-2"], "bundle-3"),
        ] {
            assert_eq!(context_name(Path::new(path), &taken), wanted);
        }
    }
}
