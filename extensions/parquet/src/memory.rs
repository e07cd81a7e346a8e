//! What stands in where there is no memory: Rust would end the process. Small pieces come from a reserve then, and calls
//! fail while half of it is used.

use std::alloc::{GlobalAlloc, Layout, System};
use std::any::Any;
use std::cell::UnsafeCell;
use std::error::Error;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::panic_text;

const SIZE: usize = 32 << 20;

#[repr(align(4096))]
struct Bytes(UnsafeCell<[u8; SIZE]>);
// SAFETY: each byte belongs to one piece.
unsafe impl Sync for Bytes {}

/// Takes no memory until it is used.
static BYTES: Bytes = Bytes(UnsafeCell::new([0; SIZE]));
static RESERVE: Mutex<Reserve> = Mutex::new(Reserve { used: 0, pieces: 0 });

struct Reserve {
    /// What was given, one piece behind the other, since there were no pieces.
    used: usize,
    pieces: usize,
}

fn reserve() -> MutexGuard<'static, Reserve> {
    RESERVE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn begin() -> *mut u8 {
    BYTES.0.get().cast()
}

fn is_reserved(piece: *mut u8) -> bool {
    (begin() as usize..begin() as usize + SIZE).contains(&(piece as usize))
}

/// A piece of the reserve, or null.
fn take(layout: Layout) -> *mut u8 {
    let mut reserve = reserve();
    let from = reserve.used.next_multiple_of(layout.align());
    if layout.align() > 4096 || from > SIZE || layout.size() > SIZE - from {
        return std::ptr::null_mut();
    }
    reserve.used = from + layout.size();
    reserve.pieces += 1;
    // SAFETY: `from` lies in the reserve, or at its end.
    unsafe { begin().add(from) }
}

struct WithReserve;

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve;

// SAFETY: as System; the pieces of the reserve don't overlap, and are none of System's.
unsafe impl GlobalAlloc for WithReserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = System.alloc(layout);
        if memory.is_null() {
            take(layout)
        } else {
            memory
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let mut memory = System.alloc_zeroed(layout);
        if memory.is_null() {
            memory = take(layout);
            if !memory.is_null() {
                memory.write_bytes(0, layout.size());
            }
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !is_reserved(memory) {
            return System.dealloc(memory, layout);
        }
        let mut reserve = reserve();
        reserve.pieces -= 1;
        let from = memory as usize - begin() as usize;
        if reserve.pieces == 0 {
            reserve.used = 0;
        } else if from + layout.size() == reserve.used {
            reserve.used = from;
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_reserved(memory) {
            let moved = System.realloc(memory, layout, size);
            if !moved.is_null() {
                return moved;
            }
        }
        let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        if !moved.is_null() {
            moved.copy_from_nonoverlapping(memory, layout.size().min(size));
            self.dealloc(memory, layout);
        }
        moved
    }
}

/// Why a call fails where there is no memory.
#[derive(Debug)]
pub struct NoMemory;

impl fmt::Display for NoMemory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("memory ran out")
    }
}

impl Error for NoMemory {}

/// What is wrong with a file where reading it panicked, unless there was no memory.
pub fn of_panic(panic: &(dyn Any + Send)) -> Result<String, NoMemory> {
    let text = panic_text(panic);
    // Its memory is that of C.
    if text.contains("returned null pointer when creating new context") {
        return Err(NoMemory);
    }
    Ok(format!("damaged: {text}"))
}

/// Before a call: fails if little is left of the reserve.
pub fn check() -> Result<(), NoMemory> {
    if reserve().used > SIZE / 2 {
        Err(NoMemory)
    } else {
        Ok(())
    }
}

/// Whether there was no memory for something that is still held.
pub fn ran_out() -> bool {
    reserve().pieces > 0
}
