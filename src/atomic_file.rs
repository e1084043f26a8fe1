//! Files that appear complete or not at all.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Buffer size; templates write a few bytes at a time.
pub const BUFFER: usize = 64 * 1024;

/// End of the names of temporary files.
const ENDING: &str = ".gleaner.tmp";

/// Folders in which this process removed the temporary files of killed ones.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// File written under a temporary name; removed unless [`AtomicFile::finish`] gives it its own.
pub struct AtomicFile {
    file: BufWriter<File>,
    /// Temporary and final path; none for a device or a pipe, which is written directly.
    rename: Option<(PathBuf, PathBuf)>,
}

impl AtomicFile {
    /// Creates the temporary file, and its folder if needed; nothing appears at `path` yet. Removes what killed processes left in
    /// that folder. A file that is replaced keeps its permissions.
    ///
    /// # Errors
    /// Fails when the file or its folder cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let file = fs::OpenOptions::new().write(true).open(path)?;
            return Ok(Self { file: BufWriter::with_capacity(BUFFER, file), rename: None });
        }
        // A link stays a link: the file that it points to is replaced, or created.
        let linked = || Some(path.parent()?.join(fs::read_link(path).ok()?));
        let target = path.canonicalize().ok().or_else(linked).unwrap_or_else(|| path.to_owned());
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        sweep(folder);
        let (file, temporary) = create_temporary(&target, folder)?;
        if let Ok(old) = fs::metadata(&target) {
            // Only their owner can set them; a file of another has those of a new one.
            let _ = file.set_permissions(old.permissions());
        }
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
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.') && name.ends_with(ENDING))
}

/// Removes temporary files whose process was killed, once for each folder. Whoever writes a temporary file holds its lock, and
/// the system releases the locks of a process that ends, on whichever machine it ran.
fn sweep(folder: &Path) {
    let Ok(folder) = folder.canonicalize() else { return };
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.clone()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_unfinished(&entry.path()) {
            remove_if_left(&entry.path());
        }
    }
}

/// Removes the file if no process holds its lock. Without locks, or without the permission, it stays.
fn remove_if_left(path: &Path) {
    if let Ok(file) = File::options().append(true).open(path)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

/// Takes the lock of a new temporary file. Returns false if another process took it for one that was left.
fn lock(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => path.exists(),
        Err(TryLockError::WouldBlock) => false,
        // This file system has no locks, so nobody removes the file.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Creates a temporary file in the folder of the target, because a rename cannot cross file systems.
fn create_temporary(target: &Path, folder: &Path) -> io::Result<(File, PathBuf)> {
    const TRIES: u32 = 100;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // Common file systems allow 255 bytes per name.
    let name = name.get(..name.floor_char_boundary(100)).unwrap_or_default();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..TRIES {
        let temporary = folder.join(format!(".{name}.{}-{attempt}{ENDING}", std::process::id()));
        match File::create_new(&temporary) {
            Ok(file) if lock(&file, &temporary) => return Ok((file, temporary)),
            Ok(_) => {}
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
    fn only_files_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".r.html.1-0.gleaner.tmp", ".r.html.1-0.tmp", "r.gleaner.tmp", ".other"] {
            fs::write(at(name), "left").unwrap();
        }
        fs::create_dir(at(".d.gleaner.tmp")).unwrap();
        fs::write(at(".alive.7-0.gleaner.tmp"), "").unwrap();
        let alive = File::open(at(".alive.7-0.gleaner.tmp")).unwrap();
        alive.try_lock().unwrap();
        write(&at("r.html"), "new");
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let kept = [".alive.7-0.gleaner.tmp", ".d.gleaner.tmp", ".other", ".r.html.1-0.tmp", "r.gleaner.tmp", "r.html"];
        assert_eq!(names, kept);
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.html");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write(&path, "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
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
        fs::remove_file(&file).unwrap();
        write(&link, "again");
        assert_eq!(fs::read_to_string(&file).unwrap(), "again");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), "x");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
