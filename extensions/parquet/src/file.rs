//! A file of weir's as the `parquet` crate reads it.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::abi;

/// How much is read to find out how long a page is.
pub const HEADER_BYTES: usize = 4096;
/// A piece of a chunk that is read in pieces. What a processor's cache holds is decoded sooner than a whole chunk.
const PIECE_BYTES: u64 = 1 << 20;
/// Headers of pages are looked at before a chunk is read if this costs less than a hundredth of its bytes.
pub const GLIMPSE_BYTES: usize = 512;
const BYTES_PER_GLIMPSE: u64 = 100 * GLIMPSE_BYTES as u64;
/// A file is far if a piece takes so long. Its chunks are read as a whole, since each read costs more than its bytes.
const FAR: Duration = Duration::from_millis(5);
/// What is kept for pieces to come: more would be memory that whole chunks took.
const MOST_SPARES: usize = 4;
const MOST_SPARE_BYTES: usize = 2 << 20;

/// Column chunks that are read in pieces, by a number that is the same for the chunks of one column: of those, the
/// last piece is kept.
#[derive(Default)]
struct Pieces {
    chunks: Vec<(Range<u64>, usize)>,
    kept: Mutex<HashMap<usize, (u64, Bytes)>>,
    spares: Arc<Spares>,
}

/// Memory of pieces that nothing refers to any more: new memory costs page faults.
#[derive(Default)]
struct Spares(Mutex<Vec<Vec<u8>>>);

struct Piece {
    bytes: Vec<u8>,
    spares: Arc<Spares>,
}

impl Spares {
    /// An empty vector with room for so many bytes.
    fn take(&self, size: usize) -> Result<Vec<u8>> {
        match locked(&self.0).pop() {
            Some(mut spare) if spare.capacity() >= size => {
                spare.clear();
                Ok(spare)
            }
            _ => memory_for(size),
        }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut spares = locked(&self.spares.0);
        if spares.len() < MOST_SPARES && self.bytes.capacity() <= MOST_SPARE_BYTES {
            spares.push(std::mem::take(&mut self.bytes));
        }
    }
}

#[derive(Clone)]
pub struct WeirFile {
    file: abi::File,
    size: u64,
    pieces: Arc<Pieces>,
    is_far: Arc<AtomicBool>,
    failed: Arc<AtomicBool>,
}

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn beyond(start: u64, size: u64) -> ParquetError {
    ParquetError::EOF(format!("byte {start} is expected in a file of {size}"))
}

/// The file does not say what it should.
pub fn damaged(why: &str) -> ParquetError {
    ParquetError::General(why.into())
}

/// An empty vector with room for so many bytes.
pub fn memory_for(size: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    out.try_reserve_exact(size)
        .map_err(|why| ParquetError::External(Box::new(why)))?;
    Ok(out)
}

impl WeirFile {
    pub fn new(file: abi::File, size: u64) -> Self {
        WeirFile {
            file,
            size,
            pieces: Arc::default(),
            is_far: Arc::default(),
            failed: Arc::default(),
        }
    }

    /// The same file, of which these chunks are read in pieces. They don't overlap.
    pub fn with_pieces(&self, mut chunks: Vec<(Range<u64>, usize)>) -> Self {
        chunks.sort_by_key(|(range, _)| range.start);
        WeirFile {
            pieces: Arc::new(Pieces {
                chunks,
                ..Pieces::default()
            }),
            ..self.clone()
        }
    }

    /// Whether a read failed since the last call.
    pub fn take_failure(&self) -> bool {
        self.failed.swap(false, Relaxed)
    }

    fn read_at(&self, start: u64, out: &mut [u8]) -> Result<usize> {
        // SAFETY: the memory is that of `out`.
        unsafe { self.read_into(start, out.as_mut_ptr(), out.len()) }
    }

    unsafe fn read_into(&self, start: u64, out: *mut u8, size: usize) -> Result<usize> {
        let mut read = 0;
        let result = abi::weir_file_read(
            self.file,
            start,
            out.cast(),
            size as u64,
            &mut read,
            std::ptr::null_mut(),
        );
        if result != abi::OK {
            // The library knows why.
            self.failed.store(true, Relaxed);
            return Err(ParquetError::External("cannot be read".into()));
        }
        Ok(read as usize)
    }

    pub fn read_exact(&self, start: u64, length: usize) -> Result<Bytes> {
        self.read_on(start, Bytes::new(), length)
    }

    /// `length` bytes from `start` on, of which the first are there.
    fn read_on(&self, start: u64, there: Bytes, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.size);
        end.ok_or_else(|| beyond(start.saturating_add(length as u64), self.size))?;
        let mut out = self.pieces.spares.take(length)?;
        out.extend_from_slice(&there);
        // SAFETY: there is room for `length` bytes, and as many have been read where it is set.
        unsafe {
            let missing = length - there.len();
            let read = self.read_into(start + there.len() as u64, out.as_mut_ptr().add(there.len()), missing)?;
            if read != missing {
                return Err(beyond(start + length as u64, self.size));
            }
            out.set_len(length);
        }
        Ok(Bytes::from_owner(Piece {
            bytes: out,
            spares: self.pieces.spares.clone(),
        }))
    }

    /// The chunk there that is read in pieces, and its number.
    fn chunk_at(&self, start: u64) -> Option<&(Range<u64>, usize)> {
        let after = self.pieces.chunks.partition_point(|(range, _)| range.start <= start);
        let chunk = &self.pieces.chunks[after.checked_sub(1)?];
        (start < chunk.0.end).then_some(chunk)
    }

    /// `size` bytes or more from `start` on, or what there is of them.
    pub fn front(&self, start: u64, size: usize) -> Result<Bytes> {
        match self.in_piece(start, size)? {
            Some(bytes) => Ok(bytes),
            None => self.read_exact(start, size.min(self.size.saturating_sub(start) as usize)),
        }
    }

    /// The same of a chunk that will be read from its beginning: what is in memory for that stays there. `reads` counts
    /// the reads that are for this alone. None if there would be too many.
    pub fn glimpse(&self, chunk: &Range<u64>, start: u64, size: usize, reads: &Cell<u64>) -> Result<Option<Bytes>> {
        let end = chunk.end.min(self.size).min(start + size as u64);
        let size = end.saturating_sub(start) as usize;
        if let Some((_, column)) = self.chunk_at(start) {
            if let Some((begin, bytes)) = locked(&self.pieces.kept).get(column) {
                if *begin <= start && end <= begin + bytes.len() as u64 {
                    return Ok(Some(bytes.slice((start - begin) as usize..)));
                }
            }
            if start == chunk.start {
                return self.front(start, size).map(Some);
            }
            if self.is_far.load(Relaxed) {
                return self
                    .whole(chunk)
                    .map(|whole| Some(whole.slice((start - chunk.start) as usize..)));
            }
            if reads.get() * BYTES_PER_GLIMPSE > start - chunk.start {
                return Ok(None);
            }
        }
        reads.set(reads.get() + 1);
        let began = Instant::now();
        let bytes = self.read_exact(start, size)?;
        let is_far = self.is_far.fetch_or(began.elapsed() >= FAR, Relaxed);
        Ok((!is_far).then_some(bytes))
    }

    /// A chunk that is read in pieces, as one piece.
    fn whole(&self, chunk: &Range<u64>) -> Result<Bytes> {
        self.front(chunk.start, (chunk.end - chunk.start) as usize)
    }

    /// Reads a chunk as one piece, if it is read in pieces.
    pub fn join(&self, chunk: &Range<u64>) -> Result<bool> {
        let is_there = self.chunk_at(chunk.start).is_some();
        if is_there {
            self.whole(chunk)?;
        }
        Ok(is_there)
    }

    /// The file from `start` on, of which the first bytes are there.
    pub fn read_after(&self, start: u64, there: Bytes) -> FileRead {
        FileRead {
            file: self.clone(),
            next: start + there.len() as u64,
            there,
        }
    }

    /// `length` bytes or more from `start` on, or what there is of them, in a chunk that is read in pieces.
    fn in_piece(&self, start: u64, length: usize) -> Result<Option<Bytes>> {
        let Some((range, column)) = self.chunk_at(start) else {
            return Ok(None);
        };
        let wanted = (length as u64).min(range.end - start);
        let mut kept = locked(&self.pieces.kept);
        let there = kept
            .remove(column)
            .filter(|(begin, bytes)| *begin <= start && start <= begin + bytes.len() as u64);
        let (begin, bytes) = match there {
            Some((begin, bytes)) if begin + bytes.len() as u64 >= start + wanted => (begin, bytes),
            there => {
                let rest = there.map_or_else(Bytes::new, |(begin, bytes)| bytes.slice((start - begin) as usize..));
                let left = range.end - start;
                let size = match self.is_far.load(Relaxed) {
                    true => left,
                    false => wanted.max(PIECE_BYTES).min(left),
                } as usize;
                let began = Instant::now();
                let bytes = self.read_on(start, rest, size)?;
                self.is_far.fetch_or(began.elapsed() >= FAR, Relaxed);
                (start, bytes)
            }
        };
        kept.insert(*column, (begin, bytes.clone()));
        Ok(Some(bytes.slice((start - begin) as usize..)))
    }
}

impl Length for WeirFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for WeirFile {
    type T = FileRead;

    fn get_read(&self, start: u64) -> Result<FileRead> {
        let there = self.in_piece(start, HEADER_BYTES)?;
        Ok(self.read_after(start, there.unwrap_or_default()))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self.in_piece(start, length)? {
            Some(bytes) if bytes.len() >= length => Ok(bytes.slice(..length)),
            _ => self.read_exact(start, length),
        }
    }
}

/// The file from some place on.
pub struct FileRead {
    file: WeirFile,
    next: u64,
    there: Bytes,
}

impl Read for FileRead {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        if self.there.is_empty() {
            let left = self.file.size.saturating_sub(self.next);
            if out.len() >= HEADER_BYTES {
                let most = left.min(out.len() as u64) as usize;
                let read = self
                    .file
                    .read_at(self.next, &mut out[..most])
                    .map_err(std::io::Error::other)?;
                self.next += read as u64;
                return Ok(read);
            }
            let size = left.min(HEADER_BYTES as u64) as usize;
            self.there = self.file.read_exact(self.next, size).map_err(std::io::Error::other)?;
            self.next += size as u64;
        }
        let count = out.len().min(self.there.len());
        out[..count].copy_from_slice(&self.there[..count]);
        self.there = self.there.slice(count..);
        Ok(count)
    }
}
