//! `gleaner mcp`: answers an assistant over standard input and output, in the Model Context Protocol.
//!
//! [`message`] reads and writes JSON-RPC, [`server`] knows the methods of the protocol, [`tools`] what can be asked. An answer comes from a
//! command of this program ([`command`]) or from its JSON report ([`report`]), and [`page`] cuts it.

mod command;
mod message;
mod page;
mod prompt;
mod report;
mod resource;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod tools;

use std::io::{BufRead, Write};

use super::args::McpArgs;
use super::errors::usage_error;
use super::exit::ExitCode;
pub use command::{Output, Runner};
use server::Server;
use session::Session;

/// Answers until the input ends.
pub fn run(
    args: &McpArgs,
    runner: Runner,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    match Session::new(args, runner).and_then(|session| Ok(Server::new(&session).serve(input, out)?)) {
        Ok(()) => ExitCode::Success,
        Err(error) => usage_error(err, error),
    }
}
