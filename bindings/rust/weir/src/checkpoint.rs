//! Folders that the newest positions are kept in.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use weir_sys as sys;

use crate::error::{call, owned, owned_text, Code, Result};
use crate::iterator::Iter;
use crate::runtime::Runtime;
use crate::tensor::string_of;

/// What a manager is made with. Each begins as its default.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ManagerOptions {
    keep: i32,
    rank: u32,
    world_size: u32,
    every_elements: i64,
    every: Duration,
}

impl ManagerOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many generations are kept. Default: 3.
    pub fn keep(mut self, count: i32) -> Self {
        self.keep = count;
        self
    }

    /// Whose generations these are. Default: 0.
    pub fn rank(mut self, rank: u32) -> Self {
        self.rank = rank;
        self
    }

    /// How many ranks there are, for jobs whose number of ranks may change. Default: each rank by itself.
    pub fn world_size(mut self, count: u32) -> Self {
        self.world_size = count;
        self
    }

    /// After how many elements [`CheckpointManager::step`] says that a save is due. Default: never.
    pub fn every_elements(mut self, count: i64) -> Self {
        self.every_elements = count;
        self
    }

    /// After how long it says so. Default: never.
    pub fn every(mut self, time: Duration) -> Self {
        self.every = time;
        self
    }
}

/// What a manager gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// The position, for [`IterOptions::checkpoint`](crate::IterOptions::checkpoint).
    pub position: Vec<u8>,
    /// What the program saved with it.
    pub extra: Vec<u8>,
    /// Its number.
    pub number: i64,
}

/// How far the ranks of a job with a world size have saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// The number of ranks of the newest group that was complete when the manager was created; 0 if there was none.
    pub saved: u32,
    /// Whether all ranks of this manager's group have saved.
    pub complete: bool,
}

/// Keeps the newest positions of a rank as files of a folder.
pub struct CheckpointManager {
    handle: sys::weir_checkpoint_manager,
    // One thread at a time may use a manager.
    not_sync: PhantomData<Cell<()>>,
}

impl CheckpointManager {
    /// A manager for a folder, which is made if it isn't there.
    pub fn new(runtime: &Runtime, folder: impl AsRef<Path>, options: ManagerOptions) -> Result<Self> {
        let folder = string_of(folder.as_ref().as_os_str().as_bytes());
        let mut raw = sys::weir_checkpoint_manager_options::INIT;
        raw.keep = options.keep;
        raw.rank = options.rank;
        raw.world_size = options.world_size;
        raw.every_elements = options.every_elements;
        raw.every_ns = i64::try_from(options.every.as_nanos()).unwrap_or(i64::MAX);
        let mut handle = sys::weir_checkpoint_manager::default();
        call(|error| unsafe {
            sys::weir_checkpoint_manager_create(runtime.raw(), folder.data, folder.size, &raw, &mut handle, error)
        })?;
        Ok(CheckpointManager {
            handle,
            not_sync: PhantomData,
        })
    }

    /// Publishes the iterator's position with bytes of the program's, such as the state of a model.
    pub fn save(&self, iterator: &Iter, extra: &[u8]) -> Result<()> {
        let (data, size) = (extra.as_ptr().cast(), extra.len() as u64);
        call(|error| unsafe { sys::weir_checkpoint_manager_save(self.handle, iterator.raw(), data, size, error) })?;
        Ok(())
    }

    /// Counts elements that were taken, and says whether a save is due.
    pub fn step(&self, elements: i64) -> Result<bool> {
        let mut due = 0;
        call(|error| unsafe { sys::weir_checkpoint_manager_step(self.handle, elements, &mut due, error) })?;
        Ok(due != 0)
    }

    /// The newest valid generation; `None` if there is none at all, which is how a first run begins.
    pub fn load(&self) -> Result<Option<Generation>> {
        match self.load_of(sys::WEIR_OWN_RANK.into()) {
            Err(error) if error.code() == Code::NotFound => Ok(None),
            loaded => loaded.map(Some),
        }
    }

    /// That of a rank of the newest complete group.
    pub fn load_rank(&self, rank: u32) -> Result<Generation> {
        self.load_of(rank.into())
    }

    fn load_of(&self, rank: i64) -> Result<Generation> {
        let (mut position, mut extra) = (sys::weir_bytes::INIT, sys::weir_bytes::INIT);
        let mut number = 0;
        call(|error| unsafe {
            sys::weir_checkpoint_manager_load(self.handle, rank, &mut position, &mut extra, &mut number, error)
        })?;
        Ok(Generation {
            position: owned(position),
            extra: owned(extra),
            number,
        })
    }

    /// How far the ranks have saved. An error without a world size.
    pub fn ranks(&self) -> Result<Ranks> {
        let (mut saved, mut complete) = (0, 0);
        call(|error| unsafe { sys::weir_checkpoint_manager_ranks(self.handle, &mut saved, &mut complete, error) })?;
        Ok(Ranks {
            saved,
            complete: complete != 0,
        })
    }
}

/// Describes a checkpoint's file as JSON, or, with `folder`, all generations in one.
pub fn describe_checkpoint(runtime: &Runtime, name: impl AsRef<Path>, folder: bool) -> Result<String> {
    let name = string_of(name.as_ref().as_os_str().as_bytes());
    let flags = if folder { sys::WEIR_DESCRIBE_FOLDER } else { 0 };
    let mut out = sys::weir_bytes::INIT;
    call(|error| unsafe {
        sys::weir_checkpoint_describe(runtime.raw(), name.data, name.size, flags, &mut out, error)
    })?;
    Ok(owned_text(out))
}

impl Drop for CheckpointManager {
    fn drop(&mut self) {
        unsafe { sys::weir_checkpoint_manager_destroy(self.handle) }
    }
}

impl fmt::Debug for CheckpointManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckpointManager")
    }
}
