//! The column chunks of row groups, with their pages checked.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use parquet::arrow::arrow_reader::RowGroups;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::SerializedPageReader;

use crate::file::{locked, WeirFile};
use crate::headers::{self, Facts, PageBytes, Trust};
use crate::levels::LevelBits;
use crate::pages::{Chunk, Pages};

/// What the headers of chunks were found to be.
pub type Trusted = Mutex<HashMap<Chunk, Trust>>;

/// Some row groups of a file.
#[derive(Clone)]
pub struct Chunks {
    pub file: Arc<WeirFile>,
    pub metadata: Arc<ParquetMetaData>,
    /// What the page index says of those that are read page by page.
    pub pages: Arc<Pages>,
    pub groups: Vec<usize>,
    pub trusted: Arc<Trusted>,
}

impl Chunks {
    /// The pages of a chunk: where the page index says if it is there, or if their headers can't be trusted.
    fn checked(&self, chunk: Chunk) -> Result<CheckedPages> {
        let group = self.metadata.row_group(chunk.0);
        let column = group.column(chunk.1);
        let facts = Facts::new(column, group.num_rows());
        let mut places = self.pages.places(chunk).map(<[_]>::to_vec);
        let known = locked(&self.trusted).get(&chunk).copied();
        let mut trust = match (known, &places) {
            (Some(trust), _) => trust,
            (None, Some(_)) => Trust::Whole,
            (None, None) => headers::trust(&self.file, &facts)?,
        };
        if trust != Trust::Whole && places.is_none() {
            let mut pages = Pages::default();
            pages.add_places(&self.file, &self.metadata, chunk)?;
            places = pages.places(chunk).map(<[_]>::to_vec);
        }
        if trust == Trust::Unknown && places.is_none() && self.file.join(&facts.range)? {
            trust = headers::trust(&self.file, &facts)?;
        }
        if places.is_none() {
            locked(&self.trusted).insert(chunk, trust);
        }
        let bytes = PageBytes::new(self.file.as_ref().clone(), facts, trust, places.as_deref());
        Ok(CheckedPages {
            rows: bytes.rows().map(VecDeque::from),
            levels: LevelBits::new(column.column_descr()),
            pages: SerializedPageReader::new(Arc::new(bytes), column, group.num_rows() as usize, places)?,
        })
    }
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
        let group = *self.chunks.groups.get(self.next)?;
        self.next += 1;
        let pages = self.chunks.checked((group, self.column));
        Some(pages.map(|pages| Box::new(pages) as Box<dyn PageReader>))
    }
}

impl PageIterator for Column {}

/// The pages of a chunk, with their levels checked.
struct CheckedPages {
    pages: SerializedPageReader<PageBytes>,
    levels: LevelBits,
    /// How many rows the page index says that the pages to come have.
    rows: Option<VecDeque<i64>>,
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = page.as_ref().filter(|page| page.is_data_page()) {
            let rows = self.rows.as_mut().and_then(VecDeque::pop_front);
            self.levels.check(page, rows)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        if let Some(rows) = &mut self.rows {
            if self.pages.peek_next_page()?.is_some_and(|page| !page.is_dict) {
                rows.pop_front();
            }
        }
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

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
