//! Phrases of reports: turns `src/report/lexicon/phrases.csv` into Rust.
//!
//! A row with a name becomes an item: a constant, or a struct with one field for each part in braces. All rows become
//! the table in which templates look up their texts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

const HEADER: &str = "name,english,singular,chinese";

/// Row of the file.
struct Row {
    /// Name of the item; empty for a phrase that only templates and values of data use.
    name: String,
    /// English, in the plural if it depends on the number `{n}`; unique, and the order of the file.
    english: String,
    /// English for one; empty if the phrase does not depend on `{n}`.
    singular: String,
    chinese: String,
}

/// Returns the items and the table.
///
/// # Errors
///
/// The first row that has a fault, with its line.
pub fn generate(csv: &str) -> Result<String, String> {
    let rows = rows(csv)?;
    // Writing to a String cannot fail.
    let mut out = String::new();
    for row in rows.iter().filter(|row| !row.name.is_empty()) {
        let _ = if parts(&row.english).is_empty() { constant(&mut out, row) } else { structure(&mut out, row) };
    }
    let _ = writeln!(out, "static ROWS: &[Row] = &[");
    for Row { english, singular, chinese, .. } in &rows {
        let _ = writeln!(out, "    Row {{ english: {english:?}, singular: {singular:?}, chinese: {chinese:?} }},");
    }
    let unnamed: Vec<&str> = rows.iter().filter(|row| row.name.is_empty()).map(|row| row.english.as_str()).collect();
    let _ = writeln!(out, "];\n#[cfg(test)]\npub const UNNAMED: &[&str] = &{unnamed:?};");
    Ok(out)
}

fn rows(csv: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for (at, line) in csv.lines().enumerate() {
        let fault = |fault: &str| format!("line {}: {fault}: {line}", at + 1);
        if at == 0 {
            (line == HEADER).then_some(()).ok_or_else(|| fault(&format!("expected {HEADER}")))?;
            continue;
        }
        let row = row(line).map_err(fault)?;
        if rows.last().is_some_and(|last| last.english >= row.english) {
            return Err(fault("rows are unique and in the byte order of the English"));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn row(line: &str) -> Result<Row, &'static str> {
    let fields = fields(line).ok_or("a quote is not closed or is part of a phrase")?;
    let [name, english, singular, chinese]: [String; 4] =
        fields.try_into().map_err(|_| "not four columns; quote a phrase that contains a comma")?;
    let names = parts(&english);
    if english.is_empty() || chinese.is_empty() {
        return Err("the English or the Chinese is missing");
    }
    if names != parts(&chinese) {
        return Err("English and Chinese have different parts in braces");
    }
    let fits = names.contains("n") && parts(&singular).is_subset(&names);
    if !singular.is_empty() && !fits {
        return Err("a singular needs {n} in the plural, and no part of its own");
    }
    Ok(Row { name, english, singular, chinese })
}

/// Splits a line; commas in quotes belong to the field, and `\n` is a line break.
fn fields(line: &str) -> Option<Vec<String>> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields.iter_mut().for_each(|field| *field = field.replace("\\n", "\n"));
    (!quoted && !line.contains("\"\"")).then_some(fields)
}

/// Returns the names in braces.
fn parts(phrase: &str) -> BTreeSet<&str> {
    phrase.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

fn constant(out: &mut String, row: &Row) -> std::fmt::Result {
    let Row { name, english, chinese, .. } = row;
    writeln!(out, "pub const {name}: Phrase = Phrase {{ english: {english:?}, chinese: {chinese:?} }};")
}

fn structure(out: &mut String, row: &Row) -> std::fmt::Result {
    let Row { name, english, singular, chinese } = row;
    let counted = !singular.is_empty();
    let names: Vec<&str> = parts(english).into_iter().collect();
    let borrows = names.iter().any(|name| !counted || *name != "n");
    let (own, any) = if borrows { ("<'p>", "<'_>") } else { ("", "") };
    writeln!(out, "pub struct {name}{own} {{")?;
    for part in &names {
        let kind = if counted && *part == "n" { "u64" } else { "&'p dyn Display" };
        writeln!(out, "    pub {part}: {kind},")?;
    }
    writeln!(out, "}}\nimpl Parts for {name}{any} {{\n    fn filled(&self, lang: Lang) -> String {{")?;
    writeln!(out, "        let Self {{ {} }} = self;", names.join(", "))?;
    if counted {
        writeln!(out, "        let (one, n) = (*n == 1, number(*n));")?;
    }
    writeln!(out, "        match lang {{")?;
    if counted {
        writeln!(out, "            Lang::En if one => {},", formatted(singular))?;
    }
    writeln!(out, "            Lang::En => {},", formatted(english))?;
    writeln!(out, "            Lang::Zh => {},", formatted(chinese))?;
    writeln!(out, "        }}\n    }}\n}}")
}

fn formatted(phrase: &str) -> String {
    if parts(phrase).is_empty() { format!("{phrase:?}.to_owned()") } else { format!("format!({phrase:?})") }
}
