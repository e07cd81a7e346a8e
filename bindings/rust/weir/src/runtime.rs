//! Threads, memory and logging that iterators share.

use std::fmt;
use std::os::raw::{c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_sys as sys;

use crate::callback::Callback;
use crate::error::{call, Result};
use crate::file_system::FileSystem;
use crate::generator::Generator;
use crate::guard::{dropped, guarded};
use crate::tensor::string_of;

/// How much a line of the log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Level {
    /// What a developer of the library wants to know.
    Debug = sys::WEIR_LOG_DEBUG,
    /// What goes on.
    Info = sys::WEIR_LOG_INFO,
    /// What may be wrong.
    Warning = sys::WEIR_LOG_WARNING,
    /// What is wrong.
    Error = sys::WEIR_LOG_ERROR,
}

type Log = Box<dyn Fn(Level, &str) + Send + Sync>;

/// What a runtime is made with. Each begins as its default.
#[derive(Default)]
#[must_use]
pub struct RuntimeOptions {
    thread_count: i32,
    pool_bytes: i64,
    record_bytes: i64,
    memory_bytes: i64,
    top: bool,
    trace_file: Option<PathBuf>,
    extensions: Vec<PathBuf>,
    level: Option<Level>,
    log: Option<Log>,
}

impl RuntimeOptions {
    /// All as their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Threads for computing. Default: one for each CPU that the process may use.
    pub fn thread_count(mut self, count: i32) -> Self {
        self.thread_count = count;
        self
    }

    /// Free batch buffers kept for reuse; negative: none. Default: 256 MiB.
    pub fn pool_bytes(mut self, size: i64) -> Self {
        self.pool_bytes = size;
        self
    }

    /// The longest record that is read. Default: 256 MiB.
    pub fn record_bytes(mut self, size: i64) -> Self {
        self.record_bytes = size;
        self
    }

    /// What all shuffles and memory caches may hold together. Default: no limit.
    pub fn memory_bytes(mut self, size: i64) -> Self {
        self.memory_bytes = size;
        self
    }

    /// Shows what the iterators do to `weir top`.
    pub fn top(mut self, shown: bool) -> Self {
        self.top = shown;
        self
    }

    /// Gets a timeline when the runtime ends, for Perfetto. Default: none.
    pub fn trace_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.trace_file = Some(file.into());
        self
    }

    /// A folder in which extensions are looked for, with an absolute name, before those of the environment.
    pub fn extensions(mut self, folder: impl Into<PathBuf>) -> Self {
        self.extensions.push(folder.into());
        self
    }

    /// Lines of the log below this level are dropped. Default: `Warning`.
    pub fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Receives the log in place of standard error, on any thread. It must not call into this crate.
    pub fn log(mut self, log: impl Fn(Level, &str) + Send + Sync + 'static) -> Self {
        self.log = Some(Box::new(log));
        self
    }

    /// Creates the runtime and starts its threads.
    pub fn create(self) -> Result<Runtime> {
        let logger = self.log.map(|log| {
            let mut logger = sys::weir_logger::INIT;
            logger.log = Some(log_line);
            logger.destroy = Some(destroy_log);
            logger.user_data = Box::into_raw(Box::new(log)).cast();
            logger
        });
        let mut options = sys::weir_runtime_options::INIT;
        options.thread_count = self.thread_count;
        options.pool_bytes = self.pool_bytes;
        options.record_bytes = self.record_bytes;
        options.memory_bytes = self.memory_bytes;
        options.flags = if self.top { sys::WEIR_RUNTIME_TOP } else { 0 };
        if let Some(file) = &self.trace_file {
            let name = string_of(file.as_os_str().as_bytes());
            (options.trace_file, options.trace_file_size) = (name.data, name.size);
        }
        let folders = self
            .extensions
            .iter()
            .map(|folder| folder.as_os_str().as_bytes())
            .collect::<Vec<_>>()
            .join(&b':');
        let names = string_of(&folders);
        (options.extensions, options.extensions_size) = (names.data, names.size);
        options.log_level = self.level.map_or(0, |level| level as i32);
        options.logger = logger.as_ref().map_or(std::ptr::null(), |logger| logger);
        let mut out = sys::weir_runtime::default();
        call(|error| unsafe { sys::weir_runtime_create(&options, &mut out, error) })?;
        Ok(Runtime(Arc::new(Handle(out))))
    }
}

unsafe extern "C" fn log_line(user_data: *mut c_void, level: i32, line: *const c_char, size: u64) {
    let log = &*user_data.cast::<Log>();
    let line = String::from_utf8_lossy(std::slice::from_raw_parts(line.cast::<u8>(), size as usize));
    let level = match level {
        sys::WEIR_LOG_DEBUG => Level::Debug,
        sys::WEIR_LOG_INFO => Level::Info,
        sys::WEIR_LOG_WARNING => Level::Warning,
        _ => Level::Error,
    };
    let _ = guarded(|| {
        log(level, &line);
        Ok(())
    });
}

unsafe extern "C" fn destroy_log(user_data: *mut c_void) {
    dropped(Box::from_raw(user_data.cast::<Log>()));
}

struct Handle(sys::weir_runtime);

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::weir_runtime_destroy(self.0) }
    }
}

/// Threads, memory and logging that iterators share. Most programs need one; clones are the same one.
#[derive(Clone)]
pub struct Runtime(Arc<Handle>);

impl Runtime {
    /// A runtime with the default options.
    pub fn new() -> Result<Self> {
        RuntimeOptions::new().create()
    }

    /// Gives a callback a name that every text parsed with this runtime may use, as `@NAME`, or as `NAME(…)` if it has a
    /// signature. Serialized graphs keep the name.
    pub fn register(&self, name: &str, callback: &Callback) -> Result<()> {
        let name = string_of(name.as_bytes());
        let raw = callback.raw();
        call(|error| unsafe { sys::weir_runtime_register(self.raw(), name.data, name.size, &raw, error) })?;
        Ok(())
    }

    /// Gives a source a name that every text parsed with this runtime may use, as `NAME(…)` if it has a signature, or in
    /// `from_generator(@NAME, SPEC)`.
    pub fn register_source(&self, name: &str, source: &Generator) -> Result<()> {
        let name = string_of(name.as_bytes());
        let raw = source.raw();
        call(|error| unsafe { sys::weir_runtime_register_source(self.raw(), name.data, name.size, &raw, error) })?;
        Ok(())
    }

    /// Serves all names of files that begin with one of these schemes, such as `["s3"]` for `s3://bucket/key`.
    pub fn register_file_system(&self, schemes: &[&str], files: impl FileSystem + 'static) -> Result<()> {
        let schemes = schemes.join(" ");
        let raw = crate::file_system::raw(&schemes, files);
        call(|error| unsafe { sys::weir_runtime_register_file_system(self.raw(), &raw, error) })?;
        Ok(())
    }

    /// Loads an extension, a shared library with an absolute name.
    pub fn load_extension(&self, file: impl AsRef<Path>) -> Result<()> {
        let name = string_of(file.as_ref().as_os_str().as_bytes());
        call(|error| unsafe { sys::weir_runtime_load_extension(self.raw(), name.data, name.size, error) })?;
        Ok(())
    }

    pub(crate) fn adopt(raw: sys::weir_runtime) -> Self {
        Runtime(Arc::new(Handle(raw)))
    }

    pub(crate) fn raw(&self) -> sys::weir_runtime {
        self.0 .0
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}
