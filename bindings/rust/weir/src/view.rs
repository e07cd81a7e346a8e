//! Tensors read in place.

use std::fmt;
use std::marker::PhantomData;
use std::slice;

use weir_sys as sys;

use crate::dtype::{Bytes, DType, Entry, Plain};
use crate::error::{expected_found, Result};

/// One tensor, row-major, read in place for as long as `'a`.
#[derive(Clone, Copy)]
pub struct View<'a> {
    raw: sys::weir_view,
    life: PhantomData<&'a [u8]>,
}

// A view only reads, and what it reads doesn't change while it is borrowed.
unsafe impl Send for View<'_> {}
unsafe impl Sync for View<'_> {}

impl<'a> View<'a> {
    /// # Safety
    /// What `raw` points to lives and stays as it is for `'a`.
    #[inline]
    pub(crate) unsafe fn new(raw: sys::weir_view) -> Self {
        View { raw, life: PhantomData }
    }

    /// The type of its entries.
    #[inline]
    pub fn dtype(&self) -> DType {
        DType::from_number(self.raw.dtype).expect("a tensor of this version's dtypes")
    }

    /// Its dimensions.
    #[inline]
    pub fn dims(&self) -> &'a [i64] {
        if self.raw.rank == 0 {
            return &[];
        }
        // Safe: there are `rank` of them, and they live as long as the entries.
        unsafe { slice::from_raw_parts(self.raw.dims, self.raw.rank as usize) }
    }

    /// Its entries. An error if they are of another type.
    #[inline]
    pub fn slice<T: Entry>(&self) -> Result<&'a [T]> {
        if self.raw.dtype != T::DTYPE as i32 {
            return Err(expected_found(T::DTYPE, self.dtype()));
        }
        let count = self.raw.byte_size as usize / std::mem::size_of::<T>();
        if count == 0 {
            return Ok(&[]);
        }
        // Safe: an entry of this dtype is a T, and `data` is aligned for it.
        Ok(unsafe { slice::from_raw_parts(self.raw.data.cast::<T>(), count) })
    }

    /// Its only entry. An error if it has another rank than 0 or entries of another type.
    #[inline]
    pub fn scalar<T: Plain>(&self) -> Result<T> {
        Ok(*self.single::<T>()?)
    }

    /// Its only entry, a string.
    pub fn string(&self) -> Result<&'a [u8]> {
        self.single::<Bytes>().map(|entry| &**entry)
    }

    fn single<T: Entry>(&self) -> Result<&'a T> {
        if self.raw.rank != 0 {
            return Err(expected_found(
                "a scalar",
                format!("a tensor of shape {:?}", self.dims()),
            ));
        }
        Ok(&self.slice::<T>()?[0])
    }

    /// Its entries as they lie in memory. An error for strings, whose bytes lie elsewhere.
    pub fn raw_bytes(&self) -> Result<&'a [u8]> {
        if self.raw.dtype == sys::WEIR_DTYPE_STRING {
            return Err(expected_found("numbers", "strings"));
        }
        if self.raw.byte_size == 0 {
            return Ok(&[]);
        }
        // Safe: plain entries are bytes too.
        Ok(unsafe { slice::from_raw_parts(self.raw.data.cast(), self.raw.byte_size as usize) })
    }

    /// Its entries as an array of the crate `ndarray`, without a copy.
    #[cfg(feature = "ndarray")]
    pub fn array<T: Plain>(&self) -> Result<ndarray::ArrayViewD<'a, T>> {
        let shape: Vec<usize> = self.dims().iter().map(|&n| n as usize).collect();
        let entries = self.slice::<T>()?;
        Ok(ndarray::ArrayViewD::from_shape(shape, entries).expect("as many entries as the shape says"))
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.dtype(), self.dims())
    }
}
