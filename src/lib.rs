//! gleaner reads a Harvester, Longhorn or Rancher support bundle offline, evaluates declarative rules
//! over its dumps and logs, and writes a findings report.
//!
//! [`compile_rules`] compiles YAML rules, [`Bundle`] opens a container, [`analyze`] runs the rules on it and returns a
//! [`model::Analysis`], and [`render`] writes that as HTML, JSON or text. ARCHITECTURE.md describes the modules behind
//! them.
//!
//! ```
//! use gleaner::{AnalyzeOptions, Bundle, Limits, Streams, analyze, compile_rules, embedded_rules};
//!
//! let rules = embedded_rules();
//! let streams = Streams::parse(rules.streams).unwrap();
//! let rules = compile_rules(rules.sources, &streams).unwrap();
//! let pods = "apiVersion: v1\nkind: List\nitems: []\n".as_bytes().to_vec();
//! let files = vec![("yamls/namespaced/demo/v1/pods.yaml".to_owned(), pods)];
//! let bundle = Bundle::from_memory("demo", files, Limits::default());
//! let analysis = analyze(&bundle, &rules, AnalyzeOptions::default(), &());
//! assert!(analysis.findings.is_empty());
//! ```

pub mod api_fields;
pub(crate) mod atomic_file;
pub(crate) mod baseline;
pub(crate) mod bundle;
pub(crate) mod certificate;
pub(crate) mod cli;
pub(crate) mod cre;
pub(crate) mod dependency;
pub(crate) mod diff;
pub(crate) mod draft;
mod eval;
pub(crate) mod explore;
pub(crate) mod expr;
pub(crate) mod health;
#[doc(hidden)]
pub mod internals;
pub(crate) mod inventory;
pub(crate) mod known_lines;
pub(crate) mod log;
pub mod model;
pub(crate) mod pipeline;
pub(crate) mod redact;
pub(crate) mod report;
pub(crate) mod resource;
pub(crate) mod rule;
pub(crate) mod sample;
pub(crate) mod triage;
pub(crate) mod unexplained;
pub(crate) mod upgrade;
pub(crate) mod verify;
pub(crate) mod yaml;

pub use bundle::{Bundle, Limits, OpenError};
pub use cli::run as run_program;
pub use cli::threads::on_large_stack;
pub use pipeline::{Options as AnalyzeOptions, analyze};
pub use report::{Format, RenderError, render};
pub use rule::load::{Loaded as LoadedRules, embedded as embedded_rules, folder as rules_in_folder};
pub use rule::{RuleError, RuleSet, Source as RuleFile, Streams, compile as compile_rules};
