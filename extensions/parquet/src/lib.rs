//! weir-parquet: the format of tables "parquet". What it reads, and how errors look, is weir's to say.

mod abi;
mod condition;
mod file;
mod pages;
mod read;
mod schema;
mod table;

use std::any::Any;
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use parquet::errors::{ParquetError, Result};

use abi::{Call, Extension, File, Runtime, TableFormat, Text};
use table::Table;

/// # Safety
/// Called by the library, as weir.h says.
#[no_mangle]
pub unsafe extern "C" fn weir_extension_load(runtime: Runtime, out: *mut Extension, error: *mut c_void) -> i32 {
    // What panics is an error of the file, which says so.
    std::panic::set_hook(Box::new(|_| {}));
    (*out).abi = abi::EXTENSION_ABI;
    (*out).name = c"weir-parquet".as_ptr();
    (*out).version = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();
    let parquet = TableFormat {
        struct_size: std::mem::size_of::<TableFormat>() as u32,
        flags: 0,
        open,
        select: Some(select),
        read,
        close,
        destroy: None,
        user_data: std::ptr::null_mut(),
    };
    let name = "parquet";
    let source = abi::Generator {
        struct_size: std::mem::size_of::<abi::Generator>() as u32,
        flags: 0,
        others: [0; 16],
        table: &parquet,
    };
    abi::weir_runtime_register_source(runtime, name.as_ptr().cast(), name.len() as u64, &source, error)
}

/// What a panic says.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(|text| text.to_string());
    said.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

/// Runs the body of a function of the ABI, and says in the call what went wrong.
unsafe fn answer(call: Call, body: impl FnOnce() -> Result<()>) -> i32 {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        Err(ParquetError::General(format!(
            "damaged: {}",
            panic_text(panic.as_ref())
        )))
    });
    let Err(error) = outcome else { return abi::OK };
    let (code, message) = match error {
        ParquetError::NYI(why) => (abi::CODE_UNIMPLEMENTED, format!("cannot be read: {why}")),
        ParquetError::General(why) | ParquetError::EOF(why) | ParquetError::ArrowError(why) => {
            (abi::CODE_DATA_LOSS, format!("is no whole Parquet file: {why}"))
        }
        other => (abi::CODE_DATA_LOSS, format!("is no whole Parquet file: {other}")),
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

unsafe extern "C" fn open(
    _: *mut c_void,
    file: File,
    size: u64,
    call: Call,
    schema: *mut FFI_ArrowSchema,
    rows: *mut i64,
    out: *mut *mut c_void,
) -> i32 {
    answer(call, || {
        let table = Table::open(file, size)?;
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
    answer(call, || {
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

unsafe extern "C" fn read(
    _: *mut c_void,
    table: *mut c_void,
    columns: *const Text,
    column_count: u64,
    ranges: *const i64,
    range_count: u64,
    call: Call,
    stream: *mut FFI_ArrowArrayStream,
) -> i32 {
    answer(call, || {
        let columns: Vec<&[u8]> = (0..column_count as usize).map(|i| (*columns.add(i)).bytes()).collect();
        let range = |i: usize| *ranges.add(2 * i)..*ranges.add(2 * i) + *ranges.add(2 * i + 1);
        let ranges: Vec<_> = (0..range_count as usize).map(range).collect();
        let batches = (*table.cast::<Table>()).read(&columns, &ranges)?;
        std::ptr::write(stream, FFI_ArrowArrayStream::new(batches));
        Ok(())
    })
}

unsafe extern "C" fn close(_: *mut c_void, table: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(table.cast::<Table>()))));
}
