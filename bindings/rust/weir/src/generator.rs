//! Sources of elements that the program makes.

use std::fmt;
use std::os::raw::c_void;
use std::sync::Arc;

use weir_sys as sys;

use crate::callback::{state_of, Call};
use crate::dtype::DType;
use crate::error::{Code, Error, Result};
use crate::guard::{dropped, guarded};
use crate::spec::Spec;

/// One run through a source.
pub trait Run: Send {
    /// Writes the next element into the outputs of `call`; `false` at the end.
    fn next(&mut self, call: &mut Call<'_>) -> Result<bool>;

    /// Its place, for [`Source::restore`]. Called between two elements, often.
    fn save(&mut self) -> Result<Vec<u8>> {
        Err(Error::new(Code::Unimplemented, "this run has no place to save"))
    }
}

/// A source: each opening of the dataset, one an epoch of each iterator, is a run of its own. A closure that gives a
/// closure is one: `|| { let mut n = 0; move |call: &mut Call<'_>| … }`.
pub trait Source: Send + Sync {
    /// Begins a run.
    fn open(&self) -> Result<Box<dyn Run>>;

    /// Begins one at a place that [`Run::save`] gave.
    fn restore(&self, _state: &[u8]) -> Result<Box<dyn Run>> {
        Err(Error::new(Code::Unimplemented, "this source saves no places"))
    }

    /// Whether places are saved. If not, the elements of a pure source are made again and passed over.
    fn saves(&self) -> bool {
        false
    }
}

struct Closure<R>(R);

impl<R: FnMut(&mut Call<'_>) -> Result<bool> + Send> Run for Closure<R> {
    fn next(&mut self, call: &mut Call<'_>) -> Result<bool> {
        (self.0)(call)
    }
}

impl<F, R> Source for F
where
    F: Fn() -> R + Send + Sync,
    R: FnMut(&mut Call<'_>) -> Result<bool> + Send + 'static,
{
    fn open(&self) -> Result<Box<dyn Run>> {
        Ok(Box::new(Closure(self())))
    }
}

/// A source with the structure of its elements. [`generate`](crate::generate) begins a pipeline with it. A panic in it is
/// the error of the element. Clones share the source.
#[derive(Clone)]
pub struct Generator {
    source: Arc<dyn Source>,
    pub(crate) spec: Spec,
    dtypes: Arc<[DType]>,
    flags: u32,
}

impl Generator {
    /// One for elements of a structure such as `{image: uint8[28, 28], label: int64}`.
    pub fn new(spec: &str, source: impl Source + 'static) -> Result<Self> {
        let spec = Spec::parse(spec)?;
        Ok(Generator {
            source: Arc::new(source),
            dtypes: spec.component_dtypes()?.into(),
            spec,
            flags: 0,
        })
    }

    /// Several runs may make elements at once; the calls of one come one at a time in any case.
    #[must_use]
    pub fn concurrent(self) -> Self {
        self.with(sys::WEIR_CALLBACK_CONCURRENT)
    }

    /// It waits for a disk, a lock or another process.
    #[must_use]
    pub fn blocking(self) -> Self {
        self.with(sys::WEIR_CALLBACK_BLOCKING)
    }

    /// Each run gives the same elements, so that positions can be saved.
    #[must_use]
    pub fn pure(self) -> Self {
        self.with(sys::WEIR_CALLBACK_PURE)
    }

    fn with(mut self, flag: u32) -> Self {
        self.flags |= flag;
        self
    }

    /// As the library takes it over: it is good for one call.
    pub(crate) fn raw(&self) -> sys::weir_generator {
        let mut raw = sys::weir_generator::INIT;
        raw.flags = self.flags;
        raw.open = Some(open);
        raw.next = Some(next);
        raw.close = Some(close);
        raw.destroy = Some(destroy);
        if self.source.saves() {
            raw.save = Some(save);
            raw.restore = Some(restore);
        }
        raw.user_data = Box::into_raw(Box::new(self.clone())).cast();
        raw
    }
}

struct State {
    run: Box<dyn Run>,
    saved: Vec<u8>,
}

/// Hands a new run over, or says that it failed.
unsafe fn begun(run: Result<Box<dyn Run>>, state: *mut *mut c_void) -> i32 {
    match run {
        Ok(run) => {
            let saved = Vec::new();
            *state = Box::into_raw(Box::new(State { run, saved })).cast();
            sys::WEIR_OK
        }
        Err(error) => -(error.code() as i32),
    }
}

unsafe extern "C" fn open(user_data: *mut c_void, state: *mut *mut c_void) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    begun(guarded(|| generator.source.open()), state)
}

unsafe extern "C" fn next(user_data: *mut c_void, state: *mut c_void, raw: sys::weir_call) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    let state = &mut *state.cast::<State>();
    let mut call = Call::new(raw, Some(&generator.dtypes));
    match guarded(|| state.run.next(&mut call)) {
        Ok(true) => sys::WEIR_OK,
        Ok(false) => sys::WEIR_END,
        Err(error) => {
            call.fail_all(&error);
            -(error.code() as i32)
        }
    }
}

unsafe extern "C" fn close(_user_data: *mut c_void, state: *mut c_void) {
    dropped(Box::from_raw(state.cast::<State>()));
}

unsafe extern "C" fn destroy(user_data: *mut c_void) {
    dropped(Box::from_raw(user_data.cast::<Generator>()));
}

unsafe extern "C" fn save(_: *mut c_void, state: *mut c_void, data: *mut *const c_void, size: *mut u64) -> i32 {
    let state = &mut *state.cast::<State>();
    match guarded(|| state.run.save()) {
        Ok(saved) => {
            state.saved = saved;
            (*data, *size) = (state.saved.as_ptr().cast(), state.saved.len() as u64);
            sys::WEIR_OK
        }
        Err(error) => -(error.code() as i32),
    }
}

unsafe extern "C" fn restore(user_data: *mut c_void, data: *const c_void, size: u64, state: *mut *mut c_void) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    begun(guarded(|| generator.source.restore(state_of(data, size))), state)
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generator({})", self.spec)
    }
}
