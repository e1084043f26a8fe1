//! Redacts the list of what is not healthy.

use crate::model::inventory::Shown;
use crate::model::unhealthy::{Unhealthy, UnhealthyGroup, UnhealthyObject, WarningGroup};

use super::text::Redactor;

/// Replaces names with pseudonyms.
pub fn redact(unhealthy: &mut Unhealthy, redactor: &Redactor<'_>) {
    let Unhealthy { objects, warnings, explained: _ } = unhealthy;
    let Shown { items, left_out: _, not_collected } = objects;
    items.iter_mut().for_each(|item| group(item, redactor));
    not_collected.iter_mut().for_each(|why| redactor.replace_in(why));
    let Shown { items, left_out: _, not_collected } = warnings;
    items.iter_mut().for_each(|item| warning(item, redactor));
    not_collected.iter_mut().for_each(|why| redactor.replace_in(why));
}

fn group(group: &mut UnhealthyGroup, redactor: &Redactor<'_>) {
    let UnhealthyGroup { subject, severity: _, members: Shown { items, left_out: _, not_collected } } = group;
    redactor.replace_in(subject);
    not_collected.iter_mut().for_each(|why| redactor.replace_in(why));
    for UnhealthyObject { object, troubles, since: _, place } in items {
        redactor.replace_in(object);
        redactor.replace_all(troubles);
        redactor.replace_entry(place);
    }
}

fn warning(group: &mut WarningGroup, redactor: &Redactor<'_>) {
    let WarningGroup { reason, message, count: _, objects: _, object, first: _, last: _, place } = group;
    redactor.replace_all([reason, message]);
    redactor.replace_in(object);
    redactor.replace_entry(place);
}
