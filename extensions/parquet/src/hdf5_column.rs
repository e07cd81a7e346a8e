//! A dataset of an HDF5 file as a column: what its elements are, and its rows as an array of Arrow.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use hdf5_reader::error::Error;
use hdf5_reader::io::Cursor;
use hdf5_reader::messages::layout::{ChunkIndexing, DataLayout};
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::{
    ByteOrder, Dataset, Datatype, H5Type, Hdf5File, SliceInfo, SliceInfoElem, StringPadding, StringSize, VarLenKind,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::Length;

use crate::file::{damaged, memory_for, WeirFile};
use crate::hdf5_file::unsupported;

/// About so much of a column is read at once, in whole chunks.
const SLAB_BYTES: u64 = 1 << 20;
/// Chunks that are larger are decompressed more than once, as are texts that are more.
const MOST_SLAB_BYTES: u64 = 64 << 20;
const MOST_TEXTS: u64 = 1 << 16;
const MOST_TEXT_BYTES: usize = 8 << 20;
const MOST_ROW_BYTES: u64 = 256 << 20;
/// Rows of elements have one dimension more.
const MOST_RANK: usize = 8;
const MOST_REFERENCE: usize = 16;

enum Kind {
    Boolean,
    Number(DataType),
    /// Of fixed size, with what is behind it.
    Padded(StringPadding),
    Text,
}

pub struct Column {
    pub name: String,
    pub rows: u64,
    dataset: Dataset,
    kind: Kind,
    order: ByteOrder,
    /// Of an element.
    width: usize,
    /// Of a row.
    dims: Vec<i32>,
    entries: u64,
    chunk_rows: u64,
    /// Where all rows lie one after the other, if they do.
    place: Option<(WeirFile, u64)>,
}

/// The error of the crate as one of the extension.
pub fn told(error: Error) -> ParquetError {
    if let Some(why) = unsupported(&error) {
        return ParquetError::NYI(why);
    }
    match error {
        Error::Context { source, .. } => told(*source),
        Error::Io(why) => match why.into_inner() {
            Some(why) => ParquetError::External(why),
            None => damaged("cannot be read"),
        },
        other => damaged(&other.to_string()),
    }
}

/// What numbers of the file are, by the bytes of their type: the crate doesn't tell bit fields, or bfloat16 from float16.
fn number(raw: &[u8]) -> Option<DataType> {
    let field = |at: usize, size: usize| {
        let bytes = raw.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0u64, |out, byte| out << 8 | u64::from(*byte)))
    };
    let size = field(4, 4)?;
    if field(8, 2)? != 0 || field(10, 2)? != 8 * size {
        return None;
    }
    let signed = raw[1] & 8 != 0;
    let float = |places: [u64; 5], out: DataType| {
        let found = [
            field(12, 1)?,
            field(13, 1)?,
            field(14, 1)?,
            field(15, 1)?,
            field(16, 4)?,
        ];
        // Their order is not that of a VAX, and the first bit of the mantissa is implied.
        (found == places && raw[1] & 0x70 == 0x20).then_some(out)
    };
    match (raw[0] & 15, size) {
        (0, 1) => Some(if signed { DataType::Int8 } else { DataType::UInt8 }),
        (0, 2) => Some(if signed { DataType::Int16 } else { DataType::UInt16 }),
        (0, 4) => Some(if signed { DataType::Int32 } else { DataType::UInt32 }),
        (0, 8) => Some(if signed { DataType::Int64 } else { DataType::UInt64 }),
        (1, 2) => float([10, 5, 0, 10, 15], DataType::Float16),
        (1, 4) => float([23, 8, 0, 23, 127], DataType::Float32),
        (1, 8) => float([52, 11, 0, 52, 1023], DataType::Float64),
        _ => None,
    }
}

fn is_boolean(dtype: &Datatype) -> bool {
    let Datatype::Enum { base, members } = dtype else {
        return false;
    };
    let mut names: Vec<_> = members.iter().map(|m| (m.value.as_slice(), m.name.as_str())).collect();
    names.sort();
    matches!(**base, Datatype::FixedPoint { size: 1, .. }) && names == [(&[0][..], "FALSE"), (&[1][..], "TRUE")]
}

/// What the elements are, in which order of bytes, and how many those are.
fn kind_of(dataset: &Dataset) -> std::result::Result<(Kind, ByteOrder, usize), String> {
    let dtype = dataset.dtype();
    let width = dataset.raw_element_size().map_err(|error| error.to_string())?;
    let refused = |what: &str| Err(format!("has {what}, which are not read"));
    let numbers = |order: &ByteOrder, header: usize| {
        let raw = dataset.raw_datatype().map_err(|error| error.to_string())?;
        let found = raw.get(header..).and_then(number);
        let found = found.ok_or(format!(
            "has numbers of {width} bytes of an unusual form, which are not read"
        ))?;
        Ok((Kind::Number(found), *order, width))
    };
    match dtype {
        Datatype::FixedPoint { byte_order, .. } | Datatype::FloatingPoint { byte_order, .. } => numbers(byte_order, 0),
        Datatype::Enum { .. } if is_boolean(dtype) => Ok((Kind::Boolean, ByteOrder::LittleEndian, width)),
        Datatype::Enum { base, .. } => match &**base {
            Datatype::FixedPoint { byte_order, .. } => numbers(byte_order, 8),
            _ => refused("enumerations of no integers"),
        },
        Datatype::String {
            size: StringSize::Fixed(_),
            padding,
            ..
        } => Ok((Kind::Padded(*padding), ByteOrder::LittleEndian, width)),
        Datatype::String {
            size: StringSize::Variable,
            ..
        } => Ok((Kind::Text, ByteOrder::LittleEndian, width)),
        Datatype::VarLen {
            base,
            kind: VarLenKind::String,
            ..
        } if base.is_vlen_string_base() => Ok((Kind::Text, ByteOrder::LittleEndian, width)),
        Datatype::VarLen { .. } => refused("sequences of variable length"),
        Datatype::Compound { .. } => refused("compounds"),
        Datatype::Array { .. } => refused("elements that are arrays"),
        Datatype::Opaque { .. } => refused("opaque elements"),
        Datatype::Reference { .. } => refused("references"),
        Datatype::Bitfield { .. } => refused("bit fields"),
    }
}

fn layout_of(file: &Hdf5File, dataset: &Dataset) -> Option<DataLayout> {
    let header = file.get_or_parse_header(dataset.address()).ok()?;
    header.messages.iter().find_map(|message| match message {
        HdfMessage::DataLayout(found) => Some(found.layout.clone()),
        _ => None,
    })
}

/// Chunks in these two indices are numbered by the largest shape that the dataset may have; the crate numbers them by
/// the present shape.
fn misnumbers_chunks(layout: &DataLayout, shape: &[u64], largest: &[u64]) -> bool {
    let DataLayout::Chunked {
        dims,
        chunk_indexing: Some(ChunkIndexing::FixedArray { .. } | ChunkIndexing::Implicit),
        ..
    } = layout
    else {
        return false;
    };
    let mut inner = shape.iter().zip(largest).zip(dims).skip(1);
    inner.any(|((now, most), chunk)| {
        let chunk = u64::from(*chunk).max(1);
        now.div_ceil(chunk) != most.div_ceil(chunk)
    })
}

/// Where the rows begin if they lie one after the other; what doesn't fit is left to the crate.
fn place_of(file: &Hdf5File, layout: Option<&DataLayout>, all_bytes: u64, len: u64) -> Option<u64> {
    let Some(DataLayout::Contiguous { address, size }) = layout else {
        return None;
    };
    if Cursor::is_undefined_offset(*address, file.superblock().offset_size) {
        return None;
    }
    let begin = file.superblock().base_address.checked_add(*address)?;
    let fits = *size == all_bytes && begin.checked_add(all_bytes)? <= len;
    (fits && all_bytes > 0).then_some(begin)
}

fn filters_of(file: &Hdf5File, dataset: &Dataset) -> std::result::Result<(), String> {
    let header = file
        .get_or_parse_header(dataset.address())
        .map_err(|error| error.to_string())?;
    for message in &header.messages {
        let HdfMessage::FilterPipeline(pipeline) = message else {
            continue;
        };
        let foreign =
            |filter: &&hdf5_reader::messages::filter_pipeline::FilterDescription| !(1..=6).contains(&filter.id);
        if let Some(filter) = pipeline.filters.iter().find(foreign) {
            let name = filter.name.as_deref().unwrap_or("no name");
            return Err(format!(
                "is written with the filter {} ({name}), which is not read",
                filter.id
            ));
        }
    }
    Ok(())
}

impl Column {
    /// The column that a dataset is, or why it is none.
    pub fn of(
        source: &WeirFile,
        file: &Hdf5File,
        name: String,
        dataset: Dataset,
    ) -> std::result::Result<Column, String> {
        let Some((rows, inner)) = dataset.shape().split_first() else {
            return Err("is a scalar, which has no rows".into());
        };
        let rows = *rows;
        let (kind, order, width) = kind_of(&dataset)?;
        filters_of(file, &dataset)?;
        let dims: Option<Vec<i32>> = inner.iter().map(|dim| i32::try_from(*dim).ok()).collect();
        let entries = inner.iter().try_fold(1u64, |all, dim| all.checked_mul(*dim));
        let fits = |entries: &u64| {
            entries
                .checked_mul(width as u64)
                .is_some_and(|bytes| bytes <= MOST_ROW_BYTES)
        };
        let (Some(dims), Some(entries)) = (dims, entries.filter(fits)) else {
            return Err(format!(
                "has rows of more than {MOST_ROW_BYTES} bytes, which are not read"
            ));
        };
        if dims.len() >= MOST_RANK {
            return Err(format!("has more than {MOST_RANK} dimensions, which are not read"));
        }
        if rows > i64::MAX as u64 {
            return Err(format!("has {rows} rows, which are not read"));
        }
        let layout = layout_of(file, &dataset);
        if let (Some(layout), Some(largest)) = (&layout, dataset.max_dims()) {
            if misnumbers_chunks(layout, dataset.shape(), largest) {
                return Err("has chunks in a dimension behind the first that may grow, which are not read".into());
            }
        }
        let all_bytes = rows.checked_mul(entries * width as u64);
        let place = all_bytes.and_then(|all| place_of(file, layout.as_ref(), all, source.len()));
        let chunk_rows = dataset.chunks().and_then(|chunks| chunks.first().copied()).unwrap_or(0);
        Ok(Column {
            name,
            rows,
            dataset,
            kind,
            order,
            width,
            dims,
            entries,
            chunk_rows: u64::from(chunk_rows),
            place: place.map(|begin| (source.clone(), begin)),
        })
    }

    /// The types from that of an entry to that of a row.
    fn types(&self) -> Vec<DataType> {
        let mut out = vec![match &self.kind {
            Kind::Boolean => DataType::Boolean,
            Kind::Number(found) => found.clone(),
            Kind::Padded(_) | Kind::Text => DataType::LargeBinary,
        }];
        for dim in self.dims.iter().rev() {
            let item = Field::new("item", out[out.len() - 1].clone(), false);
            out.push(DataType::FixedSizeList(Arc::new(item), *dim));
        }
        out
    }

    pub fn field(&self) -> Field {
        let types = self.types();
        Field::new(&self.name, types[types.len() - 1].clone(), false)
    }

    /// Where the rows end that are read together with this one: at the edge of a chunk, unless it is large.
    pub fn slab_end(&self, first: u64) -> u64 {
        let row_bytes = (self.entries * self.width as u64).max(1);
        let about = (SLAB_BYTES / row_bytes).max(1);
        let mut most = (MOST_SLAB_BYTES / row_bytes).max(1);
        if !matches!(self.kind, Kind::Boolean | Kind::Number(_)) {
            most = most.min((MOST_TEXTS / self.entries.max(1)).max(1));
        }
        let end = match self.chunk_rows {
            0 => first.saturating_add(about),
            rows => (first / rows + (about / rows).max(1)).saturating_mul(rows),
        };
        end.min(first.saturating_add(most)).min(self.rows)
    }

    fn elements<T: H5Type>(&self, rows: &Range<u64>) -> Result<Vec<T>> {
        let mut selection = SliceInfo::all(self.dataset.ndim());
        selection.selections[0] = SliceInfoElem::Slice {
            start: rows.start,
            end: rows.end,
            step: 1,
        };
        // The crate asks for it once or twice, and ends the process if there is none.
        let size = (rows.end - rows.start) * self.entries * std::mem::size_of::<T>().max(self.width) as u64;
        drop(memory_for(2 * size as usize)?);
        let array = self.dataset.read_slice::<T>(&selection).map_err(told)?;
        let (out, first) = array.into_raw_vec_and_offset();
        match first.unwrap_or(0) == 0 && out.len() as u64 == (rows.end - rows.start) * self.entries {
            true => Ok(out),
            false => Err(damaged("it has another number of elements than its shape says")),
        }
    }

    /// The bytes of rows that lie one after the other.
    fn in_place(&self, rows: &Range<u64>) -> Result<Option<bytes::Bytes>> {
        let Some((file, begin)) = &self.place else {
            return Ok(None);
        };
        let row_bytes = self.entries * self.width as u64;
        let size = (rows.end - rows.start) * row_bytes;
        file.read_exact(begin + rows.start * row_bytes, size as usize).map(Some)
    }

    fn numbers<const N: usize, T: ArrowNativeType>(&self, rows: &Range<u64>, of: fn([u8; N]) -> T) -> Result<Buffer> {
        let reverses = self.order == ByteOrder::BigEndian && N > 1;
        let entry = |mut bytes: [u8; N]| {
            if reverses {
                bytes.reverse();
            }
            of(bytes)
        };
        let out: Vec<T> = match self.in_place(rows)? {
            Some(bytes) if !reverses => return Ok(Buffer::from(bytes)),
            Some(bytes) => bytes.as_chunks::<N>().0.iter().copied().map(entry).collect(),
            None => self
                .elements::<Bytes<N>>(rows)?
                .into_iter()
                .map(|Bytes(bytes)| entry(bytes))
                .collect(),
        };
        Ok(Buffer::from_vec(out))
    }

    /// The entries of these rows, fewer if their texts are long. Sets how many rows those are of.
    fn entries(&self, rows: &mut Range<u64>) -> Result<Vec<Buffer>> {
        match &self.kind {
            Kind::Boolean => {
                let bytes = self.elements::<Bytes<1>>(rows)?;
                let mut out = BooleanBufferBuilder::new(bytes.len());
                bytes.iter().for_each(|Bytes(bytes)| out.append(bytes[0] != 0));
                Ok(vec![out.finish().into_inner()])
            }
            Kind::Number(_) => Ok(vec![match self.width {
                1 => self.numbers(rows, u8::from_le_bytes)?,
                2 => self.numbers(rows, u16::from_le_bytes)?,
                4 => self.numbers(rows, u32::from_le_bytes)?,
                _ => self.numbers(rows, u64::from_le_bytes)?,
            }]),
            Kind::Padded(padding) => {
                let padded = self.elements::<Padded>(rows)?;
                self.texts(rows, padded, |Padded(text)| Ok(unpadded(text, *padding)))
            }
            Kind::Text => {
                let size = self.dataset.vlen_reference_size();
                if size > MOST_REFERENCE {
                    return Err(damaged("its addresses are too long"));
                }
                let references = self.elements::<Reference>(rows)?;
                self.texts(rows, references, |Reference(reference)| {
                    let text = self.dataset.resolve_vlen_reference_bytes(&reference[..size], 1);
                    Ok(unpadded(text.map_err(told)?, StringPadding::NullTerminate))
                })
            }
        }
    }

    fn texts<T>(
        &self,
        rows: &mut Range<u64>,
        each: Vec<T>,
        text_of: impl Fn(T) -> Result<Vec<u8>>,
    ) -> Result<Vec<Buffer>> {
        let mut ends = vec![0i64];
        let mut bytes: Vec<u8> = Vec::new();
        for (i, entry) in each.into_iter().enumerate() {
            let row = i as u64 / self.entries;
            if bytes.len() >= MOST_TEXT_BYTES && i as u64 % self.entries == 0 {
                rows.end = rows.start + row;
                break;
            }
            let text = text_of(entry)?;
            bytes
                .try_reserve(text.len())
                .map_err(|why| ParquetError::External(Box::new(why)))?;
            bytes.extend_from_slice(&text);
            ends.push(bytes.len() as i64);
        }
        Ok(vec![Buffer::from_vec(ends), Buffer::from_vec(bytes)])
    }

    /// The array of rows from the first of these on, and which those are: all unless their texts are long.
    pub fn read(&self, mut rows: Range<u64>) -> Result<(ArrayData, Range<u64>)> {
        let buffers = self.entries(&mut rows)?;
        let mut count = ((rows.end - rows.start) * self.entries) as usize;
        let made = |why: arrow_schema::ArrowError| damaged(&why.to_string());
        let mut types = self.types().into_iter();
        let leaf = types.next().unwrap_or(DataType::Null);
        let mut out = ArrayData::builder(leaf)
            .len(count)
            .buffers(buffers)
            .align_buffers(true)
            .build()
            .map_err(made)?;
        let mut outer = (rows.end - rows.start) as usize;
        let mut counts: Vec<usize> = Vec::new();
        for dim in &self.dims {
            counts.push(outer);
            outer *= *dim as usize;
        }
        for data_type in types {
            count = counts.pop().unwrap_or(count);
            out = ArrayData::builder(data_type)
                .len(count)
                .add_child_data(out)
                .build()
                .map_err(made)?;
        }
        Ok((out, rows))
    }
}

fn unpadded(mut text: Vec<u8>, padding: StringPadding) -> Vec<u8> {
    let size = match padding {
        StringPadding::NullTerminate => text.iter().position(|byte| *byte == 0),
        StringPadding::NullPad => Some(text.iter().rposition(|byte| *byte != 0).map_or(0, |i| i + 1)),
        StringPadding::SpacePad => Some(text.iter().rposition(|byte| *byte != b' ').map_or(0, |i| i + 1)),
    };
    text.truncate(size.unwrap_or(text.len()));
    text
}

/// An element as it lies in the file.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Bytes<const N: usize>([u8; N]);

impl<const N: usize> H5Type for Bytes<N> {
    fn hdf5_type() -> Datatype {
        Datatype::Opaque {
            size: N as u32,
            tag: String::new(),
        }
    }

    fn from_bytes(bytes: &[u8], _: &Datatype) -> hdf5_reader::error::Result<Self> {
        let wrong = |_| Error::InvalidData("an element of another size".into());
        bytes.try_into().map(Bytes).map_err(wrong)
    }

    fn element_size(_: &Datatype) -> usize {
        N
    }

    fn decode_vec(raw: &[u8], _: &Datatype, count: usize) -> Option<hdf5_reader::error::Result<Vec<Self>>> {
        let mut out = Vec::with_capacity(count);
        out.extend(raw.chunks_exact(N).take(count).map(|bytes| {
            let mut element = [0; N];
            element.copy_from_slice(bytes);
            Bytes(element)
        }));
        Some(Ok(out))
    }

    fn native_copy_compatible(_: &Datatype) -> bool {
        true
    }
}

#[derive(Clone)]
struct Padded(Vec<u8>);

impl H5Type for Padded {
    fn hdf5_type() -> Datatype {
        Bytes::<1>::hdf5_type()
    }

    fn from_bytes(bytes: &[u8], _: &Datatype) -> hdf5_reader::error::Result<Self> {
        Ok(Padded(bytes.to_vec()))
    }

    fn element_size(_: &Datatype) -> usize {
        1
    }
}

/// Where a text of variable length is.
#[derive(Clone)]
struct Reference([u8; MOST_REFERENCE]);

impl H5Type for Reference {
    fn hdf5_type() -> Datatype {
        Bytes::<MOST_REFERENCE>::hdf5_type()
    }

    fn from_bytes(bytes: &[u8], _: &Datatype) -> hdf5_reader::error::Result<Self> {
        let mut out = [0; MOST_REFERENCE];
        match out.get_mut(..bytes.len()) {
            Some(place) => place.copy_from_slice(bytes),
            None => return Err(Error::InvalidData("a reference of another size".into())),
        }
        Ok(Reference(out))
    }

    fn element_size(_: &Datatype) -> usize {
        MOST_REFERENCE
    }
}
