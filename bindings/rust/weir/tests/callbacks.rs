//! Functions of the program in a pipeline.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use weir::{
    generate, parse, range, Call, Callback, Code, Dataset, Error, Generator, IterOptions, Result, Run, Runtime, Source,
    Spec, Stateful,
};

/// Counts how often it is dropped.
struct Dropped(Arc<AtomicUsize>);
impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn values(dataset: &weir::Dataset) -> Vec<Result<i64>> {
    dataset
        .iter()
        .expect("an iterator")
        .map(|element| element?.scalar::<i64>(0))
        .collect()
}

#[test]
fn closures_are_called_and_dropped() -> Result<()> {
    let drops = Arc::new(AtomicUsize::new(0));
    {
        let runtime = Runtime::new()?;
        let held = Dropped(Arc::clone(&drops));
        let mut calls = 0;
        let callback = Callback::new("int64", move |call| {
            let _ = &held;
            calls += 1;
            let x = call.input(0)?.scalar::<i64>()?;
            call.write(0, &[], &[x + 100 * calls])
        })?;
        let dataset = range(3).map(callback).build(&runtime)?;
        assert_eq!(
            values(&dataset).into_iter().collect::<Result<Vec<_>>>()?,
            [100, 201, 302]
        );
    }
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn one_that_is_refused_is_dropped_too() -> Result<()> {
    let drops = Arc::new(AtomicUsize::new(0));
    let runtime = Runtime::new()?;
    let held = Dropped(Arc::clone(&drops));
    let callback = Callback::new("int64", move |_| {
        let _ = &held;
        Ok(())
    })?;
    assert!(range(3).map(callback).batch(-1).build(&runtime).is_err());
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert!(Callback::new("int65", |_| Ok(())).is_err());
    Ok(())
}

#[test]
fn a_panic_is_an_error_of_the_element() -> Result<()> {
    let runtime = Runtime::new()?;
    let callback = Callback::concurrent("int64", |call| {
        let x = call.input(0)?.scalar::<i64>()?;
        assert_ne!(x, 1, "one is too much");
        if x == 2 {
            return Err(Error::new(Code::DataLoss, "two is damaged"));
        }
        call.write(0, &[], &[x])?;
        // The library takes no message that is longer than 64 KiB.
        if x == 4 {
            return Err(Error::new(Code::Aborted, "long ".repeat(20_000)));
        }
        Ok(())
    })?;
    let got = values(&range(5).map(&callback).build(&runtime)?);
    let panicked = got[1].as_ref().expect_err("a panic");
    assert_eq!(panicked.code(), Code::Internal);
    assert!(panicked.message().contains("one is too much"), "{panicked}");
    let failed = got[2].as_ref().expect_err("an error");
    assert_eq!((failed.code(), failed.message()), (Code::DataLoss, "two is damaged"));
    assert_eq!((got.len(), got[3].as_ref().ok()), (5, Some(&3)));
    let long = got[4].as_ref().expect_err("an error");
    assert!(long.message().contains("callback returned -10"), "{long}");
    Ok(())
}

#[test]
fn outputs_have_the_declared_dtype() -> Result<()> {
    let runtime = Runtime::new()?;
    let declared = Callback::new("int8", |call| call.write(0, &[], &[1i64]))?;
    let error = range(1)
        .map(declared)
        .build(&runtime)?
        .iter()?
        .next()
        .expect("one")
        .expect_err("too wide");
    assert!(error.message().contains("expected int8 for component 0"), "{error}");
    // Without a structure of its own, the result has that of the input.
    let same = Callback::new("", |call| call.write(0, &[], &[1.5f64]))?;
    let error = range(1)
        .map(same)
        .build(&runtime)?
        .iter()?
        .next()
        .expect("one")
        .expect_err("another dtype");
    assert!(error.message().contains("expected int64 for component 0"), "{error}");
    Ok(())
}

#[test]
fn blocks_have_rows() -> Result<()> {
    let runtime = Runtime::new()?;
    let callback = Callback::concurrent("(int64, string)", |call| {
        let rows = call.rows() as i64;
        let inputs = call.input(0)?.slice::<i64>()?;
        let names: Vec<String> = inputs.iter().map(|x| format!("number {x}")).collect();
        for (out, x) in call.output::<i64>(0, &[rows])?.iter_mut().zip(inputs) {
            *out = x * x;
        }
        call.write_strings(1, &[rows], &names)?;
        call.fail(0, Code::Aborted, "the first of a block")
    })?
    .block()
    .pure();
    let batch = range(8)
        .map(callback)
        .ignore_errors(())
        .batch(8)
        .build(&runtime)?
        .iter()?
        .next()
        .expect("a batch")?;
    let squares = batch.slice::<i64>(0)?;
    assert!(!squares.is_empty() && squares.len() < 8);
    assert_eq!(&batch.strings(1)?.last().expect("a name")[..], b"number 7");
    Ok(())
}

#[test]
fn registered_ones_have_a_name() -> Result<()> {
    let runtime = Runtime::new()?;
    let callback = Callback::concurrent("int64", |call| {
        let sum = call.input(0)?.scalar::<i64>()? + call.input(1)?.scalar::<i64>()?;
        call.write(0, &[], &[sum])
    })?;
    runtime.register("add_up", &callback.pure().signature("{a: int64, b: int64}"))?;
    let dataset = weir::parse(&runtime, "range(3) | map(x -> add_up(x, 10) * 2)")?;
    let again = weir::Dataset::deserialize(&runtime, &dataset.serialize()?, &[])?;
    assert_eq!(values(&again).into_iter().collect::<Result<Vec<_>>>()?, [20, 22, 24]);
    Ok(())
}

struct Sum(i64);
impl Stateful for Sum {
    fn call(&mut self, call: &mut Call<'_>) -> Result<()> {
        self.0 += call.input(0)?.scalar::<i64>()?;
        call.write(0, &[], &[self.0])
    }
    fn save(&mut self) -> Result<Vec<u8>> {
        Ok(self.0.to_le_bytes().to_vec())
    }
    fn restore(&mut self, state: &[u8]) -> Result<()> {
        self.0 = i64::from_le_bytes(
            state
                .try_into()
                .map_err(|_| Error::new(Code::DataLoss, "eight bytes"))?,
        );
        Ok(())
    }
}

#[test]
fn a_state_is_saved() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = || -> Result<_> { range(6).map(Callback::stateful("int64", Sum(0))?).build(&runtime) };
    let mut first = dataset()?.iter()?;
    let begun: Result<Vec<i64>> = first
        .by_ref()
        .take(3)
        .map(|element| element?.scalar::<i64>(0))
        .collect();
    assert_eq!(begun?, [0, 1, 3]);
    let position = first.save()?;
    drop(first);
    let rest: Result<Vec<i64>> = dataset()?
        .iter_with(IterOptions::new().checkpoint(position))?
        .map(|element| element?.scalar::<i64>(0))
        .collect();
    assert_eq!(rest?, [6, 10, 15]);
    Ok(())
}

struct Count(i64);
struct CountRun(i64, i64);
impl Source for Count {
    fn open(&self) -> Result<Box<dyn Run>> {
        Ok(Box::new(CountRun(0, self.0)))
    }
    fn restore(&self, state: &[u8]) -> Result<Box<dyn Run>> {
        Ok(Box::new(CountRun(i64::from(state[0]), self.0)))
    }
    fn saves(&self) -> bool {
        true
    }
}
impl Run for CountRun {
    fn next(&mut self, call: &mut Call<'_>) -> Result<bool> {
        if self.0 == self.1 {
            return Ok(false);
        }
        self.0 += 1;
        assert_ne!(self.0, 3, "three");
        call.write(0, &[], &[self.0])?;
        Ok(true)
    }
    fn save(&mut self) -> Result<Vec<u8>> {
        Ok(vec![self.0 as u8])
    }
}

struct Lost;
impl Source for Lost {
    fn open(&self) -> Result<Box<dyn Run>> {
        Err(Error::new(Code::NotFound, "no such rows"))
    }
}
struct Stuck;
impl Stateful for Stuck {
    fn call(&mut self, call: &mut Call<'_>) -> Result<()> {
        call.write(0, &[], &[1i64])
    }
    fn save(&mut self) -> Result<Vec<u8>> {
        Err(Error::new(Code::Aborted, "cannot save"))
    }
    fn restore(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

#[test]
fn errors_of_open_and_save_are_told_as_they_are() -> Result<()> {
    let runtime = Runtime::new()?;
    for lost in [
        generate(&Generator::new("int64", Lost)?),
        generate(&Generator::new("int64", Lost)?).prefetch(2),
    ] {
        let got = values(&lost.build(&runtime)?);
        let error = got[0].as_ref().expect_err("an error");
        assert_eq!(
            (got.len(), error.code(), error.message()),
            (1, Code::NotFound, "no such rows")
        );
    }
    let stuck = range(3).map(Callback::stateful("int64", Stuck)?).build(&runtime)?;
    let error = stuck.iter()?.save().expect_err("an error");
    assert_eq!((error.code(), error.message()), (Code::Aborted, "cannot save"));
    Ok(())
}

#[test]
fn generators_make_elements() -> Result<()> {
    let runtime = Runtime::new()?;
    let generator = Generator::new("int64", Count(5))?;
    let dataset = generate(&generator).repeat(2).build(&runtime)?;
    let got: Vec<_> = values(&dataset)
        .into_iter()
        .map(|value| value.map_err(|error| error.code()))
        .collect();
    let once = [Ok(1), Ok(2), Err(Code::Internal), Ok(4), Ok(5)];
    assert_eq!(got, [once, once].concat());
    let mut iterator = dataset.iter()?;
    assert_eq!(iterator.by_ref().take(4).count(), 4);
    let rest = dataset.iter_with(IterOptions::new().checkpoint(iterator.save()?))?;
    assert_eq!(rest.count(), 6);
    // The same generator under another structure would write beyond its memory.
    let other = range(1).flat_map("x -> from_generator(@generator1, int8)");
    assert!(generate(&generator).concatenate(other).build(&runtime).is_err());
    let closures = Generator::new("float32[?]", || {
        let mut n = 0;
        move |call: &mut Call<'_>| {
            n += 1;
            call.write(0, &[n], &vec![0.5f32; n as usize])?;
            Ok(n < 4)
        }
    })?;
    let lengths: Result<Vec<_>> = generate(&closures.pure())
        .build(&runtime)?
        .iter()?
        .map(|e| Ok(e?.slice::<f32>(0)?.len()))
        .collect();
    assert_eq!(lengths?, [1, 2, 3]);
    Ok(())
}

#[test]
fn a_callback_may_iterate() -> Result<()> {
    let runtime = Runtime::new()?;
    let inner = range(3).build(&runtime)?;
    let callback = Callback::concurrent("int64", move |call| {
        let sum: Result<i64> = inner.iter()?.map(|element| element?.scalar::<i64>(0)).sum();
        call.write(0, &[], &[sum? + call.input(0)?.scalar::<i64>()?])
    })?;
    let dataset = range(2)
        .map_with(callback, weir::MapOptions::new().num_parallel_calls(2))
        .prefetch(2);
    assert_eq!(
        values(&dataset.build(&runtime)?)
            .into_iter()
            .collect::<Result<Vec<_>>>()?,
        [3, 4]
    );
    Ok(())
}

/// Gives long vectors of int64, and says each time that it is asked another structure: int8 first.
struct Odd(AtomicUsize);
struct Wide(usize);

impl Run for Wide {
    fn next(&mut self, call: &mut Call<'_>) -> Result<bool> {
        self.0 += 1;
        if self.0 > 2 {
            return Ok(false);
        }
        call.write(0, &[100_000], &vec![-1_i64; 100_000])?;
        Ok(true)
    }
}

impl Source for Odd {
    fn open(&self) -> Result<Box<dyn Run>> {
        Ok(Box::new(Wide(0)))
    }
    fn infer(&self, _: &Call<'_>) -> Result<Spec> {
        Spec::parse(["int8[?]", "int64[?]"][self.0.fetch_add(1, Ordering::SeqCst).min(1)])
    }
}

#[test]
fn what_is_written_has_the_structure_that_the_library_knows() -> Result<()> {
    let runtime = Runtime::new()?;
    runtime.register_source(
        "wide",
        &Generator::new("int64[?]", || {
            let mut run = Wide(0);
            move |call: &mut Call<'_>| run.next(call)
        })?,
    )?;
    runtime.register_source("odd", &Generator::inferred("{n: int64}", "", Odd(AtomicUsize::new(0))))?;
    for text in ["from_generator(@wide, int8[?])", "odd(3)"] {
        let mut elements = parse(&runtime, text)?.iter()?;
        for _ in 0..2 {
            let failed = elements.next().expect("an element").expect_err("a refusal");
            assert_eq!(failed.code(), Code::InvalidArgument);
            let message = failed.to_string();
            assert!(
                message.contains("expected int8") && message.contains("found int64"),
                "{message}"
            );
        }
        assert!(elements.next().is_none());
    }
    let mut elements = parse(&runtime, "from_generator(@wide, int64[?])")?.iter()?;
    assert_eq!(elements.next().expect("an element")?.view(0)?.dims(), [100_000]);
    Ok(())
}

#[test]
fn calls_of_clones_come_one_at_a_time() -> Result<()> {
    let runtime = Runtime::new()?;
    let inside = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (own, own_most) = (Arc::clone(&inside), Arc::clone(&most));
    let callback = Callback::new("int64", move |call| {
        own_most.fetch_max(own.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        (0..100).for_each(|_| std::thread::yield_now());
        let x = call.input(0)?.scalar::<i64>()?;
        own.fetch_sub(1, Ordering::SeqCst);
        call.write(0, &[], &[x + 1])
    })?;
    let dataset = range(50)
        .map(callback.clone())
        .prefetch(4)
        .map(callback)
        .build(&runtime)?;
    let sum: i64 = values(&dataset).into_iter().sum::<Result<i64>>()?;
    assert_eq!(sum, 1325);
    assert_eq!(most.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn one_that_reads_a_dataset_that_needs_it_is_refused() -> Result<()> {
    let runtime = Runtime::new()?;
    let inner: Arc<Mutex<Option<Dataset>>> = Arc::default();
    let own = Arc::clone(&inner);
    let callback = Callback::new("int64", move |call| {
        let x = call.input(0)?.scalar::<i64>()?;
        let inner = own.lock().expect("no panic").clone();
        if x == 1 {
            for element in inner.iter().flat_map(|dataset| dataset.iter().expect("an iterator")) {
                element?;
            }
        }
        call.write(0, &[], &[x + 7])
    })?;
    *inner.lock().expect("no panic") = Some(range(2).map(callback.clone()).build(&runtime)?);
    let given = values(&range(3).map(callback).build(&runtime)?);
    assert_eq!(*given[0].as_ref().expect("an element"), 7);
    assert_eq!(
        given[1].as_ref().expect_err("a circle").code(),
        Code::FailedPrecondition
    );
    assert_eq!(*given[2].as_ref().expect("an element"), 9);
    *inner.lock().expect("no panic") = None;
    Ok(())
}
