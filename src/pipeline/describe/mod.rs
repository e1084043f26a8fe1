//! Bundle descriptions and collector errors, which later stages need.

mod beats;
mod descriptions;
mod host;
mod kit;
mod machine;
mod must_gather;
mod scripts;
mod troubleshoot;
mod verdicts;

pub use self::descriptions::Descriptions;
use self::descriptions::RELEASE;
use super::clusters;
use super::heads::Heads;
use super::log_gaps;
use super::newest::{self, LogEnds};
use super::pods::{self, PodNames};
use super::sections::Sections;
use super::tasks;
use super::texts::{self, Text, Texts};
use crate::bundle::{Bundle, Description, Entry, Role};
use crate::model::NotCollected;
use crate::model::message::GapSubject;
use crate::rule::RuleSet;

/// Reads the description of the bundle according to its layout.
pub fn read_descriptions(bundle: &Bundle, set: &RuleSet) -> Descriptions {
    let heads = Heads::read(bundle);
    let mut sections = Sections::read(bundle, &heads, &tasks::asked_for(set));
    clusters::leave_out(bundle, &mut sections);
    let tells_pods = pods::telling(bundle);
    let Texts { mut texts, issues } = texts::read_texts(bundle, &|entry| {
        is_description(bundle, entry) || tells_pods(entry) || log_gaps::may_be_empty_journal(entry)
    });
    let mut pods = PodNames::of(bundle, &heads, &texts);
    let log_gaps = log_gaps::find(bundle, &pods, &sections, &texts);
    texts.append(&mut sections.descriptions);
    let mut described = (reader_of(bundle).read)(bundle, &texts);
    for (container, line, said) in sections.log_errors() {
        described.errors.no_log(container, line, said);
    }
    described.not_collected.extend(log_gaps);
    if described.metadata.as_ref().is_none_or(|metadata| metadata.created_at.is_none()) {
        infer_time(bundle, set, &mut described, &mut pods, (&heads, &sections));
    }
    if let Some(metadata) = &mut described.metadata {
        metadata.zone = metadata.zone.or_else(|| heads.zone());
    }
    let issues = [issues, std::mem::take(&mut sections.issues), described.issues].concat();
    Descriptions { pods, sections, issues, ..described }
}

/// Sets the time of a collection that states none to the newest sign of life in its objects, else to that of its newest log line.
fn infer_time(
    bundle: &Bundle,
    set: &RuleSet,
    described: &mut Descriptions,
    pods: &mut PodNames,
    (heads, sections): (&Heads, &Sections),
) {
    let mut metadata = described.metadata.take().unwrap_or_default();
    // What cannot be read is reported when the objects are read.
    let has_parts = |entry: &Entry| sections.are_by_content(&entry.path);
    let may_tell = |entry: &Entry| beats::may_have_time(entry) || has_parts(entry) || heads.is_description(entry);
    let lists = texts::read_texts(bundle, &may_tell).texts;
    lists.iter().for_each(|(_, _, text)| metadata.take_beats(text));
    let is_told = |gap: &NotCollected| gap.what == GapSubject::TimeOfCollection;
    if metadata.created_at.is_none() && !described.not_collected.iter().any(is_told) {
        let is_log = |entry: &Entry| sections.parts(entry).any(|part| pods.log(part.path, part.role).is_some());
        // Beside objects, whose times have years, a year that is too late would make them too old; tables have only ages.
        let has_no_year = |entry: &Entry| !newest::is_content(&entry.role) || heads.is_table(entry) || is_log(entry);
        let is_alone = bundle.entries().iter().all(has_no_year);
        let day = is_alone.then(|| set.day()).flatten();
        let zone = metadata.zone.or_else(|| heads.zone());
        let logs = LogEnds::read(bundle, &is_log, day, &|entry| zone.filter(|_| heads.is_of_host(entry)));
        if is_alone && bundle.spec().is_none() {
            newest::take_version(&mut metadata, &logs);
        }
        let told = newest::take(&mut metadata, &logs);
        let of_text = newest::take_last_end(&mut metadata, &lists);
        let of_rules =
            metadata.created_at.is_none().then(|| newest::take_day(&mut metadata, bundle, heads, set.day())).flatten();
        let boots = metadata.created_at.is_none().then(|| newest::take_boots(&mut metadata, &logs));
        let (boots, of_boots) = boots.flatten().unzip();
        pods.set_boots(boots.unwrap_or_default());
        described.not_collected.extend(of_text.or(of_rules).or(of_boots).or(Some(told)));
    }
    described.metadata = Some(metadata);
}

/// Returns true if an entry describes the bundle as a whole.
fn is_description(bundle: &Bundle, entry: &Entry) -> bool {
    let is_of_all = matches!(entry.role, Role::Metadata | Role::CollectorErrors) || entry.logical.ends_with(RELEASE);
    is_of_all || (reader_of(bundle).reads_too)(entry)
}

/// Reader of one collector's description.
struct DescriptionReader {
    read: fn(&Bundle, &[Text]) -> Descriptions,
    /// Returns true for entries with other roles that the reader needs.
    reads_too: fn(&Entry) -> bool,
}

/// Returns the reader for the bundle's description. This is the only table of them.
fn reader_of(bundle: &Bundle) -> DescriptionReader {
    let reader = |read| DescriptionReader { read, reads_too: |_| false };
    match bundle.spec().map_or(Description::Kit, |spec| spec.description) {
        Description::Kit => reader(kit::read_kit),
        Description::RancherHost => reader(host::read_host),
        Description::HostFiles => reader(host::read_files),
        Description::Machine => reader(machine::read_machine),
        Description::Node => DescriptionReader { read: machine::read_node, reads_too: machine::names_os },
        Description::Troubleshoot => {
            DescriptionReader { read: troubleshoot::read_troubleshoot, reads_too: |entry| entry.role == Role::Verdicts }
        }
        Description::MustGather => reader(must_gather::read_must_gather),
        Description::KubectlScript => reader(scripts::read_script_output),
    }
}
