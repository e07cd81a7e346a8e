//! The column chunks of row groups, with the pages of lists checked.

use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::SerializedPageReader;

use crate::file::{damaged, WeirFile};

/// Some row groups of a file.
#[derive(Clone)]
pub struct Chunks {
    pub file: Arc<WeirFile>,
    pub metadata: Arc<ParquetMetaData>,
    pub groups: Vec<usize>,
}

impl RowGroups for Chunks {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| group.num_rows() as usize).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        Ok(Box::new(Column {
            chunks: self.clone(),
            column,
            next: 0,
        }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().map(|group| self.metadata.row_group(*group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The chunks of one column.
struct Column {
    chunks: Chunks,
    column: usize,
    next: usize,
}

impl Iterator for Column {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let Chunks { file, metadata, groups } = &self.chunks;
        let number = *groups.get(self.next)?;
        self.next += 1;
        let group = metadata.row_group(number);
        let index = metadata.page_index();
        let places = index.and_then(|index| index.page_locations(number, self.column).cloned());
        let chunk = group.column(self.column);
        let pages = SerializedPageReader::new(file.clone(), chunk, group.num_rows() as usize, places);
        let most = chunk.column_descr().max_rep_level();
        Some(pages.map(|pages| match most {
            0 => Box::new(pages) as Box<dyn PageReader>,
            _ => Box::new(ListPages {
                pages,
                level_bits: (i16::BITS - most.leading_zeros()) as usize,
            }),
        }))
    }
}

impl PageIterator for Column {}

/// The pages of a list, none of which has fewer repetition levels than values: the crate would skip its rows for ever.
struct ListPages {
    pages: SerializedPageReader<WeirFile>,
    level_bits: usize,
}

/// The runs of a page's repetition levels, and how many levels they should hold.
fn levels(page: &Page) -> Option<(&[u8], usize)> {
    let (bytes, size, count) = match page {
        Page::DataPage {
            buf,
            num_values,
            rep_level_encoding: Encoding::RLE,
            ..
        } => {
            let (size, rest) = buf.split_first_chunk().unwrap_or((&[0; 4], &[]));
            (rest, u32::from_le_bytes(*size), *num_values)
        }
        Page::DataPageV2 {
            buf,
            num_values,
            rep_levels_byte_len,
            ..
        } => (&buf[..], *rep_levels_byte_len, *num_values),
        _ => return None,
    };
    Some((bytes.get(..size as usize).unwrap_or_default(), count as usize))
}

/// The number at the front of some bytes, which it is taken from.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let last = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)?;
    let (taken, rest) = bytes.split_at(last + 1);
    *bytes = rest;
    let more = |number: usize, byte: &u8| number << 7 | usize::from(byte & 0x7f);
    Some(taken.iter().rev().fold(0, more))
}

/// How many levels of so many bits each the runs hold, up to `most`.
fn held(mut runs: &[u8], bits: usize, most: usize) -> usize {
    let mut held = 0;
    while held < most {
        let Some(header) = number(&mut runs).filter(|header| *header != 0) else {
            break;
        };
        let (count, size) = match header & 1 {
            0 => (header >> 1, bits.div_ceil(8)),
            _ => {
                // Writers may cut the last run.
                let size = (header >> 1).saturating_mul(bits).min(runs.len());
                (size * 8 / bits, size)
            }
        };
        let Some(rest) = runs.get(size..) else {
            break;
        };
        runs = rest;
        held += count;
    }
    held.min(most)
}

impl PageReader for ListPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        let expected = page.as_ref().and_then(levels);
        if expected.is_some_and(|(runs, count)| held(runs, self.level_bits, count) < count) {
            return Err(damaged("a page has fewer repetition levels than values"));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.pages.take_deferred_dictionary()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for ListPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
