//! The structure of elements.

use std::fmt;
use std::sync::Arc;

use weir_sys as sys;

use crate::dtype::DType;
use crate::error::{bytes, call, owned_text, Result};
use crate::tensor::string_of;

struct Handle(sys::weir_spec);

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::weir_spec_unref(self.0) }
    }
}

/// What a [`Spec`] is at its top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// One tensor.
    Tensor,
    /// Members by position.
    Tuple,
    /// Members by key.
    Dict,
    /// Components: indices, values, shape.
    Sparse,
    /// Components: values, row splits.
    Ragged,
    /// Components: whether there is a value, and those of the value.
    Optional,
    /// A nested dataset.
    Dataset,
}

/// The structure of an element, immutable and shared: clones are the same one.
#[derive(Clone)]
pub struct Spec(Arc<Handle>);

impl Spec {
    /// Reads a text such as `{image: uint8[28, 28], label: int64}`.
    pub fn parse(text: &str) -> Result<Self> {
        let text = string_of(text.as_bytes());
        let mut out = sys::weir_spec::default();
        call(|error| unsafe { sys::weir_spec_parse(text.data, text.size, &mut out, error) })?;
        Ok(Self::adopt(out))
    }

    /// What it is at its top.
    pub fn kind(&self) -> Kind {
        match self.info().kind {
            sys::WEIR_SPEC_TENSOR => Kind::Tensor,
            sys::WEIR_SPEC_TUPLE => Kind::Tuple,
            sys::WEIR_SPEC_DICT => Kind::Dict,
            sys::WEIR_SPEC_SPARSE => Kind::Sparse,
            sys::WEIR_SPEC_RAGGED => Kind::Ragged,
            sys::WEIR_SPEC_OPTIONAL => Kind::Optional,
            _ => Kind::Dataset,
        }
    }

    /// The dtype of a tensor, sparse or ragged one.
    pub fn dtype(&self) -> Option<DType> {
        DType::from_number(self.info().dtype)
    }

    /// The dimensions of a tensor, sparse or ragged one, each `None` where it is not known; `None` where their number
    /// isn't.
    pub fn dims(&self) -> Option<Vec<Option<i64>>> {
        let info = self.info();
        let rank = usize::try_from(info.rank).ok()?;
        // Safe: there are `rank` of them.
        let dims = (0..rank).map(|i| unsafe { *info.dims.add(i) });
        Some(dims.map(|n| (n >= 0).then_some(n)).collect())
    }

    /// Its members, with their keys, which are empty except in a dict.
    pub fn children(&self) -> Result<Vec<(String, Spec)>> {
        (0..self.info().child_count).map(|index| self.child(index)).collect()
    }

    /// How many components an element has.
    pub fn component_count(&self) -> usize {
        self.info().component_count as usize
    }

    /// The index of a component, by its path: `image`, `1`, `pair.0`; an empty one where there is only one component.
    pub fn component(&self, path: &str) -> Result<usize> {
        let path = string_of(path.as_bytes());
        let mut out = 0;
        call(|error| unsafe { sys::weir_spec_component(self.raw(), path.data, path.size, &mut out, error) })?;
        Ok(out as usize)
    }

    /// The dtypes of all components.
    pub fn component_dtypes(&self) -> Result<Vec<DType>> {
        let mut out = Vec::new();
        self.add_dtypes(&mut out)?;
        Ok(out)
    }

    fn add_dtypes(&self, out: &mut Vec<DType>) -> Result<()> {
        let dtype = self.dtype().unwrap_or(DType::Int64);
        match self.kind() {
            Kind::Tensor => out.push(dtype),
            Kind::Sparse => out.extend([DType::Int64, dtype, DType::Int64]),
            Kind::Ragged => out.extend([dtype, DType::Int64]),
            Kind::Dataset => out.push(DType::Dataset),
            Kind::Optional => {
                out.push(DType::Bool);
                self.child(0)?.1.add_dtypes(out)?;
            }
            Kind::Tuple | Kind::Dict => {
                for (_, child) in self.children()? {
                    child.add_dtypes(out)?;
                }
            }
        }
        Ok(())
    }

    fn child(&self, index: u32) -> Result<(String, Spec)> {
        let mut out = sys::weir_spec::default();
        let mut key = sys::weir_string {
            data: std::ptr::null(),
            size: 0,
        };
        call(|error| unsafe { sys::weir_spec_child(self.raw(), index, &mut out, &mut key, error) })?;
        // Safe: the key lives as long as this spec.
        let key = String::from_utf8_lossy(unsafe { bytes(key) }).into_owned();
        Ok((key, Self::adopt(out)))
    }

    fn info(&self) -> sys::weir_spec_info {
        let mut out = sys::weir_spec_info::INIT;
        call(|error| unsafe { sys::weir_spec_view(self.raw(), &mut out, error) }).expect("a spec can be viewed");
        out
    }

    pub(crate) fn adopt(raw: sys::weir_spec) -> Self {
        Spec(Arc::new(Handle(raw)))
    }

    // A handle of its own, for the library.
    pub(crate) fn into_raw(self) -> sys::weir_spec {
        call(|error| unsafe { sys::weir_spec_ref(self.raw(), error) }).expect("a spec can have another owner");
        self.raw()
    }

    pub(crate) fn raw(&self) -> sys::weir_spec {
        self.0 .0
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = sys::weir_bytes::INIT;
        call(|error| unsafe { sys::weir_spec_format(self.raw(), &mut out, error) }).map_err(|_| fmt::Error)?;
        f.write_str(&owned_text(out))
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({self})")
    }
}
