//! A file with logs of several containers and documents between them.

use std::io::Read;

use super::entry_result::{EntryResult, issue};
use super::visitor::Visitor;
use crate::model::IssueKind;
use crate::pipeline::tasks::Task;
use crate::resource::content;

impl Visitor<'_> {
    /// Scans the requested logs as the file streams by. Text between them is kept if it holds documents, with the line
    /// ends of the logs in place so that line numbers stay correct.
    pub(super) fn file_of_logs(
        &self,
        file: &Task<'_>,
        logs: &[Task<'_>],
        reader: &mut dyn Read,
        mine: &mut EntryResult,
    ) {
        let (part, documents) = (&file.part, file.has_objects());
        let mut logs = logs.iter().peekable();
        let mut between = Between { bytes: Vec::new(), left: self.bundle.limits().max_dump, keeps: documents };
        let mut at = 0;
        for section in self.sections.of(part.path) {
            between.take(&mut reader.take(section.start.saturating_sub(at)));
            let mut log = reader.take(section.length);
            if let Some(task) = logs.next_if(|task| task.part.section == Some(section)) {
                self.consume(task, &mut log, mine);
            }
            // A scanner reads to the end; unneeded bytes are skipped.
            let _ = std::io::copy(&mut log, &mut std::io::sink());
            between.lines(section.lines);
            at = section.start + section.length;
        }
        between.take(reader);
        if documents {
            let room = self.memory.room(file.held());
            let mut objects = content::read_stream(part.path.clone(), between.bytes, self.clock.now, room);
            if between.left == 0 {
                objects.mark_incomplete();
                mine.issues.push(issue(part, IssueKind::Limit, self.too_large()));
            }
            mine.file_gaps.extend(objects.refusal().map(|said| self.file_gap(part, said.clone())));
            mine.dumps.push(objects);
        }
    }
}

/// Text between the sections of a file.
struct Between {
    bytes: Vec<u8>,
    /// Bytes that may still be kept.
    left: u64,
    keeps: bool,
}

impl Between {
    fn take(&mut self, reader: &mut dyn Read) {
        if self.keeps {
            let read = reader.take(self.left).read_to_end(&mut self.bytes).unwrap_or_default();
            self.left = self.left.saturating_sub(read as u64);
        }
        let _ = std::io::copy(reader, &mut std::io::sink());
    }

    fn lines(&mut self, count: u64) {
        let kept = if self.keeps { count.min(self.left) } else { 0 };
        self.bytes.extend(std::iter::repeat_n(b'\n', usize::try_from(kept).unwrap_or_default()));
        self.left -= kept;
    }
}
