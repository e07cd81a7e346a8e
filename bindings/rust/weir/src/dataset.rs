//! Descriptions of sequences.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use weir_sys as sys;

use crate::argument::{with_raw, Argument};
use crate::element::Element;
use crate::error::{bytes_of, call, owned_text, text_of, Result};
use crate::iterator::{Iter, IterOptions};
use crate::runtime::Runtime;
use crate::spec::Spec;
use crate::tensor::string_of;

struct Inner {
    runtime: Runtime,
    handle: sys::weir_dataset,
    loops: AtomicU64,
}

impl Drop for Inner {
    fn drop(&mut self) {
        unsafe { sys::weir_dataset_unref(self.handle) }
    }
}

/// How many elements a dataset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// So many.
    Known(u64),
    /// It never ends.
    Infinite,
    /// Only reading it would tell.
    Unknown,
}

/// An immutable description of a sequence; clones are the same one.
#[derive(Clone)]
pub struct Dataset(Arc<Inner>);

/// Makes a dataset from a text such as `range(10) | batch(4)`. Everything is checked now except what depends on the data.
pub fn parse(runtime: &Runtime, text: &str) -> Result<Dataset> {
    parse_with(runtime, text, &[])
}

/// The same for a text that refers to arguments as `@NAME`. A text among them is a string, byte for byte, so
/// `tfrecord(@file)` needs no quotes.
pub fn parse_with(runtime: &Runtime, text: &str, arguments: &[(String, Argument)]) -> Result<Dataset> {
    let text = string_of(text.as_bytes());
    let mut out = sys::weir_dataset::default();
    with_raw(arguments, |list, count| {
        call(|error| unsafe {
            sys::weir_dataset_parse(runtime.raw(), text.data, text.size, list, count, &mut out, error)
        })
    })?;
    Ok(Dataset::adopt(runtime.clone(), out))
}

/// The mistakes of a text as JSON: `[]` if it builds.
pub fn check(runtime: &Runtime, text: &str, arguments: &[(String, Argument)]) -> Result<String> {
    let text = string_of(text.as_bytes());
    let mut out = sys::weir_bytes::INIT;
    with_raw(arguments, |list, count| {
        call(|error| unsafe {
            sys::weir_dataset_check(runtime.raw(), text.data, text.size, list, count, 0, &mut out, error)
        })
    })?;
    Ok(owned_text(out))
}

pub(crate) fn apply(
    runtime: &Runtime,
    operator: &str,
    inputs: &[sys::weir_dataset],
    arguments: &[(String, Argument)],
) -> Result<Dataset> {
    let name = string_of(operator.as_bytes());
    let (first, count) = (inputs.as_ptr(), inputs.len() as u64);
    let mut out = sys::weir_dataset::default();
    with_raw(arguments, |list, size| {
        call(|error| unsafe {
            sys::weir_dataset_apply(
                runtime.raw(),
                name.data,
                name.size,
                first,
                count,
                list,
                size,
                &mut out,
                error,
            )
        })
    })?;
    Ok(Dataset::adopt(runtime.clone(), out))
}

impl Dataset {
    /// Begins the next epoch, so that shuffles have another order at each call. Clones count together, other iterators don't.
    pub fn next_epoch(&self) -> Result<Iter> {
        self.iter_with(IterOptions::new().epoch(self.0.loops.fetch_add(1, Ordering::Relaxed)))
    }

    /// Begins it from its start, in the order of the first epoch.
    pub fn iter(&self) -> Result<Iter> {
        self.iter_with(IterOptions::new())
    }

    /// Begins it with parameters, at a checkpoint, in an epoch.
    pub fn iter_with(&self, options: IterOptions) -> Result<Iter> {
        Iter::create(self, options)
    }

    /// An iterator that begins with [`Iter::initialize`].
    pub fn iter_uninitialized(&self) -> Result<Iter> {
        Iter::create(self, IterOptions::uninitialized())
    }

    /// Fills `element` with the element at `position`, without reading those before it. An error for operators that don't
    /// know where their elements are.
    pub fn at(&self, position: i64, element: &mut Element) -> Result<()> {
        // Further below it would be one with WEIR_AT_TRY.
        let position = position.max(sys::WEIR_AT_TRY / 2);
        call(|error| unsafe {
            sys::weir_dataset_at(self.0.runtime.raw(), self.raw(), position, element.raw(), error)
        })?;
        Ok(())
    }

    /// Applies one operator: `input.apply("batch", &[], &[("n".into(), "32".into())])`. A text is a value of the notation,
    /// an empty name the next position.
    pub fn apply(&self, operator: &str, others: &[Dataset], arguments: &[(String, Argument)]) -> Result<Dataset> {
        let inputs: Vec<_> = std::iter::once(self).chain(others).map(Dataset::raw).collect();
        apply(&self.0.runtime, operator, &inputs, arguments)
    }

    /// The structure of its elements.
    pub fn spec(&self) -> Result<Spec> {
        let mut out = sys::weir_spec::default();
        call(|error| unsafe { sys::weir_dataset_spec(self.raw(), &mut out, error) })?;
        Ok(Spec::adopt(out))
    }

    /// How many elements it has.
    pub fn cardinality(&self) -> Result<Cardinality> {
        Ok(match self.info()?.cardinality {
            -1 => Cardinality::Infinite,
            count => u64::try_from(count).map_or(Cardinality::Unknown, Cardinality::Known),
        })
    }

    /// Its canonical text; parsing it gives an equal dataset.
    pub fn text(&self) -> Result<String> {
        text_of(|out, error| unsafe { sys::weir_dataset_format(self.raw(), out, error) })
    }

    /// The graph as bytes, for another process or another day. An error if it has a callback without a name.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        bytes_of(|out, error| unsafe { sys::weir_dataset_serialize(self.raw(), out, error) })
    }

    /// The dataset that [`Dataset::serialize`] wrote.
    pub fn deserialize(runtime: &Runtime, graph: &[u8], arguments: &[(String, Argument)]) -> Result<Dataset> {
        let mut out = sys::weir_dataset::default();
        with_raw(arguments, |list, count| {
            call(|error| unsafe {
                let (data, size) = (graph.as_ptr().cast(), graph.len() as u64);
                sys::weir_dataset_deserialize(runtime.raw(), data, size, list, count, &mut out, error)
            })
        })?;
        Ok(Self::adopt(runtime.clone(), out))
    }

    /// 128 bits that equal graphs share, in every process and on every machine.
    pub fn fingerprint(&self) -> Result<[u64; 2]> {
        Ok(self.info()?.fingerprint)
    }

    fn info(&self) -> Result<sys::weir_dataset_info> {
        let mut out = sys::weir_dataset_info::INIT;
        call(|error| unsafe { sys::weir_dataset_view(self.raw(), &mut out, error) })?;
        Ok(out)
    }

    /// What it will do and what saving an iterator takes, as JSON or as text for a terminal. Nothing is opened.
    pub fn explain(&self, text: bool) -> Result<String> {
        let flags = if text { sys::WEIR_TEXT } else { 0 };
        text_of(|out, error| unsafe { sys::weir_dataset_explain(self.raw(), flags, out, error) })
    }

    /// The runtime that it was made with.
    pub fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn adopt(runtime: Runtime, handle: sys::weir_dataset) -> Self {
        let loops = AtomicU64::new(0);
        Dataset(Arc::new(Inner { runtime, handle, loops }))
    }

    pub(crate) fn raw(&self) -> sys::weir_dataset {
        self.0.handle
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => write!(f, "Dataset({text})"),
            Err(_) => f.write_str("Dataset"),
        }
    }
}
