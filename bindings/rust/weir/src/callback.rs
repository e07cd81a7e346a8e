//! Functions of the program in a pipeline.

use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_sys as sys;

use crate::dtype::{DType, Plain};
use crate::error::{call, expected_found, Code, Error, Result};
use crate::guard::{dropped, guarded};
use crate::spec::Spec;
use crate::tensor::string_of;
use crate::view::View;

/// What a callback is given: its inputs, and memory for its results.
pub struct Call<'c> {
    raw: sys::weir_call,
    life: PhantomData<*mut &'c ()>,
}

impl<'c> Call<'c> {
    pub(crate) fn new(raw: sys::weir_call) -> Self {
        Call { raw, life: PhantomData }
    }

    /// The number of rows: 1 without [`Callback::block`].
    pub fn rows(&self) -> usize {
        (unsafe { sys::weir_call_rows(self.raw) }) as usize
    }

    /// A component of the element; with [`Callback::block`], the rows are its first dimension.
    pub fn input(&self, index: usize) -> Result<View<'c>> {
        let mut out = sys::weir_view::INIT;
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        call(|error| unsafe { sys::weir_call_input(self.raw, index, &mut out, error) })?;
        // Safe: it is valid until the callback returns, which ends 'c.
        Ok(unsafe { View::new(out) })
    }

    /// Memory for a component of the result, filled with zeros.
    pub fn output<T: Plain>(&mut self, index: usize, dims: &[i64]) -> Result<&mut [T]> {
        let count = dims.iter().product::<i64>() as usize;
        let out = self.memory(index, dims, T::DTYPE)?.cast::<T>();
        if count == 0 {
            return Ok(&mut []);
        }
        // Safe: the library gives room for so many entries of this dtype, for which zeros are a value, and nobody else has
        // it while `self` is borrowed.
        unsafe {
            out.write_bytes(0, count);
            Ok(slice::from_raw_parts_mut(out, count))
        }
    }

    /// Gives a component of the result.
    pub fn write<T: Plain>(&mut self, index: usize, dims: &[i64], values: &[T]) -> Result<()> {
        let out = self.output::<T>(index, dims)?;
        if out.len() != values.len() {
            return Err(expected_found(format!("{} values", out.len()), values.len()));
        }
        out.copy_from_slice(values);
        Ok(())
    }

    /// Gives a component of the result that is strings, whose bytes are copied.
    pub fn write_strings<S: AsRef<[u8]>>(&mut self, index: usize, dims: &[i64], values: &[S]) -> Result<()> {
        if dims.iter().product::<i64>() != values.len() as i64 {
            return Err(expected_found(format!("values for {dims:?}"), values.len()));
        }
        let out = self.memory(index, dims, DType::String)?.cast::<sys::weir_string>();
        for (i, value) in values.iter().enumerate() {
            let kept = self.keep(value.as_ref())?;
            // Safe: there is room for as many strings as there are values.
            unsafe { out.add(i).write(kept) };
        }
        Ok(())
    }

    /// Fails one row with an error of the program's own. The callback may go on with others.
    pub fn fail(&mut self, row: usize, code: Code, message: &str) -> Result<()> {
        let message = string_of(message.as_bytes());
        let row = i64::try_from(row).unwrap_or(i64::MAX);
        call(|error| unsafe { sys::weir_call_fail(self.raw, row, code as i32, message.data, message.size, error) })?;
        Ok(())
    }

    /// Whether the result is no longer needed, so that a long callback should return.
    pub fn cancelled(&self) -> bool {
        (unsafe { sys::weir_call_cancelled(self.raw) }) != 0
    }

    fn memory(&mut self, index: usize, dims: &[i64], dtype: DType) -> Result<*mut c_void> {
        // The library knows of which dtype the result is, and refuses another: WEIR_CALL_DTYPE. It refuses ranks of 255, too.
        let rank = dims.len().min(255) as i32 + dtype as i32 * 256;
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let mut out = std::ptr::null_mut();
        call(|error| unsafe { sys::weir_call_output(self.raw, index, rank, dims.as_ptr(), &mut out, error) })?;
        Ok(out)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<sys::weir_string> {
        let mut out = std::ptr::null_mut();
        call(|error| unsafe { sys::weir_call_allocate(self.raw, bytes.len() as u64, &mut out, error) })?;
        if !bytes.is_empty() {
            // Safe: there is room for them.
            unsafe { slice::from_raw_parts_mut(out.cast(), bytes.len()) }.copy_from_slice(bytes);
        }
        Ok(sys::weir_string {
            data: out.cast(),
            size: bytes.len() as u64,
        })
    }

    /// Fails every row with an error. The result fails them if its message is refused.
    pub(crate) fn fail_all(&mut self, error: &Error) -> i32 {
        let failed = (0..self.rows()).try_for_each(|row| self.fail(row, error.code(), error.message()));
        failed.map_or(-(error.code() as i32), |()| sys::WEIR_OK)
    }
}

/// The result of a function that gets no call and failed. Tells the library why first.
pub(crate) fn fail_unnamed(error: &Error) -> i32 {
    let _ = Call::new(sys::weir_call { value: 0 }).fail(0, error.code(), error.message());
    -(error.code() as i32)
}

/// A callback that remembers something from call to call, which checkpoints then have.
pub trait Stateful: Send {
    /// Makes one element.
    fn call(&mut self, call: &mut Call<'_>) -> Result<()>;
    /// What it remembers.
    fn save(&mut self) -> Result<Vec<u8>>;
    /// Remembers what [`Stateful::save`] gave.
    fn restore(&mut self, state: &[u8]) -> Result<()>;
}

type Serial = Box<dyn FnMut(&mut Call<'_>) -> Result<()> + Send>;
type Concurrent = Box<dyn Fn(&mut Call<'_>) -> Result<()> + Send + Sync>;

enum Body {
    Serial(Mutex<Serial>),
    Concurrent(Concurrent),
    // With the bytes that were saved last.
    Stateful(Mutex<(Box<dyn Stateful>, Vec<u8>)>),
}

impl Body {
    // The library has given this call its turn, so no lock is waited for.
    fn invoke(&self, call: &mut Call<'_>) -> Result<()> {
        match self {
            Body::Serial(function) => locked(function)(call),
            Body::Concurrent(function) => function(call),
            Body::Stateful(both) => locked(both).0.call(call),
        }
    }
}

/// A function for `map`, `filter` and others to call. A panic in it is the error of the element, with code `internal`.
/// Clones share the function, which is dropped with the last dataset that uses it.
#[derive(Clone)]
pub struct Callback {
    body: Arc<Body>,
    // Empty: that of the input.
    result: Arc<str>,
    signature: Option<Arc<str>>,
    flags: u32,
}

impl Callback {
    /// One that is called by one thread at a time. `result` is the structure of one result, such as
    /// `(float32[28, 28], int64)`; an empty text is that of the input.
    pub fn new(result: &str, function: impl FnMut(&mut Call<'_>) -> Result<()> + Send + 'static) -> Result<Self> {
        Self::of(result, Body::Serial(Mutex::new(Box::new(function))), 0)
    }

    /// One that several threads may call at once.
    pub fn concurrent(
        result: &str,
        function: impl Fn(&mut Call<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Self> {
        let body = Body::Concurrent(Box::new(function));
        Self::of(result, body, sys::WEIR_CALLBACK_CONCURRENT)
    }

    /// One with something to remember. Use it in one iterator at a time.
    pub fn stateful(result: &str, function: impl Stateful + 'static) -> Result<Self> {
        Self::of(result, Body::Stateful(Mutex::new((Box::new(function), Vec::new()))), 0)
    }

    /// It waits for a disk, a lock or another process, so it gets a thread of its own before a prefetch and in a parallel
    /// map.
    #[must_use]
    pub fn blocking(self) -> Self {
        self.with(sys::WEIR_CALLBACK_BLOCKING)
    }

    /// It takes a block of rows: every view and output has the rows as its first dimension. Each row must get the value
    /// that it would get alone.
    #[must_use]
    pub fn block(self) -> Self {
        self.with(sys::WEIR_CALLBACK_BLOCK)
    }

    /// Equal inputs give equal results, so that positions can be saved.
    #[must_use]
    pub fn pure(self) -> Self {
        self.with(sys::WEIR_CALLBACK_PURE)
    }

    /// It runs only on a thread that is inside a call for the next element.
    #[must_use]
    pub fn on_caller(self) -> Self {
        self.with(sys::WEIR_CALLBACK_ON_CALLER)
    }

    /// Makes it a function of expressions: a dict of its arguments, such as `{image: uint8[?, ?, 3], scale: float32}`.
    #[must_use]
    pub fn signature(mut self, arguments: &str) -> Self {
        self.signature = Some(arguments.into());
        self
    }

    fn of(result: &str, body: Body, flags: u32) -> Result<Self> {
        if !result.is_empty() {
            Spec::parse(result)?;
        }
        Ok(Callback {
            body: Arc::new(body),
            result: result.into(),
            signature: None,
            flags,
        })
    }

    fn with(mut self, flag: u32) -> Self {
        self.flags |= flag;
        self
    }

    /// As the library takes it over: it is good for one call. The data of all clones is the same, so the library lets one of
    /// their calls in at a time.
    pub(crate) fn raw(&self) -> sys::weir_callback {
        let mut raw = sys::weir_callback::INIT;
        raw.flags = self.flags;
        raw.function = Some(run);
        raw.destroy = Some(destroy);
        if !self.result.is_empty() {
            let spec = string_of(self.result.as_bytes());
            (raw.result_spec, raw.result_spec_size) = (spec.data, spec.size);
        }
        if let Some(signature) = &self.signature {
            let signature = string_of(signature.as_bytes());
            (raw.signature, raw.signature_size) = (signature.data, signature.size);
        }
        if matches!(&*self.body, Body::Stateful(_)) {
            raw.save = Some(save);
            raw.restore = Some(restore);
        }
        raw.user_data = Arc::into_raw(self.body.clone()) as *mut _;
        raw
    }
}

/// A panic while it was locked has been told as the error of its element.
pub(crate) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn run(user_data: *mut c_void, raw: sys::weir_call) -> i32 {
    let body = &*user_data.cast::<Body>();
    let mut call = Call::new(raw);
    guarded(|| body.invoke(&mut call)).map_or_else(|error| call.fail_all(&error), |()| sys::WEIR_OK)
}

unsafe extern "C" fn destroy(user_data: *mut c_void) {
    dropped(Arc::from_raw(user_data.cast::<Body>() as *const Body));
}

unsafe extern "C" fn save(user_data: *mut c_void, data: *mut *const c_void, size: *mut u64) -> i32 {
    let body = &*user_data.cast::<Body>();
    let saved = guarded(|| match body {
        Body::Stateful(both) => {
            let mut both = locked(both);
            both.1 = both.0.save()?;
            (*data, *size) = (both.1.as_ptr().cast(), both.1.len() as u64);
            Ok(())
        }
        _ => Ok(()),
    });
    saved.map_or_else(|error| fail_unnamed(&error), |()| sys::WEIR_OK)
}

unsafe extern "C" fn restore(user_data: *mut c_void, data: *const c_void, size: u64) -> i32 {
    let body = &*user_data.cast::<Body>();
    let state = state_of(data, size);
    let restored = guarded(|| match body {
        Body::Stateful(both) => locked(both).0.restore(state),
        _ => Ok(()),
    });
    restored.map_or_else(|error| fail_unnamed(&error), |()| sys::WEIR_OK)
}

/// What a checkpoint had of a callback or generator.
pub(crate) unsafe fn state_of<'a>(data: *const c_void, size: u64) -> &'a [u8] {
    crate::error::bytes(sys::weir_string {
        data: data.cast(),
        size,
    })
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callback")
    }
}
