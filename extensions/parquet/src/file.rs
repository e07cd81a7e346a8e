//! A file of weir's as the `parquet` crate reads it.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::abi;

/// How much is read to find out how long a page is.
const HEADER_BYTES: usize = 4096;

/// Column chunks that are read as a whole, by a number that is the same for the chunks of one column: of those, the
/// last one is kept.
#[derive(Default)]
struct Whole {
    chunks: Vec<(Range<u64>, usize)>,
    kept: Mutex<HashMap<usize, (u64, Bytes)>>,
}

#[derive(Clone)]
pub struct WeirFile {
    file: abi::File,
    size: u64,
    whole: Arc<Whole>,
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
            whole: Arc::default(),
        }
    }

    /// The same file, of which these chunks are read as a whole. They don't overlap.
    pub fn with_whole(&self, mut chunks: Vec<(Range<u64>, usize)>) -> Self {
        chunks.sort_by_key(|(range, _)| range.start);
        WeirFile {
            whole: Arc::new(Whole {
                chunks,
                kept: Mutex::default(),
            }),
            ..self.clone()
        }
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
            return Err(ParquetError::External("cannot be read".into()));
        }
        Ok(read as usize)
    }

    pub fn read_exact(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.size);
        end.ok_or_else(|| beyond(start.saturating_add(length as u64), self.size))?;
        let mut out = memory_for(length)?;
        // SAFETY: there is room for `length` bytes, and as many have been read where it is set.
        unsafe {
            if self.read_into(start, out.as_mut_ptr(), length)? != length {
                return Err(beyond(start + length as u64, self.size));
            }
            out.set_len(length);
        }
        Ok(out.into())
    }

    /// What there is from `start` on in the chunk that is read as a whole.
    fn in_whole(&self, start: u64) -> Result<Option<Bytes>> {
        let after = self.whole.chunks.partition_point(|(range, _)| range.start <= start);
        let Some((range, column)) = after.checked_sub(1).map(|i| &self.whole.chunks[i]) else {
            return Ok(None);
        };
        if start >= range.end {
            return Ok(None);
        }
        let mut kept = self.whole.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let there = kept.get(column).filter(|(begin, _)| *begin == range.start);
        let bytes = match there {
            Some((_, bytes)) => bytes.clone(),
            None => {
                kept.remove(column);
                let bytes = self.read_exact(range.start, (range.end - range.start) as usize)?;
                kept.insert(*column, (range.start, bytes.clone()));
                bytes
            }
        };
        Ok(Some(bytes.slice((start - range.start) as usize..)))
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
        let there = self.in_whole(start)?;
        Ok(FileRead {
            file: self.clone(),
            next: start + there.as_ref().map_or(0, Bytes::len) as u64,
            there: there.unwrap_or_default(),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self.in_whole(start)? {
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
