//! The boundary where the library calls code of the program. No panic passes it.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::error::{Code, Error, Result};

/// Runs code of the program; a panic becomes an error.
pub(crate) fn guarded<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(panicked(payload)))
}

/// Drops something of the program's. A panic then has nobody to report to.
pub(crate) fn dropped<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        let _ = panicked(payload);
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> Error {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    // A payload may panic when it is dropped.
    if text.is_none() {
        std::mem::forget(payload);
    }
    Error::new(
        Code::Internal,
        format!("the program panicked: {}", text.as_deref().unwrap_or("no message")),
    )
}
