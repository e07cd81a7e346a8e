//! Finds libweir: in the folder WEIR_LIB_DIR where that is set, else through pkg-config.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-env-changed=WEIR_LIB_DIR");
    if let Some(folder) = env::var_os("WEIR_LIB_DIR") {
        let library = Path::new(&folder).join("libweir.so");
        if !library.exists() {
            panic!(
                "WEIR_LIB_DIR is {}, and there is no libweir.so in it",
                Path::new(&folder).display()
            );
        }
        println!("cargo:rustc-link-search=native={}", Path::new(&folder).display());
        println!("cargo:rustc-link-lib=dylib=weir");
        println!("cargo:rerun-if-changed={}", library.display());
        return;
    }
    if let Err(error) = pkg_config::Config::new().atleast_version("0.1.0").probe("weir") {
        panic!("libweir was not found; install it, or set WEIR_LIB_DIR to the folder that has libweir.so\n{error}");
    }
}
