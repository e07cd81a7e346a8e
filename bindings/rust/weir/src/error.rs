//! What goes wrong, as data.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use weir_sys as sys;

/// What a function of this crate gives.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($name:ident = $value:ident, $text:literal;)*) => {
        /// The code of an error, numbered as in gRPC and TensorFlow.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`")] $name = sys::$value,)*
        }

        impl Code {
            /// The code with this number; `Unknown` for one that this version doesn't have.
            pub fn from_number(number: i32) -> Self {
                match number {
                    $(sys::$value => Code::$name,)*
                    _ => Code::Unknown,
                }
            }

            /// Its name, such as `invalid_argument`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    Cancelled = WEIR_CODE_CANCELLED, "cancelled";
    Unknown = WEIR_CODE_UNKNOWN, "unknown";
    InvalidArgument = WEIR_CODE_INVALID_ARGUMENT, "invalid_argument";
    DeadlineExceeded = WEIR_CODE_DEADLINE_EXCEEDED, "deadline_exceeded";
    NotFound = WEIR_CODE_NOT_FOUND, "not_found";
    AlreadyExists = WEIR_CODE_ALREADY_EXISTS, "already_exists";
    PermissionDenied = WEIR_CODE_PERMISSION_DENIED, "permission_denied";
    ResourceExhausted = WEIR_CODE_RESOURCE_EXHAUSTED, "resource_exhausted";
    FailedPrecondition = WEIR_CODE_FAILED_PRECONDITION, "failed_precondition";
    Aborted = WEIR_CODE_ABORTED, "aborted";
    OutOfRange = WEIR_CODE_OUT_OF_RANGE, "out_of_range";
    Unimplemented = WEIR_CODE_UNIMPLEMENTED, "unimplemented";
    Internal = WEIR_CODE_INTERNAL, "internal";
    Unavailable = WEIR_CODE_UNAVAILABLE, "unavailable";
    DataLoss = WEIR_CODE_DATA_LOSS, "data_loss";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What went wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Details {
    /// What kind of error it is.
    pub code: Code,
    /// What was expected, what was found, what to do; may have several lines.
    pub message: String,
    /// The operator, from the root: `batch/map`. Empty where it is not known.
    pub path: String,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Where in the file, in decompressed bytes.
    pub offset: Option<u64>,
    /// The record in the file, counted from 0.
    pub record: Option<u64>,
    /// All of this except the code in one line, for logs.
    pub line: String,
}

/// An error. `{}` and `{:?}`, which `unwrap()` prints, are the code and all that is known, in one line, or in several where
/// the message has them, as that of a text with a mistake in it. `{:#?}` shows the fields.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// This element failed. The iterator continues after it.
    Element(Box<Details>),
    /// The call failed, and repeating it will not help.
    Call(Box<Details>),
}

impl Error {
    /// An error of the program's own, for callbacks and generators.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Error::Call(Box::new(Details {
            code,
            line: message.replace('\n', "\\n"),
            message,
            path: String::new(),
            file: None,
            offset: None,
            record: None,
        }))
    }

    /// Everything that is known of it.
    pub fn details(&self) -> &Details {
        match self {
            Error::Element(details) | Error::Call(details) => details,
        }
    }

    /// What kind of error it is.
    pub fn code(&self) -> Code {
        self.details().code
    }

    /// What was expected, what was found, what to do.
    pub fn message(&self) -> &str {
        &self.details().message
    }

    /// The operator, from the root: `batch/map`. Empty where it is not known.
    pub fn path(&self) -> &str {
        &self.details().path
    }

    /// The file that was read.
    pub fn file(&self) -> Option<&Path> {
        self.details().file.as_deref()
    }

    /// Where in the file, in decompressed bytes.
    pub fn offset(&self) -> Option<u64> {
        self.details().offset
    }

    /// The record in the file, counted from 0.
    pub fn record(&self) -> Option<u64> {
        self.details().record
    }

    /// All of this except the code in one line, for logs.
    pub fn line(&self) -> &str {
        &self.details().line
    }

    /// Whether one element failed, after which the iterator continues.
    pub fn is_element(&self) -> bool {
        matches!(self, Error::Element(_))
    }
}

impl Details {
    /// The place as `line` has it.
    fn place(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.file.as_ref().map(|file| file.display().to_string()));
        parts.extend(self.offset.map(|offset| format!("offset {offset}")));
        parts.extend(self.record.map(|record| format!("record {record}")));
        if !self.path.is_empty() {
            parts.push(format!("in {}", self.path));
        }
        parts.join(", ")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = self.details();
        if !details.message.contains('\n') {
            return write!(f, "{}: {}", self.code(), details.line);
        }
        write!(f, "{}: {}", self.code(), details.message)?;
        match &*details.place() {
            "" => Ok(()),
            place => write!(f, "\n({place})"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        f.write_str(if self.is_element() { "Element " } else { "Call " })?;
        self.details().fmt(f)
    }
}

impl std::error::Error for Error {}

/// The bytes of a string of the library.
///
/// # Safety
/// The string must be alive for `'a`.
pub(crate) unsafe fn bytes<'a>(text: sys::weir_string) -> &'a [u8] {
    if text.size == 0 {
        return &[];
    }
    std::slice::from_raw_parts(text.data.cast(), text.size as usize)
}

unsafe fn text(from: sys::weir_string) -> String {
    String::from_utf8_lossy(bytes(from)).into_owned()
}

#[cold]
fn take(result: i32, mut from: sys::weir_error) -> Error {
    // Safe: the library filled the error, and its strings live until it is cleared below.
    let details = unsafe {
        let file = bytes(from.file);
        Box::new(Details {
            code: Code::from_number(from.code),
            message: text(from.message),
            path: text(from.path),
            file: (!file.is_empty()).then(|| PathBuf::from(OsString::from_vec(file.to_vec()))),
            offset: u64::try_from(from.offset).ok(),
            record: u64::try_from(from.record).ok(),
            line: text(from.line),
        })
    };
    unsafe { sys::weir_error_clear(&mut from) };
    if result == sys::WEIR_ELEMENT_FAILED {
        Error::Element(details)
    } else {
        Error::Call(details)
    }
}

/// Calls a function of the library, and makes an [`Error`] of its error. Gives WEIR_OK, WEIR_END or WEIR_PENDING.
#[inline]
pub(crate) fn call(function: impl FnOnce(*mut sys::weir_error) -> i32) -> Result<i32> {
    let mut error = sys::weir_error::INIT;
    let result = function(&mut error);
    if result < 0 || result == sys::WEIR_ELEMENT_FAILED {
        return Err(take(result, error));
    }
    Ok(result)
}

/// An error for wrong use of this crate, in the words of the library.
pub(crate) fn expected_found(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Code::InvalidArgument, format!("expected {expected}, found {found}"))
}

/// The bytes that a call makes.
pub(crate) fn bytes_of(make: impl FnOnce(*mut sys::weir_bytes, *mut sys::weir_error) -> i32) -> Result<Vec<u8>> {
    let mut out = sys::weir_bytes::INIT;
    call(|error| make(&mut out, error))?;
    Ok(owned(out))
}

/// The same as text.
pub(crate) fn text_of(make: impl FnOnce(*mut sys::weir_bytes, *mut sys::weir_error) -> i32) -> Result<String> {
    let mut out = sys::weir_bytes::INIT;
    call(|error| make(&mut out, error))?;
    Ok(owned_text(out))
}

/// Bytes that the library made, as a vector.
pub(crate) fn owned(mut bytes_of: sys::weir_bytes) -> Vec<u8> {
    let view = sys::weir_string {
        data: bytes_of.data,
        size: bytes_of.size,
    };
    // Safe: they live until they are released.
    let out = unsafe { bytes(view) }.to_vec();
    unsafe { sys::weir_bytes_release(&mut bytes_of) };
    out
}

/// The same as text; the library writes UTF-8.
pub(crate) fn owned_text(bytes_of: sys::weir_bytes) -> String {
    String::from_utf8_lossy(&owned(bytes_of)).into_owned()
}
