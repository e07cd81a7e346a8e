//! What of weir.h the extension uses.

use std::ffi::{c_char, c_void};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;

pub const OK: i32 = 0;
pub const CODE_RESOURCE_EXHAUSTED: i32 = 8;
pub const CODE_UNIMPLEMENTED: i32 = 12;
pub const CODE_DATA_LOSS: i32 = 15;
pub const EXTENSION_ABI: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Runtime(u64);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Call(u64);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct File(u64);

#[repr(C)]
pub struct Text {
    pub data: *const c_char,
    pub size: u64,
}

impl Text {
    /// # Safety
    /// As weir.h says of weir_string.
    pub unsafe fn bytes(&self) -> &[u8] {
        if self.size == 0 {
            return &[];
        }
        std::slice::from_raw_parts(self.data.cast(), self.size as usize)
    }
}

#[repr(C)]
pub struct Extension {
    pub struct_size: u32,
    pub abi: u32,
    pub name: *const c_char,
    pub version: *const c_char,
}

pub type Select = unsafe extern "C" fn(*mut c_void, *mut c_void, Text, Call, *mut *const i64, *mut u64) -> i32;

#[repr(C)]
pub struct TableFormat {
    pub struct_size: u32,
    pub flags: u32,
    pub open:
        unsafe extern "C" fn(*mut c_void, File, u64, Call, *mut FFI_ArrowSchema, *mut i64, *mut *mut c_void) -> i32,
    pub select: Option<Select>,
    pub read: unsafe extern "C" fn(
        *mut c_void,
        *mut c_void,
        *const Text,
        u64,
        *const i64,
        u64,
        Call,
        *mut FFI_ArrowArrayStream,
    ) -> i32,
    pub close: unsafe extern "C" fn(*mut c_void, *mut c_void),
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    pub user_data: *mut c_void,
}

pub type LastError = unsafe extern "C" fn(*mut FFI_ArrowArrayStream) -> *const c_char;

/// The layout of an `FFI_ArrowArrayStream`, as Arrow's C stream interface has it.
#[repr(C)]
pub struct ArrayStream {
    pub get_schema: usize,
    pub get_next: usize,
    pub get_last_error: Option<LastError>,
}

/// `weir_generator` with nothing but a table.
#[repr(C)]
pub struct Generator {
    pub struct_size: u32,
    pub flags: u32,
    pub others: [usize; 16],
    pub table: *const TableFormat,
}

#[link(name = "weir")]
extern "C" {
    pub fn weir_runtime_register_source(
        runtime: Runtime,
        name: *const c_char,
        name_size: u64,
        source: *const Generator,
        error: *mut c_void,
    ) -> i32;
    pub fn weir_file_read(
        file: File,
        offset: u64,
        out: *mut c_void,
        size: u64,
        read: *mut u64,
        error: *mut c_void,
    ) -> i32;
    pub fn weir_call_fail(
        call: Call,
        row: i64,
        code: i32,
        message: *const c_char,
        message_size: u64,
        error: *mut c_void,
    ) -> i32;
    pub fn weir_call_allocate(call: Call, size: u64, out: *mut *mut c_void, error: *mut c_void) -> i32;
}
