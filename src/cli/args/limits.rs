//! Flags that set limits, made from [`Limits::TABLE`].

use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::bundle::{Limit, Limits, Unit};
use crate::cli::size;

const HEADING: &str = "Limits (anything beyond is skipped and listed as an issue)";

/// Limits as flags set them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitArgs(pub Limits);

impl Args for LimitArgs {
    fn augment_args(command: Command) -> Command {
        Limits::TABLE.iter().fold(command, |command, limit| command.arg(argument(limit)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LimitArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut args = Self::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for limit in Limits::TABLE {
            if let Some(value) = matches.get_one::<u64>(id(limit)) {
                limit.set(&mut self.0, *value);
            }
        }
        Ok(())
    }
}

/// Value of a limit as its flag takes it.
pub fn value(limit: &Limit, limits: &Limits) -> String {
    match limit.unit {
        Unit::Bytes => size::format(limit.get(limits)),
        Unit::Count => limit.get(limits).to_string(),
    }
}

fn argument(limit: &'static Limit) -> Arg {
    let help = format!("{} [default: {}]", limit.help(), value(limit, &Limits::DEFAULT));
    let argument = Arg::new(id(limit)).long(id(limit)).help(help).help_heading(HEADING).hide_short_help(true);
    match limit.unit {
        Unit::Bytes => argument.value_name("SIZE").value_parser(size::parse),
        Unit::Count => argument.value_name("N").value_parser(clap::value_parser!(u64).range(1..)),
    }
}

/// Name of the flag without its dashes.
fn id(limit: &'static Limit) -> &'static str {
    limit.flag.trim_start_matches('-')
}
