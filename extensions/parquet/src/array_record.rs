//! One ArrayRecord file: a Riegeli file whose chunks have records, the same number in each but the last. Its last block
//! says where a chunk lies that tells where the others begin (cpp/layout.proto of array_record).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{LargeBinaryArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::Length;

use crate::abi;
use crate::file::{damaged, WeirFile};
use crate::read::{found_at, Source, Stream};
use crate::riegeli::{varint, Decompressors, Records, Span, BLOCK};
use crate::Format;

const COLUMN: &str = "record";
const MAGIC: u64 = 0x7193_0e70_4fda_e05e;
/// Before the first chunk lie the header of a block and the signature.
const FIRST_CHUNK: u64 = 64;
/// About so much is read and decoded at once, in whole chunks.
const BATCH_BYTES: u64 = 1 << 20;
const MOST_ROWS: usize = 8192;

struct Shared {
    file: WeirFile,
    /// Where each chunk begins, and then the footer.
    chunks: Vec<u64>,
    rows: u64,
    /// Of each chunk but the last.
    group: u64,
}

pub struct ArrayRecordTable {
    shared: Arc<Shared>,
}

/// What is used of a protobuf message: the numbers 1 to 3, which are 0 if they are left out, and the message 1.
#[derive(Default)]
struct Message<'a> {
    numbers: [u64; 4],
    inner: &'a [u8],
}

impl<'a> Message<'a> {
    fn parse(mut bytes: &'a [u8]) -> Result<Self> {
        let mut out = Message::default();
        while !bytes.is_empty() {
            let (tag, rest) = varint(bytes)?;
            let (value, rest) = varint(rest)?;
            let (wire, field) = (tag & 7, tag >> 3);
            bytes = match wire {
                0 => {
                    if let Some(number) = out.numbers.get_mut(field as usize) {
                        *number = value;
                    }
                    rest
                }
                2 if value <= rest.len() as u64 => {
                    let (inner, rest) = rest.split_at(value as usize);
                    if field == 1 {
                        out.inner = inner;
                    }
                    rest
                }
                _ => return Err(wrong("a message is cut")),
            };
        }
        Ok(out)
    }
}

fn wrong(why: &str) -> ParquetError {
    damaged(&format!("its footer is damaged: {why}"))
}

/// The records of the chunk at `at`, which ends before `end`.
fn records_at(file: &WeirFile, at: u64, end: u64) -> Result<Records> {
    let length = end
        .checked_sub(at)
        .ok_or_else(|| damaged("its footer lies beyond its end"))?;
    let span = Span {
        begin: at,
        bytes: file.read_exact(at, length as usize)?,
    };
    let chunk = span.chunk(at)?;
    let mut out = Records::default();
    chunk.append(0..chunk.records, &mut Decompressors::default(), &mut out)?;
    Ok(out)
}

/// Where the footer is, and where it ends.
fn footer_of(file: &WeirFile) -> Result<(u64, u64)> {
    let none = || damaged("its last 64 KiB don't say where its footer is: it was cut, or is another Riegeli file");
    let last = file.len().checked_sub(BLOCK).filter(|last| last % BLOCK == 0);
    let last = last.ok_or_else(none)?;
    let records = records_at(file, last, last + BLOCK)?;
    let first = *records.ends.first().ok_or_else(none)?;
    match Message::parse(&records.bytes[..first as usize])
        .unwrap_or_default()
        .numbers
    {
        [_, footer, MAGIC, _] => Ok((footer, last)),
        _ => Err(none()),
    }
}

fn open(file: WeirFile) -> Result<Shared> {
    let (footer, end) = footer_of(&file)?;
    let records = records_at(&file, footer, end)?;
    let mut begin = 0;
    let mut messages = records.ends.iter().map(|end| {
        let message = &records.bytes[begin..*end as usize];
        begin = *end as usize;
        Message::parse(message)
    });
    let about = messages.next().ok_or_else(|| wrong("it is empty"))??;
    let [_, version, count, rows] = Message::parse(about.inner)?.numbers;
    if version != 1 {
        return Err(ParquetError::NYI(format!("version {version} of ArrayRecord")));
    }
    let mut chunks: Vec<u64> = Vec::new();
    let (mut group, mut sum, mut least) = (0u64, 0u64, FIRST_CHUNK);
    for message in messages {
        let [_, at, _, records] = message?.numbers;
        if chunks.is_empty() {
            group = records;
        } else if sum % group != 0 || records > group {
            return Err(wrong("chunks have unequal numbers of records"));
        }
        if records == 0 || at < least || at >= footer {
            return Err(wrong("a chunk is where none can be"));
        }
        sum = sum.checked_add(records).ok_or_else(|| wrong("too many records"))?;
        least = at + 1;
        chunks.push(at);
    }
    if sum != rows || chunks.len() as u64 != count || rows > i64::MAX as u64 {
        return Err(wrong("it names other numbers of records than it lists"));
    }
    chunks.push(footer);
    Ok(Shared {
        file,
        chunks,
        rows,
        group: group.max(1),
    })
}

/// Of the records, or of no columns.
fn schema_with(record: bool) -> Schema {
    let fields: Vec<Field> = record
        .then(|| Field::new(COLUMN, DataType::LargeBinary, false))
        .into_iter()
        .collect();
    Schema::new(fields)
}

impl Format for ArrayRecordTable {
    const NAME: &'static str = "array_record";
    const FILE: &'static str = "ArrayRecord";

    fn open(file: abi::File, size: u64) -> Result<Self> {
        let shared = Arc::new(open(WeirFile::new(file, size))?);
        Ok(ArrayRecordTable { shared })
    }

    fn schema(&self) -> Result<FFI_ArrowSchema> {
        FFI_ArrowSchema::try_from(&schema_with(true)).map_err(|why| damaged(&why.to_string()))
    }

    fn rows(&self) -> i64 {
        self.shared.rows as i64
    }

    fn read(&self, paths: &[&[u8]], ranges: &[Range<i64>]) -> Result<Box<dyn RecordBatchReader + Send>> {
        Ok(Box::new(Stream::new(Batches {
            shared: self.shared.clone(),
            schema: Arc::new(schema_with(paths.contains(&COLUMN.as_bytes()))),
            ranges: ranges
                .iter()
                .map(|range| range.start as u64..range.end as u64)
                .collect(),
            decompressors: Decompressors::default(),
            failed: None,
        })))
    }
}

/// Rows of these ranges.
struct Batches {
    shared: Arc<Shared>,
    schema: SchemaRef,
    ranges: VecDeque<Range<u64>>,
    decompressors: Decompressors,
    /// What comes after the rows before it.
    failed: Option<ArrowError>,
}

impl Batches {
    /// Appends rows of the first range, of which others remain if the chunks are many.
    fn append(&mut self, out: &mut Records) -> std::result::Result<(), ArrowError> {
        let Shared {
            file,
            chunks,
            rows,
            group,
        } = &*self.shared;
        let Some(range) = self.ranges.front_mut() else {
            return Ok(());
        };
        let first = (range.start / group) as usize;
        let last = ((range.end - 1) / group) as usize;
        let end = first + chunks[first + 1..=last + 1].partition_point(|end| end - chunks[first] <= BATCH_BYTES);
        let end = end.max(first + 1);
        let begin = chunks[first];
        let failed = |chunk: usize| {
            let place = format!("chunk {chunk}, at byte {}", chunks[chunk]);
            move |error| found_at(&place, error)
        };
        let bytes = file
            .read_exact(begin, (chunks[end] - begin) as usize)
            .map_err(failed(first))?;
        let span = Span { begin, bytes };
        for (chunk, at) in chunks.iter().enumerate().take(end).skip(first) {
            let before = chunk as u64 * group;
            let wanted = range.start - before..range.end.min(before + group) - before;
            let next = before + wanted.end;
            let found = span.chunk(*at).map_err(failed(chunk))?;
            if found.records != (*rows - before).min(*group) {
                return Err(failed(chunk)(damaged(
                    "it has another number of records than the footer says",
                )));
            }
            found
                .append(wanted, &mut self.decompressors, out)
                .map_err(failed(chunk))?;
            range.start = next;
        }
        Ok(())
    }

    /// Reads records of one batch.
    fn fill(&mut self, out: &mut Records) -> std::result::Result<(), ArrowError> {
        while !self.ranges.is_empty() && out.ends.len() < MOST_ROWS && out.bytes.len() < BATCH_BYTES as usize {
            match self.append(out) {
                Err(error) if out.ends.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
                Ok(()) => self.drop_empty(),
            }
        }
        Ok(())
    }

    /// Goes on without reading. Returns the number of rows.
    fn skip(&mut self) -> usize {
        let Some(range) = self.ranges.front_mut() else { return 0 };
        let count = (range.end - range.start).min(MOST_ROWS as u64);
        range.start += count;
        count as usize
    }

    fn batch(&mut self) -> std::result::Result<RecordBatch, ArrowError> {
        if self.schema.fields().is_empty() {
            let options = RecordBatchOptions::new().with_row_count(Some(self.skip()));
            return RecordBatch::try_new_with_options(self.schema.clone(), vec![], &options);
        }
        let mut records = Records::default();
        self.fill(&mut records)?;
        let mut offsets = vec![0];
        offsets.append(&mut records.ends);
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let array = LargeBinaryArray::try_new(offsets, Buffer::from_vec(records.bytes), None)?;
        RecordBatch::try_new(self.schema.clone(), vec![Arc::new(array)])
    }

    fn drop_empty(&mut self) {
        while self.ranges.front().is_some_and(|range| range.is_empty()) {
            self.ranges.pop_front();
        }
    }
}

impl Source for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn make(&mut self) -> Option<std::result::Result<RecordBatch, ArrowError>> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        self.drop_empty();
        (!self.ranges.is_empty()).then(|| self.batch())
    }
}
