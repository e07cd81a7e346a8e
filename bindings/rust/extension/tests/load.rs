//! The extension in a pipeline.

use std::path::PathBuf;

fn runtime() -> weir::Runtime {
    let folder = std::env::current_exe().expect("the test has a name");
    let library: PathBuf = folder.with_file_name("libweir_rust_example.so");
    let runtime = weir::Runtime::new().expect("a runtime");
    runtime.load_extension(&library).expect("it loads");
    runtime
}

fn numbers(runtime: &weir::Runtime, text: &str) -> Vec<i64> {
    let dataset = weir::parse(runtime, text).expect("it builds");
    dataset
        .iter()
        .expect("it opens")
        .map(|element| element.expect("an element").scalar::<i64>(0).expect("a number"))
        .collect()
}

#[test]
fn function() {
    let dataset = weir::parse(&runtime(), "from_list([\"ab\"]) | map(s -> shout(s))").expect("it builds");
    let element = dataset
        .iter()
        .expect("it opens")
        .next()
        .expect("one")
        .expect("an element");
    assert_eq!(element.view(0).expect("a view").string().expect("a string"), b"AB");
}

#[test]
fn source() {
    let runtime = runtime();
    assert_eq!(numbers(&runtime, "primes(20)"), [2, 3, 5, 7, 11, 13, 17, 19]);
    assert_eq!(numbers(&runtime, "primes() | skip(23)"), [89, 97]);
    assert_eq!(
        numbers(&runtime, "primes(20) | partition(2, p -> p)"),
        [2, 11, 3, 13, 5, 17, 7, 19]
    );
    let refused = weir::parse(&runtime, "primes(2000000)").expect_err("it is refused");
    assert!(refused.message().contains("at most 1000000"), "{refused}");
}

#[test]
fn file_system() {
    let runtime = runtime();
    let file = std::env::temp_dir().join(format!("weir_rot13_{}.txt", std::process::id()));
    std::fs::write(&file, "Uryyb\n").expect("it can be written");
    let text = format!("text_line(\"rot13://{}\")", file.display());
    let dataset = weir::parse(&runtime, &text).expect("it builds");
    let element = dataset
        .iter()
        .expect("it opens")
        .next()
        .expect("one")
        .expect("an element");
    assert_eq!(element.view(0).expect("a view").string().expect("a string"), b"Hello");
    std::fs::remove_file(&file).expect("it was there");
    let missing = dataset
        .iter()
        .expect("it opens")
        .next()
        .expect("one")
        .expect_err("it is gone");
    assert_eq!(missing.code(), weir::Code::NotFound);
}
