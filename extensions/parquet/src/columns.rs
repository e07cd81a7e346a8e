//! The columns of an Arrow file: how they lie there, and how weir takes them. Texts are bytes, and dictionaries are the
//! values that they stand for. A column of the type Null, which has no values, is as if it were not there.

use std::sync::Arc;

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::Endianness;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use parquet::errors::{ParquetError, Result};

use crate::file::damaged;
use crate::schema::{is_inside, joined, MAP_ENTRY};

type Encoded<'a> = arrow_ipc::Field<'a>;

#[derive(Clone)]
pub struct Column {
    name: String,
    nullable: bool,
    /// The keys of a map are never null.
    is_key: bool,
    /// Its type in the file; of a dictionary that of the positions in it.
    pub stored: DataType,
    /// The number of the dictionary, and what it has.
    pub dictionary: Option<(i64, Box<Column>)>,
    pub inside: Vec<Column>,
    /// Whether it is read.
    pub kept: bool,
}

fn inside(data_type: &DataType) -> Vec<FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.clone()],
        DataType::Struct(members) => members.iter().cloned().collect(),
        DataType::Union(members, _) => members.iter().map(|(_, member)| member.clone()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends.clone(), values.clone()],
        _ => vec![],
    }
}

fn check(data_type: &DataType) -> Result<()> {
    match data_type {
        DataType::FixedSizeList(_, size) | DataType::FixedSizeBinary(size) if *size < 0 => {
            Err(damaged("a type has a negative size"))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(members) if members.len() == 2 => Ok(()),
            _ => Err(damaged("a map has no keys and values")),
        },
        _ => Ok(()),
    }
}

/// All columns of a file.
pub fn all(encoded: arrow_ipc::Schema) -> Result<Vec<Column>> {
    if encoded.endianness() != Endianness::Little {
        return Err(ParquetError::NYI("its numbers are big-endian".into()));
    }
    let schema = try_fb_to_schema(encoded).map_err(|why| damaged(&why.to_string()))?;
    let encoded = encoded.fields().into_iter().flatten();
    let columns = schema.fields().iter().zip(encoded);
    columns.map(|(field, encoded)| Column::new(field, encoded)).collect()
}

impl Column {
    fn new(field: &Field, encoded: Encoded) -> Result<Self> {
        let made = Self::of_type(field.name(), field.is_nullable(), field.data_type(), encoded)?;
        let (DataType::Dictionary(positions, values), Some(dictionary)) = (field.data_type(), encoded.dictionary())
        else {
            return Ok(made);
        };
        let values = Self::of_type("values", true, values, encoded)?;
        Ok(Column {
            stored: positions.as_ref().clone(),
            kept: values.kept,
            dictionary: Some((dictionary.id(), Box::new(values))),
            ..made
        })
    }

    fn of_type(name: &str, nullable: bool, data_type: &DataType, encoded: Encoded) -> Result<Self> {
        check(data_type)?;
        let fields = inside(data_type);
        let encoded: Vec<Encoded> = encoded.children().into_iter().flatten().collect();
        if !fields.is_empty() && fields.len() != encoded.len() {
            return Err(damaged("its types are not those of its columns"));
        }
        let inside = fields
            .iter()
            .zip(encoded)
            .map(|(field, encoded)| Column::new(field, encoded));
        let mut made = Column {
            name: name.into(),
            nullable,
            is_key: false,
            stored: data_type.clone(),
            dictionary: None,
            inside: inside.collect::<Result<_>>()?,
            kept: false,
        };
        if let DataType::Map(..) = data_type {
            made.inside[0].inside[0].is_key = true;
        }
        made.kept = made.is_readable();
        Ok(made)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What isn't readable weir refuses by its type.
    fn is_readable(&self) -> bool {
        match &self.stored {
            DataType::Null
            | DataType::Interval(_)
            | DataType::Union(..)
            | DataType::ListView(_)
            | DataType::LargeListView(_)
            | DataType::RunEndEncoded(..) => false,
            DataType::Struct(_) => true,
            DataType::Map(..) => self.inside[0].inside.iter().all(|member| member.kept),
            _ => self.inside.iter().all(|inner| inner.kept && inner.has_bytes()),
        }
    }

    /// Whether its entries take bytes in the file, so that a list of them can't be longer than the file is.
    fn has_bytes(&self) -> bool {
        match &self.stored {
            DataType::FixedSizeBinary(size) => *size > 0,
            DataType::FixedSizeList(_, size) => *size > 0 && self.inside[0].has_bytes(),
            DataType::Struct(_) => self.inside.iter().any(|member| member.kept && member.has_bytes()),
            _ => true,
        }
    }

    fn has_values(&self) -> bool {
        let values = self.dictionary.as_ref().map_or(self, |(_, values)| values);
        values.stored != DataType::Null
    }

    /// Keeps what is in the columns of these paths. Returns whether that is anything.
    pub fn keep(&mut self, path: &[u8], wanted: &[&[u8]]) -> bool {
        if self.kept && !wanted.iter().any(|column| is_inside(path, column)) {
            self.kept = wanted.iter().any(|column| is_inside(column, path)) && self.keep_inside(path, wanted);
        }
        self.kept
    }

    fn keep_inside(&mut self, path: &[u8], wanted: &[&[u8]]) -> bool {
        match &self.stored {
            DataType::Map(..) => true,
            DataType::Struct(_) => self.inside.iter_mut().fold(false, |any, member| {
                let path = joined(path, &member.name);
                member.keep(&path, wanted) || any
            }),
            _ if self.dictionary.is_some() => true,
            _ => self.inside.iter_mut().any(|inner| inner.keep(path, wanted)),
        }
    }

    /// Its type as weir takes it: of all that it has, or, with `read`, of what is read.
    pub fn given(&self, read: bool) -> DataType {
        let item = || Arc::new(self.inside[0].field(read));
        if let Some((_, values)) = &self.dictionary {
            return match values.given(read) {
                DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
                other => other,
            };
        }
        match &self.stored {
            DataType::Utf8 => DataType::Binary,
            DataType::LargeUtf8 => DataType::LargeBinary,
            DataType::Utf8View => DataType::BinaryView,
            DataType::List(_) => DataType::List(item()),
            DataType::LargeList(_) => DataType::LargeList(item()),
            DataType::FixedSizeList(_, size) => DataType::FixedSizeList(item(), *size),
            DataType::Map(_, sorted) => DataType::Map(Arc::new(self.inside[0].map_entries(read)), *sorted),
            DataType::Struct(_) => DataType::Struct(fields(&self.inside, read)),
            other => other.clone(),
        }
    }

    /// Entries are never null.
    fn map_entries(&self, read: bool) -> Field {
        let members = self.inside.iter().map(|member| member.field(read));
        Field::new(MAP_ENTRY, DataType::Struct(members.collect()), false)
    }

    /// Nulls of a column that says that it has none are found by weir.
    fn field(&self, read: bool) -> Field {
        Field::new(&self.name, self.given(read), !self.is_key && (read || self.nullable))
    }
}

/// Of the columns that have values, all or those that are read.
pub fn fields(columns: &[Column], read: bool) -> Fields {
    columns
        .iter()
        .filter(|column| if read { column.kept } else { column.has_values() })
        .map(|column| column.field(read))
        .collect()
}
