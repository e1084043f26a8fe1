//! Part of an archive for one of several machines: [`Shard`].

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// Shard `index` of `count`; the path of a file below its input decides which shard it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: NonZeroU32,
}

/// Error in a shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    #[error("`{0}` is not a shard; write K/N with K from 0 to N-1, such as 0/4")]
    Form(String),
    #[error("there is no shard {index}/{count}; shards are 0/{count} to {}/{count}", .count - 1)]
    Beyond { index: u32, count: u32 },
    #[error("{name} is `{value}`, which is not a number")]
    Number { name: &'static str, value: String },
    #[error("{0} is set, but {1}, the number of shards, is not")]
    NoCount(&'static str, &'static str),
}

impl Default for Shard {
    fn default() -> Self {
        Self { index: 0, count: NonZeroU32::MIN }
    }
}

impl Shard {
    /// Creates shard `index` of `count`.
    ///
    /// # Errors
    /// Fails unless `index` is less than `count`.
    pub fn new(index: u32, count: u32) -> Result<Self, ShardError> {
        match NonZeroU32::new(count) {
            Some(count) if index < count.get() => Ok(Self { index, count }),
            Some(count) => Err(ShardError::Beyond { index, count: count.get() }),
            None => Err(ShardError::Form(format!("{index}/{count}"))),
        }
    }

    /// Returns the shard that a job scheduler assigned: an indexed Job of Kubernetes (`JOB_COMPLETION_INDEX` of
    /// `GLEANER_SHARDS`), or a job array of Slurm (`SLURM_ARRAY_TASK_ID`, counted from `_MIN`, of `_COUNT`).
    ///
    /// # Errors
    /// Fails when the variables make no valid shard.
    pub fn of_environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, ShardError> {
        let number = |name: &'static str| {
            let value = variable(name).filter(|value| !value.is_empty());
            let parse = |value: String| value.trim().parse().map_err(|_| ShardError::Number { name, value });
            value.map(parse).transpose()
        };
        if let Some(count) = number("GLEANER_SHARDS")? {
            return number("JOB_COMPLETION_INDEX")?.map(|index: u32| Self::new(index, count)).transpose();
        }
        let Some(id) = number("SLURM_ARRAY_TASK_ID")? else { return Ok(None) };
        let count = number("SLURM_ARRAY_TASK_COUNT")?;
        let count = count.ok_or(ShardError::NoCount("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"))?;
        let least = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
        Self::new(id.saturating_sub(least), count).map(Some)
    }

    /// Returns true if the file with this path below the input belongs to the shard.
    pub fn has(&self, path: &str) -> bool {
        let digest = Sha256::digest(path.as_bytes());
        let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(self.count.get()) == u64::from(self.index)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let form = || ShardError::Form(text.to_owned());
        let (index, count) = text.split_once('/').ok_or_else(form)?;
        let number = |text: &str| text.parse().map_err(|_| form());
        Self::new(number(index)?, number(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_in_one_shard() {
        for count in [1, 3, 7] {
            let shards: Vec<Shard> = (0..count).map(|index| Shard::new(index, count).unwrap()).collect();
            let mut sizes = vec![0; shards.len()];
            for path in (0..700).map(|n| format!("t{n}/b.zip")) {
                let owners: Vec<usize> = (0..shards.len()).filter(|&n| shards[n].has(&path)).collect();
                assert_eq!(owners.len(), 1);
                sizes[owners[0]] += 1;
            }
            assert!(sizes.iter().all(|size| *size > 60), "{sizes:?}");
        }
    }

    #[test]
    fn the_shard_of_a_path_never_changes() {
        // Otherwise stores of several machines could not be merged.
        let owner = |path: &str| (0..7).find(|index| Shard::new(*index, 7).unwrap().has(path)).unwrap();
        assert_eq!(["a.zip", "2024/b.tar.gz", "x/y/z"].map(owner), [5, 4, 6]);
    }

    #[test]
    fn shards_are_parsed_and_checked() {
        assert_eq!("0/1".parse::<Shard>(), Ok(Shard::default()));
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        for wrong in ["", "1", "a/2", "1/b", "0/0", "-1/2", "3/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert_eq!("3/3".parse::<Shard>().unwrap_err().to_string(), "there is no shard 3/3; shards are 0/3 to 2/3");
    }

    #[test]
    fn job_schedulers_assign_the_shard() {
        let of = |set: &[(&str, &str)]| {
            let find = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            Shard::of_environment(&find).map(|shard| shard.map(|shard| shard.to_string()))
        };
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&[("JOB_COMPLETION_INDEX", "2"), ("GLEANER_SHARDS", "5")]), Ok(Some("2/5".into())));
        assert_eq!(of(&[("JOB_COMPLETION_INDEX", "2")]), Ok(None), "GLEANER_SHARDS is not set");
        let slurm = [("SLURM_ARRAY_TASK_ID", "11"), ("SLURM_ARRAY_TASK_MIN", "10"), ("SLURM_ARRAY_TASK_COUNT", "4")];
        assert_eq!(of(&slurm), Ok(Some("1/4".into())));
        assert!(of(&slurm[..1]).is_err());
        assert!(of(&[("JOB_COMPLETION_INDEX", "5"), ("GLEANER_SHARDS", "5")]).is_err());
        assert!(of(&[("GLEANER_SHARDS", "many")]).is_err());
    }
}
