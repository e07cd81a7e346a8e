//! The types of entries.

use std::fmt;
use std::ops::Deref;

use weir_sys as sys;

macro_rules! dtypes {
    ($($name:ident = $value:ident, $text:literal;)*) => {
        /// The type of a component's entries.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum DType {
            $(#[doc = concat!("`", $text, "`")] $name = sys::$value,)*
        }

        impl DType {
            /// The dtype with this number, if there is one.
            pub fn from_number(number: i32) -> Option<Self> {
                match number {
                    $(sys::$value => Some(DType::$name),)*
                    _ => None,
                }
            }

            /// Its name in the notation.
            pub fn name(self) -> &'static str {
                match self {
                    $(DType::$name => $text,)*
                }
            }
        }
    };
}

dtypes! {
    Bool = WEIR_DTYPE_BOOL, "bool";
    Int8 = WEIR_DTYPE_INT8, "int8";
    Int16 = WEIR_DTYPE_INT16, "int16";
    Int32 = WEIR_DTYPE_INT32, "int32";
    Int64 = WEIR_DTYPE_INT64, "int64";
    Uint8 = WEIR_DTYPE_UINT8, "uint8";
    Uint16 = WEIR_DTYPE_UINT16, "uint16";
    Uint32 = WEIR_DTYPE_UINT32, "uint32";
    Uint64 = WEIR_DTYPE_UINT64, "uint64";
    Float16 = WEIR_DTYPE_FLOAT16, "float16";
    Bfloat16 = WEIR_DTYPE_BFLOAT16, "bfloat16";
    Float32 = WEIR_DTYPE_FLOAT32, "float32";
    Float64 = WEIR_DTYPE_FLOAT64, "float64";
    Complex64 = WEIR_DTYPE_COMPLEX64, "complex64";
    Complex128 = WEIR_DTYPE_COMPLEX128, "complex128";
    String = WEIR_DTYPE_STRING, "string";
    Dataset = WEIR_DTYPE_DATASET, "dataset";
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A type that entries can be read as.
///
/// # Safety
/// Its memory is that of an entry of `DTYPE`.
pub unsafe trait Entry: 'static {
    /// The dtype of such entries.
    const DTYPE: DType;
}

/// An entry that is a plain value, so that a program can make some of its own. All bits 0 is such a value.
///
/// # Safety
/// It has no padding and owns nothing.
pub unsafe trait Plain: Entry + Copy + Send + Sync {}

/// A float of 16 bits, by its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Float16(pub u16);

/// The upper 16 bits of a `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Bfloat16(pub u16);

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Complex<T> {
    /// Its real part.
    pub re: T,
    /// Its imaginary part.
    pub im: T,
}

macro_rules! plain {
    ($($type:ty = $dtype:ident,)*) => {
        $(unsafe impl Entry for $type {
            const DTYPE: DType = DType::$dtype;
        }
        unsafe impl Plain for $type {})*
    };
}

plain! {
    bool = Bool, i8 = Int8, i16 = Int16, i32 = Int32, i64 = Int64, u8 = Uint8, u16 = Uint16, u32 = Uint32,
    u64 = Uint64, Float16 = Float16, Bfloat16 = Bfloat16, f32 = Float32, f64 = Float64, Complex<f32> = Complex64,
    Complex<f64> = Complex128,
}

/// A string entry: bytes of any length.
#[repr(transparent)]
pub struct Bytes(sys::weir_string);

// The bytes are read only, and who gave the entry keeps them alive.
unsafe impl Send for Bytes {}
unsafe impl Sync for Bytes {}
unsafe impl Entry for Bytes {
    const DTYPE: DType = DType::String;
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // Safe: whoever has the entry borrows what keeps its bytes.
        unsafe { crate::error::bytes(self.0) }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
    }
}

impl PartialEq<[u8]> for Bytes {
    fn eq(&self, other: &[u8]) -> bool {
        **self == *other
    }
}
