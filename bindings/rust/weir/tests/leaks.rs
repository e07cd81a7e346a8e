//! Nothing stays behind. The only test of its process, whose memory it looks at.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use weir::{from_tensor_slices, range, Callback, Element, Result, Runtime, Tensor};

/// Bytes that malloc has given out.
fn in_use() -> usize {
    #[repr(C)]
    struct Mallinfo2 {
        before: [usize; 7],
        uordblks: usize,
        after: [usize; 2],
    }
    extern "C" {
        fn mallinfo2() -> Mallinfo2;
    }
    // Safe: it only counts. Large blocks, which malloc maps one by one, are counted apart (hblkhd, the fifth).
    let info = unsafe { mallinfo2() };
    info.uordblks + info.before[4]
}

static LIVE: AtomicUsize = AtomicUsize::new(0);
struct Live;
impl Live {
    fn new() -> Self {
        LIVE.fetch_add(1, Ordering::SeqCst);
        Live
    }
}
impl Drop for Live {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

fn everything_once(runtime: &Runtime) -> Result<()> {
    let live = Arc::new(Live::new());
    let callback = Callback::new("int64", move |call| {
        let _ = &live;
        let x = call.input(0)?.scalar::<i64>()?;
        assert_ne!(x, 1);
        call.write(0, &[], &[x])
    })?;
    let tensor = Tensor::from_vec(&[64], vec![1i64; 64])?;
    let dataset = from_tensor_slices(tensor)
        .take(2)
        .concatenate(range(3))
        .map(callback.pure())
        .build(runtime)?;
    let mut iterator = dataset.iter()?;
    let element = iterator.next().expect("one");
    iterator.save()?;
    assert!(element.is_err() && iterator.next().expect("two").is_err());
    let kept = iterator.next().expect("three")?;
    drop(iterator);
    kept.tensor(0)?;
    Ok(())
}

#[test]
fn ten_thousand_leave_nothing_behind() -> Result<()> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = Runtime::new()?;
    let many = |count: usize| -> Result<()> {
        let elements: Result<Vec<Element>> = (0..count).map(|_| Element::new()).collect();
        drop(elements?);
        (0..count).try_for_each(|_| everything_once(&runtime))
    };
    // One forgotten pointer for each of them would be 80,000 bytes, one forgotten block at least 240,000, in each round.
    // The library and malloc keep their tables and pools once they have grown, so one round that stays below is enough.
    let mut grown = usize::MAX;
    for _ in 0..5 {
        let before = in_use();
        many(10_000)?;
        grown = grown.min(in_use().saturating_sub(before));
        if grown < 60_000 {
            break;
        }
    }
    std::panic::set_hook(hook);
    assert_eq!(LIVE.load(Ordering::SeqCst), 0);
    assert!(grown < 60_000, "{grown} bytes more after each round");
    Ok(())
}
