//! Decodes the embedded data. Invalid lines are skipped; a test checks that there are none.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::{LazyLock, OnceLock};

use super::field::{Field, find};
use super::value_type::ValueType;

static PACKED: &[u8] = include_bytes!("fields.txt.zst");

/// 0.7 MB of text, expanded in 2 ms.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    let bytes = zstd::decode_all(PACKED).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
});

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(&TEXT));

/// The name of the kind that has the fields of every `metadata`.
const OBJECT_META: (&str, &str) = ("*", "ObjectMeta");

struct Table {
    types: Vec<ValueType>,
    versions: Vec<&'static str>,
    /// By group and kind.
    kinds: BTreeMap<(&'static str, &'static str), Kind>,
}

/// A kind of objects.
#[derive(Debug)]
pub struct Kind {
    /// Empty for the core group.
    pub group: &'static str,
    pub name: &'static str,
    /// The plural in the name of the type: `volumes`.
    pub plural: &'static str,
    /// Versions of the products that have it.
    pub versions: &'static str,
    /// Lines of its fields.
    lines: &'static str,
    fields: OnceLock<Vec<Field>>,
}

impl Kind {
    /// Returns its fields, sorted by name, without `apiVersion` and `kind`.
    pub fn fields(&self) -> &[Field] {
        self.fields.get_or_init(|| {
            let mut lines = self.lines.lines().peekable();
            TABLE.fields(&mut lines, 1, self.versions)
        })
    }

    /// Returns the field at a path such as `status.conditions[].type`.
    pub fn field(&self, path: &str) -> Option<&Field> {
        let path = path.replace("[]", ".[]").replace("{}", ".{}");
        let mut names = path.split('.');
        let first = find(self.fields(), names.next()?)?;
        names.try_fold(first, |field, name| field.part(name))
    }
}

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut parts = text.split("\n\n");
        let mut part = || parts.next().unwrap_or_default();
        let types = part().lines().filter_map(ValueType::parse).collect();
        let versions = part().lines().collect();
        let mut table = Self { types, versions, kinds: BTreeMap::new() };
        let mut rest = part();
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let end = end_of_fields(after);
            let (lines, next) = after.split_at_checked(end).unwrap_or((after, ""));
            table.kinds.extend(table.kind(line, lines).map(|kind| ((kind.group, kind.name), kind)));
            rest = next;
        }
        table
    }

    fn kind(&self, line: &'static str, lines: &'static str) -> Option<Kind> {
        let mut columns = line.split('\t');
        let (group, name) = columns.next()?.split_once('/')?;
        let plural = columns.next()?;
        let versions = self.versions.get(columns.next()?.parse::<usize>().ok()?)?;
        let group = if group == "core" { "" } else { group };
        Some(Kind { group, name, plural, versions, lines, fields: OnceLock::new() })
    }

    /// Reads the fields at a depth, with those below them.
    fn fields(
        &'static self,
        lines: &mut Peekable<std::str::Lines<'static>>,
        depth: usize,
        around: &'static str,
    ) -> Vec<Field> {
        let mut fields = Vec::new();
        while let Some(line) = lines.next_if(|line| depth_of(line) == depth) {
            let Some(mut field) = self.field(line, around) else { continue };
            field.fields = self.fields(lines, depth + 1, field.versions);
            fields.push(field);
        }
        fields
    }

    fn field(&'static self, line: &'static str, around: &'static str) -> Option<Field> {
        let mut columns = line.trim_start_matches(' ').split('\t');
        let name = columns.next()?;
        let value_type = self.types.get(columns.next()?.parse::<usize>().ok()?)?;
        let versions = match columns.next() {
            Some(number) => self.versions.get(number.parse::<usize>().ok()?)?,
            None => around,
        };
        Some(Field { name, value_type, versions, fields: Vec::new() })
    }
}

fn depth_of(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns the end of the indented lines at the beginning of a text.
fn end_of_fields(text: &str) -> usize {
    if !text.starts_with(' ') {
        return 0;
    }
    let next = text.match_indices('\n').find(|(at, _)| !text[at + 1..].starts_with(' '));
    next.map_or(text.len(), |(at, _)| at + 1)
}

/// Returns all kinds, by group and name.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    TABLE.kinds.values().filter(|kind| (kind.group, kind.name) != OBJECT_META)
}

/// Returns all texts of versions.
pub fn version_texts() -> impl Iterator<Item = &'static str> {
    TABLE.versions.iter().copied()
}

/// Returns the kind of that name in that group (empty: core).
pub fn kind(group: &str, name: &str) -> Option<&'static Kind> {
    kinds().find(|kind| kind.group == group && kind.name == name)
}

/// Returns the fields of every `metadata`.
pub fn object_meta() -> &'static [Field] {
    TABLE.kinds.get(&OBJECT_META).map_or(&[], Kind::fields)
}

#[cfg(test)]
mod tests {
    use super::super::value_type::{BaseType, Values};
    use super::*;

    fn count(fields: &[Field]) -> usize {
        fields.iter().map(|field| 1 + count(&field.fields)).sum()
    }

    #[test]
    fn every_line_is_read() {
        let lines = TEXT.split("\n\n").nth(2).unwrap().lines();
        let (fields, kinds): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with(' '));
        assert_eq!(TABLE.kinds.len(), kinds.len());
        assert_eq!(TABLE.kinds.values().map(|kind| count(kind.fields())).sum::<usize>(), fields.len());
        assert!(fields.len() > 30_000 && super::kinds().count() == 302);
        assert_eq!(TABLE.types.len(), TEXT.split("\n\n").next().unwrap().lines().count());
    }

    #[test]
    fn fields_are_sorted() {
        fn sorted(fields: &[Field]) -> bool {
            fields.windows(2).all(|pair| pair[0].name < pair[1].name)
                && fields.iter().all(|field| sorted(&field.fields))
        }
        assert!(TABLE.kinds.values().all(|kind| sorted(kind.fields())));
    }

    #[test]
    fn fields_have_types_values_and_versions() {
        let volume = kind("longhorn.io", "Volume").unwrap();
        assert_eq!(volume.plural, "volumes");
        let robustness = volume.field("status.robustness").unwrap();
        assert!(robustness.is(BaseType::String));
        let values = robustness.value_type.values.as_ref().unwrap();
        assert!(matches!(values, Values::Defined(texts) | Values::Enforced(texts) if texts.contains(&"degraded")));
        let status = volume.field("status.conditions[].status").unwrap();
        assert!(status.versions.starts_with("longhorn "), "{}", status.versions);
        assert!(volume.field("status.robustnes").is_none() && kind("", "Widget").is_none());
        assert!(kind("", "Pod").unwrap().field("metadata").unwrap().is(BaseType::ObjectMeta));
        assert!(object_meta().iter().any(|field| field.name == "deletionTimestamp"));
    }

    #[test]
    fn the_data_is_small() {
        assert!(PACKED.len() < 100_000);
    }
}
