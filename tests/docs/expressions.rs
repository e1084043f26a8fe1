//! Every example of an expression, function or text gives the result on the page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner::internals::expr::{Expr, Scope, Value, World, display, function_docs};
use gleaner::internals::resource::{IndexBuilder, TypeName};
use gleaner::internals::rule::text::{Renderer, Template};
use gleaner::internals::yaml::{self, Kind};
use gleaner::model::Lang;

use crate::page::{Page, code};

/// Objects of the examples: names with type, namespace and name of the object.
const NAMES: [(&str, &str, &str); 3] =
    [("pod", "pods", "web-1"), ("service", "services", "web"), ("config", "configmaps", "settings")];

fn names() -> Vec<String> {
    NAMES.map(|(name, _, _)| name.to_owned()).into()
}

fn world(page: &Page) -> Arc<World> {
    let objects = page.blocks("yaml objects");
    assert_eq!(objects.len(), 1);
    let (document, problems) = yaml::parse(objects[0].text.clone().into_bytes());
    assert_eq!(problems, []);
    let mut builder = IndexBuilder::default();
    builder.add_document("objects.yaml".into(), &Arc::new(document));
    builder.assume_all_collected(true);
    builder.assume_missing(TypeName::parse("secrets"), None);
    let versions = BTreeMap::from([("longhorn".to_owned(), "v1.7.2".to_owned())]);
    Arc::new(World::new(Arc::new(builder.finish().0), "2025-03-18T09:30:00Z".parse().ok(), versions))
}

fn bindings(world: &World) -> Vec<Value<'_>> {
    let object = |(_, plural, name): (&str, &str, &str)| {
        Value::Resource(world.resources.get(&TypeName::parse(plural), Some("shop"), name).unwrap())
    };
    NAMES.map(object).into()
}

fn shown(world: &World, value: &Value<'_>) -> String {
    if let Some(text) = display(value) {
        return text;
    }
    match value {
        Value::Null => "null".to_owned(),
        Value::Undecided(_) => "undecided".to_owned(),
        Value::Resource(id) => {
            let resource = world.resources.resource(*id);
            format!("{}/{}/{}", resource.kind, resource.namespace.as_deref().unwrap(), resource.name)
        }
        _ => {
            let is_list =
                matches!(value, Value::List(_)) || value.as_node().is_some_and(|n| n.kind() == Kind::Sequence);
            assert!(is_list, "examples give scalars, objects and lists: {value:?}");
            let items: Vec<String> = value.elements().iter().map(|item| shown(world, item)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

fn evaluated(world: &World, text: &str) -> String {
    let expr = Expr::compile(text, Scope { names: &names(), this: None, tested: false });
    let expr = expr.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    shown(world, &expr.eval(world, &bindings(world)))
}

/// Differences, all at once.
fn compared(examples: impl IntoIterator<Item = (String, String, String)>) {
    let wrong: Vec<String> = examples
        .into_iter()
        .filter(|(_, told, is)| told != is)
        .map(|(text, told, is)| format!("{text}: the page says {told}, it gives {is}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn expressions_give_what_is_said() {
    let page = Page::read("docs/rule-language.md");
    let world = world(&page);
    let rows = page.tables(&["expression", "gives"]).into_iter().flat_map(|table| &table.rows);
    compared(rows.map(|row| (row[0].clone(), code(&row[1]).to_owned(), evaluated(&world, code(&row[0])))));
    assert_eq!(world.take_problems(), [], "an example has data of the wrong type");
}

#[test]
fn every_function_is_documented_and_gives_what_its_example_says() {
    let page = Page::read("docs/rule-language.md");
    let world = world(&page);
    let rows = &page.table(&["function", "does", "example", "gives"]).rows;
    compared(rows.iter().map(|row| (row[2].clone(), code(&row[3]).to_owned(), evaluated(&world, code(&row[2])))));
    assert_eq!(world.take_problems(), [], "an example has data of the wrong type");
    let written: BTreeSet<(&str, &str)> = rows.iter().map(|row| (code(&row[0]), row[1].as_str())).collect();
    let mut declared = BTreeSet::new();
    let docs: Vec<_> = function_docs().collect();
    for doc in &docs {
        let shown = rows.iter().find(|row| code(&row[0]) == doc.signature);
        let shown =
            shown.unwrap_or_else(|| panic!("the page lacks | `{}` | {} | example | gives |", doc.signature, doc.text));
        assert!(shown[2].contains(&format!("{}(", doc.name)), "the example of {} does not show it", doc.name);
        declared.insert((doc.signature.as_str(), doc.text.as_str()));
    }
    assert_eq!(written, declared);
}

#[test]
fn texts_print_what_is_said() {
    let page = Page::read("docs/rule-language.md");
    let world = world(&page);
    let renderer = Renderer::new(&world, Lang::En);
    let bindings = bindings(&world);
    let rows = page.table(&["text", "prints"]).rows.iter().map(|row| {
        let template = Template::compile(code(&row[0]), &names()).unwrap_or_else(|e| panic!("{}: {e:?}", row[0]));
        let printed = renderer.render(&template, &names(), &bindings, &[bindings.as_slice()]).unwrap();
        (row[0].clone(), code(&row[1]).to_owned(), printed.to_string())
    });
    compared(rows);
}
