//! What [`extension!`](crate::extension!) is made of.

use std::mem::ManuallyDrop;
use std::os::raw::c_char;

use weir_sys as sys;

use crate::error::Result;
use crate::guard::guarded;
use crate::runtime::Runtime;

/// Makes a `cdylib` an extension: its name, its version, and a function of a [`Runtime`] that registers what it brings.
///
/// ```
/// fn register(runtime: &weir::Runtime) -> weir::Result<()> {
///     let double = weir::Callback::concurrent("int64", |call| {
///         let x = call.input(0)?.scalar::<i64>()?;
///         call.write(0, &[], &[2 * x])
///     })?;
///     runtime.register("double", &double.signature("{x: int64}"))
/// }
/// weir::extension!("weir-double", "1.0.0", register);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! extension {
    ($name:literal, $version:literal, $register:path) => {
        #[no_mangle]
        unsafe extern "C" fn weir_extension_load(
            runtime: $crate::sys::weir_runtime,
            out: *mut $crate::sys::weir_extension,
            _error: *mut $crate::sys::weir_error,
        ) -> i32 {
            let (name, version) = (concat!($name, "\0"), concat!($version, "\0"));
            $crate::extension::load(
                runtime,
                out,
                name.as_ptr().cast(),
                version.as_ptr().cast(),
                $register,
            )
        }
    };
}

/// # Safety
/// Called by the library, with strings that end with a NUL and live for ever.
pub unsafe fn load(
    runtime: sys::weir_runtime,
    out: *mut sys::weir_extension,
    name: *const c_char,
    version: *const c_char,
    register: fn(&Runtime) -> Result<()>,
) -> i32 {
    (*out).abi = sys::WEIR_EXTENSION_ABI;
    (*out).name = name;
    (*out).version = version;
    // The handle is the library's.
    let runtime = ManuallyDrop::new(Runtime::adopt(runtime));
    match guarded(|| register(&runtime)) {
        Ok(()) => sys::WEIR_OK,
        Err(error) => -(error.code() as i32),
    }
}
