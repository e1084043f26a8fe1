//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Buffer size; templates write a few bytes at a time.
pub const BUFFER: usize = 64 * 1024;

/// File written under a temporary name; removed unless [`AtomicFile::finish`] gives it its own.
pub struct AtomicFile {
    file: BufWriter<File>,
    /// Temporary and final path; none for a device or a pipe, which is written directly.
    rename: Option<(PathBuf, PathBuf)>,
}

impl AtomicFile {
    /// Creates the temporary file, and its folder if needed; nothing appears at `path` yet.
    ///
    /// # Errors
    /// Fails when the file or its folder cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let file = fs::OpenOptions::new().write(true).open(path)?;
            return Ok(Self { file: BufWriter::with_capacity(BUFFER, file), rename: None });
        }
        // A link stays a link: the file that it points to is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let (file, temporary) = create_temporary(&target, folder)?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), rename: Some((temporary, target)) })
    }

    /// Returns the writer for the content.
    pub fn writer(&mut self) -> &mut dyn Write {
        &mut self.file
    }

    /// Returns the file itself for libraries that need one; nothing may have been written before.
    ///
    /// # Errors
    /// Fails when the file handle cannot be duplicated.
    #[cfg(feature = "parquet")]
    pub fn file(&mut self) -> io::Result<File> {
        self.file.get_ref().try_clone()
    }

    /// Renames the finished file to its final path.
    ///
    /// # Errors
    /// Fails when the rest cannot be written or the file cannot be renamed; the temporary file is removed.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((temporary, target)) = &self.rename {
            fs::rename(temporary, target)?;
        }
        self.rename = None;
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.rename {
            // The reason why the file was not finished is reported by the caller.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Returns true for names of temporary files: a process that was killed cannot remove its own.
pub fn is_unfinished(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.') && name.ends_with(".tmp"))
}

/// Creates a temporary file in the folder of the target, because a rename cannot cross file systems.
fn create_temporary(target: &Path, folder: &Path) -> io::Result<(File, PathBuf)> {
    const TRIES: u32 = 100;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // Common file systems allow 255 bytes per name.
    let name: String = name.chars().take(50).collect();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..TRIES {
        let temporary = folder.join(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match File::create_new(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        let mut file = AtomicFile::create(path).unwrap();
        file.writer().write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
    }

    #[test]
    fn temporary_names_do_not_collide() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.html");
        let (first, second) = (AtomicFile::create(&path).unwrap(), AtomicFile::create(&path).unwrap());
        assert!(fs::read_dir(folder.path()).unwrap().all(|entry| is_unfinished(&entry.unwrap().path())));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        drop((first, second));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn long_names_are_shortened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("{}.html", "n".repeat(250)));
        write(&path, "x");
        assert!(path.is_file());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("r.html"), folder.path().join("link.html"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new");
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), "x");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
