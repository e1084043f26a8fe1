//! When the program ends: when it is interrupted, or when the command that it runs ends.

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use anyhow::Context;

use crate::cli::exit::ExitCode;

/// Time between two looks at a command; its end is seen no later than a person would notice.
const LOOK: Duration = Duration::from_millis(20);

/// What the program waits for.
pub struct End<'e> {
    command: &'e [OsString],
    kubeconfig: &'e Path,
}

impl<'e> End<'e> {
    pub fn new(command: &'e [OsString], kubeconfig: &'e Path) -> Self {
        Self { command, kubeconfig }
    }

    /// Waits, and returns the code to end with.
    ///
    /// # Errors
    /// The command cannot be run, or signals cannot be received.
    pub async fn wait(self) -> anyhow::Result<ExitCode> {
        let Some((program, arguments)) = self.command.split_first() else {
            tokio::select! {
                interrupted = tokio::signal::ctrl_c() => interrupted?,
                stopped = stopped()? => stopped,
            }
            return Ok(ExitCode::Success);
        };
        let mut stop = std::pin::pin!(stopped()?);
        // The terminal interrupts the command as well, which decides what that means.
        let _interrupts = tokio::spawn(async { while tokio::signal::ctrl_c().await.is_ok() {} });
        let child = Command::new(program).args(arguments).env("KUBECONFIG", self.kubeconfig).spawn();
        let mut child = child.with_context(|| format!("cannot run `{}`", program.to_string_lossy()))?;
        let ended = tokio::select! {
            ended = end_of(&mut child) => Some(ended?),
            () = &mut stop => None,
        };
        match ended {
            Some(status) => Ok(ExitCode::Command(code(status))),
            None => {
                child.kill()?;
                child.wait()?;
                Ok(ExitCode::Success)
            }
        }
    }
}

async fn end_of(child: &mut Child) -> io::Result<ExitStatus> {
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(status),
            None => tokio::time::sleep(LOOK).await,
        }
    }
}

/// Returns what a shell would: the code, or 128 and the number of the signal.
#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Waits until the system or the terminal ends the program.
#[cfg(unix)]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminated, mut hung_up) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = hung_up.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    Ok(std::future::pending())
}
