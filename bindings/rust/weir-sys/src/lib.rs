//! The C interface of weir as it is: `weir.h` in Rust.
//!
//! The comments are those of the header, which begins with the rules for handles, strings, errors and threads. The crate
//! `weir` is what programs use.
#![allow(non_camel_case_types)]

#[rustfmt::skip]
mod bindings;
pub mod dlpack;

pub use bindings::*;
