//! Functions on lists; an absent list is empty.

use crate::expr::check::shape::{Kind, Shape};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::expr::eval::compare::Key;
use crate::expr::eval::compare::member_sort;
use crate::expr::eval::elements::is_list;
use crate::expr::eval::limits::MAX_ITEMS;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::arguments::int_arg;
use crate::expr::functions::function::{AnswerSource, Caller, Function, LENIENT, Parameter, Returns, STRICT, Takes};
use crate::model::message::{ExpectedValue, Reason};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "size",
        parameters: &[Parameter::required("list", Takes::Anything)],
        returns: Returns::Kind(Kind::Number),
        doc: "number of items of a list, entries of a map or characters of a text; 0 for null",
        run: size,
        options: LENIENT.constant_time(),
    },
    Function {
        name: "flatten",
        parameters: &[Parameter::receiver(Takes::List), Parameter::optional("depth", Takes::Number)],
        returns: Returns::Anything,
        doc: "the items of nested lists in one list, `depth` levels deep (default 1)",
        run: flatten,
        options: LENIENT,
    },
    Function {
        name: "distinct",
        parameters: &[Parameter::receiver(Takes::List)],
        returns: Returns::Shape(same_list),
        doc: "each item once, without null",
        run: distinct,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "duplicates",
        parameters: &[Parameter::receiver(Takes::List)],
        returns: Returns::Shape(same_list),
        doc: "each item that is there more than once, once, without null",
        run: duplicates,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "sort",
        parameters: &[Parameter::receiver(Takes::List)],
        returns: Returns::Shape(same_list),
        doc: "the items in ascending order, null last",
        run: sort,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "reverse",
        parameters: &[Parameter::receiver(Takes::List)],
        returns: Returns::Shape(same_list),
        doc: "the items in reverse order",
        run: reverse,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "slice",
        parameters: &[
            Parameter::receiver(Takes::List),
            Parameter::required("from", Takes::Number),
            Parameter::optional("to", Takes::Number),
        ],
        returns: Returns::Shape(same_list),
        doc: "items from position `from` up to before `to`; without `to` to the end",
        run: slice,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "first",
        parameters: &[Parameter::receiver(Takes::List)],
        returns: Returns::Shape(item),
        doc: "first item",
        run: first,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "last",
        parameters: &[Parameter::receiver(Takes::List)],
        returns: Returns::Shape(item),
        doc: "last item",
        run: last,
        options: LENIENT.source(AnswerSource::FirstArgument),
    },
    Function {
        name: "lists.range",
        parameters: &[Parameter::required("n", Takes::Number)],
        returns: Returns::ListOf(Kind::Number),
        doc: "the numbers from 0 up to before `n`",
        run: range,
        options: STRICT,
    },
];

/// Shape of a function that returns some items of its list, or all in another order.
fn same_list(arguments: &[Arc<Shape>]) -> Arc<Shape> {
    arguments.first().filter(|list| list.is(Kind::List)).cloned().unwrap_or_default()
}

/// Shape of a function that returns one item of its list.
fn item(arguments: &[Arc<Shape>]) -> Arc<Shape> {
    same_list(arguments).element()
}

/// Default depth of flattening, as in CEL.
const DEFAULT_DEPTH: i64 = 1;

pub(super) fn size<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let size = args.first().map_or(Ok(0), |value| member::size(caller.world, value))?;
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

/// Returns the items of the first argument.
fn items<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Result<Vec<Value<'a>>, Stop> {
    match args.first() {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(list) if is_list(list) => member::values(caller.world, list),
        Some(other) => Err(Stop::expected(other.describe(), ExpectedValue::List)),
    }
}

pub(super) fn flatten<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    // Documents nest at most 128 deep, so higher values change nothing.
    let depth = int_arg(args, 1)?.unwrap_or(DEFAULT_DEPTH).clamp(0, 128);
    let mut flat = Vec::new();
    for item in items(caller, args)? {
        flatten_into(caller, item, depth, &mut flat)?;
    }
    Ok(Value::list(flat))
}

fn flatten_into<'a>(
    caller: &Caller<'a, '_>,
    item: Value<'a>,
    depth: i64,
    flat: &mut Vec<Value<'a>>,
) -> Result<(), Stop> {
    if flat.len() >= MAX_ITEMS {
        return Err(Stop::undecided(Reason::ListTooLong { most: MAX_ITEMS }));
    }
    if depth > 0 && is_list(&item) {
        for inner in member::values(caller.world, &item)? {
            flatten_into(caller, inner, depth - 1, flat)?;
        }
    } else if !(depth > 0 && item.is_null()) {
        // An absent list among lists is empty.
        flat.push(item);
    }
    Ok(())
}

/// Keeps the first of equal items; absent ones are left out. Undecided if an item may equal another one.
pub(super) fn distinct<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let mut seen: HashSet<Key> = HashSet::new();
    keep(caller, args, |key| key.is_none_or(|key| seen.insert(key)))
}

/// Keeps the second of equal items; a list of all pairs would grow with the square. Undecided if an item may equal another
/// one.
pub(super) fn duplicates<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let mut seen: HashMap<Key, usize> = HashMap::new();
    let mut is_second = |key: Key| {
        let count = seen.entry(key).or_default();
        *count += 1;
        *count == 2
    };
    keep(caller, args, |key| key.is_some_and(&mut is_second))
}

/// Keeps the present items whose key is wanted.
fn keep<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>], mut wanted: impl FnMut(Option<Key>) -> bool) -> Answer<'a> {
    let mut kept = Vec::new();
    for item in items(caller, args)? {
        if !item.is_null() && wanted(item.key()?) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

pub(super) fn sort<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let mut pairs: Vec<_> = items(caller, args)?.into_iter().map(|item| (item.clone(), item)).collect();
    member_sort(&mut pairs)?;
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

pub(super) fn reverse<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let mut reversed = items(caller, args)?;
    reversed.reverse();
    Ok(Value::list(reversed))
}

/// `list.slice(from, to)`; positions beyond the end count as the end.
pub(super) fn slice<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let list = items(caller, args)?;
    let bound = |number: Option<i64>, default: usize| {
        number.map_or(default, |n| usize::try_from(n.max(0)).unwrap_or(usize::MAX)).min(list.len())
    };
    let (from, to) = (bound(int_arg(args, 1)?, 0), bound(int_arg(args, 2)?, list.len()));
    Ok(Value::list(list.get(from..to).unwrap_or_default().to_vec()))
}

pub(super) fn first<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    Ok(items(caller, args)?.into_iter().next().unwrap_or(Value::Null))
}

pub(super) fn last<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    Ok(items(caller, args)?.pop().unwrap_or(Value::Null))
}

/// Returns the numbers from 0 to below the argument.
pub(super) fn range<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let end = int_arg(args, 0)?.unwrap_or(0);
    if usize::try_from(end).unwrap_or(0) > MAX_ITEMS {
        return Err(Stop::undecided(Reason::ListTooLong { most: MAX_ITEMS }));
    }
    Ok(Value::list((0..end).map(Value::Int).collect()))
}
