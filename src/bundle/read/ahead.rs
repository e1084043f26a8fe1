//! Expansion of an entry on a second thread ahead of its reader, if a core is idle.
//!
//! On two cores, a zip with one log of 300 MB took 231 ms instead of 299. A zip with many entries takes as long as
//! before, because cores become idle only at its end.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};

/// Bytes per piece.
const PIECE: usize = if cfg!(test) { 64 } else { 256 << 10 };
/// Maximum number of pieces in use, including the one being read.
const PIECES: usize = 3;

/// Lets `then` read `source`, first on this thread; once a core is idle, another thread reads ahead.
///
/// The bytes are the same either way. If `then` ends early, so does the other thread.
pub(super) fn with<T>(
    source: &mut (dyn Read + Send),
    is_idle: &dyn Fn() -> bool,
    then: impl FnOnce(&mut dyn Read) -> T,
) -> T {
    thread::scope(|scope| then(&mut Ahead { scope, is_idle, state: State::Here { source, until_asked: 0 } }))
}

struct Ahead<'s, 'e, 'i> {
    scope: &'s Scope<'s, 'e>,
    is_idle: &'i dyn Fn() -> bool,
    state: State<'s>,
}

enum State<'s> {
    Here {
        source: &'s mut (dyn Read + Send),
        /// Bytes to read before checking again for an idle core.
        until_asked: usize,
    },
    There(Pieces),
    Ended,
}

/// Receiver of pieces from the other thread.
struct Pieces {
    full: Receiver<io::Result<Piece>>,
    empty: Sender<Vec<u8>>,
    piece: Piece,
}

/// Piece of which the bytes from `start` to `end` are still to be read.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Read for Ahead<'_, '_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let State::Here { until_asked: 0, .. } = &self.state {
            self.ask()?;
        }
        match &mut self.state {
            State::Here { source, until_asked } => {
                let count = source.read(out)?;
                *until_asked = until_asked.saturating_sub(count);
                Ok(count)
            }
            State::There(pieces) => pieces.read(out),
            State::Ended => Ok(0),
        }
    }
}

impl Ahead<'_, '_, '_> {
    /// Moves the source to its own thread if a core is idle.
    fn ask(&mut self) -> io::Result<()> {
        if !(self.is_idle)() {
            if let State::Here { until_asked, .. } = &mut self.state {
                *until_asked = PIECE;
            }
            return Ok(());
        }
        let State::Here { source, .. } = std::mem::replace(&mut self.state, State::Ended) else { return Ok(()) };
        let ((give, full), (empty, take)) = (sync_channel(PIECES), channel());
        for _ in 0..PIECES {
            // The receiver still exists.
            let _ = empty.send(vec![0; PIECE]);
        }
        thread::Builder::new().spawn_scoped(self.scope, move || read_all(source, &take, &give))?;
        self.state = State::There(Pieces { full, empty, piece: Piece::default() });
        Ok(())
    }
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.piece.start == self.piece.end {
            let done = std::mem::take(&mut self.piece);
            if !done.bytes.is_empty() {
                // The other thread may have ended already.
                let _ = self.empty.send(done.bytes);
            }
            match self.full.recv() {
                Ok(piece) => self.piece = piece?,
                Err(_) => return Ok(0),
            }
        }
        let waiting = self.piece.bytes.get(self.piece.start..self.piece.end).unwrap_or_default();
        let count = (&*waiting).read(out)?;
        self.piece.start += count;
        Ok(count)
    }
}

/// Fills pieces until the source ends or the receiver is dropped.
fn read_all(source: &mut dyn Read, empty: &Receiver<Vec<u8>>, full: &SyncSender<io::Result<Piece>>) {
    while let Ok(mut bytes) = empty.recv() {
        let (end, error) = fill(source, &mut bytes);
        let is_last = end < bytes.len();
        if end > 0 && full.send(Ok(Piece { bytes, start: 0, end })).is_err() {
            return;
        }
        if let Some(error) = error {
            // If the receiver is dropped, the error is not needed.
            let _ = full.send(Err(error));
            return;
        }
        if is_last {
            return;
        }
    }
}

/// Returns the number of bytes read; fewer than there is room for only at the end or with an error.
fn fill(source: &mut dyn Read, bytes: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut end = 0;
    while let Some(room) = bytes.get_mut(end..).filter(|room| !room.is_empty()) {
        match source.read(room) {
            Ok(0) => break,
            Ok(count) => end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (end, Some(error)),
        }
    }
    (end, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes() -> Vec<u8> {
        (0..1000u32).map(|n| (n % 251) as u8).collect()
    }

    /// Returns all bytes of `source`, and an error at the end, if a core becomes idle at the `idle`th check.
    fn drain(source: &mut (dyn Read + Send), idle: usize) -> (Vec<u8>, Option<String>) {
        let asked = std::cell::Cell::new(0);
        let is_idle = || {
            asked.set(asked.get() + 1);
            asked.get() > idle
        };
        let mut out = Vec::new();
        let result = with(source, &is_idle, |reader| reader.take(5000).read_to_end(&mut out));
        (out, result.err().map(|error| error.to_string()))
    }

    #[test]
    fn the_bytes_are_the_same_whoever_reads_them() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 1000] {
            for idle in [0, 1, 3, usize::MAX] {
                let bytes = &bytes()[..length];
                assert_eq!(drain(&mut &*bytes, idle), (bytes.to_vec(), None), "{length} {idle}");
            }
        }
    }

    #[test]
    fn an_error_comes_behind_what_was_read() {
        struct Broken(Vec<u8>);
        impl Read for Broken {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(out.len()).min(7);
                let few: Vec<u8> = self.0.drain(..count).collect();
                if few.is_empty() { Err(io::Error::other("bad block")) } else { few.as_slice().read(out) }
            }
        }
        for idle in [0, 2, usize::MAX] {
            assert_eq!(drain(&mut Broken(bytes()), idle), (bytes(), Some("bad block".to_owned())), "{idle}");
        }
    }

    #[test]
    fn a_visitor_that_stops_early_is_not_waited_for() {
        let first = with(&mut io::repeat(7), &|| true, |reader| {
            let mut byte = [0];
            reader.read_exact(&mut byte).map(|()| byte)
        });
        assert_eq!(first.unwrap(), [7]);
    }
}
