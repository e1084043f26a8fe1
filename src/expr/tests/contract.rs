//! Differences from standard CEL: every sentence of "absent is null" with an expression, its object and its value.

use super::fixture::{show, world};
use crate::expr::{Expr, Scope};

/// Sentence, object `o` (in flow style), expression, value.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("an absent field is null", "a: 1", "o.b", "null"),
    ("an absent field of an absent field is null", "a: 1", "o.b.c.d", "null"),
    ("an absent key is null", "a: {x: 1}", "o.a['y']", "null"),
    ("an absent index is null", "a: [1]", "o.a[1]", "null"),
    ("a negative index is absent", "a: [1]", "o.a[-1]", "null"),
    ("a null field is null", "a: null", "o.a", "null"),
    ("an empty string is null", "a: ''", "o.a", "null"),
    ("an empty string that was made is null", "a: x", "o.a.replace('x', '')", "null"),
    ("an absent list is empty", "a: 1", "size(o.b)", "0"),
    ("an absent list has no element", "a: 1", "o.b.exists(x, true)", "false"),
    ("all elements of an absent list hold", "a: 1", "o.b.all(x, false)", "true"),
    ("an absent list filters to none", "a: 1", "o.b.filter(x, true)", "[]"),
    ("an absent list maps to none", "a: 1", "o.b.map(x, x)", "[]"),
    ("an absent map has no key", "a: 1", "'x' in o.b", "false"),
    ("has is not null", "a: 1", "has(o.a)", "true"),
    ("has of absent", "a: 1", "has(o.b)", "false"),
    ("has of an empty string", "a: ''", "has(o.a)", "false"),
    ("has reaches deep", "a: 1", "has(o.b.c.d)", "false"),
    ("has of an empty list", "a: []", "has(o.a)", "true"),
    ("not null is true", "a: 1", "!o.b", "true"),
    ("null in a condition is false", "a: 1", "o.b || false", "false"),
    ("null in a choice is false", "a: 1", "o.b ? 'yes' : 'no'", "'no'"),
    ("comparing with null tests absence", "a: 1", "o.b == null", "true"),
    ("comparing with null tests presence", "a: 1", "o.a != null", "true"),
    ("null may stand on the left", "a: 1", "null == o.b", "true"),
    ("an empty list is there", "a: []", "o.a == null", "false"),
    ("two absent are not equal", "a: 1", "o.b == o.c", "false"),
    ("unequal is the negation", "a: 1", "o.b != o.c", "true"),
    ("absent equals nothing", "a: 1", "o.b == 1", "false"),
    ("absent differs from all", "a: 1", "o.b != 1", "true"),
    ("nothing is less than null", "a: 1", "o.a < o.b", "false"),
    ("nothing is greater than null", "a: 1", "o.a > o.b", "false"),
    ("null is not less than itself", "a: 1", "o.b <= o.b", "false"),
    ("null is in no list", "a: [1]", "o.b in o.a", "false"),
    ("arithmetic with null is null", "a: 1", "o.a + o.b", "null"),
    ("negation of null is null", "a: 1", "-o.b", "null"),
    ("a list and an absent one", "a: [1]", "o.a + o.b", "[1]"),
    ("division is exact", "a: 7", "o.a / 2", "3.5"),
    ("exact division of integers stays one", "a: 6", "o.a / 2", "3"),
    ("division by zero is null", "a: 6", "o.a / 0", "null"),
    ("int and double mix in sums", "a: 1", "o.a + 2.5", "3.5"),
    ("int and double mix in order", "a: 1", "o.a < 1.5", "true"),
    ("int and double are equal", "a: 2", "o.a == 2.0", "true"),
    ("a double of the dump that is whole", "a: 1e+09", "o.a == 1000000000", "true"),
    ("text never equals a number", "a: '5'", "o.a == 5", "false"),
    ("a map's keys are looped over", "a: {x: 1, y: 2}", "o.a.map(k, k)", "['x', 'y']"),
    ("two names are key and value", "a: {x: 1, y: 2}", "o.a.exists(k, v, k == 'y' && v == 2)", "true"),
    ("a map filters to a map", "a: {x: 1, y: 2}", "o.a.filter(k, v, v > 1)", "{y: 2}"),
    ("in of a map asks for its keys", "a: {x: 1}", "'x' in o.a", "true"),
    ("in of a list asks for its items", "a: [1, 2]", "2 in o.a", "true"),
    ("a key with signs", "a: {x.io/y: 1}", "o.a['x.io/y']", "1"),
    ("durations have days", "a: 1", "duration('3d4h') == duration('76h')", "true"),
    ("durations have weeks", "a: 1", "duration('1w')", "7d"),
    ("a text beside a time is a time", "t: '2027-01-01T11:00:00Z'", "now - o.t == duration('1h')", "true"),
    ("the zero time is absent", "t: '0001-01-01T00:00:00Z'", "ago(o.t)", "null"),
    ("ago is before the collection", "t: '2027-01-01T11:30:00Z'", "ago(o.t)", "30m"),
    ("list extension: flatten", "a: [[1], [2, 3]]", "o.a.flatten()", "[1, 2, 3]"),
    ("list extension: distinct", "a: [1, 2, 1]", "o.a.distinct()", "[1, 2]"),
    ("list extension: sort", "a: [3, 1, 2]", "o.a.sort()", "[1, 2, 3]"),
    ("list extension: sortBy", "a: [{n: 2}, {n: 1}]", "o.a.sortBy(x, x.n).map(x, x.n)", "[1, 2]"),
    ("list extension: slice", "a: [1, 2, 3]", "o.a.slice(1, 2)", "[2]"),
    ("list extension: reverse", "a: [1, 2]", "o.a.reverse()", "[2, 1]"),
    ("list extension: range", "a: 2", "lists.range(o.a)", "[0, 1]"),
    ("string extension: split", "a: 'x,y'", "o.a.split(',')", "['x', 'y']"),
    ("string extension: join", "a: [x, null, y]", "o.a.join('-')", "'x-y'"),
    ("string extension: replace", "a: x.y", "o.a.replace('.', '/')", "'x/y'"),
    ("string extension: substring", "a: abc", "o.a.substring(1)", "'bc'"),
    ("string extension: lowerAscii", "a: Ab", "o.a.lowerAscii()", "'ab'"),
    ("string extension: trim", "a: ' x '", "o.a.trim()", "'x'"),
    ("string extension: indexOf", "a: abc", "o.a.indexOf('c')", "2"),
    ("math extension: greatest", "a: 2", "math.greatest(o.a, 3)", "3"),
    ("math extension: ceil", "a: 1.2", "math.ceil(o.a)", "2"),
    ("functions of nothing", "a: 1", "o.b.startsWith('x')", "null"),
];

#[test]
fn every_sentence_has_its_value() {
    for (sentence, object, text, wanted) in ROWS {
        let world = world(&format!("{{apiVersion: v1, kind: Thing, metadata: {{name: x, namespace: a}}, {object}}}"));
        let names = ["o".to_owned()];
        let expr = Expr::compile(text, Scope { names: &names, this: None, tested: false });
        let value =
            expr.unwrap_or_else(|errors| panic!("{text}: {errors:?}")).eval(&world, &[crate::expr::Value::Resource(0)]);
        assert_eq!(show(&value), *wanted, "{sentence}: {text} of {object}");
        assert_eq!(world.take_problems(), [], "{sentence}: {text}");
    }
}

#[test]
fn comparing_with_the_empty_text_is_an_error() {
    let names = ["o".to_owned()];
    for text in ["o.a == ''", "'' != o.a", "o.a in ['', 'x']"] {
        let errors = Expr::compile(text, Scope { names: &names, this: None, tested: false }).unwrap_err();
        assert_eq!(
            errors[0].hint.as_deref(),
            Some("an empty string reads as null: compare with null; 'key' in its mapping tells it from an absent key"),
            "{text}"
        );
    }
}
