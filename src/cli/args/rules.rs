//! Arguments of `gleaner rules ...`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::help::HelpEnd;
use crate::cli::exit::{CodeMeaning, ExitCode};
use crate::model::PRODUCTS;
use crate::model::version::Version;

/// Codes of commands that read rules and write output.
const CODES: &[CodeMeaning] = &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::INVALID];

const LIST: HelpEnd = HelpEnd {
    examples: &["gleaner rules list --version harvester=1.4.1   what is known for a release, and where it is fixed"],
    note: "",
    codes: CODES,
};

const DIFF: HelpEnd = HelpEnd {
    examples: &["gleaner rules diff built-in rules-2026-12.tar.gz", "gleaner rules diff old.zip new.zip --format json"],
    note: "",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE],
};

const DOCS: HelpEnd = HelpEnd { examples: &[], note: "", codes: CODES };

const CHECK: HelpEnd = HelpEnd {
    examples: &[
        "gleaner rules check",
        "gleaner rules check my-rules          my-rules/rules/ and my-rules/tests/rules/",
        "gleaner rules check --strict --deny-warnings",
    ],
    note: "",
    codes: &[
        ExitCode::DONE,
        ExitCode::UNUSABLE,
        (ExitCode::Rule, "a rule or a rule test is invalid, or --deny-warnings and a warning"),
    ],
};

const TEST: HelpEnd = HelpEnd {
    examples: &[
        "gleaner rules test",
        "gleaner rules test my-rules           my-rules/rules/ and my-rules/tests/rules/",
        "gleaner rules test my-rules/tests/rules/storage/my-rule.yaml",
        "gleaner rules test my-rules --watch",
    ],
    note: "",
    codes: &[
        (ExitCode::Success, "all tests passed"),
        (ExitCode::Findings, "a test failed"),
        ExitCode::UNUSABLE,
        (ExitCode::Rule, "a rule is invalid (the tests of the others were run)"),
    ],
};

const IMPORT: HelpEnd = HelpEnd {
    examples: &[
        "gleaner rules import cre/rules --from cre -o my-rules",
        "gleaner rules check my-rules",
        "gleaner rules test cre/rules --from cre   runs them on the logs next to the rules",
    ],
    note: "",
    codes: &[
        ExitCode::DONE,
        ExitCode::UNUSABLE,
        (ExitCode::Rule, "a rule cannot be imported (the others are written)"),
    ],
};

const EXPLAIN: HelpEnd = HelpEnd {
    examples: &[
        "gleaner rules explain longhorn-volume-degraded",
        "gleaner rules explain longhorn-volume-degraded bundle.zip",
        "gleaner rules explain my-rule bundle.zip --rules my-rules",
    ],
    note: "",
    codes: &[ExitCode::DONE, ExitCode::UNUSABLE, ExitCode::UNREADABLE, ExitCode::INVALID],
};

const NEW: HelpEnd = HelpEnd {
    examples: &[
        "gleaner rules new replica-on-dead-node --area storage --resource replicas.longhorn.io",
        "gleaner rules new etcd-slow-disk --area etcd --log etcd",
        "gleaner rules new disk-lost --area node --from bundle.zip nodes/n1.zip!/n1/logs/kernel.log:4711",
    ],
    note: "",
    codes: &[
        ExitCode::DONE,
        (ExitCode::Usage, "wrong usage, an output cannot be written, or no rule can be made of the line"),
        ExitCode::UNREADABLE,
    ],
};

const SCHEMA: HelpEnd = HelpEnd { examples: &[], note: "", codes: &[ExitCode::DONE, ExitCode::UNUSABLE] };

/// List, check, test, explain, create and document rules
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List rules with severity, area, title and number of tests
    #[command(after_help = LIST.short(), after_long_help = LIST.long())]
    List(ListArgs),
    /// Check rules for errors, with line and hint
    #[command(after_help = CHECK.short(), after_long_help = CHECK.long())]
    Check(CheckArgs),
    /// Run rule tests
    #[command(after_help = TEST.short(), after_long_help = TEST.long())]
    Test(TestArgs),
    /// Import rules from another project
    #[command(after_help = IMPORT.short(), after_long_help = IMPORT.long())]
    Import(ImportArgs),
    /// Show what a rule looks for and in which order; with a bundle, how far it got and the nearest miss
    #[command(after_help = EXPLAIN.short(), after_long_help = EXPLAIN.long())]
    Explain(ExplainArgs),
    /// Create a rule and its test from a template: rules/<AREA>/<ID>.yaml and tests/rules/<AREA>/<ID>.yaml
    #[command(after_help = NEW.short(), after_long_help = NEW.long())]
    New(NewArgs),
    /// Print the JSON Schema of rule files, for editors
    #[command(after_help = SCHEMA.short(), after_long_help = SCHEMA.long())]
    Schema,
    /// Compare two collections of rules: which are new, changed or gone
    #[command(after_help = DIFF.short(), after_long_help = DIFF.long())]
    Diff(DiffArgs),
    /// Write a Markdown page for each rule, and a catalogue
    #[command(after_help = DOCS.short(), after_long_help = DOCS.long())]
    Docs(DocsArgs),
}

/// Arguments of `rules new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Id of the rule: lower-case letters, digits and single dashes; name the bad state
    #[arg(value_name = "ID")]
    pub id: String,

    /// Area of the rule
    #[arg(long, value_name = "AREA", default_value = "workload")]
    pub area: String,

    /// Match objects of this type, named as for kubectl
    #[arg(long, value_name = "TYPE", default_value = "pods", conflicts_with = "log")]
    pub resource: String,

    /// Match lines of this log stream
    #[arg(long, value_name = "STREAM")]
    pub log: Option<String>,

    /// Match events about objects of this type
    #[arg(long, value_name = "TYPE", conflicts_with_all = ["resource", "log"])]
    pub event: Option<String>,

    /// Match lines of this log stream that follow each other
    #[arg(long, value_name = "STREAM", conflicts_with_all = ["resource", "log", "event"])]
    pub sequence: Option<String>,

    /// Match rows of the table in files with this path, from the root of the bundle; it may have `*`
    #[arg(long, value_name = "PATH", conflicts_with_all = ["resource", "log", "event", "sequence"])]
    pub table: Option<String>,

    /// Make the rule of a line of a bundle: a log line, an event, or a field of an object; its test has the line with names
    /// replaced and secrets masked
    #[arg(long, num_args = 2, value_names = ["BUNDLE", "ENTRY:LINE"], conflicts_with_all = ["resource", "log", "event", "sequence", "table"])]
    pub from: Option<Vec<String>>,

    /// Folder that has or gets rules/ and tests/rules/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// Arguments of `rules diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Older rules: a folder, a rule or an archive; `built-in` for those of this program
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// Newer rules
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// Format of the comparison
    #[arg(long, value_name = "FMT", value_enum, default_value_t = ListFormat::Text)]
    pub format: ListFormat,
}

/// Arguments of `rules docs`.
#[derive(Debug, Args)]
pub struct DocsArgs {
    /// Folder for the pages; pages of rules that no longer exist are removed
    #[arg(short, long = "output", value_name = "DIR", default_value = "docs/rules")]
    pub output: PathBuf,

    /// Also document the rules in this folder or archive; they replace built-in rules with the same id; repeatable
    /// [default: in a checkout, the current folder]
    #[arg(long, value_name = "PATH")]
    pub rules: Vec<PathBuf>,

    /// Only the rules that are not built in
    #[arg(long)]
    pub own: bool,
}

/// Arguments of `rules explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Id or alias of the rule
    #[arg(value_name = "ID", index = 1)]
    pub id: String,

    /// Support bundle: an archive or a folder
    #[arg(value_name = "BUNDLE", index = 2)]
    pub bundle: Option<PathBuf>,

    /// Also load the rules in this folder or archive; they replace built-in rules with the same id; repeatable
    /// [default: in a checkout, the current folder]
    #[arg(long, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
}

/// Arguments of `rules list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Format of the list
    #[arg(long, value_name = "FMT", value_enum, default_value_t = ListFormat::Text)]
    pub format: ListFormat,

    /// List only rules whose range of affected versions of the product covers this release, with the releases that fix it
    ///
    /// Rules about every version of the product are left out.
    #[arg(long, value_name = "PRODUCT=VERSION", value_parser = parse_release)]
    pub version: Option<ProductRelease>,

    /// Also list the rules in this folder or archive; they replace built-in rules with the same id; repeatable
    #[arg(long, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
}

/// One release of a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductRelease {
    pub product: String,
    pub version: String,
}

fn parse_release(text: &str) -> Result<ProductRelease, String> {
    let (product, version) = text.split_once('=').ok_or("it must be PRODUCT=VERSION, such as harvester=1.4.1")?;
    if !PRODUCTS.contains(&product) {
        return Err(format!("no rule names the product \"{product}\"; there are {}", PRODUCTS.join(", ")));
    }
    if Version::parse(version).is_none() {
        return Err(format!("\"{version}\" is no version that can be compared"));
    }
    Ok(ProductRelease { product: product.to_owned(), version: version.to_owned() })
}

/// Format of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Columns for people
    Text,
    /// Array for programs
    Json,
}

/// Arguments of `rules test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Folder with rules/ and tests/rules/, or one of its tests [default: the built-in rules and, in a checkout, the current folder]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// Keep running: rerun affected tests whenever a file in the folder changes; stop with Ctrl-C
    #[arg(long)]
    pub watch: bool,

    /// The folder has rules of this project, each next to the logs of its test
    #[arg(long, value_name = "PROJECT", conflicts_with = "watch")]
    pub from: Option<Project>,
}

/// Arguments of `rules check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Folder with rules/ and tests/rules/ [default: the built-in rules and, in a checkout, the current folder]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// Also warn of rules without a name, and of wordings, defaults and thresholds without basis
    #[arg(long)]
    pub strict: bool,

    /// Run the rule tests, and also warn of entries of `explains` by which none of them joins two
    /// findings
    #[arg(long)]
    pub links: bool,

    /// Check fields of the custom resources that FILE defines, too: CustomResourceDefinitions as
    /// `kubectl get crds -o yaml` prints them; repeatable
    #[arg(long, value_name = "FILE")]
    pub crds: Vec<PathBuf>,

    /// End with code 4 if there are warnings
    #[arg(long)]
    pub deny_warnings: bool,
}

/// Project whose rules can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Project {
    /// Common Reliability Enumerations
    Cre,
}

/// Arguments of `rules import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Folder with rules of the project
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Project that the rules come from
    #[arg(long, value_name = "PROJECT")]
    pub from: Project,

    /// Folder to write rules/<area>/<id>.yaml to
    #[arg(short, long = "output", value_name = "DIR")]
    pub output: PathBuf,
}
