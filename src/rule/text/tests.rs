//! Templates and what they render to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::expr::value::EventGroup;
use crate::expr::{Expr, FileFact, Scope, Shape, Shapes, Value, World};
use crate::log::{HitGroup, Sample};
use crate::model::{Histogram, Lang, ObjectRef, Origin, TimedText};
use crate::resource::{IndexBuilder, TypeName};

const OBJECTS: &str = r#"apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1, labels: {a.b/c: yes-it-is}}
spec:
  capacity: {storage: 10Gi}
  empty: ""
  list: [a, b, c]
  mixed: {n: 1, l: [true, null], s: "x\"y"}
  half: 0.333333
  when: "2024-03-01T11:30:00Z"
  template: {kind: Job, metadata: {name: j, namespace: n}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: demo}
data: {url: "https://example.org/?a=<b>"}
---
apiVersion: v1
kind: Node
metadata: {name: alpha}
"#;

fn names() -> Vec<String> {
    ["pv", "hits", "event", "file", "absent", "undecided", "many", "sized"].map(str::to_owned).into()
}

fn world() -> Arc<World> {
    let (document, problems) = crate::yaml::parse(OBJECTS.as_bytes().to_vec());
    assert_eq!(problems, []);
    let mut builder = IndexBuilder::default();
    builder.add_document("all.yaml".into(), &Arc::new(document));
    builder.assume_all_collected(true);
    let versions = BTreeMap::from([("longhorn".to_owned(), "v1.5.3".to_owned())]);
    Arc::new(World::new(Arc::new(builder.finish().0), "2024-03-01T12:00:00.25Z".parse().ok(), versions))
}

fn hits() -> HitGroup {
    let (text, matched, before, after) = ("boom".into(), String::new(), Vec::new(), Vec::new());
    let sample = Sample { entry: "a.log".into(), line: 1, text, matched, before, after };
    HitGroup {
        key: Vec::new(),
        captures: BTreeMap::from([("volume".to_owned(), "pvc-1".to_owned())]),
        all: BTreeMap::from([("volume".to_owned(), BTreeSet::from(["pvc-1".to_owned(), "pvc-2".to_owned()]))]),
        count: 12,
        first: None,
        last: "2024-03-01T11:50:00Z".parse().ok(),
        undated: 0,
        times: Histogram::default(),
        first_hit: sample.clone(),
        last_hit: sample,
        largest: None,
        node: None,
        pod: None,
        source: "a.log".into(),
        has_unknown_writer: false,
        is_pasted: false,
    }
}

fn event() -> EventGroup {
    EventGroup {
        events: Vec::new(),
        key: Vec::new(),
        reason: "Failed".to_owned(),
        message: "no\nway".to_owned(),
        type_: "Warning".to_owned(),
        object: ObjectRef::new("", "Pod", None, "p"),
        captures: BTreeMap::new(),
        count: 3,
        all: BTreeMap::new(),
        first: None,
        last: None,
    }
}

fn bindings(world: &World) -> Vec<Value<'_>> {
    let pv = world.resources.get(&TypeName::parse("persistentvolumes"), None, "pv-1");
    let many: Vec<Value<'_>> = (0..30).map(Value::Int).collect();
    let file = FileFact {
        path: "nodes/a/x".into(),
        origin: Origin::entry("nodes/a/x"),
        node: None,
        text: "t".into(),
        data: None,
    };
    let map =
        Expr::compile("{'used': 5, 'size': 20, 'list': [{'a': 1}]}", Scope { names: &[], this: None, tested: false });
    vec![
        pv.map_or(Value::Null, Value::Resource),
        Value::Hits(Arc::new(hits())),
        Value::Events(Arc::new(event())),
        Value::File(Arc::new(file)),
        Value::Null,
        Value::Undecided("why".into()),
        Value::list(many),
        map.map_or(Value::Null, |expr| expr.eval(world, &[])),
    ]
}

fn render(text: &str) -> Result<TimedText, String> {
    render_in(&world(), text)
}

fn render_in(world: &World, text: &str) -> Result<TimedText, String> {
    let template = Template::compile(text, &names()).map_err(|errors| format!("{errors:?}"))?;
    let bindings = bindings(world);
    let rows = vec![bindings.clone(); 25];
    let rows: Vec<_> = rows.iter().map(Vec::as_slice).collect();
    Renderer::new(world, Lang::En).render(&template, &names(), &bindings, &rows).map_err(|failure| match failure {
        TextFailure::Wrong(error) => error,
        TextFailure::Spent => world.exhausted().map(ToString::to_string).unwrap_or_default(),
    })
}

#[test]
fn values_print() {
    let rows = [
        ("", ""),
        ("  plain <b> \n", "plain <b>"),
        ("{{ pv }} is bound", "PersistentVolume/pv-1 is bound"),
        ("{{ pv.metadata.name }}/{{ pv.spec.capacity.storage }}", "pv-1/10Gi"),
        ("{{ pv.kind }} {{ pv['metadata']['labels']['a.b/c'] }}", "PersistentVolume yes-it-is"),
        ("{{ pv.nope }} {{ pv.nope.deeper.still }} {{ pv.spec.empty }}", "(unknown) (unknown) (unknown)"),
        (
            "{{ absent }} {{ absent.count }} {{ undecided }} {{ undecided.x }}",
            "(unknown) (unknown) (unknown) (unknown)",
        ),
        ("{{ none }}", "(unknown)"),
        ("{{ hits }} {{ hits.count }} {{ hits.volume }} {{ hits.all.volume }}", "12 12 pvc-1 pvc-1, pvc-2"),
        ("{{ hits.first }} {{ hits.last }}", "an unknown time 2024-03-01T11:50:00Z"),
        (
            "{{ pv.metadata.deletionTimestamp | ago }} {{ [hits] | map(attribute='first') | max }} {{ pv.status.failedAt }}",
            "an unknown time an unknown time an unknown time",
        ),
        ("{{ event }} {{ event.reason }} {{ event.object.name }}", "3 Failed p"),
        ("{{ file }} {{ file.path }} {{ file.node }}", "nodes/a/x nodes/a/x (unknown)"),
        ("{{ now }}", "2024-03-01T12:00:00Z"),
        ("{{ pv.spec.list }}", "a, b, c"),
        ("{{ many }}", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 10 more"),
        ("{{ pv.spec.mixed }}", "{\"n\":1,\"l\":[true,null],\"s\":\"x\\\"y\"}"),
        ("{{ sized }}", "{\"used\":5,\"size\":20,\"list\":[{\"a\":1}]}"),
        ("{{ pv.spec.template }}", "Job/n/j"),
        ("{{ pv.spec.half }} {{ 1.5 }} {{ 2.0 }}", "0.33 1.5 2"),
        ("{{ true }}", "true"),
        ("{{ pv ~ '!' }}", "PersistentVolume/pv-1!"),
        ("{{ nodes }}", "Node/alpha"),
    ];
    for (text, wanted) in rows {
        assert_eq!(render(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn a_text_knows_its_times() {
    let since = "since {{ hits.last }}, {{ '2024-03-01T11:50:00.5Z' }}: {{ 'at 2024-03-01T11:50:00Z' }}";
    let text = render(since).unwrap();
    assert_eq!(text, "since 2024-03-01T11:50:00Z, 2024-03-01T11:50:00.5Z: at 2024-03-01T11:50:00Z");
    let times: Vec<&str> = text.parts().filter(|part| part.time.is_some()).map(|part| part.text).collect();
    assert_eq!(times, ["2024-03-01T11:50:00Z", "2024-03-01T11:50:00.5Z"], "a time in a quote is part of the quote");
}

#[test]
fn a_sentence_leaves_out_times_that_are_not_known() {
    let rows = [
        (
            "3 times from {{ hits.first }} to {{ hits.first }}, {{ hits.first | ago }} before the collection.",
            "3 times.",
        ),
        ("It failed from {{ hits.first }} to {{ hits.first }}: x", "It failed: x"),
        ("3 lines, last at {{ hits.first }}: x", "3 lines: x"),
        ("3 lines (x), the last one {{ hits.first | ago }} before the collection.", "3 lines (x)."),
        ("(3 times, the last at {{ hits.first }})", "(3 times)"),
        ("a ({{ hits.first | ago }} before the collection) b", "a b"),
        ("Fine.\nFrom {{ hits.first }} to {{ hits.first }} the kernel", "Fine.\nThe kernel"),
        ("At {{ hits.first }}, its job", "Its job"),
        ("up to {{ hits.first }} there", "up to an unknown time there"),
        ("it was up to {{ hits.first }} there", "it was there"),
        (
            "It failed from {{ hits.first }} to {{ hits.last }}",
            "It failed from an unknown time to 2024-03-01T11:50:00Z",
        ),
        ("从 {{ hits.first }} 到 {{ hits.first }}，etcd 失败", "etcd 失败"),
        ("从 {{ hits.first }} 到 {{ hits.first }}（收集前 {{ hits.first | ago }}）有 3 次", "有 3 次"),
        ("共 3 次，最近一次是在收集前 {{ hits.first | ago }}。", "共 3 次。"),
        ("3 次，最近一次是 {{ hits.first }}，在收集前 {{ hits.first | ago }}", "3 次"),
        ("该文件系统于 {{ hits.first }} 被关闭", "该文件系统被关闭"),
    ];
    for (text, wanted) in rows {
        assert_eq!(render(text).as_deref(), Ok(wanted), "{text}");
    }
    assert_eq!(render("{{ 'last at \u{fdd4}' }}").as_deref(), Ok("last at \u{fffd}"), "a value is no mark");
}

#[test]
fn times_that_nobody_knows_are_told_by_their_distance() {
    let mut world = world();
    Arc::get_mut(&mut world).unwrap().is_relative = true;
    let text = render_in(&world, "last {{ hits.last }}, {{ hits.last | ago }} ago").unwrap();
    assert_eq!(text, "last 10m before the collection, 10m ago");
    assert!(text.parts().all(|part| part.time.is_none()));
}

#[test]
fn functions_and_filters() {
    let rows = [
        ("{{ get('configmaps', 'demo', 'settings') }}", "ConfigMap/demo/settings"),
        ("{{ get('configmaps', 'demo', 'settings').data.url }}", "https://example.org/?a=<b>"),
        ("{{ get('configmaps', 'demo', 'nope').data.url }}", "(unknown)"),
        ("{{ version('longhorn') }} {{ version('rke2') }}", "v1.5.3 (unknown)"),
        ("{{ condition(pv, 'Ready').reason }}", "(unknown)"),
        ("{{ quantity(pv.spec.capacity.storage) | bytes }}", "10 GiB"),
        ("{{ pv.spec.capacity.storage | bytes }}", "10 GiB"),
        ("{{ 1536 | bytes }} {{ 12 | bytes }} {{ 0 | bytes }} {{ absent | bytes }}", "1.5 KiB 12 B 0 B (unknown)"),
        ("{{ percent(sized.used, sized.size) | percent }}", "25%"),
        ("{{ sized.used | percent(sized.size) }} {{ absent | percent }}", "25% (unknown)"),
        ("{{ pv.spec.when | ago }} {{ hits.last | ago }} {{ absent | ago }}", "30m 10m (unknown)"),
        ("{{ ago(pv.spec.when) }}", "30m"),
        ("{{ '2024-03-01T12:00:36Z' | ago }} {{ timestamp('2024-03-01T12:00:36Z') | ago }}", "0s 0s"),
        ("{{ duration('8s') > duration('60s') }} {{ duration('60s') == duration('1m') }}", "false true"),
        ("{{ timestamp(pv.spec.when) < now }}", "true"),
        ("{{ pv.metadata.name.startsWith('pv') }} {{ pv.metadata.name.upperAscii() }}", "true PV-1"),
        ("{{ find_all('a1b2', '[0-9]') | join('+') }}", "1+2"),
        ("{{ find_all('a1b2', '(?<d>[0-9])') | map(attribute='d') | join('+') }}", "1+2"),
        ("{{ json('{\"a\": [1, 2]}').a[1] }}", "2"),
        ("{{ math.ceil(1.2) }} {{ lists.range(3) }}", "2 0, 1, 2"),
        ("{{ size(many) }} {{ many | length }} {{ many.sum() }} {{ sum([1, 2]) }}", "30 30 435 3"),
        ("{{ pv.spec.list | join('/') }} {{ pv.spec.list | first | upper }}", "a/b/c A"),
        ("{{ absent | default('none') }}{{ absent | default('') }}{{ absent | default }}", "none"),
        ("{{ '1 side is' | replace('1 ', '') }}{{ '' }}", "side is"),
        ("{% if hits %}yes{% endif %}{% if not absent %} no{% endif %}{% if pv %} pv{% endif %}", "yes no pv"),
        ("{% if pv.spec.nope is defined %}a{% else %}b{% endif %}", "b"),
        ("{% for k, v in pv.spec.mixed | items %}{{ k }}={{ v }};{% endfor %}", "n=1;l=true, (unknown);s=x\"y;"),
        ("{% for x in pv.spec.list %}{{ loop.index }}{{ x }}{% endfor %}", "1a2b3c"),
        (
            "{{ rows | length }} {{ rows | map(attribute='pv.metadata.name') | unique | join }} {{ rows[24].pv }}",
            "25 pv-1 (unknown)",
        ),
        (
            "{% for row in rows %}{{ loop.index }}:{{ row.pv.metadata.name }} {% endfor %}",
            "1:pv-1 2:pv-1 3:pv-1 4:pv-1 5:pv-1 6:pv-1 7:pv-1 8:pv-1 9:pv-1 10:pv-1 11:pv-1 12:pv-1 13:pv-1 14:pv-1 15:pv-1 16:pv-1 17:pv-1 18:pv-1 19:pv-1 20:pv-1",
        ),
        ("{% set n = pv.metadata.name %}{{ n }}", "pv-1"),
    ];
    for (text, wanted) in rows {
        assert_eq!(render(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn slices_are_lists() {
    let rows = [
        ("{{ pv.spec.list[:2] }}", "a, b"),
        ("{{ nodes[:1] }}", "Node/alpha"),
        ("{{ sized.list[:1] }}", "{\"a\":1}"),
        ("{{ many[:3] }} {{ many[27:] }} {{ many[-2:] }} {{ many[::10] }}", "0, 1, 2 27, 28, 29 28, 29 0, 10, 20"),
        ("{{ many[:25] }}", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 5 more"),
        ("{{ many[:3] | length }} {{ size(many[:3]) }} {{ many[:3] | first }} {{ many[:3] | last }}", "3 3 0 2"),
        ("{{ pv.spec.list[1:] | join('/') }} {{ nodes[:1] | map(attribute='metadata.name') | join }}", "b/c alpha"),
        ("{{ nodes[:1][0].metadata.name }}", "alpha"),
        ("{% for n in nodes[:1] %}{{ n.metadata.name }}{% if not loop.last %}, {% endif %}{% endfor %}", "alpha"),
        ("{% for x in many[:3] %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}", "0, 1, 2"),
        ("{% for x in many[3:0] %}{{ x }}{% else %}none{% endfor %}", "none"),
        ("{% if many[:0] %}some{% else %}none{% endif %}", "none"),
        ("{{ (pv.spec.list | unique)[:2] | join(', ') }}", "a, b"),
        ("{{ rows[:2] | length }} {{ rows[:1] | map(attribute='pv.metadata.name') | join }}", "2 pv-1"),
        ("{{ absent[:2] }}{{ pv.spec.nope[:2] | length }}", "0"),
        ("{{ pv.metadata.name[:2] }}", "pv"),
    ];
    for (text, wanted) in rows {
        assert_eq!(render(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn rendering_errors_have_reasons() {
    let rows = [
        ("{{ quantity('x') }}", "quantity: 'x' is no quantity"),
        (
            "{% for a in lists.range(1000) %}{% for b in lists.range(1000) %}{{ a }}{% endfor %}{% endfor %}",
            "a text of the rule grows beyond 256 KiB",
        ),
        (
            "{% for a in lists.range(100) %}{{ lists.range(1000).join('0123456789') }}{% endfor %}",
            "a text of the rule grows beyond 256 KiB",
        ),
    ];
    for (text, wanted) in rows {
        assert_eq!(render(text), Err(wanted.to_owned()), "{text}");
    }
}

#[test]
fn a_huge_value_is_cut() {
    let text = render("{{ lists.range(10000).join('0123456789') }}");
    assert!(text.as_ref().is_ok_and(|text| text.len() == 4099 && text.ends_with("...")), "{text:?}");
}

#[test]
fn mistakes_are_found_before() {
    type Found = (Option<usize>, &'static str, &'static str);
    let rows: [(&str, &[Found]); 22] = [
        ("{{ pv", &[(Some(3), "unexpected end of input, expected end of variable block", "")]),
        ("{{ pvv.x }}", &[(Some(3), "unknown name `pvv`", "did you mean `pv`?")]),
        (
            "a {{ volume }}",
            &[(
                Some(5),
                "unknown name `volume`",
                "names here: pv, hits, event, file, absent, undecided, many, sized, now, nodes, rows",
            )],
        ),
        ("{{ pvv[:2] }}", &[(Some(3), "unknown name `pvv`", "did you mean `pv`?")]),
        ("{{ pv | byts }}", &[(Some(8), "there is no filter `byts`", "did you mean `bytes`?")]),
        ("{{ pv is defind }}", &[(Some(9), "there is no test `defind`", "")]),
        ("{{ pv is not none }}", &[]),
        ("{{ siz(pv) }}", &[(Some(3), "there is no function `siz`", "did you mean `size`?")]),
        ("{{ condition(pv) }}", &[(Some(3), "condition takes 2 arguments, not 1", "write condition(obj, 'Ready')")]),
        ("{{ size() }}", &[(Some(3), "size takes 1 argument, not 0", "write size(list)")]),
        (
            "{{ pv.name.split(',', 2, 3) }}",
            &[(Some(11), "split takes 2 to 3 arguments, not 4", "write text.split(',')")],
        ),
        ("{{ math.ceil(1, 2) }}", &[(Some(8), "math.ceil takes 1 argument, not 2", "write math.ceil(x)")]),
        ("{{ max([1, 2], min(3, 4)) }}{{ pv.name.split(',') | join(', ') }}{{ size([]) }}", &[]),
        (
            "{{ pv.name.startswith('x') }}",
            &[(Some(11), "there is no function `startswith`", "did you mean `startsWith`?")],
        ),
        ("{{ math.roof(1) }}", &[(Some(8), "there is no function `math.roof`", "did you mean `math.floor`?")]),
        ("{% include 'x' %}", &[(Some(3), "texts cannot use include", "")]),
        (
            "{% for x in many %}{{ x }}{{ y }}{% endfor %}",
            &[(
                Some(29),
                "unknown name `y`",
                "names here: pv, hits, event, file, absent, undecided, many, sized, now, nodes, rows",
            )],
        ),
        (
            "{{ pvv }} {{ pvv }} {{ hitz }}",
            &[
                (Some(3), "unknown name `pvv`", "did you mean `pv`?"),
                (Some(23), "unknown name `hitz`", "did you mean `hits`?"),
            ],
        ),
        ("{% set a = 1 %}{{ a }}", &[]),
        ("{{ many | map(attribute='x') | join(', ') }}", &[]),
        ("{% for r in rows %}{{ loop.index }}{% endfor %}", &[]),
        ("{% if pv %}x", &[(Some(11), "unexpected end of input, expected end of block", "")]),
    ];
    for (text, wanted) in rows {
        let errors = Template::compile(text, &names()).err().unwrap_or_default();
        let found: Vec<_> =
            errors.iter().map(|e| (e.offset, e.message.as_str(), e.hint.as_deref().unwrap_or_default())).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

/// Each is read as a tree as deep as it is long, which would take the whole stack.
#[test]
fn chains_without_end_are_refused() {
    let chain = |begin: &str, link: &str, end: &str| format!("{begin}{}{end}", link.repeat(20_000));
    let of_operators = [
        "[0]",
        ".a",
        " + 1",
        " ~ pv",
        " and true",
        " is defined",
        " | lower",
        "[1:]",
        " if pv else 1",
        " < 1",
        " not in pv",
    ];
    let mut texts: Vec<String> = of_operators.iter().map(|link| chain("{{ pv", link, " }}")).collect();
    texts.push(chain("{{ ", "not ", "pv }}"));
    texts.push(chain("{{ ", "-", "1 }}"));
    texts.push(chain("{% if pv %}", "{% elif pv %}", "{% endif %}"));
    texts.push(chain("{% if pv", " or pv", " %}{% endif %}"));
    let shapes = Shapes { slots: &[], objects: &|_| Shape::anything(), lacks: &|_| None };
    for text in texts {
        let found = Template::compile(&text, &names()).map(drop).unwrap_err();
        let beginning = text.get(..40).unwrap();
        assert!(found.len() == 1 && found.iter().all(|error| error.offset.is_some()), "{beginning}: {found:?}");
        assert!(infer::doubts(&text, &names(), &shapes).is_empty(), "{beginning}");
    }
}

#[test]
fn mentions() {
    let rows: [(&str, &[&str]); 8] = [
        ("no names", &[]),
        ("{{ many[:3] }} {{ (hits.lines | unique)[1:] }}", &["hits", "many"]),
        ("{% for pv in many[:3] %}{{ pv.spec.list[:2] }}{% endfor %}", &["many"]),
        ("{{ rows | map(attribute='pv.metadata.name') | join }}", &["pv"]),
        ("{{ hits.count }} of {{ pv }} {{ now }}", &["pv", "hits"]),
        ("{% for r in rows %}{{ r.event.reason }}{% endfor %}", &["event"]),
        ("{% for pv in many %}{{ pv }}{% endfor %}", &["many"]),
        ("{{ percent(1, 2) }} {{ pv.hits }}", &["pv"]),
    ];
    for (text, wanted) in rows {
        let template = Template::compile(text, &names());
        assert_eq!(template.map(|t| t.mentions(&names()).to_vec()).unwrap_or_default(), wanted, "{text}");
    }
}
