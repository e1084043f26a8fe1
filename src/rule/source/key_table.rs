//! The keys of rule files, one row each. CONTRIBUTING.md, "Add a rule key", lists the steps for a new one.

use crate::model::{ComponentKind, Confidence, FindingClass, Severity};
use crate::rule::fact::FileShape;
use crate::rule::source::keys::Fit::{IsKind, Nowhere, Only};
use crate::rule::source::keys::Shape::{
    AtLeast, Count, Either, Expression, Facts, Flag, Id, Labels, List, Mapping, OneOf, OneOrList, OneOrMore, Open,
    Products, Scalar, Stream, Text, Translations, Word,
};
use crate::rule::source::keys::{Key, KeyTable};

/// Areas that a rule may be about.
pub const AREAS: [&str; 19] = [
    "fleet",
    "helm",
    "webhook",
    "upgrade",
    "gc",
    "storage",
    "backup",
    "network",
    "vm",
    "node",
    "etcd",
    "control-plane",
    "workload",
    "dns",
    "certificate",
    "provisioning",
    "rancher",
    "agent",
    "bundle",
];

/// Things other than objects that a rule and its symptoms may share.
pub const EXPLAINS_ON: [&str; 1] = ["node"];

pub const EVENT_TYPES: [&str; 2] = ["Normal", "Warning"];

pub const SILENCE: [&str; 2] = ["unknown", "absent"];

pub const UNDATED: [&str; 2] = ["count", "skip"];
pub const BOOT: [&str; 1] = ["current"];

pub const ORDER: [&str; 2] = ["steps", "any"];

/// Components that a rule may break or need.
pub fn component_kinds() -> Vec<&'static str> {
    ComponentKind::all().map(ComponentKind::as_str).collect()
}

/// Formats in which files can be read.
pub const FILE_SHAPES: [(&str, FileShape); 6] = [
    ("text", FileShape::Text),
    ("yaml", FileShape::Yaml),
    ("json", FileShape::Json),
    ("ini", FileShape::Ini),
    ("keys", FileShape::Keys),
    ("table", FileShape::Table),
];

/// A rule file, in the order in which rules have their keys.
pub static RULE: KeyTable = KeyTable::new("a rule", &[
    Key::new("id", Id, "The name of the file without `.yaml`: lower-case letters, digits and single dashes. Name the bad state, never the cure.").required(),
    Key::new("aliases", OneOrMore(&Word), "Further ids that `--only`, `--skip` and `explains` accept for the rule."),
    Key::new("name", Text, "The failure in at most 60 characters, without placeholders: for lists, indexes and tables."),
    Key::new("title", Text, "[Text](#texts): one line that names the object.").required(),
    Key::new("class", OneOf(|| FindingClass::ALL.map(FindingClass::as_str).to_vec()), "What a finding means: `fault` (the default), `obstacle` (nothing is broken, an upgrade or another operation is blocked), `risk` (nothing is broken yet) or `info`."),
    Key::new("severity", OneOf(|| Severity::ALL.map(Severity::as_str).to_vec()), "How severe the failure is: `critical`, `high`, `medium`, `low` or `info`.").required(),
    Key::new("confidence", OneOf(|| Confidence::ALL.map(Confidence::as_str).to_vec()), "How sure a finding is: `certain`, `likely` or `hint`.").required(),
    Key::new("area", OneOf(|| AREAS.to_vec()), "What the rule is about: one of the areas.").required(),
    Key::new("affects", Products, "Version ranges by product in which the failure exists, such as `\">=1.2 <1.4.3\"`. If the product is not in the bundle or its version is outside the range, the rule is not applicable; if the version is not known or cannot be ordered (`master-head`), findings are `likely` at most and their messages say so."),
    Key::new("fixed_in", Products, "Versions with the fix by product; printed as written."),
    Key::new("find", Facts, "[Facts](#facts) that must be found, by name.").required(),
    Key::new("unless", Facts, "[Facts](#unless) that must not be found, by name."),
    Key::new("when", Expression, "A condition on all facts together."),
    Key::new("about", OneOrMore(&Word), "Names of the facts that [a finding](#findings) is about."),
    Key::new("relate", OneOrMore(&Expression), "Expressions for further objects that the finding is related to; symptoms on them are folded under it."),
    Key::new("adjust", List(&Mapping(&ADJUST)), "List of `if` (condition) with `severity`, `confidence` or both: the first entry whose condition is true changes them, up or down."),
    Key::new("explains", OneOrMore(&Either(&Word, &Mapping(&EXPLAINS))), "Ids of rules whose findings may be [symptoms](#causes-and-symptoms) of this one's; `{rule: ID, on: node}` also folds findings on the same node, `within: 5m` folds only those that close in time."),
    Key::new("breaks", OneOrMore(&Either(&OneOf(component_kinds), &Mapping(&COMPONENT))), "[Components](#components) that a finding breaks: findings that need them may be its symptoms."),
    Key::new("needs", OneOrMore(&Either(&OneOf(component_kinds), &Mapping(&COMPONENT))), "[Components](#components) that a finding suffers from if they, or what they depend on, are broken."),
    Key::new("message", Text, "Text: what is wrong, with numbers.").required(),
    Key::new("impact", Text, "Text: what the customer notices.").required(),
    Key::new("cause", Text, "Text: why it happened.").required(),
    Key::new("remedy", List(&Mapping(&STEP)), "The steps of the fix, in order: `do`, and optional `run`, `caution` and `if`.").required(),
    Key::new("verify", Text, "Text: how to verify the fix."),
    Key::new("basis", List(&Mapping(&BASIS)), "The [sources](#basis) of wordings, states, defaults and thresholds."),
    Key::new("links", OneOrMore(&Word), "Addresses that begin with `https://` or `http://`."),
    Key::new("i18n", Translations(&TRANSLATION), "[Translations](#translations) of the texts, by language."),
]);

pub static ADJUST: KeyTable = KeyTable::new(
    "an entry of adjust",
    &[
        Key::new("if", Expression, "A condition.").required(),
        Key::new(
            "severity",
            OneOf(|| Severity::ALL.map(Severity::as_str).to_vec()),
            "The severity if the condition is true.",
        ),
        Key::new(
            "confidence",
            OneOf(|| Confidence::ALL.map(Confidence::as_str).to_vec()),
            "The confidence if the condition is true.",
        ),
    ],
)
.at_least(2);

pub static COMPONENT: KeyTable = KeyTable::new(
    "an entry of breaks or needs",
    &[
        Key::new("component", OneOf(component_kinds), "The component.").required(),
        Key::new(
            "of",
            Expression,
            "Gives the objects that it is, or whose nodes it is on, instead of those of `about`.",
        ),
        Key::new("if", Expression, "Only for a finding with a combination for which this is true."),
    ],
);

pub static EXPLAINS: KeyTable = KeyTable::new(
    "an entry of explains",
    &[
        Key::new("rule", Word, "The id of the rule.").required(),
        Key::new("on", OneOf(|| EXPLAINS_ON.to_vec()), "Also fold findings on the same node."),
        Key::new("within", Word, "Fold only findings that close in time, such as `5m`."),
        Key::new("if", Expression, "Only for a finding with a combination for which this is true."),
    ],
);

pub static STEP: KeyTable = KeyTable::new(
    "a step of remedy",
    &[
        Key::new("do", Text, "Text: the action.").required(),
        Key::new("run", Text, "Text: a command."),
        Key::new("caution", Text, "Text: data or service that may be lost."),
        Key::new(
            "if",
            Expression,
            "A condition: the step is printed only if it is true; where this leaves no step, those whose condition is undecided are.",
        ),
    ],
);

/// Keys of a rule, besides names of facts, that an entry of `basis` may be for.
pub const BASIS_FOR: [&str; 7] = ["when", "adjust", "explains", "relate", "remedy", "affects", "fixed_in"];

pub static BASIS: KeyTable = KeyTable::new(
    "an entry of basis",
    &[
        Key::new(
            "for",
            OneOrMore(&Word),
            "Names of facts, or `when`, `adjust`, `relate`, `remedy`, `affects`, `fixed_in`.",
        )
        .required(),
        Key::new("repo", Word, "A repository, `OWNER/NAME`; with `ref`, `path` and `text`."),
        Key::new("ref", OneOrMore(&Word), "Tags or commits at which the file contains the text."),
        Key::new("path", Word, "The file in the repository."),
        Key::new("link", Word, "The address of a thread or document; with `text`."),
        Key::new("bundle", Word, "The name of a real bundle; with `entry` and `text`."),
        Key::new("entry", Word, "The path in the bundle."),
        Key::new("text", Text, "The text in the file, document or entry."),
        Key::new("choice", Text, "The reason for a threshold that the author chose."),
    ],
);

/// An entry of a file of known lines.
pub static KNOWN_LINE: KeyTable = KeyTable::new(
    "a known line",
    &[
        Key::new(
            "line",
            Text,
            "A line as a release prints it, with its header, or the message of a Warning event; `<*>` where a plain word varies.",
        )
        .required(),
        Key::new("component", Text, "Programs that write it; begins with `event` if it is the message of an event.").required(),
        Key::new("product", Text, "The product that they belong to.").required(),
        Key::new("versions", Scalar, "A range of versions of the product that write it, as in `affects`; all by default."),
        Key::new("benign", Flag, "True if the line is harmless as a rule: reports leave it out."),
        Key::new(
            "general",
            Flag,
            "True for words that any program may report, such as an error of the operating system: they count only where no other line is known.",
        ),
        Key::new("means", Text, "What happened and its usual cause: one sentence of at most 300 characters.").required(),
        Key::new("look", Text, "What to check next; needed unless the line is benign."),
        Key::new("fixed_in", Text, "If it is due to a fault of a product: the product, and its versions with the fix."),
        Key::new("link", Text, "The `https` address of the source file, thread or document that has the line.").required(),
    ],
);

/// A language below `i18n`.
pub static TRANSLATION: KeyTable = KeyTable::new(
    "a translation",
    &[
        Key::new("name", Text, "The text in this language."),
        Key::new("title", Text, "The text in this language."),
        Key::new("message", Text, "The text in this language."),
        Key::new("impact", Text, "The text in this language."),
        Key::new("cause", Text, "The text in this language."),
        Key::new(
            "remedy",
            List(&Mapping(&TRANSLATED_STEP)),
            "Translations of the steps, in the same order; `{}` leaves one in English.",
        ),
        Key::new("verify", Text, "The text in this language."),
    ],
);

pub static TRANSLATED_STEP: KeyTable = KeyTable::new(
    "a translated step",
    &[
        Key::new("do", Text, "The text in this language."),
        Key::new("caution", Text, "The text in this language."),
        Key::new("run", Text, "The same in every language.").fits(Nowhere),
        Key::new("if", Expression, "The same in every language.").fits(Nowhere),
    ],
);

/// Kinds that find something, which conditions and modifiers are for.
const FINDING: &[&str] = &["resource", "event", "log", "file", "each", "sequence", "any"];

/// A fact of `find` or `unless`: first the keys that say its kind, then the modifiers.
pub static FACT: KeyTable = KeyTable::new("a fact", &[
    Key::new("resource", OneOrMore(&Word), "Objects of a type named as in kubectl, TYPE or TYPE.GROUP.").fits(IsKind),
    Key::new("event", Mapping(&EVENT), "Kubernetes events.").fits(IsKind),
    Key::new("log", OneOrMore(&Either(&Stream, &Mapping(&LOG))), "Log lines: of a stream, or of logs selected by globs.").fits(IsKind),
    Key::new("file", Mapping(&FILE), "Files of the bundle.").fits(IsKind),
    Key::new("each", Expression, "The elements of a list or map that the expression gives.").fits(IsKind),
    Key::new("value", Expression, "Names an expression that is used in several places.").fits(IsKind),
    Key::new("any", Open, "Alternatives; the name means the one that matched.").fits(IsKind),
    Key::new("sequence", Open, "Log lines that belong together by their order.").fits(IsKind),
    Key::new("namespace", Scalar, "A glob on the namespace.").fits(Only(&["resource"])),
    Key::new("name", Scalar, "A glob on the name.").fits(Only(&["resource"])),
    Key::new("labels", Labels, "A label selector as for `kubectl -l`, or a mapping.").fits(Only(&["resource"])),
    Key::new("match", OneOrMore(&Word), "A regular expression, or a list of alternatives; logs need it or `jq`. `(?<name>...)` captures.").fits(Only(&["event", "log"])),
    Key::new("except", OneOrMore(&Word), "Lines and messages that match do not count.").fits(Only(&["event", "log"])),
    Key::new("jq", Text, "A [jq](#json-in-lines) filter that must be true for the JSON in a line; with `match` or instead of it.").fits(Only(&["log"])),
    Key::new("multiline", Flag, "A pattern sees a line together with the lines without time stamp that follow it.").fits(Only(&["log"])),
    Key::new("since", Scalar, "Only events and lines of that time before the collection: `90s`, `30m`, `24h`, `3d4h`.").fits(Only(&["event", "log"])),
    Key::new("undated", OneOf(|| UNDATED.to_vec()), "What a line is whose time is not known: with `since`, `count` lets it count; `skip` leaves it out. Without it, the fact is undecided if the time decides.").fits(Only(&["log"])),
    Key::new("by", OneOrList, "What hits are grouped by: captures, `node`, `pod`, `source`; `[]` makes one group of all. Default: all captures; without captures, logs are grouped by source, and each event is a group of its own.").fits(Only(&["event", "log", "sequence"])),
    Key::new("at_least", AtLeast, "The minimum size of a group: `3` hits (of a sequence: matches), or `{capture: 5}` distinct values of a capture.").fits(Only(&["event", "log", "sequence"])),
    Key::new("within", Scalar, "`at_least` must be reached in that time; the group is then the [period](#log) with the most hits, the latest of equal ones.").fits(Only(&["event", "log"])),
    Key::new("distinct", Scalar, "A capture whose distinct values are counted instead of lines (at most 10,000): `.count` and `at_least` refer to these.").fits(Only(&["event", "log"])),
    Key::new("max", Scalar, "A capture: the hit with its largest value gives the other captures and is evidence.").fits(Only(&["event", "log"])),
    Key::new("boot", OneOf(|| BOOT.to_vec()), "Only lines since the last boot of their node.").fits(Only(&["log"])),
    Key::new("after_boot", Scalar, "Leaves out lines of that time after each boot of their node.").fits(Only(&["log"])),
    Key::new("where", Expression, "A condition; it can use all facts, and the candidate under its name and as `self`.").fits(Only(FINDING)),
    Key::new("optional", Flag, "The fact need not be found; its name is then null.").fits(Only(FINDING)),
    Key::new("collect", Flag, "The name means the list of all matches, which can be empty; in its own `where` the candidate is `self`.").fits(Only(FINDING)),
    Key::new("silence", OneOf(|| SILENCE.to_vec()), "What no match means. `unknown`: the fact is undecided instead of absent, for lines that are logged at debug level only. `absent`: it is absent, also where what it looks for was not collected.").fits(Only(&["resource", "event", "log", "file"])),
    Key::new("as", Scalar, "Belongs inside `file`.").fits(Nowhere),
]);

pub static EVENT: KeyTable = KeyTable::new(
    "event",
    &[
        Key::new("reason", OneOrMore(&Word), "Globs on the reason."),
        Key::new("type", OneOf(|| EVENT_TYPES.to_vec()), "The type: `Normal` or `Warning`."),
        Key::new("object", Mapping(&EVENT_OBJECT), "The object that the event is about."),
    ],
);

pub static EVENT_OBJECT: KeyTable = KeyTable::new(
    "object",
    &[
        Key::new("kind", Scalar, "A glob on the kind."),
        Key::new("namespace", Scalar, "A glob on the namespace."),
        Key::new("name", Scalar, "A glob on the name."),
    ],
);

pub static LOG: KeyTable = KeyTable::new(
    "log",
    &[
        Key::new("stream", OneOrMore(&Stream), "A [stream](#log-streams), or several."),
        Key::new("namespace", Scalar, "A glob on the namespace."),
        Key::new("pod", Scalar, "A glob on the pod."),
        Key::new("container", Scalar, "A glob on the container."),
        Key::new("node", Scalar, "A glob on the node."),
        Key::new("path", Scalar, "A glob on the path from the root of the bundle; `**` goes through folders."),
    ],
)
.at_least(1);

pub static FILE: KeyTable = KeyTable::new(
    "file",
    &[
        Key::new("path", Scalar, "A glob on the path from the root of the bundle; `**` goes through folders.")
            .required(),
        Key::new("node", Scalar, "A glob on the node."),
        Key::new("as", OneOf(|| FILE_SHAPES.map(|(name, _)| name).to_vec()), "How the file is read."),
    ],
);

pub static SEQUENCE: KeyTable = KeyTable::new(
    "sequence",
    &[
        Key::new(
            "within",
            Scalar,
            "The longest time from the first line of a match to the last; required if a match has several lines.",
        ),
        Key::new(
            "order",
            OneOf(|| ORDER.to_vec()),
            "`any`: the steps can come in any order, and one line can match several of them.",
        ),
        Key::new("steps", List(&Mapping(&SEQUENCE_STEP)), "The steps, in their order.").required(),
    ],
);

/// A step of a sequence is present, or absent with `absent: true`.
pub static SEQUENCE_STEP: KeyTable = KeyTable::new(
    "a step",
    &[
        Key::new("name", Word, "The name of the step.").required(),
        Key::new("log", OneOrMore(&Either(&Stream, &Mapping(&LOG))), "As in a log fact.").required(),
        Key::new("match", OneOrMore(&Word), "As in a log fact."),
        Key::new("except", OneOrMore(&Word), "As in a log fact."),
        Key::new("jq", Text, "As in a log fact."),
        Key::new("multiline", Flag, "As in a log fact."),
        Key::new("since", Scalar, "As in a log fact."),
        Key::new("where", Expression, "A condition; it can use the steps above."),
        Key::new("at_least", Count, "The step takes that many lines; a match has at most 64.").fits(Only(&["present"])),
        Key::new(
            "absent",
            Flag,
            "Such a line refutes the match if it is in the interval from the first to the last line, both times included.",
        ),
        Key::new("anchor", Scalar, "The interval begins at that line of the match; 0, the default, is the first.")
            .fits(Only(&["absent"])),
        Key::new("slide", Scalar, "The whole interval is moved that much later, or earlier with `-30s`.")
            .fits(Only(&["absent"])),
        Key::new("within", Scalar, "The interval ends that much later.").fits(Only(&["absent"])),
    ],
);

/// All mappings with keys of their own.
pub const TABLES: [&KeyTable; 15] = [
    &RULE,
    &ADJUST,
    &COMPONENT,
    &EXPLAINS,
    &STEP,
    &TRANSLATION,
    &TRANSLATED_STEP,
    &FACT,
    &EVENT,
    &EVENT_OBJECT,
    &LOG,
    &FILE,
    &SEQUENCE,
    &SEQUENCE_STEP,
    &KNOWN_LINE,
];

/// The kinds that a hint names after `resource`, but for some.
pub fn other_kinds(without: &[&str]) -> String {
    let kinds: Vec<&str> = FACT.kinds().filter(|kind| *kind != "resource" && !without.contains(kind)).collect();
    kinds.join(", ")
}
