//! What an iterator fills.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt;
use std::marker::PhantomData;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use weir_sys as sys;

use crate::dataset::Dataset;
use crate::dlpack::Dlpack;
use crate::dtype::{Bytes, Entry, Plain};
use crate::error::{bytes, call, text_of, Result};
use crate::runtime::Runtime;
use crate::tensor::Tensor;
use crate::view::View;

/// A record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub file: PathBuf,
    /// The record in it, counted from 0.
    pub record: u64,
}

/// One item of a sequence. What it shows borrows it, so it can be filled again only when that is gone.
pub struct Element {
    handle: sys::weir_element,
    // One thread at a time may use an element.
    not_sync: PhantomData<Cell<()>>,
}

impl Element {
    /// An empty element, for [`Iter::next_into`](crate::Iter::next_into).
    pub fn new() -> Result<Self> {
        let mut handle = sys::weir_element::default();
        call(|error| unsafe { sys::weir_element_create(&mut handle, error) })?;
        Ok(Element {
            handle,
            not_sync: PhantomData,
        })
    }

    /// A component of the flat list, in which the components of a dict stand in written order.
    /// [`Spec::component`](crate::Spec::component) finds one by name.
    #[inline]
    pub fn view(&self, index: usize) -> Result<View<'_>> {
        let mut out = sys::weir_view::INIT;
        // The first version, for which the library refuses memory of a device: slices are of the host's.
        out.struct_size = 40;
        call(|error| unsafe { sys::weir_element_view(self.handle, number(index), &mut out, error) })?;
        // Safe: it is valid until the element is filled again, which takes `&mut self`.
        Ok(unsafe { View::new(out) })
    }

    /// The entries of a component, row-major.
    #[inline]
    pub fn slice<T: Entry>(&self, index: usize) -> Result<&[T]> {
        self.view(index)?.slice::<T>()
    }

    /// The only entry of a component without dimensions.
    #[inline]
    pub fn scalar<T: Plain>(&self, index: usize) -> Result<T> {
        self.view(index)?.scalar::<T>()
    }

    /// The entries of a component of strings; each is a `[u8]`.
    pub fn strings(&self, index: usize) -> Result<&[Bytes]> {
        self.slice::<Bytes>(index)
    }

    /// The only entry of a component of strings without dimensions.
    pub fn string(&self, index: usize) -> Result<&[u8]> {
        self.view(index)?.string()
    }

    /// The component as a tensor of its own, without a copy. Filling the element again doesn't touch it.
    pub fn tensor(&self, index: usize) -> Result<Tensor> {
        let mut out = sys::weir_tensor::default();
        call(|error| unsafe { sys::weir_element_tensor(self.handle, number(index), &mut out, error) })?;
        Ok(Tensor::adopt(out))
    }

    /// The component for another library, without a copy. It is read-only, since the element still shows the memory. An
    /// error for strings and nested datasets, which DLPack has no type for.
    pub fn dlpack(&self, index: usize) -> Result<Dlpack> {
        self.exported(index, sys::WEIR_DLPACK_READ_ONLY)
    }

    /// The same with a copy, so that the receiver may write in any case.
    pub fn dlpack_writable(&self, index: usize) -> Result<Dlpack> {
        self.exported(index, sys::WEIR_DLPACK_WRITABLE)
    }

    fn exported(&self, index: usize, flags: u32) -> Result<Dlpack> {
        let mut out = std::ptr::null_mut();
        call(|error| unsafe { sys::weir_element_dlpack(self.handle, number(index), flags, &mut out, error) })?;
        // Safe: the library made it, and this is its only owner.
        Ok(unsafe { Dlpack::adopt(out) })
    }

    /// The dataset that a component holds, such as one of `window`.
    pub fn dataset(&self, runtime: &Runtime, index: usize) -> Result<Dataset> {
        let mut out = sys::weir_dataset::default();
        call(|error| unsafe { sys::weir_element_dataset(self.handle, number(index), &mut out, error) })?;
        Ok(Dataset::adopt(runtime.clone(), out))
    }

    /// The record that it came from, or that row `row` of several did; a batch has that of its first member.
    pub fn origin(&self, row: usize) -> Result<Option<Origin>> {
        let mut out = sys::weir_origin::INIT;
        call(|error| unsafe { sys::weir_element_origin(self.handle, number(row), &mut out, error) })?;
        // Safe: the name is valid until the next call for this element.
        let file = unsafe { bytes(out.file) }.to_vec();
        Ok(u64::try_from(out.record).ok().map(|record| Origin {
            file: PathBuf::from(OsString::from_vec(file)),
            record,
        }))
    }

    /// The element as one line in the notation. A nested dataset is read to its end for it.
    pub fn text(&self) -> Result<String> {
        self.format(sys::WEIR_TEXT)
    }

    /// The element as one value of JSON.
    pub fn json(&self) -> Result<String> {
        self.format(0)
    }

    /// Releases the values, so that their memory can be used elsewhere.
    pub fn clear(&mut self) {
        unsafe { sys::weir_element_clear(self.handle) }
    }

    fn format(&self, flags: u32) -> Result<String> {
        text_of(|out, error| unsafe { sys::weir_element_format(self.handle, flags, out, error) })
    }

    #[inline]
    pub(crate) fn raw(&mut self) -> sys::weir_element {
        self.handle
    }
}

/// An index as the library takes it; one beyond its reach is out of range there too.
#[inline]
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Drop for Element {
    fn drop(&mut self) {
        unsafe { sys::weir_element_destroy(self.handle) }
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => write!(f, "Element({text})"),
            Err(_) => f.write_str("Element"),
        }
    }
}
