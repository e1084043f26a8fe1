//! Logs in files whose path does not tell whose they are.

use crate::log::{host_of, is_dated, is_ring_buffer, last_start};

/// Log in a file whose path does not tell whose it is.
#[derive(Clone, Debug)]
pub enum LooseLog {
    /// Of a host, empty if its lines do not name it, and of what there.
    OfHost {
        host: String,
        unit: &'static str,
    },
    Other,
}

impl LooseLog {
    /// Recognises a log by the first bytes of a file that holds no objects: `journalctl > node1.txt`, `dmesg -T > n1.log`, `kubectl logs web-0 > web-0.txt`.
    pub fn of(head: &[u8]) -> Option<Self> {
        let ring_buffer = || is_ring_buffer(head).then_some("dmesg");
        let nameless = || ring_buffer().or_else(|| Some(last_start(head)?.unit)).map(|unit| (String::new(), unit));
        match host_of(head).map(|host| (host, "journal")).or_else(nameless) {
            Some((host, unit)) => Some(Self::OfHost { host, unit }),
            None => is_dated(head).then_some(Self::Other),
        }
    }
}
