//! Tables of several types in one text, as `kubectl get all` prints them and people paste them one after the other:
//!
//! ```text
//! NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE
//! shop        pod/web-0   1/1     Running   0          5h
//!
//! NAMESPACE   NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
//! shop        deployment.apps/web   0/1     1            0           5h
//! ```

use super::signature;
use crate::resource::types::{self, TypeName};
use crate::yaml::grid::{self, Header, Line};

/// Most tables of one text, and most lines before them in all: these are made up for, so that places stay the same.
const MOST: usize = 200;
const MOST_LINES: usize = 8 << 20;

/// One table: its header and the lines from there on.
struct Table<'t> {
    header: Header,
    /// Lines before it.
    before: usize,
    text: &'t str,
}

/// Returns the type of each table and a text that has nothing but this table, in its place, with plain names; nothing if all are of one type
/// and have plain names, or if the type of one is not known.
pub(super) fn split(text: &str) -> Vec<(TypeName, String)> {
    let Some(tables) = tables(text) else { return Vec::new() };
    let prefixes: Vec<Option<TypeName>> = tables.iter().map(Table::prefix).collect();
    let has_prefixes = prefixes.iter().any(Option::is_some);
    let of_columns = |table: &Table<'_>| signature::type_of_columns(&signature::columns(text, &table.header));
    let types = prefixes.into_iter().zip(&tables).map(|(prefix, table)| prefix.or_else(|| of_columns(table)));
    let types = types.collect::<Option<Vec<TypeName>>>().unwrap_or_default();
    if types.windows(2).all(|pair| pair[0] == pair[1]) && !has_prefixes {
        return Vec::new();
    }
    types.into_iter().zip(&tables).map(|(name, table)| (name, table.in_place())).collect()
}

/// Returns the tables of a text; none if they are too many.
fn tables(text: &str) -> Option<Vec<Table<'_>>> {
    let (mut found, mut places, mut all_before) = (Vec::new(), Vec::new(), 0_usize);
    for (before, line) in grid::lines(text).enumerate() {
        let Some(header) = Header::read(line).filter(|header| signature::is_kubectl(text, header)) else { continue };
        all_before = all_before.saturating_add(before);
        if found.len() >= MOST || all_before > MOST_LINES {
            return None;
        }
        found.push((header, before));
        places.push(line.offset);
    }
    let ends = places.iter().skip(1).copied().chain([text.len()]);
    let texts = places.iter().zip(ends).map(|(start, end)| text.get(*start..end).unwrap_or_default());
    Some(found.into_iter().zip(texts).map(|((header, before), text)| Table { header, before, text }).collect())
}

impl Table<'_> {
    /// Returns the type that its rows put before their names.
    fn prefix(&self) -> Option<TypeName> {
        grid::lines(self.text).find_map(|line| prefix(line.text)).map(|(_, name)| name)
    }

    /// Returns a text with the lines of the table at their numbers.
    fn in_place(&self) -> String {
        let mut out = "\n".repeat(self.before);
        for Line { text: line, .. } in grid::lines(self.text) {
            match prefix(line) {
                Some((place, _)) => {
                    out.push_str(line.get(..place.start).unwrap_or_default());
                    // The name moves to the place of its prefix: cells begin where their column does.
                    let rest = line.get(place.end..).unwrap_or_default();
                    let (name, behind) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
                    out.push_str(name);
                    out.extend(std::iter::repeat_n(' ', place.len()));
                    out.push_str(behind);
                }
                None => out.push_str(line),
            }
            out.push('\n');
        }
        out
    }
}

/// Returns the place and the type of `deployment.apps/` before a name, which is the first or the second word of a row.
fn prefix(line: &str) -> Option<(std::ops::Range<usize>, TypeName)> {
    let mut start = 0;
    let words = line.split(' ').map(|word| {
        let at = start;
        start += word.len() + 1;
        (at, word)
    });
    words.filter(|(_, word)| !word.is_empty()).take(2).find_map(|(at, word)| {
        let (kind, _) = word.split_once('/')?;
        let (name, group) = kind.split_once('.').unwrap_or((kind, ""));
        let known = types::known_kind(group, name)?;
        Some((at..at + kind.len() + 1, TypeName::new(known.plural, known.group)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_table() {
        let text = "NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE\nshop        pod/web-0   1/1     Running   0          5h\n\n\
                    NAMESPACE   NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n\
                    shop        deployment.apps/web   0/1     1            0           5h\n";
        let tables = split(text);
        let shown: Vec<_> = tables.iter().map(|(name, text)| (name.to_string(), text.as_str())).collect();
        assert_eq!(shown[0].0, "pods");
        assert_eq!(shown[1].0, "deployments.apps");
        assert!(shown[0].1.contains("shop        web-0       1/1     Running"), "{}", shown[0].1);
        assert!(shown[1].1.starts_with("\n\n\nNAMESPACE"), "places stay the same");
        assert!(shown[1].1.contains("\nshop        web                   0/1     1"), "{}", shown[1].1);
    }

    #[test]
    fn more_tables_than_anybody_pastes_are_one_text() {
        let tables = "NAME    READY   STATUS   RESTARTS\nweb-0   1/1     Running  0\nNAME   STATUS   ROLES    VERSION\nn1     Ready    <none>   v1\n";
        assert_eq!(split(&tables.repeat(MOST / 2)).len(), MOST);
        assert!(split(&tables.repeat(MOST)).is_empty());
        let far = "\n".repeat(MOST_LINES);
        assert!(split(&format!("{far}{tables}")).is_empty());
    }

    #[test]
    fn tables_of_one_type_stay_together() {
        let pods = "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          5h\n";
        assert!(split(&pods.repeat(2)).is_empty());
        let nodes = "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   5d    v1.30.1\n";
        let types: Vec<_> = split(&[pods, nodes].concat()).iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(types, ["pods", "nodes"]);
        assert!(split("NAME   X-Y   Z\na      1     2\n").is_empty());
    }
}
