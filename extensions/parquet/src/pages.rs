//! The page indexes of some column chunks: where their pages lie, and what is in them.

use std::collections::HashMap;
use std::ops::Range;

use parquet::errors::Result;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::index_reader::{decode_column_index, decode_offset_index};
use parquet::file::page_index::offset_index::{OffsetIndexMetaData, PageLocation};
use parquet::file::reader::ChunkReader;

use crate::file::WeirFile;

/// A chunk: its row group and its column.
pub type Chunk = (usize, usize);

#[derive(Debug, Default)]
pub struct Pages {
    places: HashMap<Chunk, OffsetIndexMetaData>,
    contents: HashMap<Chunk, ColumnIndexMetaData>,
}

fn bytes_of(file: &WeirFile, range: Option<Range<u64>>) -> Option<Result<bytes::Bytes>> {
    let range = range.filter(|range| range.start < range.end)?;
    Some(file.get_bytes(range.start, usize::try_from(range.end - range.start).ok()?))
}

impl Pages {
    /// Reads where the pages of a chunk are, if the file says it, and nothing that can't be.
    pub fn add_places(&mut self, file: &WeirFile, metadata: &ParquetMetaData, chunk: Chunk) -> Result<()> {
        let column = metadata.row_group(chunk.0).column(chunk.1);
        let Some(bytes) = bytes_of(file, column.offset_index_range()) else {
            return Ok(());
        };
        // A damaged index is none: the pages say it, too. Whether they do is checked when they are read.
        let Ok(index) = decode_offset_index(&bytes?) else {
            return Ok(());
        };
        let rows = metadata.row_group(chunk.0).num_rows();
        let pages = index.page_locations();
        let (start, length) = column.byte_range();
        let rising = pages
            .windows(2)
            .all(|pair| pair[0].first_row_index < pair[1].first_row_index && pair[0].offset < pair[1].offset);
        let inside = pages.iter().all(|page| {
            page.first_row_index >= 0
                && page.first_row_index < rows.max(1)
                && page.compressed_page_size >= 0
                && page.offset >= start as i64
                && page.offset as u64 + page.compressed_page_size as u64 <= start + length
        });
        let whole = pages.first().is_some_and(|page| page.first_row_index == 0);
        // Each page ends where the next one begins, and the last one where the chunk ends.
        let begins = pages.iter().skip(1).map(|page| page.offset);
        let ends = pages
            .iter()
            .map(|page| page.offset.saturating_add(page.compressed_page_size.into()));
        let gapless = ends.eq(begins.chain([(start + length) as i64]));
        if rising && inside && whole && gapless {
            self.places.insert(chunk, index);
        }
        Ok(())
    }

    /// The same with the statistics of its pages.
    pub fn add_contents(&mut self, file: &WeirFile, metadata: &ParquetMetaData, chunk: Chunk) -> Result<()> {
        let column = metadata.row_group(chunk.0).column(chunk.1);
        self.add_places(file, metadata, chunk)?;
        let Some(places) = self.places.get(&chunk) else {
            return Ok(());
        };
        let Some(bytes) = bytes_of(file, column.column_index_range()) else {
            return Ok(());
        };
        let index = decode_column_index(&bytes?, column.column_type())?;
        if index.num_pages() == places.page_locations().len() as u64 {
            self.contents.insert(chunk, index);
        }
        Ok(())
    }

    /// The rows of each page in the row group, and its number; none if that is unknown.
    pub fn rows(&self, chunk: Chunk, rows: i64) -> Option<Vec<Range<i64>>> {
        let pages = self.places.get(&chunk)?.page_locations();
        let ends = pages.iter().skip(1).map(|page| page.first_row_index).chain([rows]);
        Some(
            pages
                .iter()
                .zip(ends)
                .map(|(page, end)| page.first_row_index..end)
                .collect(),
        )
    }

    pub fn places(&self, chunk: Chunk) -> Option<&[PageLocation]> {
        Some(self.places.get(&chunk)?.page_locations())
    }

    pub fn contents(&self, chunk: Chunk) -> Option<&ColumnIndexMetaData> {
        self.contents.get(&chunk)
    }
}
