//! Redacts the list of what is not healthy.

use crate::model::inventory::Shown;
use crate::model::unhealthy::{
    LogEnd, ObjectWarning, Unhealthy, UnhealthyGroup, UnhealthyObject, Verdict, WarningGroup,
};

use super::texts::Texts;

/// Replaces names with pseudonyms.
pub fn redact(unhealthy: &mut Unhealthy, texts: &Texts<'_>) {
    let Unhealthy { objects, warnings, verdicts, explained: _, benign: _ } = unhealthy;
    let Shown { items, left_out: _, not_collected } = objects;
    items.iter_mut().for_each(|item| group(item, texts));
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
    let Shown { items, left_out: _, not_collected } = warnings;
    items.iter_mut().for_each(|item| warning(item, texts));
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
    let Shown { items, left_out: _, not_collected } = verdicts;
    for Verdict { title, message, severity: _, place } in items {
        texts.replace_all([title, message]);
        texts.replace_entry(place);
    }
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
}

fn group(group: &mut UnhealthyGroup, texts: &Texts<'_>) {
    let UnhealthyGroup { subject, severity: _, dependents: _, members: Shown { items, left_out: _, not_collected } } =
        group;
    texts.replace_in(subject);
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
    for UnhealthyObject { object, troubles, since: _, place, events, container, log_end } in items {
        texts.replace_in(object);
        texts.replace_all(troubles);
        texts.replace_entry(place);
        texts.replace_all(container);
        for ObjectWarning { reason, message, count: _, last: _, place } in events {
            texts.replace_all([reason, message]);
            texts.replace_entry(place);
        }
        if let Some(LogEnd { place, lines }) = log_end {
            texts.replace_all(lines);
            texts.replace_entry(place);
        }
    }
}

fn warning(group: &mut WarningGroup, texts: &Texts<'_>) {
    let WarningGroup { reason, message, count: _, objects: _, object, first: _, last: _, place, known: _ } = group;
    texts.replace_all([reason, message]);
    texts.replace_in(object);
    texts.replace_entry(place);
}
