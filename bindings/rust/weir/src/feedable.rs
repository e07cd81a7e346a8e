//! Iterators for which the program names another one at each call.

use std::fmt;
use std::time::Duration;

use weir_sys as sys;

use crate::element::Element;
use crate::error::{call, Result};
use crate::iterator::{next_of, Next};
use crate::spec::Spec;
use crate::tensor::string_of;

/// Takes each element from the iterator that [`Iter::string_handle`](crate::Iter::string_handle) names. That one keeps its
/// position, so training can pause for validation and go on.
pub struct Feedable(sys::weir_feedable);

impl Feedable {
    /// One for elements of this structure.
    pub fn new(spec: &Spec) -> Result<Self> {
        let mut out = sys::weir_feedable::default();
        call(|error| unsafe { sys::weir_feedable_create(spec.raw(), &mut out, error) })?;
        Ok(Feedable(out))
    }

    /// Fills `element` with the next element of the iterator that `handle` names; `false` at its end.
    pub fn next_into(&self, handle: &str, element: &mut Element) -> Result<bool> {
        let (name, raw) = (string_of(handle.as_bytes()), element.raw());
        call(|error| unsafe { sys::weir_feedable_next(self.0, name.data, name.size, raw, error) })
            .map(|result| result == sys::WEIR_OK)
    }

    /// The same without waiting for other threads.
    pub fn try_next_into(&self, handle: &str, element: &mut Element) -> Result<Next> {
        let (name, raw) = (string_of(handle.as_bytes()), element.raw());
        call(|error| unsafe { sys::weir_feedable_try_next(self.0, name.data, name.size, raw, error) }).map(next_of)
    }

    /// The same, waiting for at most so long.
    pub fn next_within(&self, handle: &str, timeout: Duration, element: &mut Element) -> Result<Next> {
        let (name, raw) = (string_of(handle.as_bytes()), element.raw());
        let timeout_ns = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        call(|error| unsafe { sys::weir_feedable_next_within(self.0, name.data, name.size, timeout_ns, raw, error) })
            .map(next_of)
    }
}

impl Drop for Feedable {
    fn drop(&mut self) {
        unsafe { sys::weir_feedable_destroy(self.0) }
    }
}

impl fmt::Debug for Feedable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Feedable")
    }
}
