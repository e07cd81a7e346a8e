//! Builds the loop in C that the one in Rust is compared with.

fn main() {
    println!("cargo:rerun-if-changed=src/next.c");
    println!("cargo:rerun-if-changed=../../bench/next_loop.h");
    cc::Build::new()
        .file("src/next.c")
        .include("../../../include")
        .include("../../bench")
        .opt_level(2)
        .compile("next");
}
