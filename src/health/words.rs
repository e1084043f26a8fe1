//! Words in states, reasons and messages that mean trouble.

/// Words that mean that something failed.
const FAILURES: [&str; 29] = [
    "aborted",
    "corrupt",
    "corrupted",
    "crash",
    "crashed",
    "crashing",
    "dead",
    "denied",
    "err",
    "errimagepull",
    "errored",
    "error",
    "errors",
    "evicted",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "fatal",
    "fault",
    "faulted",
    "invalid",
    "lost",
    "oom",
    "panic",
    "red",
    "rejected",
];

/// Words that mean that something is less than it should be.
const SHORTCOMINGS: [&str; 8] =
    ["degraded", "missing", "notready", "offline", "unavailable", "unhealthy", "unreachable", "unschedulable"];

/// Words that report trouble only where something is explained.
const COMPLAINTS: [&str; 19] = [
    "backoff",
    "bad",
    "cannot",
    "conflict",
    "exceeded",
    "expired",
    "forbidden",
    "incompatible",
    "insufficient",
    "mismatch",
    "refused",
    "stuck",
    "timedout",
    "timeout",
    "unable",
    "unauthorized",
    "unexpected",
    "unresolved",
    "wrong",
];

/// Two words that report trouble together.
const PAIRS: [(&str, &str); 9] = [
    ("back", "off"),
    ("not", "available"),
    ("not", "connected"),
    ("not", "exist"),
    ("not", "found"),
    ("not", "healthy"),
    ("not", "reachable"),
    ("not", "ready"),
    ("timed", "out"),
];

/// Words that turn the next one into its opposite: `NoConflicts`, `0 errors`.
const DENIALS: [&str; 5] = ["no", "not", "non", "without", "0"];

/// How bad a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Less than it should be: `degraded`, `NotReady`.
    Short,
    /// Failed: `faulted`, `CreateFailed`, `HEALTH_ERR`.
    Failed,
}

/// Returns how bad a state is; none if its words mean no trouble.
pub fn tone_of_state(state: &str) -> Option<Tone> {
    let not_ready = |pair: (&str, &str)| matches!(pair, ("not", "ready") | ("back", "off"));
    found(state, |word| {
        let is_short = SHORTCOMINGS.contains(&word) || word == "backoff";
        FAILURES.contains(&word).then_some(Tone::Failed).or(is_short.then_some(Tone::Short))
    })
    .or_else(|| pairs(state, not_ready).then_some(Tone::Short))
}

/// Returns true for a reason or message that reports trouble.
pub fn reports_trouble(text: &str) -> bool {
    let is_bad = |word: &str| FAILURES.contains(&word) || SHORTCOMINGS.contains(&word) || COMPLAINTS.contains(&word);
    found(text, |word| is_bad(word).then_some(())).is_some() || pairs(text, |pair| PAIRS.contains(&pair))
}

/// Returns the greatest meaning of a word that no denial precedes.
fn found<T: Ord>(text: &str, meaning: impl Fn(&str) -> Option<T>) -> Option<T> {
    let words = words(text);
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    let told = before.zip(&words).filter(|(before, _)| !DENIALS.contains(before));
    told.filter_map(|(_, word)| meaning(word)).max()
}

fn pairs(text: &str, is_bad: impl Fn((&str, &str)) -> bool) -> bool {
    let words = words(text);
    words.windows(2).any(|pair| matches!(pair, [first, second] if is_bad((first, second))))
}

/// Longest text of which the words are looked at, in bytes.
const MOST: usize = 500;

/// Splits a text into words in lower case: at signs, and where capitals begin a word (`OOMKilled`, `CrashLoopBackOff`).
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut signs = text.char_indices().take_while(|(at, _)| *at < MOST).map(|(_, sign)| sign).peekable();
    let mut last = ' ';
    while let Some(sign) = signs.next() {
        let ends_capitals = last.is_uppercase() && signs.peek().is_some_and(|next| next.is_lowercase());
        if sign.is_uppercase() && (last.is_lowercase() || ends_capitals) {
            words.push(String::new());
        }
        match words.last_mut() {
            Some(word) if sign.is_alphanumeric() => word.extend(sign.to_lowercase()),
            // `can't`, `couldn't` stay one word.
            _ if sign == '\'' => {}
            _ => words.push(String::new()),
        }
        last = sign;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_word_by_word() {
        for (state, wanted) in [
            ("faulted", Some(Tone::Failed)),
            ("HEALTH_ERR", Some(Tone::Failed)),
            ("HEALTH_OK", None),
            ("PartiallyFailed", Some(Tone::Failed)),
            ("FailedValidation", Some(Tone::Failed)),
            ("CreateFailed", Some(Tone::Failed)),
            ("CrashLoopBackOff", Some(Tone::Failed)),
            ("ImagePullBackOff", Some(Tone::Short)),
            ("ErrApplied(1)", Some(Tone::Failed)),
            ("OOMKilled", Some(Tone::Failed)),
            ("errorpvcnotfound", None),
            ("ErrorPvcNotFound", Some(Tone::Failed)),
            ("NotReady", Some(Tone::Short)),
            ("Unavailable", Some(Tone::Short)),
            ("degraded", Some(Tone::Short)),
            ("red", Some(Tone::Failed)),
            ("Running", None),
            ("NoError", None),
            ("Modified", None),
            ("Stopped", None),
            ("Released", None),
            ("unknown", None),
            ("", None),
        ] {
            assert_eq!(tone_of_state(state), wanted, "{state}");
        }
    }

    #[test]
    fn reasons_and_messages_that_report_trouble() {
        for trouble in [
            "ImportFailed",
            "BadGateway",
            "NotFound",
            "dial tcp 10.0.0.1:443: connect: connection refused",
            "context deadline exceeded",
            "secret \"a\" not found",
            "couldn't reach it: request timed out",
            "DiskNotReady",
        ] {
            assert!(reports_trouble(trouble), "{trouble}");
        }
        for harmless in [
            "",
            "AsExpected",
            "NoConflicts",
            "no errors found",
            "0 errors",
            "2 out of 3 new replicas have been updated",
            "NotPaused",
            "NotDeleting",
            "Disabled",
            "WaitingForNodeRef",
            "TooFewReplicas",
            "ContainerCreating",
        ] {
            assert!(!reports_trouble(harmless), "{harmless}");
        }
    }
}
