//! Columns of custom resources, by the `additionalPrinterColumns` of their definition.

use crate::expr::eval::stop::Stop;
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::columns::cell_values::{age, cell};
use crate::expr::functions::object_view::ObjectView;
use crate::model::message::Reason;
use crate::model::secret;
use crate::resource::table::PrinterColumn;
use crate::resource::{Collected, Resource, ResourceIndex, types};
use crate::yaml::Node;

/// Returns the cells with their headers; undecided without a definition.
pub(super) fn cells<'a>(
    world: &'a World,
    resource: &'a Resource,
    object: &ObjectView<'a>,
) -> Result<Vec<(Text<'a>, Value<'a>)>, Stop> {
    let columns = definition(&world.resources, resource)
        .map_err(|why| Stop::undecided(Reason::ColumnsUnknown { object: resource.object(), why: Box::new(why) }))?;
    let mut cells = Vec::new();
    for column in columns {
        let found = cell(find(object, column.path))?;
        let value = if column.type_ == "date" { age(world, &found)? } else { found };
        cells.push((Text::Shared(column.name.to_ascii_uppercase().into()), value));
    }
    Ok(cells)
}

/// Returns the column that an entry of `additionalPrinterColumns` describes.
fn printer_column(column: Node<'_>) -> Option<PrinterColumn<'_>> {
    let path = column.str_at(&["jsonPath"]).or_else(|| column.str_at(&["JSONPath"]))?;
    let is_wide = column.get("priority").and_then(Node::as_i64).is_some_and(|priority| priority > 0);
    let type_ = column.str_at(&["type"]).unwrap_or_default();
    Some(PrinterColumn { name: column.str_at(&["name"])?, path, type_, is_wide })
}

/// Returns the columns of the object's version, or of all versions in old definitions; none if the bundle has no definition, or a
/// collector hid a part of it.
pub fn defined_columns<'a>(resources: &'a ResourceIndex, resource: &Resource) -> Option<Vec<PrinterColumn<'a>>> {
    definition(resources, resource).ok()
}

/// Like [`defined_columns`], with the reason why there are none.
fn definition<'a>(resources: &'a ResourceIndex, resource: &Resource) -> Result<Vec<PrinterColumn<'a>>, Reason> {
    let name = format!("{}.{}", resource.plural, resource.group);
    let definitions = types::definitions();
    let Some(id) = resources.get(&definitions, None, &name) else {
        let hidden = resources.may_be_hidden(&definitions, None, &name, None);
        return Err(match resources.collected(&definitions, None) {
            _ if hidden => Reason::Withheld,
            Collected::No(why) => why,
            _ => Reason::NoColumns,
        });
    };
    // A definition of a table is a name.
    let spec = resources.resource(id).body().get("spec");
    let versions = || spec.and_then(|spec| spec.get("versions")).into_iter().flat_map(Node::items);
    let is_hidden = |version: &Node<'_>| version.str_at(&["name"]).is_some_and(secret::is_withheld);
    let version = versions().find(|v| v.str_at(&["name"]) == Some(&resource.version));
    let columns = [version, spec].into_iter().flatten().find_map(|of| of.get("additionalPrinterColumns"));
    let columns: Vec<PrinterColumn<'_>> = match (version, columns) {
        (None, _) if versions().any(|version| is_hidden(&version)) => return Err(Reason::Withheld),
        (None, None) => return Err(Reason::NoColumns),
        // A version without columns is printed with name and age.
        (_, columns) => columns.into_iter().flat_map(Node::items).filter_map(printer_column).collect(),
    };
    if columns.iter().flat_map(|column| [column.name, column.type_, column.path]).any(secret::is_withheld) {
        return Err(Reason::Withheld);
    }
    Ok(columns)
}

/// Returns the first value under a simple path: `.a.b`, `['a.b']`, `[0]`, `[*]`, `[?(@.type=="Ready")]`.
fn find<'a>(object: &ObjectView<'a>, path: &str) -> Result<Value<'a>, Stop> {
    let mut current = object.clone();
    let mut rest = path.trim();
    while !rest.is_empty() {
        let Some((step, behind)) = step(rest) else { return Ok(Value::Null) };
        current = match step {
            Step::Field(name) => current.at(&[&name])?,
            Step::Item(position) => match current.items(&[])?.into_iter().nth(position) {
                Some(item) => item,
                None => return Ok(Value::Null),
            },
            Step::Where(field, value) => {
                let names: Vec<&str> = field.split('.').collect();
                let mut found = None;
                for item in current.items(&[])? {
                    if item.is(&names, &value)? {
                        found = Some(item);
                        break;
                    }
                }
                match found {
                    Some(item) => item,
                    None => return Ok(Value::Null),
                }
            }
        };
        rest = behind;
    }
    Ok(current.value)
}

#[derive(Debug, PartialEq)]
enum Step {
    Field(String),
    Item(usize),
    /// The first item whose field has that text.
    Where(String, String),
}

fn step(path: &str) -> Option<(Step, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        if rest.starts_with('[') {
            return step(rest);
        }
        let mut name = String::new();
        let mut signs = rest.char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '.' | '[' => return Some((Step::Field(name), rest.get(at..)?)),
                '\\' => name.push(signs.next()?.1),
                _ => name.push(sign),
            }
        }
        return Some((Step::Field(name), ""));
    }
    let inside = path.strip_prefix('[')?;
    if let Some(filter) = inside.strip_prefix("?(@.") {
        let (condition, rest) = filter.split_once(")]")?;
        let (field, value) = condition.split_once("==")?;
        return Some((Step::Where(field.trim().to_owned(), unquoted(value.trim())?.to_owned()), rest));
    }
    let (key, rest) = inside.split_once(']')?;
    let step = match key {
        "*" => Step::Item(0),
        key => match key.parse() {
            Ok(position) => Step::Item(position),
            Err(_) => Step::Field(unquoted(key)?.to_owned()),
        },
    };
    Some((step, rest))
}

fn unquoted(text: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_step_by_step() {
        let steps = |mut path: &str| {
            let mut steps = Vec::new();
            while !path.is_empty() {
                let (next, rest) = step(path)?;
                steps.push(next);
                path = rest;
            }
            Some(steps)
        };
        let field = |name: &str| Step::Field(name.to_owned());
        assert_eq!(steps(".spec.a-b"), Some(vec![field("spec"), field("a-b")]));
        assert_eq!(
            steps(".metadata.labels['x.io/y'][0]"),
            Some(vec![field("metadata"), field("labels"), field("x.io/y"), Step::Item(0)])
        );
        assert_eq!(steps(r".labels.x\.io/y"), Some(vec![field("labels"), field("x.io/y")]));
        let ready = Step::Where("type".to_owned(), "Ready".to_owned());
        assert_eq!(
            steps(r#".status.conditions[?(@.type=="Ready")].status"#),
            Some(vec![field("status"), field("conditions"), ready, field("status")])
        );
        for wrong in ["spec", ".a[?(@.x>1)]", ".a[", ".a[b]"] {
            assert_eq!(steps(wrong), None, "{wrong}");
        }
    }
}
