//! File systems of the program, for names with a scheme.

use std::os::raw::c_void;
use std::{slice, str};

use weir_sys as sys;

use crate::error::{call, Code, Error, Result};
use crate::guard::{dropped, guarded};

/// What is known of a file or a folder.
#[derive(Clone, Debug, Default)]
pub struct FileInfo {
    /// Its size in bytes.
    pub size: u64,
    /// When it was changed, in nanoseconds since 1970; 0 if unknown.
    pub modified_ns: i64,
    /// Another one for other contents, such as an ETag; empty if unknown.
    pub version: Vec<u8>,
    /// Whether it is a folder.
    pub folder: bool,
}

/// Where files with names such as `s3://bucket/key` are. Its functions get the whole name, may be called on any thread,
/// several at once, and may wait.
pub trait FileSystem: Send + Sync {
    /// Looks a file or folder up.
    fn stat(&self, name: &str) -> Result<FileInfo>;

    /// Opens a file; all its reads see the contents that were there then.
    fn open(&self, name: &str) -> Result<(FileInfo, Box<dyn File>)>;

    /// The names in `folder`, which ends with a slash, that begin with `prefix`.
    fn list(&self, folder: &str, _prefix: &str) -> Result<Vec<String>> {
        Err(Error::new(Code::Unimplemented, format!("{folder} cannot be listed")))
    }

    /// Begins a file in place of one that may be there, which stays until the new one is published.
    fn create(&self, name: &str) -> Result<Box<dyn Writer>> {
        Err(Error::new(Code::Unimplemented, format!("{name} cannot be written")))
    }

    /// Removes a file.
    fn remove(&self, name: &str) -> Result<()> {
        Err(Error::new(Code::Unimplemented, format!("{name} cannot be removed")))
    }
}

/// An open file.
pub trait File: Send + Sync {
    /// Begins to read from `offset` on, and returns without waiting; [`Read::done`] ends it, now or later.
    fn read(&self, offset: u64, read: Read);
}

/// A file that is written.
pub trait Writer: Send {
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Ends it: with `publish` the whole file is there, without it nothing is.
    fn finish(self: Box<Self>, publish: bool) -> Result<()>;
}

/// A read that is to be answered. One that is dropped before fails.
pub struct Read {
    out: *mut u8,
    size: usize,
    call: sys::weir_call,
}

// Safe: the memory is this read's alone until it is done.
unsafe impl Send for Read {}

impl Read {
    /// Where the bytes go; as many are wanted.
    pub fn buffer(&mut self) -> &mut [u8] {
        // Safe: the library lends it until the read is done.
        unsafe { slice::from_raw_parts_mut(self.out, self.size) }
    }

    /// The whole buffer was filled.
    pub fn done(self) {
        unsafe { sys::weir_call_done(self.call, self.size as u64) };
        std::mem::forget(self);
    }

    /// It failed.
    pub fn fail(self, error: &Error) {
        say(self.call, error);
        unsafe { sys::weir_call_done(self.call, 0) };
        std::mem::forget(self);
    }
}

impl Drop for Read {
    fn drop(&mut self) {
        say(self.call, &Error::new(Code::Internal, "a read was dropped"));
        unsafe { sys::weir_call_done(self.call, 0) };
    }
}

fn say(raw: sys::weir_call, error: &Error) {
    let message = error.message();
    unsafe {
        sys::weir_call_fail(
            raw,
            0,
            error.code() as i32,
            message.as_ptr().cast(),
            message.len() as u64,
            std::ptr::null_mut(),
        )
    };
}

/// As the library takes it over, for one call, while `schemes` lives.
pub(crate) fn raw(schemes: &str, files: impl FileSystem + 'static) -> sys::weir_file_system {
    let mut raw = sys::weir_file_system::INIT;
    raw.schemes = schemes.as_ptr().cast();
    raw.schemes_size = schemes.len() as u64;
    raw.stat = Some(stat);
    raw.list = Some(list);
    raw.open = Some(open);
    raw.read = Some(read);
    raw.close = Some(close);
    raw.create = Some(create);
    raw.write = Some(write);
    raw.finish = Some(finish);
    raw.remove = Some(remove);
    raw.destroy = Some(destroy);
    raw.user_data = Box::into_raw(Box::new(Files(Box::new(files)))).cast();
    raw
}

// Thin pointers for the library.
struct Files(Box<dyn FileSystem>);
struct Opened(Box<dyn File>);
struct Written(Box<dyn Writer>);

unsafe fn name_of<'n>(name: sys::weir_string) -> Result<&'n str> {
    let bytes: &[u8] = match name.size {
        0 => &[],
        size => slice::from_raw_parts(name.data.cast(), size as usize),
    };
    str::from_utf8(bytes).map_err(|_| Error::new(Code::InvalidArgument, "expected a name in UTF-8, found other bytes"))
}

unsafe fn answer(raw: sys::weir_call, body: impl FnOnce() -> Result<()>) -> i32 {
    match guarded(body) {
        Ok(()) => sys::WEIR_OK,
        Err(error) => {
            say(raw, &error);
            -(error.code() as i32)
        }
    }
}

unsafe fn tell(info: &FileInfo, out: *mut sys::weir_file_info, raw: sys::weir_call) -> Result<()> {
    let mut version = std::ptr::null_mut();
    call(|error| sys::weir_call_allocate(raw, info.version.len() as u64, &mut version, error))?;
    if !info.version.is_empty() {
        slice::from_raw_parts_mut(version.cast(), info.version.len()).copy_from_slice(&info.version);
    }
    let out = &mut *out;
    out.flags = if info.folder { sys::WEIR_FILE_FOLDER } else { 0 };
    out.size = info.size;
    out.modified_ns = info.modified_ns;
    out.version = sys::weir_string {
        data: version.cast(),
        size: info.version.len() as u64,
    };
    Ok(())
}

unsafe extern "C" fn stat(
    user_data: *mut c_void,
    name: sys::weir_string,
    out: *mut sys::weir_file_info,
    raw: sys::weir_call,
) -> i32 {
    let files = &*user_data.cast::<Files>();
    answer(raw, || tell(&files.0.stat(name_of(name)?)?, out, raw))
}

unsafe extern "C" fn list(
    user_data: *mut c_void,
    folder: sys::weir_string,
    prefix: sys::weir_string,
    raw: sys::weir_call,
) -> i32 {
    let files = &*user_data.cast::<Files>();
    answer(raw, || {
        for entry in files.0.list(name_of(folder)?, name_of(prefix)?)? {
            let (data, size) = (entry.as_ptr().cast(), entry.len() as u64);
            call(|error| sys::weir_call_entry(raw, data, size, std::ptr::null(), error))?;
        }
        Ok(())
    })
}

unsafe extern "C" fn open(
    user_data: *mut c_void,
    name: sys::weir_string,
    out: *mut sys::weir_file_info,
    file: *mut *mut c_void,
    raw: sys::weir_call,
) -> i32 {
    let files = &*user_data.cast::<Files>();
    answer(raw, || {
        let (info, opened) = files.0.open(name_of(name)?)?;
        tell(&info, out, raw)?;
        *file = Box::into_raw(Box::new(Opened(opened))).cast();
        Ok(())
    })
}

unsafe extern "C" fn read(
    _user_data: *mut c_void,
    file: *mut c_void,
    offset: u64,
    out: *mut c_void,
    size: u64,
    call: sys::weir_call,
) -> i32 {
    let opened = &*file.cast::<Opened>();
    let out = out.cast();
    let asked = Read {
        out,
        size: size as usize,
        call,
    };
    // A panic drops the read, which answers it.
    let _ = guarded(|| {
        opened.0.read(offset, asked);
        Ok(())
    });
    sys::WEIR_OK
}

unsafe extern "C" fn close(_user_data: *mut c_void, file: *mut c_void) {
    dropped(Box::from_raw(file.cast::<Opened>()));
}

unsafe extern "C" fn create(
    user_data: *mut c_void,
    name: sys::weir_string,
    writer: *mut *mut c_void,
    raw: sys::weir_call,
) -> i32 {
    let files = &*user_data.cast::<Files>();
    answer(raw, || {
        let made = files.0.create(name_of(name)?)?;
        *writer = Box::into_raw(Box::new(Written(made))).cast();
        Ok(())
    })
}

unsafe extern "C" fn write(
    _user_data: *mut c_void,
    writer: *mut c_void,
    data: *const c_void,
    size: u64,
    raw: sys::weir_call,
) -> i32 {
    let writer = &mut *writer.cast::<Written>();
    let bytes: &[u8] = match size {
        0 => &[],
        size => slice::from_raw_parts(data.cast(), size as usize),
    };
    answer(raw, || writer.0.write(bytes))
}

unsafe extern "C" fn finish(_user_data: *mut c_void, writer: *mut c_void, publish: i32, raw: sys::weir_call) -> i32 {
    let writer = Box::from_raw(writer.cast::<Written>());
    answer(raw, || writer.0.finish(publish != 0))
}

unsafe extern "C" fn remove(user_data: *mut c_void, name: sys::weir_string, raw: sys::weir_call) -> i32 {
    let files = &*user_data.cast::<Files>();
    answer(raw, || files.0.remove(name_of(name)?))
}

unsafe extern "C" fn destroy(user_data: *mut c_void) {
    dropped(Box::from_raw(user_data.cast::<Files>()));
}
