//! Functions that find something in a text or decode it: `find_all json base64`.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::{Captures, Regex};

use super::super::member;
use super::super::stop::{Answer, Stop};
use super::super::value::{Text, Value};
use super::texts::with_pattern;
use super::{Caller, text_arg};

/// Longest text that is decoded.
const MAX_DECODED: usize = 8 << 20;
/// Most finds of `find_all`.
const MAX_FOUND: usize = 10_000;

/// Some writers leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// `find_all(text, regex)`: of every match a map of its named groups; without names its group or groups, else the match.
/// A list of texts is searched item by item.
pub(super) fn find_all<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [source, Value::Str(pattern)] = args else {
        return Err(Stop::wrong("find_all takes a text and a pattern"));
    };
    let texts = match source {
        Value::Null => Vec::new(),
        Value::Str(_) => vec![source.clone()],
        list if member::is_list(list) => member::values(caller.world, list)?,
        other => return Err(Stop::wrong(format!("{} is where text is expected", other.describe()))),
    };
    with_pattern(caller, pattern.as_str(), |regex| {
        let mut found = Vec::new();
        for text in texts.iter().filter_map(Value::as_str) {
            found.extend(
                regex.captures_iter(text).take(MAX_FOUND - found.len()).map(|captures| found_value(regex, &captures)),
            );
        }
        Ok(Value::list(found))
    })
}

fn found_value<'a>(regex: &Regex, captures: &Captures<'_>) -> Value<'a> {
    let group = |index: usize| captures.get(index).map_or(Value::Null, |found| Value::text(found.as_str()));
    let named: Vec<(Text<'a>, Value<'a>)> = regex
        .capture_names()
        .enumerate()
        .filter_map(|(index, name)| Some((Text::Shared(Arc::from(name?)), group(index))))
        .collect();
    match (named.is_empty(), captures.len()) {
        (false, _) => Value::Map(named.into()),
        (true, 1) => group(0),
        (true, 2) => group(1),
        (true, count) => Value::list((1..count).map(group).collect()),
    }
}

/// `json(text)`: what a JSON text says.
pub(super) fn json<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = bounded(text_arg(args, 0)?)?;
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|e| Stop::wrong(format!("a text is no JSON: {e}")))?;
    let (document, problems) = crate::yaml::parse(text.as_bytes().to_vec());
    if let Some(problem) = problems.first() {
        return Err(Stop::wrong(format!("a JSON text cannot be read: {}", problem.message)));
    }
    let document = Arc::new(document);
    let root = document.roots().next();
    Ok(root.map_or(Value::Null, |node| Value::of_decoded(&document, node)))
}

/// `base64(text)`: the decoded text; bytes that are no UTF-8 are replaced.
pub(super) fn base64<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = bounded(text_arg(args, 0)?)?;
    let compact: String = text.split_ascii_whitespace().collect();
    let bytes = BASE64.decode(compact).map_err(|_| Stop::wrong("a text is no base64"))?;
    Ok(Value::text(&String::from_utf8_lossy(&bytes)))
}

fn bounded(text: &str) -> Result<&str, Stop> {
    if text.len() > MAX_DECODED {
        return Err(Stop::wrong(format!("a text to decode is longer than {MAX_DECODED} bytes")));
    }
    Ok(text)
}
