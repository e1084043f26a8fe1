//! Standard output with a memory: what could not be written there is told at the end, a closed pipe is not.

use std::io::{self, Write};

/// A writer that remembers the first error that its user should hear of.
pub struct StdoutGuard<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl<'a> StdoutGuard<'a> {
    /// Watches over `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, failure: None }
    }

    /// Writes what is still held back, and tells why something could not be written.
    ///
    /// # Errors
    /// The first error there was, unless the reader has gone.
    pub fn finish(mut self) -> io::Result<()> {
        // The error is in the memory.
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
