//! `gleaner triage-worker`: worker process, started by a run only.

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

/// Reads orders from standard input. When it closes, the parent has ended and the worker exits.
fn orders() -> Receiver<Order> {
    let (sender, orders) = sync_channel(1);
    thread::spawn(move || {
        let mut line = Vec::new();
        let mut input = io::stdin().lock();
        while let Ok(1..) = input.read_until(b'\n', &mut line) {
            let Ok(order) = serde_json::from_slice(&line) else { break };
            if sender.send(order).is_err() {
                break;
            }
            line.clear();
        }
        leave();
    });
    orders
}

#[expect(clippy::exit, reason = "the parent has ended, and a running analysis cannot be interrupted")]
fn leave() -> ! {
    std::process::exit(0)
}
