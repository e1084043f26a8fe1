//! `gleaner generate`: a deterministic synthetic bundle.

use std::io::Write;

use anyhow::{Context, anyhow};

use super::args::GenerateArgs;
use super::exit::ExitCode;
use super::tell;
use crate::generate::{Layout, Options, Scenario, generate_to};

/// Writes the bundle; a folder when the output ends in `/`.
pub fn run(args: &GenerateArgs, err: &mut dyn Write) -> ExitCode {
    match generate(args) {
        Ok(()) => ExitCode::Success,
        Err(error) => {
            tell(err, &error);
            ExitCode::Usage
        }
    }
}

fn generate(args: &GenerateArgs) -> anyhow::Result<()> {
    let layout =
        Layout::parse(&args.layout).ok_or_else(|| anyhow!("no layout `{}`; there is harvester", args.layout))?;
    let name = args.scenario.as_deref().unwrap_or("healthy");
    let scenario = Scenario::parse(name).ok_or_else(|| {
        let known: Vec<_> = Scenario::ALL.iter().map(|(name, _)| *name).collect();
        anyhow!("no scenario `{name}`; there are {}", known.join(", "))
    })?;
    let options = Options {
        layout,
        nodes: args.nodes,
        objects: args.objects,
        log_bytes: args.log_bytes,
        seed: args.seed,
        scenario,
    };
    let output = args.output.to_str().context("the name of the output is not UTF-8")?;
    generate_to(&options, output).with_context(|| format!("cannot write {output}"))
}
