//! A file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Templates write in pieces of a few bytes.
pub const BUFFER: usize = 64 * 1024;

/// A file on its way to its place; removed again unless finished.
pub struct Place {
    file: BufWriter<File>,
    /// Where it is written and where it belongs; none when it is written in place (a device, a pipe).
    moving: Option<(PathBuf, PathBuf)>,
}

impl Place {
    /// Begins to write; nothing is seen at `path` yet. Makes the folder.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let file = fs::OpenOptions::new().write(true).open(path)?;
            return Ok(Self { file: BufWriter::with_capacity(BUFFER, file), moving: None });
        }
        // A link keeps pointing to its file; the file is what changes.
        let goal = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = goal.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let (file, temporary) = create_beside(&goal, folder)?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), moving: Some((temporary, goal)) })
    }

    /// Where the text goes.
    pub fn writer(&mut self) -> &mut dyn Write {
        &mut self.file
    }

    /// The file itself, for what writes no stream; nothing may have been written before.
    ///
    /// # Errors
    /// Those of the file system.
    #[cfg(feature = "parquet")]
    pub fn file(&mut self) -> io::Result<File> {
        self.file.get_ref().try_clone()
    }

    /// Puts the whole file in its place.
    ///
    /// # Errors
    /// Those of the file system; then nothing of it is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((temporary, goal)) = &self.moving {
            fs::rename(temporary, goal)?;
        }
        self.moving = None;
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.moving {
            // Nothing is left to tell: the reason why it was not finished is on its way to the user.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Whether a file is one that somebody began to write, by its name: whoever is stopped in the middle cannot remove it.
pub fn is_unfinished(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.') && name.ends_with(".tmp"))
}

/// A new file in the same folder, so that moving it cannot cross file systems.
fn create_beside(goal: &Path, folder: &Path) -> io::Result<(File, PathBuf)> {
    const TRIES: u32 = 100;
    let name = goal.file_name().unwrap_or_default().to_string_lossy();
    // File names end at 255 bytes on common file systems.
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
        let mut place = Place::open(path).unwrap();
        place.writer().write_all(text.as_bytes()).unwrap();
        place.finish().unwrap();
    }

    #[test]
    fn names_in_use_are_avoided() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.html");
        let (first, second) = (Place::open(&path).unwrap(), Place::open(&path).unwrap());
        assert!(fs::read_dir(folder.path()).unwrap().all(|entry| is_unfinished(&entry.unwrap().path())));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        drop((first, second));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn long_names_fit() {
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
