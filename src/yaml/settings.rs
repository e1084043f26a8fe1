//! Files of settings as documents: `key = value`, `key: value` and `key value` lines, with or without sections.
//!
//! There is no single grammar; the reader accepts what `/etc/os-release`, sysctl and `.conf` files, systemd units, NetworkManager's
//! key files and the `key: value` output of tools have in common. Values are texts without the
//! quotes around them; comments are whole lines that begin with `#` or `;`.

use std::ops::Range;

use super::builder::Builder;
use super::document::Document;
use super::grid::{Line, lines, trimmed};
use super::tape::Kind;

/// Reads one mapping of all keys and ignores sections. The last line of a repeated key counts.
pub fn keys(text: String) -> Document {
    Document::filled(text, |builder, text| {
        builder.open(Kind::Mapping, 0);
        for line in lines(text).filter(|line| !is_comment(*line) && section(*line).is_none()) {
            entry(builder, line);
        }
        builder.close();
    })
}

/// Reads a mapping of sections (`[name]`), each a mapping of its keys; keys before the first section are next to the sections.
/// Sections of the same name are merged.
pub fn ini(text: String) -> Document {
    Document::filled(text, |builder, text| {
        let mut sections: Vec<(Option<Range<usize>>, Vec<Line<'_>>)> = vec![(None, Vec::new())];
        for line in lines(text).filter(|line| !is_comment(*line)) {
            let Some(name) = section(line) else {
                sections.last_mut().into_iter().for_each(|(_, lines)| lines.push(line));
                continue;
            };
            let named = |range: &Range<usize>| text.get(range.clone());
            let known = sections.iter().position(|(known, _)| known.as_ref().and_then(named) == named(&name));
            let known = known.map_or_else(|| (Some(name), Vec::new()), |known| sections.remove(known));
            sections.push(known);
        }
        builder.open(Kind::Mapping, 0);
        for (name, lines) in sections {
            if let Some(name) = name {
                builder.borrowed(Kind::String, name.start, name.clone());
                builder.open(Kind::Mapping, name.start);
                lines.into_iter().for_each(|line| entry(builder, line));
                builder.close();
            } else {
                lines.into_iter().for_each(|line| entry(builder, line));
            }
        }
        builder.close();
    })
}

fn is_comment(line: Line<'_>) -> bool {
    let text = line.text.trim_start();
    text.is_empty() || text.starts_with(['#', ';'])
}

/// Returns the place of a section's name if the line begins one.
fn section(line: Line<'_>) -> Option<Range<usize>> {
    let text = line.text.trim();
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    let start = line.text.find('[')? + 1;
    (!inside.trim().is_empty()).then(|| trimmed(line, start..start + inside.len()))
}

/// Writes the key and the value of a line; a line of one word is a key without a value.
fn entry(builder: &mut Builder<'_>, line: Line<'_>) {
    let text = line.text;
    // An equals sign or colon ends the key; without either, the first blank after a word does.
    let word = text.len() - text.trim_start().len();
    let sign = text.find('=').or_else(|| colon(text));
    let end = sign.or_else(|| text.get(word..)?.find(char::is_whitespace).map(|blank| word + blank));
    let end = end.unwrap_or(text.len());
    let key = trimmed(line, 0..end);
    if key.is_empty() {
        return;
    }
    let value = trimmed(line, (end + usize::from(sign.is_some())).min(text.len())..text.len());
    builder.borrowed(Kind::String, key.start, key);
    let value = unquoted(line, value);
    let kind = if value.is_empty() { Kind::Null } else { Kind::String };
    builder.borrowed(kind, value.start, value);
}

/// Finds the colon that ends a key: one before a blank or the end, so that addresses and times stay whole.
fn colon(text: &str) -> Option<usize> {
    text.match_indices(':')
        .map(|(at, _)| at)
        .find(|at| text.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])))
}

/// Removes a pair of quotes around a value.
fn unquoted(line: Line<'_>, value: Range<usize>) -> Range<usize> {
    let text = line.text.get(value.start - line.offset..value.end - line.offset).unwrap_or_default();
    let quoted = |quote: char| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    if quoted('"') || quoted('\'') { value.start + 1..value.end - 1 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Node;

    fn json(node: Node<'_>) -> String {
        match node.kind() {
            Kind::Mapping => {
                let entries = node.entries().map(|(key, value)| format!("{key}: {}", json(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            Kind::Null => "null".to_owned(),
            _ => node.text().to_owned(),
        }
    }

    fn shown(document: &Document) -> String {
        document.roots().map(json).collect()
    }

    #[test]
    fn keys_end_at_signs_or_blanks() {
        let text = "# release\nNAME=\"A B\"\r\nVERSION = '5.3'\nempty=\nnet.ipv4.ip_forward: 1\nMemTotal:  16 kB\naddress fe80::1\nat 12:30\nalone\n\n; no\nNAME=last\n= none\n";
        let read = "{VERSION: 5.3, empty: null, net.ipv4.ip_forward: 1, MemTotal: 16 kB, address: fe80::1, at: 12:30, alone: null, NAME: last}";
        assert_eq!(shown(&keys(text.to_owned())), read);
    }

    #[test]
    fn sections_are_mappings_and_those_of_one_name_are_one() {
        let text = "top=1\n[connection]\nid=mgmt\n[ ipv4 ]\nmethod=auto\n[connection]\ntype=bond\n[]\n";
        let read = "{top: 1, ipv4: {method: auto}, connection: {id: mgmt, type: bond, []: null}}";
        assert_eq!(shown(&ini(text.to_owned())), read);
        assert_eq!(shown(&keys("[a]\nb=1\n".to_owned())), "{b: 1}");
    }

    #[test]
    fn values_know_their_line() {
        let document = ini("a=1\n[s]\n\nkey = value\n".to_owned());
        let value = document.roots().next().and_then(|root| root.path(&["s", "key"])).unwrap();
        assert_eq!(value.line(), 4);
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "\n", "[", "]", "[]", "=", ":", "\"", "a=\"", "ü = ö", "[ü]\nä: \"", " \t"] {
            keys(text.to_owned());
            ini(text.to_owned());
        }
    }
}
