//! Several outputs of `kubectl cluster-info dump` in one folder: merged, two clusters would have the nodes of both, and objects of two
//! times would contradict each other. The newest is analysed, with those that were made of the same nodes in the same hour (one for each
//! namespace); the others are named in an issue.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::sections::Sections;
use super::texts::read_texts;
use crate::bundle::{Bundle, Entry};
use crate::model::message::DocumentProblem;
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::Metadata;

/// Longest time between dumps that belong together.
const ONE_COLLECTION: SignedDuration = SignedDuration::from_hours(1);

/// One output of the command.
struct Dump {
    path: Arc<str>,
    /// Uids of its nodes.
    nodes: BTreeSet<String>,
    time: Option<Timestamp>,
}

/// Leaves out the dumps of another cluster or another time than the newest one.
pub fn leave_out(bundle: &Bundle, sections: &mut Sections) {
    let is_dump = |entry: &Entry| sections.is_dump(entry);
    if bundle.entries().iter().filter(|entry| is_dump(entry)).nth(1).is_none() {
        return;
    }
    // What cannot be read is reported when the objects are read.
    let texts = read_texts(bundle, &is_dump).texts;
    let dumps: Vec<Dump> = texts.into_iter().map(|(path, _, text)| Dump::of(path, &text)).collect();
    let known = dumps.iter().filter(|dump| !dump.nodes.is_empty());
    let Some(newest) = known.clone().max_by_key(|dump| (dump.time, &dump.path)) else { return };
    for other in known.filter(|dump| !dump.belongs_to(newest)) {
        let problem = DocumentProblem::OtherDump { newest: newest.path.to_string() };
        sections.leave_out(&other.path, Issue::at(Origin::entry(other.path.clone()), IssueKind::Layout, problem));
    }
}

impl Dump {
    fn of(path: Arc<str>, text: &str) -> Self {
        // The list of nodes comes first and ends with the first bracket at the margin.
        let end = text.find("\n}").unwrap_or(text.len());
        let list = text.get(..end).unwrap_or_default();
        let uids = list.split("\"uid\":").skip(1).filter_map(|behind| behind.split('"').nth(1));
        let mut metadata = Metadata::default();
        metadata.take_beats(text);
        Self { path, nodes: uids.map(str::to_owned).collect(), time: metadata.created_at }
    }

    fn belongs_to(&self, newest: &Self) -> bool {
        let apart = self.time.zip(newest.time).map(|(time, newest)| newest.duration_since(time));
        !self.nodes.is_disjoint(&newest.nodes) && apart.is_none_or(|apart| apart <= ONE_COLLECTION)
    }
}
