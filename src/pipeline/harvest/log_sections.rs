//! A file of logs of several containers, and the documents between them.

use std::io::Read;

use super::visitor::Visitor;
use super::{Yield, issue};
use crate::model::IssueKind;
use crate::pipeline::tasks::Task;
use crate::resource::content;

impl Visitor<'_> {
    /// Scans the wanted sections as the file streams by; what stands between them is kept where it holds documents, with the
    /// line ends of the sections in their place.
    pub(super) fn sections(&self, task: &Task<'_>, documents: bool, reader: &mut dyn Read, mine: &mut Yield) {
        let part = &task.part;
        let mut wanted = task.logs.iter().peekable();
        let mut between = Between { bytes: Vec::new(), left: self.bundle.limits().max_document, keeps: documents };
        let mut at = 0;
        for section in self.pods.sections(part.path) {
            between.take(&mut reader.take(section.start.saturating_sub(at)));
            let mut log = reader.take(section.length);
            if let Some(wanted) = wanted.next_if(|log| log.section.as_ref() == Some(section)) {
                self.scan(part, wanted, &mut log, mine);
            }
            // A scanner reads to the end; what nobody wants is passed over.
            let _ = std::io::copy(&mut log, &mut std::io::sink());
            between.lines(section.lines);
            at = section.start + section.length;
        }
        between.take(reader);
        if documents {
            let room = self.holdings.room(task.held(self.pods));
            let mut objects = content::read_stream(part.path.clone(), between.bytes, self.clock.now, room);
            if between.left == 0 {
                let why = self.too_large();
                objects.incomplete(why.as_str());
                mine.issues.push(issue(part, IssueKind::Limit, why));
            }
            let said = objects.refusal().map(|said| said.chars().take(200).collect());
            mine.refused.extend(said.map(|said| self.absent(part, said)));
            mine.dumps.push(objects);
        }
    }
}

/// What stands between the sections of a file.
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
