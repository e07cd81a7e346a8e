//! Prints the digest of a document: `digest DOCUMENT THREADS SAVE_AT`. With SAVE_AT from 0 up, a position is saved after so
//! many elements, and an iterator of another runtime goes on from there.

use weir::{Dataset, Digest, IterOptions, Result, RuntimeOptions};

fn dataset(text: &str, threads: i32) -> Result<Dataset> {
    weir::parse(&RuntimeOptions::new().thread_count(threads).create()?, text)
}

fn run(text: &str, threads: i32, save_at: Option<u64>) -> Result<String> {
    let mut digest = Digest::new();
    let mut iterator = dataset(text, threads)?.iter()?;
    if let Some(count) = save_at {
        digest.update(&iterator, Some(count))?;
        let position = iterator.save()?;
        drop(iterator);
        iterator = dataset(text, threads)?.iter_with(IterOptions::new().checkpoint(position))?;
    }
    digest.update(&iterator, None)?;
    Ok(digest.hex())
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [document, threads, save_at] => {
            let text = std::fs::read_to_string(document)?;
            println!(
                "{}",
                run(&text, threads.parse()?, save_at.parse::<i64>()?.try_into().ok())?
            );
            Ok(())
        }
        _ => Err("usage: digest DOCUMENT THREADS SAVE_AT".into()),
    }
}
