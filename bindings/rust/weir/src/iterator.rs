//! Positions in datasets.

use std::fmt;
use std::os::raw::c_void;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::io::RawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use weir_sys as sys;

use crate::argument::{with_raw, Argument, Handed};
use crate::dataset::Dataset;
use crate::dtype::Plain;
use crate::element::Element;
use crate::error::{bytes_of, call, expected_found, text_of, Result};
use crate::pipeline::Value;
use crate::runtime::Runtime;
use crate::spec::Spec;
use crate::tensor::string_of;

/// What saving does where elements cannot be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum CheckpointPolicy {
    /// The position is not saved.
    Refuse = sys::WEIR_CHECKPOINT_REFUSE,
    /// What was made and not delivered is saved by value.
    ByValue = sys::WEIR_CHECKPOINT_BY_VALUE,
    /// Elements are taken for ones that can be made again.
    Ignore = sys::WEIR_CHECKPOINT_IGNORE,
}

#[derive(Clone, Debug, Default)]
enum Start {
    #[default]
    Beginning,
    Checkpoint(Vec<u8>),
    File(PathBuf),
    Ranks(Vec<Vec<u8>>),
    Epoch(u64),
    Handle(String),
}

/// Where and how an iterator begins.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct IterOptions {
    params: Vec<(String, Argument)>,
    start: Start,
    rank: (u32, u32),
    policy: Option<CheckpointPolicy>,
    flags: u32,
}

impl IterOptions {
    /// At the beginning, without parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// A value for `param NAME: spec` of the document.
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let value = Argument(value.into().0.unwrap_or(Handed::text("")));
        self.params.push((name.into(), value));
        self
    }

    /// At a position that [`Iter::save`] gave. Of this, the file, the ranks and the epoch, the last one counts.
    pub fn checkpoint(mut self, position: impl Into<Vec<u8>>) -> Self {
        self.start = Start::Checkpoint(position.into());
        self
    }

    /// At a position that [`Iter::save_file`] or a [`CheckpointManager`](crate::CheckpointManager) wrote.
    pub fn checkpoint_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.start = Start::File(file.into());
        self
    }

    /// Where all ranks of another run stopped; another number of ranks only with `partition`.
    pub fn rank_checkpoints(mut self, positions: Vec<Vec<u8>>) -> Self {
        self.start = Start::Ranks(positions);
        self
    }

    /// How often the dataset was gone through before, so that shuffles have another order.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.start = Start::Epoch(epoch);
        self
    }

    /// For [`Iter::feedable`], and alone: takes from the iterator of this [`Iter::string_handle`].
    pub fn string_handle(mut self, handle: impl Into<String>) -> Self {
        self.start = Start::Handle(handle.into());
        self
    }

    /// The rank and the number of ranks, for `shard(auto, auto)`. Default: what the environment says.
    pub fn rank(mut self, rank: u32, world_size: u32) -> Self {
        self.rank = (rank, world_size);
        self
    }

    /// What saving does where elements cannot be made again. Default: what the iterator had before, else `Refuse`.
    pub fn checkpoint_policy(mut self, policy: CheckpointPolicy) -> Self {
        self.policy = Some(policy);
        self
    }

    pub(crate) fn uninitialized() -> Self {
        IterOptions {
            flags: sys::WEIR_ITERATOR_UNINITIALIZED,
            ..Self::default()
        }
    }

    fn with<T>(&self, body: impl FnOnce(&sys::weir_iterator_options) -> T) -> T {
        let mut raw = sys::weir_iterator_options::INIT;
        let mut positions = Vec::new();
        raw.flags = self.flags;
        (raw.rank, raw.world_size) = self.rank;
        raw.checkpoint_policy = self.policy.map_or(0, |policy| policy as u32);
        match &self.start {
            Start::Beginning => {}
            Start::Epoch(epoch) => raw.epoch = *epoch,
            Start::Handle(handle) => {
                let handle = string_of(handle.as_bytes());
                (raw.string_handle, raw.string_handle_size) = (handle.data, handle.size);
            }
            Start::Checkpoint(position) => {
                raw.checkpoint = position.as_ptr().cast::<c_void>();
                raw.checkpoint_size = position.len() as u64;
            }
            Start::File(file) => {
                let file = string_of(file.as_os_str().as_bytes());
                (raw.checkpoint_file, raw.checkpoint_file_size) = (file.data, file.size);
            }
            Start::Ranks(ranks) => {
                positions.extend(ranks.iter().map(|position| string_of(position)));
                raw.rank_checkpoints = positions.as_ptr();
                raw.rank_checkpoint_count = positions.len() as u64;
            }
        }
        with_raw(&self.params, |params, count| {
            (raw.params, raw.param_count) = (params, count);
            body(&raw)
        })
    }
}

/// What a call that doesn't wait gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The element was filled.
    Filled,
    /// There are no more.
    End,
    /// There is none yet.
    Pending,
}

/// How [`Iter::stats`] says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum StatsFormat {
    /// For programs, as docs/json.md describes it.
    #[default]
    Json = 0,
    /// A table for a terminal, with a verdict in words.
    Text = sys::WEIR_TEXT,
    /// Prometheus' text exposition format.
    Prometheus = sys::WEIR_STATS_PROMETHEUS,
}

/// The memory of the program for one component, for [`Iter::next_copied`].
pub struct Buffer<'a> {
    raw: sys::weir_buffer,
    life: std::marker::PhantomData<&'a mut [u8]>,
}

impl<'a> Buffer<'a> {
    /// Room for the entries of one component, whose dtype must be that of `T`.
    pub fn new<T: Plain>(memory: &'a mut [T]) -> Self {
        let mut raw = sys::weir_buffer::INIT;
        raw.dtype = T::DTYPE as i32;
        raw.capacity = std::mem::size_of_val(memory) as u64;
        raw.data = memory.as_mut_ptr().cast();
        Buffer {
            raw,
            life: std::marker::PhantomData,
        }
    }

    /// How many bytes were written, or are needed if there were too few.
    pub fn used(&self) -> u64 {
        self.raw.used
    }
}

/// A position in a dataset.
///
/// As an [`Iterator`] it makes a new [`Element`] each time. [`Iter::next_into`] fills the same one again and again, which
/// is faster, and takes `&self`: several threads may share an iterator, and take turns. An error that isn't that of one
/// element ends the iteration.
pub struct Iter {
    handle: sys::weir_iterator,
    runtime: Runtime,
    ended: AtomicBool,
}

impl Iter {
    pub(crate) fn create(dataset: &Dataset, options: IterOptions) -> Result<Self> {
        let runtime = dataset.runtime();
        let mut out = sys::weir_iterator::default();
        options.with(|options| {
            call(|error| unsafe { sys::weir_iterator_create(runtime.raw(), dataset.raw(), options, &mut out, error) })
        })?;
        Ok(Self::adopt(runtime.clone(), out))
    }

    /// An iterator for any dataset whose elements have this structure; [`Iter::initialize_with`] begins one after another.
    pub fn from_spec(runtime: &Runtime, spec: &Spec) -> Result<Self> {
        Self::of_structure(runtime, spec, &IterOptions::new())
    }

    /// An iterator that takes from the one that a [`Iter::string_handle`] names, which keeps its position, so training can
    /// pause for validation. [`IterOptions::string_handle`] names another one for [`Iter::initialize`].
    pub fn feedable(runtime: &Runtime, spec: &Spec, handle: &str) -> Result<Self> {
        Self::of_structure(runtime, spec, &IterOptions::new().string_handle(handle))
    }

    fn of_structure(runtime: &Runtime, spec: &Spec, options: &IterOptions) -> Result<Self> {
        let (none, mut out) = (sys::weir_dataset::default(), sys::weir_iterator::default());
        options.with(|options| {
            let mut options = *options;
            options.spec = spec.raw();
            call(|error| unsafe { sys::weir_iterator_create(runtime.raw(), none, &options, &mut out, error) })
        })?;
        Ok(Self::adopt(runtime.clone(), out))
    }

    /// Begins its dataset again, with other parameters, or at a checkpoint. If that fails, the old position still works.
    pub fn initialize(&self, options: IterOptions) -> Result<()> {
        self.begin(sys::weir_dataset::default(), options)
    }

    /// The same with another dataset of the same structure.
    pub fn initialize_with(&self, dataset: &Dataset, options: IterOptions) -> Result<()> {
        self.begin(dataset.raw(), options)
    }

    fn begin(&self, dataset: sys::weir_dataset, options: IterOptions) -> Result<()> {
        options.with(|options| {
            call(|error| unsafe { sys::weir_iterator_initialize(self.handle, dataset, options, error) })
        })?;
        self.ended.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Fills `element` with the next element; `false` at the end. After an error of one element, the next call continues.
    #[inline]
    pub fn next_into(&self, element: &mut Element) -> Result<bool> {
        let raw = element.raw();
        call(|error| unsafe { sys::weir_iterator_next(self.handle, raw, error) }).map(|result| result == sys::WEIR_OK)
    }

    /// The same without waiting for other threads.
    pub fn try_next_into(&self, element: &mut Element) -> Result<Next> {
        let raw = element.raw();
        call(|error| unsafe { sys::weir_iterator_try_next(self.handle, raw, error) }).map(next_of)
    }

    /// The same, waiting for at most so long.
    pub fn next_within(&self, timeout: Duration, element: &mut Element) -> Result<Next> {
        let raw = element.raw();
        let timeout_ns = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        call(|error| unsafe { sys::weir_iterator_next_within(self.handle, timeout_ns, raw, error) }).map(next_of)
    }

    /// Fills `element` with up to `max_rows` elements at once, 1 to 1024: every component gets a new first dimension. Gives
    /// their number, 0 at the end.
    pub fn next_block(&self, max_rows: usize, element: &mut Element) -> Result<usize> {
        // The library has another meaning for some of the numbers beyond.
        if max_rows > 1024 {
            return Err(expected_found("max_rows from 1 to 1024", max_rows));
        }
        let (raw, most) = (element.raw(), max_rows as i64);
        let mut rows = 0;
        let result = call(|error| unsafe { sys::weir_iterator_next_block(self.handle, most, raw, &mut rows, error) })?;
        Ok(if result == sys::WEIR_OK { rows as usize } else { 0 })
    }

    /// Copies the next element into memory of the program: one buffer for each component. `false` at the end.
    pub fn next_copied(&self, buffers: &mut [Buffer<'_>]) -> Result<bool> {
        let mut raw: Vec<_> = buffers.iter().map(|buffer| buffer.raw).collect();
        let (list, count) = (raw.as_mut_ptr(), raw.len() as u64);
        let result = call(|error| unsafe { sys::weir_iterator_next_into(self.handle, list, count, error) });
        for (buffer, filled) in buffers.iter_mut().zip(raw) {
            buffer.raw.used = filled.used;
        }
        result.map(|result| result == sys::WEIR_OK)
    }

    /// The structure of its elements.
    pub fn spec(&self) -> Result<Spec> {
        let mut out = sys::weir_spec::default();
        call(|error| unsafe { sys::weir_iterator_spec(self.handle, &mut out, error) })?;
        Ok(Spec::adopt(out))
    }

    /// The position: an iterator that begins there gives the elements that this one would give from now on.
    pub fn save(&self) -> Result<Vec<u8>> {
        bytes_of(|out, error| unsafe { sys::weir_iterator_save(self.handle, out, error) })
    }

    /// The same into a file, which after a crash at any moment holds what it held before or all of the new position.
    pub fn save_file(&self, file: impl AsRef<Path>) -> Result<()> {
        let file = string_of(file.as_ref().as_os_str().as_bytes());
        call(|error| unsafe { sys::weir_iterator_save_file(self.handle, file.data, file.size, error) })?;
        Ok(())
    }

    /// Makes every call for an element fail with `Cancelled`, also one in progress, until the iterator begins again.
    pub fn cancel(&self) {
        unsafe { sys::weir_iterator_cancel(self.handle) }
    }

    /// Names the iterator within its runtime, and gives the one of that name: this, or another that had the name before.
    pub fn share(&self, name: &str) -> Result<Iter> {
        let name = string_of(name.as_bytes());
        let mut out = sys::weir_iterator::default();
        call(|error| unsafe { sys::weir_iterator_share(self.handle, name.data, name.size, &mut out, error) })?;
        Ok(Self::adopt(self.runtime.clone(), out))
    }

    /// The text that names this iterator to [`Iter::feedable`] ones.
    pub fn string_handle(&self) -> Result<String> {
        text_of(|out, error| unsafe { sys::weir_iterator_string_handle(self.handle, out, error) })
    }

    /// What it has done since it was initialised, stage by stage, and what bounds the throughput. Waits for nothing.
    pub fn stats(&self, format: StatsFormat) -> Result<String> {
        text_of(|out, error| unsafe { sys::weir_iterator_stats(self.handle, format as u32, out, error) })
    }

    /// A descriptor that is readable while [`Iter::try_next_into`] is worth calling. Poll it, never read from it.
    pub fn ready_fd(&self) -> Result<RawFd> {
        let mut out = -1;
        call(|error| unsafe { sys::weir_iterator_ready_fd(self.handle, &mut out, error) })?;
        Ok(out)
    }

    /// The runtime that it runs in.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) fn raw(&self) -> sys::weir_iterator {
        self.handle
    }

    fn adopt(runtime: Runtime, handle: sys::weir_iterator) -> Self {
        Iter {
            handle,
            runtime,
            ended: AtomicBool::new(false),
        }
    }

    fn advance(&self) -> Option<Result<Element>> {
        if self.ended.load(Ordering::Relaxed) {
            return None;
        }
        let filled = Element::new().and_then(|mut element| Ok(self.next_into(&mut element)?.then_some(element)));
        let item = filled.transpose();
        if !matches!(&item, Some(Ok(_))) && !matches!(&item, Some(Err(error)) if error.is_element()) {
            self.ended.store(true, Ordering::Relaxed);
        }
        item
    }
}

fn next_of(result: i32) -> Next {
    match result {
        sys::WEIR_OK => Next::Filled,
        sys::WEIR_PENDING => Next::Pending,
        _ => Next::End,
    }
}

impl Iterator for Iter {
    type Item = Result<Element>;
    fn next(&mut self) -> Option<Self::Item> {
        self.advance()
    }
}

impl Iterator for &Iter {
    type Item = Result<Element>;
    fn next(&mut self) -> Option<Self::Item> {
        self.advance()
    }
}

impl Drop for Iter {
    fn drop(&mut self) {
        unsafe { sys::weir_iterator_destroy(self.handle) }
    }
}

impl fmt::Debug for Iter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Iter")
    }
}
