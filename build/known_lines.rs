//! Templates of the known lines, so that the program reads only those lines that it finds.

use std::fmt::Write as _;

use serde_yaml::Value;

#[path = "../src/known_lines/key.rs"]
#[allow(dead_code, reason = "the program also looks lines up")]
mod key;
#[path = "../src/known_lines/template.rs"]
#[allow(dead_code, reason = "the program also compares templates")]
mod template;

use template::Template;

/// Beginning of an entry in a file of known lines.
const ENTRY: &str = "- ";

/// A line with the number of its file, and its place there.
struct Line {
    file: usize,
    start: usize,
    end: usize,
    is_general: bool,
    template: Template,
}

/// Returns the index of the lines of some files, each a path and its text, as a value of the program's type.
///
/// # Errors
///
/// The first file that cannot be read so.
pub fn generate(files: &[(String, String)]) -> Result<String, String> {
    let lines = files
        .iter()
        .enumerate()
        .map(|(number, (path, text))| lines(number, text).map_err(|fault| format!("{path}: {fault}")));
    let lines: Vec<Line> = lines.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let numbers = key::keys(lines.iter().map(|line| &line.template)).into_iter().zip(0..);
    let mut keys: Vec<(u64, u32)> = numbers.collect();
    keys.sort_unstable();
    let mut templates = String::new();
    let mut places = String::new();
    for Line { file, start, end, is_general, template } in lines {
        templates.push_str(template.text());
        // Writing to a String cannot fail.
        let _ = writeln!(
            places,
            "ShippedLine {{ file: {file}, place: ({start}, {end}), is_general: {is_general}, template_end: {} }},",
            templates.len()
        );
    }
    Ok(format!("ShippedIndex {{ keys: &{keys:?}, lines: &[{places}], templates: {templates:?} }}"))
}

fn lines(file: usize, text: &str) -> Result<Vec<Line>, String> {
    let tree: Value = serde_yaml::from_str(text).map_err(|fault| fault.to_string())?;
    let entries = tree.get("known_lines").and_then(Value::as_sequence).ok_or("no list of known lines")?;
    let mut ends: Vec<usize> = starts(text);
    if ends.len() != entries.len() {
        return Err(format!("begin each entry with `{ENTRY}` at the start of a line, and nothing else"));
    }
    ends.push(text.len());
    let places = ends.windows(2);
    let line = |(entry, place): (&Value, &[usize])| {
        let [start, end] = *place else { return Err("no place".to_owned()) };
        let written = entry.get("line").and_then(Value::as_str).ok_or("an entry without line")?;
        let is_general = entry.get("general").and_then(Value::as_bool) == Some(true);
        Ok(Line { file, start, end, is_general, template: Template::of(written) })
    };
    entries.iter().zip(places).map(line).collect()
}

/// Returns where entries begin.
fn starts(text: &str) -> Vec<usize> {
    let mut at = 0;
    let mut starts = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with(ENTRY) {
            starts.push(at);
        }
        at += line.len();
    }
    starts
}
