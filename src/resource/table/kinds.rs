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

/// One table: its header, and its lines with their numbers.
struct Table<'t> {
    header: Header,
    lines: Vec<(usize, &'t str)>,
    of_prefix: Option<TypeName>,
}

/// Returns the type of each table and a text that has nothing but this table, in its place, with plain names; nothing if all are of one type
/// and have plain names, or if the type of one is not known.
pub(super) fn split(text: &str) -> Vec<(TypeName, String)> {
    let is_header = |line: &Line<'_>| Header::read(*line).is_some_and(|header| signature::is_kubectl(text, &header));
    let mut places = grid::lines(text).enumerate().filter(|(_, line)| is_header(line)).map(|(number, _)| number);
    let first = places.next().unwrap_or_default();
    let others: Vec<usize> = places.take(MOST).collect();
    let has_prefix = || grid::lines(text).nth(first + 1).is_some_and(|line| prefix(line.text).is_some());
    let is_too_long = others.len() >= MOST || others.iter().fold(first, |sum, at| sum.saturating_add(*at)) > MOST_LINES;
    if is_too_long || others.is_empty() && !has_prefix() {
        return Vec::new();
    }
    let mut tables: Vec<Table<'_>> = Vec::new();
    for (number, line) in grid::lines(text).enumerate() {
        if let Some(header) = Header::read(line).filter(|header| signature::is_kubectl(text, header)) {
            tables.push(Table { header, lines: vec![(number, line.text)], of_prefix: None });
        } else if let Some(table) = tables.last_mut() {
            table.of_prefix = table.of_prefix.take().or_else(|| Some(prefix(line.text)?.1));
            table.lines.push((number, line.text));
        }
    }
    let types: Option<Vec<TypeName>> = tables.iter().map(|table| table.type_of(text)).collect();
    let types = types.unwrap_or_default();
    let has_prefixes = tables.iter().any(|table| table.of_prefix.is_some());
    let is_one = types.windows(2).all(|pair| pair[0] == pair[1]);
    if is_one && !has_prefixes {
        return Vec::new();
    }
    types.into_iter().zip(&tables).map(|(name, table)| (name, table.text())).collect()
}

impl Table<'_> {
    fn type_of(&self, text: &str) -> Option<TypeName> {
        let columns: Vec<&str> = self.header.names().map(|name| text.get(name).unwrap_or_default()).collect();
        self.of_prefix.clone().or_else(|| signature::type_of_columns(&columns))
    }

    /// Returns a text with the lines of the table at their numbers.
    fn text(&self) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (number, line) in &self.lines {
            out.extend(std::iter::repeat_n('\n', number - at));
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
            at = *number;
        }
        out.push('\n');
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
