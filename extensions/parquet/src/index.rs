//! Where the batches of an Arrow file or stream are, and how many rows they have.

use std::collections::HashMap;

use arrow_ipc::{root_as_footer, root_as_message, Block, Message, MessageHeader, MetadataVersion};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::Length;

use crate::columns::{self, Column};
use crate::file::{damaged, WeirFile};
use crate::read::said;

/// At the beginning of a file, padded to 8 bytes, and at its end.
const MAGIC: &[u8] = b"ARROW1";
const BEGIN_BYTES: u64 = 8;
/// The magic, and the length of the footer before it.
const END_BYTES: u64 = 10;
const CONTINUATION: u32 = u32::MAX;
/// How much is read to find out how long a message is.
const HEADER_BYTES: u64 = 4096;
const MOST_METADATA: u64 = 256 << 20;

/// A message: its metadata, and the body after it.
#[derive(Clone, Copy)]
pub struct Place {
    pub at: u64,
    metadata: u64,
    metadata_size: usize,
    pub body: u64,
    pub body_size: u64,
}

impl Place {
    pub fn read(&self, file: &WeirFile) -> Result<Bytes> {
        file.read_exact(self.metadata, self.metadata_size)
    }
}

pub fn parse(metadata: &Bytes) -> Result<Message<'_>> {
    let message = root_as_message(metadata).map_err(|why| damaged(&format!("its metadata is damaged: {why}")))?;
    match message.version() {
        MetadataVersion::V4 | MetadataVersion::V5 => Ok(message),
        MetadataVersion(other) => Err(ParquetError::NYI(format!("version {} of the format", other + 1))),
    }
}

/// The message that begins at `at`, and its metadata; none at the end of a stream.
fn message_at(file: &WeirFile, at: u64) -> Result<Option<(Place, Bytes)>> {
    let left = file
        .len()
        .checked_sub(at)
        .ok_or_else(|| damaged("a message begins beyond the end"))?;
    if left == 0 {
        return Ok(None);
    }
    let first = file.read_exact(at, left.min(HEADER_BYTES) as usize)?;
    let word = |from: usize| match first.get(from..from + 4) {
        Some(bytes) => Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        None => Err(damaged("it ends inside the length of a message")),
    };
    let begun = word(0)?;
    // Before version 0.15 there was no mark in front of the length.
    let (prefix, size) = match begun {
        CONTINUATION => (8, u64::from(word(4)?)),
        size => (4, u64::from(size)),
    };
    if size == 0 {
        return Ok(None);
    }
    if size > MOST_METADATA || prefix + size > left {
        return Err(damaged(&format!(
            "a message of {size} bytes is expected in the {} that are left",
            left - prefix.min(left)
        )));
    }
    let end = (prefix + size) as usize;
    let metadata = match end <= first.len() {
        true => first.slice(prefix as usize..end),
        false => file.read_exact(at + prefix, size as usize)?,
    };
    let body_size = parse(&metadata)?.bodyLength();
    let place = Place {
        at,
        metadata: at + prefix,
        metadata_size: size as usize,
        body: at + prefix + size,
        body_size: body_size as u64,
    };
    if body_size < 0 || place.body_size > file.len() - place.body {
        return Err(damaged(&format!(
            "a body of {body_size} bytes is expected in the {} that are left",
            file.len() - place.body
        )));
    }
    Ok(Some((place, metadata)))
}

pub struct DictionaryBatch {
    pub place: Place,
    pub delta: bool,
    /// The first batch of rows that it is for.
    pub before: usize,
}

pub enum Batch {
    There(Place),
    /// One row in place of what could not be found.
    Broken(u64, String),
}

pub struct Index {
    pub columns: Vec<Column>,
    pub batches: Vec<Batch>,
    /// The first row of each, and how many there are.
    pub starts: Vec<i64>,
    /// By their numbers.
    pub dictionaries: HashMap<i64, Vec<DictionaryBatch>>,
}

impl Index {
    pub fn open(file: &WeirFile) -> Result<Self> {
        let begin = file.read_exact(0, file.len().min(BEGIN_BYTES) as usize)?;
        if begin.starts_with(b"FEA1") {
            return Err(ParquetError::NYI(
                "it is a Feather file of version 1; write it again as version 2".into(),
            ));
        }
        match begin.starts_with(MAGIC) {
            true => Self::of_file(file),
            false => Self::of_stream(file),
        }
    }

    fn new(schema: arrow_ipc::Schema) -> Result<Self> {
        Ok(Index {
            columns: columns::all(schema)?,
            batches: vec![],
            starts: vec![0],
            dictionaries: HashMap::new(),
        })
    }

    fn of_file(file: &WeirFile) -> Result<Self> {
        let size = file.len();
        let space = size
            .checked_sub(BEGIN_BYTES + END_BYTES)
            .ok_or_else(|| damaged("it ends before its footer"))?;
        let end = file.read_exact(size - END_BYTES, END_BYTES as usize)?;
        if &end[4..] != MAGIC {
            return Err(damaged(
                "it does not end with ARROW1: it was cut, or not written to its end",
            ));
        }
        let length = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
        if length > space.min(MOST_METADATA) {
            return Err(damaged(&format!("a footer of {length} bytes is expected in {space}")));
        }
        let footer = file.read_exact(size - END_BYTES - length, length as usize)?;
        let footer = root_as_footer(&footer).map_err(|why| damaged(&format!("its footer is damaged: {why}")))?;
        let mut index = Self::new(footer.schema().ok_or_else(|| damaged("its footer has no schema"))?)?;
        let dictionaries = footer.dictionaries().into_iter().flatten();
        let batches = footer.recordBatches().into_iter().flatten();
        for block in dictionaries.chain(batches) {
            let found = block_of(file, block).and_then(|(place, metadata)| index.add(place, &metadata));
            index.or_broken(block.offset() as u64, found)?;
        }
        Ok(index)
    }

    fn of_stream(file: &WeirFile) -> Result<Self> {
        let (place, metadata) = message_at(file, 0)?.ok_or_else(|| damaged("it is empty"))?;
        let schema = parse(&metadata)?.header_as_schema();
        let mut index = Self::new(schema.ok_or_else(|| damaged("it does not begin with a schema"))?)?;
        let mut at = place.body + place.body_size;
        loop {
            let found = message_at(file, at).and_then(|found| {
                let Some((place, metadata)) = found else {
                    return Ok(None);
                };
                index.add(place, &metadata)?;
                Ok(Some(place.body + place.body_size))
            });
            match index.or_broken(at, found)? {
                Some(Some(next)) => at = next,
                _ => return Ok(index),
            }
        }
    }

    fn add(&mut self, place: Place, metadata: &Bytes) -> Result<()> {
        let message = parse(metadata)?;
        if let Some(batch) = message.header_as_record_batch() {
            let first = batch.nodes().and_then(|columns| columns.iter().next());
            if first.is_none() && !self.columns.is_empty() {
                return Err(damaged("a batch has no columns"));
            }
            return match first.filter(|column| column.length() != batch.length()) {
                Some(column) => Err(damaged(&format!(
                    "a batch of {} rows has a column of {}",
                    batch.length(),
                    column.length()
                ))),
                None => self.add_batch(Batch::There(place), batch.length()),
            };
        }
        let Some(batch) = message.header_as_dictionary_batch() else {
            let other = match message.header_type() {
                MessageHeader::Schema => "a second schema",
                _ => "tensors",
            };
            return Err(ParquetError::NYI(format!("{other} among its batches")));
        };
        let before = self.batches.len();
        self.dictionaries.entry(batch.id()).or_default().push(DictionaryBatch {
            place,
            delta: batch.isDelta(),
            before,
        });
        Ok(())
    }

    fn add_batch(&mut self, batch: Batch, rows: i64) -> Result<()> {
        let end = self.starts[self.batches.len()].checked_add(rows);
        let end = end
            .filter(|_| rows >= 0)
            .ok_or_else(|| damaged("the number of its rows is none"))?;
        self.batches.push(batch);
        self.starts.push(end);
        Ok(())
    }

    /// What is damaged is an error in its place; where reading fails, there is no index.
    fn or_broken<T>(&mut self, at: u64, found: Result<T>) -> Result<Option<T>> {
        match found {
            Ok(there) => Ok(Some(there)),
            Err(ParquetError::External(why)) => Err(ParquetError::External(why)),
            Err(why) => {
                self.add_batch(Batch::Broken(at, said(&why)), 1)?;
                Ok(None)
            }
        }
    }
}

fn block_of(file: &WeirFile, block: &Block) -> Result<(Place, Bytes)> {
    let at = u64::try_from(block.offset()).map_err(|_| damaged("a batch has a negative position"))?;
    let (mut place, metadata) = message_at(file, at)?.ok_or_else(|| damaged("a batch is missing"))?;
    // The body follows padding that the message may not count.
    let body = at.checked_add(block.metaDataLength() as u32 as u64);
    let fits = |body: &u64| {
        *body >= place.body
            && file
                .len()
                .checked_sub(*body)
                .is_some_and(|left| left >= place.body_size)
    };
    place.body = body
        .filter(fits)
        .ok_or_else(|| damaged("the footer and a batch disagree about its place"))?;
    Ok((place, metadata))
}
