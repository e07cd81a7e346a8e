//! Loads data for programs that train or run models: the pipelines of tf.data as a library, with exact checkpoints.
//!
//! ```
//! fn main() -> weir::Result<()> {
//!     let dataset = weir::range(10).map("x -> x * 2").batch(4).build(&weir::Runtime::new()?)?;
//!     for element in dataset.iter()? {
//!         println!("{:?}", element?.slice::<i64>(0)?);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! prints `[0, 2, 4, 6]`, `[8, 10, 12, 14]` and `[16, 18]`. The same as a text:
//!
//! ```
//! let runtime = weir::Runtime::new()?;
//! let dataset = weir::parse(&runtime, "range(10) | map(x -> x * 2) | batch(4)")?;
//! assert_eq!(dataset.iter()?.count(), 3);
//! # Ok::<(), weir::Error>(())
//! ```
//!
//! A [`Dataset`] is an immutable description of a sequence. An [`Element`] is one item of it, a nested structure of
//! components; a component is one tensor, and a [`View`] reads it in place. An [`Iter`] is a position in a dataset, which
//! [`Iter::save`] gives as bytes. An element that fails is an `Err` in its place, and the next one follows.
#![warn(missing_docs)]

mod argument;
mod callback;
mod checkpoint;
mod dataset;
mod digest;
mod dlpack;
mod dtype;
mod element;
mod error;
#[doc(hidden)]
pub mod extension;
mod file_system;
mod generator;
mod guard;
mod iterator;
#[rustfmt::skip]
mod operators;
mod pipeline;
mod record;
mod runtime;
mod spec;
mod tensor;
mod view;

pub use argument::Argument;
pub use callback::{Call, Callback, Stateful};
pub use checkpoint::{describe_checkpoint, CheckpointManager, Generation, ManagerOptions, Ranks};
pub use dataset::{check, parse, parse_with, Cardinality, Dataset};
pub use digest::{digest, Digest};
pub use dlpack::Dlpack;
pub use dtype::{Bfloat16, Bytes, Complex, DType, Entry, Float16, Plain};
pub use element::{Element, Origin};
pub use error::{Code, Details, Error, Result};
pub use file_system::{File, FileInfo, FileSystem, Read, Writer};
pub use generator::{Generator, Run, Source};
pub use iterator::{Buffer, CheckpointPolicy, Iter, IterOptions, Next, StatsFormat};
pub use operators::*;
pub use pipeline::{
    generate, Auto, Bool, DTypeName, DatasetList, Datasets, Expression, Files, Function, Int, Nothing, Operand,
    Pipeline, Seed, SpecText, Text, Value, ValueOrDataset, Values,
};
pub use record::{Compression, Example, RecordWriter};
pub use runtime::{Level, Runtime, RuntimeOptions};
pub use spec::{Kind, Spec};
pub use tensor::Tensor;
pub use view::View;
pub use weir_sys as sys;

/// The crate whose arrays the feature `ndarray` takes and gives.
#[cfg(feature = "ndarray")]
pub use ndarray;

/// The version of the library that is running.
pub fn version() -> &'static str {
    // Safe: the string is never freed, and a NUL ends it.
    unsafe { std::ffi::CStr::from_ptr(sys::weir_version()) }
        .to_str()
        .unwrap_or("")
}

/// Describes the operator or function of a name, or all of them, as JSON or as text for a terminal.
pub fn schema(name: Option<&str>, text: bool) -> Result<String> {
    let name = name.map(|name| tensor::string_of(name.as_bytes()));
    let (data, size) = name.map_or((std::ptr::null(), 0), |name| (name.data, name.size));
    let flags = if text { sys::WEIR_TEXT } else { 0 };
    error::text_of(|out, error| unsafe { sys::weir_schema(data, size, flags, out, error) })
}
