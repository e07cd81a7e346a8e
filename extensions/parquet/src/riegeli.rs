//! The chunks of Riegeli files, as riegeli/doc/riegeli_records_file_format.md describes them, and the records of simple
//! chunks.

use std::io::{Cursor, Read};

use bytes::Bytes;
use highway::{HighwayHash, HighwayHasher, Key};
use parquet::errors::{ParquetError, Result};

use crate::file::damaged;

/// A header interrupts whatever lies at each multiple of BLOCK.
pub const BLOCK: u64 = 1 << 16;
const BLOCK_HEADER: u64 = 24;
const CHUNK_HEADER: u64 = 40;
/// "Riegeli/records\n", twice.
const KEY: [u64; 4] = [
    0x2f69_6c65_6765_6952,
    0x0a73_6472_6f63_6572,
    0x2f69_6c65_6765_6952,
    0x0a73_6472_6f63_6572,
];

/// Bytes of a file from `begin` on.
pub struct Span {
    pub begin: u64,
    pub bytes: Bytes,
}

pub struct Chunk {
    pub records: u64,
    decoded_size: u64,
    data: Bytes,
}

/// Records one after another, and where each ends.
#[derive(Default)]
pub struct Records {
    pub bytes: Vec<u8>,
    pub ends: Vec<i64>,
}

/// What decompresses, kept for the next chunk.
#[derive(Default)]
pub struct Decompressors {
    zstd: Option<zstd::bulk::Decompressor<'static>>,
}

fn hash(bytes: &[u8]) -> u64 {
    HighwayHasher::new(Key(KEY)).hash64(bytes)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut out = [0; 8];
    out.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(out)
}

fn no_memory(why: std::collections::TryReserveError) -> ParquetError {
    ParquetError::External(Box::new(why))
}

impl Span {
    /// `size` bytes from `at` on without the headers of blocks, and where they end.
    fn without_headers(&self, at: u64, size: u64) -> Result<(Bytes, u64)> {
        let ends = || damaged("a chunk reaches beyond its end");
        let mut at = at.checked_sub(self.begin).ok_or_else(ends)?;
        let mut left = size;
        let mut joined = Vec::new();
        loop {
            let in_block = (self.begin + at) % BLOCK;
            if in_block == 0 && left > 0 {
                at += BLOCK_HEADER;
            }
            let end = at + left.min(BLOCK - in_block.max(BLOCK_HEADER));
            if end > self.bytes.len() as u64 {
                return Err(ends());
            }
            let piece = self.bytes.slice(at as usize..end as usize);
            left -= end - at;
            at = end;
            if joined.is_empty() && left == 0 {
                return Ok((piece, self.begin + at));
            }
            let more = left.min(self.bytes.len() as u64 - end) as usize;
            joined.try_reserve(piece.len() + more).map_err(no_memory)?;
            joined.extend_from_slice(&piece);
            if left == 0 {
                return Ok((joined.into(), self.begin + at));
            }
        }
    }

    /// The simple chunk that begins at `at`.
    pub fn chunk(&self, at: u64) -> Result<Chunk> {
        let (header, after) = self.without_headers(at, CHUNK_HEADER)?;
        if hash(&header[8..]) != word(&header, 0) {
            return Err(damaged("the header of a chunk has another checksum"));
        }
        let (data, _) = self.without_headers(after, word(&header, 8))?;
        if hash(&data) != word(&header, 16) {
            return Err(damaged("a chunk has another checksum"));
        }
        match header[24] {
            b'r' => Ok(Chunk {
                records: word(&header, 24) >> 8,
                decoded_size: word(&header, 32),
                data,
            }),
            b't' => Err(ParquetError::NYI(
                "its records are transposed; write them with transpose:false".into(),
            )),
            other => Err(damaged(&format!(
                "a chunk of records is expected, and one of type {other} found"
            ))),
        }
    }
}

/// The number of variable length at the beginning, and what follows.
pub fn varint(bytes: &[u8]) -> Result<(u64, &[u8])> {
    let mut out = 0;
    for (i, byte) in bytes.iter().enumerate().take(10) {
        out |= u64::from(byte & 0x7f).checked_shl(7 * i as u32).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Ok((out, &bytes[i + 1..]));
        }
    }
    Err(damaged("a number of variable length has no end"))
}

impl Decompressors {
    /// Appends `size` bytes.
    fn append(&mut self, kind: u8, bytes: &[u8], size: usize, out: &mut Vec<u8>) -> Result<()> {
        let at = out.len();
        out.try_reserve(size).map_err(no_memory)?;
        let wrong = || damaged(&format!("compressed data don't become {size} bytes"));
        let whole = match kind {
            0 => {
                out.extend_from_slice(&bytes[..size.min(bytes.len())]);
                bytes.len() == size
            }
            b'z' => {
                let zstd = match &mut self.zstd {
                    Some(there) => there,
                    none => none.insert(zstd::bulk::Decompressor::new().map_err(|_| wrong())?),
                };
                let mut to = Cursor::new(&mut *out);
                to.set_position(at as u64);
                matches!(zstd.decompress_to_buffer(bytes, &mut to), Ok(count) if count == size)
            }
            // Three bytes become 64 at most.
            b's' if size / 32 > bytes.len() => false,
            b's' => {
                out.resize(at + size, 0);
                snap::raw::decompress_len(bytes).is_ok_and(|length| length == size)
                    && snap::raw::Decoder::new().decompress(bytes, &mut out[at..]).is_ok()
            }
            b'b' => {
                let from = brotli::Decompressor::new(bytes, 4096);
                matches!(from.take(size as u64 + 1).read_to_end(out), Ok(count) if count == size)
            }
            other => {
                return Err(ParquetError::NYI(format!(
                    "records compressed as '{}'",
                    other.escape_ascii()
                )))
            }
        };
        out.truncate(at + size);
        if whole && out.len() == at + size {
            Ok(())
        } else {
            Err(wrong())
        }
    }

    /// Decompresses a buffer, which says how long it becomes unless it is not compressed.
    fn append_buffer(&mut self, kind: u8, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let (size, bytes) = match kind {
            0 => (bytes.len() as u64, bytes),
            _ => varint(bytes)?,
        };
        self.append(kind, bytes, size as usize, out)
    }
}

impl Chunk {
    /// Appends the records `wanted` of a chunk that has as many or more.
    pub fn append(&self, wanted: std::ops::Range<u64>, with: &mut Decompressors, out: &mut Records) -> Result<()> {
        let ends = || damaged("a chunk ends inside the lengths of its records");
        let (kind, rest) = self.data.split_first().ok_or_else(ends)?;
        let (length, rest) = varint(rest)?;
        if length > rest.len() as u64 {
            return Err(ends());
        }
        let (lengths, values) = rest.split_at(length as usize);
        let mut decoded = Vec::new();
        with.append_buffer(*kind, lengths, &mut decoded)?;
        let mut lengths = &decoded[..];
        let (mut end, mut first) = (0u64, 0u64);
        let before = out.bytes.len();
        let mut ends = Vec::new();
        for i in 0..self.records {
            let (length, rest) = varint(lengths)?;
            lengths = rest;
            if i == wanted.start {
                first = end;
            }
            end = end
                .checked_add(length)
                .filter(|end| *end <= self.decoded_size)
                .ok_or_else(|| damaged("the records of a chunk are longer than it says"))?;
            if wanted.contains(&i) {
                ends.push(before as i64 + (end - first) as i64);
            }
        }
        if end != self.decoded_size || !lengths.is_empty() {
            return Err(damaged("the records of a chunk have other lengths than it says"));
        }
        if let Err(error) = with.append_buffer(*kind, values, &mut out.bytes) {
            out.bytes.truncate(before);
            return Err(error);
        }
        if (out.bytes.len() - before) as u64 != end {
            out.bytes.truncate(before);
            return Err(damaged("the records of a chunk are shorter than it says"));
        }
        // What is not wanted is behind the wanted ones and before them.
        out.bytes
            .truncate(ends.last().map_or(before, |last| *last as usize + first as usize));
        out.bytes.drain(before..before + first as usize);
        out.ends.append(&mut ends);
        Ok(())
    }
}
