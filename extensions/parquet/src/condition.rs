//! Conditions on columns, and the rows for which statistics leave open whether they hold.

use std::ops::Range;

use parquet::basic::{ColumnOrder, ConvertedType, LogicalType, TimeUnit, Type as PhysicalType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

use crate::file::WeirFile;
use crate::pages::Pages;

const MOST_NESTING: usize = 1000;

#[derive(Clone, Copy, PartialEq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

pub enum Value {
    Number(String),
    Text(Vec<u8>),
}

pub enum Condition {
    True,
    Null(Vec<u8>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Compare(Comparison, Vec<u8>, Value),
}

struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn wrong() -> ParquetError {
        ParquetError::General("a condition that is none".into())
    }
    fn line(&mut self) -> Result<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == b'\n').ok_or_else(Self::wrong)?;
        let (line, rest) = self.0.split_at(end);
        self.0 = &rest[1..];
        Ok(line)
    }
    /// Bytes with their number before them; none if something else is there.
    fn text(&mut self) -> Result<Option<Vec<u8>>> {
        let digits = self.0.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(0);
        if digits == 0 || self.0[digits] != b':' {
            return Ok(None);
        }
        let size = std::str::from_utf8(&self.0[..digits])
            .ok()
            .and_then(|text| text.parse::<usize>().ok());
        let size = size.ok_or_else(Self::wrong)?;
        let rest = &self.0[digits + 1..];
        if rest.get(size) != Some(&b'\n') {
            return Err(Self::wrong());
        }
        self.0 = &rest[size + 1..];
        Ok(Some(rest[..size].to_vec()))
    }
    fn condition(&mut self, depth: usize) -> Result<Condition> {
        if depth > MOST_NESTING {
            return Err(Self::wrong());
        }
        let comparison = match self.line()? {
            b"true" => return Ok(Condition::True),
            b"null" => return Ok(Condition::Null(self.text()?.ok_or_else(Self::wrong)?)),
            b"and" => {
                let left = Box::new(self.condition(depth + 1)?);
                return Ok(Condition::And(left, Box::new(self.condition(depth + 1)?)));
            }
            b"or" => {
                let left = Box::new(self.condition(depth + 1)?);
                return Ok(Condition::Or(left, Box::new(self.condition(depth + 1)?)));
            }
            b"==" => Comparison::Equal,
            b"!=" => Comparison::NotEqual,
            b"<" => Comparison::Less,
            b"<=" => Comparison::LessEqual,
            b">" => Comparison::Greater,
            b">=" => Comparison::GreaterEqual,
            _ => return Err(Self::wrong()),
        };
        let column = self.text()?.ok_or_else(Self::wrong)?;
        let value = match self.text()? {
            Some(text) => Value::Text(text),
            None => Value::Number(String::from_utf8_lossy(self.line()?).into_owned()),
        };
        Ok(Condition::Compare(comparison, column, value))
    }
}

impl Condition {
    pub fn parse(text: &[u8]) -> Result<Condition> {
        Words(text).condition(0)
    }

    fn columns<'a>(&'a self, out: &mut Vec<&'a [u8]>) {
        match self {
            Condition::True => {}
            Condition::Null(column) | Condition::Compare(_, column, _) => out.push(column),
            Condition::And(left, right) | Condition::Or(left, right) => {
                left.columns(out);
                right.columns(out);
            }
        }
    }
}

/// What a column's values are compared as.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Signed(i128),
    Unsigned,
    Float,
    Double,
    Bytes,
}

fn unit_of(unit: &TimeUnit) -> i128 {
    match unit {
        TimeUnit::MILLIS => 1_000_000,
        TimeUnit::MICROS => 1_000,
        TimeUnit::NANOS => 1,
    }
}

/// None if its statistics are not used.
fn kind_of(column: &ColumnDescriptor, order: ColumnOrder) -> Option<Kind> {
    if column.max_rep_level() > 0 || matches!(order, ColumnOrder::UNDEFINED | ColumnOrder::UNKNOWN) {
        return None;
    }
    let integer = |physical| matches!(physical, PhysicalType::INT32 | PhysicalType::INT64);
    match (
        column.physical_type(),
        column.logical_type_ref(),
        column.converted_type(),
    ) {
        (physical, Some(LogicalType::Integer(int)), _) if integer(physical) => {
            Some(if int.is_signed { Kind::Signed(1) } else { Kind::Unsigned })
        }
        (physical, Some(LogicalType::Time(time)), _) if integer(physical) => Some(Kind::Signed(unit_of(&time.unit))),
        (physical, Some(LogicalType::Timestamp(time)), _) if integer(physical) => {
            Some(Kind::Signed(unit_of(&time.unit)))
        }
        (physical, Some(LogicalType::Date), _) if integer(physical) => Some(Kind::Signed(1)),
        (physical, None, ConvertedType::NONE) if integer(physical) => Some(Kind::Signed(1)),
        (PhysicalType::FLOAT, _, _) => Some(Kind::Float),
        (PhysicalType::DOUBLE, _, _) => Some(Kind::Double),
        (PhysicalType::BYTE_ARRAY, None, ConvertedType::NONE) => Some(Kind::Bytes),
        _ => None,
    }
}

/// The least and the greatest value, as they are stored.
enum Bounds {
    Integer(i64, i64),
    Float(f64, f64),
    Bytes(Vec<u8>, Vec<u8>),
}

fn between<T: PartialOrd>(comparison: Comparison, least: &T, greatest: &T, value: &T) -> bool {
    match comparison {
        Comparison::Equal => least <= value && value <= greatest,
        Comparison::NotEqual => !(least == value && greatest == value),
        Comparison::Less => least < value,
        Comparison::LessEqual => least <= value,
        Comparison::Greater => greatest > value,
        Comparison::GreaterEqual => greatest >= value,
    }
}

/// Whether a value between the bounds may compare so; true where that can't be told.
fn may_hold(comparison: Comparison, kind: Kind, bits: PhysicalType, bounds: &Bounds, value: &Value) -> bool {
    match (bounds, value) {
        (Bounds::Integer(least, greatest), Value::Number(text)) => {
            let Ok(value) = text.parse::<i128>() else { return true };
            let read = |stored: i64| match kind {
                Kind::Unsigned if bits == PhysicalType::INT32 => i128::from(stored as i32 as u32),
                Kind::Unsigned => i128::from(stored as u64),
                Kind::Signed(unit) => i128::from(stored) * unit,
                _ => i128::from(stored),
            };
            let (least, greatest) = (read(*least), read(*greatest));
            // Times that an int64 doesn't hold are errors.
            let fits = kind == Kind::Unsigned || (i64::try_from(least).is_ok() && i64::try_from(greatest).is_ok());
            !fits || least > greatest || between(comparison, &least, &greatest, &value)
        }
        (Bounds::Float(least, greatest), Value::Number(text)) => {
            let Ok(value) = text.parse::<f64>() else { return true };
            // NaN is in no statistics, and differs from everything.
            if comparison == Comparison::NotEqual || value.is_nan() || !(least <= greatest) {
                return true;
            }
            // Whether the literal was read with the digits of a float or a double is not known here.
            let exact = between(comparison, least, greatest, &value);
            exact || (kind == Kind::Float && between(comparison, least, greatest, &f64::from(value as f32)))
        }
        (Bounds::Bytes(least, greatest), Value::Text(value)) => {
            // Bounds may be cut off, and then are no values.
            comparison == Comparison::NotEqual || least > greatest || between(comparison, least, greatest, value)
        }
        _ => true,
    }
}

fn chunk_bounds(statistics: &Statistics) -> Option<Bounds> {
    if statistics.is_min_max_deprecated() {
        return None;
    }
    match statistics {
        Statistics::Int32(values) => Some(Bounds::Integer(
            (*values.min_opt()?).into(),
            (*values.max_opt()?).into(),
        )),
        Statistics::Int64(values) => Some(Bounds::Integer(*values.min_opt()?, *values.max_opt()?)),
        Statistics::Float(values) => Some(Bounds::Float((*values.min_opt()?).into(), (*values.max_opt()?).into())),
        Statistics::Double(values) => Some(Bounds::Float(*values.min_opt()?, *values.max_opt()?)),
        Statistics::ByteArray(values) => Some(Bounds::Bytes(
            values.min_opt()?.data().to_vec(),
            values.max_opt()?.data().to_vec(),
        )),
        _ => None,
    }
}

fn page_bounds(index: &ColumnIndexMetaData, page: usize) -> Option<Bounds> {
    match index {
        ColumnIndexMetaData::INT32(index) => Some(Bounds::Integer(
            (*index.min_value(page)?).into(),
            (*index.max_value(page)?).into(),
        )),
        ColumnIndexMetaData::INT64(index) => Some(Bounds::Integer(*index.min_value(page)?, *index.max_value(page)?)),
        ColumnIndexMetaData::FLOAT(index) => Some(Bounds::Float(
            (*index.min_value(page)?).into(),
            (*index.max_value(page)?).into(),
        )),
        ColumnIndexMetaData::DOUBLE(index) => Some(Bounds::Float(*index.min_value(page)?, *index.max_value(page)?)),
        ColumnIndexMetaData::BYTE_ARRAY(index) => Some(Bounds::Bytes(
            index.min_value(page)?.to_vec(),
            index.max_value(page)?.to_vec(),
        )),
        _ => None,
    }
}

type Rows = Vec<Range<i64>>;

fn intersection(left: &Rows, right: &Rows) -> Rows {
    let (mut i, mut j) = (0, 0);
    let mut out = Rows::new();
    while i < left.len() && j < right.len() {
        let both = left[i].start.max(right[j].start)..left[i].end.min(right[j].end);
        if both.start < both.end {
            out.push(both);
        }
        if left[i].end < right[j].end {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

fn joined(mut all: Rows) -> Rows {
    all.sort_by_key(|range| range.start);
    let mut out = Rows::new();
    for range in all {
        match out.last_mut().filter(|last| last.end >= range.start) {
            Some(last) => last.end = last.end.max(range.end),
            None => out.push(range),
        }
    }
    out
}

struct Group<'a> {
    metadata: &'a ParquetMetaData,
    leaves: &'a [Vec<u8>],
    number: usize,
    /// Whether pages may be looked at; they are read after the statistics of chunks left something open.
    pages: Option<Pages>,
}

impl Group<'_> {
    fn leaf(&self, column: &[u8]) -> Option<usize> {
        self.leaves.iter().position(|leaf| leaf == column)
    }
    fn row_count(&self) -> i64 {
        self.metadata.row_group(self.number).num_rows()
    }
    fn all(&self) -> Rows {
        let count = self.row_count();
        if count > 0 {
            vec![0..count]
        } else {
            Rows::new()
        }
    }
    fn chunk(&self, leaf: usize) -> &ColumnChunkMetaData {
        self.metadata.row_group(self.number).column(leaf)
    }
    /// The rows of the pages for which `keeps` is true, all of them if there are no such statistics.
    fn in_pages(&self, leaf: usize, keeps: impl Fn(&ColumnIndexMetaData, usize) -> bool) -> Rows {
        let chunk = (self.number, leaf);
        let Some(pages) = &self.pages else { return self.all() };
        let (Some(rows), Some(contents)) = (pages.rows(chunk, self.row_count()), pages.contents(chunk)) else {
            return self.all();
        };
        joined(
            rows.into_iter()
                .enumerate()
                .filter(|(page, _)| keeps(contents, *page))
                .map(|(_, rows)| rows)
                .collect(),
        )
    }

    fn nulls(&self, column: &[u8]) -> Rows {
        let Some(leaf) = self.leaf(column) else {
            return self.all();
        };
        let chunk = self.chunk(leaf);
        let none = chunk.statistics().and_then(Statistics::null_count_opt) == Some(0);
        if none || chunk.column_descr().max_def_level() == 0 {
            return Rows::new();
        }
        self.in_pages(leaf, |contents, page| contents.null_count(page) != Some(0))
    }

    fn compared(&self, comparison: Comparison, column: &[u8], value: &Value) -> Rows {
        let Some(leaf) = self.leaf(column) else {
            return self.all();
        };
        let chunk = self.chunk(leaf);
        let order = self.metadata.file_metadata().column_order(leaf);
        let Some(kind) = kind_of(chunk.column_descr(), order) else {
            return self.all();
        };
        let may = |bounds: Option<Bounds>| {
            bounds.is_none_or(|bounds| may_hold(comparison, kind, chunk.column_type(), &bounds, value))
        };
        if !may(chunk.statistics().and_then(chunk_bounds)) {
            return Rows::new();
        }
        self.in_pages(leaf, |contents, page| {
            !contents.is_null_page(page) && may(page_bounds(contents, page))
        })
    }

    fn rows(&self, condition: &Condition) -> Rows {
        match condition {
            Condition::True => self.all(),
            Condition::Null(column) => self.nulls(column),
            Condition::And(left, right) => intersection(&self.rows(left), &self.rows(right)),
            Condition::Or(left, right) => {
                let mut out = self.rows(left);
                out.extend(self.rows(right));
                joined(out)
            }
            Condition::Compare(comparison, column, value) => self.compared(*comparison, column, value),
        }
    }
}

/// The rows of a row group, counted from its first, for which the condition may hold.
pub fn rows(
    condition: &Condition,
    file: &WeirFile,
    metadata: &ParquetMetaData,
    leaves: &[Vec<u8>],
    number: usize,
) -> Result<Rows> {
    let mut group = Group {
        metadata,
        leaves,
        number,
        pages: None,
    };
    let by_chunks = group.rows(condition);
    if by_chunks.is_empty() {
        return Ok(by_chunks);
    }
    let mut columns = Vec::new();
    condition.columns(&mut columns);
    let mut pages = Pages::default();
    for leaf in columns.into_iter().filter_map(|column| group.leaf(column)) {
        if pages.contents((number, leaf)).is_none() {
            pages.add_contents(file, metadata, (number, leaf))?;
        }
    }
    group.pages = Some(pages);
    Ok(group.rows(condition))
}
