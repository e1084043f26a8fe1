//! Description of a troubleshoot.sh bundle: its versions, its time, and the errors stored for data that was not
//! collected.

use super::descriptions::Descriptions;
use super::verdicts;
use crate::bundle::{Bundle, Role};
use crate::model::message::{CollectedFile, CollectorVersion, GapReason, VersionSign};
use crate::pipeline::texts::Text;
use crate::resource::collector_errors::About;
use crate::resource::metadata::troubleshoot::collector_version;
use crate::resource::{CollectorErrors, Metadata, TypeName};

/// Reads the description from the texts.
pub fn read_troubleshoot(bundle: &Bundle, texts: &[Text]) -> Descriptions {
    let other_nodes = Some(GapReason::ReadsApi);
    let mut metadata = Metadata { other_nodes, ..Metadata::default() };
    let (mut errors, mut collector, mut verdicts) = (CollectorErrors::default(), None, Vec::new());
    for (entry, role, text) in texts {
        match (role, &**entry) {
            (Role::Metadata, "version.yaml") => {
                let named =
                    |version| (CollectorVersion::Exactly { version }, VersionSign::Named { entry: "version.yaml" });
                collector = collector_version(text).map(named);
            }
            (Role::Metadata, _) => metadata.take_cluster_version(text),
            (Role::Verdicts, _) => verdicts.append(&mut verdicts::read(entry, text)),
            (Role::CollectorErrors, "execution-data/summary.txt") => errors.add_summary(text),
            (Role::CollectorErrors, path) if path.ends_with(".log") => errors.add_text(&about(bundle, path), text),
            (Role::CollectorErrors, path) => errors.add_json(&about(bundle, path), text),
            _ => {}
        }
    }
    Descriptions { metadata: Some(metadata), errors, collector, verdicts, ..Descriptions::default() }
}

/// Returns the subject of the errors at a path.
fn about(bundle: &Bundle, path: &str) -> About {
    let at = |path: String| About::File(CollectedFile::Path { path });
    let segments: Vec<&str> = path.split('/').collect();
    match segments.as_slice() {
        ["cluster-resources", .., "custom-resources-errors.json"] => About::CustomResources,
        ["cluster-resources", "pods", "logs", namespace, pod, file] => About::PodLog {
            pod: format!("{namespace}/{pod}"),
            container: file.trim_end_matches("-logs-errors.log").to_owned(),
        },
        ["cluster-resources", file] => {
            let list = path.replace("-errors.json", ".json");
            match bundle.role_at(&list) {
                Role::Dump { group, plural, .. } => About::Objects(TypeName::new(&plural, &group)),
                _ => at(format!("cluster-resources/{}", file.trim_end_matches("-errors.json"))),
            }
        }
        ["collector-errors", .., file] => {
            About::File(CollectedFile::OfCollector { name: file.trim_end_matches("-error.json").to_owned() })
        }
        ["secrets-errors" | "configmaps-errors", ..] => {
            at(path.replacen("-errors/", "/", 1).trim_end_matches(".json").to_owned())
        }
        [folders @ .., "errors.json"] => About::File(CollectedFile::PartOfFolder { folder: folders.join("/") }),
        _ => at(path.trim_end_matches("-errors.json").to_owned()),
    }
}
