//! Destinations of reports: [`OutputPlan`] turns `-o` and `--format` into [`Output`]s before anything is read, and
//! [`Output::write`] writes one of them. A file appears complete or not at all.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::inputs::{InputError, Inputs};
use crate::atomic_file::{AtomicFile, BUFFER};
use crate::model::clean;
use crate::report::{Format, RenderError};

/// Value of `-o`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `-`.
    Stdout,
    /// Path that ends with a separator, or existing folder.
    Folder(PathBuf),
    File(PathBuf),
}

impl Target {
    /// Parses the value of `-o`.
    pub fn parse(value: &OsStr) -> Self {
        let bytes = value.as_encoded_bytes();
        let separated = bytes.last().is_some_and(|b| std::path::is_separator(char::from(*b)));
        match value {
            v if v == "-" => Self::Stdout,
            v if separated || Path::new(v).is_dir() => Self::Folder(v.into()),
            v => Self::File(v.into()),
        }
    }
}

/// One report to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub format: Format,
    /// None means standard output.
    pub path: Option<PathBuf>,
}

/// Result of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Whole,
    /// The reader closed standard output; this is no error.
    Closed,
}

/// Reason why reports cannot be written; the user can always fix it.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("cannot derive a format from the name `{}`: end it in {}, or give one --format", .0.display(), named(Format::extension, "."))]
    UnknownFormat(PathBuf),
    #[error("the name `{}` means {}, but --format says otherwise; leave out one of them", .path.display(), .format.as_str())]
    Contradiction { path: PathBuf, format: Format },
    #[error("--format {} has no output: add `-o FILE.{}`, or `-o DIR/` for all formats", .0.as_str(), .0.extension())]
    UnusedFormat(Format),
    #[error(
        "standard output takes exactly one report: give `-o -` once, with one --format ({})",
        named(Format::as_str, "")
    )]
    Stdout,
    #[error("{0} bundles cannot share the output `{1}`: give a folder, `-o DIR/`")]
    Shared(usize, String),
    #[error("`{}` contains {count} bundles, which cannot share the output `{target}`: give a folder, `-o DIR/`", .pack.display())]
    Pack { pack: PathBuf, count: usize, target: String },
    #[error("two reports would be written to `{}`", .0.display())]
    Twice(PathBuf),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("standard output is closed, so `-o -` writes nothing; give a file")]
    NoStdout,
    #[error("cannot write `{}`: folder `{}` does not exist; create it first, or correct the path", .path.display(), .folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("`{}` is a file, not a folder; remove the trailing `/`, or give another name", .0.display())]
    NotAFolder(PathBuf),
    #[error("`{}` is a folder; give the name of a file in it", .0.display())]
    IsFolder(PathBuf),
    #[error("`{}` is read-only; make it writable, or give another name", .0.display())]
    ReadOnly(PathBuf),
    #[error("cannot write `{}`: {error}; {}", .path.display(), advice(.error))]
    Write { path: PathBuf, error: io::Error },
    #[error("cannot write to standard output")]
    WriteStdout(#[source] io::Error),
    #[error("cannot make the {} report", .format.as_str())]
    Render { format: Format, source: RenderError },
}

/// Returns all formats as `.html, .json or .txt`.
fn named(name: fn(Format) -> &'static str, before: &str) -> String {
    let mut names = Format::ALL.map(|format| format!("{before}{}", name(format))).to_vec();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

/// Reports to write for each bundle.
#[derive(Debug)]
pub struct OutputPlan {
    bundles: Vec<PathBuf>,
    targets: Vec<Target>,
    formats: Vec<Format>,
    names: ReportNames,
    inputs: Inputs,
    outputs: Vec<Vec<Output>>,
}

impl OutputPlan {
    /// Checks all outputs before anything is read; creates nothing.
    ///
    /// # Errors
    /// Fails when formats and names contradict each other, when two reports, or a report and an input, would share a file,
    /// and when the folder of a file does not exist. `inputs` are those beside the bundles.
    pub fn new(
        bundles: &[PathBuf],
        mut inputs: Inputs,
        mut targets: Vec<Target>,
        formats: &[Format],
    ) -> Result<Self, OutputError> {
        inputs.add_all("the bundle", bundles);
        if targets.is_empty() {
            targets.push(Target::Folder(PathBuf::new()));
        }
        let (bundles, formats, names) = (bundles.to_vec(), formats.to_vec(), ReportNames::default());
        let mut plan = Self { bundles, targets, formats, names, inputs, outputs: Vec::new() };
        plan.outputs = plan.outputs_for(&plan.bundles.clone())?;
        plan.check(&plan.outputs)?;
        Ok(plan)
    }

    /// Returns the reports of the bundle with this index on the command line.
    pub fn outputs(&self, index: usize) -> &[Output] {
        self.outputs.get(index).map_or(&[], Vec::as_slice)
    }

    /// Returns the reports of each bundle found inside `pack`, by path; no name is used twice.
    ///
    /// # Errors
    /// Fails when the bundles cannot share an output, and as [`OutputPlan::new`].
    pub fn split(&mut self, pack: &Path, bundles: &[PathBuf]) -> Result<Vec<Vec<Output>>, OutputError> {
        let outputs = self.outputs_for(bundles).map_err(|error| match error {
            OutputError::Shared(count, target) => OutputError::Pack { pack: pack.to_owned(), count, target },
            error => error,
        })?;
        self.check(&outputs)?;
        Ok(outputs)
    }

    fn check(&self, all: &[Vec<Output>]) -> Result<(), OutputError> {
        let mut seen = BTreeSet::new();
        for output in all.iter().flatten() {
            if !seen.insert(output.path.as_deref().map(real)) {
                return Err(output.path.clone().map_or(OutputError::Stdout, OutputError::Twice));
            }
            output.path.as_ref().map_or(Ok(()), |path| self.inputs.check(path))?;
        }
        match self.formats.iter().find(|f| !all.iter().flatten().any(|o| o.format == **f)) {
            Some(format) if !self.bundles.is_empty() => Err(OutputError::UnusedFormat(*format)),
            _ => Ok(()),
        }
    }

    /// Returns the reports of each bundle, in order.
    fn outputs_for(&mut self, bundles: &[PathBuf]) -> Result<Vec<Vec<Output>>, OutputError> {
        let mut all = Vec::with_capacity(bundles.len());
        for bundle in bundles {
            let name = self.names.unique(bundle);
            let mut outputs = Vec::new();
            for target in &self.targets {
                outputs.extend(outputs_of(target, &name, bundles.len(), &self.formats)?);
            }
            all.push(outputs);
        }
        Ok(all)
    }
}

fn outputs_of(target: &Target, bundle: &str, bundles: usize, formats: &[Format]) -> Result<Vec<Output>, OutputError> {
    match target {
        Target::Folder(folder) => {
            check_no_file(folder)?;
            let formats = if formats.is_empty() { &[Format::Html] } else { formats };
            let formats: BTreeSet<Format> = formats.iter().copied().collect();
            let path = |f: Format| folder.join(format!("{bundle}.gleaner.{}", f.extension()));
            Ok(formats.into_iter().map(|format| Output { format, path: Some(path(format)) }).collect())
        }
        Target::Stdout if bundles > 1 => Err(OutputError::Shared(bundles, "standard output".into())),
        Target::Stdout => match formats {
            [format] => Ok(vec![Output { format: *format, path: None }]),
            _ => Err(OutputError::Stdout),
        },
        Target::File(path) if bundles > 1 => Err(OutputError::Shared(bundles, path.display().to_string())),
        Target::File(path) => {
            check_file(path)?;
            Ok(vec![Output { format: file_format(path, formats)?, path: Some(path.clone()) }])
        }
    }
}

/// Returns the file that a path leads to: through links, and in the spelling of the file system.
fn real(path: &Path) -> PathBuf {
    let in_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// Fails if the folder is a file.
fn check_no_file(folder: &Path) -> Result<(), OutputError> {
    // With a trailing separator, `is_file` would be false.
    let bare: PathBuf = folder.components().collect();
    if bare.is_file() { Err(OutputError::NotAFolder(folder.to_owned())) } else { Ok(()) }
}

/// Advice for an error of the file system.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or choose another location with -o"
        }
        _ => "choose a writable location with -o",
    }
}

/// Fails if the folder of a file does not exist, which is usually a typing error (`-o DIR/` creates one), if the file is a folder,
/// and if someone made it read-only, which replacing it would ignore.
pub fn check_file(path: &Path) -> Result<(), OutputError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(OutputError::IsFolder(path.to_owned())),
        Ok(found) if found.is_file() && found.permissions().readonly() => {
            return Err(OutputError::ReadOnly(path.to_owned()));
        }
        _ => {}
    }
    match path.parent().filter(|f| !f.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            Err(OutputError::NoFolder { path: path.to_owned(), folder: folder.to_owned() })
        }
        _ => Ok(()),
    }
}

fn file_format(path: &Path, formats: &[Format]) -> Result<Format, OutputError> {
    match (Format::from_path(path), formats) {
        (Some(format), []) => Ok(format),
        (Some(format), formats) if formats.contains(&format) => Ok(format),
        (Some(format), _) => Err(OutputError::Contradiction { path: path.to_owned(), format }),
        (None, [format]) => Ok(*format),
        (None, _) => Err(OutputError::UnknownFormat(path.to_owned())),
    }
}

/// Unique names of bundles: the file name without extension, numbered if it is taken.
#[derive(Debug, Default)]
struct ReportNames {
    /// In small letters, because some file systems take capitals for the same.
    taken: BTreeSet<String>,
}

impl ReportNames {
    fn unique(&mut self, bundle: &Path) -> String {
        let stem = short(&printable(&stem(bundle)));
        let numbered = (2_u64..).map(|n| format!("{stem}-{n}"));
        let free =
            std::iter::once(stem.clone()).chain(numbered).find(|name| !self.taken.contains(&name.to_lowercase()));
        let name = free.unwrap_or(stem);
        self.taken.insert(name.to_lowercase());
        name
    }
}

/// Returns a name whose control characters, direction marks and invisible characters are written as `U+202E`.
fn printable(name: &str) -> String {
    let shown = |c: char| match c {
        c if clean::is_hidden(c) || c.is_control() => format!("U+{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    name.chars().map(shown).collect()
}

/// Returns a name that leaves room for a number and an ending within the 255 bytes of common file systems. A long one ends in a
/// hash of the whole.
fn short(name: &str) -> String {
    const LONGEST: usize = 200;
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let hash: String = Sha256::digest(name).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let end = name.floor_char_boundary(LONGEST - hash.len() - 1);
    format!("{}-{hash}", name.get(..end).unwrap_or_default())
}

/// Returns the file name without extensions of archives; resolves `.` and the like first.
fn stem(bundle: &Path) -> String {
    const ENDINGS: [&str; 10] =
        [".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tgz", ".txz", ".tzst", ".tbz2", ".tar", ".zip"];
    let resolved = || bundle.canonicalize().ok().and_then(|p| p.file_name().map(OsStr::to_owned));
    let name = bundle.file_name().map(OsStr::to_owned).or_else(resolved);
    let name = name.map_or_else(|| "bundle".to_owned(), |n| n.to_string_lossy().into_owned());
    let lower = name.to_ascii_lowercase();
    let ending = ENDINGS.iter().find(|e| lower.ends_with(*e) && lower.len() > e.len());
    ending.and_then(|e| name.get(..name.len() - e.len())).map_or(name.clone(), str::to_owned)
}

impl Output {
    /// Writes the report with `fill`, to `stdout` if there is no path. A file is written under a temporary name and renamed;
    /// after an error nothing of it is left.
    ///
    /// # Errors
    /// Fails when the file cannot be written, or the report cannot be made.
    pub fn write<F>(&self, stdout: &mut dyn Write, fill: F) -> Result<Written, OutputError>
    where
        F: FnOnce(&mut dyn Write) -> Result<(), RenderError>,
    {
        let Some(path) = &self.path else {
            return self.write_stdout(stdout, fill);
        };
        let failed = |error| OutputError::Write { path: path.clone(), error };
        let mut file = AtomicFile::create(path).map_err(failed)?;
        fill(file.writer()).map_err(|error| match error {
            RenderError::Write(source) => failed(source),
            source => OutputError::Render { format: self.format, source },
        })?;
        file.finish().map_err(failed)?;
        Ok(Written::Whole)
    }

    fn write_stdout<F>(&self, stdout: &mut dyn Write, fill: F) -> Result<Written, OutputError>
    where
        F: FnOnce(&mut dyn Write) -> Result<(), RenderError>,
    {
        let mut out = BufWriter::with_capacity(BUFFER, stdout);
        let result = fill(&mut out).and_then(|()| Ok(out.flush()?));
        // Dropping the writer would write the rest again after a failed flush.
        let _ = out.into_parts();
        match result {
            Ok(()) => Ok(Written::Whole),
            Err(RenderError::Write(e)) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Written::Closed),
            Err(RenderError::Write(e)) => Err(OutputError::WriteStdout(e)),
            Err(source) => Err(OutputError::Render { format: self.format, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(bundles: &[&str], targets: &[&str], formats: &[Format]) -> Result<Vec<Vec<String>>, String> {
        let bundles: Vec<PathBuf> = bundles.iter().map(PathBuf::from).collect();
        let targets: Vec<Target> = targets.iter().map(|t| Target::parse(OsStr::new(t))).collect();
        let name = |o: &Output| match &o.path {
            Some(path) => format!("{} {}", o.format.as_str(), path.display()),
            None => format!("{} -", o.format.as_str()),
        };
        let plan = OutputPlan::new(&bundles, Inputs::default(), targets, formats).map_err(|e| e.to_string())?;
        Ok(plan.outputs.iter().map(|outputs| outputs.iter().map(name).collect()).collect())
    }

    #[test]
    fn names_follow_the_table() {
        use Format::{Html, Json, Text};
        type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a [Format], &'a [&'a [&'a str]]);
        let cases: [Case<'_>; 11] = [
            (&["in/a.zip"], &[], &[], &[&["html a.gleaner.html"]]),
            (&["in/a.tar.gz"], &[], &[Json], &[&["json a.gleaner.json"]]),
            (&["in/a/"], &[], &[Text, Html, Text], &[&["html a.gleaner.html", "text a.gleaner.txt"]]),
            (&["a.zip"], &["r.html", "r.JSON"], &[], &[&["html r.html", "json r.JSON"]]),
            (&["a.zip"], &["-"], &[Json], &[&["json -"]]),
            (&["a.zip"], &["-", "r.html"], &[Html], &[&["html -", "html r.html"]]),
            (&["a.zip"], &["r.out"], &[Json], &[&["json r.out"]]),
            (&["a.zip"], &["out/"], &[], &[&["html out/a.gleaner.html"]]),
            (&["a.zip", "b"], &["out/"], &[Json], &[&["json out/a.gleaner.json"], &["json out/b.gleaner.json"]]),
            (&["a.zip", "x/a.tgz"], &[], &[], &[&["html a.gleaner.html"], &["html a-2.gleaner.html"]]),
            (&[".zip"], &[], &[], &[&["html .zip.gleaner.html"]]),
        ];
        for (bundles, targets, formats, expected) in cases {
            let planned = planned(bundles, targets, formats).unwrap();
            assert_eq!(planned, expected.to_vec(), "{bundles:?} {targets:?} {formats:?}");
        }
    }

    #[test]
    fn contradictions_are_reported() {
        use Format::{Html, Json};
        type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a [Format], &'a str);
        let cases: [Case<'_>; 9] = [
            (&["a.zip"], &["r.pdf"], &[], "end it in .html, .json, .md, .jira, .sarif, .xml or .txt"),
            (&["a.zip"], &["r"], &[Html, Json], "cannot derive a format"),
            (&["a.zip"], &["r.html"], &[Json], "--format says otherwise"),
            (&["a.zip"], &["r.html"], &[Html, Json], "--format json has no output"),
            (
                &["a.zip"],
                &["-"],
                &[],
                "exactly one report: give `-o -` once, with one --format (html, json, markdown, jira, sarif, junit or text)",
            ),
            (&["a.zip"], &["-", "-"], &[Json], "exactly one report"),
            (&["a.zip", "b.zip"], &["r.html"], &[], "2 bundles cannot share the output `r.html`"),
            (&["a.zip", "b.zip"], &["-"], &[Json], "2 bundles cannot share the output `standard output`"),
            (&["a.zip"], &["r.html", "r.html"], &[], "two reports would be written to `r.html`"),
        ];
        for (bundles, targets, formats, message) in cases {
            let error = planned(bundles, targets, formats).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn bundles_in_a_pack_get_names_of_their_own() {
        let pack = PathBuf::from("t.zip");
        let inside = ["t.zip!/x/a.zip", "t.zip!/y/a.tar.xz", "t.zip!/host-1"].map(PathBuf::from);
        let mut plan = OutputPlan::new(
            &[pack.clone(), "a.zip".into()],
            Inputs::default(),
            vec![Target::Folder("out".into())],
            &[],
        )
        .unwrap();
        let names: Vec<_> = plan.split(&pack, &inside).unwrap().concat().into_iter().filter_map(|o| o.path).collect();
        assert_eq!(
            names,
            ["out/a-2.gleaner.html", "out/a-3.gleaner.html", "out/host-1.gleaner.html"].map(PathBuf::from)
        );
        let mut plan =
            OutputPlan::new(std::slice::from_ref(&pack), Inputs::default(), vec![Target::File("r.html".into())], &[])
                .unwrap();
        let error = plan.split(&pack, &inside).unwrap_err().to_string();
        assert_eq!(
            error,
            "`t.zip` contains 3 bundles, which cannot share the output `r.html`: give a folder, `-o DIR/`"
        );
    }

    #[test]
    fn names_of_reports_fit_into_file_systems() {
        let mut names = ReportNames::default();
        let long = |end: &str| PathBuf::from(format!("in/{}{end}.zip", "卷".repeat(80)));
        let [first, second] = ["a", "b"].map(|end| names.unique(&long(end)));
        assert!(first != second && [&first, &second].iter().all(|name| name.len() <= 200), "{first} {second}");
        assert_eq!(names.unique(&PathBuf::from("x/A.zip")), "A");
        assert_eq!(names.unique(&PathBuf::from("y/a.zip")), "a-2");
        assert_eq!(names.unique(&PathBuf::from("a\u{202e}piz\n\u{1b}[2J.zip")), "aU+202EpizU+000AU+001B[2J");
    }

    #[test]
    fn folders_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Target::parse(folder.path().as_os_str()), Target::Folder(_)));
        assert!(matches!(Target::parse(OsStr::new("not-there/")), Target::Folder(_)));
        assert!(matches!(Target::parse(OsStr::new("not-there")), Target::File(_)));
    }

    #[test]
    fn a_file_is_rejected_as_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r.html");
        fs::write(&file, "x").unwrap();
        let target = Target::parse(OsStr::new(&format!("{}/", file.display())));
        let error = OutputPlan::new(&["a.zip".into()], Inputs::default(), vec![target], &[]);
        assert!(matches!(error, Err(OutputError::NotAFolder(_))), "{error:?}");
    }

    #[test]
    fn a_bundle_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let bundle = folder.path().join("a.html");
        fs::write(&bundle, "x").unwrap();
        let detour = folder.path().join(".").join("a.html");
        let plan = OutputPlan::new(&[bundle], Inputs::default(), vec![Target::File(detour)], &[]);
        assert!(matches!(plan, Err(OutputError::Input(InputError::Same { .. }))));
    }

    #[test]
    fn a_file_needs_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("not-there/r.html");
        let error = OutputPlan::new(&["a.zip".into()], Inputs::default(), vec![Target::File(path)], &[]);
        assert!(matches!(error, Err(OutputError::NoFolder { .. })));
    }

    fn output(path: &Path) -> Output {
        Output { format: Format::Html, path: Some(path.to_owned()) }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/r.html");
        let written = output(&path).write(&mut io::sink(), |out| Ok(out.write_all(b"new")?)).unwrap();
        assert_eq!(written, Written::Whole);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(&folder.path().join("new")), ["r.html"]);
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.html");
        fs::write(&path, "old").unwrap();
        let result = output(&path).write(&mut io::sink(), |out| {
            out.write_all(&vec![b'x'; 2 * BUFFER])?;
            assert_eq!(names(folder.path()).len(), 2, "the temporary file is next to the old one");
            Err(RenderError::Template("broken".into()))
        });
        assert!(matches!(result, Err(OutputError::Render { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["r.html"]);
    }

    #[test]
    fn an_error_names_the_path_that_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let result = output(&file.join("r.html")).write(&mut io::sink(), |_| Ok(()));
        assert!(matches!(result, Err(OutputError::Write { path, .. }) if path.ends_with("r.html")));
    }

    struct Refusing(io::ErrorKind);

    impl Write for Refusing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is() {
        let output = Output { format: Format::Json, path: None };
        let closed = output.write(&mut Refusing(io::ErrorKind::BrokenPipe), |out| Ok(out.write_all(b"x")?));
        assert_eq!(closed.unwrap(), Written::Closed);
        let full = output.write(&mut Refusing(io::ErrorKind::StorageFull), |out| Ok(out.write_all(b"x")?));
        assert!(matches!(full, Err(OutputError::WriteStdout(_))));
        let mut stdout = Vec::new();
        output.write(&mut stdout, |out| Ok(out.write_all(b"x")?)).unwrap();
        assert_eq!(stdout, b"x");
    }
}
