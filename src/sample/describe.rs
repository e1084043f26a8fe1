//! The page next to a sample: its content, the replaced names, and what to check before it is published.

use std::fmt::Write;

use super::result::{NAME, Sample};

/// Writes the page in Markdown.
pub fn readme(sample: &Sample, rule: &str) -> String {
    let mut page = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut page, sample, rule);
    page
}

fn write(page: &mut String, sample: &Sample, rule: &str) -> std::fmt::Result {
    let notes = &sample.notes;
    let bytes: usize = sample.files.iter().map(|file| file.rendered().len()).sum();
    writeln!(page, "# A sample for `{rule}`\n")?;
    writeln!(
        page,
        "A support bundle, reduced by gleaner {} to what the rule needs to fire: {} files, {bytes} bytes. `{NAME}/` is the bundle, \
         `rules/` the rule, and `{}` its test.\n",
        env!("CARGO_PKG_VERSION"),
        sample.files.len(),
        sample.test.path
    )?;
    writeln!(page, "```sh\ngleaner analyze {NAME} --rules . --only {rule}\ngleaner rules test .\n```\n")?;
    writeln!(page, "## Before you publish it\n")?;
    writeln!(
        page,
        "Read every file. gleaner recognises names by their form and by the objects that have them; it cannot recognise other \
         words that identify the cluster's owner.\n"
    )?;
    let counted: Vec<String> =
        notes.replaced.iter().map(|(kind, count)| format!("{count} {}", kind_name(kind))).collect();
    match counted.as_slice() {
        [] => writeln!(page, "- No name had to be replaced.")?,
        counted => writeln!(page, "- Replaced, each with the same example everywhere: {}.", counted.join(", "))?,
    }
    writeln!(page, "- Values of secret keys, and private keys, are replaced with `***`.")?;
    for (what, values) in [
        ("Kept because the rule does not fire without them", &notes.needed),
        ("Kept because of `--keep`", &notes.kept),
        ("Not checked, because they are packed data or certificates; check them yourself", &notes.opaque),
    ] {
        if !values.is_empty() {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            writeln!(page, "- {what}: {}.", values.join(", "))?;
        }
    }
    if notes.cut_short {
        writeln!(
            page,
            "- The search ended at its limit of {} runs: the sample may contain parts that the rule does not need.",
            notes.runs
        )?;
    }
    Ok(())
}

fn kind_name(kind: &str) -> String {
    match kind {
        "dns" => "domain names".to_owned(),
        "host" => "host names".to_owned(),
        "ip" => "addresses".to_owned(),
        "mac" => "hardware addresses".to_owned(),
        "mail" => "e-mail addresses".to_owned(),
        "uid" => "UIDs".to_owned(),
        other => format!("names of kind {other}"),
    }
}
