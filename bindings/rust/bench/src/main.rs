//! Prints what taking an element costs in C and in Rust: `bench [COUNT]`. Both take turns over documents of their own, and
//! the smallest time of each counts, since other programs only add to it.

use std::time::Instant;

use weir::sys;
use weir::{Element, Result, Runtime};

const ROUNDS: usize = 15;

extern "C" {
    fn next_loop(iterator: sys::weir_iterator, element: sys::weir_element, count: i64) -> i64;
}

/// An iterator of C's own, since those of Rust keep their handles to themselves.
struct InC {
    runtime: sys::weir_runtime,
    dataset: sys::weir_dataset,
    iterator: sys::weir_iterator,
    element: sys::weir_element,
}

impl InC {
    fn new(text: &str) -> Self {
        let mut out = InC {
            runtime: Default::default(),
            dataset: Default::default(),
            iterator: Default::default(),
            element: Default::default(),
        };
        let (null, none) = (std::ptr::null_mut(), std::ptr::null());
        // Safe: all that is passed lives until the calls return.
        let failed = unsafe {
            let (data, size) = (text.as_ptr().cast(), text.len() as u64);
            sys::weir_runtime_create(std::ptr::null(), &mut out.runtime, null)
                + sys::weir_dataset_parse(out.runtime, data, size, none, 0, &mut out.dataset, null)
                + sys::weir_iterator_create(out.runtime, out.dataset, std::ptr::null(), &mut out.iterator, null)
                + sys::weir_element_create(&mut out.element, null)
        };
        assert_eq!(failed, 0);
        out
    }

    fn run(&self, count: i64) -> i64 {
        unsafe { next_loop(self.iterator, self.element, count) }
    }
}

impl Drop for InC {
    fn drop(&mut self) {
        unsafe {
            sys::weir_element_destroy(self.element);
            sys::weir_iterator_destroy(self.iterator);
            sys::weir_dataset_unref(self.dataset);
            sys::weir_runtime_destroy(self.runtime);
        }
    }
}

fn filled(iterator: &weir::Iter, element: &mut Element, count: i64) -> Result<i64> {
    let mut sum = 0;
    for _ in 0..count {
        if !iterator.next_into(element)? {
            break;
        }
        sum += element.slice::<i64>(0)?[0];
    }
    Ok(sum)
}

fn iterated(iterator: &weir::Iter, count: i64) -> Result<i64> {
    let mut sum = 0;
    for element in iterator.take(count as usize) {
        sum += element?.slice::<i64>(0)?[0];
    }
    Ok(sum)
}

fn main() -> Result<()> {
    let count = std::env::args()
        .nth(1)
        .map_or(1_000_000, |text| text.parse().expect("a count"));
    let text = "counter()";
    let runtime = Runtime::new()?;
    let in_c = InC::new(text);
    let (reused, made) = (
        weir::parse(&runtime, text)?.iter()?,
        weir::parse(&runtime, text)?.iter()?,
    );
    let mut element = Element::new()?;
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let mut sums = [0; 3];
        for (way, sum) in sums.iter_mut().enumerate() {
            let begun = Instant::now();
            *sum = match way {
                0 => in_c.run(count),
                1 => filled(&reused, &mut element, count)?,
                _ => iterated(&made, count)?,
            };
            best[way] = best[way].min(begun.elapsed().as_nanos() as f64 / count as f64);
        }
        assert!(sums[0] == sums[1] && sums[1] == sums[2], "{sums:?}");
    }
    println!("C: next and view                            {:6.1} ns", best[0]);
    println!(
        "Rust: next_into and slice                   {:6.1} ns, {:+.1} ns",
        best[1],
        best[1] - best[0]
    );
    println!(
        "Rust: for element in iterator, and slice    {:6.1} ns, {:+.1} ns",
        best[2],
        best[2] - best[0]
    );
    Ok(())
}
