//! One hash of a sequence, the same in every language.

use xxhash_rust::xxh64::Xxh64;

use crate::dtype::{Bytes, DType};
use crate::element::Element;
use crate::error::Result;
use crate::iterator::Iter;
use crate::runtime::Runtime;

/// The XXH64 of a sequence's elements: their dtypes, shapes and bytes, and the codes of those that failed. Equal sequences
/// have equal digests in every language, and `weir digest` prints the same. It may be taken in parts, before and after a
/// checkpoint.
pub struct Digest {
    hash: Xxh64,
    ended: bool,
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// That of nothing yet.
    pub fn new() -> Self {
        Digest {
            hash: Xxh64::new(0),
            ended: false,
        }
    }

    /// Adds up to `count` elements, or all that are left, and gives their number. Failed ones count, and so does the end,
    /// once, if it comes before.
    pub fn update(&mut self, iterator: &Iter, count: Option<u64>) -> Result<u64> {
        let (taken, ended) = self.rows(iterator, count)?;
        if ended && !self.ended {
            self.ended = true;
            self.hash.update(b"z");
        }
        Ok(taken)
    }

    fn rows(&mut self, iterator: &Iter, count: Option<u64>) -> Result<(u64, bool)> {
        let dtypes = iterator.spec()?.component_dtypes()?;
        let mut element = Element::new()?;
        let mut taken = 0;
        while count.map_or(true, |count| taken < count) {
            match iterator.next_into(&mut element) {
                Ok(true) => self.add(iterator.runtime(), &element, &dtypes)?,
                Ok(false) => return Ok((taken, true)),
                Err(error) if error.is_element() => {
                    self.hash.update(b"f");
                    self.hash.update(&(error.code() as i32).to_le_bytes());
                }
                Err(error) => return Err(error),
            }
            taken += 1;
        }
        Ok((taken, false))
    }

    /// The digest in 16 digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.hash.digest())
    }

    fn add(&mut self, runtime: &Runtime, element: &Element, dtypes: &[DType]) -> Result<()> {
        self.hash.update(b"e");
        for (index, &dtype) in dtypes.iter().enumerate() {
            self.hash.update(&[dtype as u8]);
            if dtype == DType::Dataset {
                self.rows(&element.dataset(runtime, index)?.iter()?, None)?;
                self.hash.update(b"z");
                continue;
            }
            let view = element.view(index)?;
            self.hash.update(&[view.dims().len() as u8]);
            for dim in view.dims() {
                self.hash.update(&dim.to_le_bytes());
            }
            if dtype == DType::String {
                for entry in view.slice::<Bytes>()? {
                    self.hash.update(&(entry.len() as u64).to_le_bytes());
                    self.hash.update(entry);
                }
            } else {
                self.hash.update(view.raw_bytes()?);
            }
        }
        Ok(())
    }
}

/// The digest of the first `count` elements of an iterator, or of all.
pub fn digest(iterator: &Iter, count: Option<u64>) -> Result<String> {
    let mut out = Digest::new();
    out.update(iterator, count)?;
    Ok(out.hex())
}
