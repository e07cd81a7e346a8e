//! Writing records and examples.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use weir_sys as sys;

use crate::error::{bytes_of, call, Result};
use crate::runtime::Runtime;
use crate::tensor::string_of;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// As `gzip` does it.
    Gzip,
    /// As zlib does it.
    Zlib,
    /// In zstd frames with a table, so that records are also read by their position.
    Zstd,
    /// In LZ4 frames.
    Lz4,
    /// As `bzip2` does it.
    Bz2,
    /// As `xz` does it.
    Xz,
}

impl Compression {
    /// Its name in the notation.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gzip",
            Compression::Zlib => "zlib",
            Compression::Zstd => "zstd",
            Compression::Lz4 => "lz4",
            Compression::Bz2 => "bz2",
            Compression::Xz => "xz",
        }
    }
}

/// Writes a TFRecord file.
pub struct RecordWriter {
    handle: sys::weir_record_writer,
    // One thread at a time may use a writer.
    not_sync: PhantomData<Cell<()>>,
}

impl RecordWriter {
    /// Creates an empty file, replacing any of that name.
    pub fn create(runtime: &Runtime, file: impl AsRef<Path>, compression: Compression) -> Result<Self> {
        let file = string_of(file.as_ref().as_os_str().as_bytes());
        let mut options = sys::weir_record_writer_options::INIT;
        let name = string_of(compression.name().as_bytes());
        options.compression_name = name.data;
        options.compression_name_size = name.size;
        let mut handle = sys::weir_record_writer::default();
        call(|error| unsafe {
            sys::weir_record_writer_create(runtime.raw(), file.data, file.size, &options, &mut handle, error)
        })?;
        Ok(RecordWriter {
            handle,
            not_sync: PhantomData,
        })
    }

    /// Appends a record. After an error the file is damaged.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        let (data, size) = (record.as_ptr().cast(), record.len() as u64);
        call(|error| unsafe { sys::weir_record_writer_write(self.handle, data, size, error) })?;
        Ok(())
    }

    /// Writes what is still in the buffer and closes the file. Without it the file is incomplete.
    pub fn close(self) -> Result<()> {
        call(|error| unsafe { sys::weir_record_writer_close(self.handle, error) })?;
        Ok(())
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        unsafe { sys::weir_record_writer_destroy(self.handle) }
    }
}

impl fmt::Debug for RecordWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecordWriter")
    }
}

/// A tf.Example.
pub struct Example {
    handle: sys::weir_example,
    // One thread at a time may use an example.
    not_sync: PhantomData<Cell<()>>,
}

impl Example {
    /// One without features.
    pub fn new() -> Result<Self> {
        let mut handle = sys::weir_example::default();
        call(|error| unsafe { sys::weir_example_create(&mut handle, error) })?;
        Ok(Example {
            handle,
            not_sync: PhantomData,
        })
    }

    /// Sets a feature to integers. Setting a name again replaces its values.
    pub fn set_int64(&mut self, name: &str, values: &[i64]) -> Result<&mut Self> {
        self.set(name, sys::WEIR_DTYPE_INT64, values)
    }

    /// Sets a feature to floats.
    pub fn set_float(&mut self, name: &str, values: &[f32]) -> Result<&mut Self> {
        self.set(name, sys::WEIR_DTYPE_FLOAT32, values)
    }

    /// Sets a feature to strings.
    pub fn set_bytes<S: AsRef<[u8]>>(&mut self, name: &str, values: &[S]) -> Result<&mut Self> {
        let values: Vec<_> = values.iter().map(|value| string_of(value.as_ref())).collect();
        self.set(name, sys::WEIR_DTYPE_STRING, &values)
    }

    fn set<T>(&mut self, name: &str, dtype: i32, values: &[T]) -> Result<&mut Self> {
        let (name, data, count) = (string_of(name.as_bytes()), values.as_ptr().cast(), values.len() as u64);
        call(|error| unsafe { sys::weir_example_set(self.handle, name.data, name.size, dtype, data, count, error) })?;
        Ok(self)
    }

    /// The serialized message; equal features give equal bytes.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        bytes_of(|out, error| unsafe { sys::weir_example_serialize(self.handle, out, error) })
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        unsafe { sys::weir_example_destroy(self.handle) }
    }
}

impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Example")
    }
}
