//! weir-parquet: the formats of tables "parquet", "arrow", "array_record" and "hdf5". What they read, and how errors look, is weir's to say.

mod abi;
mod array_record;
mod arrays;
mod arrow;
mod chunks;
mod columns;
mod condition;
mod file;
mod hdf5;
mod hdf5_column;
mod hdf5_file;
mod headers;
mod index;
mod levels;
mod memory;
mod pages;
mod read;
mod riegeli;
mod schema;
mod sound;
mod table;
mod thrift;
mod write;

use std::any::Any;
use std::collections::TryReserveError;
use std::ffi::c_void;
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::RecordBatchReader;
use parquet::errors::{ParquetError, Result};

use abi::{Call, Extension, File, Runtime, TableFormat, Text};
use array_record::ArrayRecordTable;
use arrow::ArrowTable;
use hdf5::Hdf5Table;
use memory::NoMemory;
use table::Table;

/// A table of one format.
trait Format: Sized {
    /// Of the format, and of its files.
    const NAME: &'static str;
    const FILE: &'static str;

    fn open(file: File, size: u64) -> Result<Self>;
    fn schema(&self) -> Result<FFI_ArrowSchema>;
    fn rows(&self) -> i64;
    /// The rows of these ranges, in rising order, of the columns.
    fn read(&self, columns: &[&[u8]], ranges: &[Range<i64>]) -> Result<Box<dyn RecordBatchReader + Send>>;
}

/// # Safety
/// Called by the library, as weir.h says.
#[no_mangle]
pub unsafe extern "C" fn weir_extension_load(runtime: Runtime, out: *mut Extension, error: *mut c_void) -> i32 {
    // What panics is an error of the file, which says so.
    std::panic::set_hook(Box::new(|_| {}));
    (*out).abi = abi::EXTENSION_ABI;
    (*out).name = c"weir-parquet".as_ptr();
    (*out).version = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();
    let others = [
        register::<ArrowTable>,
        register::<ArrayRecordTable>,
        register::<Hdf5Table>,
    ];
    others.iter().fold(
        register::<Table>(runtime, Some(select), error),
        |done, register| match done {
            abi::OK => register(runtime, None, error),
            failed => failed,
        },
    )
}

unsafe fn register<T: Format>(runtime: Runtime, select: Option<abi::Select>, error: *mut c_void) -> i32 {
    let format = TableFormat {
        struct_size: std::mem::size_of::<TableFormat>() as u32,
        flags: 0,
        open: open::<T>,
        select,
        read: read::<T>,
        close: close::<T>,
        destroy: None,
        user_data: std::ptr::null_mut(),
    };
    let source = abi::Generator {
        struct_size: std::mem::size_of::<abi::Generator>() as u32,
        flags: 0,
        others: [0; 16],
        table: &format,
    };
    abi::weir_runtime_register_source(runtime, T::NAME.as_ptr().cast(), T::NAME.len() as u64, &source, error)
}

/// What a panic says.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(|text| text.to_string());
    said.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

/// Runs the body of a function of the ABI, and says in the call what went wrong.
unsafe fn answer<T: Format>(call: Call, body: impl FnOnce() -> Result<()>) -> i32 {
    let body = || {
        memory::check()
            .map_err(|none| ParquetError::External(none.into()))
            .and_then(|()| body())
    };
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| match memory::of_panic(panic.as_ref()) {
        Ok(damaged) => Err(ParquetError::General(damaged)),
        Err(none) => Err(ParquetError::External(none.into())),
    });
    let Err(error) = outcome else { return abi::OK };
    let damaged = |why: &str| (abi::CODE_DATA_LOSS, format!("is no whole {} file: {why}", T::FILE));
    let (code, message) = match &error {
        ParquetError::NYI(why) => (abi::CODE_UNIMPLEMENTED, format!("cannot be read: {why}")),
        ParquetError::External(why) if why.is::<TryReserveError>() || why.is::<NoMemory>() => {
            (abi::CODE_RESOURCE_EXHAUSTED, format!("cannot be read: {why}"))
        }
        _ if memory::ran_out() => (abi::CODE_RESOURCE_EXHAUSTED, format!("cannot be read: {NoMemory}")),
        other => damaged(&read::said(other)),
    };
    abi::weir_call_fail(
        call,
        0,
        code,
        message.as_ptr().cast(),
        message.len() as u64,
        std::ptr::null_mut(),
    );
    -code
}

unsafe extern "C" fn open<T: Format>(
    _: *mut c_void,
    file: File,
    size: u64,
    call: Call,
    schema: *mut FFI_ArrowSchema,
    rows: *mut i64,
    out: *mut *mut c_void,
) -> i32 {
    answer::<T>(call, || {
        let table = T::open(file, size)?;
        std::ptr::write(schema, table.schema()?);
        *rows = table.rows();
        *out = Box::into_raw(Box::new(table)).cast();
        Ok(())
    })
}

unsafe extern "C" fn select(
    _: *mut c_void,
    table: *mut c_void,
    condition: Text,
    call: Call,
    ranges: *mut *const i64,
    count: *mut u64,
) -> i32 {
    answer::<Table>(call, || {
        let found = (*table.cast::<Table>()).select(condition.bytes())?;
        let size = found.len() * 2 * std::mem::size_of::<i64>();
        let mut memory = std::ptr::null_mut();
        let made = abi::weir_call_allocate(call, size as u64, &mut memory, std::ptr::null_mut());
        if made != abi::OK {
            return Err(ParquetError::General("no memory for the rows".into()));
        }
        let out = memory.cast::<i64>();
        for (i, range) in found.iter().enumerate() {
            out.add(2 * i).write(range.start);
            out.add(2 * i + 1).write(range.end - range.start);
        }
        *ranges = out;
        *count = found.len() as u64;
        Ok(())
    })
}

unsafe extern "C" fn read<T: Format>(
    _: *mut c_void,
    table: *mut c_void,
    columns: *const Text,
    column_count: u64,
    ranges: *const i64,
    range_count: u64,
    call: Call,
    stream: *mut FFI_ArrowArrayStream,
) -> i32 {
    answer::<T>(call, || {
        let columns: Vec<&[u8]> = (0..column_count as usize).map(|i| (*columns.add(i)).bytes()).collect();
        let range = |i: usize| *ranges.add(2 * i)..*ranges.add(2 * i) + *ranges.add(2 * i + 1);
        let ranges: Vec<_> = (0..range_count as usize).map(range).collect();
        let batches = (*table.cast::<T>()).read(&columns, &ranges)?;
        std::ptr::write(stream, read::exported(batches));
        Ok(())
    })
}

unsafe extern "C" fn close<T: Format>(_: *mut c_void, table: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(table.cast::<T>()))));
}
