//! gleaner reads a Harvester, Longhorn or Rancher support bundle offline, evaluates declarative rules
//! over its dumps and logs, and writes a findings report.
//!
//! The flow: [`rule`] compiles YAML rules, which decide what must be looked for. [`bundle`] lists the
//! entries of a container, [`yaml`] and [`resource`] turn dumps into an index of Kubernetes objects,
//! [`log`] scans logs once for all patterns. [`eval`] joins what the facts of each rule found, with
//! conditions from [`expr`], into findings with evidence. [`survey`] gathers what the bundle shows of the cluster itself. [`pipeline`] runs these stages and gives a
//! [`model::Analysis`], which [`report`] writes as HTML, JSON or text. [`verify`] runs rule tests the
//! same way, [`triage`] analyses many bundles into a store, [`cre`] turns rules of another project into ours, [`cli`] is the program around it all.
//!
//! ```
//! use gleaner::bundle::{Bundle, Limits};
//! use gleaner::pipeline::{self, Options};
//! use gleaner::rule::{Streams, compile, load};
//!
//! let rules = load::embedded();
//! let streams = Streams::parse(rules.streams).unwrap();
//! let rules = compile(rules.sources, &streams).unwrap();
//! let pods = "apiVersion: v1\nkind: List\nitems: []\n".as_bytes().to_vec();
//! let files = vec![("yamls/namespaced/demo/v1/pods.yaml".to_owned(), pods)];
//! let bundle = Bundle::from_memory("demo", files, Limits::default());
//! let analysis = pipeline::analyze(&bundle, &rules, Options::default(), &());
//! assert!(analysis.findings.is_empty());
//! ```

pub mod api_fields;
pub mod atomic_file;
pub mod baseline;
pub mod bundle;
pub mod certificate;
pub mod cli;
pub mod cre;
pub mod diff;
pub mod eval;
pub mod expr;
pub mod log;
pub mod model;
pub mod pipeline;
pub mod redact;
pub mod report;
pub mod resource;
pub mod rule;
pub mod sample;
pub mod survey;
pub mod triage;
pub mod verify;
pub mod yaml;
