//! Writes the rows of an Arrow stream as a Parquet file, an Arrow file or an Arrow stream: `weir_write_table`, for
//! weir's command, which looks it up by its name.

use std::ffi::{c_char, c_void};
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::CompressionType;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;

use crate::abi::{self, Text};
use crate::{panic_text, read};

/// Of a row group, which is in memory, compressed, until it is written.
const GROUP_ROWS: usize = 1 << 20;
const GROUP_BYTES: usize = 128 << 20;

type Write = unsafe extern "C" fn(*mut c_void, *const u8, u64) -> i32;

struct Out {
    write: Write,
    user_data: *mut c_void,
}

// SAFETY: the writers use it on the caller's thread alone.
unsafe impl Send for Out {}

impl io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match unsafe { (self.write)(self.user_data, bytes.as_ptr(), bytes.len() as u64) } {
            abi::OK => Ok(bytes.len()),
            _ => Err(io::Error::other("the file was not written")),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn each(
    rows: RecordBatchStreamReader,
    mut write: impl FnMut(&RecordBatch) -> std::result::Result<(), ArrowError>,
) -> Result<()> {
    for batch in rows {
        write(&batch?)?;
    }
    Ok(())
}

fn write_rows(format: &[u8], rows: RecordBatchStreamReader, out: Out) -> Result<()> {
    let schema = rows.schema();
    if format == b"parquet" {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            .build();
        let mut writer = ArrowWriter::try_new(out, schema, Some(properties))?;
        each(rows, |batch| Ok(writer.write(batch)?))?;
        writer.close()?;
        return Ok(());
    }
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
    if format == b"arrow" {
        let mut writer = FileWriter::try_new_with_options(out, &schema, options)?;
        each(rows, |batch| writer.write(batch))?;
        return Ok(writer.finish()?);
    }
    let mut writer = StreamWriter::try_new_with_options(out, &schema, options)?;
    each(rows, |batch| writer.write(batch))?;
    Ok(writer.finish()?)
}

/// Writes "parquet", "arrow" or "arrows" through `write`, which returns 0 when it has taken all bytes. Consumes `rows`.
/// On an error returns another number than 0, and the beginning of what is wrong, with a zero, in `message`.
///
/// # Safety
/// `rows` is a stream as Arrow's C stream interface has it, and `message` has room for `size` bytes, at least one.
#[no_mangle]
pub unsafe extern "C" fn weir_write_table(
    format: Text,
    rows: *mut FFI_ArrowArrayStream,
    write: Write,
    user_data: *mut c_void,
    message: *mut c_char,
    size: u64,
) -> i32 {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let rows = RecordBatchStreamReader::from_raw(rows)?;
        write_rows(format.bytes(), rows, Out { write, user_data })
    }))
    .unwrap_or_else(|panic| Err(ParquetError::General(panic_text(panic.as_ref()))));
    let Err(error) = outcome else { return abi::OK };
    let text = read::said(&error);
    let length = text.len().min(size as usize - 1);
    std::ptr::copy_nonoverlapping(text.as_ptr(), message.cast(), length);
    *message.add(length) = 0;
    1
}
