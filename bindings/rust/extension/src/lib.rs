//! An extension in Rust, to begin others with: a function, `shout(text)`, a source, `primes(below)`, and a file system
//! whose files `rot13:///FOLDER/FILE` are local ones with their letters rotated.
//!
//! ```text
//! cargo build --release
//! cp target/release/libweir_rust_example.so extension/weir-rust-example.weir.json FOLDER
//! WEIR_EXTENSIONS=FOLDER weir run -e 'primes(20)'
//! ```
#![warn(missing_docs)]

use std::fs;
use std::os::unix::fs::FileExt;
use std::time::UNIX_EPOCH;

use weir::{
    Call, Callback, Code, Error, File, FileInfo, FileSystem, Generator, Read, Result, Run, Runtime, Source, Spec,
};

weir::extension!("weir-rust-example", "0.1.0", register);

fn register(runtime: &Runtime) -> Result<()> {
    let shout = Callback::concurrent("string", |call| {
        let text = call.input(0)?.string()?.to_ascii_uppercase();
        call.write_strings(0, &[], &[text])
    })?;
    runtime.register("shout", &shout.pure().signature("{text: string}"))?;
    let primes = Generator::inferred("{below: int64}", "{below: 100}", Primes);
    runtime.register_source("primes", &primes.concurrent().pure().block())?;
    runtime.register_file_system(&["rot13"], Rotated)
}

struct Primes;

fn primes_below(arguments: &Call<'_>) -> Result<Vec<i64>> {
    let below = arguments.input(0)?.scalar::<i64>()?;
    if below > 1_000_000 {
        let message = format!("expected below of at most 1000000, found {below}");
        return Err(Error::new(Code::InvalidArgument, message));
    }
    let is_prime = |n: i64| (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
    Ok((2..below).filter(|n| is_prime(*n)).collect())
}

impl Source for Primes {
    fn open(&self) -> Result<Box<dyn Run>> {
        Err(Error::new(Code::InvalidArgument, "expected arguments, found none"))
    }
    fn infer(&self, _arguments: &Call<'_>) -> Result<Spec> {
        Spec::parse("int64")
    }
    fn counts(&self) -> bool {
        true
    }
    fn count(&self, arguments: &Call<'_>) -> Result<Option<i64>> {
        Ok(Some(primes_below(arguments)?.len() as i64))
    }
    fn start(&self, arguments: &Call<'_>, position: i64) -> Result<Box<dyn Run>> {
        let primes = primes_below(arguments)?;
        Ok(Box::new(PrimesRun(primes, position as usize)))
    }
}

struct PrimesRun(Vec<i64>, usize);

impl Run for PrimesRun {
    fn next(&mut self, call: &mut Call<'_>) -> Result<bool> {
        let rest = &self.0[self.1..];
        let given = &rest[..rest.len().min(call.rows())];
        if given.is_empty() {
            return Ok(false);
        }
        call.write(0, &[given.len() as i64], given)?;
        self.1 += given.len();
        Ok(true)
    }
}

struct Rotated;

fn failed(name: &str, error: &std::io::Error) -> Error {
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => Code::NotFound,
        std::io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        _ => Code::Unavailable,
    };
    Error::new(code, format!("cannot read {name}: {error}"))
}

fn path_of(name: &str) -> &str {
    name.trim_start_matches("rot13://")
}

impl FileSystem for Rotated {
    fn stat(&self, name: &str) -> Result<FileInfo> {
        let found = fs::metadata(path_of(name)).map_err(|error| failed(name, &error))?;
        let changed = found
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified_ns = changed.map_or(0, |since| since.as_nanos() as i64);
        Ok(FileInfo {
            size: found.len(),
            modified_ns,
            version: format!("{modified_ns} {}", found.len()).into_bytes(),
            folder: found.is_dir(),
        })
    }
    fn open(&self, name: &str) -> Result<(FileInfo, Box<dyn File>)> {
        let info = self.stat(name)?;
        let file = fs::File::open(path_of(name)).map_err(|error| failed(name, &error))?;
        Ok((info, Box::new(RotatedFile(name.to_string(), file))))
    }
    fn list(&self, folder: &str, prefix: &str) -> Result<Vec<String>> {
        let entries = fs::read_dir(path_of(folder)).map_err(|error| failed(folder, &error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter(|name| name.starts_with(prefix)).collect())
    }
}

struct RotatedFile(String, fs::File);

impl File for RotatedFile {
    // Files that are far away begin to read here, and call done() elsewhere.
    fn read(&self, offset: u64, mut read: Read) {
        if let Err(error) = self.1.read_exact_at(read.buffer(), offset) {
            return read.fail(&failed(&self.0, &error));
        }
        for byte in read.buffer() {
            *byte = match *byte {
                b'a'..=b'z' => (*byte - b'a' + 13) % 26 + b'a',
                b'A'..=b'Z' => (*byte - b'A' + 13) % 26 + b'A',
                other => other,
            };
        }
        read.done()
    }
}
