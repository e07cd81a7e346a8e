//! One Arrow file or stream.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use parquet::errors::{ParquetError, Result};

use crate::abi;
use crate::arrays::{Body, Dictionaries, Extent, Reader};
use crate::columns::{fields, Column};
use crate::file::WeirFile;
use crate::index::{Batch, Index};
use crate::read::{found_at, Source, Stream};
use crate::Format;

/// So many are given at once.
const MOST_ROWS: i64 = 8192;

/// The batch that was read last, by its number and the columns that were asked for.
#[derive(Default)]
struct Last {
    dictionaries: Dictionaries,
    batch: Option<(usize, SchemaRef, Body)>,
}

struct Shared {
    file: WeirFile,
    index: Index,
    last: Mutex<Last>,
}

pub struct ArrowTable {
    shared: Arc<Shared>,
}

impl Format for ArrowTable {
    const NAME: &'static str = "arrow";
    const FILE: &'static str = "Arrow";

    fn open(file: abi::File, size: u64) -> Result<Self> {
        let file = WeirFile::new(file, size);
        let index = Index::open(&file)?;
        let last = Mutex::default();
        Ok(ArrowTable {
            shared: Arc::new(Shared { file, index, last }),
        })
    }

    fn schema(&self) -> Result<FFI_ArrowSchema> {
        let schema = Schema::new(fields(&self.shared.index.columns, false));
        FFI_ArrowSchema::try_from(&schema).map_err(|why| ParquetError::General(why.to_string()))
    }

    fn rows(&self) -> i64 {
        self.shared.index.starts[self.shared.index.batches.len()]
    }

    fn read(&self, paths: &[&[u8]], ranges: &[Range<i64>]) -> Result<Box<dyn RecordBatchReader + Send>> {
        let mut columns = self.shared.index.columns.clone();
        for column in &mut columns {
            let path = column.name().as_bytes().to_vec();
            column.keep(&path, paths);
        }
        Ok(Box::new(Stream::new(Pieces {
            schema: Arc::new(Schema::new(fields(&columns, true))),
            shared: self.shared.clone(),
            columns,
            ranges: ranges.iter().cloned().collect(),
        })))
    }
}

impl Shared {
    /// Rows of a batch, of which `wanted` follow one another that are asked for.
    fn rows(&self, number: usize, rows: Range<usize>, wanted: i64, pieces: &Pieces) -> Result<RecordBatch> {
        let mut last = self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Last { dictionaries, batch } = &mut *last;
        let mut reader = Reader {
            file: &self.file,
            index: &self.index,
            dictionaries,
            batch: number,
        };
        if !matches!(batch, Some((n, schema, _)) if *n == number && *schema == pieces.schema) {
            *batch = None;
            let place = match &self.index.batches[number] {
                Batch::There(place) => place,
                Batch::Broken(_, why) => return Err(ParquetError::General(why.clone())),
            };
            let extent = match wanted >= (self.index.starts[number + 1] - self.index.starts[number]) / 2 {
                true => Extent::WholeIfSmall,
                false => Extent::Rows,
            };
            let body = reader.open(place, &pieces.columns, extent)?;
            *batch = Some((number, pieces.schema.clone(), body));
        }
        let Some((_, schema, body)) = batch else {
            return Err(ParquetError::General("no batch".into()));
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let arrays = reader.rows(body, &pieces.columns, rows)?;
        RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
            .map_err(|why| ParquetError::General(why.to_string()))
    }
}

/// Rows of these ranges.
struct Pieces {
    shared: Arc<Shared>,
    columns: Vec<Column>,
    schema: SchemaRef,
    ranges: VecDeque<Range<i64>>,
}

impl Pieces {
    fn piece(&self, number: usize, rows: Range<i64>, wanted: i64) -> std::result::Result<RecordBatch, ArrowError> {
        let at = match &self.shared.index.batches[number] {
            Batch::There(place) => place.at,
            Batch::Broken(at, _) => *at,
        };
        let first = self.shared.index.starts[number];
        let rows = (rows.start - first) as usize..(rows.end - first) as usize;
        let batch = self.shared.rows(number, rows, wanted, self);
        batch.map_err(|error| found_at(&format!("batch {number}, at byte {at}"), error))
    }
}

impl Source for Pieces {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn make(&mut self) -> Option<std::result::Result<RecordBatch, ArrowError>> {
        while self.ranges.front().is_some_and(|range| range.is_empty()) {
            self.ranges.pop_front();
        }
        let starts = &self.shared.index.starts;
        let range = self.ranges.front_mut()?;
        let number = starts.partition_point(|start| *start <= range.start).checked_sub(1)?;
        let end = range.end.min(*starts.get(number + 1)?);
        let rows = range.start..end.min(range.start + MOST_ROWS);
        let wanted = end - range.start;
        range.start = rows.end;
        Some(self.piece(number, rows, wanted))
    }
}
