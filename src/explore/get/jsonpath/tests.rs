//! JSONPath as kubectl evaluates it: expected outputs are what kubectl 1.32 printed for the same objects, which a stand-in for an API
//! server gave it.

use serde_json::{Value, json};

use super::template::MAX_BYTES;
use super::*;

fn objects() -> Value {
    json!({
        "apiVersion": "v1",
        "items": [
            {
                "apiVersion": "v1",
                "data": {"k": "v", "n": "", "q": "it's \"x\""},
                "f": 0.5,
                "kind": "ConfigMap",
                "list": [{"name": "p", "t": true, "v": 1}, {"name": "q", "v": 2}, {"deep": {"name": "s"}, "name": "r", "v": 3}],
                "metadata": {"labels": {"a.b/c": "2", "x": "1"}, "name": "a"},
                "n": 10,
                "nested": [[1, 2], [3]],
                "none": null,
                "on": true,
                "size": "500Mi",
            },
            {"data": {"k": "w"}, "metadata": {"name": "b10"}, "n": 9, "size": "1Gi"},
            {"list": [], "metadata": {"name": "b2"}, "size": "2k"},
        ],
        "kind": "List",
    })
}

#[test]
fn templates_print_what_kubectl_prints() {
    let objects = objects();
    for (template, wanted) in [
        ("{.items[*].metadata.name}", "a b10 b2"),
        (r#"{range .items[*]}{.metadata.name}{"\t"}{.size}{"\n"}{end}"#, "a\t500Mi\nb10\t1Gi\nb2\t2k\n"),
        ("{.items[?(@.n>9)].metadata.name}", "a"),
        (r#"{.items[?(@.metadata.name=="b2")].size}"#, "2k"),
        ("{.items[?(@.metadata.labels)].metadata.name}", "a"),
        ("{.items[0].metadata.labels}", r#"{"a.b/c":"2","x":"1"}"#),
        ("{.items[0].metadata.labels['a.b/c']}", ""),
        (r"{.items[0].metadata.labels['a\.b/c']}", "2"),
        (r"{.items[0].metadata.labels.a\.b/c}", "2"),
        ("{.items[0].data.n}", ""),
        ("{.items[0].none}", "null"),
        ("{.items[0].none[0]}|", "|"),
        ("{.items[0].f} {.items[0].on} {.items[0].n}", "0.5 true 10"),
        ("{.items[0].list[0:2].name}", "p q"),
        ("{.items[0].list[-1].name}", "r"),
        ("{.items[0].list[::2].name}", "p r"),
        ("{.items[0].list[0,2].name}", "p r"),
        ("{.items[0].list[0 , 1].name}", "p q"),
        ("{.items[0].list[*]['name','v']}", "p q r 1 2 3"),
        ("{.items[0].data['k','q']}", "v it's \"x\""),
        ("{.items[0]..name}", "p q r s a"),
        ("{..v}", "1 2 3"),
        (r#"{.items[0].metadata.name}{"}"}"#, "a}"),
        ("{.items[0].nope}", ""),
        ("{.items[0].nested[0]}", "[1,2]"),
        ("{.items[0].nested[*][0]}", "1 3"),
        ("{.items[1].list[0]}", ""),
        ("{range .items[*]}{range .list[*]}{.name},{end};{end}", "p,q,r,;;;"),
        ("{range .nope[*]}x{end}y", "y"),
        ("{range.items[*]}x{end}", "xxx"),
        (r#"{1}{true}{'it'}{"\u00e9"}{-1.5}"#, "1trueité-1.5"),
        ("{.items[0].list[?(@.t==true)].name}", "p"),
        (r#"{.items[0].list[?(@.name!="p")].name}"#, "q r"),
        (r#"{.items[*].list[?(@.name=="q")].v}"#, "2"),
        ("{.items[0].list[?(@.deep.name=='s')].name}", "r"),
        (r#"{.items[0].list[?(@.name == "q")].v}"#, "2"),
        (r#"{.items[0].list[?(@.name=="p)")].v}"#, ""),
        (r#"{.items[0].list[?(@.name=="q")]['v']}"#, "2"),
        ("{.items[0].list[?( @.v > 1 )].v}", "2 3"),
        ("{.items[0].list[?(@.v<3)].v} {.items[0].list[?(@.v<=2)].v}", "1 2 1 2"),
        ("{$.items[0].metadata.name}{@.items[1].metadata.name}", "ab10"),
        (".items[0].metadata.name", ".items[0].metadata.name"),
        ("{.items[0].list[1:1]}", ""),
        ("{.items[0].list[:2].v}|{.items[0].list[-2:].v}|{.items[0].list[-1:].v}", "1 2|2 3|3"),
        ("{ .items[0].metadata.name } and {.items[0].n}!", "a and 10!"),
        ("{.}", ""),
        ("{.items[0].metadata.['name']}", ""),
        (r#"{"a" "b"}"#, "b"),
    ] {
        let printed = JsonPath::parse(template).and_then(|path| path.print(&objects));
        assert_eq!(printed.as_deref(), Ok(wanted), "{template}");
    }
}

#[test]
fn faults_are_told_with_their_place() {
    let objects = objects();
    for (template, wanted) in [
        ("{.items[0].list[0].name", "a brace that is not closed at character 1"),
        ("{.a}{end}", "`end` without `range` at character 6"),
        ("x{range .items[*]}x", "`range` without `{end}` at character 3"),
        ("{foo}", "the unknown word `foo` at character 2"),
        ("{.a[b]}", "`b`, which is neither an index, nor a key in single quotes at character 5"),
        (r#"{.a["b"]}"#, r#"`"b"`, which is neither an index, nor a key in single quotes at character 5"#),
        ("{.a[?(@.v=>2)].v}", "the unknown comparison `=>` at character 10"),
        ("{.a[?(@.v==2]}", "a filter that is not closed at character 4"),
        ("{.a....b}", "two recursive descents after each other at character 6"),
        ("{.a \"b}", "text without its second quote at character 1"),
        ("{.a#}{%}", "the unexpected character `%` at character 7"),
        ("{.a[::0]}", "a step that is not above 0 at character 5"),
        ("{.items[0].list[5].name}", "the index 5 is outside of a list of 3 at character 2"),
        ("{.items[2].list[0]}", "the index 0 is outside of a list of 0 at character 2"),
        ("{.items[0].data[0]}", "a value that is no list is indexed at character 2"),
        ("{.items[0].list[2:1]}", "the slice begins at 2, after its end 1 at character 2"),
        (r#"{.items[0].list[?(@.v>="x")].name}"#, "a number cannot be compared with a text at character 2"),
    ] {
        let error = JsonPath::parse(template).and_then(|path| path.print(&objects)).unwrap_err().to_string();
        assert_eq!(error, format!("{wanted} of the JSONPath `{template}`"));
    }
}

#[test]
fn work_and_depth_are_bounded() {
    let mut value = json!("x");
    for _ in 0..100 {
        value = json!({ "a": value });
    }
    let many = format!("{{{}}}", "..a".repeat(8));
    let error = JsonPath::parse(&many).unwrap().print(&value).unwrap_err();
    assert!(error.what.contains("visits more than"), "{error}");
    assert!(JsonPath::parse("{..a}").unwrap().print(&value).is_ok());
    let deep = format!("{{{}.a{}}}", "[?(@".repeat(40), ")]".repeat(40));
    assert!(JsonPath::parse(&deep).is_err());
    assert!(JsonPath::parse(&"{range .a}".repeat(40)).is_err());
    assert!(JsonPath::parse(&"x".repeat(MAX_BYTES + 1)).is_err());
}

#[test]
fn a_relaxed_path_needs_no_braces() {
    let object = json!({"metadata": {"name": "a"}});
    for path in ["metadata.name", ".metadata.name", "{.metadata.name}", " {metadata.name} ", "$.metadata.name"] {
        assert_eq!(JsonPath::relaxed(path).unwrap().print(&object).as_deref(), Ok("a"), "{path}");
    }
    assert!(JsonPath::relaxed("{.a").is_err());
}

#[test]
fn custom_columns_print_values_as_go_does() {
    let objects = objects();
    let shown = |path: &str| {
        let found = JsonPath::relaxed(path).unwrap().find(&objects).unwrap();
        found.iter().flatten().map(|value| go_text(value)).collect::<Vec<_>>()
    };
    assert_eq!(shown(".items[0].metadata.labels"), ["map[a.b/c:2 x:1]"]);
    assert_eq!(shown(".items[0].list"), ["[map[name:p t:true v:1] map[name:q v:2] map[deep:map[name:s] name:r v:3]]"]);
    assert_eq!(shown(".items[0].none"), ["<nil>"]);
    assert_eq!(shown("{.items[2].list}"), ["[]"]);
    assert!(shown(".x.y").is_empty());
}
