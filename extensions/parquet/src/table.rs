//! One Parquet file.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection};
use parquet::arrow::{parquet_to_arrow_field_levels, ProjectionMask};
use parquet::basic::Type as PhysicalType;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    FooterTail, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
};
use parquet::file::reader::Length;
use parquet::file::FOOTER_SIZE;
use parquet::schema::types::SchemaDescriptor;

use crate::abi;
use crate::chunks::{Chunks, Trusted};
use crate::condition::{self, Condition};
use crate::file::{damaged, WeirFile};
use crate::pages::Pages;
use crate::read::{Batches, Stream};
use crate::sound::SoundRows;
use crate::{schema, Format};

/// About so much is decoded at once.
const BATCH_BYTES: i64 = 1 << 20;
const MOST_BATCH_ROWS: i64 = 8192;
/// Column chunks up to this size are read in pieces if many of their rows are; others page by page.
const MOST_PIECES_BYTES: u64 = 32 << 20;
/// Those up to this size in any case, unless the file says where their pages are.
const ALWAYS_PIECES_BYTES: u64 = 1 << 20;

#[derive(Clone)]
pub struct Table {
    file: WeirFile,
    metadata: Arc<ParquetMetaData>,
    arrow: ArrowReaderMetadata,
    given: SchemaRef,
    /// The path of each leaf, and where the row groups begin.
    leaves: Arc<[Vec<u8>]>,
    starts: Arc<[i64]>,
    trusted: Arc<Trusted>,
}

fn is_int96(descriptor: &SchemaDescriptor, leaf: usize) -> bool {
    descriptor.column(leaf).physical_type() == PhysicalType::INT96
}

/// The metadata with a schema without texts.
fn load(file: &WeirFile) -> Result<ParquetMetaData> {
    let size = file.len();
    let space = size
        .checked_sub(FOOTER_SIZE as u64)
        .ok_or_else(|| damaged(&format!("{FOOTER_SIZE} bytes or more are expected, and it has {size}")))?;
    let tail = FooterTail::try_from(&file.read_exact(space, FOOTER_SIZE)?[..])?;
    if tail.is_encrypted_footer() {
        return Err(ParquetError::NYI("it is encrypted".into()));
    }
    let length = tail.metadata_length();
    let start = space
        .checked_sub(length as u64)
        .ok_or_else(|| damaged(&format!("a footer of {length} bytes is expected in {space}")))?;
    let footer = file.read_exact(start, length)?;
    let schema = ParquetMetaDataReader::decode_schema(&footer)?;
    let plain = SchemaDescriptor::new(schema::as_bytes(&schema.root_schema_ptr())?);
    // What is not used is not decoded: writers disagree about it.
    let unused = ParquetStatisticsPolicy::SkipAll;
    let options = ParquetMetaDataOptions::new()
        .with_encoding_stats_policy(unused.clone())
        .with_size_stats_policy(unused)
        .with_schema(Arc::new(plain));
    ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(&options))
}

fn check(file: &WeirFile, metadata: &ParquetMetaData) -> Result<Vec<i64>> {
    let size = file.len();
    let mut starts = vec![0i64];
    for group in metadata.row_groups() {
        let rows = group.num_rows();
        let end = starts[starts.len() - 1].checked_add(rows).filter(|_| rows >= 0);
        starts.push(end.ok_or_else(|| damaged("the number of rows of a row group is none"))?);
        for column in group.columns() {
            let start = column
                .dictionary_page_offset()
                .unwrap_or_else(|| column.data_page_offset());
            let length = column.compressed_size();
            let inside = start >= 0 && length >= 0 && start.checked_add(length).is_some_and(|end| end as u64 <= size);
            if !inside {
                let name = column.column_path().string();
                return Err(damaged(&format!(
                    "the column {name} lies beyond the file's {size} bytes"
                )));
            }
        }
    }
    if starts[starts.len() - 1] != metadata.file_metadata().num_rows() {
        return Err(damaged("its row groups have another number of rows than it says"));
    }
    Ok(starts)
}

impl Format for Table {
    const NAME: &'static str = "parquet";
    const FILE: &'static str = "Parquet";

    fn open(file: abi::File, size: u64) -> Result<Self> {
        let file = WeirFile::new(file, size);
        let metadata = load(&file)?;
        let starts = check(&file, &metadata)?;
        let metadata = Arc::new(metadata);
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let arrow = ArrowReaderMetadata::try_new(metadata.clone(), options)?;
        let leaves = schema::leaf_paths(arrow.schema());
        let descriptor = metadata.file_metadata().schema_descr();
        if leaves.len() != descriptor.num_columns() {
            return Err(ParquetError::NYI("columns of types that Arrow doesn't have".into()));
        }
        let mut int96 = (0..leaves.len()).map(|leaf| is_int96(descriptor, leaf));
        let given = Arc::new(schema::as_given(arrow.schema(), &mut int96));
        drop(int96);
        Ok(Table {
            file,
            metadata,
            arrow,
            given,
            leaves: leaves.into(),
            starts: starts.into(),
            trusted: Arc::default(),
        })
    }

    fn schema(&self) -> Result<FFI_ArrowSchema> {
        FFI_ArrowSchema::try_from(self.given.as_ref()).map_err(|error| damaged(&error.to_string()))
    }

    fn rows(&self) -> i64 {
        self.starts[self.starts.len() - 1]
    }

    fn read(&self, columns: &[&[u8]], ranges: &[Range<i64>]) -> Result<Box<dyn RecordBatchReader + Send>> {
        let inside = |leaf: usize| {
            columns
                .iter()
                .any(|column| schema::is_inside(&self.leaves[leaf], column))
        };
        let wanted: Vec<usize> = (0..self.leaves.len()).filter(|leaf| inside(*leaf)).collect();
        self.file.take_failure();
        let rows = SoundRows::new(self.clone(), wanted, ranges.to_vec())?;
        Ok(Box::new(Stream::new(rows)))
    }
}

impl Table {
    /// The rows of the columns, and how many a batch has at most.
    pub fn batches(&self, wanted: &[usize], ranges: &[Range<i64>]) -> Result<(Batches, usize)> {
        let (groups, selected) = self.groups(ranges)?;
        let mut pages = Pages::default();
        let mut chunks = Vec::new();
        for (group, count) in groups.iter().zip(&selected) {
            let rows = self.group_rows(*group);
            let much = *count >= (rows.end - rows.start + 1) / 2;
            for leaf in wanted {
                if !much {
                    pages.add_places(&self.file, &self.metadata, (*group, *leaf))?;
                }
                let (start, length) = self.metadata.row_group(*group).column(*leaf).byte_range();
                let known = pages.places((*group, *leaf)).is_some();
                let most = if much { MOST_PIECES_BYTES } else { ALWAYS_PIECES_BYTES };
                if length <= most && !known {
                    chunks.push((start..start + length, *leaf));
                }
            }
        }
        let file = self.file.with_pieces(chunks);
        let rows: i64 = selected.iter().sum();
        let batch = self.batch_rows(&groups, wanted).min(rows.max(1) as usize);
        let selection = self.selection(&groups, ranges);
        let chunks = Chunks {
            file: Arc::new(file),
            metadata: self.metadata.clone(),
            pages: Arc::new(pages),
            groups,
            trusted: self.trusted.clone(),
        };
        let descriptor = self.metadata.file_metadata().schema_descr();
        let reader = |leaves: &[usize], hint: Option<&Fields>| {
            let mask = ProjectionMask::leaves(descriptor, leaves.iter().copied());
            let levels = parquet_to_arrow_field_levels(descriptor, mask, hint)?;
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &chunks, batch, Some(selection.clone()))
        };
        let main = reader(wanted, None)?;
        let seconds = self.seconds(wanted, &main.schema(), reader)?;
        let mut int96 = wanted.iter().map(|leaf| is_int96(descriptor, *leaf));
        let given = Arc::new(schema::as_given(&main.schema(), &mut int96));
        let batches = Batches {
            schema: given,
            reader: main,
            seconds,
        };
        Ok((batches, batch))
    }

    pub fn take_read_failure(&self) -> bool {
        self.file.take_failure()
    }

    pub fn column_name(&self, leaf: usize) -> String {
        let names = self.leaves[leaf].split(|byte| *byte == 0).map(String::from_utf8_lossy);
        format!("\"{}\"", names.collect::<Vec<_>>().join("."))
    }

    pub fn group_of(&self, row: i64) -> usize {
        self.starts.partition_point(|start| *start <= row).saturating_sub(1)
    }

    fn group_rows(&self, group: usize) -> Range<i64> {
        self.starts[group]..self.starts[group + 1]
    }

    /// The rows for which the condition may hold.
    pub fn select(&self, condition: &[u8]) -> Result<Vec<Range<i64>>> {
        let condition = Condition::parse(condition)?;
        let mut out: Vec<Range<i64>> = Vec::new();
        for group in 0..self.metadata.num_row_groups() {
            let rows = self.group_rows(group);
            let found = condition::rows(&condition, &self.file, &self.metadata, &self.leaves, group)?;
            for range in found {
                let range = rows.start + range.start..rows.start + range.end;
                match out.last_mut().filter(|last| last.end == range.start) {
                    Some(last) => last.end = range.end,
                    None => out.push(range),
                }
            }
        }
        Ok(out)
    }

    /// The row groups that have some of the rows, and how many.
    fn groups(&self, ranges: &[Range<i64>]) -> Result<(Vec<usize>, Vec<i64>)> {
        let (mut groups, mut selected) = (Vec::new(), Vec::new());
        for range in ranges {
            let first = self.group_of(range.start);
            let later = (first..self.metadata.num_row_groups()).take_while(|group| self.starts[*group] < range.end);
            for group in later {
                let rows = self.group_rows(group);
                let count = range.end.min(rows.end) - range.start.max(rows.start);
                if count <= 0 {
                    continue;
                }
                if groups.last() != Some(&group) {
                    groups.push(group);
                    selected.push(0);
                }
                selected[groups.len() - 1] += count;
            }
        }
        Ok((groups, selected))
    }

    /// The ranges, counted from the first row of the first group, without the rows of others.
    fn selection(&self, groups: &[usize], ranges: &[Range<i64>]) -> RowSelection {
        let mut out: Vec<Range<usize>> = Vec::new();
        let mut before = 0i64;
        let mut first = 0;
        for group in groups {
            let rows = self.group_rows(*group);
            while first < ranges.len() && ranges[first].end <= rows.start {
                first += 1;
            }
            for range in ranges[first..].iter().take_while(|range| range.start < rows.end) {
                let begin = before + range.start.max(rows.start) - rows.start;
                let end = before + range.end.min(rows.end) - rows.start;
                out.push(begin as usize..end as usize);
            }
            before += rows.end - rows.start;
        }
        RowSelection::from_consecutive_ranges(out.into_iter(), before as usize)
    }

    fn batch_rows(&self, groups: &[usize], wanted: &[usize]) -> usize {
        let mut most = MOST_BATCH_ROWS;
        for group in groups {
            let group = self.metadata.row_group(*group);
            let bytes: i64 = wanted
                .iter()
                .map(|leaf| group.column(*leaf).uncompressed_size().max(0))
                .sum();
            let each = bytes / group.num_rows().max(1);
            most = most.min((BATCH_BYTES / each.max(1)).max(1));
        }
        most as usize
    }

    /// A reader of the columns of INT96 in seconds, and where they are in the schema.
    fn seconds(
        &self,
        wanted: &[usize],
        schema: &Schema,
        reader: impl Fn(&[usize], Option<&Fields>) -> Result<ParquetRecordBatchReader>,
    ) -> Result<Option<(ParquetRecordBatchReader, Vec<usize>)>> {
        let descriptor = self.metadata.file_metadata().schema_descr();
        let top = |leaf: &usize| is_int96(descriptor, *leaf) && !self.leaves[*leaf].contains(&0);
        let flat: HashSet<usize> = wanted
            .iter()
            .copied()
            .filter(top)
            .map(|leaf| descriptor.get_column_root_idx(leaf))
            .collect();
        let flat: HashSet<usize> = flat
            .into_iter()
            .filter(|root| matches!(self.arrow.schema().field(*root).data_type(), DataType::Timestamp(..)))
            .collect();
        if flat.is_empty() {
            return Ok(None);
        }
        let hinted = |(root, field): (usize, &Arc<Field>)| match flat.contains(&root) {
            true => Field::new(
                field.name(),
                DataType::Timestamp(TimeUnit::Second, None),
                field.is_nullable(),
            ),
            false => field.as_ref().clone(),
        };
        let fields = self.arrow.schema().fields();
        let hint: Fields = fields.iter().enumerate().map(hinted).collect();
        let is_flat = |leaf: &usize| flat.contains(&descriptor.get_column_root_idx(*leaf));
        let leaves: Vec<usize> = wanted.iter().copied().filter(is_flat).collect();
        let names: Vec<_> = leaves
            .iter()
            .map(|leaf| descriptor.column(*leaf).name().to_string())
            .collect();
        let places = names.iter().filter_map(|name| schema.index_of(name).ok()).collect();
        Ok(Some((reader(&leaves, Some(&hint))?, places)))
    }
}
