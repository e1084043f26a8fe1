//! `gleaner triage-worker`: what a run starts; nobody else needs it.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::cli::args::triage::WorkerArgs;
use crate::cli::errors::print_error;
use crate::cli::exit::ExitCode;
use crate::cli::threads::thread_pool;
use crate::triage::worker;
use crate::triage::worker::message::Order;

/// Serves the parent on standard input and output.
pub fn run(args: &WorkerArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let served = thread_pool(Some(args.threads)).and_then(|pool| Ok(worker::serve(&mut orders().iter(), out, &pool)?));
    match served {
        Ok(()) => ExitCode::Success,
        Err(error) => {
            print_error(err, &error.context("worker"));
            ExitCode::Usage
        }
    }
}

/// The orders on standard input. When it closes, the parent is gone, and nobody waits for what is being done.
fn orders() -> Receiver<Order> {
    let (teller, orders) = sync_channel(1);
    thread::spawn(move || {
        let mut line = Vec::new();
        let mut input = io::stdin().lock();
        while let Ok(1..) = input.read_until(b'\n', &mut line) {
            let Ok(order) = serde_json::from_slice(&line) else { break };
            if teller.send(order).is_err() {
                break;
            }
            line.clear();
        }
        leave();
    });
    orders
}

#[expect(clippy::exit, reason = "whoever asked is gone; the analysis at work cannot be told to stop")]
fn leave() -> ! {
    std::process::exit(0)
}
