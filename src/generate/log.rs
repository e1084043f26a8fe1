//! Logs: what each component talks about, and the streams it writes that to.

use std::io::{self, Write};

use super::clock::{INSTALLED, Moment, NOW, SECOND};
use super::phrases::phrases;
use super::random::Random;
use super::world::World;

/// What a log is about; decides its lines and their format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Harvester,
    Webhook,
    KubeVirt,
    Longhorn,
    InstanceManager,
    Csi,
    ApiServer,
    ControllerManager,
    Scheduler,
    Etcd,
    CoreDns,
    Canal,
    Nginx,
    Fleet,
    Rancher,
    Controller,
    Helm,
    Tiller,
    Application,
    // of nodes
    Kernel,
    Rke2,
    Rancherd,
    SystemAgent,
    Kubelet,
    Containerd,
    Iscsid,
    Wicked,
}

/// How a line is dressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Logrus,
    Klog,
    /// JSON with `level`, `ts`, `caller`, `msg`.
    Zap,
    /// JSON with `component`, `level`, `msg`, `pos`, `timestamp`.
    KubeVirt,
    /// As an access log.
    Access,
    Raw,
}

/// The stream that lines go to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stream {
    /// As the API hands out container logs: RFC 3339 with nine digits before each line.
    Container,
    /// As journalctl prints a unit: `short-precise`, host, process.
    Journal { process: &'static str },
    /// A file of the program's own.
    File,
}

/// How long a line is on average, measured over a whole bundle.
const LINE_BYTES: i64 = 190;

/// One log to be written.
#[derive(Clone, Debug)]
pub struct Log {
    pub path: String,
    topic: Topic,
    stream: Stream,
    host: String,
    /// Share of the bytes compared with other logs.
    weight: u64,
    /// Seconds since 1970.
    from: i64,
    to: i64,
    /// Lines that stand out, by time in seconds; already dressed but for the stream's prefix.
    told: Vec<(i64, String)>,
}

impl Log {
    /// The log of a container; one that is finished wrote for some seconds from `finished_from` on.
    pub fn of_container(path: String, topic: Topic, host: &str, finished_from: Option<i64>) -> Self {
        let (from, to) = finished_from.map_or((NOW - 14 * 3600, NOW - 2), |from| (from, from + 14));
        let weight = if finished_from.is_some() { 2 } else { weight(topic) };
        Self { path, topic, stream: Stream::Container, host: host.to_owned(), weight, from, to, told: Vec::new() }
    }

    /// The journal of a unit, with its header.
    pub fn of_unit(path: String, topic: Topic, host: &str, process: &'static str) -> Self {
        let (from, to) = (INSTALLED + 60, NOW - 2);
        let stream = Stream::Journal { process };
        Self { path, topic, stream, host: host.to_owned(), weight: weight(topic), from, to, told: Vec::new() }
    }

    /// A log file of a node.
    pub fn of_file(path: String, topic: Topic, host: &str) -> Self {
        let (from, to) = (NOW - 26 * 3600, NOW - 2);
        Self {
            path,
            topic,
            stream: Stream::File,
            host: host.to_owned(),
            weight: weight(topic),
            from,
            to,
            told: Vec::new(),
        }
    }

    /// The time that the log covers, e.g. that of a container's last instance.
    pub fn cover(&mut self, from: i64, to: i64) {
        (self.from, self.to) = (from, to);
    }

    /// Adds a line that stands out; those of one second stay in the order in which they are told.
    pub fn tell(&mut self, at: i64, line: impl Into<String>) {
        self.told.push((at, line.into()));
        self.told.sort_by_key(|(at, _)| *at);
    }

    /// Writes about `total * weight / weights` bytes, at least a few lines.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, world: &World, total: u64, weights: u64, out: &mut dyn Write) -> io::Result<()> {
        let bytes = (u128::from(total) * u128::from(self.weight) / u128::from(weights.max(1))) as i64;
        let lines = (bytes / LINE_BYTES).max(3);
        let mut random = world.names.random(&["log", &self.path]);
        let step = ((self.to - self.from).max(1) * SECOND / lines).max(2);
        let mut time = self.from * SECOND;
        let mut told = self.told.iter().peekable();
        let mut text = String::new();
        self.header(&mut text);
        for _ in 0..lines {
            time += step / 2 + random.below(step as u64) as i64;
            time = time.min(self.to * SECOND);
            while let Some((at, line)) = told.next_if(|(at, _)| at * SECOND <= time) {
                self.prefix(*at * SECOND, &mut random, &mut text);
                text.push_str(line);
                text.push('\n');
            }
            self.prefix(time, &mut random, &mut text);
            self.line(world, time, &mut random, &mut text);
            text.push('\n');
            if text.len() > 1 << 16 {
                out.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        for (at, line) in told {
            self.prefix((*at * SECOND).max(time), &mut random, &mut text);
            text.push_str(line);
            text.push('\n');
        }
        out.write_all(text.as_bytes())
    }

    /// Its share compared with other logs.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// The container's name, which is that of the program but for virtual machines.
    fn component(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or_default();
        match file.split('.').next().unwrap_or_default() {
            "compute" => "virt-launcher",
            name => name,
        }
    }

    fn header(&self, text: &mut String) {
        if matches!(self.stream, Stream::Journal { .. }) {
            let (from, to) = (Moment::new(self.from * SECOND).header(), Moment::new(self.to * SECOND).header());
            text.push_str(&format!("-- Journal begins at {from}, ends at {to}. --\n"));
        }
    }

    fn prefix(&self, time: i64, random: &mut Random, text: &mut String) {
        let moment = Moment::new(time);
        match self.stream {
            Stream::Container => {
                moment.iso(text, 9);
                text.push(' ');
            }
            Stream::Journal { process } => {
                moment.journal(text);
                let pid =
                    if process == "kernel" { String::new() } else { format!("[{}]", 1200 + random.below(2) * 31) };
                text.push_str(&format!(" {} {process}{pid}: ", self.host));
            }
            Stream::File => {}
        }
    }

    fn line(&self, world: &World, time: i64, random: &mut Random, text: &mut String) {
        let (format, lines) = phrases(self.topic);
        let phrase = random.pick(lines);
        // The program takes its stamp a little before the line reaches the stream.
        let moment = Moment::new(time - 40_000 - random.below(900_000) as i64);
        match format {
            Format::Raw => expand(phrase, world, self, moment, random, text),
            Format::Access => {
                text.push_str(&format!("10.52.{}.{} - - [", random.below(4), 2 + random.below(200)));
                moment.access(text);
                text.push_str("] ");
                expand(phrase, world, self, moment, random, text);
            }
            Format::Klog => {
                text.push('I');
                moment.klog(text);
                text.push_str("       1 ");
                expand(phrase, world, self, moment, random, text);
            }
            Format::Logrus => {
                text.push_str("time=\"");
                moment.iso(text, 0);
                text.push_str("\" level=info msg=");
                expand(phrase, world, self, moment, random, text);
            }
            Format::Zap => {
                text.push_str("{\"level\":\"info\",\"ts\":\"");
                moment.iso(text, 6);
                text.push_str("\",");
                expand(phrase, world, self, moment, random, text);
                text.push('}');
            }
            Format::KubeVirt => {
                text.push_str(&format!("{{\"component\":\"{}\",\"level\":\"info\",", self.component()));
                expand(phrase, world, self, moment, random, text);
                text.push_str(",\"timestamp\":\"");
                moment.iso(text, 6);
                text.push_str("\"}");
            }
        }
    }
}

/// Busy components write more.
fn weight(topic: Topic) -> u64 {
    match topic {
        Topic::Kernel => 30,
        Topic::ApiServer | Topic::Kubelet | Topic::Longhorn | Topic::Rke2 => 20,
        Topic::Etcd | Topic::InstanceManager | Topic::KubeVirt | Topic::Containerd | Topic::Rancher => 12,
        Topic::Harvester | Topic::ControllerManager | Topic::Nginx | Topic::Application => 8,
        Topic::Helm | Topic::Scheduler | Topic::Iscsid | Topic::Wicked | Topic::Rancherd => 3,
        _ => 5,
    }
}

/// Fills the `<...>` of a phrase.
fn expand(phrase: &str, world: &World, log: &Log, moment: Moment, random: &mut Random, out: &mut String) {
    let mut rest = phrase;
    while let Some((before, tail)) = rest.split_once('<') {
        out.push_str(before);
        let Some((name, after)) = tail.split_once('>') else {
            out.push('<');
            rest = tail;
            continue;
        };
        fill(name, world, log, moment, random, out);
        rest = after;
    }
    out.push_str(rest);
}

fn fill(name: &str, world: &World, log: &Log, moment: Moment, random: &mut Random, out: &mut String) {
    let one_of = |list: &[String], random: &mut Random| list.get(random.below(list.len() as u64) as usize).cloned();
    match name {
        "n" => out.push_str(&random.below(100_000).to_string()),
        "s" => out.push_str(&random.below(60).to_string()),
        "rv" => out.push_str(&(8_000_000 + random.below(1_100_000)).to_string()),
        "ms" => out.push_str(&format!("{}.{:06}", 100 + random.below(300), random.below(1_000_000))),
        "hex" => out.push_str(&format!("{:016x}", random.next())),
        "uuid" => {
            let (a, b) = (random.next(), random.next());
            let (c, d) = (a & 0xffff, b >> 52);
            out.push_str(&format!(
                "{:08x}-{c:04x}-4{d:03x}-9{:03x}-{:012x}",
                a >> 32,
                b >> 36 & 0xfff,
                b & 0xffff_ffff_ffff
            ));
        }
        "host" => out.push_str(&log.host),
        "node" => out.push_str(&world.host(random.below(1 << 20) as usize).name),
        "ip" => out.push_str(&world.host(random.below(1 << 20) as usize).ip),
        "pod" => out.push_str(&one_of(&world.spoken_pods, random).unwrap_or_else(|| "default/none".to_owned())),
        "vol" => out.push_str(&one_of(&world.spoken_volumes, random).unwrap_or_else(|| "pvc-none".to_owned())),
        "iso" => moment.iso(out, 9),
        "go" => moment.slashed(out),
        _ => out.push_str(name),
    }
}
