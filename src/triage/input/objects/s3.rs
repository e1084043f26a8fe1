//! S3 with crate `object_store`: credentials, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID`,
//! `AWS_REGION`, `AWS_ENDPOINT`, ...) or from the role of the machine.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use futures_util::StreamExt;
use jiff::Timestamp;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio::runtime::{Builder, Runtime};

use super::object::{Object, ObjectError, SCHEME};

/// Bytes read to recognise an archive; enough for tar.
const BEGINNING: u64 = 4096;

/// Bucket and key of an address.
struct ObjectLocation {
    store: AmazonS3,
    key: Key,
    runtime: Runtime,
}

impl ObjectLocation {
    fn parse(address: &str) -> Result<Self, ObjectError> {
        let rest = address.strip_prefix(SCHEME).unwrap_or(address);
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(ObjectError::Address(address.to_owned()));
        }
        let store = AmazonS3Builder::from_env().with_bucket_name(bucket).build()?;
        let key = Key::parse(key.trim_end_matches('/')).map_err(object_store::Error::from)?;
        Ok(Self { store, key, runtime: Builder::new_current_thread().enable_all().build()? })
    }
}

/// Lists all objects below an address, or the one object with that address, sorted by key.
///
/// # Errors
/// Fails when the address is invalid, or the store returns an error.
pub fn list(address: &str) -> Result<Vec<Object>, ObjectError> {
    let location = ObjectLocation::parse(address)?;
    location.runtime.block_on(async {
        if !location.key.as_ref().is_empty() && !address.ends_with('/') {
            match location.store.head(&location.key).await {
                Ok(meta) => return Ok(vec![object(meta)]),
                Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut objects = Vec::new();
        let mut metas = location.store.list(Some(&location.key));
        while let Some(meta) = metas.next().await {
            objects.push(object(meta?));
        }
        objects.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(objects)
    })
}

fn object(meta: ObjectMeta) -> Object {
    Object {
        key: meta.location.to_string(),
        size: meta.size,
        mtime: time(meta.last_modified.timestamp(), meta.last_modified.timestamp_subsec_nanos()),
        tag: meta.e_tag.unwrap_or_default(),
    }
}

/// Formats a time like that of a file.
fn time(seconds: i64, nanoseconds: u32) -> String {
    let nanoseconds = i32::try_from(nanoseconds).unwrap_or_default();
    Timestamp::new(seconds, nanoseconds).map(|time| format!("{time:.9}")).unwrap_or_default()
}

/// Reads the first bytes of an object of `size` bytes.
///
/// # Errors
/// Fails when the store returns an error.
pub fn beginning(address: &str, size: u64) -> Result<Vec<u8>, ObjectError> {
    if size == 0 {
        return Ok(Vec::new());
    }
    let location = ObjectLocation::parse(address)?;
    let bytes = location.runtime.block_on(location.store.get_range(&location.key, 0..size.min(BEGINNING)))?;
    Ok(bytes.to_vec())
}

/// Downloads an object to a folder, under its own name, and returns its path.
///
/// # Errors
/// Fails when the store returns an error, or the disk is full.
pub fn fetch(address: &str, folder: &Path) -> Result<PathBuf, ObjectError> {
    let location = ObjectLocation::parse(address)?;
    let path = folder.join(location.key.filename().unwrap_or("object"));
    let mut file = BufWriter::new(File::create(&path)?);
    location.runtime.block_on(async {
        let mut pieces = location.store.get(&location.key).await?.into_stream();
        while let Some(piece) = pieces.next().await {
            file.write_all(&piece?)?;
        }
        file.flush()?;
        Ok(path)
    })
}
