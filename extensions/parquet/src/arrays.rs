//! The arrays of some rows of a batch of an Arrow file. Of the body only what these rows of the used columns need is read,
//! unless it is compressed. What the file says about lengths is checked before it is used, and what is made of it by the
//! crate that makes arrays.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{make_array, new_empty_array, Array, ArrayRef, BinaryViewArray, OffsetSizeTrait};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::{CompressionType, MetadataVersion, RecordBatch};
use arrow_schema::{DataType, UnionMode};
use arrow_select::concat::concat;
use arrow_select::take::{take, TakeOptions};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::Length;

use crate::columns::Column;
use crate::file::{damaged, memory_for, WeirFile};
use crate::index::{parse, Index, Place};

/// Buffers that lie as near as this are read at once.
const GAP_BYTES: u64 = 4096;
/// A batch may take as much memory, or so many times what it takes in the file.
const ALWAYS_BYTES: u64 = 1 << 30;
const MOST_RATIO: u64 = 1024;
/// So much more than what is compressed is reserved at once.
const RESERVED_RATIO: usize = 256;
/// Batches whose used columns take so much are read as a whole if many of their rows are wanted.
const SMALL_BYTES: u64 = 32 << 20;
const MOST_ENTRIES: i64 = 1 << 48;

/// How much memory a batch may still take.
struct Budget {
    left: u64,
}

impl Budget {
    fn spend(&mut self, count: usize, each: u64) -> Result<()> {
        let needed = (count as u64).checked_mul(each);
        self.left = needed
            .and_then(|needed| self.left.checked_sub(needed))
            .ok_or_else(|| ParquetError::NYI(format!("it takes more than {ALWAYS_BYTES} bytes of memory")))?;
        Ok(())
    }
}

/// The nodes and buffers of a batch, which are passed in the order of its columns.
struct Walk<'a> {
    batch: RecordBatch<'a>,
    /// Unions had one buffer more.
    old: bool,
    node: usize,
    buffer: usize,
    views: usize,
}

impl<'a> Walk<'a> {
    fn new(batch: RecordBatch<'a>, version: MetadataVersion) -> Self {
        Walk {
            batch,
            old: version == MetadataVersion::V4,
            node: 0,
            buffer: 0,
            views: 0,
        }
    }

    /// How many entries there are, and whether some may be null.
    fn next_node(&mut self) -> Result<(usize, bool)> {
        let nodes = self.batch.nodes().filter(|nodes| self.node < nodes.len());
        let nodes = nodes.ok_or_else(|| damaged("it has fewer columns than the schema"))?;
        let node = nodes.get(self.node);
        self.node += 1;
        match node.length() {
            length @ 0..=MOST_ENTRIES => Ok((length as usize, node.null_count() != 0)),
            length => Err(damaged(&format!("a column of {length} entries"))),
        }
    }

    /// Of the column itself, the first of its buffers and how many.
    fn next_buffers(&mut self, column: &Column) -> Result<(usize, usize)> {
        let count = match &column.stored {
            DataType::Null | DataType::RunEndEncoded(..) => 0,
            DataType::Struct(_) | DataType::FixedSizeList(..) => 1,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => 3,
            DataType::ListView(_) | DataType::LargeListView(_) => 3,
            DataType::Utf8View | DataType::BinaryView => 2 + self.next_views()?,
            DataType::Union(_, UnionMode::Sparse) => 1 + usize::from(self.old),
            DataType::Union(_, UnionMode::Dense) => 2 + usize::from(self.old),
            _ => 2,
        };
        let first = self.buffer;
        self.buffer += count;
        let there = self.batch.buffers().map_or(0, |buffers| buffers.len());
        match self.buffer <= there {
            true => Ok((first, count)),
            false => Err(damaged("it has fewer buffers than its columns need")),
        }
    }

    fn next_views(&mut self) -> Result<usize> {
        let all = self.batch.variadicBufferCounts();
        let all = all.filter(|all| self.views < all.len());
        let count = all.map(|all| all.get(self.views)).unwrap_or(-1);
        self.views += 1;
        let there = self.batch.buffers().map_or(0, |buffers| buffers.len());
        let count = usize::try_from(count).ok().filter(|count| *count <= there);
        count.ok_or_else(|| damaged("it does not say how many buffers its texts have"))
    }

    /// Passes a column. Adds the numbers of its buffers to `wanted` if they are read.
    fn pass(&mut self, column: &Column, kept: bool, wanted: &mut Vec<usize>) -> Result<()> {
        self.next_node()?;
        let (first, count) = self.next_buffers(column)?;
        if kept {
            wanted.extend(first..first + count);
        }
        for inner in &column.inside {
            self.pass(inner, kept && inner.kept, wanted)?;
        }
        Ok(())
    }

    fn buffer_at(&self, place: &Place, number: usize) -> Result<(u64, u64)> {
        let buffers = self.batch.buffers().filter(|buffers| number < buffers.len());
        let buffer = buffers.ok_or_else(|| damaged("a buffer is missing"))?.get(number);
        let (begin, size) = (buffer.offset() as u64, buffer.length() as u64);
        if begin.checked_add(size).is_none_or(|end| end > place.body_size) {
            let (begin, size, all) = (buffer.offset(), buffer.length(), place.body_size);
            return Err(damaged(&format!(
                "a buffer of {size} bytes at {begin} of a body of {all}"
            )));
        }
        Ok((begin, size))
    }

    /// The wanted buffers, the others empty.
    fn load(&self, file: &WeirFile, place: &Place, wanted: &[usize], budget: &mut Budget) -> Result<Vec<Buffer>> {
        let Some(buffers) = self.batch.buffers() else {
            return Ok(vec![]);
        };
        let mut loaded = vec![Buffer::default(); buffers.len()];
        let mut spans = Vec::new();
        for number in wanted {
            let (begin, size) = self.buffer_at(place, *number)?;
            if size > 0 {
                spans.push((begin, begin + size, *number));
            }
        }
        spans.sort_unstable();
        let codec = self.batch.compression().map(|compression| compression.codec());
        let mut rest = spans.as_slice();
        while let Some((begin, mut end, _)) = rest.first().copied() {
            let mut count = 1;
            while let Some((_, more, _)) = rest
                .get(count)
                .filter(|(next, ..)| *next <= end.saturating_add(GAP_BYTES))
            {
                end = end.max(*more);
                count += 1;
            }
            let read = Buffer::from(file.read_exact(place.body + begin, (end - begin) as usize)?);
            for (from, to, number) in &rest[..count] {
                let stored = read.slice_with_length((from - begin) as usize, (to - from) as usize);
                loaded[*number] = match codec {
                    None => stored,
                    Some(codec) => decompressed(codec, stored, budget)?,
                };
            }
            rest = &rest[count..];
        }
        Ok(loaded)
    }
}

/// A buffer begins with its size, -1 if it is not compressed.
fn decompressed(codec: CompressionType, stored: Buffer, budget: &mut Budget) -> Result<Buffer> {
    let Some((size, compressed)) = stored.split_first_chunk::<8>() else {
        return Err(damaged("a compressed buffer has no size"));
    };
    let size = match i64::from_le_bytes(*size) {
        -1 => return Ok(stored.slice(8)),
        size => usize::try_from(size).map_err(|_| damaged(&format!("a buffer of {size} bytes")))?,
    };
    budget.spend(size, 1)?;
    let mut out = memory_for(size.min(compressed.len().saturating_mul(RESERVED_RATIO)))?;
    let mut read = |from: &mut dyn Read| from.take(size as u64 + 1).read_to_end(&mut out);
    let done = match codec {
        CompressionType::LZ4_FRAME => read(&mut lz4_flex::frame::FrameDecoder::new(compressed)),
        CompressionType::ZSTD => {
            zstd::stream::read::Decoder::with_buffer(compressed).and_then(|mut decoder| read(&mut decoder))
        }
        CompressionType(other) => return Err(ParquetError::NYI(format!("compression {other}"))),
    };
    match done {
        Ok(found) if found == size => Ok(out.into()),
        Ok(_) => Err(damaged(&format!(
            "a buffer does not have the {size} bytes that it says"
        ))),
        Err(why) => Err(damaged(&format!("a compressed buffer is damaged: {why}"))),
    }
}

fn longest<O: OffsetSizeTrait>(ends: &[O]) -> u64 {
    let sizes = ends.windows(2).map(|pair| (pair[1] - pair[0]).as_usize() as u64);
    sizes.max().unwrap_or(0)
}

/// How many bytes an entry takes at most.
fn widest(array: &dyn Array) -> u64 {
    let list =
        |ends: u64, longest: u64, values: &dyn Array| longest.saturating_mul(widest(values)).saturating_add(ends);
    match array.data_type() {
        DataType::Boolean => 1,
        DataType::BinaryView => 16,
        DataType::Binary => 4 + longest(array.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => 8 + longest(array.as_binary::<i64>().value_offsets()),
        DataType::FixedSizeBinary(size) => *size as u64,
        DataType::FixedSizeList(_, size) => list(0, *size as u64, array.as_fixed_size_list().values()),
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            list(4, longest(array.value_offsets()), array.values())
        }
        DataType::LargeList(_) => {
            let array = array.as_list::<i64>();
            list(8, longest(array.value_offsets()), array.values())
        }
        DataType::Map(..) => {
            let array = array.as_map();
            list(4, longest(array.value_offsets()), array.entries())
        }
        DataType::Struct(_) => {
            let members = array.as_struct().columns().iter().map(|member| widest(member));
            members.fold(1, u64::saturating_add)
        }
        other => other.primitive_width().unwrap_or(16) as u64,
    }
}

/// Texts of a dictionary are looked at where they are.
fn as_views(values: ArrayRef) -> Result<ArrayRef> {
    let (size, views): (usize, fn(&ArrayRef) -> BinaryViewArray) = match values.data_type() {
        DataType::Binary => (values.as_binary::<i32>().value_data().len(), |values| {
            values.as_binary::<i32>().into()
        }),
        DataType::LargeBinary => (values.as_binary::<i64>().value_data().len(), |values| {
            values.as_binary::<i64>().into()
        }),
        _ => return Ok(values),
    };
    match size <= i32::MAX as usize {
        true => Ok(Arc::new(views(&values))),
        false => Err(ParquetError::NYI("a dictionary of more than 2 GiB".into())),
    }
}

/// What is known of a batch: its metadata, and the buffers of some columns if they were read as a whole.
pub struct Body {
    place: Place,
    metadata: Bytes,
    loaded: Option<Vec<Buffer>>,
    left: u64,
}

/// The dictionary batches from `first` on, `count` in all, as one array.
struct Known {
    first: usize,
    count: usize,
    values: ArrayRef,
}

/// Dictionaries as they were for the last batch.
#[derive(Default)]
pub struct Dictionaries(HashMap<i64, Known>);

pub struct Reader<'a> {
    pub file: &'a WeirFile,
    pub index: &'a Index,
    pub dictionaries: &'a mut Dictionaries,
    /// The number of the batch.
    pub batch: usize,
}

/// How much of a batch is read at once.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    Whole,
    /// If it isn't much.
    WholeIfSmall,
    Rows,
}

/// What arrays are made of.
struct Parts<'a> {
    walk: Walk<'a>,
    body: &'a Body,
    file: &'a WeirFile,
    budget: Budget,
}

impl Parts<'_> {
    /// Some bytes of a buffer.
    fn bytes(&self, number: usize, from: u64, size: u64) -> Result<Buffer> {
        if size == 0 {
            return Ok(Buffer::default());
        }
        let fits = |there: u64| match from.checked_add(size).is_some_and(|end| end <= there) {
            true => Ok(()),
            false => Err(damaged(&format!(
                "{size} bytes at {from} of a buffer are expected, which has {there}"
            ))),
        };
        if let Some(loaded) = &self.body.loaded {
            fits(loaded[number].len() as u64)?;
            return Ok(loaded[number].slice_with_length(from as usize, size as usize));
        }
        let (begin, there) = self.walk.buffer_at(&self.body.place, number)?;
        fits(there)?;
        let read = self
            .file
            .read_exact(self.body.place.body + begin + from, size as usize)?;
        Ok(read.into())
    }

    fn entries(&self, number: usize, begin: usize, count: usize, width: usize) -> Result<Buffer> {
        let from = (begin as u64).checked_mul(width as u64);
        let size = (count as u64).checked_mul(width as u64);
        match (from, size) {
            (Some(from), Some(size)) => self.bytes(number, from, size),
            _ => Err(damaged("a buffer would have more than 2^64 bytes")),
        }
    }

    fn bits(&self, number: usize, begin: usize, count: usize) -> Result<Buffer> {
        self.bytes(number, begin as u64 / 8, count.div_ceil(8) as u64)
    }

    fn all(&self, number: usize) -> Result<Buffer> {
        match &self.body.loaded {
            Some(loaded) => Ok(loaded[number].clone()),
            None => self.bytes(number, 0, self.walk.buffer_at(&self.body.place, number)?.1),
        }
    }

    /// Where entries end, counted from the begin of the first, and what they span.
    fn ends<O: OffsetSizeTrait>(&self, number: usize, begin: usize, count: usize) -> Result<(Buffer, Range<usize>)> {
        let width = std::mem::size_of::<O>();
        let stored = self.entries(number, begin, count + 1, width)?;
        let end = |bytes: &[u8]| match bytes.first_chunk::<8>() {
            Some(long) => i64::from_le_bytes(*long),
            None => i64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        };
        let ends: Vec<i64> = stored.chunks_exact(width).map(end).collect();
        let (first, last) = (ends[0], ends[count]);
        if first < 0 || first > last {
            return Err(damaged("an entry ends before it begins"));
        }
        let moved = ends.iter().map(|end| O::from_usize(end.wrapping_sub(first) as usize));
        let moved: Option<Vec<O>> = moved.collect();
        let moved = moved.ok_or_else(|| damaged("an entry ends before it begins"))?;
        Ok((Buffer::from_vec(moved), first as usize..last as usize))
    }

    /// The buffers of a column but for its validity, and the rows of what is inside.
    fn buffers(
        &self,
        column: &Column,
        numbers: Range<usize>,
        rows: Range<usize>,
    ) -> Result<(Vec<Buffer>, Range<usize>)> {
        let (begin, count) = (rows.start, rows.len());
        let first = numbers.start + 1;
        let made = match &column.stored {
            DataType::Boolean => vec![self.bits(first, begin, count)?],
            DataType::Utf8 | DataType::Binary => {
                let (ends, span) = self.ends::<i32>(first, begin, count)?;
                vec![ends, self.entries(first + 1, span.start, span.len(), 1)?]
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let (ends, span) = self.ends::<i64>(first, begin, count)?;
                vec![ends, self.entries(first + 1, span.start, span.len(), 1)?]
            }
            DataType::Utf8View | DataType::BinaryView => {
                let mut made = vec![self.entries(first, begin, count, 16)?];
                for number in first + 1..numbers.end {
                    made.push(self.all(number)?);
                }
                made
            }
            DataType::Struct(_) => vec![],
            DataType::FixedSizeList(_, size) => {
                let times = |row: usize| row.checked_mul(*size as usize);
                return match (times(begin), times(rows.end)) {
                    (Some(begin), Some(end)) => Ok((vec![], begin..end)),
                    _ => Err(damaged("a list of more than 2^64 entries")),
                };
            }
            DataType::List(_) | DataType::Map(..) => {
                let (ends, span) = self.ends::<i32>(first, begin, count)?;
                return Ok((vec![ends], span));
            }
            DataType::LargeList(_) => {
                let (ends, span) = self.ends::<i64>(first, begin, count)?;
                return Ok((vec![ends], span));
            }
            other => {
                let width = match other {
                    DataType::FixedSizeBinary(size) => Some(*size as usize),
                    other => other.primitive_width(),
                };
                let width = width.ok_or_else(|| damaged("a column of an unknown type"))?;
                vec![self.entries(first, begin, count, width)?]
            }
        };
        Ok((made, rows))
    }
}

fn has_views(column: &Column) -> bool {
    matches!(column.stored, DataType::Utf8View | DataType::BinaryView)
        || column.inside.iter().any(|inner| inner.kept && has_views(inner))
}

impl Reader<'_> {
    pub fn open(&mut self, place: &Place, columns: &[Column], extent: Extent) -> Result<Body> {
        let metadata = place.read(self.file)?;
        let (batch, version) = batch_of(&metadata)?;
        let mut walk = Walk::new(batch, version);
        let mut wanted = Vec::new();
        for column in columns {
            walk.pass(column, column.kept, &mut wanted)?;
        }
        let mut budget = Budget {
            left: place.body_size.saturating_mul(MOST_RATIO).max(ALWAYS_BYTES),
        };
        let mut size = 0u64;
        for number in &wanted {
            size = size.saturating_add(walk.buffer_at(place, *number)?.1);
        }
        let small = extent == Extent::WholeIfSmall && size <= SMALL_BYTES;
        let views = columns.iter().any(|column| column.kept && has_views(column));
        let whole = small || views || extent == Extent::Whole || batch.compression().is_some();
        let loaded = match whole {
            true => Some(walk.load(self.file, place, &wanted, &mut budget)?),
            false => None,
        };
        Ok(Body {
            place: *place,
            loaded,
            left: budget.left,
            metadata,
        })
    }

    /// Rows of the columns that are kept.
    pub fn rows(&mut self, body: &Body, columns: &[Column], rows: Range<usize>) -> Result<Vec<ArrayRef>> {
        let (batch, version) = batch_of(&body.metadata)?;
        let mut parts = Parts {
            walk: Walk::new(batch, version),
            body,
            file: self.file,
            budget: Budget { left: body.left },
        };
        let mut arrays = Vec::new();
        for column in columns {
            arrays.extend(self.kept(column, &mut parts, &rows)?);
        }
        Ok(arrays)
    }

    fn kept(&mut self, column: &Column, parts: &mut Parts, rows: &Range<usize>) -> Result<Option<ArrayRef>> {
        if column.kept {
            return Ok(Some(self.array(column, parts, rows)?));
        }
        parts.walk.pass(column, false, &mut vec![])?;
        Ok(None)
    }

    fn array(&mut self, column: &Column, parts: &mut Parts, rows: &Range<usize>) -> Result<ArrayRef> {
        let (length, nulls) = parts.walk.next_node()?;
        let (first, count) = parts.walk.next_buffers(column)?;
        if rows.end > length {
            return Err(damaged(&format!(
                "{} entries of a column are expected, which has {length}",
                rows.end
            )));
        }
        if rows.is_empty() {
            for inner in &column.inside {
                parts.walk.pass(inner, false, &mut vec![])?;
            }
            return Ok(new_empty_array(&column.given(true)));
        }
        // Bits are read by the byte.
        let begin = rows.start & !7;
        let count_read = rows.end - begin;
        let validity = nulls.then(|| parts.bits(first, begin, count_read)).transpose()?;
        let (buffers, inner_rows) = parts.buffers(column, first..first + count, begin..rows.end)?;
        let mut inside = Vec::new();
        for inner in &column.inside {
            inside.extend(self.kept(inner, parts, &inner_rows)?);
        }
        let stored = match &column.dictionary {
            Some(_) => column.stored.clone(),
            None => column.given(true),
        };
        let made = ArrayData::builder(stored)
            .len(count_read)
            .null_bit_buffer(validity)
            .buffers(buffers)
            .child_data(inside.iter().map(|array| array.to_data()).collect())
            .align_buffers(true)
            .build();
        let made = make_array(made.map_err(|why| damaged(&why.to_string()))?);
        let made = made.slice(rows.start - begin, rows.len());
        let Some((id, values)) = &column.dictionary else {
            return Ok(made);
        };
        let values = self.dictionary(*id, values)?;
        parts.budget.spend(made.len(), widest(&values))?;
        let checked = TakeOptions { check_bounds: true };
        take(&values, &made, Some(checked)).map_err(|_| damaged("a position is beyond the end of its dictionary"))
    }

    fn dictionary(&mut self, id: i64, values: &Column) -> Result<ArrayRef> {
        let index = self.index;
        let all = index.dictionaries.get(&id).map_or(&[][..], |all| all);
        let all = &all[..all.partition_point(|batch| batch.before <= self.batch)];
        if all.is_empty() {
            return as_views(new_empty_array(&values.given(true)));
        }
        let first = all.iter().rposition(|batch| !batch.delta);
        let first = first.ok_or_else(|| damaged("a dictionary begins with an addition to it"))?;
        let known = self.dictionaries.0.remove(&id);
        let known = known.filter(|known| known.first == first && known.count <= all.len());
        let (mut made, done) = match known {
            Some(known) => (Some(known.values), known.count),
            None => (None, first),
        };
        for batch in &all[done..] {
            let more = as_views(self.dictionary_batch(&batch.place, values)?)?;
            made = match made {
                Some(before) => Some(concat(&[&before, &more]).map_err(|why| damaged(&why.to_string()))?),
                None => Some(more),
            };
        }
        let values = made.ok_or_else(|| damaged("a dictionary has no values"))?;
        let size = |values: &ArrayRef| values.get_array_memory_size() as u64;
        let others: u64 = self.dictionaries.0.values().map(|known| size(&known.values)).sum();
        if others + size(&values) > self.file.len().saturating_mul(MOST_RATIO).max(ALWAYS_BYTES) {
            return Err(ParquetError::NYI(format!(
                "its dictionaries take more than {ALWAYS_BYTES} bytes of memory"
            )));
        }
        let known = Known {
            first,
            count: all.len(),
            values: values.clone(),
        };
        self.dictionaries.0.insert(id, known);
        Ok(values)
    }

    fn dictionary_batch(&mut self, place: &Place, values: &Column) -> Result<ArrayRef> {
        let columns = std::slice::from_ref(values);
        let body = self.open(place, columns, Extent::Whole)?;
        let length = batch_of(&body.metadata)?.0.length();
        let rows = 0..usize::try_from(length).map_err(|_| damaged("a dictionary of a negative length"))?;
        let arrays = self.rows(&body, columns, rows)?;
        arrays
            .into_iter()
            .next()
            .ok_or_else(|| damaged("a dictionary has no values"))
    }
}

fn batch_of(metadata: &Bytes) -> Result<(RecordBatch<'_>, MetadataVersion)> {
    let message = parse(metadata)?;
    let batch = message.header_as_record_batch();
    let batch = batch.or_else(|| message.header_as_dictionary_batch()?.data());
    let batch = batch.ok_or_else(|| damaged("it has changed since it was opened"))?;
    Ok((batch, message.version()))
}
