//! Standard output that remembers its first error, which is reported at the end; a closed pipe is no error.

use std::io::{self, Write};

use super::output::OutputError;

/// Fails if the program was started without standard output (`>&-`). The standard library then opens `/dev/null` in its place, for
/// reading, too, which no redirection of a shell does.
///
/// # Errors
/// Says that there is no standard output.
#[cfg(unix)]
pub fn check_open() -> Result<(), OutputError> {
    use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
    let out = io::stdout();
    let is_null = || Some(fstat(&out).ok()?.st_rdev == stat("/dev/null").ok()?.st_rdev);
    let both_ways = || Some(fcntl_getfl(&out).ok()?.contains(OFlags::RDWR));
    if is_null() == Some(true) && both_ways() == Some(true) { Err(OutputError::NoStdout) } else { Ok(()) }
}

/// Elsewhere the first write fails.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn check_open() -> Result<(), OutputError> {
    Ok(())
}

/// Writer that remembers the first error to report.
pub struct StdoutGuard<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl<'a> StdoutGuard<'a> {
    /// Wraps `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, failure: None }
    }

    /// Flushes the output and returns the first error.
    ///
    /// # Errors
    /// Fails with the first error of the whole run, except for a closed pipe.
    pub fn finish(mut self) -> io::Result<()> {
        // `note` keeps the error.
        let _ = self.flush();
        self.failure.map_or(Ok(()), Err)
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && !matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::Interrupted)
            && self.failure.is_none()
        {
            self.failure = Some(error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error));
        }
        result
    }
}

impl Write for StdoutGuard<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.note(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refusing(io::ErrorKind);

    impl Write for Refusing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_remembered_and_a_closed_pipe_is_not() {
        let ends = |kind| {
            let mut out = Refusing(kind);
            let mut watched = StdoutGuard::new(&mut out);
            assert!(watched.write_all(b"x").is_err());
            watched.finish().map_err(|error| error.kind())
        };
        assert_eq!(ends(io::ErrorKind::StorageFull), Err(io::ErrorKind::StorageFull));
        assert_eq!(ends(io::ErrorKind::BrokenPipe), Ok(()));
        let mut text = Vec::new();
        let mut watched = StdoutGuard::new(&mut text);
        watched.write_all(b"x").unwrap();
        assert!(watched.finish().is_ok());
        assert_eq!(text, b"x");
    }
}
