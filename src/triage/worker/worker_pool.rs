//! Worker processes, seen from the parent: [`WorkerPool`] starts them, hands orders to them, hears them, and stops them.
//!
//! A worker is this program with a hidden sub-command. What it does wrong ends with it: a panic, an abort for memory, a stack
//! that is too deep, a loop that never ends. Its standard error is kept for the one line that says why it ended.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::message::{Answer, LONGEST, Order, Setup};

/// The sub-command that makes this program a worker.
pub const COMMAND: &str = "triage-worker";

/// Bytes of a worker's standard error that are kept: its last ones.
const LAST_WORDS: usize = 4096;

/// What a worker did.
#[derive(Debug)]
pub enum PoolEvent {
    Answer(Answer),
    /// It ended, or says what no worker says.
    Ended,
}

/// All workers of a run, by number.
pub struct WorkerPool {
    program: PathBuf,
    threads: usize,
    setup: Setup,
    workers: BTreeMap<usize, Worker>,
    events: Receiver<(usize, PoolEvent)>,
    teller: Sender<(usize, PoolEvent)>,
    next: usize,
}

struct Worker {
    child: Child,
    orders: ChildStdin,
    last_words: JoinHandle<Vec<u8>>,
}

impl WorkerPool {
    /// Nobody yet. Each worker will run `program` and use so many threads.
    pub fn new(program: PathBuf, threads: usize, setup: Setup) -> Self {
        let (teller, events) = channel();
        Self { program, threads, setup, workers: BTreeMap::new(), events, teller, next: 0 }
    }

    /// Starts a worker; it answers [`Answer::Ready`] when it has its rules.
    ///
    /// # Errors
    /// When the program cannot be started.
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
        let teller = self.teller.clone();
        thread::spawn(move || hear(number, answers, &teller));
        let last_words = thread::spawn(move || last_of(words));
        // A worker that ended already is told of by its answers.
        let _ = send(&mut orders, &Order::Setup(self.setup.clone()));
        self.workers.insert(number, Worker { child, orders, last_words });
        Ok(number)
    }

    /// Gives an order. That a worker cannot hear it any more is told by the event of its end.
    pub fn order(&mut self, number: usize, order: &Order) {
        if let Some(worker) = self.workers.get_mut(&number) {
            let _ = send(&mut worker.orders, order);
        }
    }

    /// The next event; none after so long.
    pub fn hear(&self, patience: Duration) -> Option<(usize, PoolEvent)> {
        // The crew holds a sender itself, so the channel never closes.
        self.events.recv_timeout(patience).ok()
    }

    /// Ends a worker, if it has not ended itself, and says how it ended.
    pub fn stop(&mut self, number: usize) -> String {
        let Some(mut worker) = self.workers.remove(&number) else { return "unknown".to_owned() };
        // It may have ended already.
        let _ = worker.child.kill();
        let status = worker.child.wait();
        let words = worker.last_words.join().unwrap_or_default();
        ending(status.ok(), &String::from_utf8_lossy(&words))
    }

    /// Resident memory of a worker in bytes; none where the system does not tell.
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

/// Passes answers on until there are no more, or one that is too long or not understood.
fn hear(number: usize, answers: impl Read, teller: &Sender<(usize, PoolEvent)>) {
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
        if teller.send((number, event)).is_err() || is_last {
            return;
        }
    }
}

fn last_of(mut words: impl Read) -> Vec<u8> {
    let (mut kept, mut chunk) = (Vec::new(), [0; 1024]);
    while let Ok(count @ 1..) = words.read(&mut chunk) {
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    kept
}

/// How a process ended, in words, with what it said about it.
fn ending(status: Option<ExitStatus>, words: &str) -> String {
    let how = match status {
        Some(status) => status.to_string(),
        None => "unknown".to_owned(),
    };
    // A panic says what on the line after the one that says where.
    let said: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let said = said.iter().rev().find(|line| !line.starts_with("note:") && !line.starts_with("error: worker"));
    said.map_or(how.clone(), |said| format!("{how}: {said}"))
}
