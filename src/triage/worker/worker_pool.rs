//! WorkerHandle processes seen from the parent: [`WorkerPool`] starts them, sends orders, receives answers and stops them.
//!
//! A worker is this program with a hidden subcommand. Panics, aborts for memory, stack overflows and endless loops end with
//! the worker. The end of its standard error is kept to report the reason.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::message::{Answer, LONGEST, Order, Setup};

/// Subcommand of workers.
pub const COMMAND: &str = "triage-worker";

/// Bytes kept from the end of standard error of a worker.
const STDERR_BYTES: usize = 4096;

/// Message or end of a worker.
#[derive(Debug)]
pub enum PoolEvent {
    Answer(Answer),
    /// The worker ended, or sent an invalid answer.
    Ended,
}

/// Workers of a run, by number.
pub struct WorkerPool {
    program: PathBuf,
    threads: usize,
    setup: Setup,
    workers: BTreeMap<usize, WorkerHandle>,
    events: Receiver<(usize, PoolEvent)>,
    sender: Sender<(usize, PoolEvent)>,
    next: usize,
}

struct WorkerHandle {
    child: Child,
    orders: ChildStdin,
    stderr: JoinHandle<Vec<u8>>,
}

impl WorkerPool {
    /// Creates a pool without workers; each will run `program` with this number of threads.
    pub fn new(program: PathBuf, threads: usize, setup: Setup) -> Self {
        let (sender, events) = channel();
        Self { program, threads, setup, workers: BTreeMap::new(), events, sender, next: 0 }
    }

    /// Starts a worker, which answers [`Answer::Ready`] once its rules are compiled.
    ///
    /// # Errors
    /// Fails when the program cannot be started.
    pub fn spawn(&mut self) -> io::Result<usize> {
        let mut child = Command::new(&self.program)
            .args([COMMAND, "--threads", &self.threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut orders), Some(answers), Some(words)) = pipes else {
            return Err(io::Error::other("a worker without pipes"));
        };
        let number = self.next;
        self.next += 1;
        let sender = self.sender.clone();
        thread::spawn(move || forward_answers(number, answers, &sender));
        let stderr = thread::spawn(move || last_of(words));
        // If the worker has ended already, an event reports it.
        let _ = send(&mut orders, &Order::Setup(self.setup.clone()));
        self.workers.insert(number, WorkerHandle { child, orders, stderr });
        Ok(number)
    }

    /// Sends an order; if the worker has ended, an event reports it.
    pub fn order(&mut self, number: usize, order: &Order) {
        if let Some(worker) = self.workers.get_mut(&number) {
            let _ = send(&mut worker.orders, order);
        }
    }

    /// Waits for the next event; returns none after `timeout`.
    pub fn next_event(&self, timeout: Duration) -> Option<(usize, PoolEvent)> {
        // The pool holds a sender itself, so the channel never closes.
        self.events.recv_timeout(timeout).ok()
    }

    /// Stops a worker, if it still runs, and returns how it ended.
    pub fn stop(&mut self, number: usize) -> String {
        let Some(mut worker) = self.workers.remove(&number) else { return "unknown".to_owned() };
        // It may have ended already.
        let _ = worker.child.kill();
        let status = worker.child.wait();
        let words = worker.stderr.join().unwrap_or_default();
        ending(status.ok(), &String::from_utf8_lossy(&words))
    }

    /// Returns the resident memory of a worker in bytes; known on Linux only.
    pub fn memory(&self, number: usize) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.workers.get(&number)?.child.id())).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        resident.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        for worker in self.workers.values_mut() {
            let _ = worker.child.kill();
            let _ = worker.child.wait();
        }
    }
}

fn send(orders: &mut ChildStdin, order: &Order) -> io::Result<()> {
    let mut line = serde_json::to_vec(order)?;
    line.push(b'\n');
    orders.write_all(&line)?;
    orders.flush()
}

/// Forwards answers until the worker ends, or sends one that is too long or invalid.
fn forward_answers(number: usize, answers: impl Read, sender: &Sender<(usize, PoolEvent)>) {
    let mut answers = BufReader::new(answers);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut answers).take(LONGEST).read_until(b'\n', &mut line);
        let answer = match read {
            Ok(count) if count > 0 && line.ends_with(b"\n") => serde_json::from_slice::<Answer>(&line).ok(),
            _ => None,
        };
        let event = answer.map_or(PoolEvent::Ended, PoolEvent::Answer);
        let is_last = matches!(event, PoolEvent::Ended);
        if sender.send((number, event)).is_err() || is_last {
            return;
        }
    }
}

fn last_of(mut words: impl Read) -> Vec<u8> {
    let (mut kept, mut chunk) = (Vec::new(), [0; 1024]);
    while let Ok(count @ 1..) = words.read(&mut chunk) {
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..surplus);
    }
    kept
}

/// Describes how a process ended, with its last error line.
fn ending(status: Option<ExitStatus>, words: &str) -> String {
    let how = match status {
        Some(status) => status.to_string(),
        None => "unknown".to_owned(),
    };
    // The message of a panic follows the line with its location.
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.iter().rev().find(|line| !line.starts_with("note:") && !line.starts_with("error: worker"));
    last.map_or(how.clone(), |line| format!("{how}: {line}"))
}
