//! Marks of lines, by which their copies in other files are recognised.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::log::source::stamp::since_boot;

/// Bytes at the start of a line that hold the host name and `kernel:`.
const MAX_HEAD: usize = 300;

/// Mark of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct LineMark {
    /// Hash of the message.
    pub message: u64,
    /// Microseconds since the boot, if the line has the kernel's own stamp.
    pub uptime: Option<u64>,
}

impl LineMark {
    /// Makes the mark of the text that patterns see of a line.
    pub fn of(text: &[u8]) -> Self {
        let (message, uptime) = message(text);
        // Without random keys the hasher gives the same hash in every run.
        let mut hasher = DefaultHasher::new();
        message.trim_ascii().hash(&mut hasher);
        Self { message: hasher.finish(), uptime }
    }
}

/// Prefix that the journal and syslog write before kernel messages.
const KERNEL: &str = "kernel: ";
/// Made once: making it took longer than to search a line.
static KERNEL_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(KERNEL));

/// Returns the message after host, facility and the kernel's stamp: `n1 kernel: [   12.345678] text`,
/// `kern  :err   : [Wed Mar  6 10:15:30 2024] text`.
fn message(text: &[u8]) -> (&[u8], Option<u64>) {
    let head = text.get(..MAX_HEAD).unwrap_or(text);
    let kernel = KERNEL_FINDER.find(head).filter(|at| is_one_word(head.get(..*at).unwrap_or_default()));
    let mut rest = match kernel {
        Some(at) => text.get(at + KERNEL.len()..).unwrap_or_default(),
        None => behind_facility(text).unwrap_or(text),
    };
    let mut uptime = None;
    if let Some((inside, behind)) = bracket(rest) {
        uptime = since_boot(inside).and_then(|time| time.as_micros().try_into().ok());
        if uptime.is_some() || inside.iter().filter(|byte| **byte == b':').count() == 2 {
            rest = behind;
        }
    }
    (rest, uptime)
}

fn is_one_word(host: &[u8]) -> bool {
    host.is_empty() || (host.ends_with(b" ") && !host.trim_ascii_end().contains(&b' '))
}

/// Returns the text after `kern  :err   : `, which `dmesg -x` writes.
fn behind_facility(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"kern")?.trim_ascii_start().strip_prefix(b":")?;
    let end = rest.get(..16).unwrap_or(rest).iter().position(|byte| *byte == b':')?;
    rest.get(end + 1..).map(<[u8]>::trim_ascii_start)
}

fn bracket(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_prefix(b"[")?;
    let end = inner.get(..40).unwrap_or(inner).iter().position(|byte| *byte == b']')?;
    Some((inner.get(..end)?, inner.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_kernel_line_has_the_same_mark() {
        let message = LineMark::of(b"Out of memory: Killed process 7").message;
        for (text, uptime) in [
            ("n1 kernel: Out of memory: Killed process 7", None),
            ("kernel: Out of memory: Killed process 7 ", None),
            ("n1 kernel: [   12.345678] Out of memory: Killed process 7", Some(12_345_678)),
            ("[   12.345678] Out of memory: Killed process 7", Some(12_345_678)),
            ("kern  :err   : [Wed Mar  6 10:15:30 2024] Out of memory: Killed process 7", None),
            ("[Wed Mar  6 10:15:30 2024] Out of memory: Killed process 7", None),
        ] {
            assert_eq!(LineMark::of(text.as_bytes()), LineMark { message, uptime }, "{text}");
        }
        for text in ["[sda] Out of memory: Killed process 7", "a b kernel: Out of memory: Killed process 7"] {
            assert_ne!(LineMark::of(text.as_bytes()).message, message, "{text}");
        }
    }
}
