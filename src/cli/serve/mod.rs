//! `gleaner serve`: bundles as read-only clusters on this machine, and their reports for a browser.
//!
//! [`site`] says what a path opens, [`bundle`] holds what is served of one bundle, [`http`] speaks to the clients, [`kubeconfig`]
//! tells kubectl where all this is, and [`command`] runs the program that uses it.

mod bundle;
mod command;
mod http;
mod kubeconfig;
mod random;
mod site;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};

use anyhow::Context;

use super::args::ServeArgs;
use super::errors::{bundle_error, usage_error};
use super::exit::ExitCode;
use super::threads::thread_pool;
use super::{lines, loaders, rules};
use bundle::{Making, ServedBundle};
use kubeconfig::Kubeconfig;
use site::Site;

/// Serves until the program is interrupted, or the command ends.
pub fn run(args: &ServeArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    served(args, out, err).unwrap_or_else(|code| code)
}

fn served(args: &ServeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let loaded = rules::chosen(&args.rules, err)?;
    let set = rules::compiled(loaded, err)?;
    let key = args.redact_key.as_deref().map(loaders::redact_key).transpose();
    let key = key.map_err(|error| usage_error(err, error))?;
    let pool = thread_pool(None).map_err(|error| usage_error(err, error))?;
    let making = Making { rules: set, limits: args.limits.0, redact: args.redact, key, pool };
    let mut bundles = Vec::new();
    for path in &args.bundles {
        let names: Vec<&str> = bundles.iter().map(|bundle: &ServedBundle| bundle.name.as_str()).collect();
        let name = kubeconfig::context_name(path, &names);
        bundles.push(ServedBundle::open(path, name, &making).map_err(|error| bundle_error(err, error))?);
    }
    let started = || -> anyhow::Result<(TcpListener, Site, Kubeconfig)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
            .with_context(|| format!("cannot listen on port {}; leave out --port to take a free one", args.port))?;
        let port = listener.local_addr()?.port();
        let site = Site { port, bundles, making };
        let kubeconfig = Kubeconfig::write(&site)?;
        Ok((listener, site, kubeconfig))
    };
    let (listener, site, kubeconfig) = started().map_err(|error| usage_error(err, error))?;
    // With a command the terminal belongs to that.
    if args.command.is_empty() {
        // The guard of standard output reports errors at the end.
        let _ = lines::print_text(out, &introduction(&site, &kubeconfig));
        let _ = out.flush();
    }
    let end = command::End::new(&args.command, kubeconfig.path());
    http::serve(site, listener, end).map_err(|error| usage_error(err, error))
}

/// Says what to type.
fn introduction(site: &Site, kubeconfig: &Kubeconfig) -> String {
    let path = kubeconfig.path().display();
    let mut text = format!("KUBECONFIG={path} kubectl get pods -A\nKUBECONFIG={path} k9s -A\n\n");
    for bundle in &site.bundles {
        text.push_str(&format!(
            "context {}: {}\n  report: {}\n",
            bundle.name,
            bundle.shown_path(),
            site.report_url(bundle)
        ));
    }
    text.push_str("\nAges in lists are those at the time of the collection; describe and events print ages of today. Ctrl-C ends.\n");
    text
}
