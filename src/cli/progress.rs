//! Progress bar while a bundle is read: bytes and entries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::model::Progress;

/// Template for a stage of known size.
const BAR: &str = "{prefix:<10} [{bar:32}] {bytes} of {total_bytes}, {msg} ({elapsed})";
/// Template for a stage of unknown size.
const SPINNER: &str = "{prefix:<10} {spinner} {msg} ({elapsed})";

/// Progress bar on standard error if that is a terminal; removed when dropped.
pub struct Bar {
    bar: ProgressBar,
    entries: AtomicU64,
}

impl Bar {
    /// Creates a bar; a hidden one if `quiet` or if standard error is no terminal.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self::drawing_on(target)
    }

    fn drawing_on(target: ProgressDrawTarget) -> Self {
        Self { bar: ProgressBar::with_draw_target(None, target), entries: AtomicU64::new(0) }
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, bytes: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let template = if bytes > 0 { BAR } else { SPINNER };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> "));
        }
        self.entries.store(0, Ordering::Relaxed);
        self.bar.set_prefix(name.to_owned());
        self.bar.set_message("");
        self.bar.set_length(bytes);
        self.bar.reset();
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn advance(&self, bytes: u64, entries: u64) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.inc(bytes);
        if entries > 0 {
            let total = self.entries.fetch_add(entries, Ordering::Relaxed) + entries;
            self.bar.set_message(if total == 1 { "1 entry".to_owned() } else { format!("{total} entries") });
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io;
    use std::sync::{Arc, Mutex};

    /// Terminal that keeps the text of its last line.
    #[derive(Clone, Debug, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn contents(&self) -> String {
            self.0.lock().unwrap().trim().to_owned()
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.0.lock().unwrap().clear();
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn drawn(work: impl FnOnce(&Bar)) -> (String, String) {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let bar = Bar::drawing_on(target);
        work(&bar);
        bar.bar.tick();
        let during = screen.contents();
        drop(bar);
        (during, screen.contents())
    }

    #[test]
    fn the_bar_shows_bytes_and_entries_and_is_removed() {
        let (during, after) = drawn(|bar| {
            bar.stage("reading", 2048);
            bar.advance(1024, 3);
            bar.advance(0, 2);
        });
        assert!(during.starts_with("reading"), "{during}");
        assert!(during.contains("1.00 KiB of 2.00 KiB, 5 entries"), "{during}");
        assert_eq!(after, "");
    }

    #[test]
    fn a_stage_of_unknown_size_has_no_bar() {
        let (during, _) = drawn(|bar| bar.stage("evaluating", 0));
        assert!(during.starts_with("evaluating") && !during.contains('['), "{during}");
    }

    #[test]
    fn quiet_draws_nothing() {
        let bar = Bar::new(true);
        bar.stage("reading", 10);
        bar.advance(5, 1);
        assert!(bar.bar.is_hidden());
    }
}
