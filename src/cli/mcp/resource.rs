//! Lines of entries as resources: `gleaner://BUNDLE/entry/PATH#Lx-y`.

use std::ffi::OsString;
use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::message::Failure;
use super::page::{Cursor, page};
use super::report;
use super::session::{OpenBundle, Session};
use crate::model::uri::{decoded, entry_uri};

/// Resources in the list: the entries that findings cite.
const MAX_LISTED: usize = 200;

/// Returns the template of all resources.
pub fn template() -> Value {
    json!({
        "uriTemplate": "gleaner://{bundle}/entry/{+path}",
        "name": "entry",
        "title": "Entry of a bundle",
        "description": "Text of an entry; #Lx-y at the end takes lines x to y",
        "mimeType": "text/plain",
    })
}

/// Returns the entries that findings cite.
pub fn listed(session: &Session) -> Vec<Value> {
    let of = |bundle: &OpenBundle| -> Vec<Value> {
        let Ok(report) = session.report(bundle) else { return Vec::new() };
        let resource = |entry: &str| json!({"uri": uri(&bundle.name, entry), "name": entry, "mimeType": "text/plain"});
        report::cited(report).into_iter().take(MAX_LISTED).map(resource).collect()
    };
    session.bundles.iter().flat_map(of).take(MAX_LISTED).collect()
}

/// Returns the text of a resource.
///
/// # Errors
/// Fails if there is no such entry.
pub fn read(session: &Session, uri: &str) -> Result<Value, Failure> {
    let missing = || Failure::no_resource(uri);
    let (bundle, entry, lines) = parse(uri).ok_or_else(missing)?;
    let bundle = session.bundle(Some(&bundle)).map_err(|_| missing())?;
    let arguments = [OsString::from("logs")].into_iter().chain(session.flags(false));
    let output = session.run(arguments.chain(["--".into(), bundle.path.clone().into(), entry.into()]));
    if output.text.is_empty() && !output.said.is_empty() {
        return Err(missing());
    }
    let (skip, take) = (lines.start() - 1, lines.end() - lines.start() + 1);
    let chosen: Vec<String> = output.text.lines().skip(skip).take(take).map(str::to_owned).collect();
    let page = page(&chosen, Cursor::default());
    let rest = page.next.and_then(|next| next.parse::<usize>().ok());
    let more = rest.map(|shown| format!("[There is more: read it from #L{}]\n", lines.start() + shown));
    let text = format!("{}{}", page.text, more.unwrap_or_default());
    Ok(json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}))
}

fn uri(bundle: &str, entry: &str) -> String {
    format!("gleaner://{bundle}/entry/{}", entry_uri(entry))
}

/// Returns bundle, entry and lines (from 1) of a URI.
fn parse(uri: &str) -> Option<(String, String, RangeInclusive<usize>)> {
    let (bundle, rest) = uri.strip_prefix("gleaner://")?.split_once("/entry/")?;
    let (path, lines) = match rest.rsplit_once("#L") {
        None => (rest, 1..=usize::MAX),
        Some((path, lines)) => {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            let (first, last) = (first.parse().ok()?, last.trim_start_matches('L').parse().ok()?);
            (path, (first >= 1 && first <= last).then_some(first..=last)?)
        }
    };
    Some((bundle.to_owned(), decoded(path)?, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_any_entry_and_lines() {
        for entry in ["yamls/cluster/v1/nodes.yaml", "a b/100%/#L3", "n1.zip!/logs/ü.log"] {
            assert_eq!(parse(&uri("bundle-1", entry)).unwrap().1, entry);
        }
        let lines = |uri: &str| parse(uri).map(|(_, path, lines)| (path, lines));
        assert_eq!(lines("gleaner://b/entry/a.log#L3-7"), Some(("a.log".to_owned(), 3..=7)));
        assert_eq!(lines("gleaner://b/entry/a.log#L3-L7"), Some(("a.log".to_owned(), 3..=7)));
        assert_eq!(lines("gleaner://b/entry/a.log#L3"), Some(("a.log".to_owned(), 3..=3)));
        for wrong in
            ["gleaner://b/entry/a#L0-2", "gleaner://b/entry/a#L9-2", "gleaner://b/entry/a%2", "file:///etc/passwd"]
        {
            assert_eq!(lines(wrong), None, "{wrong}");
        }
    }
}
