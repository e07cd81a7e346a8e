//! Memory of the program that pipelines read.

use std::any::Any;
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;

use weir_sys as sys;

use crate::dlpack::Dlpack;
use crate::dtype::{DType, Plain};
use crate::error::{call, Result};
use crate::view::View;

struct Handle(sys::weir_tensor);

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::weir_tensor_unref(self.0) }
    }
}

/// A tensor, immutable and shared: clones are the same one.
#[derive(Clone)]
pub struct Tensor(Arc<Handle>);

impl Tensor {
    /// Takes a vector over, without a copy. It is dropped when nothing uses the tensor any more, on any thread. An error
    /// if `dims` asks for another number of entries.
    pub fn from_vec<T: Plain>(dims: &[i64], values: Vec<T>) -> Result<Self> {
        let (data, size) = (values.as_ptr().cast(), std::mem::size_of_val(&values[..]));
        // Safe: a vector's entries stay where they are when it is moved, and it is not changed any more.
        unsafe { Self::wrap(T::DTYPE, dims, data, size as u64, Box::new(values)) }
    }

    /// The same for strings: one for each entry.
    pub fn from_strings<S: AsRef<[u8]>>(dims: &[i64], values: &[S]) -> Result<Self> {
        let entries: Vec<_> = values.iter().map(|value| string_of(value.as_ref())).collect();
        let (data, size) = (entries.as_ptr().cast(), std::mem::size_of_val(&entries[..]));
        Self::copy_of(DType::String, dims, data, size as u64)
    }

    /// Copies borrowed data, since it is unknown when a pipeline is done with it.
    pub fn from_slice<T: Plain>(dims: &[i64], values: &[T]) -> Result<Self> {
        let size = std::mem::size_of_val(values) as u64;
        Self::copy_of(T::DTYPE, dims, values.as_ptr().cast(), size)
    }

    /// Reads what is borrowed for ever, without a copy.
    pub fn from_static<T: Plain>(dims: &[i64], values: &'static [T]) -> Result<Self> {
        let size = std::mem::size_of_val(values) as u64;
        // Safe: it lives and stays as it is until the end of the program.
        unsafe { Self::wrap(T::DTYPE, dims, values.as_ptr().cast(), size, Box::new(())) }
    }

    /// Takes an array over, without a copy if it is row-major and no part of a larger one.
    #[cfg(feature = "ndarray")]
    pub fn from_array<T: Plain, D: ndarray::Dimension>(array: ndarray::Array<T, D>) -> Result<Self> {
        let dims: Vec<i64> = array.shape().iter().map(|&n| n as i64).collect();
        if !array.is_standard_layout() {
            return Self::from_vec(&dims, array.iter().copied().collect());
        }
        let (begin, count) = (array.as_ptr() as usize, array.len());
        let entries = array.into_raw_vec();
        if entries.len() == count {
            return Self::from_vec(&dims, entries);
        }
        let skipped = (begin - entries.as_ptr() as usize) / std::mem::size_of::<T>();
        Self::from_slice(&dims, &entries[skipped..][..count])
    }

    /// Takes a tensor of another library over, without a copy unless it is not row-major, not aligned or of bools. Its
    /// deleter runs when nothing uses the tensor any more, on any thread; at once if this is an error.
    pub fn from_dlpack(tensor: Dlpack) -> Result<Self> {
        let mut out = sys::weir_tensor::default();
        call(|error| unsafe { sys::weir_tensor_from_dlpack(tensor.into_sys(), &mut out, error) })?;
        Ok(Self::adopt(out))
    }

    /// Its entries.
    pub fn view(&self) -> View<'_> {
        let mut out = sys::weir_view::INIT;
        call(|error| unsafe { sys::weir_tensor_view(self.0 .0, &mut out, error) }).expect("a tensor can be viewed");
        // Safe: a tensor never changes, and `self` keeps it.
        unsafe { View::new(out) }
    }

    /// Takes over a handle.
    pub(crate) fn adopt(raw: sys::weir_tensor) -> Self {
        Tensor(Arc::new(Handle(raw)))
    }

    pub(crate) fn raw(&self) -> sys::weir_tensor {
        self.0 .0
    }

    fn copy_of(dtype: DType, dims: &[i64], data: *const c_void, size: u64) -> Result<Self> {
        let mut out = sys::weir_tensor::default();
        call(|error| unsafe {
            sys::weir_tensor_copy(
                dtype as i32,
                dims.len() as i32,
                dims.as_ptr(),
                data,
                size,
                &mut out,
                error,
            )
        })?;
        Ok(Self::adopt(out))
    }

    /// # Safety
    /// `data` has `size` bytes of this dtype that don't change as long as `owner` lives.
    unsafe fn wrap(
        dtype: DType,
        dims: &[i64],
        data: *const c_void,
        size: u64,
        owner: Box<dyn Any + Send>,
    ) -> Result<Self> {
        unsafe extern "C" fn release(user_data: *mut c_void) {
            drop(Box::from_raw(user_data.cast::<Box<dyn Any + Send>>()));
        }
        let mut out = sys::weir_tensor::default();
        let user_data = Box::into_raw(Box::new(owner)).cast();
        // The library releases the owner if the call fails.
        call(|error| {
            sys::weir_tensor_wrap(
                dtype as i32,
                dims.len() as i32,
                dims.as_ptr(),
                data,
                size,
                Some(release),
                user_data,
                &mut out,
                error,
            )
        })?;
        Ok(Self::adopt(out))
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({:?})", self.view())
    }
}

/// Bytes as the library takes them, for as long as they are borrowed.
pub(crate) fn string_of(bytes: &[u8]) -> sys::weir_string {
    sys::weir_string {
        data: bytes.as_ptr().cast::<c_char>(),
        size: bytes.len() as u64,
    }
}
