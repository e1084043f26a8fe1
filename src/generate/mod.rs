//! Deterministic synthetic bundles, for samples, benches and tests.
//!
//! A [`World`](world) is a cluster under construction: [`system`], [`storage`], [`fleet`], [`provisioning`],
//! [`policies`], [`harvester`] and [`machine`] add objects that fit together as in a real, healthy cluster (owners, selectors,
//! endpoints, volumes), rendered by [`dump`] as the collector prints them; [`log`] writes what the
//! components say. A [`Scenario`] changes some of it into a known fault. The same options give
//! the same bytes everywhere; only the compressed bytes of archives depend on the library.

mod admission;
mod benign;
mod clock;
mod cluster;
mod dump;
mod event;
mod fleet;
mod harvester;
mod helm2;
mod log;
mod machine;
mod node_files;
mod phrases;
mod policies;
mod provisioning;
mod random;
pub mod scenario;
pub mod sink;
mod storage;
mod system;
mod workload;
mod world;

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Write};
use std::path::Path;

pub use scenario::Scenario;
pub use sink::{FolderSink, MemorySink, Sink, ZipSink};

use world::{Host, World};

/// Whose bundle to imitate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// support-bundle-kit on Harvester 1.4.
    #[default]
    Harvester,
}

impl Layout {
    /// The layout of that name.
    pub fn parse(name: &str) -> Option<Self> {
        (name == "harvester").then_some(Self::Harvester)
    }
}

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub layout: Layout,
    /// From 1; the first three are control plane nodes.
    pub nodes: u32,
    /// At least so many objects; a cluster without users has about 640 on three nodes.
    pub objects: u64,
    /// About so many bytes of logs, node logs included.
    pub log_bytes: u64,
    pub seed: u64,
    pub scenario: Scenario,
}

/// More nodes would not fit the address plan.
pub const MAX_NODES: u32 = 200;

/// Writes a bundle into a sink, without wrapping folder.
///
/// # Errors
/// When the options cannot be met, or writing fails.
pub fn generate(options: &Options, sink: &mut dyn Sink) -> io::Result<()> {
    if !(1..=MAX_NODES).contains(&options.nodes) {
        let message = format!("cannot generate {} nodes; give a number from 1 to {MAX_NODES}", options.nodes);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let world = build(options);
    sink.file("metadata.yaml")?.write_all(metadata(&world).as_bytes())?;
    sink.file("bundleGenerationError.log")?.write_all(collector_errors(&world).as_bytes())?;
    for (path, text) in world.dumps() {
        sink.file(path)?.write_all(text.as_bytes())?;
    }
    write_logs(&world, options, sink)
}

/// Writes a bundle to a zip file, with the wrapping folder that such files have, or, if the path ends in `/`, as a folder that
/// holds the bundle itself.
///
/// # Errors
/// As [`generate`].
pub fn generate_to(options: &Options, path: &str) -> io::Result<()> {
    if path.ends_with('/') {
        let mut sink = FolderSink::new(path);
        generate(options, &mut sink)?;
        return sink.finish();
    }
    let temporary = format!("{path}.part");
    let mut sink = ZipSink::new(BufWriter::new(File::create(&temporary)?), &wrapping(options));
    generate(options, &mut sink)?;
    sink.finish()?.flush()?;
    std::fs::rename(Path::new(&temporary), Path::new(path))
}

/// The folder that wraps the bundle in a zip file.
pub fn wrapping(options: &Options) -> String {
    let uuid = random::Names { seed: options.seed }.uuid(&["v1", "Namespace", "", "harvester-system"]);
    format!("supportbundle_{uuid}_2025-03-18T09-30-00Z")
}

fn build(options: &Options) -> World {
    let Layout::Harvester = options.layout;
    let mut world = World::new(options.seed, options.nodes, options.scenario);
    world.cluster();
    world.system();
    world.fleet();
    world.harvester(&World::user_namespaces(options.objects));
    world.provisioning();
    if !options.scenario.is_small() {
        world.policies();
        world.machine("default", "ledger-db", 0);
        world.machine("default", "ledger-web", 1);
    }
    world.events();
    options.scenario.add(&mut world);
    // What Longhorn and the nodes report of volumes comes after the last volume: about five objects a node.
    world.fill(options.objects.saturating_sub(u64::from(options.nodes) * 5 + 8));
    world.longhorn();
    world.nodes();
    let hosts = world.hosts.clone();
    hosts.iter().for_each(|host| world.logs.extend(node_files::logs(host)));
    world.benign();
    options.scenario.tell(&mut world);
    world
}

fn metadata(world: &World) -> String {
    let uid = world.uid("v1", "Namespace", "", "harvester-system");
    format!(
        "bundlename: bundle-x7k2m\nbundleversion: 0.1.0\nkubernetesversion: {}\nprojectnamespaceuuid: {uid}\nbundlecreatedat: \"{}\"\nissueurl: \"\"\nissuedescription: {}\n",
        world.versions.kubernetes,
        clock::rfc3339(clock::NOW),
        world.scenario.description(),
    )
}

/// What the collector complains about: on every cluster, and because of what is wrong.
fn collector_errors(world: &World) -> String {
    let refused = "the server does not allow this method on the requested resource";
    let mut text = String::new();
    for path in [
        "authentication.k8s.io/v1/tokenreviews",
        "authorization.k8s.io/v1/subjectaccessreviews",
        "authorization.k8s.io/v1/selfsubjectaccessreviews",
        "authorization.k8s.io/v1/selfsubjectrulesreviews",
    ] {
        text.push_str(&format!("Failed to get /apis/{path}: {refused}\n"));
    }
    for namespace in system::NAMESPACES {
        text.push_str(&format!("Failed to get /api/v1/namespaces/{namespace}/bindings: {refused}\n"));
        text.push_str(&format!(
            "Failed to get /apis/authorization.k8s.io/v1/namespaces/{namespace}/localsubjectaccessreviews: {refused}\n"
        ));
    }
    text + &world.scenario.collector_errors(world)
}

fn write_logs(world: &World, options: &Options, sink: &mut dyn Sink) -> io::Result<()> {
    let weights = world.logs.iter().map(log::Log::weight).sum();
    for log in world.logs.iter().filter(|log| !log.path.contains("!/")) {
        log.write(world, options.log_bytes, weights, sink.file(&log.path)?)?;
    }
    for host in &world.hosts {
        let archive = node_archive(world, host, options.log_bytes, weights)?;
        sink.file(&format!("nodes/{}.zip", host.name))?.write_all(&archive)?;
    }
    Ok(())
}

/// The zip of one node; in memory, compressed, because it is stored inside another.
fn node_archive(world: &World, host: &Host, log_bytes: u64, weights: u64) -> io::Result<Vec<u8>> {
    let mut sink = ZipSink::new(Cursor::new(Vec::new()), &host.name);
    let prefix = format!("nodes/{0}.zip!/{0}/", host.name);
    node_files::configs(world, host, &mut sink)?;
    for log in &world.logs {
        if let Some(inner) = log.path.strip_prefix(&prefix) {
            log.write(world, log_bytes, weights, sink.file(inner)?)?;
        }
    }
    Ok(sink.finish()?.into_inner())
}

#[cfg(test)]
mod tests;
