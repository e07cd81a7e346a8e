//! The headers of the pages of a column chunk. The crate believes what they count; here they are compared with one
//! another, with the footer and with the page index.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Mutex;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::{ChunkReader, Length};

use crate::file::{damaged, locked, FileRead, WeirFile, GLIMPSE_BYTES, HEADER_BYTES};
use crate::thrift::{parse, Numbers, Unread};

/// Statistics make headers long, but not longer than this.
const MOST_HEADER_BYTES: usize = 16 << 20;

const DAMAGED_HEADER: &str = "the header of a page is damaged";

const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const DATA_PAGE_V2: i64 = 3;

/// Whether the header of a page proves by itself how many values the page has.
#[derive(Clone, Copy, PartialEq)]
enum Proof {
    Exact,
    Open,
    Contrary,
}

enum Page {
    Dictionary,
    Data {
        values: i64,
        /// None if the header doesn't say it.
        rows: Option<i64>,
        proof: Proof,
    },
}

/// What the footer says of a chunk.
#[derive(Clone)]
pub struct Facts {
    pub range: Range<u64>,
    rows: i64,
    values: i64,
    is_list: bool,
    may_be_null: bool,
    is_compressed: bool,
    /// Of a value, where all have the same in the encoding PLAIN.
    width: Option<i64>,
    encodings: i32,
}

/// Both names are used for the same.
fn is_dictionary(encoding: Option<i64>) -> bool {
    [Encoding::PLAIN_DICTIONARY, Encoding::RLE_DICTIONARY]
        .iter()
        .any(|known| encoding == Some(*known as i64))
}

impl Facts {
    pub fn new(chunk: &ColumnChunkMetaData, rows: i64) -> Self {
        let (start, length) = chunk.byte_range();
        let column = chunk.column_descr();
        let is_list = column.max_rep_level() > 0;
        Facts {
            range: start..start + length,
            rows,
            // Flat columns have a value, which may be null, in each row.
            values: if is_list { chunk.num_values() } else { rows },
            is_list,
            may_be_null: column.max_def_level() > 0,
            is_compressed: chunk.compression() != Compression::UNCOMPRESSED,
            width: match chunk.column_type() {
                Type::INT32 | Type::FLOAT => Some(4),
                Type::INT64 | Type::DOUBLE => Some(8),
                Type::INT96 => Some(12),
                _ => None,
            },
            encodings: chunk.encodings_mask().as_i32(),
        }
    }

    fn lists(&self, encoding: Option<i64>) -> bool {
        let bit = encoding.and_then(|encoding| 1i32.checked_shl(u32::try_from(encoding).ok()?));
        let bits = match is_dictionary(encoding) {
            true => Some(1 << Encoding::PLAIN_DICTIONARY as i32 | 1 << Encoding::RLE_DICTIONARY as i32),
            false => bit,
        };
        bits.is_some_and(|bits| self.encodings & bits != 0)
    }

    /// What a header says, which the footer doesn't contradict.
    fn page(&self, header: &Numbers) -> Result<Page> {
        let (page, number) = (&header[0], |found: Option<i64>| {
            found
                .filter(|number| *number >= 0)
                .ok_or_else(|| damaged(DAMAGED_HEADER))
        });
        let (kind, whole) = (number(page[1])?, number(page[2])?);
        let data = match kind {
            DATA_PAGE => &header[5],
            DATA_PAGE_V2 => &header[8],
            DICTIONARY_PAGE => {
                number(header[7][1])?;
                return match header[7][2] == Some(Encoding::PLAIN as i64) || is_dictionary(header[7][2]) {
                    true => Ok(Page::Dictionary),
                    false => Err(damaged("a dictionary page has an encoding that has no dictionary")),
                };
            }
            _ => return Err(damaged("a page has a type that is none")),
        };
        let values = number(data[1])?;
        let encoding = data[if kind == DATA_PAGE { 2 } else { 4 }];
        if self.encodings != 0 && !self.lists(encoding) {
            return Err(damaged("a page has an encoding that its column doesn't have"));
        }
        if kind == DATA_PAGE_V2 {
            let rows = number(data[3])?;
            let levels = [(self.may_be_null, data[5]), (self.is_list, data[6])];
            if levels.iter().any(|(any, size)| !any && size.unwrap_or(0) != 0) {
                return Err(damaged("a page has levels that its column doesn't have"));
            }
            if self.is_compressed && data[7] == Some(0) && page[2] != page[3] {
                return Err(damaged("a page that is not compressed has two sizes"));
            }
            if !self.is_list && rows != values {
                return Err(damaged(&format!("a page has {values} values in {rows} rows")));
            }
            let proof = if self.is_list { Proof::Open } else { Proof::Exact };
            let rows = Some(rows);
            return Ok(Page::Data { values, rows, proof });
        }
        #[expect(deprecated)]
        let packed = Some(Encoding::BIT_PACKED as i64);
        let has_packed = self.may_be_null && data[3] == packed || self.is_list && data[4] == packed;
        if self.encodings != 0 && has_packed && !self.lists(packed) {
            return Err(damaged("a page has levels of an encoding that its column doesn't have"));
        }
        let is_plain = encoding == Some(Encoding::PLAIN as i64) && !self.may_be_null;
        let proof = match self.width.filter(|_| is_plain) {
            Some(width) if values.checked_mul(width) == Some(whole) => Proof::Exact,
            Some(_) => Proof::Contrary,
            None => Proof::Open,
        };
        let rows = (!self.is_list).then_some(values);
        Ok(Page::Data { values, rows, proof })
    }

    /// What a page's bytes must say where the page index has a page of so many rows, or, with none, a dictionary.
    fn check(&self, bytes: &[u8], expected: Option<i64>) -> Result<()> {
        let (header, length) = parse(bytes).map_err(|_| damaged(DAMAGED_HEADER))?;
        if header[0][3] != i64::try_from(bytes.len() - length).ok() {
            return Err(damaged("a page is of another size than the page index says"));
        }
        match (self.page(&header)?, expected) {
            (Page::Dictionary, None) => Ok(()),
            (Page::Data { rows, .. }, Some(expected)) => match rows.filter(|rows| *rows != expected) {
                None => Ok(()),
                Some(rows) => Err(damaged(&format!(
                    "a page has {rows} rows where the page index has {expected}"
                ))),
            },
            _ => Err(damaged("a page is of another type than the page index says")),
        }
    }
}

/// How far the headers of a chunk are known to be right.
#[derive(Clone, Copy, PartialEq)]
pub enum Trust {
    /// Together they have as many values as the footer says.
    Whole,
    /// They have not, and only so many of the first pages prove by themselves what they have.
    Pages(usize),
    /// They could not all be read.
    Unknown,
}

/// The headers of a chunk from the first one on.
struct Walk {
    next: u64,
    /// Where the last header ended.
    body: u64,
    begun: bool,
    /// How many data pages there were, and what they have.
    pages: usize,
    values: i64,
    rows: Option<i64>,
    /// How many of the first pages prove what they have.
    proven: usize,
}

impl Walk {
    fn new(facts: &Facts) -> Self {
        Walk {
            next: facts.range.start,
            body: facts.range.start,
            begun: false,
            pages: 0,
            values: 0,
            rows: Some(0),
            proven: 0,
        }
    }

    fn at_end(&self, facts: &Facts) -> bool {
        self.next >= facts.range.end
    }

    /// Takes the header that comes next; `read` reads up to so many bytes from there, more than before if those were
    /// too few, or none if that would take too long.
    fn step(&mut self, facts: &Facts, read: impl Fn(usize) -> Result<Option<Bytes>>) -> Result<Option<Proof>> {
        let left = usize::try_from(facts.range.end - self.next).unwrap_or(usize::MAX);
        let mut size = GLIMPSE_BYTES;
        let (header, length) = loop {
            let Some(bytes) = read(size.min(left))? else {
                return Ok(None);
            };
            match parse(&bytes[..bytes.len().min(left)]) {
                Ok(found) => break found,
                Err(Unread::Short) if size < left.min(MOST_HEADER_BYTES) => size *= 16,
                Err(_) => return Err(damaged(DAMAGED_HEADER)),
            }
        };
        let page = facts.page(&header)?;
        let stored = header[0][3].and_then(|size| usize::try_from(size).ok());
        let size = stored.and_then(|stored| stored.checked_add(length));
        let size = size
            .filter(|size| *size <= left)
            .ok_or_else(|| damaged("a page reaches beyond its column"))?;
        let proof = match page {
            Page::Dictionary if self.begun => return Err(damaged("a dictionary page comes after other pages")),
            Page::Dictionary => Proof::Exact,
            Page::Data { values, rows, proof } => {
                self.proven += usize::from(self.proven == self.pages && proof == Proof::Exact);
                self.pages += 1;
                self.values = self.values.saturating_add(values);
                self.rows = self.rows.zip(rows).map(|(all, rows)| all.saturating_add(rows));
                proof
            }
        };
        self.begun = true;
        self.body = self.next + length as u64;
        self.next += size as u64;
        Ok(Some(proof))
    }

    fn fits(&self, facts: &Facts) -> bool {
        self.values == facts.values && self.rows.is_none_or(|rows| rows == facts.rows)
    }
}

/// Looks at all headers of a chunk, unless that takes too many reads.
pub fn trust(file: &WeirFile, facts: &Facts) -> Result<Trust> {
    let mut walk = Walk::new(facts);
    let reads = Cell::new(0);
    while !walk.at_end(facts) {
        let next = walk.next;
        match walk.step(facts, |size| file.glimpse(&facts.range, next, size, &reads)) {
            Ok(Some(_)) => {}
            Err(error @ ParquetError::External(_)) => return Err(error),
            // The pages before it may be read.
            Ok(None) | Err(_) => return Ok(Trust::Unknown),
        }
    }
    // If all pages prove what they have, one of them hides another.
    Ok(match walk.fits(facts) {
        true => Trust::Whole,
        false if walk.proven == walk.pages => Trust::Pages(0),
        false => Trust::Pages(walk.proven),
    })
}

/// The bytes of a chunk's pages, whose headers are checked when they are read.
pub struct PageBytes {
    file: WeirFile,
    facts: Facts,
    trust: Trust,
    /// Where the page index has pages, and of how many rows.
    places: Option<Vec<(u64, i64)>>,
    walk: Mutex<Walk>,
}

impl PageBytes {
    pub fn new(file: WeirFile, facts: Facts, trust: Trust, places: Option<&[PageLocation]>) -> Self {
        let rows = |places: &[PageLocation]| {
            let ends = places.iter().skip(1).map(|place| place.first_row_index);
            let ends = ends.chain([facts.rows]);
            let pages = places.iter().zip(ends);
            pages
                .map(|(place, end)| (place.offset as u64, end - place.first_row_index))
                .collect()
        };
        PageBytes {
            file,
            places: places.map(rows),
            walk: Mutex::new(Walk::new(&facts)),
            facts,
            trust,
        }
    }

    /// The rows of the page index's pages.
    pub fn rows(&self) -> Option<Vec<i64>> {
        let places = self.places.as_ref()?;
        Some(places.iter().map(|(_, rows)| *rows).collect())
    }

    /// Takes the header that is next.
    fn check(&self, walk: &mut Walk, first: &Bytes) -> Result<()> {
        let start = walk.next;
        let read = |size: usize| match size <= first.len() {
            true => Ok(Some(first.clone())),
            false => self.file.front(start, size).map(Some),
        };
        let proof = walk.step(&self.facts, read)?;
        let is_right = match self.trust {
            Trust::Whole => true,
            Trust::Pages(count) => walk.pages <= count,
            Trust::Unknown => proof != Some(Proof::Contrary) && (!walk.at_end(&self.facts) || walk.fits(&self.facts)),
        };
        match is_right {
            true => Ok(()),
            false => Err(damaged("its pages don't have as many values as it says")),
        }
    }
}

impl Length for PageBytes {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for PageBytes {
    type T = FileRead;

    /// The crate asks for what follows a header, too, but doesn't read it so.
    fn get_read(&self, start: u64) -> Result<FileRead> {
        let mut walk = locked(&self.walk);
        if walk.next != start {
            return match walk.body == start {
                true => self.file.get_read(start),
                false => Err(damaged(DAMAGED_HEADER)),
            };
        }
        let first = self.file.front(start, HEADER_BYTES)?;
        self.check(&mut walk, &first)?;
        Ok(self.file.read_after(start, first))
    }

    /// With a page index whole pages are read so, else what follows their headers.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.file.get_bytes(start, length)?;
        if let Some(places) = &self.places {
            let place = places.binary_search_by_key(&start, |(offset, _)| *offset);
            self.facts.check(&bytes, place.ok().map(|i| places[i].1))?;
        }
        Ok(bytes)
    }
}
