//! Failed steps of rancher2_logs_collector.sh: lines of `collector-output.log` that are marked with `[!]`.
//!
//! `2025-03-06 10:15:30: [!] Containerd is offline, skipping crictl collection`

use std::sync::Arc;

use super::collected_failures::CollectorErrors;
use super::failure::{Failure, Target};
use crate::model::message::CollectedFile;

/// Words in such lines, with what is not collected if they appear.
const ABOUT: [(&str, CollectedFile); 5] = [
    ("apiserver is offline", CollectedFile::ObjectsAndOtherPodLogs),
    ("containerd is offline", CollectedFile::Crictl),
    ("docker is offline", CollectedFile::Docker),
    ("etcd", CollectedFile::Etcd),
    ("kubectl", CollectedFile::Kubectl),
];
/// Maximum number of lines; further ones repeat earlier ones.
const MAX_STEPS: usize = 100;

impl CollectorErrors {
    /// Reads the log of the collector's steps.
    pub fn of_steps(entry: impl Into<Arc<str>>, text: &str) -> Self {
        let mut errors = Self { entry: Some(entry.into()), ..Self::default() };
        for (number, line) in text.lines().enumerate() {
            let Some((_, said)) = line.split_once("[!]") else { continue };
            if errors.failures.len() == MAX_STEPS {
                errors.dropped += 1;
                continue;
            }
            errors.failures.push(Failure {
                line: number as u64 + 1,
                target: Target::File(about(said)),
                error: said.trim().to_owned(),
                harmless: false,
            });
        }
        errors
    }
}

fn about(said: &str) -> CollectedFile {
    let said = said.to_ascii_lowercase();
    ABOUT.into_iter().find(|(words, _)| said.contains(words)).map_or(CollectedFile::Step, |(_, file)| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_are_what_was_not_collected() {
        let text = "2025-03-06 10:15:30: Collecting system info\n\
                    2025-03-06 10:15:31: [!] Kube-apiserver is offline, collecting local pod logs only\n\
                    2025-03-06 10:15:32: [!] Containerd is offline, skipping crictl collection\n\
                    2025-03-06 10:15:33: [!] Something else\n";
        let errors = CollectorErrors::of_steps("collector-output.log", text);
        let told: Vec<_> = errors
            .failures
            .iter()
            .map(|f| (f.line, f.target.described().map(|what| what.to_string()).unwrap_or_default()))
            .collect();
        assert_eq!(
            told,
            [
                (2, "objects, and logs of pods on other nodes".to_owned()),
                (3, "output of crictl".to_owned()),
                (4, "a step of the collector".to_owned())
            ]
        );
        assert_eq!(errors.failures[1].error, "Containerd is offline, skipping crictl collection");
        assert_eq!(CollectorErrors::of_steps("x", &"[!] x\n".repeat(300)).dropped, 200);
    }
}
