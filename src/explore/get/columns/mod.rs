//! The columns that `kubectl get` prints: those of Kubernetes' printers for built-in types, of the definition or as shipped for custom
//! resources, and the cells themselves for rows of kubectl's tables.

mod cell;
mod custom;
mod empty;
mod event;
mod pod;

use cell::Cell;
pub use cell::{UNKNOWN, created, since};

use super::Listing;
use crate::explore::layout::Table;
use crate::explore::object::{self, View};
use crate::explore::opened::Opened;
use crate::expr::{Value, printed_cells};
use crate::model::age;
use crate::resource::table::{TypeColumns, columns_of_type};
use crate::resource::types::{built_in, canonical_group};
use crate::resource::{Resource, ResourceId};
use crate::yaml::Node;

/// What is shown beside the columns of the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub wide: bool,
    pub namespaces: bool,
    /// True if names are `pod/web-0`, because several types are listed.
    pub kinds: bool,
    pub labels: bool,
}

/// Columns of objects of one type: headers, and rows with as many cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    pub headers: Vec<Header>,
    pub rows: Vec<Vec<String>>,
}

/// Head of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    /// True if only `-o wide` shows it.
    pub is_wide: bool,
}

/// Prints the objects of one type.
pub fn table(opened: &Opened<'_>, view: &View<'_>, listing: &Listing, shown: Shown) -> Table {
    let Columns { headers, rows } = columns(opened, view, listing, shown);
    Table { headers: headers.into_iter().map(|header| header.name).collect(), rows }
}

/// Returns the columns of the objects of one type.
pub fn columns(opened: &Opened<'_>, view: &View<'_>, listing: &Listing, shown: Shown) -> Columns {
    let printer = Printer { opened, view, listing, shown };
    let rows: Vec<Vec<Cell>> = listing.ids.iter().map(|id| printer.row(*id)).collect();
    let mut headers: Vec<Header> = Vec::new();
    for cell in rows.iter().flatten().filter(|cell| shown.wide || !cell.is_wide) {
        if !headers.iter().any(|known| known.name == cell.header) {
            headers.push(Header { name: cell.header.clone(), is_wide: cell.is_wide });
        }
    }
    let cells = |row: &Vec<Cell>| {
        let text =
            |header: &Header| row.iter().find(|cell| cell.header == header.name).map_or(UNKNOWN, |cell| &cell.text);
        headers.iter().map(|header| view.text(text(header))).collect()
    };
    Columns { rows: rows.iter().map(cells).collect(), headers }
}

struct Printer<'p> {
    opened: &'p Opened<'p>,
    view: &'p View<'p>,
    listing: &'p Listing,
    shown: Shown,
}

impl Printer<'_> {
    fn row(&self, id: ResourceId) -> Vec<Cell> {
        let resource = self.opened.resources().resource(id);
        let mut row = Vec::new();
        if self.shown.namespaces {
            row.push(Cell::new("NAMESPACE", resource.namespace.as_deref().unwrap_or_default().to_owned()));
        }
        let name = Cell::new("NAME", self.name(resource));
        match self.opened.resources().event_of(id) {
            // The name of an event says nothing, so it comes last.
            Some(event) => {
                row.extend(event::cells(event, resource, self.opened.now()));
                row.push(Cell { is_wide: !self.shown.kinds, ..name });
            }
            None => {
                row.push(name);
                row.extend(self.cells(id, resource));
            }
        }
        if self.shown.labels {
            row.push(Cell::new("LABELS", labels(resource)));
        }
        row
    }

    fn name(&self, resource: &Resource) -> String {
        let kind = if self.shown.kinds { format!("{}/", typed_kind(resource)) } else { String::new() };
        let default = match &*self.listing.type_.plural {
            "storageclasses" => {
                ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
                    .as_slice()
            }
            "ingressclasses" => ["ingressclass.kubernetes.io/is-default-class"].as_slice(),
            _ => &[],
        };
        let is_default =
            default.iter().any(|key| resource.body().str_at(&["metadata", "annotations", key]) == Some("true"));
        format!("{kind}{}{}", resource.name, if is_default { " (default)" } else { "" })
    }

    fn cells(&self, id: ResourceId, resource: &Resource) -> Vec<Cell> {
        let group = canonical_group(&resource.plural, &resource.group);
        let type_ = columns_of_type(&resource.plural, group).filter(|known| known.is_complete);
        let resources = self.opened.resources();
        let supplement = resource.supplement.map(|id| resources.resource(id));
        // A description that has a row beside it says less than the row.
        if let Some(printed) = resource.cells().or_else(|| supplement.and_then(Resource::cells)) {
            return printed_row(printed, type_);
        }
        if let Some(type_) = type_ {
            return self.built_in(id, resource, type_);
        }
        if built_in(group) && !group.is_empty() || matches!(&*resource.plural, "limitranges" | "podtemplates") {
            let created = resource.body().str_at(&["metadata", "creationTimestamp"]);
            return vec![Cell::new("CREATED AT", created.unwrap_or_default().to_owned())];
        }
        custom::cells(resources, resource, self.view, self.opened.now())
    }

    fn built_in(&self, id: ResourceId, resource: &Resource, type_: &TypeColumns) -> Vec<Cell> {
        let printed = printed_cells(self.opened.world(), id).unwrap_or_default();
        let cell = |position: usize, header: &str| {
            let value = printed.iter().find(|(name, _)| name.as_str() == header).map(|(_, value)| value);
            let text = match (header, value) {
                ("RESTARTS", Some(Value::Int(restarts))) => pod::restarts(*restarts, resource, self.opened.now()),
                (_, Some(value)) => text(value, header, resource),
                (_, None) => UNKNOWN.to_owned(),
            };
            Cell { is_wide: position >= type_.narrow, ..Cell::new(header, text) }
        };
        let mut row: Vec<Cell> =
            type_.columns.iter().enumerate().map(|(position, (header, _))| cell(position, header)).collect();
        if let Some(at) = place_of_age(type_) {
            row.insert(at.min(row.len()), Cell::new("AGE", created(resource, self.opened.now())));
        }
        row
    }
}

/// Returns the number of columns before AGE; none for types that are printed without it.
fn place_of_age(type_: &TypeColumns) -> Option<usize> {
    match type_.name {
        "nodes" => Some(2),
        "certificatesigningrequests.certificates.k8s.io" => Some(0),
        "componentstatuses" | "csistoragecapacities.storage.k8s.io" => None,
        _ => Some(type_.narrow),
    }
}

/// Returns the cells of a row of a kubectl table; what `-o wide` printed is wide.
fn printed_row(printed: Node<'_>, type_: Option<&TypeColumns>) -> Vec<Cell> {
    let is_wide = |header: &str| {
        type_.is_some_and(|type_| type_.columns.iter().skip(type_.narrow).any(|(known, _)| *known == header))
    };
    let cells = printed.entries().filter(|(header, _)| !matches!(header.as_ref(), "NAMESPACE" | "NAME" | "LABELS"));
    cells
        .map(|(header, cell)| Cell {
            is_wide: is_wide(&header),
            ..Cell::new(&header, object::shown(cell).trim().to_owned())
        })
        .collect()
}

fn text(value: &Value<'_>, header: &str, resource: &Resource) -> String {
    match value {
        Value::Null => empty::word(&resource.plural, header).to_owned(),
        Value::Duration(duration) => age::human(*duration),
        Value::Undecided(_) => UNKNOWN.to_owned(),
        value => crate::expr::display(value).unwrap_or_default(),
    }
}

/// Returns `a=1,b=2` in the order of the keys.
fn labels(resource: &Resource) -> String {
    let labels = resource.body().path(&["metadata", "labels"]);
    let mut pairs: Vec<String> = labels
        .into_iter()
        .flat_map(Node::entries)
        .map(|(key, value)| format!("{key}={}", object::shown(value)))
        .collect();
    pairs.sort_unstable();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}

/// Returns the kind as kubectl names it before a name: `pod`, `deployment.apps`.
pub fn typed_kind(resource: &Resource) -> String {
    let group = canonical_group(&resource.plural, &resource.group);
    let kind = resource.kind.to_ascii_lowercase();
    if group.is_empty() { kind } else { format!("{kind}.{group}") }
}

#[cfg(test)]
mod tests;
