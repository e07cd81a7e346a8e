//! Sources of elements that the program makes.

use std::fmt;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;

use weir_sys as sys;

use crate::callback::{fail_unnamed, state_of, Call};
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

    /// Begins one of a source with a signature ([`Generator::inferred`]), at the element with this position: 0, or any up
    /// to what [`Source::count`] says.
    fn start(&self, _arguments: &Call<'_>, _position: i64) -> Result<Box<dyn Run>> {
        self.open()
    }

    /// The structure of its elements, for a source with a signature whose generator has none: [`Generator::inferred`].
    fn infer(&self, _arguments: &Call<'_>) -> Result<Spec> {
        Err(Error::new(
            Code::Unimplemented,
            "this source does not tell its structure",
        ))
    }

    /// How many elements there are, if it is known. Then elements have positions, at which runs are started, and nothing
    /// needs to be saved. Called if [`Source::counts`].
    fn count(&self, _arguments: &Call<'_>) -> Result<Option<i64>> {
        Ok(None)
    }

    /// Whether [`Source::count`] may know.
    fn counts(&self) -> bool {
        false
    }

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
    // None: the source tells it.
    pub(crate) spec: Option<Spec>,
    signature: String,
    defaults: String,
    flags: u32,
}

impl Generator {
    /// One for elements of a structure such as `{image: uint8[28, 28], label: int64}`.
    pub fn new(spec: &str, source: impl Source + 'static) -> Result<Self> {
        let spec = Spec::parse(spec)?;
        Ok(Generator {
            source: Arc::new(source),
            spec: Some(spec),
            signature: String::new(),
            defaults: String::new(),
            flags: 0,
        })
    }

    /// One whose elements have the structure that the source tells from its arguments ([`Source::infer`]). The signature
    /// is a dict of its parameters, such as `{files: string[?], rows: int64}`, and the defaults a dict of those that may
    /// be left out, `{rows: 10}` or empty. [`Runtime::register_source`](crate::Runtime::register_source) lets texts call
    /// it as `NAME(…)`.
    pub fn inferred(signature: &str, defaults: &str, source: impl Source + 'static) -> Self {
        Generator {
            source: Arc::new(source),
            spec: None,
            signature: signature.into(),
            defaults: defaults.into(),
            flags: 0,
        }
    }

    /// Runs give several elements at once, up to [`Call::rows`]: the first dimension of the first output says how many.
    #[must_use]
    pub fn block(self) -> Self {
        self.with(sys::WEIR_CALLBACK_BLOCK)
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
        let kept = Box::new(self.clone());
        if !kept.signature.is_empty() {
            (raw.signature, raw.signature_size) = text(&kept.signature);
            (raw.defaults, raw.defaults_size) = text(&kept.defaults);
            raw.start = Some(start);
            raw.infer = if kept.spec.is_none() { Some(infer) } else { None };
            raw.count = if kept.source.counts() { Some(count) } else { None };
        }
        raw.user_data = Box::into_raw(kept).cast();
        raw
    }
}

fn text(of: &str) -> (*const c_char, u64) {
    (of.as_ptr().cast(), of.len() as u64)
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
        Err(error) => fail_unnamed(&error),
    }
}

unsafe extern "C" fn open(user_data: *mut c_void, state: *mut *mut c_void) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    begun(guarded(|| generator.source.open()), state)
}

/// Runs what gets the arguments, and says in the call what went wrong.
unsafe fn with_arguments<T>(
    raw: sys::weir_call,
    body: impl FnOnce(&Call<'_>) -> Result<T>,
) -> std::result::Result<T, i32> {
    let mut call = Call::new(raw);
    guarded(|| body(&call)).map_err(|error| {
        let _ = call.fail(0, error.code(), error.message());
        -(error.code() as i32)
    })
}

unsafe extern "C" fn start(user_data: *mut c_void, raw: sys::weir_call, position: i64, state: *mut *mut c_void) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    match with_arguments(raw, |arguments| generator.source.start(arguments, position)) {
        Ok(run) => begun(Ok(run), state),
        Err(result) => result,
    }
}

unsafe extern "C" fn infer(user_data: *mut c_void, raw: sys::weir_call, spec: *mut sys::weir_spec) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    match with_arguments(raw, |arguments| generator.source.infer(arguments)) {
        Ok(told) => {
            *spec = told.into_raw();
            sys::WEIR_OK
        }
        Err(result) => result,
    }
}

unsafe extern "C" fn count(user_data: *mut c_void, raw: sys::weir_call, out: *mut i64) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    match with_arguments(raw, |arguments| generator.source.count(arguments)) {
        Ok(known) => {
            *out = known.unwrap_or(-1);
            sys::WEIR_OK
        }
        Err(result) => result,
    }
}

unsafe extern "C" fn next(user_data: *mut c_void, state: *mut c_void, raw: sys::weir_call) -> i32 {
    let _ = user_data;
    let State { run, .. } = &mut *state.cast::<State>();
    let mut call = Call::new(raw);
    match guarded(|| run.next(&mut call)) {
        Ok(true) => sys::WEIR_OK,
        Ok(false) => sys::WEIR_END,
        Err(error) => {
            let _ = call.fail(0, error.code(), error.message());
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
        Err(error) => fail_unnamed(&error),
    }
}

unsafe extern "C" fn restore(user_data: *mut c_void, data: *const c_void, size: u64, state: *mut *mut c_void) -> i32 {
    let generator = &*user_data.cast::<Generator>();
    begun(guarded(|| generator.source.restore(state_of(data, size))), state)
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.spec {
            Some(spec) => write!(f, "Generator({spec})"),
            None => write!(f, "Generator({})", self.signature),
        }
    }
}
