//! Progress line while an archive is analysed: files, files per minute, time left.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::triage::RunProgress;

const LINE: &str = "[{bar:24}] {pos} of {len} files, {rate} per minute, {left} left ({elapsed})";

/// Progress line on standard error if that is a terminal; removed when dropped.
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// Creates a line; a hidden one if `quiet` or if standard error is no terminal.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self { bar: ProgressBar::with_draw_target(Some(0), target) }
    }
}

impl RunProgress for Line {
    fn begin(&self, files: u64, _bytes: u64) {
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.0}", per_minute(state.pos(), state.elapsed()));
        };
        let left = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&left(state.pos(), state.len().unwrap_or(0), state.elapsed()));
        };
        if let Ok(style) = ProgressStyle::with_template(LINE) {
            self.bar.set_style(style.progress_chars("=> ").with_key("rate", rate).with_key("left", left));
        }
        self.bar.set_length(files);
        self.bar.reset();
        self.bar.enable_steady_tick(Duration::from_millis(250));
    }

    fn done(&self, _bytes: u64) {
        self.bar.inc(1);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the rate over the whole run; the rate of single bundles varies too much.
pub fn per_minute(done: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { done as f64 * 60.0 / elapsed.as_secs_f64() }
}

/// Returns `1h 05m`, `3m 20s`, or `?` while nothing is known.
fn left(done: u64, all: u64, elapsed: Duration) -> String {
    if done == 0 {
        return "?".to_owned();
    }
    let seconds = (elapsed.as_secs_f64() * all.saturating_sub(done) as f64 / done as f64).ceil() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_follows_from_the_rate() {
        let of = |done, all, seconds| left(done, all, Duration::from_secs(seconds));
        assert_eq!(of(0, 10, 5), "?");
        assert_eq!(of(1, 10, 5), "45s");
        assert_eq!(of(10, 210, 10), "3m 20s");
        assert_eq!(of(10, 10_010, 4), "1h 06m");
        assert_eq!(of(10, 10, 4), "0s");
        assert!((per_minute(30, Duration::from_secs(90)) - 20.0).abs() < 1e-9);
    }
}
