//! The rows before the damage of a file.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

use crate::read::{caught, sound_part, Batches, Source};
use crate::table::Table;

/// Reads rows of a table up to the first one that cannot be read by itself, then gives its error.
pub struct SoundRows {
    table: Table,
    leaves: Vec<usize>,
    ranges: Vec<Range<i64>>,
    batches: Batches,
    /// How many rows were given, and how many a batch has at most.
    given: i64,
    most: i64,
    /// Whether the next row could not be read with those before it.
    failed: bool,
}

/// The rows of the ranges from the one numbered `first` on.
fn part(ranges: &[Range<i64>], first: i64, count: i64) -> Vec<Range<i64>> {
    let mut before = 0;
    let cut = |range: &Range<i64>| {
        let begin = range.start + (first - before).max(0);
        let end = range.end.min(range.start + first + count - before);
        before += range.end - range.start;
        begin..end
    };
    ranges.iter().map(cut).filter(|range| range.start < range.end).collect()
}

/// What went wrong, without the kinds of errors that it passed through.
fn why(error: &ArrowError) -> String {
    let ArrowError::ParquetError(text) = error else {
        return error.to_string();
    };
    let mut text = text.as_str();
    while let Some(rest) = ["Parquet error: ", "Arrow: ", "EOF: ", "External: ", "NYI: "]
        .iter()
        .find_map(|kind| text.strip_prefix(kind))
    {
        text = rest;
    }
    text.to_string()
}

impl SoundRows {
    pub fn new(table: Table, leaves: Vec<usize>, ranges: Vec<Range<i64>>) -> parquet::errors::Result<Self> {
        let (batches, most) = table.batches(&leaves, &ranges)?;
        Ok(SoundRows {
            table,
            leaves,
            ranges,
            batches,
            given: 0,
            most: most as i64,
            failed: false,
        })
    }

    /// The next rows as one batch.
    fn read(&self, leaves: &[usize], count: i64) -> Result<RecordBatch, ArrowError> {
        let rows = part(&self.ranges, self.given, count);
        let read = || match self.table.batches(leaves, &rows) {
            Ok((mut batches, _)) => batches.make(),
            Err(error) => Some(Err(error.into())),
        };
        match caught(read) {
            Some(Ok(batch)) if batch.num_rows() as i64 == count => Ok(batch),
            Some(Err(error)) => Err(error),
            _ => Err(ArrowError::ParquetError("it has fewer rows than it says".into())),
        }
    }

    fn left(&self) -> i64 {
        let rows: i64 = self.ranges.iter().map(|range| range.end - range.start).sum();
        rows - self.given
    }

    /// As many rows as can be read of a batch that failed, or the error of the first one.
    fn search(&self) -> Result<RecordBatch, ArrowError> {
        sound_part(self.left().min(self.most), |count| self.read(&self.leaves, count))
            .map_err(|error| self.described(error))
    }

    /// The row after those that could be read together. Alone it may not need the damaged page.
    fn row(&mut self) -> Result<RecordBatch, ArrowError> {
        self.failed = false;
        let batch = self.read(&self.leaves, 1).map_err(|error| self.described(error))?;
        let rest = part(&self.ranges, self.given + 1, self.left() - 1);
        (self.batches, _) = self.table.batches(&self.leaves, &rest)?;
        Ok(batch)
    }

    /// The error of the next row, with its row group and its column.
    fn described(&self, error: ArrowError) -> ArrowError {
        let row = part(&self.ranges, self.given, 1).first().map(|range| range.start);
        let found = |leaf: &usize| self.read(&[*leaf], 1).err().map(|error| (*leaf, error));
        let found = match self.leaves[..] {
            [leaf] => Ok((leaf, error)),
            _ => self.leaves.iter().find_map(found).ok_or(error),
        };
        let (place, error) = match found {
            Ok((leaf, error)) => (format!("the column {} of ", self.table.column_name(leaf)), error),
            Err(error) => (String::new(), error),
        };
        let group = self.table.group_of(row.unwrap_or(0));
        let text = format!("{place}row group {group} cannot be read: {}", why(&error));
        match &error {
            ArrowError::ParquetError(kind) if kind.starts_with("NYI: ") => ArrowError::NotYetImplemented(text),
            ArrowError::MemoryError(_) => ArrowError::MemoryError(text),
            _ => ArrowError::ParquetError(text),
        }
    }
}

impl Source for SoundRows {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    fn make(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let made = match self.failed {
            true => (self.left() > 0).then(|| self.row()),
            false => match caught(|| self.batches.make()) {
                // The file system's errors are told by the library, and may not come again.
                Some(Err(_)) if !self.table.take_read_failure() => {
                    self.failed = true;
                    Some(self.search())
                }
                made => made,
            },
        };
        if let Some(Ok(batch)) = &made {
            self.given += batch.num_rows() as i64;
        }
        made
    }
}
