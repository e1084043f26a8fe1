//! Items that tests, benches and fuzz targets of this repository use; not a public interface.
//!
//! The rest of the crate is private, so that the compiler reports unused code. An item stays in this list only while a
//! file in `tests/`, `benches/` or `fuzz/` names it. The compiler takes listed items as used: to find what only this
//! list keeps alive, remove it from `lib.rs` and run `cargo check --lib`.

/// The documentation tests apply the baseline that they describe.
pub mod baseline {
    pub use crate::baseline::Baseline;
}
/// Bundles from memory and folders, for all tests, benches and fuzz targets.
pub mod bundle {
    pub use crate::bundle::{Bundle, Limits, Role};
}
/// The documentation tests compare flags, exit codes and sizes with README.
pub mod cli {
    pub mod args {
        pub use crate::cli::args::Cli;
    }
    pub mod exit {
        pub use crate::cli::exit::ExitCode;
    }
    pub mod size {
        pub use crate::cli::size::parse;
    }
}
/// Fuzzed: rules of CRE are files of users.
pub mod cre {
    pub use crate::cre::import;
}
/// Rules are made of many lines of many bundles.
pub mod draft {
    pub use crate::draft::{DraftError, Drafts, Place};
}
/// The benches measure evaluation alone.
pub mod eval {
    pub use crate::eval::{Input, evaluate};
}
/// Fuzzed: requests come from any program of the machine.
#[cfg(feature = "serve")]
pub mod explore {
    pub mod api {
        pub use crate::explore::api::{Api, Body, Request};
    }
}
/// The documentation tests evaluate the examples of the language reference.
pub mod expr {
    pub use crate::expr::{Expr, Scope, Value, World, display, function_docs};
}
/// Fuzz targets compare patterns, times and selectors with slow references; benches measure the pass alone.
pub mod log {
    pub use crate::log::{
        Clock, GroupKey, LogIndex, LogQuery, LogSource, MinedSource, PatternSet, Selector, SourceGlob, SourceHits,
        SourceOrigin, required_literal, validate,
    };
}
/// Runs of an analysis with options that the program does not have, and of its parts in fuzz targets.
pub mod pipeline {
    pub use crate::pipeline::{Archive, Options, Usual, analyze, prepare, templates};
    pub mod heads {
        pub use crate::pipeline::heads::Heads;
    }
    pub mod sections {
        pub use crate::pipeline::sections::Sections;
    }
}
/// Places in texts of sections are those of the decoded text.
pub mod encoding {
    pub use crate::model::encoding::utf8;
}
/// Reports as bytes, for tests of their content and fuzz targets.
pub mod report {
    pub use crate::report::{Audience, Format, render};
    pub mod json {
        pub mod v1 {
            pub use crate::report::json::v1::write;
        }
    }
}
/// The same.
pub mod known_lines {
    pub use crate::known_lines::KnownHere;
}
/// Logs are planted among those of a real bundle, which is read once.
pub mod unexplained {
    pub use crate::unexplained::{FiredQueries, Known, unexplained};
}
/// Readers of dumps, tables and descriptions, for fuzz targets and benches.
pub mod resource {
    pub use crate::resource::{DumpObjects, DumpPlace, IndexBuilder, TypeName};
    pub mod content {
        pub use crate::resource::content::{HEAD, Shape, read_dump, read_loose, read_stream};
    }
    pub mod summary {
        pub use crate::resource::summary::{read_releases, read_values};
    }
    pub mod describe {
        pub use crate::resource::describe::read_described;
    }
    pub mod table {
        pub use crate::resource::table::{names, read_table, read_unnamed};
        pub mod api {
            pub use crate::resource::table::api::Context;
        }
        pub mod kubectl_message {
            pub use crate::resource::table::kubectl_message::{first_error, is_only_messages};
        }
    }
}
/// Rules and their checks, the table of keys, and the schema: compared with the documentation, and fuzzed.
pub mod rule {
    pub use crate::rule::{
        AREAS, Fit, Key, KeyTable, Knowledge, RuleError, RuleSet, Source, Streams, TABLES, check, check_known_lines,
        check_strictly, compile,
    };
    pub mod error {
        pub use crate::rule::error::Code;
    }
    pub mod known_lines {
        pub use crate::rule::known_lines::KnownLineFiles;
    }
    pub mod load {
        pub use crate::rule::load::{Loaded, embedded, folder, published};
    }
    pub mod schema {
        pub use crate::rule::schema::rule;
    }
    pub mod skeleton {
        pub use crate::rule::skeleton::{Skeleton, Subject, skeleton};
    }
    pub mod text {
        pub use crate::rule::text::{Renderer, Template};
    }
}
/// Samples of generated bundles are made in tests.
pub mod sample {
    pub use crate::sample::{Bounds, Request, make};
}
/// Rule tests of the repository, run and counted.
pub mod verify {
    pub use crate::verify::{Case, TestSource, analyze, analyze_in, check, counts, run};
}
/// Both readers of YAML, which fuzz targets compare, and the benches measure.
pub mod yaml {
    pub use crate::yaml::{Document, Kind, Node, parse, parse_text};
    pub mod fast {
        pub use crate::yaml::fast::read;
    }
    pub mod full {
        pub use crate::yaml::full::read;
    }
    pub mod normalise {
        pub use crate::yaml::normalise::{Dialect, normalise};
    }
    pub mod source {
        pub use crate::yaml::source::text;
    }
}
