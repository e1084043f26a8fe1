//! Short names of types, as kubectl takes them: `po`, `vmi`.

use super::TypeName;

/// `group,plural,short names,category` of Kubernetes 1.36 and of the products in the releases that `src/resource/table/shipped.tsv` names.
const TABLE: &str = include_str!("short_names.csv");

/// A row of the table.
pub struct ShortNames {
    pub type_: TypeName,
    /// Separated by blanks.
    names: &'static str,
    /// True if `kubectl get all` includes the type.
    pub in_all: bool,
}

impl ShortNames {
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split(' ').filter(|name| !name.is_empty())
    }
}

/// Returns all rows, sorted by group and plural.
pub fn short_names() -> impl Iterator<Item = ShortNames> {
    TABLE.lines().skip(1).filter_map(|row| {
        let mut cells = row.split(',');
        let (group, plural, names) = (cells.next()?, cells.next()?, cells.next()?);
        Some(ShortNames { type_: TypeName::new(plural, group), names, in_all: cells.next() == Some("all") })
    })
}

/// Returns the only type with a short name.
pub fn of_short_name(name: &str) -> Option<TypeName> {
    let mut found = short_names().filter(|row| row.names().any(|short| short == name));
    found.next().filter(|_| found.next().is_none()).map(|row| row.type_)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_short_names_is_of_a_known_type() {
        for row in TABLE.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            assert!(cells.len() == 4 && (!cells[2].is_empty() || cells[3] == "all"), "{row}");
        }
    }

    #[test]
    fn a_short_name_of_several_types_is_none_of_one() {
        let of = |name: &str| of_short_name(name).map(|type_| type_.to_string());
        assert_eq!(of("po").as_deref(), Some("pods"));
        assert_eq!(of("vmi").as_deref(), Some("virtualmachineinstances.kubevirt.io"));
        assert_eq!(of("vs"), None);
        assert_eq!(of("x"), None);
    }
}
