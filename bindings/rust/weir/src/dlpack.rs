//! Tensors in the form in which libraries hand them to each other.

use std::fmt;
use std::ptr::NonNull;
use std::slice;

use weir_sys as sys;
use weir_sys::dlpack::{DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_READ_ONLY, DLPACK_MAJOR_VERSION};

use crate::error::{expected_found, Result};

/// An owned tensor of [DLPack](https://github.com/dmlc/dlpack), version 1: libraries hand such tensors to each other
/// without a copy. Its deleter runs once: when this is dropped, unless [`into_raw`](Self::into_raw) or
/// [`Tensor::from_dlpack`](crate::Tensor::from_dlpack) passed it on.
///
/// [`Element::dlpack`](crate::Element::dlpack) gives one of weir's, [`from_raw`](Self::from_raw) takes one of another
/// library over.
pub struct Dlpack(NonNull<DLManagedTensorVersioned>);

// The deleter may be called on any thread, and only one has the tensor.
unsafe impl Send for Dlpack {}

impl Dlpack {
    /// Takes over what another library made, such as the contents of a capsule of Python. An error for null and for another
    /// major version, whose deleter runs at once.
    ///
    /// # Safety
    /// `managed` is null or a valid tensor that the caller owns and gives up. Its memory doesn't change as long as a
    /// [`Tensor`](crate::Tensor) made from it is used.
    pub unsafe fn from_raw(managed: *mut DLManagedTensorVersioned) -> Result<Self> {
        let managed = NonNull::new(managed).ok_or_else(|| expected_found("a DLPack tensor", "null"))?;
        let out = Dlpack(managed);
        match managed.as_ref().version.major {
            DLPACK_MAJOR_VERSION => Ok(out),
            major => Err(expected_found(format!("DLPack version {DLPACK_MAJOR_VERSION}"), major)),
        }
    }

    /// Hands it over to other code, which calls the deleter once.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// What it says, for code that reads it in place.
    pub fn as_ptr(&self) -> *const DLManagedTensorVersioned {
        self.0.as_ptr()
    }

    /// Whether the memory must not be written to.
    pub fn is_read_only(&self) -> bool {
        self.managed().flags & DLPACK_FLAG_BITMASK_READ_ONLY != 0
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[i64] {
        let tensor = &self.managed().dl_tensor;
        if tensor.ndim <= 0 {
            return &[];
        }
        // Safe: there are `ndim` of them, as long as the tensor is owned.
        unsafe { slice::from_raw_parts(tensor.shape, tensor.ndim as usize) }
    }

    fn managed(&self) -> &DLManagedTensorVersioned {
        // Safe: it is owned.
        unsafe { self.0.as_ref() }
    }

    /// What the library gave.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw), of this version, and not null.
    pub(crate) unsafe fn adopt(managed: *mut sys::DLManagedTensorVersioned) -> Self {
        Dlpack(NonNull::new_unchecked(managed.cast()))
    }

    pub(crate) fn into_sys(self) -> *mut sys::DLManagedTensorVersioned {
        self.into_raw().cast()
    }
}

impl Drop for Dlpack {
    fn drop(&mut self) {
        // Safe: it is owned, so this is the one call.
        unsafe {
            if let Some(deleter) = self.managed().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

impl fmt::Debug for Dlpack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dlpack({:?})", self.dims())
    }
}
