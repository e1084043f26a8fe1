//! Plain data shared by all stages; depends on no other module of the crate.
//!
//! An [`Origin`] is a place in the bundle, an [`Issue`] is unreadable data or an undecided question, a [`Finding`] is
//! the answer of a rule with its [`Evidence`], and an [`Analysis`] holds them all for the reports.

pub mod age;
pub mod analysis;
mod base64;
pub mod before;
pub mod bundle_kind;
pub mod checked;
pub mod clean;
pub mod component;
pub mod difference;
pub mod encoding;
pub mod explanation;
pub mod finding;
pub mod glob;
pub mod histogram;
pub mod identities;
pub mod identity_hasher;
pub mod inventory;
pub mod issue;
pub mod known_line;
pub mod lang;
pub mod level;
pub mod measure;
pub mod message;
pub mod object;
pub mod origin;
pub mod product;
pub mod progress;
pub mod protobuf;
pub mod reported_state;
pub mod rule_facts;
pub mod secret;
pub mod text_order;
pub mod timed_text;
pub mod unexplained;
pub mod unhealthy;
pub mod upgrade;
pub mod uri;
pub mod version;
pub mod zone;

pub use analysis::{
    Accepted, Analysis, BundleFacts, Collector, EndOfLife, LogSpan, NodeFacts, NotCollected, OlderBundle, Reported,
    RuleOutcomes, RuleReason, Run, Timing,
};
pub use base64::decode_base64;
pub use before::{Before, Change, ChangeKind, OpenFinding};
pub use bundle_kind::BundleKind;
pub use checked::CheckedComponent;
pub use component::{ClusterService, Component, ComponentKind, DirectCause, NodePart, PathStep};
pub use finding::{
    Confidence, Evidence, EvidenceValue, ExcerptLine, Finding, FindingClass, Novelty, RemedyStep, Severity,
};
pub use glob::Glob;
pub use histogram::Histogram;
pub use identities::Identities;
pub use inventory::Inventory;
pub use issue::{Issue, IssueKind};
pub use lang::Lang;
pub use object::{ObjectRef, UNKNOWN_NAMESPACE};
pub use origin::Origin;
pub use product::PRODUCTS;
pub use progress::Progress;
pub use reported_state::ReportedState;
pub use rule_facts::{RuleCollection, RuleFacts};
pub use timed_text::TimedText;
pub use unexplained::Unexplained;
pub use unhealthy::Unhealthy;
pub use upgrade::UpgradeReadiness;
