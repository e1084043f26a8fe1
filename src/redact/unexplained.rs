//! Redacts errors that no rule explains.

use crate::model::inventory::Shown;
use crate::model::unexplained::{Incident, LogTemplate, Unexplained};

use super::texts::Texts;

/// Replaces names with pseudonyms.
pub fn redact(unexplained: &mut Unexplained, texts: &Texts<'_>) {
    let Unexplained { incidents, lines: _, times: _, left: _, shortened: _, clusters: _ } = unexplained;
    let Shown { items, left_out: _, not_collected } = incidents;
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
    for Incident { lead, why: _, together } in items {
        template(lead, texts);
        let Shown { items, left_out: _, not_collected } = together;
        not_collected.iter_mut().for_each(|why| texts.replace_in(why));
        items.iter_mut().for_each(|item| template(item, texts));
    }
}

/// Replaces the names in a template.
pub fn template(template: &mut LogTemplate, texts: &Texts<'_>) {
    let LogTemplate {
        text,
        level: _,
        lines: _,
        sources: Shown { items, left_out: _, not_collected },
        first: _,
        first_at,
        last: _,
        last_at,
        sample,
        times: _,
        clusters: _,
        known: _,
    } = template;
    texts.replace_all([text, sample]);
    not_collected.iter_mut().for_each(|why| texts.replace_in(why));
    texts.replace_all(items);
    texts.replace_entry(first_at);
    texts.replace_entry(last_at);
}
