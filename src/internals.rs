//! Items that tests, benches and fuzz targets of this repository use; not a public interface.
//!
//! The rest of the crate is private, so that the compiler reports unused code. An item stays in this list only while a
//! file in `tests/`, `benches/` or `fuzz/` names it.

pub mod baseline {
    pub use crate::baseline::Baseline;
}
pub mod bundle {
    pub use crate::bundle::{Bundle, Limits, Role};
}
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
pub mod cre {
    pub use crate::cre::import;
}
pub mod eval {
    pub use crate::eval::{Input, evaluate};
}
pub mod expr {
    pub use crate::expr::{Expr, Scope, Value, World, display, function_docs};
}
pub mod log {
    pub use crate::log::{
        Clock, GroupKey, LogIndex, LogQuery, LogSource, PatternSet, Selector, SourceGlob, SourceHits, SourceOrigin,
        required_literal, validate,
    };
}
pub mod pipeline {
    pub use crate::pipeline::{Options, analyze, prepare};
    pub mod sections {
        pub use crate::pipeline::sections::Sections;
    }
}
pub mod report {
    pub use crate::report::{Format, render};
    pub mod json {
        pub mod v1 {
            pub use crate::report::json::v1::write;
        }
    }
}
pub mod resource {
    pub use crate::resource::{DumpObjects, DumpPlace, IndexBuilder, TypeName};
    pub mod content {
        pub use crate::resource::content::{HEAD, Shape, read_dump, read_stream, read_unplaced};
    }
    pub mod summary {
        pub use crate::resource::summary::{read_releases, read_values};
    }
    pub mod describe {
        pub use crate::resource::describe::read_described;
    }
    pub mod table {
        pub use crate::resource::table::{names, read_table};
        pub mod api {
            pub use crate::resource::table::api::Context;
        }
        pub mod kubectl_message {
            pub use crate::resource::table::kubectl_message::{first_error, is_only_messages};
        }
    }
}
pub mod rule {
    pub use crate::rule::{
        AREAS, Fit, Key, KeyTable, Knowledge, RuleError, RuleSet, Source, Streams, TABLES, check, check_strictly,
        compile,
    };
    pub mod error {
        pub use crate::rule::error::Code;
    }
    pub mod load {
        pub use crate::rule::load::{Loaded, embedded, folder};
    }
    pub mod schema {
        pub use crate::rule::schema::rule;
    }
    pub mod skeleton {
        pub use crate::rule::skeleton::{Subject, skeleton};
    }
    pub mod text {
        pub use crate::rule::text::{Renderer, Template};
    }
}
pub mod sample {
    pub use crate::sample::{Bounds, Request, make};
}
pub mod verify {
    pub use crate::verify::{Case, TestSource, analyze, analyze_in, check, counts, run};
}
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
