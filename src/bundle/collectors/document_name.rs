//! Names of files that hold Kubernetes objects.

/// Returns the name of a YAML or JSON file without its ending; none for other files.
pub(super) fn document_stem(file: &str) -> Option<&str> {
    let stem = [".yaml", ".json", ".yml"].iter().find_map(|ending| file.strip_suffix(ending));
    stem.filter(|stem| !stem.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_json_are_documents() {
        for (file, stem) in [("pods.yaml", Some("pods")), ("pods.json", Some("pods")), ("pods.yml", Some("pods"))] {
            assert_eq!(document_stem(file), stem);
        }
        for file in [".yaml", "pods", "pods.txt", "pods.yaml.bak", ".DS_Store"] {
            assert_eq!(document_stem(file), None, "{file}");
        }
    }
}
