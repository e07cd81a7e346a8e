//! One HDF5 file: its datasets are columns, and its rows those of their first dimension. Each column is read in slabs of
//! whole chunks, of which batches are slices.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{make_array, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::errors::Result;

use crate::file::{damaged, WeirFile};
use crate::hdf5_column::{told, Column};
use crate::hdf5_file::{datasets, open, Found};
use crate::read::{found_at, sound_part, Source, Stream};
use crate::{abi, panic_text, Format};

const MOST_ROWS: u64 = 8192;

struct Shared {
    file: WeirFile,
    columns: Vec<Arc<Column>>,
    /// The names of datasets that are no columns, with the reasons.
    refused: Vec<(String, String)>,
}

pub struct Hdf5Table {
    shared: Arc<Shared>,
}

fn with_metadata(field: Field, key: &str, value: String) -> Field {
    let mut metadata = field.metadata().clone();
    metadata.insert(key, value);
    field.with_metadata(metadata)
}

impl Shared {
    fn open(file: WeirFile) -> Result<Self> {
        let source = open(&file).map_err(told)?;
        let found = datasets(&source).map_err(told)?;
        let mut columns = Vec::new();
        let mut refused = Vec::new();
        for (name, found) in found {
            let made = match found {
                Found::Dataset(dataset) => Column::of(&file, &source, name.clone(), *dataset),
                Found::Refused(why) => Err(why),
            };
            match made {
                Ok(column) => columns.push(Arc::new(column)),
                Err(why) => refused.push((name, why)),
            }
        }
        // What cannot be read for now must not be left out.
        if file.take_failure() {
            return Err(damaged("cannot be read"));
        }
        Ok(Shared { file, columns, refused })
    }

    fn rows(&self) -> u64 {
        self.columns.iter().map(|column| column.rows).max().unwrap_or(0)
    }

    fn schema(&self) -> Schema {
        let all = self.rows();
        let even = self.columns.iter().all(|column| column.rows == all);
        let read = self.columns.iter().map(|column| {
            let field = with_metadata(column.field(), "weir.shape", "fixed".into());
            match even {
                true => field,
                false => with_metadata(field, "weir.rows", column.rows.to_string()),
            }
        });
        let refused = self.refused.iter().map(|(name, why)| {
            let field = Field::new(name, DataType::Null, true);
            with_metadata(field, "weir.not_read", why.clone())
        });
        Schema::new(read.chain(refused).collect::<Vec<_>>())
    }
}

impl Format for Hdf5Table {
    const NAME: &'static str = "hdf5";
    const FILE: &'static str = "HDF5";

    fn open(file: abi::File, size: u64) -> Result<Self> {
        let shared = Arc::new(Shared::open(WeirFile::new(file, size))?);
        Ok(Hdf5Table { shared })
    }

    fn schema(&self) -> Result<FFI_ArrowSchema> {
        FFI_ArrowSchema::try_from(&self.shared.schema()).map_err(|why| damaged(&why.to_string()))
    }

    fn rows(&self) -> i64 {
        self.shared.rows() as i64
    }

    fn read(&self, paths: &[&[u8]], ranges: &[Range<i64>]) -> Result<Box<dyn RecordBatchReader + Send>> {
        let wanted = |column: &&Arc<Column>| paths.contains(&column.name.as_bytes());
        let columns: Vec<_> = self.shared.columns.iter().filter(wanted).cloned().collect();
        let ranges: VecDeque<_> = ranges
            .iter()
            .map(|range| range.start as u64..range.end as u64)
            .filter(|range| !range.is_empty())
            .collect();
        let end = ranges.back().map_or(0, |range| range.end);
        if columns.iter().any(|column| column.rows < end) {
            return Err(damaged("it has fewer rows than are asked for"));
        }
        Ok(Box::new(Stream::new(Batches {
            shared: self.shared.clone(),
            schema: Arc::new(Schema::new(
                columns.iter().map(|column| column.field()).collect::<Vec<_>>(),
            )),
            slabs: columns.iter().map(|_| None).collect(),
            columns,
            ranges,
        })))
    }
}

struct Slab {
    rows: Range<u64>,
    array: ArrayData,
}

/// Rows of these ranges.
struct Batches {
    shared: Arc<Shared>,
    schema: SchemaRef,
    columns: Vec<Arc<Column>>,
    /// What was read last of each column.
    slabs: Vec<Option<Slab>>,
    ranges: VecDeque<Range<u64>>,
}

fn read(column: &Column, rows: Range<u64>) -> Result<Slab> {
    let read = catch_unwind(AssertUnwindSafe(|| column.read(rows)));
    let (array, rows) = read.unwrap_or_else(|panic| Err(damaged(&panic_text(panic.as_ref()))))?;
    Ok(Slab { rows, array })
}

impl Batches {
    /// The rows, or of those that cannot be read together as many as can.
    fn sound(&self, column: &Column, rows: Range<u64>) -> std::result::Result<Slab, ArrowError> {
        let failed = |error| found_at(&format!("the dataset {} cannot be read", column.name), error);
        let first = rows.start;
        match read(column, rows.clone()) {
            Ok(slab) => return Ok(slab),
            Err(error) if self.shared.file.take_failure() || rows.end - first == 1 => return Err(failed(error)),
            Err(_) => {}
        }
        sound_part((rows.end - first) as i64, |count| read(column, first..first + count as u64)).map_err(failed)
    }

    fn batch(&mut self, range: Range<u64>) -> std::result::Result<RecordBatch, ArrowError> {
        let first = range.start;
        let mut end = range.end.min(first + MOST_ROWS);
        for (i, column) in self.columns.iter().enumerate() {
            let there = self.slabs[i].take().filter(|slab| slab.rows.contains(&first));
            let slab = match there {
                Some(slab) => slab,
                None => self.sound(column, first..column.slab_end(first).min(range.end))?,
            };
            end = end.min(slab.rows.end);
            self.slabs[i] = Some(slab);
        }
        let count = (end - first) as usize;
        let part = |slab: &Slab| make_array(slab.array.slice((first - slab.rows.start) as usize, count));
        let arrays = self.slabs.iter().flatten().map(part).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }
}

impl Source for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn make(&mut self) -> Option<std::result::Result<RecordBatch, ArrowError>> {
        let range = self.ranges.front()?.clone();
        let made = self.batch(range);
        if let Ok(batch) = &made {
            let range = &mut self.ranges[0];
            range.start += batch.num_rows() as u64;
            if range.is_empty() {
                self.ranges.pop_front();
            }
        }
        Some(made)
    }
}
