//! Schemas as weir takes them: text is bytes, map entries have a name of their own, and columns have paths.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::errors::Result;
use parquet::schema::types::{Type, TypePtr};

pub const MAP_ENTRY: &str = "map entry";

/// The metadata of times of 16 bytes.
pub fn nanoseconds() -> HashMap<String, String> {
    HashMap::from([("ARROW:extension:name".to_string(), "weir.nanoseconds".to_string())])
}

/// The type with plain bytes in place of texts, which are not checked to be UTF-8 then, and of intervals. Columns that are
/// always null, and types that are not known, are what they are stored as.
pub fn as_bytes(from: &TypePtr) -> Result<TypePtr> {
    let info = from.get_basic_info();
    let id = info.has_id().then(|| info.id());
    if from.is_group() {
        let fields = from.get_fields().iter().map(as_bytes).collect::<Result<Vec<_>>>()?;
        let mut group = Type::group_type_builder(from.name())
            .with_fields(fields)
            .with_converted_type(info.converted_type())
            .with_logical_type(info.logical_type_ref().cloned())
            .with_id(id);
        if info.has_repetition() {
            group = group.with_repetition(info.repetition());
        }
        return Ok(Arc::new(group.build()?));
    }
    let physical = from.get_physical_type();
    let decimal = info.converted_type() == ConvertedType::DECIMAL
        || matches!(info.logical_type_ref(), Some(LogicalType::Decimal { .. }));
    let text = physical == PhysicalType::BYTE_ARRAY && !decimal;
    let interval = info.converted_type() == ConvertedType::INTERVAL;
    let physical_only = matches!(
        info.logical_type_ref(),
        Some(LogicalType::Unknown | LogicalType::_Unknown { .. })
    );
    if !text && !interval && !physical_only {
        return Ok(from.clone());
    }
    let mut plain = Type::primitive_type_builder(from.name(), physical)
        .with_repetition(info.repetition())
        .with_id(id);
    if let Type::PrimitiveType { type_length, .. } = from.as_ref() {
        plain = plain.with_length(*type_length);
    }
    Ok(Arc::new(plain.build()?))
}

fn mapped(field: &FieldRef, int96: &mut dyn Iterator<Item = bool>, nested: bool) -> FieldRef {
    let list = |inner: &FieldRef, int96: &mut dyn Iterator<Item = bool>| mapped(inner, int96, true);
    let made = match field.data_type() {
        DataType::Struct(members) => {
            let members: Vec<_> = members.iter().map(|member| mapped(member, int96, true)).collect();
            DataType::Struct(Fields::from(members))
        }
        DataType::Map(entries, sorted) => {
            let entries = mapped(entries, int96, true);
            DataType::Map(Arc::new(entries.as_ref().clone().with_name(MAP_ENTRY)), *sorted)
        }
        DataType::List(inner) => DataType::List(list(inner, int96)),
        DataType::LargeList(inner) => DataType::LargeList(list(inner, int96)),
        DataType::FixedSizeList(inner, size) => DataType::FixedSizeList(list(inner, int96), *size),
        leaf => {
            let wide = int96.next().unwrap_or(false) && !nested;
            if wide {
                let wide = Field::new(field.name(), DataType::FixedSizeBinary(16), field.is_nullable());
                return Arc::new(wide.with_metadata(nanoseconds()));
            }
            leaf.clone()
        }
    };
    Arc::new(Field::new(field.name(), made, field.is_nullable()))
}

/// The schema as weir takes it; `int96` tells which of its leaves are of that type.
pub fn as_given(schema: &Schema, int96: &mut dyn Iterator<Item = bool>) -> Schema {
    Schema::new(
        schema
            .fields()
            .iter()
            .map(|field| mapped(field, int96, false))
            .collect::<Vec<_>>(),
    )
}

fn add_leaves(field: &Field, path: &[u8], out: &mut Vec<Vec<u8>>) {
    match field.data_type() {
        DataType::Struct(members) => {
            for member in members {
                add_leaves(member, &joined(path, member.name()), out);
            }
        }
        DataType::List(inner) | DataType::LargeList(inner) | DataType::FixedSizeList(inner, _) => {
            add_leaves(inner, path, out)
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(members) = entries.data_type() else {
                return;
            };
            for (member, name) in members.iter().zip(["key", "value"]) {
                add_leaves(member, &joined(path, name), out);
            }
        }
        _ => out.push(path.to_vec()),
    }
}

/// The path of a member of the column `path`, whose name may be empty.
pub fn joined(path: &[u8], name: &str) -> Vec<u8> {
    [path, name.as_bytes()].join(&0)
}

/// The path of each leaf: names joined by NUL, without those that only lists have.
pub fn leaf_paths(schema: &Schema) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for field in schema.fields() {
        add_leaves(field, field.name().as_bytes(), &mut out);
    }
    out
}

/// Whether the path is that of the column, or of something inside it.
pub fn is_inside(path: &[u8], column: &[u8]) -> bool {
    path.strip_prefix(column)
        .is_some_and(|rest| rest.is_empty() || rest[0] == 0)
}
