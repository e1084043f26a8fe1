//! `gleaner describe`: one object with everything around it: what it reports, what it belongs to and rests on, its events, the findings
//! about it, its history, and the last lines of its containers.

mod last_lines;
mod page;
mod parts;
mod related;

use super::get::{self, Answer, Gap, Request, RequestError};
use super::object::View;
use super::opened::Opened;
use crate::model::Analysis;
use crate::resource::ResourceId;

pub use last_lines::{LastLines, last_lines};
use page::Page;

/// Finds the objects that are asked for; a name that is none may be the beginning of several.
///
/// # Errors
/// Same as [`get::answer`].
pub fn subjects(opened: &Opened<'_>, request: &Request, view: &View<'_>) -> Result<Answer, RequestError> {
    let mut answer = get::answer(opened, request, view)?;
    let mut gaps = Vec::new();
    for gap in std::mem::take(&mut answer.gaps) {
        match &gap {
            Gap::Absent { type_, name, namespace } | Gap::NotCollected { type_, name: Some(name), namespace, .. } => {
                let resources = opened.resources();
                let begins = |id: &ResourceId| {
                    let resource = resources.resource(*id);
                    let is_there =
                        namespace.as_deref().is_none_or(|asked| resource.namespace.as_deref() == Some(asked));
                    is_there && resource.name.starts_with(name.as_str())
                };
                let ids: Vec<ResourceId> = resources.of_type(type_).iter().copied().filter(begins).collect();
                if ids.is_empty() {
                    gaps.push(gap);
                } else {
                    answer.listings.push(get::Listing { type_: type_.clone(), ids });
                }
            }
            _ => gaps.push(gap),
        }
    }
    answer.gaps = gaps;
    Ok(answer)
}

/// Describes an object. `analysis` is of the whole bundle, `lines` are the last ones of its containers.
pub fn page(opened: &Opened<'_>, analysis: &Analysis, view: &View<'_>, id: ResourceId, lines: &[LastLines]) -> String {
    let mut page = Page::new(view);
    parts::identity(&mut page, opened, id);
    parts::columns(&mut page, opened, id);
    parts::conditions(&mut page, opened, id);
    parts::containers(&mut page, opened, id);
    parts::capacity(&mut page, opened, id);
    related::owned(&mut page, opened, id);
    related::storage(&mut page, opened, analysis, id);
    parts::findings(&mut page, opened, analysis, id);
    parts::events(&mut page, opened, id);
    parts::history(&mut page, opened, id);
    last_lines::write(&mut page, lines);
    page.text()
}
