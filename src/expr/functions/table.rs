//! `table(text, tool)`: parses printed columns, one map per row.
//!
//! `df` (also `-h -i -P -T -k`): `filesystem type size used avail percent mount`, sizes in bytes or, for inodes, in
//! numbers. `ps` (`aux`, `-ef`, and any output with a header of words): its header in lower case, the last column takes
//! the rest of the line. `kubectl`: split at the columns of the header, because cells can be empty.

use crate::expr::eval::limits::MAX_ITEMS;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::functions::arguments::{check_one_of, text_arg};
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::model::message::{Names, WrongValue};
use crate::yaml::grid::{self, Header};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "table",
    parameters: &[
        Parameter::required("text", Takes::Text),
        Parameter::required("tool", Takes::Text).checked(check_tool),
    ],
    returns: Returns::Anything,
    doc: "rows of a table printed by [`df`, `ps` or `kubectl`](#tables-and-metrics)",
    run: table,
    options: STRICT.example("table(text, 'df')"),
}];

fn check_tool(tool: &str) -> Result<(), (String, Option<String>)> {
    check_one_of("table of", tool, &TOOLS)
}

/// Supported tools.
pub(in crate::expr) const TOOLS: [&str; 3] = ["df", "ps", "kubectl"];

/// Columns are searched in the first lines only: error messages may come before them.
const MAX_LEAD: usize = 100;

type Row = Vec<(Text<'static>, Value<'static>)>;

/// Returns a list of maps; lines that are not rows are left out.
pub(super) fn table<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let tool = text_arg(args, 1)?;
    let (how, read): (&'static str, fn(&str) -> Vec<Row>) = match tool {
        "df" => ("table df", disks),
        "ps" => ("table ps", processes),
        "kubectl" => ("table kubectl", cells),
        other => {
            let known = Box::new(Names::all(TOOLS));
            return Err(Stop::wrong(WrongValue::NoTable { of: other.to_owned(), known }));
        }
    };
    caller.world.decodings.get(how, text_arg(args, 0)?, |text| {
        let rows = read(text);
        if rows.len() > MAX_ITEMS {
            return Err(WrongValue::TableTooLong { most: MAX_ITEMS });
        }
        Ok(Value::list(rows.into_iter().map(|row| Value::Map(row.into())).collect()))
    })
}

fn cell(name: &'static str, value: Value<'static>) -> (Text<'static>, Value<'static>) {
    (Text::Borrowed(name), value)
}

/// Unit of the numbers of a `df`.
#[derive(Clone, Copy)]
enum Unit {
    /// Blocks of this size in bytes.
    Blocks(f64),
    /// Human form: units of 1024, or of 1000 with `-H`, which looks the same.
    Human,
    Inodes,
}

fn disks(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    let Some(header) = lines.by_ref().take(MAX_LEAD).find(|line| line.trim_start().starts_with("Filesystem")) else {
        return Vec::new();
    };
    let (unit, has_type) = (unit_of(header), header.split_whitespace().nth(1) == Some("Type"));
    let mut rows = Vec::new();
    let mut held = String::new();
    for line in lines {
        // Without -P a long name is on a line of its own.
        let whole = if held.is_empty() { line.to_owned() } else { format!("{held} {line}") };
        match disk(&whole, unit, has_type) {
            Some(row) => {
                rows.push(row);
                held.clear();
            }
            None => held = if line.split_whitespace().count() == 1 { line.to_owned() } else { String::new() },
        }
    }
    rows
}

fn unit_of(header: &str) -> Unit {
    if header.contains("Inodes") {
        return Unit::Inodes;
    }
    let size = header.split_whitespace().find_map(|word| word.strip_suffix("-blocks"));
    match size {
        Some(size) => {
            Unit::Blocks(crate::model::measure::quantity(&size.replace('K', "Ki").replace('M', "Mi")).unwrap_or(1024.0))
        }
        None => Unit::Human,
    }
}

fn disk(line: &str, unit: Unit, has_type: bool) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // The percentage locates the numbers, even if names around them contain blanks.
    let at = (4..words.len().checked_sub(1)?).find(|&at| is_percent(&words, at))?;
    let before = at.checked_sub(3)?;
    let names = words.get(..before)?;
    let (type_, names) =
        if has_type { names.split_last().map(|(last, rest)| (Some(*last), rest))? } else { (None, names) };
    let amount = |at: usize| words.get(at).map_or(Value::Null, |word| amount(word, unit));
    let mut row = vec![cell("filesystem", Value::text(&names.join(" ")))];
    if let Some(type_) = type_ {
        row.push(cell("type", Value::text(type_)));
    }
    row.extend([
        cell("size", amount(before)),
        cell("used", amount(before + 1)),
        cell("avail", amount(before + 2)),
        cell("percent", words.get(at)?.trim_end_matches('%').parse().map_or(Value::Null, Value::Int)),
        cell("mount", Value::text(&words.get(at + 1..)?.join(" "))),
    ]);
    Some(row)
}

/// Recognises `40%`, or `-` without any capacity, followed by an absolute path.
fn is_percent(words: &[&str], at: usize) -> bool {
    let is_share = |word: &str| {
        word == "-" || word.strip_suffix('%').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    words.get(at).is_some_and(|word| is_share(word)) && words.get(at + 1).is_some_and(|word| word.starts_with('/'))
}

fn amount(word: &str, unit: Unit) -> Value<'static> {
    let number = |factor: f64| word.parse::<f64>().ok().map(|n| n * factor);
    let value = match unit {
        Unit::Blocks(size) => number(size),
        Unit::Inodes | Unit::Human => number(1.0).or_else(|| human(word)),
    };
    value.map_or(Value::Null, crate::expr::eval::arithmetic::number)
}

/// Parses `4.0K`, `1.5G`: units of 1024.
fn human(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = "KMGTPE".find(word.get(digits.len()..)?.chars().next()?)?;
    Some(digits.parse::<f64>().ok()? * 1024_f64.powi(power as i32 + 1))
}

fn processes(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    let is_header = |line: &&str| line.split_whitespace().any(|word| word == "PID") && !line.contains('/');
    let Some(header) = lines.by_ref().take(MAX_LEAD).find(is_header) else { return Vec::new() };
    let names: Vec<Text<'static>> =
        header.split_whitespace().map(|name| Text::Shared(name.to_ascii_lowercase().into())).collect();
    lines.filter_map(|line| process(line, &names)).collect()
}

fn process(line: &str, names: &[Text<'static>]) -> Option<Row> {
    let mut rest = line.trim_start();
    let mut row = Vec::with_capacity(names.len());
    for (position, name) in names.iter().enumerate() {
        let is_last = position + 1 == names.len();
        let end = if is_last { rest.len() } else { rest.find(char::is_whitespace).unwrap_or(rest.len()) };
        let (word, behind) = rest.split_at(end);
        if word.is_empty() {
            return None;
        }
        row.push((name.clone(), if is_last { Value::text(word.trim_end()) } else { typed(word) }));
        rest = behind.trim_start();
    }
    Some(row)
}

/// Converts a word to a number if it is one.
fn typed(word: &str) -> Value<'static> {
    match word.parse::<i64>() {
        Ok(number) => Value::Int(number),
        Err(_) => match word.parse::<f64>() {
            Ok(number) if number.is_finite() && word.starts_with(|c: char| c.is_ascii_digit()) => Value::Double(number),
            _ => Value::text(word),
        },
    }
}

/// Returns the cells of a kubectl table by header, as text; `<none>` and empty cells are null.
fn cells(text: &str) -> Vec<Row> {
    let mut header: Option<(Header, Vec<Text<'static>>)> = None;
    let mut rows = Vec::new();
    for line in grid::lines(text) {
        if let Some(found) = Header::read(line) {
            let names = found.names().map(|name| Text::Shared(text.get(name).unwrap_or_default().into())).collect();
            header = Some((found, names));
        } else if let Some((header, names)) = header.as_ref().filter(|_| !line.text.trim().is_empty()) {
            let value = |cell| match text.get(cell).unwrap_or_default() {
                "<none>" | "<unset>" => Value::Null,
                text => Value::text(text),
            };
            let cells = header.cells(line);
            rows.extend(cells.map(|cells| names.iter().cloned().zip(cells.into_iter().map(value)).collect()));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rows: &[Row]) -> Vec<String> {
        let cell = |(name, value): &(Text<'_>, Value<'_>)| {
            format!(
                "{}={}",
                name.as_str(),
                crate::expr::eval::display::display(value).unwrap_or_else(|| "null".to_owned())
            )
        };
        rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn df_in_blocks_human_and_inodes() {
        let blocks = "df: /mnt/nfs: Stale file handle\nFilesystem     1024-blocks     Used Available Capacity Mounted on\n/dev/sda1   100 40 60 40% /\ntmpfs 8 0 8 0% /run/a b\n";
        assert_eq!(
            shown(&disks(blocks)),
            [
                "filesystem=/dev/sda1 size=102400 used=40960 avail=61440 percent=40 mount=/",
                "filesystem=tmpfs size=8192 used=0 avail=8192 percent=0 mount=/run/a b"
            ]
        );
        let human = "Filesystem Type Size Used Avail Use% Mounted on\n/dev/mapper/some-long-name\n          ext4 1.5G 512M 1.0G 34% /var\n";
        assert_eq!(
            shown(&disks(human)),
            [
                "filesystem=/dev/mapper/some-long-name type=ext4 size=1610612736 used=536870912 avail=1073741824 percent=34 mount=/var"
            ]
        );
        let inodes =
            "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sda1 1000 900 100 90% /\nefi 0 0 0 - /boot/efi\n";
        assert_eq!(
            shown(&disks(inodes)),
            [
                "filesystem=/dev/sda1 size=1000 used=900 avail=100 percent=90 mount=/",
                "filesystem=efi size=0 used=0 avail=0 percent=null mount=/boot/efi"
            ]
        );
    }

    #[test]
    fn other_texts_have_no_disks() {
        for text in ["", "command not found", "Filesystem\n", "Filesystem 1K-blocks\n/dev/sda1 x\n% / % /\n5% /a\n"] {
            assert!(disks(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn ps_keeps_the_command_whole() {
        let text =
            "USER  PID %CPU COMMAND\nroot    1  0.5 /sbin/init  splash\n_svc   22  0.0 \\_ [kworker/0:1]\nshort 1\n";
        assert_eq!(
            shown(&processes(text)),
            [
                "user=root pid=1 %cpu=0.5 command=/sbin/init  splash",
                "user=_svc pid=22 %cpu=0 command=\\_ [kworker/0:1]"
            ]
        );
    }

    #[test]
    fn kubectl_tables_are_cut_at_the_header() {
        let text = "Warning: old\nNAMESPACE   NAME   LAST SEEN   AGE\ndemo        ü-1    4m ago      <none>\n            b                  3d\nNAME   READY\nc      1/1\n";
        assert_eq!(
            shown(&cells(text)),
            [
                "NAMESPACE=demo NAME=ü-1 LAST SEEN=4m ago AGE=null",
                "NAMESPACE=null NAME=b LAST SEEN=null AGE=3d",
                "NAME=c READY=1/1"
            ]
        );
    }
}
