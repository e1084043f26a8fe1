//! The functions of the rule language, one table for expressions and texts.
//!
//! A [`Function`] takes its arguments as values; a method's receiver is the first. Undecided
//! arguments never reach it. Each family has a file.

mod addresses;
mod arguments;
mod certs;
mod columns;
mod decode;
mod drift;
pub(in crate::expr) mod function;
mod health;
mod kstatus;
mod lists;
mod metrics;
mod numbers;
mod objects;
mod owners;
mod table;
mod texts;
mod times;
mod view;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::nearest::nearest;
use function::{Function, lenient, strict, with_pattern, with_places};

pub(super) use objects::setting_place;

/// All functions.
static FUNCTIONS: [Function; 62] = [
    lenient("condition", 2, 2, "condition(obj, 'Ready')", objects::condition),
    lenient("get", 2, 3, "get('configmaps', namespace, name) or get(reference, namespace)", objects::get),
    strict("owner", 1, 1, "owner(obj)", owners::owner),
    strict("workload", 1, 1, "workload(obj)", owners::workload),
    with_places(strict("unhealthy", 1, 1, "unhealthy(obj)", health::unhealthy), health::places),
    strict("columns", 1, 1, "columns(obj)", columns::columns),
    lenient("kstatus", 1, 2, "kstatus(obj) or kstatus(obj, 'message')", kstatus::kstatus),
    strict("selects", 2, 2, "selects(selector, obj)", objects::selects),
    lenient("setting", 2, 3, "setting('longhorn', 'default-replica-count', 3)", objects::setting),
    strict("version", 1, 2, "version('longhorn') or version('longhorn', '<1.12')", objects::version),
    strict("quantity", 1, 1, "quantity('10Gi')", numbers::quantity),
    strict("percent", 2, 2, "percent(part, whole)", numbers::percent),
    strict("int", 1, 1, "int(x)", numbers::int),
    strict("double", 1, 1, "double(x)", numbers::double),
    lenient("sum", 1, 1, "sum(list)", numbers::sum),
    lenient("min", 1, 8, "min(list) or min(a, b)", numbers::least),
    lenient("max", 1, 8, "max(list) or max(a, b)", numbers::greatest),
    strict("abs", 1, 1, "abs(x)", numbers::abs),
    lenient("math.least", 1, 8, "math.least(a, b)", numbers::least),
    lenient("math.greatest", 1, 8, "math.greatest(a, b)", numbers::greatest),
    strict("math.abs", 1, 1, "math.abs(x)", numbers::abs),
    strict("math.ceil", 1, 1, "math.ceil(x)", numbers::ceil),
    strict("math.floor", 1, 1, "math.floor(x)", numbers::floor),
    strict("math.round", 1, 1, "math.round(x)", numbers::round),
    strict("ago", 1, 1, "ago(time)", times::ago),
    strict("timestamp", 1, 1, "timestamp(text)", times::timestamp),
    strict("duration", 1, 1, "duration('3d4h')", times::duration),
    strict("string", 1, 1, "string(x)", texts::string),
    strict("bool", 1, 1, "bool(x)", texts::bool),
    strict("contains", 2, 2, "text.contains('part')", texts::contains),
    strict("startsWith", 2, 2, "text.startsWith('start')", texts::starts_with),
    strict("endsWith", 2, 2, "text.endsWith('end')", texts::ends_with),
    with_pattern(strict("matches", 2, 2, "text.matches(r'regex')", texts::matches), 1),
    strict("lowerAscii", 1, 1, "text.lowerAscii()", texts::lower),
    strict("upperAscii", 1, 1, "text.upperAscii()", texts::upper),
    strict("trim", 1, 1, "text.trim()", texts::trim),
    strict("split", 2, 3, "text.split(',')", texts::split),
    lenient("join", 1, 2, "list.join(', ')", texts::join),
    strict("replace", 3, 4, "text.replace('old', 'new')", texts::replace),
    strict("substring", 2, 3, "text.substring(from, to)", texts::substring),
    strict("indexOf", 2, 2, "text.indexOf('part')", texts::index_of),
    strict("lastIndexOf", 2, 2, "text.lastIndexOf('part')", texts::last_index_of),
    strict("charAt", 2, 2, "text.charAt(0)", texts::char_at),
    lenient("size", 1, 1, "size(list)", lists::size),
    lenient("flatten", 1, 2, "list.flatten()", lists::flatten),
    lenient("distinct", 1, 1, "list.distinct()", lists::distinct),
    lenient("sort", 1, 1, "list.sort()", lists::sort),
    lenient("reverse", 1, 1, "list.reverse()", lists::reverse),
    lenient("slice", 2, 3, "list.slice(from, to)", lists::slice),
    lenient("first", 1, 1, "list.first()", lists::first),
    lenient("last", 1, 1, "list.last()", lists::last),
    strict("lists.range", 1, 1, "lists.range(3)", lists::range),
    with_pattern(lenient("find_all", 2, 2, "find_all(text, r'(?<name>regex)')", decode::find_all), 1),
    strict("json", 1, 1, "json(text)", decode::json),
    strict("yaml", 1, 1, "yaml(text)", decode::yaml),
    strict("base64", 1, 1, "base64(text)", decode::base64),
    with_places(strict("certs", 1, 1, "certs(text) or certs(secret)", certs::certs), certs::places),
    strict("table", 2, 2, "table(text, 'df')", table::table),
    strict("prometheus", 1, 1, "prometheus(text)", metrics::prometheus),
    with_places(strict("drift", 2, 2, "drift(want, live)", drift::drift), drift::places),
    strict("cidr_contains", 2, 2, "cidr_contains('10.0.0.0/8', address)", addresses::contains),
    lenient("cidr_free", 3, 3, "cidr_free(range, excludes, used)", addresses::free),
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> =
    LazyLock::new(|| FUNCTIONS.iter().map(|function| (function.name, function)).collect());

/// The function of that name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    BY_NAME.get(name).copied()
}

/// Names of all functions, in the order of the table.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

/// Checks an argument that is a constant; `Err` has message and hint.
pub(super) fn check_constant(name: &str, position: usize, value: &Value<'_>) -> Result<(), (String, Option<String>)> {
    let text = value.as_str();
    match (name, position, text) {
        ("version", 0, Some(product)) => one_of("product", product, &crate::model::product::PRODUCTS),
        ("version", 1, Some(range)) => crate::model::version::Range::parse(range)
            .map(|_| ())
            .map_err(|e| (e, Some("write a range such as >=1.2 <1.12".to_owned()))),
        ("kstatus", 1, Some(part)) => one_of("part", part, &kstatus::PARTS),
        ("table", 1, Some(tool)) => one_of("table of", tool, &table::TOOLS),
        ("cidr_contains" | "cidr_free", 0, Some(range)) => addresses::check(range),
        ("setting", 0, Some(group)) => one_of("group of settings", group, &objects::SETTING_GROUPS),
        ("quantity", 0, Some(text)) => crate::model::measure::quantity(text).map(|_| ()).ok_or_else(|| {
            (format!("'{text}' is no quantity"), Some("write a number with a unit such as 500m, 10Gi, 1.5G".to_owned()))
        }),
        ("duration", 0, Some(text)) => time::parse_duration(text).map(|_| ()).map_err(|e| (e, None)),
        ("timestamp", 0, Some(text)) => time::parse(text).map(|_| ()).map_err(|e| (e, None)),
        ("get", 0, Some(text)) if text.chars().any(|c| c.is_whitespace() || c == '/' || c.is_ascii_uppercase()) => {
            Err((
                format!("'{text}' is no type"),
                Some("write the plural as kubectl does: pods, volumes.longhorn.io".to_owned()),
            ))
        }
        _ => Ok(()),
    }
}

fn one_of(what: &str, name: &str, known: &[&str]) -> Result<(), (String, Option<String>)> {
    if known.contains(&name) {
        return Ok(());
    }
    let hint = nearest(name, known.iter().copied())
        .map_or_else(|| format!("one of {}", known.join(", ")), |near| format!("did you mean '{near}'?"));
    Err((format!("there is no {what} '{name}'"), Some(hint)))
}
