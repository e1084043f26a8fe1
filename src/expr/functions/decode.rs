//! Functions that search or decode a text: `find_all json yaml base64`.

use crate::expr::check::shape::Kind;
use std::io::Read;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use regex::{Captures, Regex};

use crate::expr::eval::decodings::MAX_TEXT;
use crate::expr::eval::elements::is_list;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::functions::arguments::text_arg;
use crate::expr::functions::function::{Caller, Function, LENIENT, Parameter, Returns, STRICT, Takes};
use crate::expr::functions::texts::with_pattern;
use crate::model::decode_base64;
use crate::model::message::{ExpectedValue, WrongValue};
use crate::yaml::Problem;
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::secret;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "find_all",
        parameters: &[Parameter::required("text", Takes::Text), Parameter::required("pattern", Takes::Pattern)],
        returns: Returns::Anything,
        doc: "every match: a map of its named groups, otherwise its only group, otherwise the whole match; also for a list of texts",
        run: find_all,
        options: LENIENT.example("find_all(text, r'(?<name>regex)')"),
    },
    Function {
        name: "json",
        parameters: &[Parameter::required("text", Takes::Text)],
        returns: Returns::Anything,
        doc: "content of a JSON text",
        run: json,
        options: STRICT,
    },
    Function {
        name: "yaml",
        parameters: &[Parameter::required("text", Takes::Text)],
        returns: Returns::Anything,
        doc: "content of a YAML text; a list if it has several documents",
        run: yaml,
        options: STRICT,
    },
    Function {
        name: "base64",
        parameters: &[Parameter::required("text", Takes::Text)],
        returns: Returns::Kind(Kind::Text),
        doc: "the decoded text, with gzip unpacked",
        run: base64,
        options: STRICT,
    },
];

/// Most matches of `find_all`.
const MAX_FOUND: usize = 10_000;

/// First bytes of gzip.
const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// `find_all(text, regex)`: a map of named groups for every match; without names its group or groups, or the match. A
/// list of texts is searched item by item.
pub(super) fn find_all<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [source, Value::Str(pattern)] = args else {
        return Err(Stop::wrong(WrongValue::FindAllTakesTexts));
    };
    let texts = match source {
        Value::Null => Vec::new(),
        Value::Str(_) => vec![source.clone()],
        list if is_list(list) => member::values(caller.world, list)?,
        other => {
            return Err(Stop::expected(other.describe(), ExpectedValue::Text));
        }
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

/// `json(text)`: the value of a JSON text.
pub(super) fn json<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    caller.world.decodings.get("json", text_arg(args, 0)?, |text| {
        serde_json::from_str::<serde::de::IgnoredAny>(text)
            .map_err(|e| WrongValue::NotJson { error: e.to_string() })?;
        documents(text)
            .map_err(|Problem { line, message }| WrongValue::UnreadableJson { problem: Box::new(message), line })
    })
}

/// `yaml(text)`: the value of a YAML text; a list for several documents.
pub(super) fn yaml<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    caller.world.decodings.get("yaml", text_arg(args, 0)?, |text| {
        documents(text).map_err(|Problem { line, message }| WrongValue::NotYaml { problem: Box::new(message), line })
    })
}

fn documents(text: &str) -> Result<Value<'static>, Problem> {
    let (mut document, problems) = crate::yaml::parse(text.as_bytes().to_vec());
    if let Some(problem) = problems.into_iter().find(Problem::is_unreadable) {
        return Err(problem);
    }
    // A text in an object can hold secrets, as the object itself can.
    normalise(&mut document, Dialect::Plain);
    let document = Arc::new(document);
    let mut roots: Vec<_> = document.roots().map(|node| Value::of_decoded(&document, node)).collect();
    Ok(if roots.len() > 1 { Value::list(roots) } else { roots.pop().unwrap_or(Value::Null) })
}

/// `base64(text)`: the decoded text, with gzip unpacked; invalid UTF-8 is replaced, secrets are masked.
pub(super) fn base64<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    caller.world.decodings.get("base64", text_arg(args, 0)?, |text| {
        let mut bytes = decode_base64(text).ok_or(WrongValue::NotBase64)?;
        if bytes.starts_with(&GZIP) {
            bytes = inflate(&bytes)?;
        }
        Ok(Value::text(&secret::redact(&String::from_utf8_lossy(&bytes))))
    })
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, WrongValue> {
    let mut inner = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MAX_TEXT as u64 + 1).read_to_end(&mut inner);
    read.map_err(|e| WrongValue::NotGzip { error: e.to_string() })?;
    if inner.len() > MAX_TEXT {
        return Err(WrongValue::ExpandsTooFar { mebibytes: MAX_TEXT >> 20 });
    }
    Ok(inner)
}
