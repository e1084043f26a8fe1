//! Functions on texts; positions count characters, as in CEL.

use std::borrow::Cow;

use crate::expr::check::shape::Kind;
use regex::Regex;

use crate::expr::eval::display::display;
use crate::expr::eval::limits::{MAX_ITEMS, MAX_TEXT};
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::arguments::{int_arg, made_text, text_arg};
use crate::expr::functions::function::{Caller, Function, LENIENT, Parameter, Returns, STRICT, Takes};
use crate::expr::parse::pattern::Pattern;
use crate::expr::parse::prepared::Prepared;
use crate::model::message::{Operand, Reason, WantedValue, WrongValue};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "string",
        parameters: &[Parameter::required("x", Takes::Anything)],
        returns: Returns::Kind(Kind::Text),
        doc: "a value as text; an object as Kind.group/namespace/name",
        run: string,
        options: STRICT,
    },
    Function {
        name: "bool",
        parameters: &[Parameter::required("x", Takes::Anything)],
        returns: Returns::Kind(Kind::Bool),
        doc: "a text such as `True` as true or false",
        run: bool,
        options: STRICT,
    },
    Function {
        name: "contains",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("part", Takes::Text)],
        returns: Returns::Kind(Kind::Bool),
        doc: "whether the text contains the part",
        run: contains,
        options: STRICT,
    },
    Function {
        name: "startsWith",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("start", Takes::Text)],
        returns: Returns::Kind(Kind::Bool),
        doc: "whether the text starts with it",
        run: starts_with,
        options: STRICT,
    },
    Function {
        name: "endsWith",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("end", Takes::Text)],
        returns: Returns::Kind(Kind::Bool),
        doc: "whether the text ends with it",
        run: ends_with,
        options: STRICT,
    },
    Function {
        name: "matches",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("pattern", Takes::Pattern)],
        returns: Returns::Kind(Kind::Bool),
        doc: "whether the regular expression matches somewhere in the text",
        run: matches,
        options: STRICT.example("text.matches(r'regex')"),
    },
    Function {
        name: "lowerAscii",
        parameters: &[Parameter::receiver(Takes::Text)],
        returns: Returns::Kind(Kind::Text),
        doc: "the text in lower case",
        run: lower,
        options: STRICT,
    },
    Function {
        name: "upperAscii",
        parameters: &[Parameter::receiver(Takes::Text)],
        returns: Returns::Kind(Kind::Text),
        doc: "the text in upper case",
        run: upper,
        options: STRICT,
    },
    Function {
        name: "trim",
        parameters: &[Parameter::receiver(Takes::Text)],
        returns: Returns::Kind(Kind::Text),
        doc: "the text without blanks at both ends",
        run: trim,
        options: STRICT,
    },
    Function {
        name: "split",
        parameters: &[
            Parameter::receiver(Takes::Text),
            Parameter::required("separator", Takes::Text),
            Parameter::optional("limit", Takes::Number),
        ],
        returns: Returns::ListOf(Kind::Text),
        doc: "the parts between separators, at most `limit`",
        run: split,
        options: STRICT.example("text.split(',')"),
    },
    Function {
        name: "join",
        parameters: &[Parameter::receiver(Takes::List), Parameter::optional("separator", Takes::Text)],
        returns: Returns::Kind(Kind::Text),
        doc: "the items joined to one text; absent items are skipped",
        run: join,
        options: LENIENT.example("list.join(', ')"),
    },
    Function {
        name: "replace",
        parameters: &[
            Parameter::receiver(Takes::Text),
            Parameter::required("old", Takes::Text),
            Parameter::required("new", Takes::Text),
            Parameter::optional("limit", Takes::Number),
        ],
        returns: Returns::Kind(Kind::Text),
        doc: "the text with `old` replaced by `new`, at most `limit` times",
        run: replace,
        options: STRICT.example("text.replace('old', 'new')"),
    },
    Function {
        name: "substring",
        parameters: &[
            Parameter::receiver(Takes::Text),
            Parameter::required("from", Takes::Number),
            Parameter::optional("to", Takes::Number),
        ],
        returns: Returns::Kind(Kind::Text),
        doc: "characters from position `from` up to before `to`; without `to` to the end",
        run: substring,
        options: STRICT,
    },
    Function {
        name: "indexOf",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("part", Takes::Text)],
        returns: Returns::Kind(Kind::Number),
        doc: "first position of the part, -1 if there is none",
        run: index_of,
        options: STRICT,
    },
    Function {
        name: "lastIndexOf",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("part", Takes::Text)],
        returns: Returns::Kind(Kind::Number),
        doc: "last position of the part, -1 if there is none",
        run: last_index_of,
        options: STRICT,
    },
    Function {
        name: "charAt",
        parameters: &[Parameter::receiver(Takes::Text), Parameter::required("position", Takes::Number)],
        returns: Returns::Kind(Kind::Text),
        doc: "the character at a position",
        run: char_at,
        options: STRICT,
    },
];

pub(super) fn string<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(value @ Value::Str(_)) => Ok(value.clone()),
        Some(Value::Resource(id)) => Ok(Value::text(&caller.world.resources.resource(*id).object().to_string())),
        Some(value) => match display(value) {
            Some(text) => made_text(&text),
            None => Err(Stop::is_no(value.describe(), WantedValue::Scalar)),
        },
        None => Ok(Value::Null),
    }
}

pub(super) fn bool<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(Value::Bool(value)) => Ok(Value::Bool(*value)),
        Some(Value::Str(text)) => match text.as_str() {
            "true" | "True" | "TRUE" | "t" | "1" => Ok(Value::Bool(true)),
            "false" | "False" | "FALSE" | "f" | "0" => Ok(Value::Bool(false)),
            other => Err(Stop::wrong(WrongValue::NeitherTrueNorFalse { found: Operand::text(other) })),
        },
        Some(other) => Err(Stop::wrong(WrongValue::NeitherTrueNorFalse { found: other.describe().into() })),
        None => Ok(Value::Null),
    }
}

pub(super) fn contains<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    Ok(Value::Bool(text_arg(args, 0)?.contains(text_arg(args, 1)?)))
}

pub(super) fn starts_with<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    Ok(Value::Bool(text_arg(args, 0)?.starts_with(text_arg(args, 1)?)))
}

pub(super) fn ends_with<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    Ok(Value::Bool(text_arg(args, 0)?.ends_with(text_arg(args, 1)?)))
}

pub(super) fn matches<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = text_arg(args, 0)?;
    let is_match = pattern_of(caller, text_arg(args, 1)?)?.is_match(text).map_err(wrong_pattern)?;
    Ok(Value::Bool(is_match))
}

fn wrong_pattern(error: String) -> Stop {
    Stop::wrong(WrongValue::Pattern { error })
}

/// Returns the pattern of a call; only those in texts, whose arguments are not known earlier, are read now.
fn pattern_of<'c>(caller: &'c Caller<'_, '_>, text: &str) -> Result<Cow<'c, Pattern>, Stop> {
    match caller.prepared {
        Prepared::Pattern(pattern) => Ok(Cow::Borrowed(pattern)),
        _ => caller.world.pattern(text)?.map(Cow::Owned).map_err(wrong_pattern),
    }
}

/// Runs with the compiled pattern.
pub(super) fn with_pattern<'a>(
    caller: &Caller<'a, '_>,
    pattern: &str,
    run: impl FnOnce(&Regex) -> Answer<'a>,
) -> Answer<'a> {
    run(pattern_of(caller, pattern)?.regex().map_err(wrong_pattern)?)
}

pub(super) fn lower<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    made_text(&text_arg(args, 0)?.to_ascii_lowercase())
}

pub(super) fn upper<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    made_text(&text_arg(args, 0)?.to_ascii_uppercase())
}

pub(super) fn trim<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    made_text(text_arg(args, 0)?.trim())
}

/// `text.split(separator, limit)`; empty parts are null.
pub(super) fn split<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let (text, separator) = (text_arg(args, 0)?, text_arg(args, 1)?);
    let limit = match int_arg(args, 2)? {
        Some(limit) if limit >= 0 => usize::try_from(limit).unwrap_or(MAX_ITEMS),
        _ => MAX_ITEMS,
    };
    if limit == 0 {
        return Ok(Value::list(Vec::new()));
    }
    let limit = limit.min(MAX_ITEMS);
    let parts: Vec<Value<'a>> = if separator.is_empty() {
        text.chars().take(limit).map(|c| Value::text(c.encode_utf8(&mut [0; 4]))).collect()
    } else {
        text.splitn(limit, separator).map(Value::text).collect()
    };
    Ok(Value::list(parts))
}

/// Joins texts; absent items are left out.
pub(super) fn join<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let Some(list) = args.first() else { return Ok(Value::Null) };
    let separator = if args.len() > 1 { text_arg(args, 1)? } else { "" };
    let mut joined = String::new();
    for (position, item) in member::values(caller.world, list)?.iter().filter(|item| !item.is_null()).enumerate() {
        if position > 0 {
            joined.push_str(separator);
        }
        let text = display(item).ok_or_else(|| Stop::wrong(WrongValue::NotJoinable { found: item.describe() }))?;
        joined.push_str(&text);
        if joined.len() > MAX_TEXT {
            break;
        }
    }
    made_text(&joined)
}

pub(super) fn replace<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let (text, old, new) = (text_arg(args, 0)?, text_arg(args, 1)?, text_arg(args, 2)?);
    let limit = match int_arg(args, 3)? {
        Some(limit) if limit >= 0 => usize::try_from(limit).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    // Upper bound of the result: every character replaced, and one insertion before the first.
    let grown = text.len().saturating_add(text.len().saturating_add(1).saturating_mul(new.len()));
    if grown > MAX_TEXT && grown_exactly(text, old, new, limit) > MAX_TEXT {
        return Err(Stop::undecided(Reason::ValueTooLong { most: MAX_TEXT }));
    }
    made_text(&text.replacen(old, new, limit))
}

fn grown_exactly(text: &str, old: &str, new: &str, limit: usize) -> usize {
    let count = text.matches(old).take(limit).count();
    text.len().saturating_sub(count.saturating_mul(old.len())).saturating_add(count.saturating_mul(new.len()))
}

pub(super) fn substring<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = text_arg(args, 0)?;
    let from = position(int_arg(args, 1)?)?;
    let to = match int_arg(args, 2)? {
        Some(to) => position(Some(to))?,
        None => usize::MAX,
    };
    let part: String = text.chars().skip(from).take(to.saturating_sub(from)).collect();
    made_text(&part)
}

fn position(number: Option<i64>) -> Result<usize, Stop> {
    usize::try_from(number.unwrap_or(0)).map_err(|_| Stop::wrong(WrongValue::NegativePosition))
}

/// Returns -1 if it is not found.
pub(super) fn index_of<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = text_arg(args, 0)?;
    Ok(characters_before(text, text.find(text_arg(args, 1)?)))
}

/// Returns -1 if it is not found.
pub(super) fn last_index_of<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = text_arg(args, 0)?;
    Ok(characters_before(text, text.rfind(text_arg(args, 1)?)))
}

fn characters_before<'a>(text: &str, offset: Option<usize>) -> Value<'a> {
    let count = offset.and_then(|offset| text.get(..offset)).map(|before| before.chars().count());
    Value::Int(count.and_then(|count| i64::try_from(count).ok()).unwrap_or(-1))
}

pub(super) fn char_at<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let text = text_arg(args, 0)?;
    let at = position(int_arg(args, 1)?)?;
    Ok(text.chars().nth(at).map_or(Value::Null, |c| Value::text(c.encode_utf8(&mut [0; 4]))))
}
