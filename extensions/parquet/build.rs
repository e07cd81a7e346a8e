//! Finds libweir in the folder WEIR_LIB_DIR.

fn main() {
    println!("cargo:rerun-if-env-changed=WEIR_LIB_DIR");
    let Some(folder) = std::env::var_os("WEIR_LIB_DIR") else {
        panic!("set WEIR_LIB_DIR to the folder that has libweir.so");
    };
    println!(
        "cargo:rustc-link-search=native={}",
        std::path::Path::new(&folder).display()
    );
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/..");
}
