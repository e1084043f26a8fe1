//! Words by which a line reports trouble.

use crate::model::unexplained::Level;

/// What a header says about the level of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// It reports no trouble: info, debug, notice.
    Quiet,
    Level(Level),
    /// It names no level.
    Nothing,
}

/// Returns the level of a word that loggers use, in any case; `None` for any other word.
pub(super) fn stated(word: &[u8]) -> Option<Stated> {
    if word.len() < 3 || word.len() > 9 {
        return None;
    }
    let mut lower = [0; 9];
    lower.iter_mut().zip(word).for_each(|(to, from)| *to = from.to_ascii_lowercase());
    match lower.get(..word.len()).unwrap_or_default() {
        b"info" | b"debug" | b"trace" | b"notice" | b"debu" | b"trac" | b"inf" | b"dbg" | b"trc" => Some(Stated::Quiet),
        b"warn" | b"warning" | b"wrn" => Some(Stated::Level(Level::Warning)),
        b"error" | b"err" | b"erro" => Some(Stated::Level(Level::Error)),
        b"fatal" | b"panic" | b"fata" | b"ftl" | b"pani" | b"crit" | b"critical" | b"emerg" | b"alert" | b"dpanic" => {
            Some(Stated::Level(Level::Fatal))
        }
        _ => None,
    }
}

/// Words of messages without a stated level, in lower case, sorted.
const FATAL: [&str; 6] = ["fatal", "oops", "panic", "panicked", "segfault", "sigsegv"];
const ERROR: [&str; 34] = [
    "cannot",
    "corrupt",
    "corrupted",
    "corruption",
    "crashed",
    "deadlock",
    "denied",
    "err",
    "error",
    "errors",
    "exception",
    "expired",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "forbidden",
    "hung",
    "invalid",
    "killed",
    "oom",
    "oom-kill",
    "out-of-memory",
    "refused",
    "timed",
    "timeout",
    "traceback",
    "unable",
    "unauthorized",
    "unavailable",
    "unhealthy",
    "unknown-error",
    "unreachable",
];
const WARNING: [&str; 9] =
    ["exceeded", "rejected", "retrying", "stuck", "throttled", "unsupported", "warn", "warning", "warnings"];
/// Words before which a word of trouble means none.
const NOT: [&str; 4] = ["0", "no", "not", "without"];
/// Pairs of words that say that something failed: `could not`, `can't`.
const FAILED: [(&str, &str); 3] = [("can", "t"), ("could", "not"), ("couldn", "t")];

/// Returns the level that the words of a template speak of; none for a template without trouble.
pub(super) fn spoken(words: &[&str]) -> Option<Level> {
    let mut found = None;
    let mut before = String::new();
    for word in words {
        let is_exception = exception(word.as_bytes()).is_some();
        let word = word.to_ascii_lowercase();
        let has = |list: &[&str]| list.binary_search(&word.as_str()).is_ok();
        let level = if has(&FATAL) {
            Some(Level::Fatal)
        } else if is_exception || has(&ERROR) || FAILED.contains(&(&before, &word)) {
            Some(Level::Error)
        } else {
            has(&WARNING).then_some(Level::Warning)
        };
        if !NOT.contains(&before.as_str()) {
            found = found.max(level);
        }
        before = word;
    }
    found
}

/// Returns the class of an exception as Java, Python, Ruby, .NET and JavaScript print it, without its package: `ReadOnlyError` of
/// `redis.exceptions.ReadOnlyError`.
pub(super) fn exception(word: &[u8]) -> Option<&[u8]> {
    let class = word.rsplit(|byte| *byte == b'.' || *byte == b':').next()?;
    let is_class = class.first()?.is_ascii_uppercase() && class != b"NoError";
    (is_class && (class.ends_with(b"Error") || class.ends_with(b"Exception"))).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_so_that_all_are_found() {
        for list in [&FATAL[..], &ERROR[..], &WARNING[..]] {
            assert!(list.is_sorted());
        }
    }

    #[test]
    fn trouble_is_spoken_of() {
        let level = |text: &str| spoken(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(level("connection Refused by peer"), Some(Level::Error));
        assert_eq!(level("warning: disk"), None, "punctuation is no part of a word");
        assert_eq!(level("warning panic"), Some(Level::Fatal));
        assert_eq!(level("finished without error"), None);
        assert_eq!(level("all is well"), None);
        for said in ["java.net.UnknownHostException db", "ReadOnlyError You", "could not reach it", "I can t start"] {
            assert_eq!(level(said), Some(Level::Error), "{said}");
        }
        assert_eq!(level("onError NoError Error.prototype it can be reached t"), None);
    }

    #[test]
    fn levels_have_many_names() {
        assert_eq!(stated(b"ERRO"), Some(Stated::Level(Level::Error)));
        assert_eq!(stated(b"Warning"), Some(Stated::Level(Level::Warning)));
        assert_eq!((stated(b"INFO"), stated(b"informant"), stated(b"xx")), (Some(Stated::Quiet), None, None));
    }
}
